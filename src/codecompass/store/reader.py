"""One snapshot as one reader: everything it returns belongs to that snapshot and no other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from types import TracebackType
from typing import NamedTuple

from codecompass.errors import StoreError
from codecompass.model.query import SymbolFilters
from codecompass.model.search import Place
from codecompass.model.snapshot import FileEntry, SnapshotCounts, SnapshotId, VersionId
from codecompass.model.source import SkipReason, Span
from codecompass.model.symbol import STATEMENT_KINDS, PlacedSymbol, Symbol, SymbolKind
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.catalog import Catalog, CatalogFile
from codecompass.store.database import Database, Row
from codecompass.store.grams import GramIndex
from codecompass.store.lexical import LexicalIndex, LexicalView, Scope
from codecompass.store.snapshots import (
    SnapshotRecord,
    count_snapshot,
    extractors,
    languages_by_path,
    snapshot_files,
)
from codecompass.store.versions import SCOPE_MARK, decode_list

_COLUMNS = (
    "ordinal, name, qualified_name, kind, scope, parent, chunk_parent, depth, start_line,"
    " end_line, start_byte, end_byte, name_start, body_start, body_end, signature, doc,"
    " modifiers, decorators, is_exported, body_hash, stable_id"
)
_KINDS = {str(kind): kind for kind in SymbolKind}
_STATEMENTS = ", ".join(f"'{kind}'" for kind in sorted(STATEMENT_KINDS))
_OUTLINE = f"SELECT {_COLUMNS} FROM symbols WHERE version_id = ? ORDER BY ordinal"  # noqa: S608  # our own column list
# A cross join, so that SQLite goes through the wanted places and not through the table.
_RECORDS = (
    f"SELECT version_id, {_COLUMNS} FROM wanted CROSS JOIN symbols"  # noqa: S608  # our own list
    " ON version_id = version AND ordinal = place"
)
# Two parameters each; SQLite takes at most 999 on old versions.
_BATCH = 400
_LINES = (
    "SELECT ordinal, start_line, end_line, name FROM symbols"  # noqa: S608  # our own list
    f" WHERE version_id = ? AND kind NOT IN ({_STATEMENTS}) ORDER BY ordinal"
)
_MEMBERS = (
    "SELECT kind, name FROM symbols WHERE version_id = ? AND parent IS ?"  # noqa: S608  # our own list
    f" AND kind NOT IN ({_STATEMENTS}) ORDER BY ordinal LIMIT ?"
)
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


class Use(NamedTuple):
    """A use of a name: its line, and the ordinal of the record around it if that is known."""

    version_id: VersionId
    line: int
    enclosing: int | None


class DefinitionLines(NamedTuple):
    """The lines of a definition; all that is needed to know what stands around a line."""

    ordinal: int
    start_line: int
    end_line: int
    name: str


class Member(NamedTuple):
    """A definition inside another, for a list."""

    kind: str
    name: str


class Kept:
    """What is kept in memory between questions on the same published state."""

    def __init__(self) -> None:
        self.state: tuple[SnapshotId, int] | None = None
        self.catalog = Catalog((), shared_analyzer())
        self.grams: GramIndex | None = None


class SnapshotReader:
    """Reads one published snapshot; what is published later stays unseen until it is closed."""

    def __init__(
        self, database: Database, lexical: LexicalIndex, record: SnapshotRecord, kept: "Kept"
    ) -> None:
        self._database = database
        self._lexical = lexical
        self.record = record
        self._kept = kept

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
        hits = self.text.similar_names(name, limit=limit, scope=self.everything)
        found = self.records_at(Place(hit.version_id, hit.ordinal) for hit in hits)
        return list(dict.fromkeys(symbol.name for symbol in found.values()))

    @cached_property
    def catalog(self) -> Catalog:
        """The files of this snapshot; kept from question to question while it stays the same."""
        state = (self._id, self.record.generation)
        if self._kept.state != state:
            rows = self._database.rows(
                "SELECT path, version_id, language FROM snapshot_files"
                " JOIN versions ON versions.id = version_id WHERE snapshot_id = ?",
                (self._id,),
            )
            files = (CatalogFile(path, VersionId(version), name) for path, version, name in rows)
            self._kept.state = state
            self._kept.catalog = Catalog(files, shared_analyzer())
            self._kept.grams = None
        return self._kept.catalog

    @property
    def grams(self) -> GramIndex:
        """Which files may hold a text."""
        catalog = self.catalog
        if self._kept.grams is None:
            rows = self._database.rows("SELECT version_id, bits FROM grams")
            ours = ((VersionId(row[0]), row[1]) for row in rows if row[0] in catalog.by_version)
            self._kept.grams = GramIndex(ours)
        return self._kept.grams

    @cached_property
    def text(self) -> LexicalView:
        """The text index, of which `everything` is this snapshot's part."""
        return self._lexical.view()

    @cached_property
    def everything(self) -> Scope:
        """All documents of this snapshot: those of all versions but the others'."""
        ours = self.catalog.by_version
        count = self._database.row("SELECT COUNT(*) FROM versions")
        if count and count[0] == len(ours):
            return Scope()
        rows = self._database.rows("SELECT id FROM versions")
        others = frozenset(VersionId(row[0]) for row in rows if row[0] not in ours)
        return Scope(without=others)

    def scope_of(self, filters: SymbolFilters, admitted: Sequence[int] | None) -> Scope:
        """The documents that filters let through; `admitted` are the files, None for all."""
        scope = self.everything
        if admitted is not None:
            files = self.catalog.files
            scope = Scope(only=frozenset(files[index].version_id for index in admitted))
        facts: list[tuple[str, ...]] = []
        if filters.kind:
            facts.append(tuple(f"kind:{kind}" for kind in filters.kind))
        for name, wanted in (("exported", filters.is_exported), ("doc", filters.has_doc)):
            if wanted is not None:
                facts.append((f"{name}:{'yes' if wanted else 'no'}",))
        keys = self._decorated(filters.decorator_contains) if filters.decorator_contains else None
        return replace(scope, facts=tuple(facts), keys=keys)

    def _decorated(self, text: str) -> frozenset[tuple[VersionId, int]]:
        rows = self._database.rows(
            "SELECT version_id, ordinal FROM symbols WHERE decorators != ''"
            " AND instr(decorators, ?)",
            (text,),
        )
        return frozenset((VersionId(version), ordinal) for version, ordinal in rows)

    def records_at(self, places: Iterable[Place]) -> dict[Place, Symbol]:
        """The records at these places; whole files have none."""
        wanted = [place for place in places if place.ordinal is not None]
        found: dict[Place, Symbol] = {}
        for start in range(0, len(wanted), _BATCH):
            part = wanted[start : start + _BATCH]
            marks = ", ".join(["(?, ?)"] * len(part))
            sql = f"WITH wanted (version, place) AS (VALUES {marks}) {_RECORDS}"
            for row in self._database.rows(sql, [*chain(*part)]):
                found[Place(row[0], row[1])] = _symbol(row[1:])
        return found

    def definition_lines(self, version_id: VersionId) -> list[DefinitionLines]:
        """Where the definitions of a version begin and end, in source order."""
        rows = self._database.rows(_LINES, (version_id,))
        return [DefinitionLines(*row) for row in rows]

    def members(self, place: Place, limit: int) -> list[Member]:
        """The first definitions right inside a record, or at the top of a file."""
        rows = self._database.rows(_MEMBERS, (place.version_id, place.ordinal, limit))
        return [Member(kind, name) for kind, name in rows]

    def uses_named(self, name: str) -> list[Use]:
        """Where a name is used in this snapshot, by version and line."""
        rows = self._database.rows(
            "SELECT version_id, line, enclosing FROM uses WHERE name = ?"
            " UNION SELECT version_id, line, NULL FROM imports WHERE name = ? OR bound_name = ?"
            " ORDER BY 1, 2",
            (name, name, name),
        )
        ours = self.catalog.by_version
        return [Use(VersionId(row[0]), row[1], row[2]) for row in rows if row[0] in ours]

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
    # By position, in the order of `_COLUMNS`: a search makes hundreds of them.
    scope, is_exported = row[4], row[19]
    return Symbol(  # type: ignore[call-arg]  # mypy counts each star as any number
        *row[:3],
        _KINDS[row[3]],
        tuple(scope.split(SCOPE_MARK)) if scope else (),
        *row[5:8],
        Span(*row[8:12]),
        *row[12:17],
        decode_list(row[17]),
        decode_list(row[18]),
        None if is_exported is None else bool(is_exported),
        *row[20:],
    )
