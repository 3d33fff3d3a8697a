"""A question in, clusters out; a cluster's id and a relationship in, its symbols out."""

from collections.abc import Sequence
from dataclasses import replace

from codecompass.config.settings import AnswerSettings
from codecompass.engine.candidates import Candidate, candidates
from codecompass.engine.searching import said_filters, suggest_names
from codecompass.engine.views import View
from codecompass.errors import BadInput, CodeCompassError, HandleGone
from codecompass.model.answer import Meta
from codecompass.model.cluster import (
    EXPANDABLE,
    Cluster,
    ClusterOptions,
    ClustersAnswer,
    ClusterSeed,
    ExpansionAnswer,
    ExpansionHints,
    ExpansionState,
    Related,
    RelatedSymbol,
    Relationship,
    TokenUsage,
    Truncation,
)
from codecompass.model.query import SymbolFilters
from codecompass.model.symbol import PlacedSymbol, symbol_handle
from codecompass.navigate.clusters import Neighbour, count_neighbours, neighbours
from codecompass.navigate.lookup import locate
from codecompass.navigate.uses import Graph
from codecompass.present.clusters import (
    RELATION_TOKENS,
    full_preview,
    loaded,
    make_cluster,
    match_type,
    minimal_preview,
    short_signature,
)
from codecompass.present.meta import about_search, make_meta
from codecompass.search.search import Found

_ALL = "all"
_MAX_CLUSTERS = 20
_MAX_DEPTH = 5
_MAX_RELATED = 15
_MAX_LIMIT = 200
_SEEDS = 3  # of one cluster
_LEAST_OF_FIRST = 0.6  # what a further seed must score of the first
_LEAST_OF_BEST = 0.3  # what a cluster must score of the best
_MATCHES = 20  # hits that may become seeds
_PER_CLUSTER = 1_000  # what an answer may take for each cluster on the average


class ClusterQuestion:
    """Answers one question about one view."""

    def __init__(self, view: View, settings: AnswerSettings) -> None:
        self._view = view
        self._settings = settings
        self._graph = Graph(view.reader)

    def answer(self, query: str, found: Found, options: ClusterOptions) -> ClustersAnswer:
        """Clusters of what matches."""
        groups = self._groups(found, options.max_clusters)
        clusters = tuple(self._cluster(found, group, options) for group in groups)
        used = tuple(cluster.metadata.token_estimate for cluster in clusters)
        nothing = not clusters
        question = found.plan.question
        return ClustersAnswer(
            query=query,
            clusters=clusters,
            total_matches=len(found.hits),
            token_usage=TokenUsage(sum(used), _PER_CLUSTER * options.max_clusters, used),
            expansion_hints=_hints(clusters),
            suggestions=suggest_names(self._view.reader, question, self._settings.max_suggestions)
            if nothing
            else (),
            meta=about_search(
                self._meta(
                    len(clusters),
                    len(found.hits),
                    sum(used),
                    {cluster.seeds[0].path for cluster in clusters},
                ),
                found.plan.guess,
                semantic=found.semantic,
                suppressed=found.suppressed,
            ),
            filters=said_filters(question.filters),
            notes=(*question.notes, *found.notes) or None,
        )

    def expand(
        self, cluster_id: str, relationship: Relationship, *, depth: int, limit: int
    ) -> ExpansionAnswer:
        """One relationship of the cluster around a symbol."""
        matches = locate(
            self._view.reader, cluster_id, filters=SymbolFilters(), max_suggestions=0
        ).matches
        if not matches:
            raise HandleGone(f"cluster_id: no definition has the handle {cluster_id} any more")
        symbol = matches[0]
        found = neighbours(
            self._view.reader, self._graph, symbol, relationship, depth=depth, limit=limit
        )
        results = tuple(self._related(item, with_signature=True) for item in found.items)
        is_cut = len(results) < found.total
        return ExpansionAnswer(
            cluster_id=symbol.handle,
            relationship_type=relationship,
            state=ExpansionState.TRUNCATED if is_cut else ExpansionState.LOADED,
            of=symbol.symbol.qualified_name,
            results=results,
            total_count=found.total,
            meta=self._meta(
                len(results), found.total, results, {symbol.path, *(one.path for one in results)}
            ),
        )

    def _groups(self, found: Found, most: int) -> list[list[Candidate]]:
        """Hits by what they belong to: members of one class are one cluster."""
        groups: dict[tuple[str, object], list[Candidate]] = {}
        for item in candidates(self._view, found, found.hits[:_MATCHES]):
            symbol = item.symbol
            key: tuple[str, object] = (item.hit.path, None)
            if symbol is not None and symbol.parent is not None:
                key = (item.hit.path, symbol.parent)
            elif symbol is not None:  # in Go methods stand apart from their types
                key = (item.hit.path, symbol.scope or symbol.ordinal)
            if key in groups or len(groups) < most:
                groups.setdefault(key, []).append(item)
        best = max((group[0].hit.score for group in groups.values()), default=0.0)
        return [
            _near(group)[:_SEEDS]
            for group in groups.values()
            if group[0].hit.score >= best * _LEAST_OF_BEST
        ]

    def _cluster(
        self, found: Found, group: Sequence[Candidate], options: ClusterOptions
    ) -> Cluster:
        words = {*found.plan.question.words, *found.plan.question.names}
        if found.plan.question.symbol:
            words.add(found.plan.question.symbol.rpartition(">")[2].strip())
        seeds = [self._seed(item, words, with_text=options.include_preview) for item in group]
        related: dict[Relationship, Related] = {}
        placed = group[0].placed
        if placed is not None:
            shown = {seed.handle for seed in seeds}
            for relationship in Relationship:
                related[relationship] = self._relationship(placed, relationship, options, shown)
        return make_cluster(seeds, related)

    def _relationship(
        self,
        symbol: PlacedSymbol,
        relationship: Relationship,
        options: ClusterOptions,
        shown: set[str],
    ) -> Related:
        is_costly = relationship in EXPANDABLE
        is_asked_for = _ALL in options.expand or relationship in options.expand
        try:
            if is_costly and not is_asked_for:
                count = count_neighbours(self._graph, symbol, relationship)
                state = ExpansionState.LOADED if count == 0 else ExpansionState.NOT_LOADED
                return Related(state, (), count)
            found = neighbours(
                self._view.reader,
                self._graph,
                symbol,
                relationship,
                depth=options.expansion_depth,
                limit=_MAX_RELATED,
            )
        except CodeCompassError as error:
            return Related(ExpansionState.FAILED, error=str(error))
        items = [item for item in found.items if item.symbol.handle not in shown]
        total = found.total - (len(found.items) - len(items))
        made = (self._related(item, with_signature=is_costly) for item in items)
        return loaded(relationship, made, total, RELATION_TOKENS[relationship])

    def _seed(self, item: Candidate, words: set[str], *, with_text: bool) -> ClusterSeed:
        path, symbol = item.hit.path, item.symbol
        score = round(item.hit.score, 3)
        if symbol is None:
            name = path.rpartition("/")[2]
            how = match_type(name, words)
            return ClusterSeed(path, 1, item.line_count, "file", name, path, how, score)
        span = symbol.span
        text = self._view.text(path) if with_text else None
        lines = text.split("\n")[span.start_line - 1 : span.end_line] if text else []
        return ClusterSeed(
            path=path,
            start_line=span.start_line,
            end_line=span.end_line,
            kind=str(symbol.kind),
            name=symbol.qualified_name,
            handle=symbol_handle(path, symbol.stable_id),
            match_type=match_type(symbol.name, words),
            match_score=score,
            signature=short_signature(symbol),
            preview=full_preview(symbol, lines) if lines else None,
        )

    def _related(self, item: Neighbour, *, with_signature: bool) -> RelatedSymbol:
        symbol = item.symbol.symbol
        return RelatedSymbol(
            path=item.symbol.path,
            start_line=symbol.span.start_line,
            end_line=symbol.span.end_line,
            kind=str(symbol.kind),
            name=symbol.qualified_name,
            handle=item.symbol.handle,
            relation=item.relation,
            confidence="inferred" if item.relation.startswith("same-") else "definite",
            line=item.line,
            depth=item.depth if item.depth > 1 else None,
            signature=short_signature(symbol) if with_signature else None,
            preview=None if with_signature else minimal_preview(symbol),
        )

    def _meta(self, shown: int, total: int, content: object, paths: set[str]) -> Meta:
        meta = make_meta(
            self._view.seen(is_overlay=bool(self._view.overlay(paths))),
            shown=shown,
            total=total,
            elapsed_ms=self._view.elapsed_ms(),
            content=content,
            searched=None if paths else self._view.reader.counts(),
        )
        return replace(meta, estimated_tokens=content) if isinstance(content, int) else meta


