r"""A trained table in, the files that ship with the package out.

python training/export.py DATA TRAINED INTO
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np


def export(data: Path, trained: Path, into: Path) -> str:
    """Write card, words, table, weights and layers; the model's id."""
    words = (data / "words.txt").read_text().split("\n")[:-1]
    small = np.concatenate([np.load(part) for part in sorted(trained.glob("table-*.npy"))])
    weights = np.load(trained / "weights.npy")
    layers = dict(np.load(trained / "layers.npz"))
    into.mkdir(parents=True, exist_ok=True)
    np.save(into / "table.npy", small)
    np.save(into / "weights.npy", weights)
    np.savez(into / "layers.npz", **layers)
    (into / "words.txt").write_text("\n".join(words) + "\n")
    arrays = (small, weights, *(layers[name] for name in sorted(layers)))
    digest = hashlib.blake2b(b"".join(map(np.ndarray.tobytes, arrays)), digest_size=4).hexdigest()
    card = {
        "id": f"codecompass-{small.shape[1]}-{digest}",
        "buckets": len(small) - len(words),
        "report": json.loads((trained / "report.json").read_text()),
    }
    (into / "card.json").write_text(json.dumps(card, indent=1) + "\n")
    return str(card["id"])


def main() -> None:
    """Export."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("trained", type=Path)
    parser.add_argument("into", type=Path)
    given = parser.parse_args()
    print(export(given.data, given.trained, given.into))


if __name__ == "__main__":
    main()
