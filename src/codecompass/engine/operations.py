"""The table of operations: name and arguments as data; a call by name in, an answer out.

Batch calls go through it now; every protocol that names operations will.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from codecompass.engine.arguments import Argument, checked
from codecompass.engine.engine import Engine
from codecompass.errors import UnknownOperation
from codecompass.model.cluster import ClusterOptions, Relationship
from codecompass.model.query import (
    AnswerShape,
    ContextOptions,
    DetailLevel,
    DiffOptions,
    DiffScope,
    ExplainLevel,
    GraphOptions,
    OutlineDepth,
    Strategy,
    SymbolFilters,
)
from codecompass.model.reference import ROLE_CHOICES
from codecompass.model.search import SearchMode, SearchOptions, Stage
from codecompass.model.symbol import STATEMENT_KINDS, SymbolKind
from codecompass.search.parse_query import language_named


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be asked, with what, and the engine method behind it."""

    name: str
    summary: str
    arguments: tuple[Argument, ...]
    call: Callable[[Engine, Mapping[str, Any]], object]


def _choices(values: type[StrEnum]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


KINDS = tuple(str(kind) for kind in SymbolKind if kind not in STATEMENT_KINDS)
_REF = Argument("ref", str)
_CURSOR = Argument("cursor", str)
_FILTERS = (
    Argument("kind", str, choices=KINDS, repeated=True),
    Argument("language", str, repeated=True),
    Argument("path_prefix", str),
    Argument("path_contains", str, repeated=True),
    Argument("path_not_contains", str, repeated=True),
    Argument("path_glob", str),
    Argument("paths", str, repeated=True),
    Argument("extension", str, repeated=True),
    Argument("is_exported", bool),
    Argument("decorator_contains", str),
    Argument("has_doc", bool),
)
_FILTER_NAMES = tuple(argument.name for argument in _FILTERS)


def _outline(engine: Engine, given: Mapping[str, Any]) -> object:
    depth = OutlineDepth(given.get("depth", OutlineDepth.ALL))
    return engine.outline(given["path"], depth=depth, ref=given.get("ref"))


def _locate(engine: Engine, given: Mapping[str, Any]) -> object:
    level = DetailLevel(given.get("detail_level", DetailLevel.SIGNATURE))
    return engine.locate(
        given["name"],
        filters=_filters(given),
        detail_level=level,
        cursor=given.get("cursor", ""),
        ref=given.get("ref"),
    )


def _search(engine: Engine, given: Mapping[str, Any]) -> object:
    shape = AnswerShape(
        detail_level=DetailLevel(given.get("detail_level", DetailLevel.SIGNATURE)),
        compact=given.get("compact", False),
        explain=ExplainLevel(given.get("ranking_explain_level", ExplainLevel.OFF)),
    )
    return engine.search(
        given["query"],
        options=_options(given),
        filters=_filters(given),
        shape=shape,
        ref=given.get("ref"),
    )


def _context(engine: Engine, given: Mapping[str, Any]) -> object:
    options = ContextOptions(
        max_tokens=given.get("max_tokens"),
        strategy=Strategy(given.get("strategy", Strategy.BREADTH)),
        detail_level=DetailLevel(given.get("detail_level", DetailLevel.CONTEXT)),
    )
    return engine.context(
        given["query"], options=options, filters=_filters(given), ref=given.get("ref")
    )


def _clusters(engine: Engine, given: Mapping[str, Any]) -> object:
    options = ClusterOptions(
        max_clusters=given.get("max_clusters", 5),
        expansion_depth=given.get("expansion_depth", 2),
        include_preview=given.get("include_preview", True),
        expand=given.get("expand", ()),
    )
    return engine.clusters(
        given["query"], options=options, filters=_filters(given), ref=given.get("ref")
    )


def _expand(engine: Engine, given: Mapping[str, Any]) -> object:
    return engine.expand_cluster(
        given["cluster_id"],
        given["relationship_type"],
        expansion_depth=given.get("expansion_depth", 1),
        limit=given.get("limit", 20),
        ref=given.get("ref"),
    )


def _explain(engine: Engine, given: Mapping[str, Any]) -> object:
    return engine.explain(
        given["query"],
        given["target"],
        options=_options(given),
        filters=_filters(given),
        ref=given.get("ref"),
    )


def _diff(engine: Engine, given: Mapping[str, Any]) -> object:
    options = DiffOptions(
        scope=DiffScope(given.get("scope", DiffScope.SYMBOLS)),
        detail_level=DetailLevel(given.get("detail_level", DetailLevel.SIGNATURE)),
        path_prefix=given.get("path_prefix", ""),
        limit=given.get("limit"),
        include_callers=given.get("include_callers", False),
        cursor=given.get("cursor", ""),
    )
    return engine.diff(ref=given.get("ref"), base=given.get("base"), options=options)


def _list_refs(engine: Engine, given: Mapping[str, Any]) -> object:
    return engine.list_refs(contains=given.get("contains", ""), limit=given.get("limit", 20))


def _options(given: Mapping[str, Any]) -> SearchOptions:
    return SearchOptions(
        mode=SearchMode(given.get("mode", SearchMode.HYBRID)),
        stage=Stage(given.get("stage", Stage.DISCOVER)),
        top_k=given.get("top_k", 10),
        min_score=given.get("min_score", 0.0),
        exhaustive=given.get("exhaustive", False),
        cursor=given.get("cursor", ""),
        code_snippet=given.get("code_snippet", ""),
    )


def _similar(engine: Engine, given: Mapping[str, Any]) -> object:
    return engine.similar(
        given["symbol"],
        options=GraphOptions(limit=given.get("limit", 10), cursor=given.get("cursor", "")),
        filters=_filters(given),
        ref=given.get("ref"),
    )


def _filters(given: Mapping[str, Any]) -> SymbolFilters:
    filters = SymbolFilters(**{name: given[name] for name in _FILTER_NAMES if name in given})
    return replace(filters, language=tuple(language_named(name) for name in filters.language))


def _status(engine: Engine, given: Mapping[str, Any]) -> object:
    return engine.status(
        wait=given.get("wait", False),
        timeout_s=given.get("timeout_s", 60.0),
        ref=given.get("ref"),
    )


def _health(engine: Engine, given: Mapping[str, Any]) -> object:
    del given  # nothing can be asked for
    from codecompass.engine.health import health  # rarely needed

    return health(engine)


def _graph_options(given: Mapping[str, Any]) -> GraphOptions:
    return GraphOptions(
        roles=given.get("role", ()),
        direction=given.get("direction", "callers"),
        depth=given.get("depth", 1),
        limit=given.get("limit", 50),
        cursor=given.get("cursor", ""),
        with_context=given.get("include_context", False),
    )


def _graph(name: str) -> Callable[[Engine, Mapping[str, Any]], object]:
    def call(engine: Engine, given: Mapping[str, Any]) -> object:
        return getattr(engine, name)(
            given["symbol"],
            options=_graph_options(given),
            filters=_filters(given),
            ref=given.get("ref"),
        )

    return call


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation(
            "search_code",
            "places that answer a question: words, a name, a path, a phrase, an expression",
            (
                Argument("query", str, required=True),
                Argument("mode", str, choices=_choices(SearchMode)),
                Argument("code_snippet", str),
                Argument("top_k", int),
                *_FILTERS,
                Argument("stage", str, choices=_choices(Stage)),
                Argument("exhaustive", bool),
                _CURSOR,
                Argument("min_score", float),
                Argument("detail_level", str, choices=_choices(DetailLevel)),
                Argument("compact", bool),
                Argument("ranking_explain_level", str, choices=_choices(ExplainLevel)),
                _REF,
            ),
            _search,
        ),
        Operation(
            "get_code_context",
            "how what answers a question hangs together, and its code, inside a token budget",
            (
                Argument("query", str, required=True),
                Argument("max_tokens", int),
                Argument("strategy", str, choices=_choices(Strategy)),
                Argument("detail_level", str, choices=_choices(DetailLevel)),
                *_FILTERS,
                _REF,
            ),
            _context,
        ),
        Operation(
            "search_with_context",
            "what matches a question, each with its callers, callees, family and neighbours",
            (
                Argument("query", str, required=True),
                Argument("max_clusters", int),
                Argument("expansion_depth", int),
                Argument("include_preview", bool),
                Argument("expand", str, choices=(*_choices(Relationship), "all"), repeated=True),
                *_FILTERS,
                _REF,
            ),
            _clusters,
        ),
        Operation(
            "expand_cluster_relationship",
            "one relationship of a cluster of an earlier answer",
            (
                Argument("cluster_id", str, required=True),
                Argument("relationship_type", str, choices=_choices(Relationship), required=True),
                Argument("expansion_depth", int),
                Argument("limit", int),
                _REF,
            ),
            _expand,
        ),
        Operation(
            "search_similar_symbol",
            "definitions that are like a symbol: what it does, how it is called",
            (
                Argument("symbol", str, required=True),
                Argument("limit", int),
                *_FILTERS,
                _CURSOR,
                _REF,
            ),
            _similar,
        ),
        Operation(
            "explain_ranking",
            "why a hit ranks where it does",
            (
                Argument("query", str, required=True),
                Argument("target", str, required=True),
                Argument("mode", str, choices=_choices(SearchMode)),
                Argument("stage", str, choices=_choices(Stage)),
                *_FILTERS,
                _REF,
            ),
            _explain,
        ),
        Operation(
            "suggest_followup_queries",
            "what to ask next, by how sure the answer to a question is",
            (Argument("query", str, required=True), *_FILTERS, _REF),
            lambda engine, given: engine.suggest_followups(
                given["query"], filters=_filters(given), ref=given.get("ref")
            ),
        ),
        Operation(
            "get_file_outline",
            "the definitions of one file, or the files of a folder and what they define",
            (
                Argument("path", str, required=True),
                Argument("depth", str, choices=_choices(OutlineDepth)),
                _REF,
            ),
            _outline,
        ),
        Operation(
            "locate_symbol",
            "definitions by exact name, `A > B`, `path > A > B` or handle",
            (
                Argument("name", str, required=True),
                Argument("detail_level", str, choices=_choices(DetailLevel)),
                *_FILTERS,
                _CURSOR,
                _REF,
            ),
            _locate,
        ),
        Operation(
            "find_references",
            "every use of a symbol by role, grouped by file",
            (
                Argument("symbol", str, required=True),
                Argument("role", str, choices=ROLE_CHOICES, repeated=True),
                *_FILTERS,
                Argument("include_context", bool),
                Argument("limit", int),
                _CURSOR,
                _REF,
            ),
            _graph("find_references"),
        ),
        Operation(
            "get_call_graph",
            "who calls a symbol and what it calls, with the lines of the calls",
            (
                Argument("symbol", str, required=True),
                Argument("direction", str, choices=("callers", "callees", "both")),
                Argument("depth", int),
                Argument("limit", int),
                _CURSOR,
                Argument("kind", str, choices=KINDS, repeated=True),
                Argument("language", str, repeated=True),
                _REF,
            ),
            _graph("call_graph"),
        ),
        Operation(
            "get_symbol_hierarchy",
            "parent chain, supertypes, subtypes, overrides, members",
            (
                Argument("symbol", str, required=True),
                Argument("limit", int),
                _CURSOR,
                Argument("kind", str, choices=KINDS, repeated=True),
                Argument("language", str, repeated=True),
                _REF,
            ),
            _graph("hierarchy"),
        ),
        Operation(
            "find_related_symbols",
            "callers, callees, types, family, neighbours and namesakes of a symbol",
            (
                Argument("symbol", str, required=True),
                Argument("limit", int),
                _CURSOR,
                Argument("kind", str, choices=KINDS, repeated=True),
                Argument("language", str, repeated=True),
                _REF,
            ),
            _graph("related"),
        ),
        Operation(
            "diff_context",
            "what a ref or the working tree changes against its base, by symbols",
            (
                _REF,
                Argument("base", str),
                Argument("scope", str, choices=_choices(DiffScope)),
                Argument("detail_level", str, choices=_choices(DetailLevel)),
                Argument("include_callers", bool),
                Argument("path_prefix", str),
                Argument("limit", int),
                _CURSOR,
            ),
            _diff,
        ),
        Operation(
            "compare_symbol_between_commits",
            "one symbol at two refs: signature, body, moved or renamed",
            (
                Argument("symbol", str, required=True),
                Argument("from_ref", str, required=True),
                Argument("to_ref", str, required=True),
            ),
            lambda engine, given: engine.compare(
                given["symbol"], given["from_ref"], given["to_ref"]
            ),
        ),
        Operation(
            "list_refs",
            "branches, tags and work trees, and which of them are indexed",
            (Argument("contains", str), Argument("limit", int)),
            _list_refs,
        ),
        Operation(
            "switch_ref",
            "choose the ref that questions without one mean; live for the working tree",
            (Argument("ref", str, required=True),),
            lambda engine, given: engine.switch_ref(given["ref"]),
        ),
        Operation(
            "index_status",
            "state, freshness, counts, versions, recovery report",
            (Argument("wait", bool), Argument("timeout_s", float), _REF),
            _status,
        ),
        Operation(
            "health_check",
            "how the workspace is, versions, limits",
            (),
            _health,
        ),
        Operation(
            "index_repo",
            "build the index or bring it up to date; with force from nothing",
            (Argument("force", bool), _REF),
            lambda engine, given: engine.index(
                force=given.get("force", False), ref=given.get("ref")
            ),
        ),
        Operation(
            "sync_repo",
            "bring an existing index up to date",
            (_REF,),
            lambda engine, given: engine.sync(ref=given.get("ref")),
        ),
    )
}


def call_operation(
    engine: Engine, name: str, arguments: Mapping[str, object], *, ref: str | None = None
) -> object:
    """Check the arguments against the table, then call; `ref` stands in where none is given."""
    operation = OPERATIONS.get(name)
    if operation is None:
        raise UnknownOperation(f"op: given {name!r}; allowed: {', '.join(OPERATIONS)}")
    if ref is not None and _REF in operation.arguments and arguments.get("ref") is None:
        arguments = {**arguments, "ref": ref}
    return operation.call(engine, checked(name, operation.arguments, arguments))


def check_arguments(name: str, arguments: Mapping[str, object]) -> None:
    """Refuse arguments that an operation does not take, before anything is done for it."""
    checked(name, OPERATIONS[name].arguments, arguments)
