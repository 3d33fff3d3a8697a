"""Measure search among vectors: exact, and by the signs of the numbers alone.

    python bench/vectors.py REPOSITORY [--rows 100000 400000 1000000 2000000]

The rows are those of the repository's chunks, repeated with a little noise until there are
enough; the questions are names of its definitions, as words. Printed for each number of
rows: the median time of an exact search, of one whose candidates are chosen by the signs
of the numbers, and how many of the exact ten best that one finds.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import simsimd
from numpy.typing import NDArray

from codecompass import Engine
from codecompass.embed.static import BUILTIN, load_static
from codecompass.model.snapshot import VersionId
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.likeness import Likeness, SnapshotVectors
from codecompass.store.vectors import small_integers

_QUESTIONS = 40
_NOISE = 12  # of 127
_CANDIDATES = 4_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("repository", type=Path)
    sizes = [100_000, 400_000, 1_000_000, 2_000_000]
    parser.add_argument("--rows", type=int, nargs="+", default=sizes)
    given = parser.parse_args()
    with Engine.open(given.repository) as engine:
        engine.index()
        matrix, names = _chunks(engine)
    model = load_static(BUILTIN)
    chosen = sorted(set(names))[:: max(1, len(set(names)) // _QUESTIONS)][:_QUESTIONS]
    terms = [shared_analyzer().terms_of(name) for name in chosen]
    questions = [model.embed_question(found) for found in terms if found]
    print("| rows | exact, ms | by signs, ms | of the ten best |\n|---|---|---|---|")
    for rows in given.rows:
        print(_measured(_repeated(matrix, rows), questions))


def _chunks(engine: Engine) -> tuple[NDArray[np.int8], list[str]]:
    """The vectors of a repository's chunks, and the names of its definitions."""
    with engine._views.open(None, lambda *_: None) as view:  # a bench may look inside
        vectors = view.reader.vectors(load_static(BUILTIN).id)
        names = [
            symbol.name
            for version in list(view.reader.catalog.by_version)[:400]
            for symbol in view.reader.outline(version)
            if not symbol.is_statement
        ]
    if vectors is None:
        raise SystemExit("no vectors")
    return np.array(vectors.matrix[vectors.rows]), names


def _repeated(matrix: NDArray[np.int8], rows: int) -> NDArray[np.int8]:
    random = np.random.default_rng(1)
    parts = []
    while sum(map(len, parts)) < rows:
        noise = random.integers(-_NOISE, _NOISE + 1, matrix.shape, dtype=np.int16)
        parts.append(np.clip(matrix + (noise if parts else 0), -127, 127).astype(np.int8))
    return np.concatenate(parts)[:rows]


def _measured(matrix: NDArray[np.int8], questions: list[NDArray[np.float32]]) -> str:
    ordinals = np.arange(len(matrix), dtype="<u4").tobytes()
    vectors = SnapshotVectors(matrix, [(VersionId(1), 0, ordinals)], {VersionId(1): 0})
    signs = np.packbits(matrix > 0, axis=1)

    def exact(question: NDArray[np.float32]) -> set[int]:
        return {place.ordinal or 0 for place in Likeness(vectors, question).best(10, None)}

    def by_signs(question: NDArray[np.float32]) -> set[int]:
        asked = small_integers(question)
        bits = np.packbits(asked > 0)[None]
        far = np.asarray(simsimd.cdist(bits, signs, metric="hamming", dtype="bin8"))[0]
        near = np.argpartition(far, _CANDIDATES)[:_CANDIDATES]
        products = simsimd.cdist(asked[None], matrix[near], "dot")
        best = np.argsort(-np.asarray(products)[0])[:10]
        return set(near[best].tolist())

    exact_ms, right = _timed(exact, questions)
    signs_ms, found = _timed(by_signs, questions)
    recall = statistics.mean(len(one & two) / 10 for one, two in zip(right, found, strict=True))
    return f"| {len(matrix):,} | {exact_ms:.1f} | {signs_ms:.1f} | {recall:.3f} |"


def _timed(
    ask: Callable[[NDArray[np.float32]], set[int]], questions: list[NDArray[np.float32]]
) -> tuple[float, list[set[int]]]:
    times, found = [], []
    for question in questions:
        started = time.perf_counter()
        found.append(ask(question))
        times.append((time.perf_counter() - started) * 1_000)
    return statistics.median(times), found


if __name__ == "__main__":
    main()
