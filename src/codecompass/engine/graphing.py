"""Questions about connections: symbol in, answer out; gathers, then hands to `present`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from codecompass.config.settings import AnswerSettings, IndexSettings
from codecompass.engine.accounting import Account, Accountant, place_group
from codecompass.engine.views import View
from codecompass.errors import BadInput
from codecompass.model.answer import OVERLAY, Meta, SymbolResult
from codecompass.model.edge import Confidence
from codecompass.model.graph_answer import (
    CallsAnswer,
    Completeness,
    FamilyAnswer,
    ReferencesAnswer,
    RelationResult,
)
from codecompass.model.occurrence import OPEN_GROUPS, Group, NamePlace
from codecompass.model.page import Page, page_at
from codecompass.model.query import DetailLevel, GraphOptions, SymbolFilters
from codecompass.model.reference import USAGE, Role
from codecompass.model.symbol import TYPE_KINDS, PlacedSymbol, SymbolKind
from codecompass.navigate.calls import Call, Direction, call_graph, joined
from codecompass.navigate.lookup import Lookup, locate
from codecompass.navigate.overriding import whole_hierarchy
from codecompass.navigate.related import related_symbols
from codecompass.navigate.uses import Graph, UsePlace, Uses
from codecompass.present.detail import symbol_result
from codecompass.present.meta import make_meta
from codecompass.text.masks import show_masks

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

    def __init__(self, view: View, settings: AnswerSettings, index: IndexSettings) -> None:
        self._view = view
        self._settings = settings
        self._graph = Graph(view.reader)
        self._accountant = Accountant(view, self._graph, index)

    def references(
        self, symbol: str, options: GraphOptions, filters: SymbolFilters
    ) -> ReferencesAnswer:
        """Every use of a symbol by role, grouped by file."""
        subject = self._subject(symbol, filters)
        uses = self._distinct(subject.symbols)
        account = self._account(uses, subject)
        found = self._places(uses)
        if _POSSIBLE in options.roles and uses:
            found += [(uses[0], place) for place in self._possible(uses, account)]
        places = [pair for pair in found if self._admits(options, filters, pair[1])]
        left = Counter(
            str(place.role) for _, place in found if not self._admits(options, filters, place)
        )
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
            certainty=account.certainty,
            suggestions=subject.lookup.suggestions,
            meta=self._meta(results, len(places) - page.start, subject),
            left_out=_most_first(left) or None,
            family=account.family or None,
            groups=account.groups or None,
            cursor=page.cursor(len(shown), len(places)),
            page=page,
        )

    def _places(self, uses: Sequence[Uses]) -> list[tuple[Uses, UsePlace]]:
        """All uses by path and position; each place once.

        One use may mean a declaration and its definition, or several overloads.
        """
        found = [(item, place) for item in uses for place in self._graph.places(item, item.files)]
        found.sort(key=lambda pair: (pair[1].path, pair[1].start))
        places = list({(pair[1].path, pair[1].start): pair for pair in reversed(found)}.values())
        return places[::-1]

    def _possible(self, uses: Sequence[Uses], account: Account) -> list[UsePlace]:
        """Places that may be uses: those of which the role is known, and all others."""
        missed = {
            (place.path, place.start): place
            for item in uses
            for place in self._graph.possible_places(item, item.possible_files)
        }
        for place in account.places:
            if place.group in OPEN_GROUPS:
                missed.setdefault(
                    (place.path, place.start),
                    UsePlace(
                        place.path, place.line, place.start, Role.READ, -1, Confidence.POSSIBLE
                    ),
                )
        return [missed[key] for key in sorted(missed)]

    def _account(self, uses: Sequence[Uses], subject: _Subject) -> Account:
        if not uses:
            return Account(Completeness(complete=False, possible=0, reasons=("not defined here",)))
        more = subject.lookup.matches[len(subject.symbols) :]
        return self._accountant.account(uses, more=more)

    def _admits(self, options: GraphOptions, filters: SymbolFilters, place: UsePlace) -> bool:
        if not filters.admit_file(place.path, self._graph.language(place.path)):
            return False
        if not options.roles:
            return place.confidence is not Confidence.POSSIBLE
        if place.confidence is Confidence.POSSIBLE:
            return _POSSIBLE in options.roles
        role = str(place.role)
        return role in options.roles or ("usage" in options.roles and place.role in USAGE)

    def calls(self, symbol: str, options: GraphOptions, filters: SymbolFilters) -> CallsAnswer:
        """Who calls a symbol and what it calls."""
        if not 1 <= options.depth <= _MAX_DEPTH:
            raise BadInput(f"depth: given {options.depth}; allowed: 1 to {_MAX_DEPTH}")
        subject = self._subject(symbol, filters)
        direction = Direction(options.direction)
        page = self._page("calls", symbol, options, filters)
        found: list[Call] = []
        unknown: list[str] = []
        total, is_cut = 0, False
        deeper: list[UsePlace] = []
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
        known = self._called_account(uses, subject, direction=direction, further=deeper)
        open_ends = ["the limit kept some calls from being followed"] if is_cut else []
        is_open = bool(open_ends) or (direction is not Direction.CALLERS and bool(unknown))
        certainty = replace(
            known.certainty,
            complete=known.certainty.complete and not is_open,
            reasons=(*known.certainty.reasons, *open_ends),
        )
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
            family=known.family or None,
            groups=known.groups or None,
            cursor=page.cursor(len(shown), total),
            page=page,
        )

    def _called_account(
        self,
        uses: Sequence[Uses],
        subject: _Subject,
        *,
        direction: Direction,
        further: Sequence[UsePlace],
    ) -> Account:
        """What else may call symbols, or what calls them."""
        account = Account(Completeness(complete=True, possible=0))
        added: dict[str, Sequence[NamePlace]] = {}
        if direction is not Direction.CALLEES:
            account = self._account(uses, subject)
            added["read"] = self._reads(uses)
        added["further_up"] = self._with_text(further)
        said = {
            "read": "read without a call at {}",
            "further_up": "further up {} could not be resolved",
        }
        reasons = [
            said[name].format("1 place" if len(places) == 1 else f"{len(places):,} places")
            for name, places in added.items()
            if places
        ]
        own = [place_group(name, places) for name, places in added.items() if places]
        is_complete = account.certainty.complete and not reasons
        return replace(
            account,
            certainty=replace(
                account.certainty,
                complete=is_complete,
                reasons=(*account.certainty.reasons, *reasons),
            ),
            groups=(*own, *(item for item in account.groups if item.group in OPEN_GROUPS)),
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
                for found in whole_hierarchy(self._view.reader, self._graph, item)
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

    def _reads(self, uses: Sequence[Uses]) -> list[NamePlace]:
        """Where functions are handed over: who knows who calls them then."""
        found = [
            place
            for item in uses
            if item.symbol.symbol.kind in _CALLED
            for place in self._graph.places(item, item.files)
            if place.role is Role.READ
        ]
        return self._with_text(found)

    def _with_text(self, places: Iterable[UsePlace]) -> list[NamePlace]:
        """Uses with the text of their lines."""
        lines: dict[str, list[str]] = {}
        found = []
        for place in places:
            if place.path not in lines:
                lines[place.path] = (self._view.text(place.path) or "").split("\n")
            text = "".join(lines[place.path][place.line - 1 : place.line]).strip()
            found.append(NamePlace(place.path, place.line, place.start, Group.USE, text[:160]))
        return found

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
