"""File versions and their facts: rows in, rows out; written once, never changed."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from codecompass.model.facts import FileFacts
from codecompass.model.reference import Import
from codecompass.model.snapshot import VersionId, VersionKey
from codecompass.model.symbol import Symbol
from codecompass.store.checksums import checksum_of
from codecompass.store.database import Database, Row
from codecompass.store.lexical import Document
from codecompass.store.modules import encode_module, insert_modules
from codecompass.store.vectors import VectorRows

SCOPE_MARK = " > "
_LIST_MARK = "\n"
_FLAGS = ("type_only", "namespace", "default", "re_export", "dynamic", "side_effect")

_INSERT_VERSION = "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_SYMBOL = (
    "INSERT INTO symbols VALUES"
    " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_USE = "INSERT INTO uses VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_IMPORT = "INSERT INTO imports VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class VersionRows:
    """The facts of one content as rows of plain values: cheap to send between processes."""

    id: VersionId
    key: VersionKey
    size_bytes: int
    line_count: int
    has_errors: bool
    symbols: list[Row]
    uses: list[Row]
    imports: list[Row]
    definitions: int
    grams: bytes
    documents: Sequence[Document]
    module: Row | None
    vectors: VectorRows | None
    masks: bytes = b""
    failure: str = ""  # why the content could not be parsed and is plain text

    def version_row(self) -> Row:
        """The row that makes the version known, with a checksum of all its facts."""
        row = (
            self.id,
            self.key.blob_id,
            self.key.language,
            self.key.extractor,
            self.size_bytes,
            self.line_count,
            int(self.has_errors),
            self.definitions,
            len(self.uses),
            len(self.imports),
            self.failure,
        )
        masks = [(self.id, self.masks)] if self.masks else []
        modules = [self.module] if self.module is not None else []
        parts = (self.symbols, self.uses, self.imports, [(self.id, self.grams)], masks, modules)
        return (*row, checksum_of(row, parts))


@dataclass(frozen=True, slots=True)
class TextViews:
    """A content as the text index and the filter for exact search know it."""

    grams: bytes
    documents: Sequence[Document]
    vectors: VectorRows | None = None
    masks: Sequence[tuple[int, int]] = ()  # what of the content is never shown


def encode_version(  # what is known of one content
    version_id: VersionId,
    key: VersionKey,
    facts: FileFacts,
    *,
    size_bytes: int,
    views: TextViews,
    failure: str = "",
) -> VersionRows:
    """Facts as rows; `size_bytes` is that of the content as it lies on the disk."""
    symbols = [_symbol_row(version_id, item) for item in facts.symbols]
    uses = {
        use.start_byte: (
            version_id,
            use.start_byte,
            use.name,
            str(use.role),
            use.line,
            use.enclosing,
            use.receiver,
        )
        for use in reversed(facts.references)  # of two at one place the first counts
    }
    imports: list[Row] = [
        _import_row(version_id, position, item) for position, item in enumerate(facts.imports)
    ]
    definitions = sum(not item.is_statement for item in facts.symbols)
    return VersionRows(
        version_id,
        key,
        size_bytes,
        facts.line_count,
        facts.has_errors,
        symbols,
        [uses[start] for start in sorted(uses)],
        imports,
        definitions,
        views.grams,
        views.documents,
        encode_module(version_id, facts.module) if facts.module is not None else None,
        views.vectors,
        pack_masks(views.masks),
        failure,
    )


def insert_versions(database: Database, versions: Sequence[VersionRows]) -> None:
    """Add versions that the store does not have; must run inside a transaction."""
    database.run_many(_INSERT_VERSION, (version.version_row() for version in versions))
    database.run_many(_INSERT_SYMBOL, chain.from_iterable(v.symbols for v in versions))
    database.run_many(_INSERT_USE, chain.from_iterable(v.uses for v in versions))
    database.run_many(_INSERT_IMPORT, chain.from_iterable(v.imports for v in versions))
    database.run_many("INSERT INTO grams VALUES (?, ?)", ((v.id, v.grams) for v in versions))
    masks = ((v.id, v.masks) for v in versions if v.masks)
    database.run_many("INSERT INTO masks VALUES (?, ?)", masks)
    insert_modules(database, (v.module for v in versions if v.module is not None))


def pack_masks(masks: Sequence[tuple[int, int]]) -> bytes:
    """Places in a content as bytes."""
    return struct.pack(f"<{2 * len(masks)}I", *chain.from_iterable(masks))


def masks_of(database: Database, version_id: VersionId) -> list[tuple[int, int]]:
    """The places in a content that are never shown."""
    row = database.row("SELECT places FROM masks WHERE version_id = ?", (version_id,))
    if row is None:
        return []
    return [(start, end) for start, end in struct.iter_unpack("<2I", row[0])]


class KnownVersion(NamedTuple):
    """A content that was extracted before."""

    id: VersionId
    size_bytes: int


def known_versions(
    database: Database, keys: Iterable[VersionKey]
) -> dict[VersionKey, KnownVersion]:
    """Which of these contents were extracted before."""
    wanted = set(keys)
    found: dict[VersionKey, KnownVersion] = {}
    blob_ids = sorted({key.blob_id for key in wanted})
    sql = "SELECT id, size_bytes, blob_id, language, extractor FROM versions WHERE blob_id IN (*)"
    for version_id, size_bytes, *columns in database.rows_among(sql, blob_ids):
        key = VersionKey(*columns)
        if key in wanted:
            found[key] = KnownVersion(VersionId(version_id), size_bytes)
    return found


def all_extractions(database: Database) -> list[tuple[str, str]]:
    """Every language of the store with every version of its rules that was ever used."""
    rows = database.rows("SELECT DISTINCT language, extractor FROM versions")
    return [(language, extractor) for language, extractor in rows]


def failures(database: Database) -> dict[VersionId, str]:
    """The contents that could not be parsed, and why."""
    rows = database.rows("SELECT id, failure FROM versions WHERE failure <> ''")
    return {VersionId(row[0]): row[1] for row in rows}


def has_versions(database: Database) -> bool:
    """Whether anything was ever extracted into this store."""
    return database.row("SELECT 1 FROM versions LIMIT 1") is not None


def count_versions(database: Database) -> int:
    """How many contents the store holds."""
    row = database.row("SELECT COUNT(*) FROM versions")
    return row[0] if row else 0


def reserve_ids(database: Database, count: int) -> VersionId:
    """The first of so many ids that nobody else gets, ever.

    Reserved before anything is written under them, in a transaction of its own: an id
    that a killed run used in the text index is never given to another content.
    """
    with database.durable(), database.transaction("reserve ids"):
        row = database.row("SELECT value FROM meta WHERE key = 'next_version_id'")
        first = int(row[0]) if row else 1
        database.run(
            "UPDATE meta SET value = ? WHERE key = 'next_version_id'", (str(first + count),)
        )
    return VersionId(first)


def unused_versions(database: Database) -> list[VersionId]:
    """Versions that no snapshot names."""
    rows = database.rows(
        "SELECT id FROM versions WHERE id NOT IN"
        " (SELECT version_id FROM snapshot_files WHERE version_id IS NOT NULL)"
        " AND id NOT IN (SELECT version_id FROM listed_files WHERE version_id IS NOT NULL)"
    )
    return [VersionId(row[0]) for row in rows]


def delete_versions(database: Database, ids: Sequence[VersionId]) -> None:
    """Forget versions and everything that hangs on them; inside a transaction.

    Their text is noted as still to be deleted: it goes last, so that a version in the
    database always has its text.
    """
    rows = [(version_id,) for version_id in ids]
    database.run_many("DELETE FROM versions WHERE id = ?", rows)
    database.run_many("INSERT OR IGNORE INTO pending_deletes VALUES (?)", rows)


def pending_deletes(database: Database) -> list[VersionId]:
    """Versions that are gone but whose text may not be."""
    return [VersionId(row[0]) for row in database.rows("SELECT version_id FROM pending_deletes")]


def delete_pending(database: Database) -> None:
    """Note that the text of deleted versions is gone."""
    database.run("DELETE FROM pending_deletes")


def missing_ids(database: Database, first: int, last: int) -> list[VersionId]:
    """The ids of a reserved range that were never made durable."""
    rows = database.rows("SELECT id FROM versions WHERE id BETWEEN ? AND ?", (first, last))
    present = {row[0] for row in rows}
    return [VersionId(number) for number in range(first, last + 1) if number not in present]


def decode_list(text: str) -> tuple[str, ...]:
    """A list column's values."""
    return tuple(text.split(_LIST_MARK)) if text else ()


def _symbol_row(version_id: VersionId, item: Symbol) -> Row:
    span = item.span
    return (
        version_id,
        item.ordinal,
        item.name,
        item.qualified_name,
        str(item.kind),
        SCOPE_MARK.join(item.scope),
        item.parent,
        item.chunk_parent,
        item.depth,
        span.start_line,
        span.end_line,
        span.start_byte,
        span.end_byte,
        item.name_start,
        item.body_start,
        item.body_end,
        item.signature,
        item.doc,
        _LIST_MARK.join(item.modifiers),
        _LIST_MARK.join(item.decorators),
        None if item.is_exported is None else int(item.is_exported),
        item.body_hash,
        item.stable_id,
    )


def _import_row(version_id: VersionId, position: int, item: Import) -> Row:
    flags = " ".join(flag for flag in _FLAGS if getattr(item, flag))
    return (
        version_id,
        position,
        item.module,
        item.name,
        item.bound_name,
        item.line,
        item.start_byte,
        flags,
    )
