"""A symbol in, all that a connection graph says of it out."""

from collections.abc import Iterable, Sequence

from codecompass.model.context import Connected, Link, Links
from codecompass.model.search import Place
from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.navigate.calls import Direction, call_graph
from codecompass.navigate.hierarchy import supertypes
from codecompass.navigate.related import types_of
from codecompass.navigate.uses import Graph
from codecompass.store.reader import SnapshotReader
from codecompass.text.paths import is_test_path

_MAX_LINKS = 6
_MAX_FOUND = 50
_MAX_MEMBERS = 500
_CALLED = frozenset(
    {
        SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.COMPONENT,
        SymbolKind.CLASS, SymbolKind.MACRO,
    }
)  # fmt: skip
_TYPES = frozenset(
    {
        SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.PROTOCOL,
        SymbolKind.STRUCT, SymbolKind.ENUM, SymbolKind.IMPL, SymbolKind.COMPONENT,
    }
)  # fmt: skip
_PROMISES = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.PROTOCOL})


def connected(
    reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol, score: float
) -> Connected:
    """A symbol with its calls, callers, types, family and members."""
    record = symbol.symbol
    uses = graph.uses_of(symbol)
    calls = call_graph(
        graph, symbol, direction=Direction.BOTH, depth=1, limit=_MAX_FOUND, with_unknown=False
    )
    found = {
        relation: _others(
            symbol, (item.symbol for item in calls.calls if item.relation == relation)
        )
        for relation in ("caller", "callee")
    }
    above = _above(graph, symbol)
    types = types_of(graph, symbol)
    users: list[PlacedSymbol | None] = []
    if record.kind not in _CALLED and not found["caller"]:
        users = _users(graph, symbol)
    return Connected(
        key=(symbol.path, record.ordinal),
        name=record.qualified_name,
        path=symbol.path,
        start_line=record.span.start_line,
        end_line=record.span.end_line,
        kind=str(record.kind),
        handle=symbol.handle,
        score=score,
        modifiers=record.modifiers,
        is_exported=record.is_exported,
        files=len(uses.files) if uses.is_resolved else None,
        signature=record.signature,
        extends=_links(item for item in above if item.symbol.kind not in _PROMISES),
        implements=_links(item for item in above if item.symbol.kind in _PROMISES),
        calls=_links(found["callee"]),
        called_by=_links(found["caller"]),
        used_by=_links(users),
        types_in=_links(item.symbol for item in types if item.relation == "takes"),
        types_out=_links(item.symbol for item in types if item.relation == "gives"),
        members=_members(reader, symbol) if record.kind in _TYPES else (),
    )


def _others(
    symbol: PlacedSymbol, found: Iterable[PlacedSymbol | None]
) -> list[PlacedSymbol | None]:
    """Without the symbol itself; what tests do comes last."""
    key = (symbol.path, symbol.symbol.ordinal)
    known = (item for item in found if item is not None)
    others = [item for item in known if (item.path, item.symbol.ordinal) != key]
    return [*sorted(others, key=lambda item: is_test_path(item.path))]


def _above(graph: Graph, symbol: PlacedSymbol) -> list[PlacedSymbol]:
    """The types above a type, or above the one that a member belongs to."""
    owner = symbol if symbol.symbol.kind in _TYPES else graph.owner_of(symbol)
    if owner is None or owner.symbol.kind not in _TYPES:
        return []
    return [item for item, _ in supertypes(graph, owner)]


def _users(graph: Graph, symbol: PlacedSymbol) -> list[PlacedSymbol | None]:
    uses = graph.uses_of(symbol)
    files = list(uses.files)[:_MAX_FOUND]
    places = graph.places(uses, files)[:_MAX_FOUND]
    keys = dict.fromkeys((place.path, place.enclosing) for place in places)
    around = graph.symbols(keys)
    return _others(symbol, (around.get(key) for key in keys))


def _members(reader: SnapshotReader, symbol: PlacedSymbol) -> tuple[str, ...]:
    entry = reader.file(symbol.path)
    if entry is None or entry.version_id is None:
        return ()
    found = reader.members(Place(entry.version_id, symbol.symbol.ordinal), _MAX_MEMBERS)
    return tuple(f"{item.name}()" if item.has_body else item.name for item in found)


def _links(symbols: Iterable[PlacedSymbol | None]) -> Links:
    known: Sequence[PlacedSymbol] = [item for item in symbols if item is not None]
    each = {(item.path, item.symbol.ordinal): item for item in known}
    links = [
        Link(key, item.symbol.qualified_name, item.path, str(item.symbol.kind))
        for key, item in each.items()
    ]
    return Links(tuple(links[:_MAX_LINKS]), len(links))
