"""Refs in, what is different between them out: the part of the engine that compares."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from codecompass.config.settings import AnswerSettings
from codecompass.engine.layers import Base, base_named
from codecompass.engine.views import Target, View, Views
from codecompass.engine.workspace import Workspace
from codecompass.errors import BadInput, RefMissing, SymbolUnclear
from codecompass.indexing.job import Progress
from codecompass.model.answer import (
    ChangedFile,
    ChangeResult,
    CompareAnswer,
    DiffAnswer,
    RefResult,
    RefsAnswer,
    SwitchAnswer,
    WorktreeResult,
)
from codecompass.model.change import ChangeKind, FileChange, FileSide, SymbolChange
from codecompass.model.query import DetailLevel, DiffScope, SymbolFilters
from codecompass.model.snapshot import LIVE
from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.navigate.changes import FilePair, compare_files
from codecompass.navigate.file_changes import compare_snapshots
from codecompass.navigate.lookup import locate
from codecompass.present.changes import change_result, text_diff
from codecompass.present.meta import make_meta
from codecompass.source.refs import list_refs, list_worktrees
from codecompass.store.repository import RepositoryStore
from codecompass.store.snapshots import set_default_ref

_UNCHANGED = "unchanged"
_PROSE = frozenset({SymbolKind.SECTION, SymbolKind.KEY})
_DIFF_LINES = 12
_COMPARE_LINES = 200
_MAX_REFS = 1_000
_COMMIT_CHARS = 10
_CANDIDATES = 5


class Branches:
    """Compares refs of one workspace and knows which there are."""

    def __init__(self, workspace: Workspace, store: RepositoryStore, views: Views) -> None:
        self._workspace = workspace
        self._store = store
        self._views = views

    @property
    def _limits(self) -> AnswerSettings:
        return self._workspace.settings.answers

    def diff(
        self,
        ref: str | None,
        base: str | None,
        *,
        scope: DiffScope,
        level: DetailLevel,
        progress: Progress,
    ) -> DiffAnswer:
        """What a ref changes since it left its base."""
        target = self._views.prepare(ref, progress)
        found = self._base(target, base)
        before = self._views.prepare_commit(found.merge_base.commit, progress)
        with self._views.open_target(target) as after:
            comparison = _Comparison(after.beside(before), after)
            files = comparison.files()
            is_short = scope is DiffScope.FILES or len(files) > self._limits.diff_files
            changes = [] if is_short else comparison.symbols(files)
            shown = _most_telling(changes, self._limits.max_changes)
            results = tuple(comparison.result(change, level) for change in shown)
        notes = []
        if is_short and scope is not DiffScope.FILES:
            notes.append(f"{len(files):,} files changed: too many to tell their symbols apart")
        meta = make_meta(
            after.seen(),
            shown=len(results),
            total=len(changes),
            elapsed_ms=after.elapsed_ms(),
            content=(results, files),
            searched=None,
        )
        has_files = scope is not DiffScope.SYMBOLS or is_short
        return DiffAnswer(
            ref=target.ref,
            base=found.ref,
            merge_base=found.merge_base.commit[:_COMMIT_CHARS],
            affected_files=len(files),
            summary=dict(Counter(str(change.kind) for change in changes)),
            results=results if scope is not DiffScope.FILES else None,
            files=tuple(_changed_file(item) for item in files) if has_files else None,
            meta=meta,
            notes=tuple(notes) or None,
        )

    def _base(self, target: Target, name: str | None) -> Base:
        if not self._workspace.is_git:
            self._views.resolve(name or "HEAD")  # says that this is no repository
        if target.commit is None:
            raise RefMissing(
                "base: nothing has been committed yet", remediation="commit something first"
            )
        if name:
            return base_named(
                self._views.objects, target.commit, name, prefix=self._workspace.prefix
            )
        found = self._views.base_of(target.ref, target.commit)
        if found is None:
            raise RefMissing(
                "base: no default branch was found that shares history with this ref",
                remediation="name the base, or set refs.base in codecompass.toml",
            )
        return found

    def compare(
        self, symbol: str, from_ref: str, to_ref: str, *, progress: Progress
    ) -> CompareAnswer:
        """What became of one symbol between two refs."""
        old = self._views.prepare(from_ref, progress)
        new = self._views.prepare(to_ref, progress)
        with self._views.open_target(new) as after:
            comparison = _Comparison(after.beside(old), after)
            change = _change_of(comparison, symbol, self._limits.max_suggestions)
            if isinstance(change, PlacedSymbol):
                same = SymbolChange(ChangeKind.MODIFIED, change, change)
                result = replace(change_result(same, DetailLevel.SIGNATURE), change=_UNCHANGED)
            else:
                result = comparison.result(change, DetailLevel.CONTEXT, lines=_COMPARE_LINES)
        meta = make_meta(
            after.seen(),
            shown=1,
            total=1,
            elapsed_ms=after.elapsed_ms(),
            content=result,
            searched=None,
        )
        return CompareAnswer(symbol, old.ref, new.ref, result.change, (result,), meta)

    def list_refs(self, *, contains: str, limit: int) -> RefsAnswer:
        """Branches, tags and work trees."""
        if not 1 <= limit <= _MAX_REFS:
            raise BadInput(f"limit: given {limit}; allowed: 1 to {_MAX_REFS}")
        here = self._views.meant(None)
        if not self._workspace.is_git:
            return RefsAnswer(here, None, (), 0, ())
        root = self._views.root
        known = {(record.ref, record.workspace) for record in self._store.snapshots()}
        heads = {record.head for record in self._store.snapshots() if record.ref != LIVE}
        refs = [info for info in list_refs(root) if contains in info.name]
        worktrees = [tree for tree in list_worktrees(root) if not tree.is_bare]
        top = (
            str(root)[: -len(self._workspace.prefix) - 1] if self._workspace.prefix else str(root)
        )
        head = next((tree.commit for tree in worktrees if tree.path == top), None)
        base = self._views.base_of(LIVE, head)
        return RefsAnswer(
            default_ref=here,
            base=base.ref if base else None,
            refs=tuple(
                RefResult(
                    info.name,
                    str(info.kind),
                    info.commit[:_COMMIT_CHARS],
                    info.date,
                    is_indexed=info.commit in heads,
                )
                for info in refs[:limit]
            ),
            total=len(refs),
            worktrees=tuple(
                WorktreeResult(
                    tree.path,
                    tree.branch,
                    tree.commit[:_COMMIT_CHARS] if tree.commit else None,
                    is_indexed=(LIVE, tree.path) in known,
                    is_current=tree.path == top,
                    is_gone=tree.is_gone,
                )
                for tree in worktrees
            ),
        )

    def switch_ref(self, ref: str) -> SwitchAnswer:
        """Store the ref that questions without one mean."""
        before = self._views.meant(None)
        root = str(self._views.root)
        resolved = None if ref == LIVE else self._views.resolve(ref)
        with self._store.writing() as session:
            set_default_ref(session.database, root, None if ref == LIVE else ref)
        return SwitchAnswer(
            root, ref, before, resolved.commit[:_COMMIT_CHARS] if resolved else None
        )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two snapshots side by side."""

    before: View
    after: View

    def files(self) -> list[FileChange]:
        """What became of each file."""
        return compare_snapshots(
            self.before.reader.files(),
            self.after.reader.files(),
            old_lines=lambda path: _lines(self.before, path),
            new_lines=lambda path: _lines(self.after, path),
        )

    def symbols(self, files: Sequence[FileChange]) -> list[SymbolChange]:
        """What became of each symbol of these files."""
        pairs = []
        for change in files:
            came = change.kind is ChangeKind.ADDED
            went = change.kind is ChangeKind.DELETED
            old = None if came else _side(self.before, change.before or change.path)
            new = None if went else _side(self.after, change.path)
            pairs.append(FilePair(old, new))
        return compare_files(pairs)

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


