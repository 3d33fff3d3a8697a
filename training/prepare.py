r"""Mined lines in, arrays for training and held-out packages for evaluation out.

    python training/prepare.py PAIRS DATA [--words 51200]

DATA gets `words.txt` (those with a row of their own), `others.txt`, `train-*.npz` (texts as
numbers of terms and counts), and `heldout.npz`, `heldout.jsonl.gz` and `heldout.txt`:
the packages that are never trained on, a few of each language, by the hash of their names.
"""

import argparse
import gzip
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from mine import LANGUAGES

from codecompass.embed.ngrams import ngram_buckets
from codecompass.store.analyzers import shared_analyzer
from codecompass.text.identifiers import split_name

_HELD_OUT = 40  # packages of one language; a fifth where there are few
_SAME_DOC = 3
_SHARD = 400_000  # lines of one file for the device
_MOST_TERMS = 1 << 20
_NAMES_LEFT_OUT = 0.6  # where there is a doc to ask by
_QUERY_TYPES = ("doc", "name", "message", "module", "file")
_FILE_DOCS, _FILE_TERMS = 2, 160
_PATH_PARTS = 4
_SIDES = ("question", "code", "path")
_LANGUAGES = sorted(LANGUAGES)


def read_package(file: Path) -> Iterator[dict]:
    """The lines of one package, its licence left out."""
    with gzip.open(file, "rt") as lines:
        next(lines, None)
        for line in lines:
            yield json.loads(line)


