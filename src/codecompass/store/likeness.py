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

EXACT_ROWS = 1_000_000
"""Of more rows than that the candidates are found by the signs of their numbers alone."""
_SIGN_CANDIDATES = 4_000
_ONE = 127.0 * 127.0


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
        self._stretches = {
            row[0]: slice(int(start), int(start + count))
            for row, start, count in zip(rows, starts, counts, strict=True)
        }
        self._signs: NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        """How many vectors there are."""
        return len(self.rows)

    @property
    def dims(self) -> int:
        """How many numbers a vector has."""
        return int(self.matrix.shape[1])

    def place(self, place: Place) -> int:
        """Where in the list of rows a chunk or a row about a file stands; -1: it has no vector."""
        stretch = self._stretches.get(place.version_id)
        if stretch is None:
            return -1
        wanted = FILE_ROW if place.ordinal is None else place.ordinal
        found = np.searchsorted(self.ordinals[stretch], wanted)
        index = stretch.start + int(found)
        is_there = index < stretch.stop and int(self.ordinals[index]) == wanted
        return index if is_there else -1

    def dots(self, asked: NDArray[np.int8], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The products of a question with some rows of the file."""
        if not len(rows):
            return np.zeros(0)
        is_most = len(rows) * 2 > len(self.matrix)
        compared = self.matrix if is_most else self.matrix[rows]
        found: NDArray[np.float64] = np.asarray(simsimd.cdist(asked[None], compared, "dot"))[0]
        return found[rows] if is_most else found

    def near(self, asked: NDArray[np.int8]) -> NDArray[np.int64]:
        """Which of very many rows may be among the nearest, by the signs of their numbers."""
        if self._signs is None:
            self._signs = np.packbits(self.matrix[self.rows] > 0, axis=1)
        bits = np.packbits(asked > 0)[None]
        far = np.asarray(simsimd.cdist(bits, self._signs, metric="hamming", dtype="bin8"))[0]
        return np.argpartition(far, _SIGN_CANDIDATES)[:_SIGN_CANDIDATES]


class Likeness:
    """One question beside all chunks of a snapshot, as cosines."""

    def __init__(self, vectors: SnapshotVectors, question: NDArray[np.float32]) -> None:
        self._vectors = vectors
        self._asked = small_integers(question)

    def best(
        self, limit: int, admitted: Callable[[VersionId], bool] | None
    ) -> list[tuple[Place, float]]:
        """The chunks most like the question, best first, of the versions that are admitted."""
        vectors = self._vectors
        chosen = vectors.ordinals < DOCS_ROW
        if admitted is not None:
            known, places = np.unique(vectors.versions, return_inverse=True)
            flags = np.array([admitted(VersionId(int(v))) for v in known], bool)
            chosen &= flags[places] if len(known) else chosen
        indexes = np.flatnonzero(chosen)
        if len(indexes) > EXACT_ROWS:
            indexes = np.intersect1d(indexes, vectors.near(self._asked))
        scores = vectors.dots(self._asked, vectors.rows[indexes])
        if len(scores) > limit:
            least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            kept = scores >= least
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
        found = {place: self._vectors.place(place) for place in places}
        known = [place for place, index in found.items() if index >= 0]
        indexes = np.array([found[place] for place in known], np.int64)
        scores = self._vectors.dots(self._asked, self._vectors.rows[indexes])
        return {place: float(score) / _ONE for place, score in zip(known, scores, strict=True)}


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
