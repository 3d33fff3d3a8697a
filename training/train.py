r"""Train the table on a GPU, from what `prepare.py` saved.

    python training/train.py DATA OUT [--epochs 2] [--dropout 0.1] [--rate 0.01] ...

Each run gets a folder `OUT/0`, `OUT/1`, …: `table-*.npy` (8-bit integers), `weights.npy`,
`report.json` with the figures on the held-out packages.

A text's vector is the normalised sum of amount × weight × vector over its words, moved by
one hidden layer and normalised again; words have one weight in code and another in
questions, and each side has a layer of its own. Loss: symmetric InfoNCE over the pairs of
a batch, which come in groups from one package: what is near is harder to tell apart. Of
several runs from the same start, in other orders, the mean is kept.
"""

import argparse
import json
import math
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import embedding_bag, normalize

sys.path.append(str(Path(__file__).resolve().parents[1] / "src"))
from codecompass.embed.ngrams import ngram_buckets

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
_PARTS = 3  # files of the table: large ones do not come back from every machine
_NO_SETTINGS = ("data", "out", "sweep")
SIDES = ("question", "code", "path")
LAYERS = ("code", "question")


class Side:
    """The texts of one side, on the device."""

    def __init__(self, parts: list, name: str) -> None:
        lengths = np.concatenate([part[f"{name}_lengths"] for part in parts]).astype(np.int64)
        gaps = np.concatenate([part[f"{name}_gaps"] for part in parts], axis=1).astype(np.int64)
        sums = np.cumsum(gaps[0] + (gaps[1] << 8) + (gaps[2] << 16))
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        before = np.concatenate([np.zeros(1, np.int64), sums])[offsets[:-1]]
        numbers = sums - np.repeat(before, lengths)
        self.offsets = torch.from_numpy(offsets).to(DEVICE)
        self.terms = torch.from_numpy(numbers.astype(np.int32)).to(DEVICE)
        counts = np.concatenate([part[f"{name}_counts"] for part in parts])
        self.counts = torch.from_numpy(counts).to(DEVICE)

    def take(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The words of some texts: terms, amounts, and which of the texts each belongs to."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        place, owner = spread(self.offsets[rows], lengths)
        return self.terms[place].long(), torch.log1p(self.counts[place].float()), owner


def spread(starts: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Every place of several stretches, and which stretch it belongs to."""
    owner = torch.repeat_interleave(torch.arange(len(lengths), device=DEVICE), lengths)
    before = torch.cumsum(lengths, 0) - lengths
    return torch.arange(len(owner), device=DEVICE) - before[owner] + starts[owner], owner


class Pieces:
    """The n-grams of all terms, as rows of the table."""

    def __init__(self, folder: Path, buckets: int) -> None:
        words = (folder / "words.txt").read_text().split("\n")[:-1]
        others = (folder / "others.txt").read_text().split("\n")[:-1]
        found = [ngram_buckets(term, buckets) for term in (*words, *others)]
        lengths = np.array([len(numbers) for numbers in found])
        rows = np.concatenate([np.array(numbers, np.int64) for numbers in found]) + len(words)
        self.words = len(words)
        self._rows = torch.from_numpy(rows.astype(np.int64)).to(DEVICE)
        self._lengths = torch.from_numpy(lengths).to(DEVICE)
        self._starts = torch.cumsum(self._lengths, 0) - self._lengths

    def rows(self, words: tuple, chance: float) -> tuple:
        """Terms as rows: their own, or those of their n-grams where they have none.

        Some that have a row of their own are taken by their n-grams, so that these learn.
        """
        terms, amounts, owner = words
        apart = terms >= self.words
        if chance:
            apart |= torch.rand(len(terms), device=DEVICE) < chance
        apart &= self._lengths[terms] > 0
        whole = ~apart & (terms < self.words)
        lengths = self._lengths[terms[apart]]
        place, index = spread(self._starts[terms[apart]], lengths)
        share = (amounts[apart] / lengths)[index]
        return (
            torch.cat([terms[whole], self._rows[place]]),
            torch.cat([amounts[whole], share]),
            torch.cat([owner[whole], owner[apart][index]]),
        )


class Data:
    """All sides, and what is known of each pair: package, kind of question, language."""

    def __init__(self, files: list[Path]) -> None:
        parts = [dict(np.load(file)) for file in files]
        self.sides = {name: Side(parts, name) for name in SIDES}
        meta = np.concatenate([part["meta"] for part in parts]).astype(np.int64)
        self.package, self.kind, self.language = (
            torch.from_numpy(np.ascontiguousarray(meta[:, column])).to(DEVICE)
            for column in range(3)
        )

    def __len__(self) -> int:
        return len(self.package)


class Layer(torch.nn.Module):
    """Adds to vectors what one hidden layer makes of them; nothing at first."""

    def __init__(self, dims: int, hidden: int) -> None:
        super().__init__()
        self.inward = torch.nn.Parameter(torch.randn(dims, hidden) / math.sqrt(dims))
        self.bias = torch.nn.Parameter(torch.zeros(hidden))
        self.outward = torch.nn.Parameter(torch.zeros(hidden, dims))

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """The moved vectors; those given have the length 1."""
        inside = math.sqrt(len(self.inward)) * vectors @ self.inward
        return vectors + torch.relu(inside + self.bias) @ self.outward

    def arrays(self) -> dict[str, np.ndarray]:
        """What is saved: `vectors @ inward` is all that is left to do."""
        found = {name: value.detach().cpu().numpy() for name, value in self.named_parameters()}
        found["inward"] = found["inward"] * math.sqrt(len(self.inward))  # not the model's own
        return {name: value.astype(np.float16) for name, value in found.items()}


class Model(torch.nn.Module):
    """The table, the weights and the layers."""

    def __init__(self, rows: int, dims: int, hidden: int) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(rows, dims) / math.sqrt(dims))
        self.weights = torch.nn.Parameter(torch.zeros(len(LAYERS), rows))
        self.scale = torch.nn.Parameter(torch.tensor(math.log(20.0)))
        self.layers = torch.nn.ModuleDict({side: Layer(dims, hidden) for side in LAYERS})

    def vectors(self, words: tuple, count: int, side: str) -> torch.Tensor:
        """The vectors of the texts of one side, of the length 1."""
        ids, amounts, owner = words
        weight = self.weights[LAYERS.index(side)]
        order = torch.argsort(owner, stable=True)
        ids, amounts, owner = ids[order], amounts[order], owner[order]
        lengths = torch.bincount(owner, minlength=count)
        offsets = torch.cumsum(lengths, 0) - lengths
        weights = amounts * torch.exp(weight[ids])
        sums = embedding_bag(ids, self.table, offsets, per_sample_weights=weights, mode="sum")
        return normalize(self.layers[side](normalize(sums, dim=1)), dim=1)


def dropped(words: tuple, share: float) -> tuple:
    """The words without a random share of them."""
    keep = torch.rand(len(words[0]), device=DEVICE) >= share
    return tuple(part[keep] for part in words)


def loss_of(
    model: Model, data: Data, pieces: Pieces, rows: torch.Tensor, given: argparse.Namespace
) -> torch.Tensor:
    """Symmetric InfoNCE of one batch."""
    count = len(rows)
    asked = dropped(data.sides["question"].take(rows), given.dropout)
    code = dropped(data.sides["code"].take(rows), given.dropout)
    path = data.sides["path"].take(rows)
    bare = torch.rand(count, device=DEVICE) < given.bare_paths
    takes = bare | (torch.rand(count, device=DEVICE) < given.paths)
    inside = ~bare[code[2]]
    code = tuple(
        torch.cat([words[inside], names[takes[path[2]]]])
        for words, names in zip(code, path, strict=True)
    )
    asked, code = pieces.rows(asked, given.pieces), pieces.rows(code, given.pieces)
    left = model.vectors(asked, count, "question")
    right = model.vectors(code, count, "code")
    logits = left @ right.T * model.scale.exp().clamp(max=100)
    target = torch.arange(count, device=DEVICE)
    smooth = given.smoothing
    return (
        torch.nn.functional.cross_entropy(logits, target, label_smoothing=smooth)
        + torch.nn.functional.cross_entropy(logits.T, target, label_smoothing=smooth)
    ) / 2


def sampling(data: Data, given: argparse.Namespace) -> torch.Tensor:
    """How often each pair is drawn: languages more evenly than they occur, kinds as told."""
    counts = torch.bincount(data.language).float().clamp(min=1)
    by_language = counts ** (given.evenness - 1)
    kinds = [1.0, given.names, given.messages, given.modules, given.files]
    by_kind = torch.tensor(kinds, device=DEVICE)
    return by_language[data.language] * by_kind[data.kind]


@torch.no_grad()
def held_out(model: Model, data: Data, pieces: Pieces) -> dict[int, float]:
    """MRR@10 by language, the mean over packages: question = doc, corpus = the package."""
    found: dict[int, list[float]] = defaultdict(list)
    for package in data.package.unique().tolist():
        rows = torch.nonzero(data.package == package).squeeze(1)
        asked = data.sides["question"].take(rows)
        code = data.sides["code"].take(rows)
        asked, code = pieces.rows(asked, 0.0), pieces.rows(code, 0.0)
        left = model.vectors(asked, len(rows), "question")
        right = model.vectors(code, len(rows), "code")
        scores = left @ right.T
        rank = (scores > scores.diagonal()[:, None]).sum(1) + 1
        worth = torch.where(rank <= 10, 1 / rank.float(), 0.0)
        for language in data.language[rows].unique().tolist():
            inside = worth[data.language[rows] == language]
            if len(inside) >= 20:
                found[language].append(inside.mean().item())
    return {language: sum(values) / len(values) for language, values in sorted(found.items())}


def drawn(odds: torch.Tensor, data: Data, given: argparse.Namespace) -> torch.Tensor:
    """A share of all pairs in random order, those of one package some at a time."""
    noise = torch.rand(len(odds), device=DEVICE).log() / odds  # weighted, none twice
    order = torch.argsort(noise, descending=True)[: int(len(odds) * given.share)]
    shuffled = order[torch.randperm(len(order), device=DEVICE)]
    by_package = shuffled[torch.argsort(data.package[shuffled], stable=True)]
    whole = len(order) // given.groups * given.groups
    groups = by_package[:whole].view(-1, given.groups)
    return groups[torch.randperm(len(groups), device=DEVICE)].reshape(-1)


def train_once(model: Model, data: Data, pieces: Pieces, given: argparse.Namespace) -> float:
    """Train a model; the loss at the end."""
    steps = max(1, round(given.epochs * len(data) / given.batch))
    layers = list(model.layers.parameters())
    others = [model.table, model.weights, model.scale]
    optimizer = torch.optim.Adam(
        [{"params": others}, {"params": layers, "lr": given.layer_rate}],
        lr=given.rate,
        betas=(0.9, 0.98),
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 50) * max(0.0, 1 - step / steps)
    )
    odds = sampling(data, given)
    order = torch.empty(0, dtype=torch.long, device=DEVICE)
    for _ in range(steps):
        if len(order) < given.batch:
            order = drawn(odds, data, given)
        rows, order = order[: given.batch], order[given.batch :]
        loss = loss_of(model, data, pieces, rows, given)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
    return loss.item()


def train(data: Data, test: Data, pieces: Pieces, given: argparse.Namespace) -> tuple[Model, dict]:
    """Train some models that begin alike; their mean and its figures."""
    torch.manual_seed(given.seed)
    model = Model(given.rows, given.dims, given.hidden).to(DEVICE)
    start = {name: value.clone() for name, value in model.state_dict().items()}
    total = {name: torch.zeros_like(value) for name, value in start.items()}
    started = time.time()
    for number in range(given.runs):
        model.load_state_dict(start)
        torch.manual_seed(1_000 * given.seed + number)
        loss = train_once(model, data, pieces, given)
        for name, value in model.state_dict().items():
            total[name] += value / given.runs
    model.load_state_dict(total)
    scores = held_out(model, test, pieces)
    mean = sum(scores.values()) / len(scores)
    report = {"mean": mean, "languages": scores, "loss": loss, "s": time.time() - started}
    return model, report


def save(model: Model, report: dict, given: argparse.Namespace, out: Path) -> None:
    """Write the table in 8-bit rows; what a row was divided by goes into its weights."""
    out.mkdir(parents=True, exist_ok=True)
    table = model.table.detach().float().cpu().numpy()
    scale = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127, 1e-12)
    small = np.rint(table / scale).astype(np.int8)
    for number, part in enumerate(np.array_split(small, _PARTS)):
        np.save(out / f"table-{number}.npy", part)
    weights = np.exp(model.weights.detach().cpu().numpy()) * scale.T
    np.save(out / "weights.npy", (weights / weights.max()).astype(np.float32))
    layers = {
        f"{side}_{name}": value
        for side, layer in model.layers.items()
        for name, value in layer.arrays().items()
    }
    np.savez(out / "layers.npz", **layers)
    settings = {key: str(value) for key, value in vars(given).items() if key not in _NO_SETTINGS}
    (out / "report.json").write_text(json.dumps({"settings": settings, **report}, indent=1))


def arguments() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--buckets", type=int, default=14_336)
    parser.add_argument("--pieces", type=float, default=0.04, help="known words by n-grams")
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--epochs", type=float, default=2)
    parser.add_argument("--batch", type=int, default=8_192)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--hidden", type=int, default=512, help="width of the layers")
    parser.add_argument("--layer-rate", type=float, default=0.001)
    parser.add_argument("--groups", type=int, default=32, help="pairs of a package together")
    parser.add_argument("--runs", type=int, default=4, help="whose mean is kept")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--smoothing", type=float, default=0.1)
    parser.add_argument("--paths", type=float, default=0.5, help="chance that a path joins")
    parser.add_argument("--evenness", type=float, default=0.6, help="1: languages as they are")
    parser.add_argument("--share", type=float, default=0.5, help="of all pairs, then anew")
    parser.add_argument("--names", type=float, default=0.3)
    parser.add_argument("--messages", type=float, default=0.2)
    parser.add_argument("--modules", type=float, default=1.0)
    parser.add_argument("--files", type=float, default=1.0)
    parser.add_argument("--bare-paths", type=float, default=0.1, help="chance of a path alone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sweep", type=json.loads, default=[{}], help="options of several runs")
    return parser


def main() -> None:
    """Train once for each entry of the sweep; keep those that ask for it."""
    given = arguments().parse_args()
    data = Data(sorted(given.data.glob("train-*.npz")))
    test = Data([given.data / "heldout.npz"])
    pieces = Pieces(given.data, given.buckets)
    given.rows = pieces.words + given.buckets
    print(len(data), "pairs,", len(test), "held out", flush=True)
    for number, change in enumerate(given.sweep):
        run = argparse.Namespace(**{**vars(given), **change})
        model, report = train(data, test, pieces, run)
        languages = " ".join(f"{score:.3f}" for score in report["languages"].values())
        print(f"{report['mean']:.4f} {report['s']:.0f}s {change} {languages}", flush=True)
        if change.pop("keep", len(given.sweep) == 1):
            save(model, report, run, given.out / str(number))


if __name__ == "__main__":
    main()
