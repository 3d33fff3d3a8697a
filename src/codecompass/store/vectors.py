"""Vectors of chunks: one file of rows for each model, mapped into memory.

A row is a vector of small integers; which rows a version has stands in SQLite. Rows are
appended before the transaction that names them, like text: a crash leaves rows that
nothing points to, and the next writer puts others in their place. A file is never
changed where somebody may read it; when most of its rows are garbage, what is left goes
into a new one.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from codecompass.errors import StoreError, StoreFull
from codecompass.model.snapshot import VersionId

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from codecompass.store.database import Database

FILE_ROW = 0xFFFFFFFF
"""The ordinal under which the vector of a whole file is kept."""
DOCS_ROW = FILE_ROW - 1
"""The ordinal under which the vector of all docs of a file is kept, if there are any."""

ORDINAL = "<u4"
"""How an ordinal is written."""
_ORDINAL_BYTES = 4
# A file is written anew when it has this many rows that nothing points to for each live one.
_GARBAGE_SHARE = 1.0
_GARBAGE_MINIMUM = 20_000


class VectorRows(NamedTuple):
    """The vectors of one content: ordinals of its chunks, and a row for each."""

    model: str
    dims: int
    ordinals: bytes
    matrix: bytes


def pack_vectors(model: str, ordinals: Sequence[int], vectors: NDArray[np.float32]) -> VectorRows:
    """Vectors of length 1 as rows of small integers."""
    import numpy as np

    return VectorRows(
        model,
        vectors.shape[1],
        np.array(ordinals, ORDINAL).tobytes(),
        small_integers(vectors).tobytes(),
    )


def small_integers(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Numbers between -1 and 1 as integers between -127 and 127."""
    import numpy as np

    return np.rint(np.clip(vectors, -1, 1) * 127).astype(np.int8)