def _most_telling(changes: Sequence[SymbolChange], limit: int) -> Sequence[SymbolChange]:
    """As many changes as fit, code before prose and configuration.

    What came or went as part of something else is left out first.
    """
    by_worth = sorted(changes, key=lambda change: (_is_prose(change), change.is_inner))
    kept = {id(change) for change in by_worth[:limit]}
    return [change for change in sorted(changes, key=_is_prose) if id(change) in kept]


def _is_prose(change: SymbolChange) -> bool:
    return change.shown.symbol.kind in _PROSE


def _change_of(
    comparison: _Comparison, name: str, suggestions: int
) -> SymbolChange | PlacedSymbol:
    """What became of the symbol a name stands for; the symbol itself if nothing did."""
    before = _found(comparison.before, name, suggestions)
    after = _found(comparison.after, name, suggestions)
    changes = comparison.symbols(comparison.files())
    old = {_identity(item): item for item in before}
    new = {_identity(item): item for item in after}
    touched = [
        change
        for change in changes
        if (change.before and _identity(change.before) in old)
        or (change.after and _identity(change.after) in new)
    ]
    involved = {_identity(item) for c in touched for item in (c.before, c.after) if item}
    untouched = [item for key, item in new.items() if key not in involved]
    if len(touched) + len(untouched) == 1:
        return touched[0] if touched else untouched[0]
    if not touched and not untouched:
        raise _no_such_symbol(comparison, name, suggestions)
    places = [change.shown for change in touched] + untouched
    named = [" > ".join([p.path, *p.symbol.scope, p.symbol.name]) for p in places[:_CANDIDATES]]
    raise SymbolUnclear(
        f"symbol: {name!r} stands for {len(places)} definitions; one of: {'; '.join(named)}"
    )


def _found(view: View, name: str, suggestions: int) -> tuple[PlacedSymbol, ...]:
    return locate(view.reader, name, filters=SymbolFilters(), max_suggestions=suggestions).matches


def _no_such_symbol(comparison: _Comparison, name: str, limit: int) -> SymbolUnclear:
    near: list[str] = []
    for view in (comparison.after, comparison.before):
        filters = SymbolFilters()
        near += locate(view.reader, name, filters=filters, max_suggestions=limit).suggestions
    hint = f"similar: {', '.join(dict.fromkeys(near))}" if near else None
    refs = f"{comparison.before.target.ref} and {comparison.after.target.ref}"
    return SymbolUnclear(f"symbol: {name!r} is defined neither in {refs}", remediation=hint)


def _identity(placed: PlacedSymbol) -> tuple[str, int, str]:
    return placed.path, placed.symbol.ordinal, placed.symbol.stable_id


def _changed_file(change: FileChange) -> ChangedFile:
    return ChangedFile(str(change.kind), change.path, change.before)
