"""One method per operation; every front end calls these and decides nothing itself."""

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from codecompass.engine.searching import Searcher
from codecompass.engine.views import View, Views
from codecompass.engine.workspace import Workspace, open_workspace
from codecompass.errors import BadInput, FileNotIndexed, IndexMissing
from codecompass.indexing.job import Progress
from codecompass.model.answer import (
    OVERLAY,
    CompareAnswer,
    DiffAnswer,
    DoctorAnswer,
    ExplainAnswer,
    Freshness,
    GarbageAnswer,
    IndexingStatus,
    LocateAnswer,
    OutlineAnswer,
    Recovery,
    RefsAnswer,
    SearchAnswer,
    StatusAnswer,
    SwitchAnswer,
    SymbolResult,
    SyncAnswer,
)
from codecompass.model.context_answer import ContextAnswer
from codecompass.model.graph_answer import CallsAnswer, FamilyAnswer, ReferencesAnswer
from codecompass.model.query import (
    AnswerShape,
    ContextOptions,
    DetailLevel,
    DiffOptions,
    GraphOptions,
    OutlineDepth,
    SymbolFilters,
)
from codecompass.model.refs import short_commit
from codecompass.model.search import SearchOptions
from codecompass.model.snapshot import ACTIVE_JOBS, LIVE, Compatibility, JobRecord, JobStatus
from codecompass.model.source import IgnoredFile
from codecompass.navigate.lookup import locate
from codecompass.navigate.outline import outline_file
from codecompass.present.detail import symbol_result
from codecompass.present.meta import make_meta
from codecompass.source.guard import inside_workspace
from codecompass.source.walk import list_ignored_by_git, list_workspace
from codecompass.store.collect import collect_garbage
from codecompass.store.repository import RepositoryStore
from codecompass.store.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from codecompass.engine.branches import Branches
    from codecompass.engine.graphing import GraphQuestions

_WAIT_POLL_S = 0.2
_MAX_NAME_CHARS = 2_000


def _silent(stage: str, done: int, total: int) -> None:
    """Report progress to nobody."""


