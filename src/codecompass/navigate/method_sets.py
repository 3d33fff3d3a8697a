"""A Go or structurally typed member in, members of types that fit without saying so out.

A Go type satisfies an interface by having its methods; so do TypeScript's classes and
what Python's protocols describe. Here a type fits if it has all the names, in Go with
as many parameters and results too.
"""

from collections.abc import Mapping
from typing import NamedTuple

from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.navigate.hierarchy import climb, members, receiver, subtypes, supertypes
from codecompass.navigate.uses import Graph
from codecompass.store.reader import SnapshotReader

_GO = "go"
_STRUCTURAL = frozenset({"typescript", "tsx"})
_WITH_PROTOCOLS = frozenset({"python"})
MAX_TYPES = 200
"""Of more types that have a member of a name, only so many are looked at."""
_MAX_EMBEDDING = 50
_PROTOCOL = "Protocol"
_INTERFACES = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE})
_CALLED = frozenset({SymbolKind.METHOD, SymbolKind.FUNCTION})
_MEMBERS = _CALLED | {SymbolKind.FIELD, SymbolKind.PROPERTY}


class Shape(NamedTuple):
    """How many parameters and results a Go method has."""

    parameters: int
    results: int


class _Fit(NamedTuple):
    """A member and the type it belongs to."""

    member: PlacedSymbol
    owner: PlacedSymbol


