"""A member in, the members of other types out that a call of it may mean, or it a call of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.navigate.hierarchy import (
    Relative,
    hierarchy,
    inherited_for,
    overrides,
    unknown_bases,
)
from codecompass.navigate.method_sets import (
    MAX_TYPES,
    implementers,
    is_interface,
    resembling,
    satisfying,
)
from codecompass.navigate.uses import Graph
from codecompass.store.reader import SnapshotReader

SymbolKey = tuple[str, int]
"""The path of a symbol and its place in the file's list."""
_MAX_MEMBERS = 300
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.FIELD})
_CALLED = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
# What a type without a name may be the value of.
_HOLDERS = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.FIELD})
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
    found: dict[SymbolKey, PlacedSymbol] = {symbol_key(symbol): symbol}
    pending = [symbol]
    while pending and len(found) < _MAX_MEMBERS:
        item = pending.pop()
        near = [relative.symbol for relative in overrides(reader, graph, item, by_alias=True)]
        for other in (
            *near,
            *inherited_for(reader, graph, item),
            *satisfying(reader, graph, item),
        ):
            if symbol_key(other) not in found:
                found[symbol_key(other)] = other
                pending.append(other)
    alike = {
        symbol_key(other): other
        for item in found.values()
        for other in resembling(reader, graph, item)
        if symbol_key(other) not in found
    }
    for other in _unclear(reader, graph, found):
        alike.setdefault(symbol_key(other), other)
    del found[symbol_key(symbol)]
    is_cut = bool(pending) or len(reader.places_named(symbol.symbol.name)) > MAX_TYPES
    return MemberFamily(tuple(found.values()), tuple(alike.values()), is_cut)


def symbol_key(symbol: PlacedSymbol) -> SymbolKey:
    """By what a symbol is known in a snapshot; two files may share a handle."""
    return symbol.path, symbol.symbol.ordinal


def _unclear(
    reader: SnapshotReader, graph: Graph, family: Mapping[SymbolKey, PlacedSymbol]
) -> Iterator[PlacedSymbol]:
    """Members of the name whose types may belong to the family, though nothing leads there.

    Those of a type without a name, and those of a type that names one of the family's as
    its own where it is not known which one it means.
    """
    first = next(iter(family.values()))
    if first.symbol.kind not in _MEMBERS:
        return
    owners = {owner.symbol.name for item in family.values() if (owner := graph.owner_of(item))}
    for other in reader.symbols_named(first.symbol.name):
        if symbol_key(other) in family or not graph.is_alike(other.path, first.path):
            continue
        owner = graph.owner_of(other)
        if other.symbol.kind is not SymbolKind.METHOD or owner is None:
            continue
        is_nameless = owner.symbol.kind in _CALLED or owner.symbol.kind in _HOLDERS
        if is_nameless or not owners.isdisjoint(unknown_bases(reader, graph, owner)):
            yield other


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