class Engine:
    """Everything CodeCompass can do with one workspace.

    Use it as a context manager: `with Engine.open(path) as engine: engine.locate("main")`.
    Every question takes a `ref`: a branch, a tag, a commit, or `live` for the working
    tree; without one it means what `switch_ref` chose, at first the working tree.
    """

    def __init__(self, workspace: Workspace, *, can_sync_behind: bool = False) -> None:
        self.workspace = workspace
        self._store = RepositoryStore(workspace.layout, workspace.settings.store)
        self._views = Views(workspace, self._store, can_sync_behind=can_sync_behind)
        self._searcher = Searcher(workspace.root, workspace.settings)

    @classmethod
    def open(cls, folder: str | Path, flags: Mapping[str, object] | None = None) -> "Engine":
        """The engine for a folder; nothing is indexed before it is needed."""
        return cls(open_workspace(folder, flags))

    def __enter__(self) -> "Engine":
        """Use as a context manager to be sure that stores are closed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the stores and end what was started."""
        self._views.close()
        self._store.close()

    def index(
        self, *, force: bool = False, ref: str | None = None, progress: Progress = _silent
    ) -> SyncAnswer:
        """Build the index, or bring it up to date; with `force` from nothing."""
        meant = self._views.meant(ref)
        root = str(self.workspace.root)
        if meant == LIVE:
            report = self._views.sync_live(progress, force=force)
        else:
            report = self._views.sync_tree(self._views.resolve(meant), progress, force=force)
        return SyncAnswer(root, meant, report.counts, report.duration_ms, report.published)

    def sync(self, *, ref: str | None = None, progress: Progress = _silent) -> SyncAnswer:
        """Bring an existing index up to date."""
        if self._store.compatibility() is Compatibility.NOT_INDEXED:
            raise IndexMissing(f"{self.workspace.root} has not been indexed yet")
        return self.index(ref=ref, progress=progress)

    def outline(
        self,
        path: str,
        *,
        depth: OutlineDepth = OutlineDepth.ALL,
        ref: str | None = None,
        progress: Progress = _silent,
    ) -> OutlineAnswer:
        """The definitions of one file."""
        inside = inside_workspace(self.workspace.root, path)
        with self._views.open(ref, progress) as view:
            try:
                found = outline_file(view.reader, inside, depth)
            except FileNotIndexed as error:
                raise self._why_not(inside, view, error) from error
            is_overlay = bool(view.overlay([inside]))
        results = tuple(symbol_result(item, DetailLevel.SIGNATURE) for item in found.symbols)
        meta = make_meta(
            view.seen(is_overlay=is_overlay),
            shown=len(results),
            total=len(results),
            elapsed_ms=view.elapsed_ms(),
            content=results,
            searched=None,
        )
        return OutlineAnswer(
            found.path, found.language, found.line_count, found.has_errors, results, meta
        )

    def locate(
        self,
        name: str,
        *,
        filters: SymbolFilters | None = None,
        detail_level: DetailLevel = DetailLevel.SIGNATURE,
        ref: str | None = None,
        progress: Progress = _silent,
    ) -> LocateAnswer:
        """Definitions by exact name, `A > B`, `path > A > B` or handle."""
        name = name.replace(f"{self.workspace.root}/", "")  # an absolute path as first step
        _check_name(name)
        limits = self.workspace.settings.answers
        with self._views.open(ref, progress) as view:
            found = locate(
                view.reader,
                name,
                filters=filters or SymbolFilters(),
                max_suggestions=limits.max_suggestions,
            )
            counts = None if found.matches else view.reader.counts()
            shown = found.matches[: limits.max_results]
            texts = {}
            if detail_level is DetailLevel.CONTEXT:
                texts = {item.path: view.text(item.path) for item in shown}
            results = tuple(symbol_result(item, detail_level, texts) for item in shown)
            results = _layered(view, results)
        meta = make_meta(
            view.seen(is_overlay=any(item.source_layer for item in results)),
            shown=len(results),
            total=len(found.matches),
            elapsed_ms=view.elapsed_ms(),
            content=results,
            searched=counts,
        )
        return LocateAnswer(
            name, len(found.matches), results, found.suggestions, meta, found.filtered_out
        )

    def search(
        self,
        query: str,
        *,
        options: SearchOptions | None = None,
        filters: SymbolFilters | None = None,
        shape: AnswerShape | None = None,
        ref: str | None = None,
        progress: Progress = _silent,
    ) -> SearchAnswer:
        """Places that answer a question: words, a name, a path, "a phrase", /an expression/."""
        with self._views.open(ref, progress) as view:
            return self._searcher.search(
                view,
                query,
                options or SearchOptions(),
                filters=filters or SymbolFilters(),
                shape=shape or AnswerShape(),
            )

    def explain(
        self,
        query: str,
        target: str,
        *,
        options: SearchOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = _silent,
    ) -> ExplainAnswer:
        """Why a hit ranks where it does; `target` is its handle, its path or `path:line`."""
        with self._views.open(ref, progress) as view:
            return self._searcher.explain(
                view,
                query,
                target,
                options=options or SearchOptions(),
                filters=filters or SymbolFilters(),
            )

    def context(
        self,
        query: str,
        *,
        options: ContextOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = _silent,
    ) -> ContextAnswer:
        """How what answers a question hangs together, and its code, inside a budget."""
        from codecompass.engine.contexts import ContextQuestion  # not needed by most questions

        options = options or ContextOptions()
        with self._views.open(ref, progress) as view:
            found = self._searcher.find(view, query, SearchOptions(top_k=50), filters)
            question = ContextQuestion(view, found, options, self.workspace.settings.answers)
            return question.answer(query)

    def find_references(
        self,
        symbol: str,
        *,
        options: GraphOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = _silent,
    ) -> ReferencesAnswer:
        """Every use of a symbol by role, grouped by file; same-name places are kept apart."""
        with self._graph_questions(symbol, options, ref, progress) as (questions, chosen):
            return questions.references(symbol, chosen, filters or SymbolFilters())

    def call_graph(
        self,
        symbol: str,
        *,
        options: GraphOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = _silent,
    ) -> CallsAnswer:
        """Who calls a symbol and what it calls, with the lines of the calls."""
        with self._graph_questions(symbol, options, ref, progress) as (questions, chosen):
            return questions.calls(symbol, chosen, filters or SymbolFilters())

    def hierarchy(
        self,
        symbol: str,
        *,
        options: GraphOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = _silent,
    ) -> FamilyAnswer:
        """Parent chain, supertypes, subtypes, overrides, members."""
        with self._graph_questions(symbol, options, ref, progress) as (questions, chosen):
            return questions.family(symbol, chosen, filters or SymbolFilters())

    def related(
        self,
        symbol: str,
        *,
        options: GraphOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = _silent,
    ) -> FamilyAnswer:
        """What belongs to a symbol: callers, callees, types, family, neighbours, namesakes."""
        with self._graph_questions(symbol, options, ref, progress) as (questions, chosen):
            return questions.related(symbol, chosen, filters or SymbolFilters())

    @contextmanager
    def _graph_questions(
        self, symbol: str, options: GraphOptions | None, ref: str | None, progress: Progress
    ) -> Generator[tuple["GraphQuestions", GraphOptions]]:
        from codecompass.engine.graphing import GraphQuestions  # not needed by most questions

        _check_name(symbol)
        options = options or GraphOptions()
        most = self.workspace.settings.answers.max_relations
        if not 1 <= options.limit <= most:
            raise BadInput(f"limit: given {options.limit}; allowed: 1 to {most}")
        with self._views.open(ref, progress) as view:
            yield GraphQuestions(view, self.workspace.settings.answers), options

    def diff(
        self,
        *,
        ref: str | None = None,
        base: str | None = None,
        options: DiffOptions | None = None,
        progress: Progress = _silent,
    ) -> DiffAnswer:
        """What a ref or the working tree changes, by symbols, since it left its base."""
        options = options or DiffOptions()
        if options.path_prefix:
            inside = inside_workspace(self.workspace.root, options.path_prefix)
            options = replace(options, path_prefix="" if inside == "." else inside)
        return self._branches.diff(ref, base, options=options, progress=progress)

    def compare(
        self, symbol: str, from_ref: str, to_ref: str, *, progress: Progress = _silent
    ) -> CompareAnswer:
        """One symbol at two refs: signature, body, moved or renamed."""
        symbol = symbol.replace(f"{self.workspace.root}/", "")
        _check_name(symbol)
        return self._branches.compare(symbol, from_ref, to_ref, progress=progress)

    def list_refs(self, *, contains: str = "", limit: int = 20) -> RefsAnswer:
        """Branches, tags and work trees, and which of them are indexed."""
        return self._branches.list_refs(contains=contains, limit=limit)

    def switch_ref(self, ref: str) -> SwitchAnswer:
        """Choose the ref that questions of this workspace mean; `live` for its working tree."""
        return self._branches.switch_ref(ref)

    def gc(self) -> GarbageAnswer:
        """Throw away what no branch or working tree in use needs any more."""
        before = self._store.size_bytes()
        if self._store.compatibility() is Compatibility.NOT_INDEXED:
            raise IndexMissing(f"{self.workspace.root} has not been indexed yet")
        with self._store.writing() as session:
            found = collect_garbage(session, self.workspace.settings.refs, everything=True)
        freed = max(0, before - self._store.size_bytes())
        return GarbageAnswer(found.snapshots, found.versions, freed)

    def status(
        self, *, wait: bool = False, timeout_s: float = 60.0, ref: str | None = None
    ) -> StatusAnswer:
        """The state of the index; with `wait`, after a running job has ended."""
        deadline = time.monotonic() + timeout_s
        meant = self._views.meant(ref)
        name = self._views.name_of(meant)
        job = self._store.last_job(name)
        while wait and job and job.status in ACTIVE_JOBS and time.monotonic() < deadline:
            time.sleep(_WAIT_POLL_S)
            job = self._store.last_job(name)
        return self._status(job, meant)

    def ignored(self) -> list[IgnoredFile]:
        """Every file or folder that a rule leaves out, with the rule."""
        self._views.meant(LIVE)  # a bare repository has no such files
        listing = list_workspace(self.workspace.root, self.workspace.scratch)
        by_git = list_ignored_by_git(self.workspace.root, self.workspace.scratch)
        return sorted([*listing.ignored, *by_git], key=lambda item: item.path)

    def doctor(self) -> DoctorAnswer:
        """What is right and wrong with this installation and this index."""
        from codecompass.engine.doctor import examine  # rarely needed

        return examine(self.workspace, self._store)

    @cached_property
    def _branches(self) -> "Branches":
        from codecompass.engine.branches import Branches  # not needed by most questions

        return Branches(self.workspace, self._store, self._views)

    def _status(self, job: JobRecord | None, ref: str) -> StatusAnswer:
        compatibility = self._store.compatibility()
        reader = None
        if compatibility is Compatibility.COMPATIBLE:
            reader = self._store.reader(self._views.name_of(ref))
        counts = record = None
        if reader is not None:
            with reader:
                counts, record = reader.counts(), reader.record
        changed = None
        if record is not None:
            delta = self._views.real_delta() if ref == LIVE else None
            changed = len(delta.changed) + len(delta.deleted) if delta else 0
        is_running = job is not None and job.status in ACTIVE_JOBS
        freshness = Freshness.SYNCING if is_running else Freshness.STALE
        if not is_running and changed == 0:
            freshness = Freshness.FRESH
        return StatusAnswer(
            workspace=str(self.workspace.root),
            ref=ref,
            store=str(self.workspace.layout.folder),
            size_bytes=self._store.size_bytes(),
            compatibility=compatibility,
            schema_version=SCHEMA_VERSION,
            freshness_status=freshness,
            indexing_status=_indexing_status(job, is_published=record is not None),
            changed_files=changed,
            counts=counts,
            head=record.head if record else None,
            published_at=record.published_at if record else None,
            recovery=_recovery(job),
            is_being_written=self._store.is_being_written() or None,
        )

    def _why_not(self, path: str, view: View, error: FileNotIndexed) -> FileNotIndexed:
        """An error that says why a file is not there: another ref, an ignore rule."""
        if view.target.ref != LIVE:
            at = f"{view.target.ref} at {short_commit(view.target.commit or '')}"
            is_there = view.content_id(path) is not None
            said = error.message if is_there else f"{path} is not there"
            hint = error.remediation if error.remediation.startswith("one of") else ""
            return FileNotIndexed(f"{said} ({at})", remediation=hint)
        if not (self.workspace.root / path).is_file():
            return error
        for item in self.ignored():
            if path == item.path or (item.path.endswith("/") and path.startswith(item.path)):
                place = f"{item.source}:{item.line}" if item.line else item.source
                return FileNotIndexed(
                    f"{path} is left out by the rule {item.pattern} ({place})",
                    remediation=f"a line !{path} in .codecompassignore overrules built-in rules",
                )
        return error


