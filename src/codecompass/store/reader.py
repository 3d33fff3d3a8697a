"""One snapshot as one reader: everything it returns belongs to that snapshot and no other."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from codecompass.errors import StoreError
from codecompass.model.snapshot import FileEntry, SnapshotCounts, SnapshotId, VersionId
from codecompass.model.source import SkipReason, Span
from codecompass.model.symbol import STATEMENT_KINDS, PlacedSymbol, Symbol, SymbolKind
from codecompass.store.database import Database, Row
from codecompass.store.lexical import LexicalIndex
from codecompass.store.snapshots import (
    SnapshotRecord,
    count_snapshot,
    extractors,
    languages_by_path,
    paths_of,
    snapshot_files,
)
from codecompass.store.versions import SCOPE_MARK, decode_list

_COLUMNS = (
    "ordinal, name, qualified_name, kind, scope, parent, chunk_parent, depth, start_line,"
    " end_line, start_byte, end_byte, name_start, body_start, body_end, signature, doc,"
    " modifiers, decorators, is_exported, body_hash, stable_id"
)
_MAX_SIMILAR = 20_000
_STATEMENTS = ", ".join(f"'{kind}'" for kind in sorted(STATEMENT_KINDS))
_OUTLINE = f"SELECT {_COLUMNS} FROM symbols WHERE version_id = ? ORDER BY ordinal"  # noqa: S608  # our own column list
_PLACED = (
    f"SELECT path, language, {_COLUMNS} FROM symbols"  # noqa: S608  # our own column list
    " JOIN snapshot_files USING (version_id) JOIN versions ON versions.id = version_id"
    f" WHERE snapshot_id = ? AND kind NOT IN ({_STATEMENTS})"
)


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """A file version as a whole."""

    language: str
    line_count: int
    has_errors: bool


class SnapshotReader:
    """Reads one published snapshot; what is published later stays unseen until it is closed."""

    def __init__(self, database: Database, lexical: LexicalIndex, record: SnapshotRecord) -> None:
        self._database = database
        self._lexical = lexical
        self.record = record

    def __enter__(self) -> "SnapshotReader":
        """Use as a context manager, so that the writer can tidy up behind the reader."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of the snapshot's state."""
        self._database.end_reading()

    @property
    def _id(self) -> SnapshotId:
        return self.record.id

    def file(self, path: str) -> FileEntry | None:
        """The entry of a path, also of one that was skipped."""
        row = self._database.row(
            "SELECT path, version_id, skip_reason, blob_id, size_bytes, mtime_ns"
            " FROM snapshot_files WHERE snapshot_id = ? AND path = ?",
            (self._id, path),
        )
        if row is None:
            return None
        version = VersionId(row[1]) if row[1] is not None else None
        reason = SkipReason(row[2]) if row[2] else None
        return FileEntry(row[0], version, reason, row[3], row[4], row[5])

    def files(self) -> dict[str, FileEntry]:
        """Every path, indexed or skipped."""
        return snapshot_files(self._database, self._id)

    def extractors(self) -> list[tuple[str, str]]:
        """Each language with the version of the rules it was extracted by."""
        return extractors(self._database, self._id)

    def languages(self) -> dict[str, str]:
        """The language in which each path was extracted."""
        return languages_by_path(self._database, self._id)

    def version(self, version_id: VersionId) -> VersionInfo:
        """What is known of a version beside its records."""
        row = self._database.row(
            "SELECT language, line_count, has_errors FROM versions WHERE id = ?", (version_id,)
        )
        if row is None:
            raise StoreError(f"version {version_id} is missing from the store")
        return VersionInfo(row[0], row[1], bool(row[2]))

    def outline(self, version_id: VersionId) -> list[Symbol]:
        """All records of a version in source order, root statements included."""
        return [_symbol(row) for row in self._database.rows(_OUTLINE, (version_id,))]

    def symbols_named(self, name: str) -> list[PlacedSymbol]:
        """Definitions with exactly this name, by path and position."""
        return self._placed("name = ?", (name,))

    def symbols_with_id(self, prefix: str) -> list[PlacedSymbol]:
        """Definitions whose stable id begins like this."""
        return self._placed("stable_id >= ? AND stable_id < ?", (prefix, prefix + "g"))

    def similar_names(self, name: str, limit: int) -> list[str]:
        """Names in this snapshot that look most like one that is not there, best first."""
        wanted = limit
        while True:  # contents of other snapshots may fill the first hits: look further
            hits = self._lexical.similar_names(name, wanted)
            visible = paths_of(self._database, self._id, (hit.version_id for hit in hits))
            ours = [hit for hit in hits if hit.version_id in visible]
            if len(ours) >= limit or len(hits) < wanted or wanted >= _MAX_SIMILAR:
                break
            wanted *= 8
        names: dict[str, None] = {}
        for hit in ours[:limit]:
            row = self._database.row(
                "SELECT name FROM symbols WHERE version_id = ? AND ordinal = ?",
                (hit.version_id, hit.ordinal),
            )
            if row is not None:
                names[row[0]] = None
        return list(names)

    def paths_ending(self, suffix: str) -> list[str]:
        """Indexed paths that are this path or end with it after a slash."""
        rows = self._database.rows(
            "SELECT path FROM snapshot_files WHERE snapshot_id = ? AND version_id IS NOT NULL"
            " AND (path = ? OR substr(path, -length(?)) = ?) ORDER BY path",
            (self._id, suffix, f"/{suffix}", f"/{suffix}"),
        )
        return [row[0] for row in rows]

    def paths_inside(self, folder: str, limit: int) -> list[str]:
        """The first few indexed paths of a folder."""
        rows = self._database.rows(
            "SELECT path FROM snapshot_files WHERE snapshot_id = ? AND version_id IS NOT NULL"
            " AND path >= ? AND path < ? ORDER BY path LIMIT ?",
            (self._id, f"{folder}/", f"{folder}0", limit),
        )
        return [row[0] for row in rows]

    def counts(self) -> SnapshotCounts:
        """How much this snapshot holds."""
        return count_snapshot(self._database, self._id)

    def _placed(self, condition: str, parameters: Sequence[object]) -> list[PlacedSymbol]:
        sql = f"{_PLACED} AND {condition} ORDER BY path, ordinal"
        rows = self._database.rows(sql, (self._id, *parameters))
        return [PlacedSymbol(row[0], row[1], _symbol(row[2:])) for row in rows]


def _symbol(row: Row) -> Symbol:
    ordinal, name, qualified_name, kind, scope, parent, chunk_parent, depth, *places = row[:15]
    signature, doc, modifiers, decorators, is_exported, body_hash, stable_id = row[15:]
    return Symbol(
        ordinal=ordinal,
        name=name,
        qualified_name=qualified_name,
        kind=SymbolKind(kind),
        scope=tuple(scope.split(SCOPE_MARK)) if scope else (),
        parent=parent,
        chunk_parent=chunk_parent,
        depth=depth,
        span=Span(*places[:4]),
        name_start=places[4],
        body_start=places[5],
        body_end=places[6],
        signature=signature,
        doc=doc,
        modifiers=decode_list(modifiers),
        decorators=decode_list(decorators),
        is_exported=None if is_exported is None else bool(is_exported),
        body_hash=body_hash,
        stable_id=stable_id,
    )
