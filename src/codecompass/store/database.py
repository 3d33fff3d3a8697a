"""SQLite: the only module that opens it; its errors leave as ours."""

import itertools
import os
import sqlite3
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from codecompass.errors import IndexDamaged, StoreBusy, StoreError, StoreFull

# What SQLite says where pages, or the names of tables in them, are not as they were written.
_DAMAGE = (
    "malformed", "not a database", "no such table", "no such column", "no such index", "encrypted",
    "unsupported file format", "has no column", "authorization", "datatype mismatch", "corrupt",
)  # fmt: skip

Row = tuple[Any, ...]
"""A row's values have the types of the schema, which Python cannot see."""


def sqlite_version() -> str:
    """The version of the SQLite library that Python was built with."""
    return sqlite3.sqlite_version


@contextmanager
def native_errors(action: str) -> Generator[None]:
    """Turn SQLite's errors into ours and keep the cause."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "full" in text or "disk I/O" in text:
            why = "" if "full" in text else ": the disk is full, or fails"
            raise StoreFull(f"{action}: {text}{why}") from error
        if "locked" in text or "busy" in text:
            raise StoreBusy(f"{action}: {text}") from error
        if any(sign in text for sign in _DAMAGE):
            raise IndexDamaged(f"{action}: {text}") from error
        raise StoreError(f"{action}: {text}") from error
    except UnicodeDecodeError as error:  # a text of the database, or an error message about it
        raise IndexDamaged(f"{action}: the database holds what is no text") from error


def is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder."""
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _has_log(path: Path) -> bool:
    """Whether part of what was committed is not in the database itself yet."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _connect(
    path: Path, mode: str, busy_timeout_s: float, settings: Sequence[str]
) -> sqlite3.Connection:
    with native_errors(f"open {path.name}"):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=busy_timeout_s,
            isolation_level=None,
            check_same_thread=False,
        )
        if not mode.startswith("ro"):
            settings = (*settings, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL")
        try:
            for setting in settings:
                connection.execute(setting)
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection


_numbers = itertools.count()
# How many values a statement takes, of which the last are empty: with few different texts
# SQLite has most of them prepared. It takes at most 999 parameters on old versions.
_WIDTHS = (1, 4, 16, 64, 256, 900)


def width_for(count: int) -> int:
    """How many marks a statement for so many values has."""
    return next(width for width in _WIDTHS if width >= count)


class Database:
    """One connection; a reader sees the state of the moment its transaction began."""

    def __init__(
        self,
        path: Path,
        *,
        busy_timeout_s: float,
        cache_mib: int,
        read_only: bool = False,
        create: bool = True,
    ) -> None:
        self.path = path
        self._number = next(_numbers)
        may_only_read = read_only or not create
        is_fixed = may_only_read and not is_writable(path.parent)
        mode = "rwc" if create else "rw"
        if read_only or is_fixed:
            mode = "ro&immutable=1" if is_fixed and not _has_log(path) else "ro"
        settings = (f"PRAGMA cache_size = -{cache_mib * 1024:d}", "PRAGMA foreign_keys = ON")
        try:
            self._connection = _connect(path, mode, busy_timeout_s, settings)
        except StoreFull:  # SQLite would make files beside it
            if not may_only_read or _has_log(path):
                raise
            self._connection = _connect(path, "ro&immutable=1", busy_timeout_s, settings)

    def __enter__(self) -> "Database":
        """Use as a context manager to be sure that the connection is closed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection; an open transaction is rolled back."""
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @contextmanager
    def transaction(self, action: str) -> Generator[None]:
        """All or nothing: what happens inside is seen by others at once or never."""
        with native_errors(action):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.rollback()
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def durable(self) -> Generator[None]:
        """What is committed inside survives a power failure, not only a crash."""
        self.run("PRAGMA synchronous = FULL")
        try:
            yield
        finally:
            self.run("PRAGMA synchronous = NORMAL")

    def begin_writing(self) -> None:
        """Open a transaction that `commit` makes durable; a crash before that undoes it."""
        with native_errors("begin writing"):
            self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make everything since `begin_writing` durable and visible."""
        with native_errors("commit"):
            self._connection.execute("COMMIT")

    def rollback(self) -> None:
        """Undo everything since `begin_writing`."""
        if self._connection.in_transaction:
            self._connection.rollback()

    def begin_reading(self) -> None:
        """From now on every query sees the same state, until `end_reading`."""
        with native_errors("begin reading"):
            self._connection.execute("BEGIN")
            self._connection.execute("SELECT 1 FROM sqlite_master").fetchone()

    def end_reading(self) -> None:
        """Let go of the state held by `begin_reading`."""
        self.rollback()

    def rows(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> list[Row]:
        """All rows of a query."""
        with native_errors("read"):
            return self._connection.execute(sql, parameters).fetchall()

    def rows_among(
        self, sql: str, values: Sequence[object], *, first: Sequence[object] = ()
    ) -> list[Row]:
        """All rows of a query in which `(*)` stands for any number of values, the last in it."""
        found: list[Row] = []
        for start in range(0, len(values), _WIDTHS[-1]):
            part = values[start : start + _WIDTHS[-1]]
            empty = [None] * (width_for(len(part)) - len(part))
            marks = ", ".join("?" * (len(part) + len(empty)))
            found += self.rows(sql.replace("(*)", f"({marks})"), (*first, *part, *empty))
        return found

    def data_version(self) -> int:
        """A number that changes whenever another connection has committed."""
        row = self.row("PRAGMA data_version")
        return int(row[0]) if row else 0

    def state(self) -> tuple[int, int]:
        """Which connection this is and what it sees; for one that only reads."""
        return self._number, self.data_version()

    def row(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> Row | None:
        """The first row of a query."""
        with native_errors("read"):
            found: Row | None = self._connection.execute(sql, parameters).fetchone()
            return found

    def run(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()) -> int:
        """Execute one statement; the id of the row it inserted, if it did."""
        with native_errors("write"):
            return self._connection.execute(sql, parameters).lastrowid or 0

    def run_many(self, sql: str, parameters: Iterable[Sequence[object]]) -> None:
        """Execute one statement for many rows."""
        with native_errors("write"):
            self._connection.executemany(sql, parameters)

    def run_script(self, sql: str) -> None:
        """Execute several statements, each on its own or all in the open transaction."""
        with native_errors("write"):
            for statement in sql.split(";"):
                if statement.strip():
                    self._connection.execute(statement)
