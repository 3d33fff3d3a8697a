"""A question's vector in, the chunks of a snapshot that are most like it out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Thread

import numpy as np
import simsimd
from numpy.typing import NDArray

from codecompass.model.search import Place
from codecompass.model.snapshot import VersionId
from codecompass.store.database import Database
from codecompass.store.vectors import DOCS_ROW, FILE_ROW, ORDINAL, small_integers

_ONE = 127.0 * 127.0
_SHIFT = 32
# Fewer are compared before another thread has woken up.
_MANY = 10_000


class SnapshotVectors:
    """The vectors of one snapshot: which rows of the file are its, and of which chunks."""

    def __init__(
        self,
        matrix: NDArray[np.int8],
        rows: Sequence[tuple[VersionId, int, bytes]],
        order: Mapping[VersionId, int],
    ) -> None:
        """`order` says which of two contents comes first where all else is equal."""
        self.matrix = matrix
        ordinals = [np.frombuffer(row[2], ORDINAL) for row in rows]
        counts = np.array([len(part) for part in ordinals], np.int64)
        firsts = np.array([row[1] for row in rows], np.int64)
        starts = np.cumsum(counts) - counts
        self.versions = np.repeat(np.array([row[0] for row in rows], np.int64), counts)
        self.ordinals = np.concatenate([*ordinals, np.zeros(0, ORDINAL)])
        self.order = np.repeat(np.array([order[row[0]] for row in rows], np.int64), counts)
        self.rows = np.arange(len(self.versions)) + np.repeat(firsts - starts, counts)
        chunks = np.flatnonzero(self.ordinals < DOCS_ROW)  # not rows about files
        self.chunk_at = np.full(len(matrix), -1, np.int32)  # for each row of the file
        self.chunk_at[self.rows[chunks]] = chunks
        self.is_chunk = self.chunk_at >= 0
        self._keys = (self.versions.astype(np.uint64) << _SHIFT) | self.ordinals

    def __len__(self) -> int:
        """How many vectors there are."""
        return len(self.rows)

    @property
    def dims(self) -> int:
        """How many numbers a vector has."""
        return int(self.matrix.shape[1])

    def places(self, places: Sequence[Place]) -> NDArray[np.int64]:
        """Where in the list of rows chunks and rows about files stand; -1: it has no vector."""
        wanted = np.array(
            [
                (place.version_id << _SHIFT)
                | (FILE_ROW if place.ordinal is None else place.ordinal)
                for place in places
            ],
            np.uint64,
        )
        if not len(self._keys):
            return np.full(len(wanted), -1)
        found = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[found] == wanted, found, -1)

    def chunks_of(self, versions: Sequence[VersionId]) -> list[tuple[int, int]]:
        """Where in the list of rows the chunks of each of some versions begin and end."""
        firsts = np.array(versions, np.uint64) << _SHIFT
        starts = np.searchsorted(self._keys, firsts).tolist()
        ends = np.searchsorted(self._keys, firsts | DOCS_ROW).tolist()
        return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]

    def products(self, asked: NDArray[np.int8]) -> NDArray[np.float64]:
        """The products of a question with the rows of the file; those of others mean nothing."""
        if len(self.rows) * 2 > len(self.matrix):
            return _dots(asked, self.matrix)
        found = np.zeros(len(self.matrix))
        found[self.rows] = _dots(asked, self.matrix[self.rows])
        return found


def _dots(asked: NDArray[np.int8], compared: NDArray[np.int8]) -> NDArray[np.float64]:
    if not len(compared):
        return np.zeros(0)
    found: NDArray[np.float64] = np.asarray(simsimd.cdist(asked[None], compared, "dot"))[0]
    return found


class Likeness:
    """One question beside all chunks of a snapshot, as cosines."""

    def __init__(self, vectors: SnapshotVectors, question: NDArray[np.float32]) -> None:
        self._vectors = vectors
        self._asked = small_integers(question)
        self._early: NDArray[np.float64] | None = None
        self._thread: Thread | None = None
        if len(vectors) >= _MANY:
            self._thread = Thread(target=self._compare, daemon=True)
            self._thread.start()

    def _compare(self) -> None:
        """Goes on while words are looked for: it needs no lock of Python."""
        self._early = self._vectors.products(self._asked)

    @cached_property
    def _products(self) -> NDArray[np.float64]:
        if self._thread is not None:
            self._thread.join()
        return self._vectors.products(self._asked) if self._early is None else self._early

    def best(
        self, limit: int, admitted: Callable[[VersionId], bool] | None, *, least: float = -1.0
    ) -> list[Place]:
        """The chunks most like the question, best first, of the versions that are admitted.

        Those that are less like it than `least` are left out.
        """
        vectors, products = self._vectors, self._products
        near = np.flatnonzero((products >= least * _ONE) & vectors.is_chunk)
        indexes, scores = vectors.chunk_at[near], products[near]
        if admitted is not None and len(indexes):
            versions = vectors.versions[indexes].tolist()
            good = {version for version in set(versions) if admitted(VersionId(version))}
            flags = np.array([version in good for version in versions], bool)
            indexes, scores = indexes[flags], scores[flags]
        if len(scores) > limit:
            last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            kept = scores >= last
            indexes, scores = indexes[kept], scores[kept]
        by = np.lexsort((vectors.ordinals[indexes], vectors.order[indexes], -scores))[:limit]
        return [self._place(index) for index in indexes[by].tolist()]

    def best_inside(self, versions: Sequence[VersionId], *, least: float) -> list[Place]:
        """Of each version the chunk most like the question, if it is so much like it."""
        products, rows = self._products, self._vectors.rows
        found = []
        for start, end in self._vectors.chunks_of(versions):
            first = int(rows[start])  # a version's rows stand together
            best = int(products[first : first + end - start].argmax())
            if products[first + best] >= least * _ONE:
                found.append(self._place(start + best))
        return found

    def _place(self, index: int) -> Place:
        vectors = self._vectors
        return Place(VersionId(int(vectors.versions[index])), int(vectors.ordinals[index]))

    def at(self, places: Iterable[Place]) -> dict[Place, float]:
        """How much chunks or whole files are like the question, of those that have a vector."""
        asked = list(places)
        found = self._vectors.places(asked)
        known = found[found >= 0]
        named = [place for place, index in zip(asked, found.tolist(), strict=True) if index >= 0]
        scores = self._products[self._vectors.rows[known]] / _ONE
        return dict(zip(named, scores.tolist(), strict=True))


def open_vectors(
    database: Database, folder: Path, model: str, order: Mapping[VersionId, int]
) -> SnapshotVectors | None:
    """The vectors of the versions in `order`; None if the file is not there or is damaged."""
    known = database.row(
        "SELECT file, dims, row_count FROM vector_files WHERE model = ?", (model,)
    )
    if known is None or not known[2]:
        return None
    name, dims, count = known
    try:
        matrix = np.memmap(folder / name, np.int8, "r", shape=(count, dims))
    except (OSError, ValueError):
        return None
    rows = database.rows(
        "SELECT version_id, first_row, ordinals FROM vectors WHERE model = ? ORDER BY version_id",
        (model,),
    )
    ours = [(VersionId(row[0]), row[1], row[2]) for row in rows if row[0] in order]
    return SnapshotVectors(np.asarray(matrix), ours, order)
