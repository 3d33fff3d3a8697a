"""A symbol in, what belongs to it by one relationship out."""

from dataclasses import dataclass

from codecompass.model.cluster import Relationship
from codecompass.model.search import Place
from codecompass.model.source import Span
from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.navigate.calls import Direction, call_graph
from codecompass.navigate.hierarchy import climb, overrides, subtypes, supertypes
from codecompass.navigate.uses import Graph
from codecompass.store.reader import SnapshotReader

_TYPES = frozenset(
    {
        SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.PROTOCOL,
        SymbolKind.STRUCT, SymbolKind.ENUM,
    }
)  # fmt: skip
_PROMISES = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.PROTOCOL})


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A symbol and how it belongs to another."""

    symbol: PlacedSymbol
    relation: str
    line: int | None = None
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The first symbols of a relationship, nearest first, and how many there are."""

    items: tuple[Neighbour, ...]
    total: int


def neighbours(
    reader: SnapshotReader,
    graph: Graph,
    symbol: PlacedSymbol,
    relationship: Relationship,
    *,
    depth: int,
    limit: int,
) -> Neighbours:
    """What belongs to a symbol by a relationship."""
    if relationship is Relationship.CALLERS:
        return _calls(graph, symbol, Direction.CALLERS, depth=depth, limit=limit)
    if relationship is Relationship.CALLEES:
        return _calls(graph, symbol, Direction.CALLEES, depth=depth, limit=limit)
    if relationship is Relationship.COLOCATED:
        return _in_file(reader, symbol, None, "same-file", limit)
    if relationship is Relationship.SIBLINGS:
        if symbol.symbol.parent is None:
            return _of_same_scope(reader, symbol, limit)
        return _in_file(reader, symbol, symbol.symbol.parent, "same-parent", limit)
    found = _family(reader, graph, symbol, depth)
    return Neighbours(tuple(found[:limit]), len(found))


def count_neighbours(graph: Graph, symbol: PlacedSymbol, relationship: Relationship) -> int | None:
    """How many symbols belong to one by a relationship, one step away; None: that takes time."""
    if relationship is Relationship.CALLERS:
        _, places = graph.calls_of(symbol)
        return len({(place.path, place.enclosing) for place in places if place.enclosing >= 0})
    if relationship is Relationship.CALLEES:
        return graph.count_calls_in(symbol)
    if relationship is Relationship.TYPE_FAMILY and symbol.symbol.kind in _TYPES:
        return len(supertypes(graph, symbol)) + len(subtypes(graph, symbol))
    is_member = symbol.symbol.parent is not None or bool(symbol.symbol.scope)
    return None if is_member else 0


def _calls(
    graph: Graph, symbol: PlacedSymbol, direction: Direction, *, depth: int, limit: int
) -> Neighbours:
    found = call_graph(
        graph, symbol, direction=direction, depth=depth, limit=max(1, limit), with_unknown=False
    )
    relation = "called-by" if direction is Direction.CALLERS else "calls"
    each: dict[tuple[str, int], Neighbour] = {}
    for call in found.calls:
        if call.symbol is not None and not call.is_cycle:
            key = (call.path, call.symbol.symbol.ordinal)
            each.setdefault(key, Neighbour(call.symbol, relation, call.lines[0], call.depth))
    outside = sum(call.symbol is None or call.is_cycle for call in found.calls)
    return Neighbours(tuple(each.values())[:limit], max(len(each), found.total - outside))


def _family(
    reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol, depth: int
) -> list[Neighbour]:
    """The types above and below a type; of a member, what it overrides and is overridden by."""
    found = []
    is_promise = symbol.symbol.kind in _PROMISES
    for other, steps, line in climb(graph, symbol, supertypes, depth)[0]:
        is_kept = other.symbol.kind in _PROMISES and not is_promise
        found.append(Neighbour(other, "implements" if is_kept else "extends", line, steps))
    below = "implemented-by" if is_promise else "extended-by"
    for other, steps, line in climb(graph, symbol, subtypes, depth)[0]:
        found.append(Neighbour(other, below, line, steps))
    found += [
        Neighbour(item.symbol, item.relation.replace("_", "-"), item.line, item.depth)
        for item in overrides(reader, graph, symbol, depth)
    ]
    return found


def _of_same_scope(reader: SnapshotReader, symbol: PlacedSymbol, limit: int) -> Neighbours:
    """The methods of the same type, where they stand apart from it."""
    entry = reader.file(symbol.path)
    own = symbol.symbol
    if entry is None or entry.version_id is None or not own.scope:
        return Neighbours((), 0)
    found = [
        Neighbour(PlacedSymbol(symbol.path, symbol.language, item), "same-parent")
        for item in reader.outline(entry.version_id)
        if item.scope == own.scope and item.ordinal != own.ordinal and not item.is_statement
    ]
    return Neighbours(tuple(found[:limit]), len(found))


def _in_file(
    reader: SnapshotReader, symbol: PlacedSymbol, parent: int | None, relation: str, limit: int
) -> Neighbours:
    """The definitions right inside something of the same file, without those around a symbol."""
    entry = reader.file(symbol.path)
    if entry is None or entry.version_id is None:
        return Neighbours((), 0)
    own = symbol.symbol
    records, total = reader.inside(Place(entry.version_id, parent), limit + 2)
    kept = [item for item in records if not _holds(item.span, own.span)]
    items = (
        Neighbour(PlacedSymbol(symbol.path, symbol.language, item), relation) for item in kept
    )
    is_top = parent is None or own.parent == parent  # then the symbol, or what holds it, is there
    return Neighbours(tuple(items)[:limit], total - is_top)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
