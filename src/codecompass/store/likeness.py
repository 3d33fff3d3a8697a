"""A question's vector in, the chunks of a snapshot that are most like it out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import simsimd
from numpy.typing import NDArray

from codecompass.model.search import Place
from codecompass.model.snapshot import VersionId
from codecompass.store.database import Database
from codecompass.store.vectors import DOCS_ROW, FILE_ROW, ORDINAL, small_integers

_ONE = 127.0 * 127.0
_SHIFT = 32


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

    def dots(self, asked: NDArray[np.int8], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The products of a question with some rows of the file."""
        return _dots(asked, self.matrix[rows])

    def chunks_like(
        self, asked: NDArray[np.int8], least: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Where in the list of rows chunks stand whose product with a question is so high."""
        ours = self.chunk_at
        if len(self.rows) * 2 > len(self.matrix):
            scores = _dots(asked, self.matrix)
        else:  # of most contents it is not asked
            rows = np.flatnonzero(ours >= 0)
            scores, ours = _dots(asked, self.matrix[rows]), ours[rows]
        near = np.flatnonzero((scores >= least) & (ours >= 0))
        return ours[near].astype(np.int64), scores[near]


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

    def best(
        self, limit: int, admitted: Callable[[VersionId], bool] | None, *, least: float = -1.0
    ) -> list[tuple[Place, float]]:
        """The chunks most like the question, best first, of the versions that are admitted.

        Those that are less like it than `least` are left out.
        """
        vectors = self._vectors
        indexes, scores = vectors.chunks_like(self._asked, least * _ONE)
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
        return [
            (
                Place(
                    VersionId(int(vectors.versions[indexes[i]])),
                    int(vectors.ordinals[indexes[i]]),
                ),
                float(scores[i]) / _ONE,
            )
            for i in by
        ]

    def at(self, places: Iterable[Place]) -> dict[Place, float]:
        """How much chunks or whole files are like the question, of those that have a vector."""
        asked = list(places)
        found = self._vectors.places(asked)
        known = found[found >= 0]
        scores = self._vectors.dots(self._asked, self._vectors.rows[known]) / _ONE
        named = [place for place, index in zip(asked, found.tolist(), strict=True) if index >= 0]
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
