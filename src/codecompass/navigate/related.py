"""A symbol in, what belongs to it out: callers, callees, types, family, neighbours, namesakes."""

from collections.abc import Iterable
from dataclasses import dataclass

from codecompass.model.edge import Node
from codecompass.model.reference import Role
from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.navigate.calls import Direction, call_graph
from codecompass.navigate.hierarchy import hierarchy, members
from codecompass.navigate.uses import Graph, UsePlace
from codecompass.store.reader import SnapshotReader

_MAX_CALLS = 200
# Who takes a type that is used everywhere tells nobody anything.
_MAX_FILES = 100
_FUNCTIONS = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.COMPONENT}
)


@dataclass(frozen=True, slots=True)
class Related:
    """A symbol and how it is related."""

    relation: str
    symbol: PlacedSymbol
    line: int | None = None  # of the evidence


def related_symbols(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> list[Related]:
    """Everything around a symbol, the closest relations first, each symbol once."""
    found: dict[tuple[str, int], Related] = {}

    def add(items: Iterable[Related]) -> None:
        for item in items:
            place = (item.symbol.path, item.symbol.symbol.ordinal)
            if place != (symbol.path, symbol.symbol.ordinal):
                found.setdefault(place, item)

    calls = call_graph(graph, symbol, direction=Direction.BOTH, depth=1, limit=_MAX_CALLS)
    for relation in ("caller", "callee"):
        add(
            Related(relation, call.symbol, call.lines[0])
            for call in calls.calls
            if call.relation == relation and call.symbol is not None
        )
    add(type_flows(graph, symbol))
    for item in hierarchy(reader, graph, symbol).relatives:
        if item.relation != "member":
            add([Related(item.relation, item.symbol, item.line)])
    add(_siblings(reader, graph, symbol))
    add(Related("same_name", item) for item in reader.symbols_named(symbol.symbol.name))
    return list(found.values())


def type_flows(graph: Graph, symbol: PlacedSymbol) -> list[Related]:
    """Where types go: what a function takes and gives, who takes and gives a type."""
    return [*types_of(graph, symbol), *_users_of_type(graph, symbol)]


def types_of(graph: Graph, symbol: PlacedSymbol) -> list[Related]:
    """The types that a function takes and gives."""
    lines: dict[tuple[str, Node], int] = {}
    for place, node in graph.used_by(symbol, is_head=True, roles=(Role.TYPE,)):
        is_own = place.role is Role.TYPE and place.enclosing == symbol.symbol.ordinal
        if is_own and _is_in_head(symbol, place):
            lines.setdefault(("gives" if place.is_result else "takes", node), place.line)
    symbols = graph.symbols_at([node for _, node in lines])
    return [
        Related(relation, symbols[node], line)
        for (relation, node), line in lines.items()
        if node in symbols
    ]


def _users_of_type(graph: Graph, symbol: PlacedSymbol) -> list[Related]:
    found = []
    uses = graph.uses_of(symbol)
    files = list(uses.files)[:_MAX_FILES]
    places = [place for place in graph.places(uses, files) if place.role is Role.TYPE]
    around = graph.symbols((place.path, place.enclosing) for place in places)
    for place in places:
        function = around.get((place.path, place.enclosing))
        if function is None or function.symbol.kind not in _FUNCTIONS:
            continue
        if _is_in_head(function, place):
            relation = "given_by" if place.is_result else "taken_by"
            found.append(Related(relation, function, place.line))
    return found


def _is_in_head(symbol: PlacedSymbol, place: UsePlace) -> bool:
    return symbol.symbol.body_start < 0 or place.start < symbol.symbol.body_start


def _siblings(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> list[Related]:
    owner = graph.owner_of(symbol)
    if owner is not None:
        return [Related("sibling", item) for item in members(reader, owner)]
    entry = reader.file(symbol.path)
    if entry is None or entry.version_id is None:
        return []
    return [
        Related("same_file", PlacedSymbol(symbol.path, symbol.language, item))
        for item in reader.outline(entry.version_id)
        if item.parent is None and not item.is_statement
    ]