def _layered(view: View, results: tuple[SymbolResult, ...]) -> tuple[SymbolResult, ...]:
    """Results that say so where they are not as in the base branch."""
    overlay = view.overlay({item.path for item in results})
    return tuple(
        replace(item, source_layer=OVERLAY) if item.path in overlay else item for item in results
    )


def _check_name(name: str) -> None:
    allowed = "a name, `A > name`, `path > A > name` or a handle"
    if not name.strip():
        raise BadInput(f"name: given an empty text; allowed: {allowed}")
    if len(name) > _MAX_NAME_CHARS:
        raise BadInput(f"name: given {len(name):,} characters; allowed: {allowed}")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(f"name: given text that is not Unicode; allowed: {allowed}") from error
    steps = f" {name.replace('symbol =', '', 1)} ".split(" > ")
    if not all(step.strip() for step in steps):
        raise BadInput(f"name: given {name!r} with an empty step; allowed: {allowed}")


def _indexing_status(job: JobRecord | None, *, is_published: bool) -> IndexingStatus:
    if job is not None and job.status in ACTIVE_JOBS:
        return IndexingStatus.INDEXING
    if is_published:
        return IndexingStatus.READY
    if job is not None and job.status in {JobStatus.FAILED, JobStatus.ROLLED_BACK}:
        return IndexingStatus.FAILED
    return IndexingStatus.NOT_INDEXED


def _recovery(job: JobRecord | None) -> Recovery | None:
    if job is None or job.status not in {JobStatus.FAILED, JobStatus.ROLLED_BACK}:
        return None
    advice = "what was published before is intact; codecompass sync goes on where it stopped"
    return Recovery(int(job.id), job.error_code, job.error_message, job.created_at, advice)