def split_packages(pairs: Path) -> tuple[list[Path], set[Path]]:
    """All packages, and those of each language that are held out."""
    files = sorted(pairs.glob("*/*.jsonl.gz"))
    by_language: dict[str, list[Path]] = defaultdict(list)
    for file in files:
        counts = Counter(row["l"] for row in read_package(file) if row["d"] and row["n"])
        for language, count in counts.items():
            if count >= 20:
                by_language[language].append(file)
    held: set[Path] = set()
    for language in sorted(by_language):
        found = sorted(by_language[language], key=_hash)
        held.update(found[: min(_HELD_OUT, max(2, len(found) // 5))])
    return files, held


def _hash(file: Path) -> bytes:
    return hashlib.blake2b(f"held out {file.name}".encode()).digest()


class Terms:
    """All terms by number: first the words of the table, then others that are words at all."""

    def __init__(self, words: Sequence[str]) -> None:
        self.size = len(words)
        self._numbers = {word: number for number, word in enumerate(words)}

    def number(self, term: str) -> int:
        """A term's number, -1 for what has neither a row of its own nor n-grams."""
        found = self._numbers.get(term, -1)
        if found < 0 and len(self._numbers) < _MOST_TERMS and ngram_buckets(term, 1):
            found = self._numbers[term] = len(self._numbers)
        return found

    def others(self) -> list[str]:
        """The terms that have no row, by number."""
        return list(self._numbers)[self.size :]


class Texts:
    """Texts of one side, one after another; numbers as differences, which pack well."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._gaps: list[int] = []
        self._counts: list[int] = []
        self._lengths: list[int] = []

    def add(self, counts: Mapping[str, int]) -> None:
        """Append a text."""
        numbered = ((self._terms.number(term), count) for term, count in counts.items())
        found = sorted(pair for pair in numbered if pair[0] >= 0)
        before = 0
        for number, count in found:
            self._gaps.append(number - before)
            self._counts.append(min(count, 255))
            before = number
        self._lengths.append(len(found))

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """What is saved."""
        gaps = np.array(self._gaps, np.uint32).view(np.uint8).reshape(-1, 4).T[:3]
        return {
            f"{name}_gaps": np.ascontiguousarray(gaps),
            f"{name}_counts": np.array(self._counts, np.uint8),
            f"{name}_lengths": np.array(self._lengths, np.uint16),
        }


def save_sides(file: Path, sides: Sequence[Texts], meta: list[tuple[int, int, int]]) -> None:
    """Write questions, code and paths into one file."""
    arrays = {"meta": np.array(meta, np.uint16)}
    for name, side in zip(_SIDES, sides, strict=True):
        arrays |= side.arrays(name)
    np.savez_compressed(file, **arrays)


def questions_of(row: dict) -> list[tuple[str, str]]:
    """What could be asked to find this line, by kind of question."""
    if row["k"] in ("module", "file"):
        return [(row["k"], row["d"])]
    found = [("doc", row["d"])] if row["d"] else []
    if len(split_name(row["n"])) > 1:
        found.append(("name", row["n"]))
    return found + [("message", text) for text in row.get("m", ())[:1]]


def file_rows(rows: Sequence[dict]) -> Iterator[dict]:
    """Whole files, asked for by the docs of what they define first and of something else."""
    by_path: dict[str, list[dict]] = defaultdict(list)
    for row in rows:
        by_path[row["p"]].append(row)
    for path, inside in by_path.items():
        asked = [row["d"] for row in inside if row["d"]]
        if len(inside) < 2 or not asked:
            continue
        whole: Counter[str] = Counter()
        for row in inside:
            whole.update(row["c"])
        counts = dict(whole.most_common(_FILE_TERMS))
        for doc in dict.fromkeys([asked[0], asked[len(asked) // 2]][:_FILE_DOCS]):
            yield {"l": inside[0]["l"], "p": path, "k": "file", "n": "", "d": doc, "c": counts}


def path_terms(path: str) -> str:
    """The last parts of a path, without the suffix."""
    return " ".join("/".join(path.split("/")[-_PATH_PARTS:]).rpartition(".")[0].split("/"))


def code_counts(row: dict, kind: str, question: str) -> dict[str, int]:
    """The code's terms without what the question took from it word for word."""
    counts = dict(row["c"])
    if kind in ("name", "message"):
        for term, count in shared_analyzer().count_terms(question).items():
            left = counts.get(term, 0) - count
            if left > 0:
                counts[term] = left
            else:
                counts.pop(term, None)
    return counts


def build_vocabulary(files: Sequence[Path], size: int) -> list[str]:
    """The terms seen in most packages; those that few people use are guessed by n-grams."""
    analyzer = shared_analyzer()
    seen: Counter[str] = Counter()
    for file in files:
        inside: Counter[str] = Counter()
        for row in read_package(file):
            inside.update(row["c"].keys())
            inside.update(analyzer.count_terms(row["d"]).keys())
        seen.update({term: min(count, 5) for term, count in inside.items()})
    return [term for term, _ in seen.most_common(size) if len(term) < 40]


def write_held_out(files: Sequence[Path], terms: Terms, into: Path) -> None:
    """Save the documented definitions of packages that are not trained on."""
    analyzer = shared_analyzer()
    sides = [Texts(terms) for _ in _SIDES]
    meta: list[tuple[int, int, int]] = []
    with gzip.open(into / "heldout.jsonl.gz", "wt", compresslevel=3) as out:
        for package, file in enumerate(files):
            for row in read_package(file):
                if not row["d"] or not row["n"]:
                    continue
                out.write(json.dumps({**row, "package": package}) + "\n")
                sides[0].add(dict.fromkeys(analyzer.count_terms(row["d"]), 1))
                sides[1].add(row["c"])
                sides[2].add(analyzer.count_terms(path_terms(row["p"])))
                meta.append((package, 0, _LANGUAGES.index(row["l"])))
    save_sides(into / "heldout.npz", sides, meta)


def write_shards(files: Sequence[Path], terms: Terms, into: Path) -> Counter[str]:
    """Save all texts, some hundred thousand in a file."""
    analyzer = shared_analyzer()
    random = np.random.default_rng(7)
    asked_before: Counter[tuple[str, str]] = Counter()
    totals: Counter[str] = Counter()
    sides, meta, shard = [Texts(terms) for _ in _SIDES], [], 0
    order = np.random.default_rng(1).permutation(len(files))
    for package, number in enumerate(order):
        rows = list(read_package(files[number]))
        for row in chain(rows, file_rows(rows)):
            for kind, question in questions_of(row):
                asked_before[kind, question] += 1
                if asked_before[kind, question] > _SAME_DOC:
                    continue
                if kind == "name" and row["d"] and random.random() < _NAMES_LEFT_OUT:
                    continue
                asked = analyzer.count_terms(question)
                if not asked:
                    continue
                sides[0].add(dict.fromkeys(asked, 1))
                sides[1].add(code_counts(row, kind, question))
                sides[2].add(analyzer.count_terms(path_terms(row["p"])))
                meta.append((package, _QUERY_TYPES.index(kind), _LANGUAGES.index(row["l"])))
                totals[f"{row['l']} {kind}"] += 1
        if len(meta) >= _SHARD or package == len(order) - 1:
            save_sides(into / f"train-{shard}.npz", sides, meta)
            sides, meta, shard = [Texts(terms) for _ in _SIDES], [], shard + 1
    return totals


def main() -> None:
    """Prepare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("pairs", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int, default=51_200)
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    files, held = split_packages(given.pairs)
    trained = [file for file in files if file not in held]
    print(len(trained), "packages,", len(held), "held out", flush=True)
    words = build_vocabulary(trained, given.words)
    (given.data / "words.txt").write_text("\n".join(words) + "\n")
    terms = Terms(words)
    totals = write_shards(trained, terms, given.data)
    (given.data / "heldout.txt").write_text("".join(f"{file.name}\n" for file in sorted(held)))
    write_held_out(sorted(held), terms, given.data)
    (given.data / "others.txt").write_text("\n".join(terms.others()) + "\n")
    for name, count in sorted(totals.items()):
        print(f"{name:24} {count:9,}")
    print(f"{'all':24} {totals.total():9,}")


if __name__ == "__main__":
    main()