class VectorWriter:
    """Appends rows; the one writer of the store."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._pending: dict[str, list[tuple[VersionId, VectorRows]]] = {}

    def add(self, version_id: VersionId, rows: VectorRows) -> None:
        """Keep the vectors of a version for the next `commit`."""
        if rows.ordinals:
            self._pending.setdefault(rows.model, []).append((version_id, rows))

    def commit(self) -> None:
        """Write what is pending and name it; inside the transaction that names the versions."""
        for model, added in self._pending.items():
            self._append(model, added)
        self._pending = {}

    def drop(self) -> None:
        """Forget what is pending: its versions will not be known either."""
        self._pending = {}

    def _append(self, model: str, added: Sequence[tuple[VersionId, VectorRows]]) -> None:
        dims = added[0][1].dims
        file, first = self._file_of(model, dims)
        names = []
        row = first
        for version_id, rows in added:
            checksum = zlib.crc32(rows.matrix, zlib.crc32(rows.ordinals))
            names.append((version_id, model, row, rows.ordinals, checksum))
            row += len(rows.ordinals) // _ORDINAL_BYTES
        self._write(file, first * dims, b"".join(rows.matrix for _, rows in added))
        self._database.run_many("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", names)
        self._database.run("UPDATE vector_files SET row_count = ? WHERE model = ?", (row, model))

    def _file_of(self, model: str, dims: int) -> tuple[Path, int]:
        """The file of a model and the row at which it goes on; a broken one is begun anew."""
        known = self._database.row(
            "SELECT file, dims, row_count FROM vector_files WHERE model = ?", (model,)
        )
        if known is not None and known[1] == dims and "/" not in known[0]:
            file = self._folder / known[0]
            if file.exists():  # what is behind its end was dropped as damaged
                return file, known[2]
        return self._begin(model, dims, known[0] if known else ""), 0

    def _begin(self, model: str, dims: int, before: str) -> Path:
        """A new empty file; what was known of the model's vectors is forgotten."""
        number = int(before.rpartition(".")[0].rpartition("-")[2]) + 1 if before else 0
        name = f"{model}-{number}.i8"
        self._database.run("DELETE FROM vectors WHERE model = ?", (model,))
        self._database.run(
            "INSERT OR REPLACE INTO vector_files VALUES (?, ?, ?, 0)", (model, name, dims)
        )
        return self._folder / name

    def _write(self, file: Path, offset: int, data: bytes) -> None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("r+b" if file.exists() else "w+b") as out:
                out.seek(offset)
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            kind = StoreFull if error.errno == errno.ENOSPC else StoreError
            raise kind(f"{file}: {error.strerror}") from error

    def drop_damaged(self) -> int:
        """Forget rows that are not as they were written; of how many contents."""
        damaged = damaged_vectors(self._database, self._folder)
        for model, versions in damaged.items():
            with self._database.transaction("drop damaged vectors"):
                self._database.run_many(
                    "DELETE FROM vectors WHERE model = ? AND version_id = ?",
                    [(model, version_id) for version_id in versions],
                )
        return sum(map(len, damaged.values()))

    def has_all(self, model: str) -> bool:
        """Whether no version lacks vectors of a model, as after most runs."""
        count = "SELECT COUNT(*) FROM vectors WHERE model = ?"  # one for each, gone with it
        sql = f"SELECT (SELECT COUNT(*) FROM versions) = ({count})"  # noqa: S608  # our own text
        row = self._database.row(sql, (model,))
        return self._is_whole(model) and bool(row and row[0])

    def _is_whole(self, model: str) -> bool:
        """Whether a model's file is there and as long as it has to be."""
        file = self._database.row(
            "SELECT file, dims, row_count FROM vector_files WHERE model = ?", (model,)
        )
        return file is not None and _size(self._folder / file[0]) >= file[1] * file[2]

    def missing(self, model: str, versions: Iterable[VersionId]) -> list[VersionId]:
        """Those of some versions that have no vectors of a model."""
        wanted = set(versions)
        if not self._is_whole(model):
            self.drop_damaged()
        rows = self._database.rows("SELECT version_id FROM vectors WHERE model = ?", (model,))
        return sorted(wanted - {row[0] for row in rows})

    def tidy(self, *, keep: str, everything: bool = False) -> None:
        """Drop files of other models, and write a file anew that is mostly garbage."""
        for model, name, dims, count in self._database.rows("SELECT * FROM vector_files"):
            rows = self._database.rows(
                "SELECT version_id, first_row, ordinals FROM vectors WHERE model = ?"
                " ORDER BY version_id",
                (model,),
            )
            live = sum(len(row[2]) // _ORDINAL_BYTES for row in rows)
            garbage = count - live
            least = 1 if everything else max(_GARBAGE_MINIMUM, _GARBAGE_SHARE * live)
            if keep and model != keep:
                with self._database.transaction("drop vectors of another model"):
                    self._database.run("DELETE FROM vectors WHERE model = ?", (model,))
                    self._database.run("DELETE FROM vector_files WHERE model = ?", (model,))
            elif garbage >= least:
                self._rewrite(model, (count, dims), self._folder / name, rows)
        self._remove_strangers()

    def _rewrite(
        self, model: str, shape: tuple[int, int], old: Path, rows: Sequence[Sequence[object]]
    ) -> None:
        """Copy the rows that versions have into a new file."""
        import numpy as np

        dims = shape[1]
        try:
            matrix = np.memmap(old, np.int8, "r", shape=shape)
        except (OSError, ValueError):
            return  # broken: the next run that needs it begins anew
        with self._database.transaction("write vectors anew"):
            self._begin(model, dims, old.name)
            for version_id, first, ordinals in rows:
                count = len(ordinals) // _ORDINAL_BYTES  # type: ignore[arg-type]
                part = matrix[first : first + count].tobytes()  # type: ignore[operator]
                packed = VectorRows(model, dims, ordinals, part)  # type: ignore[arg-type]
                self.add(VersionId(version_id), packed)  # type: ignore[arg-type]
            self.commit()

    def _remove_strangers(self) -> None:
        """Delete files that no model has; one that is mapped on Windows goes later."""
        names = {row[0] for row in self._database.rows("SELECT file FROM vector_files")}
        for file in self._folder.glob("*.i8"):
            if file.name not in names:
                with contextlib.suppress(OSError):
                    file.unlink()


def damaged_vectors(database: Database, folder: Path) -> dict[str, list[VersionId]]:
    """By model, the contents whose rows are not as they were written."""
    found: dict[str, list[VersionId]] = {}
    for model, name, dims, _ in database.rows("SELECT * FROM vector_files"):
        rows = database.rows(
            "SELECT version_id, first_row, ordinals, checksum FROM vectors WHERE model = ?",
            (model,),
        )
        with _mapped(folder / name) as data:
            damaged = [VersionId(row[0]) for row in rows if not _is_as_written(data, dims, row)]
        if damaged:
            found[model] = damaged
    return found


def _is_as_written(data: memoryview, dims: int, row: Sequence[Any]) -> bool:
    _, first, ordinals, checksum = row
    size = len(ordinals) // _ORDINAL_BYTES * dims
    part = data[first * dims : first * dims + size]
    return len(part) == size and zlib.crc32(part, zlib.crc32(ordinals)) == checksum


@contextlib.contextmanager
def _mapped(file: Path) -> Generator[memoryview]:
    """The bytes of a file; none if it is missing or empty."""
    try:
        with file.open("rb") as source:
            data = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        yield memoryview(b"")
        return
    with data, memoryview(data) as view:
        yield view


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return -1
