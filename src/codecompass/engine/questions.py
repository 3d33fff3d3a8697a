"""Questions about code: one method for each, all from one snapshot."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from codecompass.engine.cluster_cache import ClusterCache
from codecompass.engine.outlines import file_answer, folder_answer
from codecompass.engine.searching import Searcher
from codecompass.engine.views import View, Views
from codecompass.engine.workspace import Workspace
from codecompass.errors import BadInput, CodeCompassError, FileNotIndexed
from codecompass.indexing.job import Progress
from codecompass.indexing.parsers import shared_parsers
from codecompass.model.answer import (
    OVERLAY,
    ExplainAnswer,
    FolderAnswer,
    FollowupAnswer,
    LocateAnswer,
    OutlineAnswer,
    SearchAnswer,
    SymbolResult,
)
from codecompass.model.cluster import ClusterOptions, ClustersAnswer, ExpansionAnswer
from codecompass.model.context_answer import ContextAnswer
from codecompass.model.graph_answer import CallsAnswer, FamilyAnswer, ReferencesAnswer
from codecompass.model.page import page_at
from codecompass.model.query import (
    AnswerShape,
    ContextOptions,
    DetailLevel,
    GraphOptions,
    OutlineDepth,
    SymbolFilters,
)
from codecompass.model.refs import short_commit
from codecompass.model.search import SearchMode, SearchOptions
from codecompass.model.snapshot import LIVE, Compatibility
from codecompass.model.source import IgnoredFile
from codecompass.navigate.lookup import locate
from codecompass.navigate.outline import outline_file, outline_folder
from codecompass.present.detail import symbol_result
from codecompass.present.meta import make_meta
from codecompass.source.guard import inside_workspace
from codecompass.source.walk import list_ignored_by_git, list_workspace
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.repository import RepositoryStore
from codecompass.text.identifiers import split_name

if TYPE_CHECKING:
    from codecompass.engine.graphing import GraphQuestions

_MAX_NAME_CHARS = 2_000
_MAX_PATH_CHARS = 4_000
_MAX_FILES = 300  # of a folder
_HOT_SPOTS = 30  # names of which clusters are made ahead


def silent(stage: str, done: int, total: int) -> None:
    """Report progress to nobody."""


class Questions:
    """What can be asked of a workspace."""

    def __init__(self, workspace: Workspace, *, can_sync_behind: bool = False) -> None:
        self.workspace = workspace
        self._store = RepositoryStore(workspace.layout, workspace.settings.store)
        self._views = Views(workspace, self._store, can_sync_behind=can_sync_behind)
        self._searcher = Searcher(workspace.root, workspace.settings, self._views.semantics)
        self._clusters = ClusterCache()

    def rest(self) -> None:
        """Give back what the next question can read again: memory, files, processes."""
        self._views.rest()
        shared_parsers().rest()
        self._store.rest()
        self._searcher.rest()
        shared_analyzer().forget()
        split_name.cache_clear()
        self._clusters = ClusterCache()

    @contextmanager
    def telling(self, progress: Progress) -> Generator[None]:
        """Tell how far long work is in all questions inside; what `progress` raises ends it."""
        self._views.live.listener = progress
        try:
            yield
        finally:
            self._views.live.listener = None

    def outline(
        self,
        path: str,
        *,
        depth: OutlineDepth = OutlineDepth.ALL,
        ref: str | None = None,
        progress: Progress = silent,
    ) -> OutlineAnswer | FolderAnswer:
        """The definitions of one file, or the files of a folder and what they define."""
        if len(path) > _MAX_PATH_CHARS:
            raise BadInput(f"path: given {len(path):,} characters; allowed: {_MAX_PATH_CHARS:,}")
        inside = inside_workspace(self.workspace.root, path)
        budget = self.workspace.settings.answers.max_tokens
        with self._views.open(ref, progress) as view:
            if view.reader.file(inside) is None:
                folder = outline_folder(view.reader, inside, depth, limit=_MAX_FILES)
                if folder is not None:
                    return folder_answer(view, folder, budget)
            try:
                found = outline_file(view.reader, inside, depth)
            except FileNotIndexed as error:
                raise self._why_not(inside, view, error) from error
            return file_answer(view, found, budget)

    def locate(
        self,
        name: str,
        *,
        filters: SymbolFilters | None = None,
        detail_level: DetailLevel = DetailLevel.SIGNATURE,
        cursor: str = "",
        ref: str | None = None,
        progress: Progress = silent,
    ) -> LocateAnswer:
        """Definitions by exact name, `A > B`, `path > A > B` or handle."""
        name = name.replace(f"{self.workspace.root}/", "")  # an absolute path as first step
        check_name(name)
        limits = self.workspace.settings.answers
        with self._views.open(ref, progress) as view:
            found = locate(
                view.reader,
                name,
                filters=filters or SymbolFilters(),
                max_suggestions=limits.max_suggestions,
            )
            found.check(name)
            counts = None if found.matches else view.reader.counts()
            record = view.reader.record
            page = page_at(cursor, "locate", name, filters, record.id, record.generation)
            shown = found.matches[page.start : page.start + limits.max_results]
            texts = {}
            if detail_level is DetailLevel.CONTEXT:
                texts = {item.path: view.text(item.path) for item in shown}
            results = tuple(symbol_result(item, detail_level, texts) for item in shown)
            results = _layered(view, results)
        meta = make_meta(
            view.seen(is_overlay=any(item.source_layer for item in results)),
            shown=len(results),
            total=len(found.matches) - page.start,
            elapsed_ms=view.elapsed_ms(),
            content=results,
            searched=counts,
        )
        return LocateAnswer(
            name,
            len(found.matches),
            results,
            found.suggestions,
            meta,
            found.filtered_out,
            cursor=page.cursor(len(shown), len(found.matches)),
            page=page,
        )

    def search(
        self,
        query: str,
        *,
        options: SearchOptions | None = None,
        filters: SymbolFilters | None = None,
        shape: AnswerShape | None = None,
        ref: str | None = None,
        progress: Progress = silent,
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

    def similar(
        self,
        symbol: str,
        *,
        options: GraphOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = silent,
    ) -> SearchAnswer:
        """Definitions that are like one: what it does and how it is called."""
        given = options or GraphOptions(limit=10)
        check_name(symbol)
        with self._views.open(ref, progress) as view:
            wanted = SearchOptions(SearchMode.SIMILAR, top_k=given.limit, cursor=given.cursor)
            return self._searcher.similar(view, symbol, wanted, filters=filters or SymbolFilters())

    def explain(
        self,
        query: str,
        target: str,
        *,
        options: SearchOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = silent,
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
        progress: Progress = silent,
    ) -> ContextAnswer:
        """How what answers a question hangs together, and its code, inside a budget."""
        from codecompass.engine.contexts import ContextQuestion  # not needed by most questions

        options = options or ContextOptions()
        with self._views.open(ref, progress) as view:
            found = self._searcher.find(view, query, SearchOptions(top_k=30), filters)
            question = ContextQuestion(view, found, options, self.workspace.settings.answers)
            return question.answer(query)

    def clusters(
        self,
        query: str,
        *,
        options: ClusterOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = silent,
    ) -> ClustersAnswer:
        """What matches a question, each with what belongs to it."""
        from codecompass.engine.clustering import ClusterQuestion, check_cluster_options

        options = options or ClusterOptions()
        check_cluster_options(options)
        with self._views.open(ref, progress) as view:
            record = view.reader.record
            key = (query, options, filters, record.id, record.generation)
            known = self._clusters.get(key)
            if known is not None:
                seen = view.seen()
                meta = replace(
                    known.meta,
                    freshness_status=seen.freshness,
                    ref=seen.ref,
                    commit=short_commit(seen.commit) if seen.commit else None,
                    elapsed_ms=view.elapsed_ms(),
                )
                return replace(known, meta=meta)
            found = self._searcher.find(view, query, SearchOptions(top_k=20), filters)
            question = ClusterQuestion(view, self.workspace.settings.answers)
            answer = question.answer(query, found, options)
            self._clusters.put(key, answer)
            return answer

    def suggest_followups(
        self,
        query: str,
        *,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = silent,
    ) -> FollowupAnswer:
        """What to ask next, by how sure the answer to a question is."""
        from codecompass.engine.followups import followups  # rarely needed

        with self._views.open(ref, progress) as view:
            found = self._searcher.find(view, query, SearchOptions(), filters)
            return followups(view, query, found, self.workspace.settings.answers.max_suggestions)

    def use_idle_time(self, *, ref: str | None = None) -> bool:
        """Make one cluster ahead of its question; False if there is nothing left to do.

        What goes wrong here is nobody's question: it is left for the next one to say.
        """
        if not self.workspace.settings.answers.precompute:
            return False
        try:
            if self._store.compatibility() is not Compatibility.COMPATIBLE:
                return False
            return self._make_ahead(ref)
        except (CodeCompassError, OSError):
            return False

    def _make_ahead(self, ref: str | None) -> bool:
        with self._views.open(ref, silent) as view:
            state = (view.reader.record.id, view.reader.record.generation)
            if self._clusters.state != state:
                from codecompass.navigate.hot_spots import hot_spots
                from codecompass.navigate.uses import Graph

                self._clusters.begin(state, hot_spots(Graph(view.reader), _HOT_SPOTS))
        name = self._clusters.next_hot_spot()
        if name is None:
            return False
        self.clusters(name, ref=ref)
        return True

    def expand_cluster(
        self,
        cluster_id: str,
        relationship_type: str,
        *,
        expansion_depth: int = 1,
        limit: int = 20,
        ref: str | None = None,
        progress: Progress = silent,
    ) -> ExpansionAnswer:
        """One relationship of a cluster; its id is a handle and works in any process."""
        from codecompass.engine.clustering import ClusterQuestion, check_expansion

        check_name(cluster_id)
        relationship = check_expansion(relationship_type, expansion_depth, limit)
        with self._views.open(ref, progress) as view:
            question = ClusterQuestion(view, self.workspace.settings.answers)
            return question.expand(cluster_id, relationship, depth=expansion_depth, limit=limit)

    def find_references(
        self,
        symbol: str,
        *,
        options: GraphOptions | None = None,
        filters: SymbolFilters | None = None,
        ref: str | None = None,
        progress: Progress = silent,
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
        progress: Progress = silent,
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
        progress: Progress = silent,
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
        progress: Progress = silent,
    ) -> FamilyAnswer:
        """What belongs to a symbol: callers, callees, types, family, neighbours, namesakes."""
        with self._graph_questions(symbol, options, ref, progress) as (questions, chosen):
            return questions.related(symbol, chosen, filters or SymbolFilters())

    @contextmanager
    def _graph_questions(
        self, symbol: str, options: GraphOptions | None, ref: str | None, progress: Progress
    ) -> Generator[tuple["GraphQuestions", GraphOptions]]:
        from codecompass.engine.graphing import GraphQuestions  # not needed by most questions

        check_name(symbol)
        options = options or GraphOptions()
        most = self.workspace.settings.answers.max_relations
        if not 1 <= options.limit <= most:
            raise BadInput(f"limit: given {options.limit}; allowed: 1 to {most}")
        with self._views.open(ref, progress) as view:
            settings = self.workspace.settings
            yield GraphQuestions(view, settings.answers, settings.index), options

    def ignored(self) -> list[IgnoredFile]:
        """Every file or folder that a rule leaves out, with the rule."""
        self._views.meant(LIVE)  # a bare repository has no such files
        listing = list_workspace(self.workspace.root, self.workspace.scratch)
        by_git = list_ignored_by_git(self.workspace.root, self.workspace.scratch)
        return sorted([*listing.ignored, *by_git], key=lambda item: item.path)

    def _why_not(self, path: str, view: View, error: FileNotIndexed) -> FileNotIndexed:
        """An error that says why a file is not there: another ref, an ignore rule."""
        if view.target.ref != LIVE:
            at = f"{view.target.ref} at {short_commit(view.target.commit or '')}"
            is_there = view.content_id(path) is not None
            said = error.message if is_there else f"{path} is not there"
            hint = error.remediation if error.remediation.startswith("one of") else ""
            return FileNotIndexed(f"{said} ({at})", remediation=hint)
        try:
            is_there = (self.workspace.root / path).is_file()
        except OSError:  # a name longer than the file system allows
            is_there = False
        if not is_there:
            is_known = view.reader.file(path) is not None  # a link, say
            near = error.remediation if error.remediation.startswith("one of") else ""
            hint = near or "the outline of a folder lists its files"
            return error if is_known else FileNotIndexed(f"no such file: {path}", remediation=hint)
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


def check_name(name: str) -> None:
    """Refuse what can be no name of a symbol."""
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
