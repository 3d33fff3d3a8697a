"""A search request in, an answer out: the part of the engine that runs searches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from codecompass.config.settings import Settings
from codecompass.engine.reranking import reranked
from codecompass.engine.semantics import Semantics
from codecompass.engine.views import View
from codecompass.errors import BadInput
from codecompass.model.answer import OVERLAY, ExplainAnswer, SearchAnswer, SearchResult
from codecompass.model.page import Page, page_at
from codecompass.model.query import AnswerShape, DetailLevel, ExplainLevel, SymbolFilters
from codecompass.model.search import (
    MEANT_MODES,
    NOT_ASKED,
    Hit,
    Question,
    SearchMode,
    SearchOptions,
    SemanticUse,
)
from codecompass.model.symbol import Symbol, as_handle, symbol_handle
from codecompass.navigate.lookup import locate
from codecompass.navigate.outline import no_such_file
from codecompass.present.concise import HitSource, concise_result
from codecompass.present.meta import about_search, make_meta
from codecompass.search.parse_query import parse_query
from codecompass.search.plan import Plan
from codecompass.search.search import Found, found_definitions, search
from codecompass.source.guard import inside_workspace
from codecompass.store.reader import SnapshotReader
from codecompass.text.similarity import most_alike

if TYPE_CHECKING:
    from codecompass.search.meaning import Meaning
    from codecompass.search.search import Understand

_SUGGESTION_POOL = 60
# More do not fit into a result.
_MEMBERS = 12
_SHOWN_SNIPPET = 80


class Searcher:
    """Answers searches of one workspace; keeps the last hits for the next page."""

    def __init__(self, root: Path, settings: Settings, semantics: Semantics) -> None:
        self._root = root
        self._settings = settings
        self._semantics = semantics
        self._last_found: tuple[object, Found] | None = None

    def rest(self) -> None:
        """Keep no hits."""
        self._last_found = None

    def search(
        self,
        view: View,
        query: str,
        options: SearchOptions,
        *,
        filters: SymbolFilters,
        shape: AnswerShape,
    ) -> SearchAnswer:
        """The page of hits that is due, and what is known about them."""
        return self._answer(view, query, self._ask(view, query, options, filters), shape)

    def _answer(self, view: View, query: str, found: Found, shape: AnswerShape) -> SearchAnswer:
        reader, options = view.reader, found.plan.options
        page = page_of(found, f"{reader.record.id}:{reader.record.generation}")
        level = DetailLevel.LOCATION if shape.compact else shape.detail_level
        with_factors = shape.explain is not ExplainLevel.OFF
        hits = found.hits[page.start : page.start + options.top_k]
        results = show(view, found, hits, level=level, with_factors=with_factors)
        nothing = not found.hits
        counts = reader.counts() if nothing else None
        limit = self._settings.answers.max_suggestions
        names = suggest_names(reader, found.plan.question, limit) if nothing else ()
        meta = make_meta(
            view.seen(is_overlay=any(item.source_layer for item in results)),
            shown=page.start + len(results),
            total=len(found.hits) + found.is_cut,
            elapsed_ms=view.elapsed_ms(),
            content=results,
            searched=counts,
        )
        is_full = shape.explain is ExplainLevel.FULL
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
                semantic=found.semantic,
            ),
            total_matches=found.total_matches,
            cursor=page.cursor(len(hits), len(found.hits)),
            filters=said_filters(found.plan.question.filters),
            notes=(*found.plan.question.notes, *found.notes) or None,
            terms={t.text: round(t.share, 3) for t in found.terms} if is_full else None,
            total_hits=len(found.hits),
            page=page,
        )

    def similar(
        self, view: View, symbol: str, options: SearchOptions, *, filters: SymbolFilters
    ) -> SearchAnswer:
        """What is like a definition, which is itself left out."""
        found = locate(view.reader, symbol, filters=SymbolFilters(), max_suggestions=0)
        found.check(symbol)
        if not found.matches:
            raise BadInput(
                f"symbol: nothing is called {symbol}",
                remediation="locate_symbol tells the nearest names; search_code takes a snippet",
            )
        match = found.matches[0]
        text = (view.text(match.path) or "").encode()
        span = match.symbol.span
        snippet = text[span.start_byte : span.end_byte].decode("utf-8", "replace")
        wanted = replace(options, code_snippet=snippet or match.symbol.signature)
        alike = self._ask(view, match.symbol.qualified_name, wanted, filters)
        entry = view.reader.file(match.path)
        itself = entry and (match.path, (entry.version_id, match.symbol.ordinal))
        others = tuple(hit for hit in alike.hits if (hit.path, tuple(hit.place)) != itself)
        return self._answer(view, symbol, replace(alike, hits=others), AnswerShape())

    def explain(
        self,
        view: View,
        query: str,
        target: str,
        *,
        options: SearchOptions,
        filters: SymbolFilters,
    ) -> ExplainAnswer:
        """Where a hit ranks, and why."""
        found = self._ask(view, query, options, filters)
        rank = rank_of(view.reader, found, target)
        if rank is None:
            _check_target(view.reader, target)
        hits = [found.hits[rank]] if rank is not None else []
        results = show(view, found, hits, level=DetailLevel.SIGNATURE, with_factors=True)
        result = results[0] if results else None
        meta = make_meta(
            view.seen(),
            shown=1,
            total=1,
            elapsed_ms=view.elapsed_ms(),
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
            meta=about_search(meta, found.plan.guess, semantic=found.semantic),
        )

    def find(
        self, view: View, query: str, options: SearchOptions, filters: SymbolFilters | None
    ) -> Found:
        """All hits for a query, in order."""
        return self._ask(view, query, options, filters or SymbolFilters())

    def _ask(
        self, view: View, query: str, options: SearchOptions, filters: SymbolFilters
    ) -> Found:
        check_options(options, self._settings)
        if options.code_snippet:
            query = query or _snippet_query(options.code_snippet)
        query = query.replace(f"{self._root}/", "")  # an absolute path in it
        filters = inside_filters(self._root, filters)
        record = view.reader.record
        state = (record.id, record.generation)
        key = (query, replace(options, cursor="", top_k=1), filters, state)
        if options.cursor and self._last_found and self._last_found[0] == key:
            found = self._last_found[1]
            return replace(found, plan=replace(found.plan, options=options))
        found = self._find(view, query, options, filters)
        self._last_found = (key, found)
        return found

    def _find(
        self, view: View, query: str, options: SearchOptions, filters: SymbolFilters
    ) -> Found:
        if options.code_snippet:  # code is no query: what looks like a filter in it is none
            question = Question(query, words=tuple(query.split()), filters=filters)
        else:
            is_literal = options.mode is SearchMode.EXACT
            question = parse_query(query, filters, is_literal=is_literal)
        parts = (self._settings.search, self._settings.ranking)
        if not question.symbol:
            found_hits = search(
                view.reader,
                question,
                options,
                settings=parts,
                text_of=view.text,
                understand=_understanding(self._semantics, view.reader),
            )
            if options.mode not in MEANT_MODES:
                return found_hits
            texts = partial(_text_of_hit, view, found_hits)
            return reranked(found_hits, self._settings.semantic, texts)
        found = locate(view.reader, question.symbol, filters=question.filters, max_suggestions=0)
        found.check(question.symbol)
        return found_definitions(
            view.reader, question, options, settings=parts, matches=found.matches
        )


def _text_of_hit(view: View, found: Found, hit: Hit) -> str:
    """The text of a place, for a provider that ranks it."""
    text = view.text(hit.path) or ""
    symbol = found.records.get(hit.place)
    if symbol is None:
        return text
    lines = text.splitlines(keepends=True)
    return "".join(lines[symbol.span.start_line - 1 : symbol.span.end_line])


def _snippet_query(snippet: str) -> str:
    """What stands for a snippet where a query is shown."""
    first = next((line.strip() for line in snippet.splitlines() if line.strip()), "")
    return first[:_SHOWN_SNIPPET]


def _understanding(semantics: Semantics, reader: SnapshotReader) -> "Understand":
    """Asks the model that the settings name, if it is to be had."""

    def ask_model(
        plan: Plan, is_found: Callable[[], bool]
    ) -> "tuple[Meaning | None, SemanticUse]":
        if plan.options.mode not in MEANT_MODES:
            return None, NOT_ASKED
        embedder = semantics.embedder()
        if embedder is None:
            reason = semantics.problem or "off"
            return None, SemanticUse(skipped_reason=reason, is_blocked=semantics.is_blocked)
        from codecompass.search.meaning import understand  # with it numpy

        meaning, use = understand(reader, plan, embedder, is_found)
        if meaning is not None and plan.options.mode is SearchMode.HYBRID:
            meaning.finds = semantics.settings.mode != "rerank_only"
        return meaning, use

    return ask_model


def check_options(options: SearchOptions, settings: Settings) -> None:
    """Refuse what cannot be asked for."""
    largest = settings.search.max_top_k
    if not 1 <= options.top_k <= largest:
        raise BadInput(f"top_k: given {options.top_k}; allowed: 1 to {largest}")
    is_similar = options.mode is SearchMode.SIMILAR
    if is_similar != bool(options.code_snippet.strip()):
        raise BadInput("code_snippet: mode similar looks for code like it; give both or neither")
    if not 0 <= options.min_score <= 1:
        raise BadInput(f"min_score: given {options.min_score}; allowed: 0 to 1")


def inside_filters(root: Path, filters: SymbolFilters) -> SymbolFilters:
    """Filters whose paths are relative to the workspace; those that lead out are refused."""
    prefix = filters.path_prefix
    if prefix:
        inside = inside_workspace(root, prefix)
        prefix = "" if inside == "." else inside + ("/" if prefix.endswith("/") else "")
    paths = tuple(inside_workspace(root, path) for path in filters.paths)
    return replace(filters, path_prefix=prefix, paths=paths)


def page_of(found: Found, state: str) -> Page:
    """Which hits are due; `state` names the published state that was searched."""
    options = found.plan.options
    said = [found.plan.question, options.mode, options.stage, options.min_score]
    said.append(options.code_snippet)
    if not options.exhaustive:
        said.append(options.top_k)  # of more results more candidates are ranked
    return page_at(options.cursor, *said, options.exhaustive, state)


def show(
    view: View, found: Found, hits: Sequence[Hit], *, level: DetailLevel, with_factors: bool
) -> tuple[SearchResult, ...]:
    """Hits as results."""
    reader = view.reader
    overlay = view.overlay({hit.path for hit in hits})
    shares = {term.text: term.share for term in found.terms}
    missing = [hit.place for hit in hits if hit.place not in found.records]
    records = {**found.records, **reader.records_at(missing)}
    infos = reader.versions(hit.place.version_id for hit in hits)
    results = []
    for hit in hits:
        is_short = level is DetailLevel.LOCATION
        info = infos[hit.place.version_id]
        members = [] if is_short else reader.members(hit.place, _MEMBERS)
        source = HitSource(
            hit=hit,
            language=info.language,
            line_count=info.line_count,
            symbol=records.get(hit.place),
            members=[f"{member.kind} {member.name}" for member in members],
            text=None if is_short else view.text(hit.path),
        )
        result = concise_result(source, level, shares=shares, with_factors=with_factors)
        is_overlay = hit.path in overlay
        results.append(replace(result, source_layer=OVERLAY) if is_overlay else result)
    return tuple(results)


def rank_of(reader: SnapshotReader, found: Found, target: str) -> int | None:
    """The position of a hit by handle, by path, or by a line of it: `path:line`."""
    path, _, line = target.rpartition(":")
    records = found.records or reader.records_at(hit.place for hit in found.hits)
    for position, hit in enumerate(found.hits):
        symbol = records.get(hit.place)
        if hit.path == target or (symbol and symbol_handle(hit.path, symbol.stable_id) == target):
            return position
        if hit.path == path and line.isdigit() and _covers(symbol, int(line)):
            return position
    return None


def _check_target(reader: SnapshotReader, target: str) -> None:
    """Refuse what is no handle, no file, and no line of a file."""
    path, _, line = target.rpartition(":")
    known = path if path and line.isdigit() else target
    if as_handle(target):
        locate(reader, target, filters=SymbolFilters(), max_suggestions=0).check(target)
    elif reader.file(known) is None:
        raise no_such_file(reader, known)


def _covers(symbol: Symbol | None, line: int) -> bool:
    return symbol is None or symbol.span.start_line <= line <= symbol.span.end_line


def suggest_names(reader: SnapshotReader, question: Question, limit: int) -> tuple[str, ...]:
    """Names of this snapshot that look like those asked for."""
    wanted = [question.usages_of] if question.usages_of else list(question.names)
    if question.symbol:
        wanted = [question.symbol.rpartition(">")[2].strip()]
    found: list[str] = []
    for name in wanted[:3]:
        pool = reader.similar_names(name, _SUGGESTION_POOL)
        found += most_alike(name, pool, limit=limit)
    return tuple(dict.fromkeys(found))[:limit]


def said_filters(filters: SymbolFilters) -> dict[str, object] | None:
    """The filters in force, by name; None if there are none."""
    empty = asdict(SymbolFilters())
    given: Mapping[str, object] = {f.name: getattr(filters, f.name) for f in fields(filters)}
    return {name: value for name, value in given.items() if value != empty[name]} or None


def mode_of(found: Found) -> str:
    """The mode that was really used."""
    question = found.plan.question
    if question.usages_of:
        return "usages"
    if question.expression or (len(question.phrases) == 1 and not question.words):
        return SearchMode.EXACT
    if question.symbol:
        return SearchMode.DEFINITION
    return found.plan.options.mode
