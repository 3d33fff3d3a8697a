"""A symbol in, who calls it and what it calls out, to some depth; cycles are cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from codecompass.model.edge import Node
from codecompass.model.reference import Role
from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.navigate.uses import Graph, UsePlace, Uses

_CALLS = frozenset({Role.CALL, Role.DECORATE})
_TYPES = frozenset({SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.MODULE})


class Direction(StrEnum):
    """Which way calls are followed."""

    CALLERS = "callers"
    CALLEES = "callees"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Call:
    """One end of calls between two places; the other end is `of`."""

    relation: str  # caller or callee
    path: str
    symbol: PlacedSymbol | None  # None: the file itself, outside all definitions
    lines: tuple[int, ...]  # of the calls
    depth: int
    of: PlacedSymbol
    is_cycle: bool = False  # met before: not followed again


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls found, best first: near before far, by path and line."""

    calls: tuple[Call, ...]
    total: int
    is_cut: bool  # whether a limit kept some from being followed
    uses: Uses | None  # of the symbol itself, where callers were asked for
    unknown: tuple[str, ...]  # names it calls whose meaning is not known
    possible_further: tuple[UsePlace, ...] = ()  # that may call what calls it, further up


def call_graph(
    graph: Graph,
    symbol: PlacedSymbol,
    *,
    direction: Direction,
    depth: int,
    limit: int,
    with_unknown: bool = True,
) -> Calls:
    """The calls around a symbol; `with_unknown`, also names whose meaning is not known."""
    found: list[Call] = []
    uses: Uses | None = None
    unknown: Sequence[str] = ()
    is_cut, total = False, 0
    if direction is not Direction.CALLEES:
        uses, _ = graph.calls_of(symbol)
        up, count, was_cut = _follow(graph, symbol, "caller", depth=depth, limit=limit)
        found += up
        total += count
        is_cut = is_cut or was_cut
    if direction is not Direction.CALLERS:
        down, count, was_cut = _follow(graph, symbol, "callee", depth=depth, limit=limit)
        found += down
        total += count
        is_cut = is_cut or was_cut
        unknown = sorted(set(graph.missed_by(symbol))) if with_unknown else ()
    further: list[UsePlace] = []
    if depth > 1 and uses is not None:
        passed = [call.symbol for call in found if _is_passed(call, depth) and call.symbol]
        callers = {item.handle: item for item in passed}
        for item in callers.values():
            above = graph.uses_of(item)
            further += graph.possible_places(above, above.possible_files)
    return Calls(tuple(found), total, is_cut, uses, tuple(unknown), tuple(further))


def joined(calls: Sequence[Call]) -> list[Call]:
    """The direct calls around several definitions of one name: each end once, by path and line."""
    found: dict[tuple[str, str, int], Call] = {}
    for call in calls:
        ordinal = call.symbol.symbol.ordinal if call.symbol is not None else -1
        key = (call.relation, call.path, ordinal)
        known = found.get(key)
        lines = (*known.lines, *call.lines) if known is not None else call.lines
        found[key] = replace(known or call, lines=tuple(sorted(set(lines))))
    return sorted(found.values(), key=lambda call: (call.relation, call.path, call.lines))


def _is_passed(call: Call, depth: int) -> bool:
    """Whether a caller was itself asked for its callers."""
    return call.relation == "caller" and call.symbol is not None and call.depth < depth


def _follow(
    graph: Graph, symbol: PlacedSymbol, relation: str, *, depth: int, limit: int
) -> tuple[list[Call], int, bool]:
    """Breadth first; every symbol is followed once. Also how many calls there are in all."""
    found: list[Call] = []
    total = 0
    seen = {(symbol.path, symbol.symbol.ordinal)}
    level = [symbol]
    for distance in range(1, depth + 1):
        following: list[PlacedSymbol] = []
        for item in level:
            left = max(0, limit - len(found))
            near, count = (_callers if relation == "caller" else _callees)(graph, item, left)
            total += count
            for path, other, lines in near:
                place = (path, other.symbol.ordinal if other else -1)
                is_known = other is not None and place in seen
                found.append(Call(relation, path, other, lines, distance, item, is_known))
                if other is not None and not is_known:
                    seen.add(place)
                    following.append(other)
            if len(found) >= limit and distance < depth:
                return found, total, True
        level = following
    return found, total, False


_Near = tuple[str, PlacedSymbol | None, tuple[int, ...]]


def _callers(graph: Graph, symbol: PlacedSymbol, limit: int) -> tuple[list[_Near], int]:
    """The first callers and how many there are."""
    _, places = graph.calls_of(symbol)
    by_caller: dict[tuple[str, int], list[UsePlace]] = {}
    for place in places:
        by_caller.setdefault((place.path, place.enclosing), []).append(place)
    shown = list(islice(by_caller.items(), limit))
    symbols = graph.symbols(key for key, _ in shown)
    near = [
        (path, symbols.get((path, ordinal)), tuple(dict.fromkeys(item.line for item in group)))
        for (path, ordinal), group in shown
    ]
    return near, len(by_caller)


def _callees(graph: Graph, symbol: PlacedSymbol, limit: int) -> tuple[list[_Near], int]:
    """The first of what a symbol calls and how much there is."""
    places: dict[Node, list[UsePlace]] = {}
    for place, node in graph.used_by(symbol, roles=_CALLS):
        places.setdefault(node, []).append(place)
    symbols = graph.symbols_at(list(places))
    near: list[_Near] = [
        (node[0], symbols[node], tuple(dict.fromkeys(place.line for place in places[node])))
        for node in _defined(places, symbols)
    ]
    return near[:limit], len(near)


def _defined(
    places: Mapping[Node, Sequence[UsePlace]], symbols: Mapping[Node, PlacedSymbol]
) -> list[Node]:
    """What is called, without declarations of what is defined elsewhere, parts of a class once."""
    groups: dict[tuple[object, ...], list[Node]] = {}
    for node, places_of_one in places.items():
        if node in symbols:
            name = symbols[node].symbol.name
            groups.setdefault((name, *(p.start for p in places_of_one)), []).append(node)
    found: list[Node] = []
    for nodes in groups.values():
        whole = [node for node in nodes if symbols[node].symbol.body_start >= 0] or nodes
        is_class = symbols[whole[0]].symbol.kind in _TYPES
        found += [max(whole, key=lambda node: _size(symbols[node]))] if is_class else whole
    return found


def _size(symbol: PlacedSymbol) -> int:
    return symbol.symbol.span.end_byte - symbol.symbol.span.start_byte