def check_cluster_options(options: ClusterOptions) -> None:
    """Refuse what cannot be asked for."""
    _check_range("max_clusters", options.max_clusters, _MAX_CLUSTERS)
    _check_range("expansion_depth", options.expansion_depth, _MAX_DEPTH)
    allowed = (*map(str, Relationship), _ALL)
    for name in options.expand:
        if name not in allowed:
            raise BadInput(f"expand: given {name!r}; allowed: {', '.join(allowed)}")


def check_expansion(relationship: str, depth: int, limit: int) -> Relationship:
    """The relationship that is meant."""
    _check_range("expansion_depth", depth, _MAX_DEPTH)
    _check_range("limit", limit, _MAX_LIMIT)
    try:
        return Relationship(relationship)
    except ValueError as error:
        allowed = ", ".join(Relationship)
        raise BadInput(f"relationship_type: given {relationship!r}; allowed: {allowed}") from error


def _check_range(name: str, given: int, most: int) -> None:
    if not 1 <= given <= most:
        raise BadInput(f"{name}: given {given}; allowed: 1 to {most}")


def _near(group: Sequence[Candidate]) -> list[Candidate]:
    """The first match, and those that are nearly as good."""
    least = group[0].hit.score * _LEAST_OF_FIRST
    return [item for item in group if item.hit.score >= least]


def _hints(clusters: Sequence[Cluster]) -> ExpansionHints:
    """What is not shown, and of that what is most worth asking for."""
    truncated: list[Truncation] = []
    recommended: list[str] = []
    for cluster in clusters:
        waiting = []
        for relationship, related in cluster.related.items():
            if related.state is ExpansionState.TRUNCATED:
                count = related.total_count or 0
                truncated.append(Truncation(cluster.cluster_id, relationship, count))
            if related.state is ExpansionState.NOT_LOADED and related.total_count:
                waiting.append((related.total_count, str(relationship)))
        if waiting and not recommended:
            count, name = max(waiting)
            recommended.append(
                f"expand_cluster_relationship cluster_id={cluster.cluster_id}"
                f" relationship_type={name} ({count} of {cluster.seeds[0].name})"
            )
    return ExpansionHints(tuple(truncated), tuple(recommended))
