"""Two snapshots side by side: what became of their files and symbols."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from codecompass.engine.views import View
from codecompass.errors import SymbolUnclear
from codecompass.model.answer import ChangeResult, Seen
from codecompass.model.change import ChangeKind, FileChange, FileSide, SymbolChange
from codecompass.model.query import DetailLevel, SymbolFilters
from codecompass.model.snapshot import LIVE, FileEntry
from codecompass.model.source import SkipReason, Span
from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.navigate.changes import FilePair, compare_files
from codecompass.navigate.file_changes import compare_snapshots
from codecompass.navigate.lookup import locate
from codecompass.navigate.uses import Graph
from codecompass.present.changes import change_result, text_diff
from codecompass.source.checkout import checkout_state

_PROSE = frozenset({SymbolKind.SECTION, SymbolKind.KEY})
_DIFF_LINES = 12
_CALLERS = 5
_CANDIDATES = 5
_MEMBERS = "members"
# What stands beside the definition of a name.
_BESIDE = frozenset({SymbolKind.IMPL, SymbolKind.SECTION})
_IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a symbol, and of its members that stand elsewhere, as in Rust's impls."""

    symbol: SymbolChange | PlacedSymbol  # itself if nothing did
    members: tuple[SymbolChange, ...] = ()
    was_in: str | None = None  # the path that its file had before


class Comparison:
    """Two snapshots that are open at the same time."""

    def __init__(self, before: View, after: View) -> None:
        self.before = before
        self.after = after

    def seen(self, *, is_overlay: bool) -> Seen:
        """What is to be said of the two states together."""
        seen = self.after.seen(is_overlay=is_overlay)
        return replace(seen, not_fetched=seen.not_fetched + self.before.seen().not_fetched)

    def with_callers(
        self, changes: Sequence[SymbolChange], results: Sequence[ChangeResult]
    ) -> tuple[ChangeResult, ...]:
        """Results that say who calls what changed; of what is gone, who did."""
        old, new = Graph(self.before.reader), Graph(self.after.reader)
        found = []
        for change, result in zip(changes, results, strict=True):
            graph = new if change.after is not None else old
            _, places = graph.calls_of(change.shown)
            around = graph.symbols((place.path, place.enclosing) for place in places)
            told = []
            for place in places[:_CALLERS]:
                caller = around.get((place.path, place.enclosing))
                name = f" {caller.symbol.qualified_name}" if caller is not None else ""
                told.append(f"{place.path}:{place.line}{name}")
            callers = tuple(told) or None
            found.append(replace(result, caller_count=len(places) or None, callers=callers))
        return tuple(found)

    def files(self, prefix: str = "") -> list[FileChange]:
        """What became of each file whose path begins so."""
        old = {p: e for p, e in _told(self.before) if p.startswith(prefix)}
        new = {p: e for p, e in _told(self.after) if p.startswith(prefix)}
        for path in self._unchanged_by_git() if old.keys() | new.keys() else ():
            old.pop(path, None)
            new.pop(path, None)
        changes = compare_snapshots(
            old,
            new,
            old_lines=lambda path: _lines(self.before, path),
            new_lines=lambda path: _lines(self.after, path),
        )
        seen = (self._with_unindexed(change) for change in changes)
        return [change for change in seen if change is not None]

    def _unchanged_by_git(self) -> set[str]:
        """Files of a working tree that are as in the other state, whatever they look like.

        Line ends and filters give a file other bytes than git stores; a sparse checkout
        has no file at all.
        """
        if self.after.target.name.ref != LIVE:
            return set()
        state = checkout_state(self.after.root)
        before, after = self.before.reader.files(), self.after.reader.files()
        same = {
            path
            for path, blob_id in state.clean.items()
            if path in before and before[path].blob_id == blob_id
        }
        return same | {path for path in state.absent if path not in after}

    def _with_unindexed(self, change: FileChange) -> FileChange | None:
        """A file that only a rule left out of the index was not deleted, nor added."""
        if change.kind is ChangeKind.DELETED:
            here, there = self.before, self.after
        elif change.kind is ChangeKind.ADDED:
            here, there = self.after, self.before
        else:
            return change
        other = there.content_id(change.path)
        if other is None:
            return change
        entry = here.reader.file(change.path)
        if entry and entry.blob_id == other:
            return None
        return replace(change, kind=ChangeKind.MODIFIED, unread=_IGNORED)

    def pairs(self, files: Sequence[FileChange]) -> list[FilePair]:
        """Both states of these files, of those that are indexed."""
        pairs = []
        for change in files:
            if change.unread:
                continue
            came = change.kind is ChangeKind.ADDED
            went = change.kind is ChangeKind.DELETED
            old = None if came else _side(self.before, change.before or change.path)
            new = None if went else _side(self.after, change.path)
            pairs.append(FilePair(old, new))
        return pairs

    def result(
        self, change: SymbolChange, level: DetailLevel, *, lines: int = _DIFF_LINES
    ) -> ChangeResult:
        """A change as it is shown."""
        diff = None
        if level is DetailLevel.CONTEXT and change.before and change.after:
            old = _symbol_lines(self.before, change.before)
            new = _symbol_lines(self.after, change.after)
            diff = text_diff(old, new, max_lines=lines)
        return change_result(change, level, diff=diff)

    def fate_of(self, name: str, *, suggestions: int, max_files: int) -> Fate:
        """What became of the symbol a name stands for.

        Where more than `max_files` changed, it is looked for in its own file only.
        """
        old = {_identity(item): item for item in _found(self.before, name)}
        new = {_identity(item): item for item in _found(self.after, name)}
        files = self.files()
        if len(files) > max_files:
            own = {item.path for item in (*old.values(), *new.values())}
            files = [change for change in files if own & {change.path, change.before}]
        changes = compare_files(self.pairs(files))
        touched = [
            change
            for change in changes
            if (change.before and _identity(change.before) in old)
            or (change.after and _identity(change.after) in new)
        ]
        involved = {_identity(item) for c in touched for item in (c.before, c.after) if item}
        untouched = [item for key, item in new.items() if key not in involved]
        if not touched and not untouched:
            raise self._no_such_symbol(name, suggestions)
        meant = _only(touched, untouched)
        if meant is None:
            raise _several(name, [change.shown for change in touched] + untouched)
        around = meant if isinstance(meant, PlacedSymbol) else meant.shown
        members = [item for item in changes if _is_inside(item, around)]
        if isinstance(meant, PlacedSymbol) and members:
            before = next((item for item in old.values() if item.handle == meant.handle), None)
            meant = SymbolChange(ChangeKind.MODIFIED, before, meant, parts=(_MEMBERS,))
        span = around.symbol.span
        was_in = next((change.before for change in files if change.path == around.path), None)
        outside = tuple(item for item in members if not _is_within(item, span))
        return Fate(meant, outside, was_in)

    def _no_such_symbol(self, name: str, limit: int) -> SymbolUnclear:
        near: list[str] = []
        for view in (self.after, self.before):
            filters = SymbolFilters()
            near += locate(view.reader, name, filters=filters, max_suggestions=limit).suggestions
        hint = f"similar: {', '.join(dict.fromkeys(near))}" if near else None
        refs = f"{self.before.target.ref} nor in {self.after.target.ref}"
        return SymbolUnclear(f"symbol: {name!r} is defined neither in {refs}", remediation=hint)


