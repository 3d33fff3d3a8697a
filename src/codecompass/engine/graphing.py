"""Questions about connections: symbol in, answer out; gathers, then hands to `present`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from codecompass.config.settings import AnswerSettings
from codecompass.engine.views import View
from codecompass.errors import BadInput
from codecompass.link.families import FAMILY_OF, PLAIN_LANGUAGES, family_languages
from codecompass.model.answer import OVERLAY, Meta, SymbolResult
from codecompass.model.edge import Confidence
from codecompass.model.graph_answer import (
    CallsAnswer,
    Completeness,
    FamilyAnswer,
    ReferencesAnswer,
    RelationResult,
)
from codecompass.model.page import Page, page_at
from codecompass.model.query import DetailLevel, GraphOptions, SymbolFilters
from codecompass.model.reference import USAGE, Role
from codecompass.model.source import SkipReason
from codecompass.model.symbol import TYPE_KINDS, PlacedSymbol, SymbolKind
from codecompass.navigate.calls import Call, Direction, call_graph, joined
from codecompass.navigate.hierarchy import called_as, hierarchy, outside_bases
from codecompass.navigate.lookup import Lookup, locate
from codecompass.navigate.related import related_symbols
from codecompass.navigate.uses import Graph, UsePlace, Uses
from codecompass.parse.detect import language_by_name
from codecompass.parse.stub_tables import built_in_names
from codecompass.present.detail import symbol_result
from codecompass.present.meta import make_meta
from codecompass.text.masks import show_masks
from codecompass.text.patterns import needed_by_literal

# A name with more definitions than this means too much; the first are told, the rest counted.
_MAX_DEFINITIONS = 8
_MAX_DEPTH = 10
_MAX_BROKEN = 3
_MAX_OTHERS = 3
_POSSIBLE = str(Confidence.POSSIBLE)
_REQUIRED = re.compile(r"=\s*require\([^()]*\)(\.\w+)+;?$")
_BOUND = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})
# What Python calls by itself: `__getitem__`, `__enter__`.
_DUNDER = re.compile(r"__\w+__")
_CALLED = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


@dataclass(frozen=True, slots=True)
class _Subject:
    """The definitions that a text means, equal declarations told once."""

    lookup: Lookup
    symbols: tuple[PlacedSymbol, ...]


class GraphQuestions:
    """Answers one question about one view."""

    def __init__(self, view: View, settings: AnswerSettings) -> None:
        self._view = view
        self._settings = settings
        self._graph = Graph(view.reader)

    def references(
        self, symbol: str, options: GraphOptions, filters: SymbolFilters
    ) -> ReferencesAnswer:
        """Every use of a symbol by role, grouped by file."""
        subject = self._subject(symbol, filters)
        uses = self._distinct(subject.symbols)
        places: list[tuple[Uses, UsePlace]] = []
        for item in uses:
            found = self._graph.places(item, item.files)
            if _POSSIBLE in options.roles:
                found += self._graph.possible_places(item, item.possible_files)
            places += [(item, place) for place in found]
        places = [pair for pair in places if _admits(options, filters, pair[1])]
        places.sort(key=lambda pair: (pair[1].path, pair[1].start))
        # One use may mean a declaration and its definition, or several overloads.
        places = list({(pair[1].path, pair[1].start): pair for pair in reversed(places)}.values())
        places.reverse()
        page = self._page("references", symbol, options, filters)
        shown = places[page.start : page.start + options.limit]
        results = self._use_results(shown, many=len(uses) > 1, with_text=options.with_context)
        if str(Role.DEFINITION) in options.roles and not page.start:
            defined = [_relation(item, str(Role.DEFINITION)) for item in subject.symbols]
            results = (*self._layered(defined), *results)
        return ReferencesAnswer(
            query=symbol,
            definitions=self._definitions(subject),
            total=len(places),
            files=_most_first(Counter(place.path for _, place in places)),
            roles=_most_first(Counter(str(place.role) for _, place in places)),
            results=results,
            certainty=self._certainty(uses, subject),
            suggestions=subject.lookup.suggestions,
            meta=self._meta(results, len(places) - page.start, subject),
            cursor=page.cursor(len(shown), len(places)),
            page=page,
        )

    def calls(self, symbol: str, options: GraphOptions, filters: SymbolFilters) -> CallsAnswer:
        """Who calls a symbol and what it calls."""
        if not 1 <= options.depth <= _MAX_DEPTH:
            raise BadInput(f"depth: given {options.depth}; allowed: 1 to {_MAX_DEPTH}")
        subject = self._subject(symbol, filters)
        direction = Direction(options.direction)
        page = self._page("calls", symbol, options, filters)
        found: list[Call] = []
        unknown: list[str] = []
        total, is_cut, deeper = 0, False, 0
        uses = self._distinct(subject.symbols)
        for item in uses:
            part = call_graph(
                self._graph,
                item.symbol,
                direction=direction,
                depth=options.depth,
                limit=page.start + options.limit,
            )
            found += part.calls
            unknown += part.unknown
            total += part.total
            is_cut = is_cut or part.is_cut
            deeper += part.possible_further
        if len(uses) > 1 and options.depth == 1:
            each = joined(found)
            total -= len(found) - len(each)
            found = each
        shown = found[page.start : page.start + options.limit]
        results = self._layered(_call_result(call) for call in shown)
        certainty = Completeness(complete=True, possible=0)
        if direction is not Direction.CALLEES:
            certainty = self._certainty(uses, subject)
            handed_over = self._count_reads(uses)
            if handed_over:
                reads = f"read without a call at {handed_over} places (refs, role read)"
                certainty = replace(certainty, complete=False, reasons=(*certainty.reasons, reads))
        if direction is not Direction.CALLERS and unknown:
            certainty = replace(certainty, complete=False)
        if deeper:
            said = (*certainty.reasons, f"further up {deeper} places could not be resolved")
            certainty = replace(certainty, complete=False, reasons=said)
        if is_cut:
            said = (*certainty.reasons, "the limit kept some calls from being followed")
            certainty = replace(certainty, complete=False, reasons=said)
        return CallsAnswer(
            query=symbol,
            direction=str(direction),
            depth=options.depth,
            definitions=self._definitions(subject),
            total=total,
            results=results,
            certainty=certainty,
            suggestions=subject.lookup.suggestions,
            meta=self._meta(results, total - page.start, subject),
            unknown_calls=tuple(dict.fromkeys(unknown)) or None,
            cursor=page.cursor(len(shown), total),
            page=page,
        )

    def family(self, symbol: str, options: GraphOptions, filters: SymbolFilters) -> FamilyAnswer:
        """Parent chain, supertypes, subtypes, overrides, members."""
        return self._family(
            "family",
            symbol,
            options,
            filters,
            lambda item: [
                _relation(found.symbol, found.relation, line=found.line, depth=found.depth)
                for found in hierarchy(self._view.reader, self._graph, item).relatives
            ],
        )

    def related(self, symbol: str, options: GraphOptions, filters: SymbolFilters) -> FamilyAnswer:
        """What belongs to a symbol, the closest first."""
        return self._family(
            "related",
            symbol,
            options,
            filters,
            lambda item: [
                _relation(found.symbol, found.relation, line=found.line)
                for found in related_symbols(self._view.reader, self._graph, item)
            ],
        )

    def _family(
        self,
        asked: str,
        symbol: str,
        options: GraphOptions,
        filters: SymbolFilters,
        find: Callable[[PlacedSymbol], list[RelationResult]],
    ) -> FamilyAnswer:
        subject = self._subject(symbol, filters)
        each = (item for symbol_ in subject.symbols for item in find(symbol_))
        found = list(
            {
                (item.relation, item.path, item.start_line, item.name): item for item in each
            }.values()
        )
        page = self._page(asked, symbol, options, filters)
        shown = found[page.start : page.start + options.limit]
        results = self._layered(shown)
        return FamilyAnswer(
            query=symbol,
            definitions=self._definitions(subject),
            total=len(found),
            results=results,
            suggestions=subject.lookup.suggestions,
            meta=self._meta(results, len(found) - page.start, subject),
            cursor=page.cursor(len(shown), len(found)),
            page=page,
        )

    def _page(
        self, asked: str, symbol: str, options: GraphOptions, filters: SymbolFilters
    ) -> Page:
        record = self._view.reader.record
        return page_at(
            options.cursor, asked, symbol, options.roles, options.direction, options.depth,
            filters, record.id, record.generation,
        )  # fmt: skip

    def _subject(self, symbol: str, filters: SymbolFilters) -> _Subject:
        kinds = SymbolFilters(kind=filters.kind, language=filters.language)
        found = locate(
            self._view.reader,
            symbol,
            filters=kinds,
            max_suggestions=self._settings.max_suggestions,
        )
        found.check(symbol)
        # What tools made comes last, and types come before members that are called like them.
        own_first = sorted(
            found.matches,
            key=lambda item: (_is_made(item.path), item.symbol.kind not in TYPE_KINDS),
        )
        return _Subject(found, tuple(own_first[:_MAX_DEFINITIONS]))

    def _distinct(self, symbols: Sequence[PlacedSymbol]) -> list[Uses]:
        """The uses of each symbol; overloads of one are one."""
        found: dict[object, Uses] = {}
        for symbol in symbols:
            uses = self._graph.uses_of(symbol)
            key = uses.numbers or (symbol.path, symbol.symbol.ordinal)
            found.setdefault(key, uses)
        return [item for item in found.values() if not _is_declared_only(item, found.values())]

    def _definitions(self, subject: _Subject) -> tuple[SymbolResult, ...]:
        return tuple(symbol_result(item, DetailLevel.SIGNATURE) for item in subject.symbols)

    def _certainty(self, uses: Sequence[Uses], subject: _Subject) -> Completeness:
        reasons: list[str] = []
        more = len(subject.lookup.matches) - len(subject.symbols)
        if more > 0:
            reasons.append(f"{more} more definitions have this name: narrow by path or kind")
        nameless = [item for item in uses if item.is_resolved and not item.has_node]
        if nameless:
            reasons.append(f"uses of {nameless[0].symbol.symbol.name} cannot be followed")
        borrowed = [item.symbol.symbol.name for item in uses if self._is_import(item.symbol)]
        if borrowed:
            reasons.append(f"{borrowed[0]} stands for what it imports: its uses are uses of that")
        possible = sum({item.symbol.symbol.name: item.possible for item in uses}.values())
        languages = {item.symbol.language for item in uses if not item.is_resolved}
        if languages:
            reasons.append(f"uses are not resolved in {', '.join(sorted(languages))}")
        plain = {item.symbol.language for item in uses} & PLAIN_LANGUAGES
        if plain:
            reasons.append(f"only calls and types are followed in {', '.join(sorted(plain))}")
        if possible:
            reasons.append(f"{possible} more places with this name could not be resolved")
        reasons += self._by_other_names(uses)
        reasons += self._by_no_name(uses)
        elsewhere = sum(
            self._graph.count_elsewhere(item.symbol)
            for item in {item.symbol.symbol.name: item for item in uses}.values()
            if item.is_resolved and not is_built_in(item.symbol.language, item.symbol.symbol.name)
        )
        if elsewhere:
            reasons.append(f"{elsewhere} more places with this name seem to mean others' code")
        unread = self._unread(uses)
        if unread:
            reasons.append(f"{len(unread)} files were not read, such as {unread[0]}")
        by_name = {item.symbol.symbol.name: item for item in uses}
        broken = {path for item in by_name.values() for path in self._broken(item)}
        if broken:
            shown = ", ".join(sorted(broken)[:_MAX_BROKEN])
            those = (
                "file that mentions it has" if len(broken) == 1 else "files that mention it have"
            )
            reasons.append(f"{len(broken)} {those} syntax errors: {shown}")
        return Completeness(not reasons, possible, tuple(reasons))

    def _is_import(self, symbol: PlacedSymbol) -> bool:
        """Whether a variable only names what is imported: `require("y")`, `require("y").x`."""
        entry = self._view.reader.file(symbol.path)
        if symbol.symbol.kind not in _BOUND or entry is None or entry.version_id is None:
            return False
        if _REQUIRED.search(symbol.symbol.signature):
            return True
        bound = self._view.reader.imports(entry.version_id)
        return any(item.start_byte == symbol.symbol.name_start for item in bound)

    def _count_reads(self, uses: Sequence[Uses]) -> int:
        """How often functions are handed over, who knows who calls them then."""
        return sum(
            place.role is Role.READ
            for item in uses
            if item.symbol.symbol.kind in _CALLED
            for place in self._graph.places(item, item.files)
        )

    def _by_other_names(self, uses: Sequence[Uses]) -> list[str]:
        """Why calls of something else may be calls of these: they override it."""
        own = {item.symbol.handle for item in uses}
        others = {
            other.handle: other
            for item in uses
            for other in called_as(self._view.reader, self._graph, item.symbol)
            if other.handle not in own
        }
        counted = [(self._graph.uses_of(other).total, other) for other in others.values()]
        return [
            f"{count} use{'' if count == 1 else 's'} of {other.symbol.qualified_name} may mean it"
            for count, other in counted
            if count
        ][:_MAX_OTHERS]

    def _by_no_name(self, uses: Sequence[Uses]) -> list[str]:
        """Why what nobody here names may be used all the same: by others, or by an operator."""
        unused = [
            item.symbol
            for item in uses
            if not item.files and item.symbol.symbol.kind in _CALLED and item.is_resolved
        ]
        if any(_DUNDER.fullmatch(item.symbol.name) for item in unused):
            return ["operators and built-in functions may call it"]
        reader = self._view.reader
        bases = [name for item in unused for name in outside_bases(reader, self._graph, item)]
        named = ", ".join(list(dict.fromkeys(bases))[:_MAX_OTHERS])
        return [f"whoever knows {named}, which is not in here, may call it"] if bases else []

    def _unread(self, uses: Sequence[Uses]) -> list[str]:
        """Files of the same languages that were too large or otherwise not to be read."""
        languages = {name for item in uses for name in family_languages(item.symbol.language)}
        skipped = [
            path
            for path, entry in self._view.reader.files().items()
            if entry.skip_reason not in (None, SkipReason.NOT_A_FILE)  # such as a link inside
        ]
        named = ((path, language_by_name(path)) for path in skipped)
        return [path for path, language in named if language and language.name in languages]

    def _broken(self, uses: Uses) -> list[str]:
        """Files of the same languages whose syntax errors may hide a use."""
        name = uses.symbol.symbol.name
        paths = self._view.reader.broken_with(needed_by_literal(name))
        alike = [path for path in paths if self._graph.is_alike(path, uses.symbol.path)]
        return [path for path in alike if name in (self._view.text(path) or name)]

    def _use_results(
        self, places: Sequence[tuple[Uses, UsePlace]], *, many: bool, with_text: bool
    ) -> tuple[RelationResult, ...]:
        symbols = self._graph.symbols((place.path, place.enclosing) for _, place in places)
        lines: dict[str, list[str]] = {}
        found = []
        for uses, place in places:
            around = symbols.get((place.path, place.enclosing))
            result = _use_result(place, around)
            if many:
                result = replace(result, of=uses.symbol.handle)
            if with_text:
                if place.path not in lines:
                    lines[place.path] = (self._view.text(place.path) or "").split("\n")
                text = lines[place.path][place.line - 1 : place.line]
                result = replace(result, context=show_masks(text[0].strip()) if text else None)
            found.append(result)
        return self._layered(found)

    def _layered(self, results: Iterable[RelationResult]) -> tuple[RelationResult, ...]:
        known = list(results)
        overlay = self._view.overlay({item.path for item in known})
        return tuple(
            replace(item, source_layer=OVERLAY) if item.path in overlay else item for item in known
        )

    def _meta(self, results: Sequence[RelationResult], total: int, subject: _Subject) -> Meta:
        counts = None if subject.symbols else self._view.reader.counts()
        return make_meta(
            self._view.seen(is_overlay=any(item.source_layer for item in results)),
            shown=len(results),
            total=total,
            elapsed_ms=self._view.elapsed_ms(),
            content=results,
            searched=counts,
        )


def is_built_in(language: str, name: str) -> bool:
    """Whether values of the language itself have members of that name."""
    family = FAMILY_OF.get(language)
    return family is not None and name in built_in_names(family.name)


# Folders of what tools and other projects made: their definitions are told last.
_MADE = frozenset({"dist", "build", "out", "vendor", "third_party", "node_modules", "deps"})


def _is_made(path: str) -> bool:
    return not _MADE.isdisjoint(path.split("/")[:-1])


def _is_declared_only(item: Uses, others: Iterable[Uses]) -> bool:
    """Whether another is the definition of what one only declares: their uses are the same."""
    symbol = item.symbol.symbol
    return symbol.body_start < 0 and any(
        other.symbol.symbol.body_start >= 0
        and other.symbol.symbol.name == symbol.name
        and other.is_same_as(item)
        for other in others
    )


def _admits(options: GraphOptions, filters: SymbolFilters, place: UsePlace) -> bool:
    if not filters.admit_file(place.path, ""):
        return False
    if not options.roles:
        return True
    if place.confidence is Confidence.POSSIBLE:
        return _POSSIBLE in options.roles
    return str(place.role) in options.roles or ("usage" in options.roles and place.role in USAGE)


def _use_result(place: UsePlace, around: PlacedSymbol | None) -> RelationResult:
    relation, confidence = str(place.role), str(place.confidence)
    if around is None:
        return RelationResult(
            place.path, place.line, place.line, "file", place.path.rpartition("/")[2],
            place.path, relation, confidence, place.line,
        )  # fmt: skip
    return _relation(around, relation, line=place.line, confidence=confidence)


def _call_result(call: Call) -> RelationResult:
    line = call.lines[0]
    if call.symbol is None:
        result = RelationResult(
            call.path, line, line, "file", call.path.rpartition("/")[2], call.path,
            call.relation, str(Confidence.STATIC), line,
        )  # fmt: skip
    else:
        result = _relation(call.symbol, call.relation, line=line)
    return replace(
        result,
        lines=call.lines if len(call.lines) > 1 else None,
        depth=call.depth if call.depth > 1 else None,
        of=call.of.handle if call.depth > 1 else None,
        cycle=call.is_cycle or None,
    )


def _relation(
    symbol: PlacedSymbol,
    relation: str,
    *,
    line: int | None = None,
    depth: int = 1,
    confidence: str = str(Confidence.STATIC),
) -> RelationResult:
    span = symbol.symbol.span
    return RelationResult(
        symbol.path,
        span.start_line,
        span.end_line,
        str(symbol.symbol.kind),
        symbol.symbol.qualified_name,
        symbol.handle,
        relation,
        confidence,
        line,
        depth=depth if depth > 1 else None,
    )


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
