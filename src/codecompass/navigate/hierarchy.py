"""A symbol in, its family out: what it is part of, its members, its types up and down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from posixpath import dirname

from codecompass.model.reference import Role
from codecompass.model.symbol import TYPE_KINDS, PlacedSymbol, SymbolKind
from codecompass.navigate.uses import Graph
from codecompass.store.reader import SnapshotReader

_MAX_DEPTH = 12
_MAX_TYPES = 500
_MAX_JOINED = 100  # types below one whose other bases are looked at
# What everything is, and who knows no more of it calls nothing.
_ROOTS = frozenset({"object", "Object", "Any", "Generic", "ABC", "Protocol"})
_GO, _GO_TEST = "go", "_test.go"


@dataclass(frozen=True, slots=True)
class Relative:
    """A member of the family."""

    relation: str
    symbol: PlacedSymbol
    depth: int = 1  # how many steps away
    line: int | None = None  # of the evidence


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The family of a symbol."""

    relatives: tuple[Relative, ...]
    is_cut: bool  # there are more types than were followed


def hierarchy(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> Hierarchy:
    """Parent chain, supertypes, subtypes, overridden and overriding methods, members."""
    found = [Relative("parent", item, depth) for depth, item in _parents(reader, graph, symbol)]
    above, cut_above = climb(graph, symbol, supertypes)
    below, cut_below = climb(graph, symbol, subtypes)
    found += [Relative("supertype", item, depth, line) for item, depth, line in above]
    found += [Relative("subtype", item, depth, line) for item, depth, line in below]
    found += overrides(reader, graph, symbol)
    found += [Relative("member", item) for item in members(reader, symbol)]
    return Hierarchy(tuple(found), cut_above or cut_below)


def members(reader: SnapshotReader, symbol: PlacedSymbol) -> list[PlacedSymbol]:
    """The definitions right inside a symbol, in source order; of a Go type its methods too."""
    entry = reader.file(symbol.path)
    if entry is None or entry.version_id is None:
        return []
    inside = [
        PlacedSymbol(symbol.path, symbol.language, item)
        for item in reader.outline(entry.version_id)
        if item.parent == symbol.symbol.ordinal and not item.is_statement
    ]
    return inside + (_methods(reader, symbol) if symbol.language == _GO else [])


def _methods(reader: SnapshotReader, symbol: PlacedSymbol) -> list[PlacedSymbol]:
    """The methods of a Go type: they stand beside it, in any file of its package."""
    types = _go_types(reader, symbol.symbol.name, dirname(symbol.path))
    if symbol not in types:
        return []
    found = []
    for file in reader.catalog.files:
        if dirname(file.path) == dirname(symbol.path) and file.language == _GO:
            if _meant_in(types, file.path) != symbol:
                continue
            found += [
                PlacedSymbol(file.path, _GO, item)
                for item in reader.outline(file.version_id)
                if item.parent is None and item.scope == (symbol.symbol.name,)
            ]
    return found


def receiver(reader: SnapshotReader, symbol: PlacedSymbol) -> PlacedSymbol | None:
    """The type that a Go method belongs to."""
    if symbol.language != _GO or symbol.symbol.parent is not None or not symbol.symbol.scope:
        return None
    types = _go_types(reader, symbol.symbol.scope[-1], dirname(symbol.path))
    return _meant_in(types, symbol.path) if types else None


def _go_types(reader: SnapshotReader, name: str, folder: str) -> list[PlacedSymbol]:
    """The types of a name in a folder; tests may be a package with types of their own."""
    return [
        item
        for item in reader.symbols_named(name)
        if item.language == _GO
        and item.symbol.parent is None
        and item.symbol.kind in TYPE_KINDS
        and dirname(item.path) == folder
    ]


def _meant_in(types: Sequence[PlacedSymbol], path: str) -> PlacedSymbol:
    """The type that a file means by its name: its own, or one of a test if it is one."""
    is_test = path.endswith(_GO_TEST)
    return min(
        types, key=lambda item: (item.path != path, item.path.endswith(_GO_TEST) != is_test)
    )


def _parents(
    reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol
) -> list[tuple[int, PlacedSymbol]]:
    found: list[tuple[int, PlacedSymbol]] = []
    owner = graph.owner_of(symbol) or receiver(reader, symbol)
    while owner is not None and len(found) < _MAX_DEPTH:
        found.append((len(found) + 1, owner))
        owner = graph.owner_of(owner)
    return found


_Step = Callable[[Graph, PlacedSymbol], list[tuple[PlacedSymbol, int]]]


def climb(
    graph: Graph, symbol: PlacedSymbol, step: _Step, steps: int = _MAX_DEPTH
) -> tuple[list[tuple[PlacedSymbol, int, int]], bool]:
    """All types above or below, each once with its distance and line, nearest first."""
    seen = {(symbol.path, symbol.symbol.ordinal)}
    found: list[tuple[PlacedSymbol, int, int]] = []
    level = [symbol]
    for depth in range(1, steps + 1):
        following = []
        for item in level:
            for other, line in step(graph, item):
                place = (other.path, other.symbol.ordinal)
                if place in seen:
                    continue
                if len(found) >= _MAX_TYPES:
                    return found, True
                seen.add(place)
                found.append((other, depth, line))
                following.append(other)
        level = following
    return found, bool(level)


def supertypes(graph: Graph, symbol: PlacedSymbol) -> list[tuple[PlacedSymbol, int]]:
    """The types that a type names as its own, each with the line."""
    own = symbol.symbol.ordinal
    lines = {
        node: place.line
        for place, node in graph.used_by(symbol, roles=(Role.INHERIT,))
        if place.enclosing == own
    }
    symbols = graph.symbols_at(list(lines))
    return [(symbols[node], line) for node, line in lines.items() if node in symbols]


def subtypes(graph: Graph, symbol: PlacedSymbol) -> list[tuple[PlacedSymbol, int]]:
    """The types that name a type as theirs, each with the line."""
    return _using(graph, symbol, Role.INHERIT)


def _using(graph: Graph, symbol: PlacedSymbol, role: Role) -> list[tuple[PlacedSymbol, int]]:
    """The definitions in which a type is used in a role, each with the line."""
    uses = graph.uses_of(symbol)
    lines = {
        (place.path, place.enclosing): place.line
        for place in graph.places(uses, uses.files)
        if place.role is role and place.enclosing >= 0
    }
    symbols = graph.symbols(lines)
    return [(symbols[key], line) for key, line in lines.items() if key in symbols]


def overrides(
    reader: SnapshotReader,
    graph: Graph,
    symbol: PlacedSymbol,
    depth: int = _MAX_DEPTH,
    *,
    by_alias: bool = False,
) -> list[Relative]:
    """Members of the same name in the types above and below; `by_alias`, also of named types."""
    owner = graph.owner_of(symbol)
    if owner is None:
        return []
    namesakes: dict[tuple[str, int | None], PlacedSymbol] = {}
    found: list[Relative] = []
    above, below = (_above, _below) if by_alias else (supertypes, subtypes)
    for relation, step in (("overrides", above), ("overridden_by", below)):
        types, _ = climb(graph, owner, step, depth)
        if types and not namesakes:
            named = reader.symbols_named(symbol.symbol.name)
            namesakes = {(item.path, item.symbol.parent): item for item in named}
        for other, steps, _line in types:
            item = namesakes.get((other.path, other.symbol.ordinal))
            if item is not None:
                found.append(Relative(relation, item, steps))
    return found


def inherited_for(
    reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol
) -> list[PlacedSymbol]:
    """Members of other types that a member is for a type below its own.

    `class Both extends Base implements Goer`: `Base.go` is what a call of `Goer.go` means.
    """
    owner = graph.owner_of(symbol)
    if owner is None:
        return []
    below, _ = climb(graph, owner, subtypes)
    if not below:
        return []
    named = reader.symbols_named(symbol.symbol.name)
    namesakes = {(item.path, item.symbol.parent): item for item in named}
    found: dict[tuple[str, int], PlacedSymbol] = {}
    for other, _steps, _line in below[:_MAX_JOINED]:
        for base, _depth, _at in climb(graph, other, supertypes)[0]:
            item = namesakes.get((base.path, base.symbol.ordinal))
            if item is not None:
                found[item.path, item.symbol.ordinal] = item
    return list(found.values())


def _above(graph: Graph, symbol: PlacedSymbol) -> list[tuple[PlacedSymbol, int]]:
    """The types above a type; those that another name for a type stands for too."""
    if symbol.symbol.kind is not SymbolKind.TYPE:
        return supertypes(graph, symbol)
    lines = {node: place.line for place, node in graph.used_by(symbol, roles=(Role.TYPE,))}
    symbols = graph.symbols_at(list(lines))
    return [(symbols[node], line) for node, line in lines.items() if node in symbols]


def _below(graph: Graph, symbol: PlacedSymbol) -> list[tuple[PlacedSymbol, int]]:
    """The types below a type; other names that are made of it too."""
    named = _using(graph, symbol, Role.TYPE)
    aliases = [pair for pair in named if pair[0].symbol.kind is SymbolKind.TYPE]
    return subtypes(graph, symbol) + aliases


def unknown_bases(reader: SnapshotReader, graph: Graph, owner: PlacedSymbol) -> set[str]:
    """The names that a type writes as its own types and of which nobody knows what they mean."""
    entry = reader.file(owner.path)
    if entry is None or entry.version_id is None:
        return set()
    known = {place.start for place, _ in graph.used_by(owner, roles=(Role.INHERIT,))}
    written = reader.bases(entry.version_id, owner.symbol.ordinal)
    return {name.rpartition(".")[2] for start, name in written.items() if start not in known}


def outside_bases(reader: SnapshotReader, graph: Graph, symbol: PlacedSymbol) -> list[str]:
    """What a member's type, or one above it, names as its own and is not in the snapshot."""
    owner = graph.owner_of(symbol)
    if owner is None:
        return []
    above, _ = climb(graph, owner, supertypes)
    found: dict[str, None] = {}
    for item in (owner, *(other for other, _steps, _line in above)):
        entry = reader.file(item.path)
        if entry is None or entry.version_id is None:
            continue
        own = item.symbol.ordinal
        known = {place.start for place, _ in graph.used_by(item, roles=(Role.INHERIT,))}
        written = reader.bases(entry.version_id, own)
        found |= dict.fromkeys(name for start, name in written.items() if start not in known)
    return [name for name in found if name not in _ROOTS]
