"""Refs in, what is different between them out: the part of the engine that compares."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from codecompass.config.settings import AnswerSettings
from codecompass.engine.comparing import Comparison, most_telling
from codecompass.engine.layers import Base, base_named
from codecompass.engine.views import Target, View, Views
from codecompass.engine.workspace import Workspace
from codecompass.errors import BadInput, RefMissing
from codecompass.indexing.job import Progress
from codecompass.model.answer import (
    ChangedFile,
    CompareAnswer,
    DiffAnswer,
    RefResult,
    RefsAnswer,
    SwitchAnswer,
    WorktreeResult,
)
from codecompass.model.change import ChangeKind, FileChange, SymbolChange
from codecompass.model.page import Page, page_at
from codecompass.model.query import DetailLevel, DiffOptions, DiffScope
from codecompass.model.refs import short_commit
from codecompass.model.snapshot import LIVE
from codecompass.model.symbol import PlacedSymbol
from codecompass.navigate.changes import FilePair, compare_files
from codecompass.navigate.loose_lines import LooseLines, loose_lines
from codecompass.present.changes import change_result
from codecompass.present.meta import make_meta
from codecompass.source.refs import list_refs, list_worktrees
from codecompass.store.repository import RepositoryStore
from codecompass.store.snapshots import set_default_ref

_UNCHANGED = "unchanged"
# Told also where symbols are: what became of the file is not seen from them.
_WHOLE_FILES = frozenset({ChangeKind.ADDED, ChangeKind.DELETED, ChangeKind.RENAMED})
_COMPARE_LINES = 200
_COMPARE_MEMBERS = 20
_MAX_REFS = 1_000
_MAX_CHANGES = 10_000


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
        self, ref: str | None, base: str | None, *, options: DiffOptions, progress: Progress
    ) -> DiffAnswer:
        """What a ref changes since it left its base."""
        self._check(options)
        if ref and ".." in ref and base is None:  # as git writes it
            base, _, ref = ref.partition("..")
            ref = ref.removeprefix(".") or "HEAD"
        target = self._views.prepare(ref, progress)
        found = self._base(target, base)
        before = self._views.prepare_commit(found.merge_base.commit, progress)
        scope = options.scope
        with self._views.open_target(target) as after:
            comparison = Comparison(after.beside(before), after)
            files = comparison.files(options.path_prefix)
            is_short = scope is DiffScope.FILES or len(files) > self._limits.diff_files
            pairs = [] if is_short else comparison.pairs(files)
            changes = compare_files(pairs)
            loose = _loose(pairs)
            page = _page(options, after, found.merge_base.commit)
            limit = options.limit or self._limits.max_changes
            shown = most_telling(changes, page.start, limit)
            level = options.detail_level
            results = tuple(
                replace(comparison.result(change, level), rank=rank)
                for rank, change in shown.items()
            )
            if options.include_callers:
                results = comparison.with_callers(list(shown.values()), results)
        told = {change.shown.path for change in changes}
        files_shown = files
        if scope is DiffScope.SYMBOLS and not is_short:
            told -= loose.keys()
            files_shown = [f for f in files if f.kind in _WHOLE_FILES or f.path not in told]
        if page.start:  # the others were told with the first page
            here = {item.path for item in results}
            files_shown = [file for file in files_shown if file.path in here]
        shown_files = tuple(_changed_file(item, loose.get(item.path)) for item in files_shown)
        meta = make_meta(
            comparison.seen(is_overlay=bool(files)),
            shown=len(results),
            total=len(changes) - page.start,
            elapsed_ms=after.elapsed_ms(),
            content=(results, shown_files),
            searched=None,
        )
        return DiffAnswer(
            ref=target.ref,
            base=found.ref,
            merge_base=short_commit(found.merge_base.commit),
            affected_files=len(files),
            summary=dict(Counter(str(change.kind) for change in changes)),
            results=results if scope is not DiffScope.FILES else None,
            files=shown_files or (() if scope is not DiffScope.SYMBOLS else None),
            meta=meta,
            notes=tuple(self._notes(target, found, files, scope)) or None,
            cursor=page.cursor(len(results), len(changes)),
            page=page,
        )

    def _check(self, options: DiffOptions) -> None:
        if options.limit is not None and not 1 <= options.limit <= _MAX_CHANGES:
            raise BadInput(f"limit: given {options.limit}; allowed: 1 to {_MAX_CHANGES}")

    def _notes(
        self, target: Target, base: Base, files: Sequence[FileChange], scope: DiffScope
    ) -> list[str]:
        notes = []
        if len(files) > self._limits.diff_files and scope is not DiffScope.FILES:
            notes.append(f"{len(files):,} files changed: too many to tell their symbols apart")
        if not files and target.ref != LIVE and base.merge_base.commit == target.commit:
            notes.append(f"{target.ref} is already part of {base.ref}: name another base")
        return notes

    def _base(self, target: Target, name: str | None) -> Base:
        if not self._workspace.is_git:
            raise RefMissing(
                f"base: there is nothing to compare with: {self._views.root} is not a git"
                " repository",
                remediation="give a work tree of a git repository",
            )
        if target.commit is None:
            raise RefMissing(
                "base: nothing has been committed yet", remediation="commit something first"
            )
        if name is not None:
            return base_named(
                self._views.objects, target.commit, name, prefix=self._workspace.prefix
            )
        found = self._views.base_of(target.ref, target.commit)
        configured = self._workspace.settings.refs.base
        if found is None and configured:
            raise RefMissing(
                f"base: {configured}, as the setting refs.base says, is no commit of this"
                " repository or shares no history with this ref",
                remediation="name the base, or correct refs.base",
            )
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
            comparison = Comparison(after.beside(old), after)
            fate = comparison.fate_of(
                symbol,
                suggestions=self._limits.max_suggestions,
                max_files=self._limits.diff_files,
            )
            change = fate.symbol
            if isinstance(change, PlacedSymbol):
                same = SymbolChange(ChangeKind.MODIFIED, change, change)
                result = replace(
                    change_result(same, DetailLevel.SIGNATURE),
                    change=_UNCHANGED,
                    before_path=fate.was_in,
                )
            else:
                result = comparison.result(change, DetailLevel.CONTEXT, lines=_COMPARE_LINES)
            shown = fate.members[:_COMPARE_MEMBERS]
            members = [comparison.result(item, DetailLevel.CONTEXT) for item in shown]
            results = (result, *members)
            seen = comparison.seen(is_overlay=bool(after.overlay([result.path])))
        meta = make_meta(
            seen,
            shown=len(results),
            total=1 + len(fate.members),
            elapsed_ms=after.elapsed_ms(),
            content=results,
            searched=None,
        )
        return CompareAnswer(
            symbol,
            old.ref,
            new.ref,
            result.change,
            results,
            meta,
            from_commit=short_commit(old.commit) if old.commit else None,
            to_commit=short_commit(new.commit) if new.commit else None,
            members_left=len(fate.members) - len(members) or None,
        )

    def list_refs(self, *, contains: str, limit: int) -> RefsAnswer:
        """Branches, tags and work trees."""
        if not 1 <= limit <= _MAX_REFS:
            raise BadInput(f"limit: given {limit}; allowed: 1 to {_MAX_REFS}")
        unless_chosen = "HEAD" if self._workspace.is_bare else LIVE
        here = self._store.default_ref(str(self._views.root)) or unless_chosen
        if not self._workspace.is_git:
            return RefsAnswer(here, None, (), 0, ())
        refs = [info for info in list_refs(self._views.root) if contains in info.name]
        records = self._store.snapshots()
        heads = {record.head for record in records if record.ref != LIVE}
        base = self._views.base_of(LIVE, self._views.head())
        return RefsAnswer(
            default_ref=here,
            base=base.ref if base else None,
            refs=tuple(
                RefResult(
                    info.name,
                    str(info.kind),
                    short_commit(info.commit),
                    info.date,
                    is_indexed=info.commit in heads,
                )
                for info in refs[:limit]
            ),
            total=len(refs),
            worktrees=self._worktrees({r.workspace for r in records if r.ref == LIVE}),
        )

    def _worktrees(self, indexed: Collection[str]) -> tuple[WorktreeResult, ...]:
        trees = [tree for tree in list_worktrees(self._views.root) if not tree.is_bare]
        here = str(self._workspace.top)
        if self._workspace.is_main_worktree and trees:
            # In a submodule git names the folder of its repository instead.
            trees[0] = replace(trees[0], path=here)
        return tuple(
            WorktreeResult(
                tree.path,
                tree.branch,
                short_commit(tree.commit) if tree.commit else None,
                is_indexed=tree.path in indexed,
                is_current=tree.path == here,
                is_gone=tree.is_gone,
            )
            for tree in trees
        )

    def switch_ref(self, ref: str) -> SwitchAnswer:
        """Store the ref that questions without one mean."""
        root = str(self._views.root)
        before = self._store.default_ref(root) or LIVE
        if ref == LIVE:
            self._views.meant(LIVE)  # a bare repository has none
        resolved = None if ref == LIVE else self._views.resolve(ref)
        with self._store.writing() as session:
            set_default_ref(session.database, root, None if ref == LIVE else ref)
        return SwitchAnswer(root, ref, before, short_commit(resolved.commit) if resolved else None)


def _page(options: DiffOptions, view: View, base: str) -> Page:
    record = view.reader.record
    asked = ("diff", options.scope, options.path_prefix, base, record.id, record.generation)
    return page_at(options.cursor, *asked)


def _changed_file(change: FileChange, loose: LooseLines | None) -> ChangedFile:
    told = str(loose) if loose else None
    return ChangedFile(str(change.kind), change.path, change.before, change.unread, told)


def _loose(pairs: Sequence[FilePair]) -> dict[str, LooseLines]:
    """What is other outside definitions, by path."""
    found = {}
    for pair in pairs:
        if pair.before is not None and pair.after is not None:
            lines = loose_lines(pair.before, pair.after)
            if lines is not None:
                found[pair.after.path] = lines
    return found
