"""A question in, ranked hits out: parse → intent → plan → retrieve → rank → select."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from codecompass.config.settings import RankingSettings, SearchSettings
from codecompass.model.search import (
    NOT_ASKED,
    Factor,
    Hit,
    Place,
    Question,
    SearchMode,
    SearchOptions,
    SemanticUse,
)
from codecompass.model.snapshot import VersionId
from codecompass.model.symbol import PlacedSymbol, Symbol, SymbolKind
from codecompass.search.exact import (
    LineLimits,
    LineSearch,
    PlaceLines,
    TextOf,
    find_lines,
    places_of_lines,
)
from codecompass.search.intent import guess_intent
from codecompass.search.line_pattern import LinePattern, compile_expression, compile_literal
from codecompass.search.parse_query import message_runs
from codecompass.search.plan import Plan, Term, make_plan
from codecompass.search.rank import calibrated, order, rank
from codecompass.search.retrieve import Retriever
from codecompass.search.select import select
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.reader import SnapshotReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from codecompass.search.meaning import Meaning

    Understand = Callable[[Plan, Callable[[], bool]], tuple[Meaning | None, SemanticUse]]
    """Asks the model what a question means, unless it is a name that is found; says why not."""

# Reasons for not asking a model that need not be told with every answer.
_NO_TROUBLE = frozenset({"", "off", "lexical_match", "unknown_words", "not_asked"})
_BY_MEANING = frozenset({SearchMode.SEMANTIC, SearchMode.SIMILAR})

# A ranked search through lines ends when it has found so many.
_ENOUGH_LINES = 100
_LINES_SHOWN = 20
# A phrase of so many words is as good as any longer one.
_WHOLE_PHRASE = 3
# Files that are read to see whether a question stands in one word for word.
_GUESSED_FILES = 8
# The worth of a definition that was asked for by its exact name.
_SURE = 9.0


@dataclass(frozen=True, slots=True)
class Found:
    """All hits in order, of which an answer shows a part."""

    plan: Plan
    hits: tuple[Hit, ...]
    records: dict[Place, Symbol] = field(default_factory=dict)  # where they are known already
    terms: tuple[Term, ...] = ()
    total_matches: int | None = None  # None: ranked, and nobody counted
    is_complete: bool = True
    suppressed: int = 0
    is_cut: bool = False  # there were more candidates than were ranked
    notes: tuple[str, ...] = ()
    semantic: SemanticUse = NOT_ASKED


def search(
    reader: SnapshotReader,
    question: Question,
    options: SearchOptions,
    *,
    settings: tuple[SearchSettings, RankingSettings],
    text_of: TextOf,
    understand: Understand | None = None,
) -> Found:
    """Answer a question from one snapshot; `text_of` gives the text of its files."""
    plan = make_plan(
        question,
        guess_intent(question),
        options,
        terms_of=shared_analyzer().terms_of,
        settings=settings,
    )
    if question.line and (placed := _search_place(reader, plan)).hits:
        return placed
    if question.otherwise is not None:
        return search(
            reader,
            question.otherwise,
            options,
            settings=settings,
            text_of=text_of,
            understand=understand,
        )
    return _search_words(reader, plan, text_of, understand)


def _search_words(
    reader: SnapshotReader, plan: Plan, text_of: TextOf, understand: Understand | None
) -> Found:
    """Answer a question that is about no line of a file that is there."""
    question, options = plan.question, plan.options
    if question.usages_of:
        return _search_usages(reader, plan)
    pattern = _pattern(plan)
    if pattern is not None:
        return _search_lines(reader, plan, pattern, text_of)
    if options.mode is SearchMode.DEFINITION:
        return _search_definitions(reader, plan)
    if options.exhaustive:
        return _search_everything(reader, plan)
    retriever = Retriever(reader, plan)
    if understand is None:
        meaning, use = None, SemanticUse(skipped_reason="off")
    else:
        meaning, use = understand(plan, retriever.has_named)
    if options.mode in _BY_MEANING and meaning is not None:
        return replace(_search_alike(retriever, plan, meaning), semantic=use)
    found = replace(_search_ranked(retriever, plan, text_of, meaning), semantic=use)
    if question.line:
        found = replace(found, notes=(*found.notes, f"no file is called {question.text}"))
    is_trouble = use.skipped_reason not in _NO_TROUBLE
    if is_trouble or (options.mode in _BY_MEANING and meaning is None):
        said = f"no search by meaning ({use.skipped_reason}); words were searched instead"
        found = replace(found, notes=(*found.notes, said))
    return found


def found_definitions(
    reader: SnapshotReader,
    question: Question,
    options: SearchOptions,
    *,
    settings: tuple[SearchSettings, RankingSettings],
    matches: Sequence[PlacedSymbol],
) -> Found:
    """Definitions that were looked up by their exact name, in path order; headings last."""
    plan = make_plan(
        question, guess_intent(question), options, terms_of=lambda _: (), settings=settings
    )
    hits: list[Hit] = []
    records: dict[Place, Symbol] = {}
    for match in sorted(matches, key=lambda match: match.symbol.kind is SymbolKind.SECTION):
        entry = reader.file(match.path)
        if entry is None or entry.version_id is None:
            continue
        place = Place(entry.version_id, match.symbol.ordinal)
        records[place] = match.symbol
        hits.append(Hit(match.path, place, calibrated(_SURE), (Factor("exact_name", _SURE),)))
    hits = [hit for hit in hits if hit.score >= options.min_score]
    return Found(plan, tuple(hits), records, total_matches=len(hits))


def _pattern(plan: Plan) -> LinePattern | None:
    """What lines must match, if the question is about lines."""
    question = plan.question
    if question.expression:
        return compile_expression(question.expression, question.flags)
    is_phrase = len(question.phrases) == 1 and not question.words
    if is_phrase and plan.options.mode is not SearchMode.DEFINITION:
        return compile_literal(question.phrases[0])
    if plan.options.mode is SearchMode.EXACT:
        return compile_literal(question.phrases[0])
    if not plan.terms and plan.options.mode is SearchMode.HYBRID:
        return compile_literal(question.text)  # punctuation only: no words to rank by
    return None


def _search_alike(retriever: Retriever, plan: Plan, meaning: Meaning) -> Found:
    """What means the same, whatever words it uses."""
    evidence = retriever.gather_alike(meaning)
    selection = select(rank(evidence, plan), evidence.records, plan)
    records = dict(evidence.records)
    return Found(
        plan, selection.hits, records, suppressed=selection.suppressed, is_cut=retriever.is_cut
    )


def _search_ranked(
    retriever: Retriever, plan: Plan, text_of: TextOf, meaning: Meaning | None
) -> Found:
    reader = retriever.reader
    phrases: dict[Place, float] = {}
    for phrase in (*plan.question.phrases, *message_runs(plan.question.raw)):
        worth = min(1.0, len(phrase.split()) / _WHOLE_PHRASE) ** 2
        guess = "" if phrase in plan.question.phrases else phrase
        lines = _lines(reader, retriever, compile_literal(phrase), plan, text_of, guess=guess)
        for match in lines.matches:
            version = reader.catalog.versions[match.index]
            for found in _places(reader, version, match.lines, plan):
                phrases[found.place] = max(worth, phrases.get(found.place, 0.0))
    evidence = retriever.gather(phrases, meaning=meaning)
    selection = select(rank(evidence, plan), evidence.records, plan)
    return Found(
        plan,
        selection.hits,
        dict(evidence.records),
        evidence.terms,
        suppressed=selection.suppressed,
        is_cut=retriever.is_cut,
    )


def _search_definitions(reader: SnapshotReader, plan: Plan) -> Found:
    """Definitions whose names hold every word of the question."""
    retriever = Retriever(reader, plan)
    places = retriever.definitions_with_every_term()
    return _found_at(retriever, places, plan)


def _search_everything(reader: SnapshotReader, plan: Plan) -> Found:
    """Every place that holds all words of the question, by path."""
    retriever = Retriever(reader, plan)
    places = retriever.places_with_every_term()
    return _found_at(retriever, places, plan)


def _found_at(retriever: Retriever, places: Sequence[Place], plan: Plan) -> Found:
    """These places and no others, ranked; by path if all were asked for."""
    evidence = retriever.gather({}, places)
    wanted = set(places)
    hits = [
        hit
        for hit in rank(evidence, plan)
        if hit.place in wanted and hit.score >= plan.options.min_score
    ]
    if plan.options.exhaustive:
        hits.sort(key=_by_place)
    return Found(plan, tuple(hits), dict(evidence.records), evidence.terms, len(hits))


def _search_place(reader: SnapshotReader, plan: Plan) -> Found:
    """The definitions around a line of the files that a path names."""
    hits: list[Hit] = []
    notes: list[str] = []
    for index in sorted(Retriever(reader, plan).asked_files()):
        path, version = reader.catalog.paths[index], reader.catalog.versions[index]
        last = reader.version(version).line_count
        if plan.question.line > last:
            notes.append(f"{path} has {last:,} lines")
        line = min(plan.question.line, last)
        hits += _line_hits(path, _places(reader, version, [line], plan), plan)
    hits = _preferred(hits, plan)
    return Found(plan, tuple(hits), total_matches=len(hits), notes=tuple(notes))


def _search_lines(
    reader: SnapshotReader, plan: Plan, pattern: LinePattern, text_of: TextOf
) -> Found:
    retriever = Retriever(reader, plan)
    found = _lines(reader, retriever, pattern, plan, text_of)
    hits: list[Hit] = []
    for match in found.matches:
        path = reader.catalog.paths[match.index]
        version = reader.catalog.versions[match.index]
        hits += _line_hits(path, _places(reader, version, match.lines, plan), plan)
    hits = _preferred(hits, plan)
    total = sum(len(hit.match_lines) for hit in hits) if found.is_complete else None
    if not plan.options.exhaustive:
        hits = [hit._replace(match_lines=hit.match_lines[:_LINES_SHOWN]) for hit in hits]
    notes = [f"has changed, or cannot be read: {path}" for path in found.unreadable[:3]]
    return Found(
        plan,
        tuple(hits),
        total_matches=total,
        is_complete=found.is_complete and not found.unreadable,
        notes=tuple(notes),
    )


def _lines(
    reader: SnapshotReader,
    retriever: Retriever,
    pattern: LinePattern,
    plan: Plan,
    text_of: TextOf,
    *,
    guess: str = "",
) -> LineSearch:
    """The lines that match; of a mere guess only in the first files that have its words."""
    limits = LineLimits(
        plan.search.time_limit_s,
        lines=_ENOUGH_LINES if _may_stop_early(plan) else 0,
        preference=plan.preferences.factor,
        files=_GUESSED_FILES if guess else 0,
    )
    if guess:
        versions = retriever.with_words(guess, pattern.needed, few=_GUESSED_FILES)
    else:
        versions = reader.may_hold(pattern.needed)
    return find_lines(
        reader,
        pattern,
        versions=versions,
        files_of=retriever.files_of,
        text_of=text_of,
        limits=limits,
    )


def _may_stop_early(plan: Plan) -> bool:
    """Not where a condition on what is found could leave nothing of the first lines."""
    is_conditional = plan.question.filters.restricts_symbols or plan.options.min_score > 0
    return not (plan.options.exhaustive or is_conditional)


def _places(
    reader: SnapshotReader, version_id: VersionId, lines: Sequence[int], plan: Plan
) -> list[PlaceLines]:
    """The innermost definitions around lines that the filters on symbols admit."""
    filters = plan.question.filters
    if not filters.restricts_symbols:
        return places_of_lines(reader, version_id, lines)
    outline = reader.outline(version_id)
    admitted = frozenset(item.ordinal for item in outline if filters.admit_symbol(item))
    found = places_of_lines(reader, version_id, lines, admitted)
    return [item for item in found if item.place.ordinal is not None]


def _line_hits(path: str, places: Sequence[PlaceLines], plan: Plan) -> list[Hit]:
    """Places with matching lines as hits."""
    asked = set(plan.question.text.split())
    hits = []
    for place, lines, name in places:
        factors = [Factor("matching_lines", 1.0 + math.log2(len(lines)) / 5)]
        if name in asked:
            factors.append(Factor("definition", 0.5))
        total = sum(factor.amount for factor in factors)
        hits.append(Hit(path, place, calibrated(total), tuple(factors), lines))
    return hits


def _search_usages(reader: SnapshotReader, plan: Plan) -> Found:
    """The records that use a name, with the lines on which they do."""
    retriever = Retriever(reader, plan)
    by_version: dict[int, set[int]] = {}
    for use in reader.uses_named(plan.question.usages_of):
        if use.version_id in retriever.files_of:
            by_version.setdefault(use.version_id, set()).add(use.line)
    hits: list[Hit] = []
    for version, indexes in retriever.files_of.items():
        if version in by_version:
            places = _places(reader, version, sorted(by_version[version]), plan)
            for index in indexes:
                hits += _line_hits(reader.catalog.paths[index], places, plan)
    hits = _preferred(hits, plan)
    total = sum(len(hit.match_lines) for hit in hits)
    return Found(plan, tuple(hits), total_matches=total)


def _preferred(hits: Sequence[Hit], plan: Plan) -> list[Hit]:
    """Hits of lines with the path's preference applied, in the order of the answer."""
    found = []
    for hit in hits:
        preference = plan.preferences.factor(hit.path)
        if preference != 1.0:
            total = sum(factor.amount for factor in hit.factors)
            change = Factor("path_preference", total * (preference - 1))
            score = calibrated(total * preference)
            hit = hit._replace(score=score, factors=(*hit.factors, change))
        found.append(hit)
    found = [hit for hit in found if hit.score >= plan.options.min_score]
    return sorted(found, key=_by_place if plan.options.exhaustive else order)


def _by_place(hit: Hit) -> tuple[str, int]:
    return hit.path, hit.place.ordinal if hit.place.ordinal is not None else -1
