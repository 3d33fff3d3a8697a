"""Rows in, a number out that changes when any of their values does; SQLite keeps none.

A checksum stands with what is written as a whole: a version with its symbols, uses,
imports and tables, a link with what it reaches, a list of files, a snapshot.
"""

import marshal
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from codecompass.store.database import Database, Row

# A form of plain values that has been the same since Python 2.5 and shares nothing inside.
_FORM = 2
_AT_ONCE = 500
_VERSION_TABLES = (
    "SELECT * FROM symbols WHERE version_id IN (*) ORDER BY version_id, ordinal",
    "SELECT * FROM uses WHERE version_id IN (*) ORDER BY version_id, start_byte",
    "SELECT * FROM imports WHERE version_id IN (*) ORDER BY version_id, position",
    "SELECT * FROM grams WHERE version_id IN (*)",
    "SELECT * FROM masks WHERE version_id IN (*)",
    "SELECT * FROM modules WHERE version_id IN (*)",
)
_LINK_TABLES = (
    "SELECT link_id, node_id, path, key, places FROM reached"
    " LEFT JOIN nodes ON id = node_id WHERE link_id IN (*) ORDER BY link_id, node_id",
    "SELECT link_id, name, uses FROM missed WHERE link_id IN (*) ORDER BY link_id, name",
    "SELECT link_id, node_id, path, key FROM rests"
    " LEFT JOIN nodes ON id = node_id WHERE link_id IN (*) ORDER BY link_id, node_id",
)


class Checked(NamedTuple):
    """How the rows of one kind are read again, and where their checksum stands."""

    what: str
    ids: str
    rows: str  # begin with the id and end with the checksum
    parts: Sequence[str]


_KINDS = (
    Checked(
        "facts of files",
        "SELECT id FROM versions",
        "SELECT * FROM versions WHERE id IN (*) ORDER BY id",
        _VERSION_TABLES,
    ),
    Checked(
        "links of files",
        "SELECT id FROM links",
        "SELECT * FROM links WHERE id IN (*) ORDER BY id",
        _LINK_TABLES,
    ),
    Checked(
        "lists of files",
        "SELECT id FROM lists",
        "SELECT * FROM lists WHERE id IN (*) ORDER BY id",
        ("SELECT * FROM listed_files WHERE list_id IN (*) ORDER BY list_id, path",),
    ),
    Checked(
        "snapshots",
        "SELECT id FROM snapshots",
        "SELECT id, ref, workspace, list_id, head, rules, times, checksum"
        " FROM snapshots WHERE id IN (*) ORDER BY id",
        (
            "SELECT * FROM snapshot_files WHERE snapshot_id IN (*) ORDER BY snapshot_id, path",
            "SELECT * FROM snapshot_links WHERE snapshot_id IN (*)",
        ),
    ),
)


def checksum_of(row: Sequence[object], parts: Iterable[Sequence[Row]]) -> int:
    """Of a row, and of the rows of other tables that belong to it, in their order."""
    return zlib.crc32(marshal.dumps([tuple(row), *(list(rows) for rows in parts)], _FORM))


def seal(database: Database, table: str, number: int) -> None:
    """Note the checksum of a list or snapshot as it now is; inside a transaction."""
    kind = next(kind for kind in _KINDS if kind.ids == f"SELECT id FROM {table}")  # noqa: S608  # our own word
    for found in _checksums(database, kind, [number]):
        database.run(
            f"UPDATE {table} SET checksum = ? WHERE id = ?",  # noqa: S608  # our own word
            (found.checksum, number),
        )


def changed_values(database: Database) -> list[str]:
    """What is not as it was written, in words; every row is read for it."""
    found = []
    for kind in _KINDS:
        ids = [row[0] for row in database.rows(kind.ids)]
        changed = sum(
            item.checksum != item.noted
            for start in range(0, len(ids), _AT_ONCE)
            for item in _checksums(database, kind, ids[start : start + _AT_ONCE])
        )
        if changed:
            found.append(f"{kind.what}: {changed:,} of {len(ids):,} are not as they were written")
    return found


class _Found(NamedTuple):
    checksum: int
    noted: object


def _checksums(database: Database, kind: Checked, ids: Sequence[int]) -> Iterator[_Found]:
    parts = [_by_id(database.rows_among(sql, ids)) for sql in kind.parts]
    for row in database.rows_among(kind.rows, ids):
        yield _Found(checksum_of(row[:-1], (part.get(row[0], []) for part in parts)), row[-1])


def _by_id(rows: Iterable[Row]) -> dict[object, list[Row]]:
    first: Callable[[Row], object] = lambda row: row[0]  # noqa: E731
    return {number: list(group) for number, group in groupby(rows, key=first)}
