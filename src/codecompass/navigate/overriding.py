"""A member in, the members of other types out that a call of it may mean, or it a call of them."""

from dataclasses import dataclass

from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.navigate.hierarchy import Relative, hierarchy, overrides
from codecompass.navigate.method_sets import (
    implementers,
    is_interface,
    resembling,
    satisfying,
)
from codecompass.navigate.uses import Graph
from codecompass.store.reader import SnapshotReader

_MAX_MEMBERS = 300
_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "__construct", "initialize"})


@dataclass(frozen=True, slots=True)
class MemberFamily:
    """Members that stand for each other: declared above, implemented below."""

    members: tuple[PlacedSymbol, ...]  # without the one that is asked about
    resembling: tuple[PlacedSymbol, ...]  # of types that only look as if they fitted
    is_cut: bool  # there are more


def member_family(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> MemberFamily:
    """Everything that overrides or implements a member, up and down, over any number of steps."""
    if (
        symbol.symbol.name in _CONSTRUCTORS
        or symbol.symbol.kind is SymbolKind.CONSTRUCTOR
        or not symbol.symbol.scope
    ):
        return MemberFamily((), (), False)
    found: dict[str, PlacedSymbol] = {symbol.handle: symbol}
    pending = [symbol]
    while pending and len(found) < _MAX_MEMBERS:
        item = pending.pop()
        near = [relative.symbol for relative in overrides(reader, graph, item)]
        for other in (*near, *satisfying(reader, graph, item)):
            if other.handle not in found:
                found[other.handle] = other
                pending.append(other)
    alike = {
        other.handle: other
        for item in found.values()
        for other in resembling(reader, graph, item)
        if other.handle not in found
    }
    del found[symbol.handle]
    return MemberFamily(tuple(found.values()), tuple(alike.values()), bool(pending))


def whole_hierarchy(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> list[Relative]:
    """The family of a symbol, with what fits without saying so: Go's interfaces and types."""
    found = list(hierarchy(reader, graph, symbol).relatives)
    relation = "implemented_by" if is_interface(symbol) else "implements"
    others = [Relative(relation, item) for item in implementers(reader, graph, symbol)]
    related = {(item.symbol.path, item.symbol.symbol.ordinal) for item in found}
    above = "overridden_by" if _is_in_interface(graph, symbol) else "overrides"
    others += [
        Relative(above, item)
        for item in satisfying(reader, graph, symbol)
        if (item.path, item.symbol.ordinal) not in related
    ]
    members = [item for item in found if item.relation == "member"]
    return [*(item for item in found if item.relation != "member"), *others, *members]


def _is_in_interface(graph: Graph, symbol: PlacedSymbol) -> bool:
    owner = graph.owner_of(symbol)
    return owner is not None and is_interface(owner)
