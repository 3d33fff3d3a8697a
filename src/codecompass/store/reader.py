"""One snapshot as one reader: everything it returns belongs to that snapshot and no other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from codecompass.errors import StoreError
from codecompass.model.query import SymbolFilters
from codecompass.model.reference import Import
from codecompass.model.search import Place
from codecompass.model.snapshot import FileEntry, SnapshotCounts, SnapshotName, VersionId
from codecompass.model.source import Span
from codecompass.model.symbol import STATEMENT_KINDS, PlacedSymbol, Symbol, SymbolKind
from codecompass.store.catalog import Catalog
from codecompass.store.database import Database, width_for
from codecompass.store.graph import GraphReader
from codecompass.store.kept import Kept, KeptSnapshot
from codecompass.store.lexical import LexicalView, Scope
from codecompass.store.references import bases_of, imports_of
from codecompass.store.snapshots import (
    Extraction,
    SnapshotRecord,
    count_snapshot,
    find_snapshot,
)
from codecompass.store.versions import SCOPE_MARK, decode_list, failures, masks_of
from codecompass.text.patterns import Needed

if TYPE_CHECKING:
    from codecompass.store.likeness import SnapshotVectors

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
_BATCH = 256
_LINES = (
    "SELECT ordinal, start_line, end_line, name FROM symbols"  # noqa: S608  # our own list
    f" WHERE version_id = ? AND kind NOT IN ({_STATEMENTS}) ORDER BY ordinal"
)
_MEMBERS = (
    "SELECT kind, name, body_start >= 0 FROM symbols WHERE version_id = ? AND parent IS ?"  # noqa: S608  # our own list
    f" AND kind NOT IN ({_STATEMENTS}) ORDER BY ordinal LIMIT ?"
)
_INSIDE = (
    f"SELECT {_COLUMNS} FROM symbols WHERE version_id = ? AND parent IS ?"  # noqa: S608  # our own column list
    f" AND kind NOT IN ({_STATEMENTS}) ORDER BY ordinal LIMIT ?"
)
_COUNT_INSIDE = (
    "SELECT COUNT(*) FROM symbols WHERE version_id = ? AND parent IS ?"  # noqa: S608  # our own list
    f" AND kind NOT IN ({_STATEMENTS})"
)
_NAMED = (
    "SELECT version_id, ordinal FROM symbols"  # noqa: S608  # our own words
    f" WHERE name = ? AND kind NOT IN ({_STATEMENTS})"
)
_DEFINITIONS = (
    f"SELECT version_id, {_COLUMNS} FROM symbols"  # noqa: S608  # our own column list
    f" WHERE kind NOT IN ({_STATEMENTS})"
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
    has_body: bool


class SnapshotReader:
    """Reads one published snapshot; what is published later stays unseen until it is closed."""

    def __init__(
        self, database: Database, text: LexicalView, record: SnapshotRecord, kept: Kept
    ) -> None:
        self._database = database
        self.text = text
        """The text index, of which `everything` is this snapshot's part."""
        self.record = record
        self._kept = kept
        self._outlines: dict[VersionId, list[Symbol]] = {}  # of files asked for in this question

    def __enter__(self) -> SnapshotReader:
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

    def beside(self, name: SnapshotName) -> SnapshotReader | None:
        """Another snapshot in the same state of the store; it ends with this reader."""
        record = find_snapshot(self._database, name)
        if record is None:
            return None
        return SnapshotReader(self._database, self.text, record, self._kept)

    def file(self, path: str) -> FileEntry | None:
        """The entry of a path, also of one that was skipped."""
        return self.files().get(path)

    def files(self) -> Mapping[str, FileEntry]:
        """Every path, indexed or skipped."""
        return self._state.files

    def extractors(self) -> Sequence[Extraction]:
        """Each language with the versions of the rules it was extracted by."""
        return self._state.extractors

    def languages(self) -> dict[str, str]:
        """The language in which each path was extracted."""
        return {file.path: file.language for file in self.catalog.files}

    def version(self, version_id: VersionId) -> VersionInfo:
        """What is known of a version beside its records."""
        return self.versions([version_id])[version_id]

    def versions(self, ids: Iterable[VersionId]) -> dict[VersionId, VersionInfo]:
        """The same for several."""
        wanted = sorted(set(ids))
        sql = "SELECT id, language, line_count, has_errors FROM versions WHERE id IN (*)"
        found = {
            VersionId(row[0]): VersionInfo(row[1], row[2], bool(row[3]))
            for row in self._database.rows_among(sql, wanted)
        }
        if len(found) < len(wanted):
            raise StoreError(f"{len(wanted) - len(found)} versions are missing from the store")
        return found

    def without_definitions(self, versions: Iterable[VersionId]) -> list[VersionId]:
        """Those of the versions that define nothing: each is one document."""
        sql = "SELECT id FROM versions WHERE symbol_count = 0 AND id IN (*)"
        return [VersionId(row[0]) for row in self._database.rows_among(sql, sorted(versions))]

    def outline(self, version_id: VersionId) -> list[Symbol]:
        """All records of a version in source order, root statements included."""
        if version_id not in self._outlines:
            rows = self._database.rows(_OUTLINE, (version_id,))
            self._outlines[version_id] = [_symbol(row) for row in rows]
        return self._outlines[version_id]

    def masks(self, version_id: VersionId) -> list[tuple[int, int]]:
        """The places in a version's text that are never shown, in bytes."""
        return masks_of(self._database, version_id)

    def imports(self, version_id: VersionId) -> list[Import]:
        """What a version imports, in source order."""
        return imports_of(self._database, version_id)

    def bases(self, version_id: VersionId, ordinal: int) -> dict[int, str]:
        """The types that a type names as its own, by where it does."""
        return bases_of(self._database, version_id, ordinal)

    def symbols_named(self, name: str) -> list[PlacedSymbol]:
        """Definitions with exactly this name, by path and position."""
        return self._placed("name = ?", (name,))

    def places_named(self, name: str) -> list[Place]:
        """Where definitions with exactly this name stand, each content once."""
        known = self.catalog.by_version
        rows = self._database.rows(_NAMED, (name,))
        return [Place(VersionId(row[0]), row[1]) for row in rows if row[0] in known]

    def symbols_with_id(self, prefix: str) -> list[PlacedSymbol]:
        """Definitions whose stable id begins like this."""
        return self._placed("stable_id >= ? AND stable_id < ?", (prefix, prefix + "g"))

    def similar_names(self, name: str, limit: int) -> list[str]:
        """Names in this snapshot that look most like one that is not there, best first."""
        hits = self.text.similar_names(name, limit=limit, scope=self.everything)
        found = self.records_at(Place(hit.version_id, hit.ordinal) for hit in hits)
        return list(dict.fromkeys(symbol.name for symbol in found.values()))

    @cached_property
    def _state(self) -> KeptSnapshot:
        return self._kept.snapshot(self._database, self.record)

    @property
    def catalog(self) -> Catalog:
        """The files of this snapshot; kept from question to question while it stays the same."""
        return self._state.catalog

    def may_hold(self, needed: Needed) -> list[VersionId]:
        """The versions of this snapshot that may hold what an expression insists on."""
        ours = self.catalog.by_version
        grams = self._kept.grams(self._database, self.catalog)
        return [version_id for version_id in grams.candidates(needed) if version_id in ours]

    @cached_property
    def everything(self) -> Scope:
        """All documents of this snapshot: those of all versions but the others'."""
        return Scope(without=self._state.others(self._database))

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
            width = width_for(len(part))
            marks = ", ".join(["(?, ?)"] * width)
            sql = f"WITH wanted (version, place) AS (VALUES {marks}) {_RECORDS}"
            empty = [None] * (2 * (width - len(part)))
            for row in self._database.rows(sql, [*chain(*part), *empty]):
                found[Place(row[0], row[1])] = _symbol(row[1:])
        return found

    def definition_lines(self, version_id: VersionId) -> list[DefinitionLines]:
        """Where the definitions of a version begin and end, in source order."""
        rows = self._database.rows(_LINES, (version_id,))
        return [DefinitionLines(*row) for row in rows]

    def members(self, place: Place, limit: int) -> list[Member]:
        """The first definitions right inside a record, or at the top of a file."""
        rows = self._database.rows(_MEMBERS, (place.version_id, place.ordinal, limit))
        return [Member(kind, name, bool(has_body)) for kind, name, has_body in rows]

    def inside(self, place: Place, limit: int) -> tuple[list[Symbol], int]:
        """The first definitions right inside a record, or at the top of a file; how many are."""
        key = (place.version_id, place.ordinal)
        found = [_symbol(row) for row in self._database.rows(_INSIDE, (*key, limit))]
        count = self._database.row(_COUNT_INSIDE, key)
        return found, count[0] if count else 0

    def vectors(self, model: str) -> SnapshotVectors | None:
        """What a model says of this snapshot; None if it was not asked, or its file is damaged."""
        return self._kept.vectors(self._database, self._state, model)

    @cached_property
    def graph(self) -> GraphReader:
        """What the uses in this snapshot mean."""
        return GraphReader(self._database, self._state.links(self._database, self._kept.modules))

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
        name = suffix.rpartition("/")[2]
        paths = (self.catalog.paths[index] for index in self.catalog.by_name.get(name, ()))
        return [path for path in paths if path == suffix or path.endswith(f"/{suffix}")]

    def paths_inside(self, folder: str, limit: int) -> list[str]:
        """The first few indexed paths of a folder."""
        inside = (path for path in self.catalog.paths if path.startswith(f"{folder}/"))
        return list(islice(inside, limit))

    def with_masks(self) -> list[VersionId]:
        """The contents of which a part is never shown, and not in the index either."""
        rows = self._database.rows("SELECT version_id FROM masks")
        ours = self.catalog.by_version
        return [VersionId(row[0]) for row in rows if row[0] in ours]

    def failures(self) -> dict[VersionId, str]:
        """The contents of the store that could not be parsed, and why."""
        return failures(self._database)

    def counts(self) -> SnapshotCounts:
        """How much this snapshot holds."""
        state = self._state
        if state.counts is None:
            state.counts = count_snapshot(self._database, self.record, self.files())
        return state.counts

    def _placed(self, condition: str, parameters: Sequence[object]) -> list[PlacedSymbol]:
        """Definitions that meet a condition, at each path that has them."""
        rows = self._database.rows(f"{_DEFINITIONS} AND {condition}", parameters)
        catalog = self.catalog
        found = []
        for version_id, *columns in rows:
            places = catalog.by_version.get(version_id)
            if places:
                symbol = _symbol(columns)
                files = (catalog.files[index] for index in places)
                found += [PlacedSymbol(file.path, file.language, symbol) for file in files]
        return sorted(found, key=lambda item: (item.path, item.symbol.ordinal))


def _symbol(row: Sequence[Any]) -> Symbol:
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
