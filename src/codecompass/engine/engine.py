"""One method per operation; every front end calls these and decides nothing itself."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from codecompass.engine.freshness import Step, next_step
from codecompass.engine.searching import (
    ask,
    check_options,
    inside_filters,
    mode_of,
    page_of,
    rank_of,
    said_filters,
    show,
    suggest_names,
)
from codecompass.engine.workspace import Workspace, open_workspace
from codecompass.errors import BadInput, FileNotIndexed, IndexMissing, StoreBusy
from codecompass.indexing.sync import (
    Progress,
    look_for_changes,
    real_changes,
    sync_workspace,
)
from codecompass.model.answer import (
    DoctorAnswer,
    ExplainAnswer,
    Freshness,
    IndexingStatus,
    LocateAnswer,
    OutlineAnswer,
    Recovery,
    SearchAnswer,
    StatusAnswer,
    SyncAnswer,
)
from codecompass.model.query import (
    AnswerShape,
    DetailLevel,
    ExplainLevel,
    OutlineDepth,
    SymbolFilters,
)
from codecompass.model.search import SearchOptions
from codecompass.model.snapshot import (
    ACTIVE_JOBS,
    LIVE,
    Compatibility,
    FileDelta,
    JobRecord,
    JobStatus,
)
from codecompass.model.source import IgnoredFile
from codecompass.navigate.lookup import locate
from codecompass.navigate.outline import outline_file
from codecompass.present.detail import symbol_result
from codecompass.present.meta import about_search, make_meta
from codecompass.search.exact import TextOf
from codecompass.search.search import Found
from codecompass.source.guard import inside_workspace
from codecompass.source.read import read_unchanged
from codecompass.source.walk import Listing, list_ignored_by_git, list_workspace
from codecompass.store.reader import SnapshotReader
from codecompass.store.repository import RepositoryStore
from codecompass.store.schema import SCHEMA_VERSION

_WAIT_POLL_S = 0.2
_MAX_NAME_CHARS = 2_000


def _silent(stage: str, done: int, total: int) -> None:
    """Report progress to nobody."""


class Engine:
    """Everything CodeCompass can do with one workspace.

    Use it as a context manager: `with Engine.open(path) as engine: engine.locate("main")`.
    """

    def __init__(self, workspace: Workspace, *, can_sync_behind: bool = False) -> None:
        self.workspace = workspace
        self._store = RepositoryStore(workspace.layout, workspace.settings.store)
        self._can_sync_behind = can_sync_behind
        self._last_found: tuple[object, Found] | None = None  # for the next page
        self._fresh_until = 0.0  # monotonic; until then no look at the files is needed

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
        """Close the stores."""
        self._store.close()

    def index(self, *, force: bool = False, progress: Progress = _silent) -> SyncAnswer:
        """Build the index, or bring it up to date; with `force` from nothing."""
        return self._sync(force=force, progress=progress)

    def _sync(
        self, *, force: bool = False, progress: Progress, listing: Listing | None = None
    ) -> SyncAnswer:
        settings = self.workspace.settings.index
        report = sync_workspace(
            self._store,
            self.workspace.root,
            scratch=self.workspace.scratch,
            settings=settings,
            progress=progress,
            force=force,
            listing=listing,
        )
        root = str(self.workspace.root)
        return SyncAnswer(root, report.counts, report.duration_ms, report.published)

    def sync(self, *, progress: Progress = _silent) -> SyncAnswer:
        """Bring an existing index up to date."""
        if self._store.compatibility() is Compatibility.NOT_INDEXED:
            raise IndexMissing(f"{self.workspace.root} has not been indexed yet")
        return self.index(progress=progress)

    def outline(
        self, path: str, *, depth: OutlineDepth = OutlineDepth.ALL, progress: Progress = _silent
    ) -> OutlineAnswer:
        """The definitions of one file."""
        started = time.monotonic()
        inside = inside_workspace(self.workspace.root, path)
        freshness = self._make_fresh(progress)
        try:
            with self._reader() as reader:
                found = outline_file(reader, inside, depth)
        except FileNotIndexed as error:
            raise self._reason_to_leave_out(inside) or error from error
        results = tuple(symbol_result(item, DetailLevel.SIGNATURE) for item in found.symbols)
        meta = make_meta(
            freshness=freshness,
            shown=len(results),
            total=len(results),
            elapsed_ms=_elapsed_ms(started),
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
        progress: Progress = _silent,
    ) -> LocateAnswer:
        """Definitions by exact name, `A > B`, `path > A > B` or handle."""
        name = name.replace(f"{self.workspace.root}/", "")  # an absolute path as first step
        _check_name(name)
        started = time.monotonic()
        freshness = self._make_fresh(progress)
        limits = self.workspace.settings.answers
        texts = {}
        with self._reader() as reader:
            found = locate(
                reader,
                name,
                filters=filters or SymbolFilters(),
                max_suggestions=limits.max_suggestions,
            )
            counts = None if found.matches else reader.counts()
            shown = found.matches[: limits.max_results]
            if detail_level is DetailLevel.CONTEXT:
                texts = {item.path: self._text(reader, item.path) for item in shown}
        results = tuple(symbol_result(item, detail_level, texts) for item in shown)
        meta = make_meta(
            freshness=freshness,
            shown=len(results),
            total=len(found.matches),
            elapsed_ms=_elapsed_ms(started),
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
        progress: Progress = _silent,
    ) -> SearchAnswer:
        """Places that answer a question: words, a name, a path, "a phrase", /an expression/."""
        started = time.monotonic()
        shape = shape or AnswerShape()
        freshness = self._make_fresh(progress)
        with self._reader() as reader:
            found = self._ask(reader, query, options, filters)
            state = f"{reader.record.id}:{reader.record.generation}"
            page = page_of(found, state)
            results = show(
                reader,
                found,
                page.hits,
                level=DetailLevel.LOCATION if shape.compact else shape.detail_level,
                text_of=self._texts(reader),
                with_factors=shape.explain is not ExplainLevel.OFF,
            )
            nothing = not found.hits
            counts = reader.counts() if nothing else None
            limit = self.workspace.settings.answers.max_suggestions
            names = suggest_names(reader, found.plan.question, limit) if nothing else ()
        is_full = shape.explain is ExplainLevel.FULL
        meta = make_meta(
            freshness=freshness,
            shown=page.offset + len(results),
            total=len(found.hits) + found.is_cut,
            elapsed_ms=_elapsed_ms(started),
            content=results,
            searched=counts,
        )
        return SearchAnswer(
            query=query,
            mode=str(mode_of(found)),
            results=results,
            suggestions=names,
            meta=about_search(
                meta,
                found.plan.guess,
                suppressed=found.suppressed,
                is_partial=not found.is_complete,
            ),
            total_matches=found.total_matches,
            cursor=page.cursor,
            filters=said_filters(found.plan.question.filters),
            notes=(*found.plan.question.notes, *found.notes) or None,
            terms={t.text: round(t.share, 3) for t in found.terms} if is_full else None,
        )

    def explain(
        self,
        query: str,
        target: str,
        *,
        options: SearchOptions | None = None,
        filters: SymbolFilters | None = None,
        progress: Progress = _silent,
    ) -> ExplainAnswer:
        """Why a hit ranks where it does; `target` is its handle, its path or `path:line`."""
        started = time.monotonic()
        freshness = self._make_fresh(progress)
        with self._reader() as reader:
            found = self._ask(reader, query, options, filters)
            rank = rank_of(reader, found, target)
            hits = [found.hits[rank]] if rank is not None else []
            results = show(
                reader,
                found,
                hits,
                level=DetailLevel.SIGNATURE,
                text_of=self._texts(reader),
                with_factors=True,
            )
        result = results[0] if results else None
        meta = make_meta(
            freshness=freshness,
            shown=1,
            total=1,
            elapsed_ms=_elapsed_ms(started),
            content=results,
            searched=None,
        )
        return ExplainAnswer(
            query=query,
            rank=rank + 1 if rank is not None else None,
            score=result.score if result else None,
            result=replace(result, factors=None) if result else None,
            factors=(result.factors or {}) if result else {},
            terms={term.text: round(term.share, 3) for term in found.terms},
            total=len(found.hits),
            meta=about_search(meta, found.plan.guess),
        )

    def _ask(
        self,
        reader: SnapshotReader,
        query: str,
        options: SearchOptions | None,
        filters: SymbolFilters | None,
    ) -> Found:
        options = options or SearchOptions()
        check_options(options, self.workspace.settings)
        query = query.replace(f"{self.workspace.root}/", "")  # an absolute path in it
        filters = inside_filters(self.workspace.root, filters or SymbolFilters())
        state = (reader.record.id, reader.record.generation)
        key = (query, replace(options, cursor="", top_k=1), filters, state)
        if options.cursor and self._last_found and self._last_found[0] == key:
            found = self._last_found[1]
            return replace(found, plan=replace(found.plan, options=options))
        found = ask(
            reader,
            query,
            options,
            filters=filters,
            settings=self.workspace.settings,
            text_of=self._texts(reader),
        )
        self._last_found = (key, found)
        return found

    def _texts(self, reader: SnapshotReader) -> TextOf:
        return lambda path: self._text(reader, path)

    def status(self, *, wait: bool = False, timeout_s: float = 60.0) -> StatusAnswer:
        """The state of the index; with `wait`, after a running job has ended."""
        deadline = time.monotonic() + timeout_s
        job = self._store.last_job(str(self.workspace.root))
        while wait and job and job.status in ACTIVE_JOBS and time.monotonic() < deadline:
            time.sleep(_WAIT_POLL_S)
            job = self._store.last_job(str(self.workspace.root))
        return self._status(job)

    def ignored(self) -> list[IgnoredFile]:
        """Every file or folder that a rule leaves out, with the rule."""
        listing = list_workspace(self.workspace.root, self.workspace.scratch)
        by_git = list_ignored_by_git(self.workspace.root, self.workspace.scratch)
        return sorted([*listing.ignored, *by_git], key=lambda item: item.path)

    def doctor(self) -> DoctorAnswer:
        """What is right and wrong with this installation and this index."""
        from codecompass.engine.doctor import examine  # rarely needed

        return examine(self.workspace, self._store)

    def _status(self, job: JobRecord | None) -> StatusAnswer:
        compatibility = self._store.compatibility()
        reader = None
        if compatibility is Compatibility.COMPATIBLE:
            reader = self._store.reader(ref=LIVE, workspace=str(self.workspace.root))
        counts = record = None
        if reader is not None:
            with reader:
                counts, record = reader.counts(), reader.record
        delta = self._real_delta() if record is not None else None
        changed = len(delta.changed) + len(delta.deleted) if delta else None
        is_running = job is not None and job.status in ACTIVE_JOBS
        freshness = Freshness.SYNCING if is_running else Freshness.STALE
        if not is_running and changed == 0:
            freshness = Freshness.FRESH
        return StatusAnswer(
            workspace=str(self.workspace.root),
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
        )

    def _make_fresh(self, progress: Progress) -> Freshness:
        """Look for changes and sync if the settings say so; a recent look may do."""
        if time.monotonic() < self._fresh_until:
            return Freshness.FRESH
        started = time.monotonic()
        found = self._look_and_sync(progress)
        if found is Freshness.FRESH:
            self._fresh_until = started + self.workspace.settings.freshness.recheck_after_s
        return found

    def _look_and_sync(self, progress: Progress) -> Freshness:
        root, scratch = self.workspace.root, self.workspace.scratch
        look = look_for_changes(
            self._store, root, scratch=scratch, settings=self.workspace.settings.index
        )
        delta = look.delta if look else None
        step = next_step(
            delta, self.workspace.settings.freshness, can_sync_behind=self._can_sync_behind
        )
        if step is Step.ANSWER:
            return Freshness.FRESH
        if step is Step.ANSWER_STALE:
            is_fresh = self._real_delta().is_empty
            return Freshness.FRESH if is_fresh else Freshness.STALE
        must_wait = delta is None or self.workspace.settings.freshness.policy == "strict"
        if not must_wait and self._store.is_being_written():
            return Freshness.SYNCING  # somebody does it already: answer from what is published
        try:
            self._sync(progress=progress, listing=look.listing if look else None)
        except StoreBusy:
            if must_wait:
                raise
            return Freshness.SYNCING
        return Freshness.FRESH

    def _real_delta(self) -> FileDelta:
        """What has really changed since the last publish."""
        root = self.workspace.root
        settings = self.workspace.settings.index
        look = look_for_changes(
            self._store, root, scratch=self.workspace.scratch, settings=settings
        )
        if look is None or look.delta.is_empty:
            return FileDelta((), ())
        return real_changes(self._store, root, look.delta, settings)

    def _reason_to_leave_out(self, path: str) -> FileNotIndexed | None:
        """An error that names the ignore rule, if one keeps an existing file out."""
        if not (self.workspace.root / path).is_file():
            return None
        for item in self.ignored():
            if path == item.path or (item.path.endswith("/") and path.startswith(item.path)):
                place = f"{item.source}:{item.line}" if item.line else item.source
                return FileNotIndexed(
                    f"{path} is left out by the rule {item.pattern} ({place})",
                    remediation=f"a line !{path} in .codecompassignore overrules built-in rules",
                )
        return None

    def _reader(self) -> SnapshotReader:
        reader = self._store.reader(ref=LIVE, workspace=str(self.workspace.root))
        if reader is None:
            raise IndexMissing(f"{self.workspace.root} has not been indexed yet")
        return reader

    def _text(self, reader: SnapshotReader, path: str) -> str | None:
        """A file's text, if it still is the one that was indexed."""
        entry = reader.file(path)
        return read_unchanged(self.workspace.root, entry) if entry else None


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


def _elapsed_ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