def _told(view: View) -> Iterator[tuple[str, FileEntry]]:
    """The files of a view, without those that a rule of ours leaves out."""
    for path, entry in view.reader.files().items():
        if entry.skip_reason is not SkipReason.IGNORED:
            yield path, entry


def most_telling(
    changes: Sequence[SymbolChange], start: int, limit: int
) -> dict[int, SymbolChange]:
    """So many changes by their rank, code before prose and configuration, by file and line.

    What came or went as part of something else ranks last and is left out first.
    """
    by_worth = sorted(changes, key=lambda change: (_is_prose(change), change.is_inner))
    ranks = {id(change): rank for rank, change in enumerate(by_worth)}
    due = range(start, start + limit)
    ordered = ((ranks[id(change)], change) for change in sorted(changes, key=_is_prose))
    return {rank: change for rank, change in ordered if rank in due}


def _is_prose(change: SymbolChange) -> bool:
    return change.shown.symbol.kind in _PROSE


def _side(view: View, path: str) -> FileSide | None:
    entry = view.reader.file(path)
    if entry is None or entry.version_id is None:
        return None
    text = view.text(path)
    info = view.reader.version(entry.version_id)
    symbols = tuple(view.reader.outline(entry.version_id))
    return FileSide(path, info.language, None if text is None else text.encode(), symbols)


def _lines(view: View, path: str) -> list[str] | None:
    text = view.text(path)
    return None if text is None else [line for line in text.splitlines() if line.strip()]


def _symbol_lines(view: View, placed: PlacedSymbol) -> list[str]:
    span = placed.symbol.span
    return (view.text(placed.path) or "").split("\n")[span.start_line - 1 : span.end_line]


def _found(view: View, name: str) -> tuple[PlacedSymbol, ...]:
    return locate(view.reader, name, filters=SymbolFilters(), max_suggestions=0).matches


def _is_inside(change: SymbolChange, around: PlacedSymbol) -> bool:
    """Whether what changed is a member of a symbol, or of a member of it."""
    prefix = (*around.symbol.scope, around.symbol.name)
    places = (change.before, change.after)
    return any(
        place.path == around.path and place.symbol.scope[: len(prefix)] == prefix
        for place in places
        if place is not None
    )


def _is_within(change: SymbolChange, span: Span) -> bool:
    """Whether what changed stands in the text of a symbol of the same file."""
    own = change.shown.symbol.span
    return span.start_byte <= own.start_byte and own.end_byte <= span.end_byte


def _only(
    touched: Sequence[SymbolChange], untouched: Sequence[PlacedSymbol]
) -> SymbolChange | PlacedSymbol | None:
    """The one that is meant, if there is one: not the impls beside a type of the same file."""
    found: list[SymbolChange | PlacedSymbol] = [*touched, *untouched]
    if len(found) == 1:
        return found[0]
    places = [change.shown for change in touched] + [*untouched]
    own = [number for number, place in enumerate(places) if place.symbol.kind not in _BESIDE]
    is_one_file = len({place.path for place in places}) == 1
    return found[own[0]] if len(own) == 1 and is_one_file else None


def _several(name: str, places: Sequence[PlacedSymbol]) -> SymbolUnclear:
    named = [
        f"{place.symbol.kind} {' > '.join([place.path, *place.symbol.scope, place.symbol.name])}"
        f" [{place.handle}]"
        for place in places[:_CANDIDATES]
    ]
    return SymbolUnclear(
        f"symbol: {name!r} stands for {len(places)} definitions; one of: {'; '.join(named)}"
    )


def _identity(placed: PlacedSymbol) -> tuple[str, int, str]:
    return placed.path, placed.symbol.ordinal, placed.symbol.stable_id