def satisfying(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> list[PlacedSymbol]:
    """Go: the members by which a method may be called, or which a call of it may mean."""
    if symbol.language != _GO or symbol.symbol.kind not in _CALLED:
        return []
    own = _owner(reader, graph, symbol)
    if own is None:
        return []
    is_declared = is_interface(own)
    sets: dict[str, Mapping[str, Shape]] = {}
    found = []
    # A type that embeds this one has its methods, too.
    embedding = [] if is_declared else [item for item, _, _ in climb(graph, own, subtypes)[0]]
    for fit in _namesakes(reader, graph, symbol):
        if is_interface(fit.owner) is is_declared:
            continue
        if is_declared:
            interface, concrete = own, [fit.owner]
        else:
            interface, concrete = fit.owner, [own, *embedding[:_MAX_EMBEDDING]]
        wanted = _method_set(reader, graph, interface, sets)
        given = [_method_set(reader, graph, item, sets) for item in concrete]
        if any(_has_all(wanted, methods) for methods in given):
            found.append(fit.member)
    return found


def _has_all(wanted: Mapping[str, Shape], given: Mapping[str, Shape]) -> bool:
    return all(given.get(name) == shape for name, shape in wanted.items())


def resembling(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> list[PlacedSymbol]:
    """TypeScript, Python: members of types that have all the names of an interface or protocol."""
    own = _owner(reader, graph, symbol)
    if (
        own is None
        or own.symbol.kind in _CALLED
        or not (symbol.language in _STRUCTURAL or symbol.language in _WITH_PROTOCOLS)
    ):
        return []
    found = []
    own_names = _names(reader, graph, own)
    is_open = _is_open(reader, own)
    for fit in _namesakes(reader, graph, symbol):
        other_is_open = _is_open(reader, fit.owner)
        names = _names(reader, graph, fit.owner)
        if (is_open and own_names <= names) or (other_is_open and names <= own_names):
            found.append(fit.member)
    return found


def implementers(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> list[PlacedSymbol]:
    """Go: the types that satisfy an interface, or the interfaces that a type satisfies."""
    if symbol.language != _GO:
        return []
    sets: dict[str, Mapping[str, Shape]] = {}
    own = _method_set(reader, graph, symbol, sets)
    if not own:
        return []
    is_declared = is_interface(symbol)
    found: dict[tuple[str, int], PlacedSymbol] = {}
    # Whoever satisfies an interface has each of its methods: any one leads to all of them.
    names = [min(own)] if is_declared else sorted(own)
    for name in names:
        for fit in _fits_named(reader, graph, name):
            place = fit.owner.path, fit.owner.symbol.ordinal
            if is_interface(fit.owner) is is_declared or place in found:
                continue
            theirs = _method_set(reader, graph, fit.owner, sets)
            wanted, given = (own, theirs) if is_declared else (theirs, own)
            if _has_all(wanted, given):
                found[place] = fit.owner
    return sorted(found.values(), key=lambda item: (item.path, item.symbol.ordinal))


def is_interface(symbol: PlacedSymbol) -> bool:
    """Whether a type is one that others implement."""
    return symbol.symbol.kind in _INTERFACES


def _namesakes(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> list[_Fit]:
    return [
        fit
        for fit in _fits_named(reader, graph, symbol.symbol.name)
        if graph.is_alike(fit.member.path, symbol.path) and fit.member != symbol
    ]


def _fits_named(reader: SnapshotReader, graph: Graph, name: str) -> list[_Fit]:
    named = [item for item in reader.symbols_named(name) if item.symbol.kind in _MEMBERS]
    return [
        _Fit(item, owner)
        for item in named[:MAX_TYPES]
        if (owner := _owner(reader, graph, item)) is not None
    ]


def _owner(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> PlacedSymbol | None:
    return graph.owner_of(symbol) or receiver(reader, symbol)


def _method_set(
    reader: SnapshotReader,
    graph: Graph,
    owner: PlacedSymbol,
    known: dict[str, Mapping[str, Shape]],
) -> Mapping[str, Shape]:
    """The methods of a Go type with those of what is embedded in it."""
    key = f"{owner.path}#{owner.symbol.ordinal}"
    if key not in known:
        found: dict[str, Shape] = {}
        above, _ = climb(graph, owner, supertypes)
        for item in (owner, *(other for other, _steps, _line in above)):
            for member in members(reader, item):
                if member.symbol.kind in _CALLED:
                    found.setdefault(member.symbol.name, shape_of(member))
        known[key] = found
    return known[key]


def shape_of(symbol: PlacedSymbol) -> Shape:
    """How many parameters and results the signature of a Go method shows."""
    name = symbol.symbol.name
    signature = symbol.symbol.signature.removeprefix("func ")
    if signature.startswith("("):  # the receiver
        signature = signature[2 + _closing(signature[1:]) :].strip()
    rest = signature.removeprefix(name).lstrip().removeprefix("(")
    end = _closing(rest)
    results = rest[end + 1 :].strip().removesuffix("{").strip()
    if results.startswith("("):
        return Shape(_count(rest[:end]), _count(results[1 : 1 + _closing(results[1:])]))
    return Shape(_count(rest[:end]), 1 if results else 0)


def _closing(text: str) -> int:
    """Where the parenthesis ends that was opened before a text."""
    depth = 1
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if not depth:
            return place
    return len(text)


def _count(text: str) -> int:
    """How many parts a list in parentheses has."""
    depth = commas = 0
    for character in text.strip().rstrip(","):
        depth += (character in "([{") - (character in ")]}")
        commas += character == "," and not depth
    return commas + 1 if text.strip() else 0


def _names(reader: SnapshotReader, graph: Graph, owner: PlacedSymbol) -> frozenset[str]:
    """The members of a type and of what is above it; optional ones are not needed."""
    above, _ = climb(graph, owner, supertypes)
    every = (owner, *(other for other, _steps, _line in above))
    inside = (member.symbol for item in every for member in members(reader, item))
    return frozenset(
        item.name
        for item in inside
        if not item.name.startswith("__") and f"{item.name}?" not in item.signature
    )


def _is_open(reader: SnapshotReader, owner: PlacedSymbol) -> bool:
    """Whether a type is satisfied by whatever has its members."""
    if owner.language in _STRUCTURAL:
        return owner.symbol.kind in _INTERFACES
    entry = reader.file(owner.path)
    if entry is None or entry.version_id is None:
        return False
    bases = reader.bases(entry.version_id, owner.symbol.ordinal)
    return _PROTOCOL in bases.values()
