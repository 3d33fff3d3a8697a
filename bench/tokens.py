r"""Calibrate the token estimate against public tokenizers on real code.

    python bench/tokens.py FOLDER --tokenizer cl100k_base --tokenizer o200k_base \
        --tokenizer claude=tokenizer.json

Needs numpy and, by the tokenizers that are named, tiktoken and tokenizers (a name is one of
tiktoken's encodings, a pair a file in the format of tokenizers). Takes pieces of three
lengths from random files of every repository in FOLDER, prints the weights that fit the
largest count best (`codecompass.text.tokens` has them rounded, and of several samples the
larger), and how the estimate relates to each tokenizer's count: 1.00 is equal, below is too
little.
"""

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scoring import tokenizer_named

from codecompass.source.read import decode_text
from codecompass.text.tokens import estimate_tokens, features

_LENGTHS = (400, 1_200, 4_000)
_PER_REPOSITORY = 60
_SHORTEST = 200
_PARTS = (0.1, 1, 5, 50, 95, 99)
_NAMES = ("word", "capital", "digit", "signs", "sign", "end", "gap", "other")


def main() -> None:
    """Count, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="holds one folder for each repository")
    parser.add_argument("--tokenizer", action="append", required=True, metavar="NAME[=FILE]")
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args()
    counters = dict(tokenizer_named(text) for text in given.tokenizer)
    texts = list(_samples(given.folder, random.Random(given.seed)))  # noqa: S311  # not a secret
    counts = np.array([[count(text) for count in counters.values()] for text in texts], float)
    _print_fit(texts, counts.max(axis=1))
    estimates = np.array([estimate_tokens(text) for text in texts], float)
    lengths = np.array([len(text) for text in texts])
    print(f"\n{len(texts)} pieces; estimate / count\n")
    print("| tokenizer | length | " + " | ".join(f"{part} %" for part in _PARTS) + " |")
    print("|---|---|" + "---|" * len(_PARTS))
    for place, name in enumerate(counters):
        for least in (0, _LENGTHS[-1]):
            kept = lengths >= least
            parts = np.percentile(estimates[kept] / counts[kept, place], _PARTS)
            about = f"{least:,} characters" if least else "all"
            print(f"| {name} | {about} | " + " | ".join(f"{part:.2f}" for part in parts) + " |")


def _samples(folder: Path, chance: random.Random) -> Iterator[str]:
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = [path for path in sorted(repository.rglob("*")) if ".git" not in path.parts]
        chance.shuffle(files)
        taken = 0
        for path in files:
            raw = path.read_bytes() if path.is_file() else b""
            text = (decode_text(raw) or b"").decode("utf-8", "replace")
            if len(text) < _SHORTEST or b"\x00" in raw:
                continue
            length = chance.choice(_LENGTHS)
            start = chance.randrange(max(1, len(text) - length))
            yield text[start : start + length]
            taken += 1
            if taken == _PER_REPOSITORY:
                break


def _print_fit(texts: list[str], counts: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
    found = np.array([features(text.encode("utf-8", "replace")) for text in texts], float)
    shares = found / counts[:, None]  # so that long pieces count for no more than short ones
    weights, *_ = np.linalg.lstsq(shares, np.ones(len(texts)), rcond=None)
    pairs = zip(_NAMES, weights, strict=True)
    print("fitted: " + ", ".join(f"{name} {weight:.2f}" for name, weight in pairs))


if __name__ == "__main__":
    main()
