"""A symbol in, every use of it out; uses that only share its name are kept apart."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codecompass.link.families import FAMILY_OF
from codecompass.model.edge import Confidence, Node
from codecompass.model.module import GIVEN_TYPE, ROLES
from codecompass.model.reference import Role
from codecompass.model.search import Place
from codecompass.model.symbol import PlacedSymbol, SymbolKind
from codecompass.store.links import count_places, unpack_places
from codecompass.store.reader import SnapshotReader

_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})
_CALLS = frozenset({Role.CALL, Role.DECORATE})


class UsePlace(NamedTuple):
    """One use of a symbol."""

    path: str
    line: int
    start: int
    role: Role
    enclosing: int  # ordinal of the innermost symbol around it, -1 for none
    confidence: Confidence
    is_result: bool = False  # a type in what a function says that it returns


@dataclass(frozen=True, slots=True)
class Uses:
    """The uses of one symbol, counted by file; places are read file by file."""

    symbol: PlacedSymbol
    numbers: tuple[int, ...]  # of the declarations that are meant
    packed: dict[str, list[bytes]]  # where files use it, as it is stored
    files: dict[str, int]  # uses by path
    possible_files: dict[str, int]  # uses of the same name whose meaning is not known
    is_resolved: bool  # whether the language is one whose uses are resolved
    has_node: bool = True  # whether anything could name it

    @property
    def total(self) -> int:
        """How many uses there are."""
        return sum(self.files.values())

    def rows(self, path: str) -> set[tuple[int, int, int, int]]:
        """The uses in a file, as they are stored."""
        return {row for part in self.packed.get(path, ()) for row in unpack_places(part)}

    def is_same_as(self, other: "Uses") -> bool:
        """Whether both are used at the very same places."""
        return self.files == other.files and all(
            self.rows(path) == other.rows(path) for path in self.files
        )


class Graph:
    """The links of a snapshot, asked by symbols."""

    def __init__(self, reader: SnapshotReader) -> None:
        self._reader = reader
        self._graph = reader.graph
        self._by_key: dict[str, dict[str, int]] = {}

    def nodes_of(self, symbol: PlacedSymbol) -> list[Node]:
        """The declarations that a symbol is."""
        wanted = symbol.symbol.ordinal
        names = self._graph.names(symbol.path)
        keys = dict.fromkeys(item[0] for item in names if item[1] == wanted)
        return [(symbol.path, key) for key in keys]

    def uses_of(self, symbol: PlacedSymbol) -> Uses:
        """Who uses a symbol."""
        nodes = self.nodes_of(symbol)
        numbers = tuple(self._graph.numbers(nodes))
        packed = self._graph.places_using(numbers)
        name = symbol.symbol.name
        possible = Counter(self._graph.files_missing(name))
        return Uses(
            symbol,
            numbers,
            packed,
            {path: sum(map(count_places, parts)) for path, parts in packed.items()},
            {path: count for path, count in sorted(possible.items()) if count},
            self._graph.is_linked(symbol.path),
            has_node=bool(nodes),
        )

    def places(self, uses: Uses, paths: Iterable[str]) -> list[UsePlace]:
        """The uses in these files, in source order."""
        found: list[UsePlace] = []
        for path in paths:
            found += [_use_place(path, *row) for row in sorted(uses.rows(path))]
        return found

    def most_used(self, limit: int) -> list[Node]:
        """The declarations that the most files use, the most first."""
        return self._graph.most_used(limit)

    def possible_places(self, uses: Uses, paths: Iterable[str]) -> list[UsePlace]:
        """Uses of the same name whose meaning is not known, in source order."""
        name = uses.symbol.symbol.name
        return [
            UsePlace(
                path, miss.line, miss.start, ROLES[miss.role], miss.enclosing, Confidence.POSSIBLE
            )
            for path in paths
            for miss in self._graph.misses(path)
            if miss.name == name
        ]

    def calls_of(self, symbol: PlacedSymbol) -> tuple[Uses, list[UsePlace]]:
        """Where a symbol is called; a constructor is called by the name of its class."""
        uses = self.uses_of(symbol)
        found = [place for place in self.places(uses, uses.files) if place.role in _CALLS]
        if symbol.symbol.kind is SymbolKind.CONSTRUCTOR or symbol.symbol.name in _CONSTRUCTORS:
            owner = self.owner_of(symbol)
            if owner is not None:
                of_class = self.uses_of(owner)
                made = self.places(of_class, of_class.files)
                found += [place for place in made if place.role in _CALLS]
        return uses, sorted(found, key=lambda place: (place.path, place.start))

    def owner_of(self, symbol: PlacedSymbol) -> PlacedSymbol | None:
        """The symbol right around a symbol."""
        parent = symbol.symbol.parent
        if parent is None:
            return None
        return self.at(symbol.path, parent)

    def at(self, path: str, ordinal: int) -> PlacedSymbol | None:
        """The symbol of a file by its ordinal."""
        return self.symbols([(path, ordinal)]).get((path, ordinal))

    def symbols(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], PlacedSymbol]:
        """Symbols of files by their ordinals."""
        files = self._reader.catalog.by_path
        wanted = [(path, ordinal) for path, ordinal in places if ordinal >= 0 and path in files]
        asked = {Place(files[path].version_id, ordinal) for path, ordinal in wanted}
        records = self._reader.records_at(sorted(asked))
        return {
            (path, ordinal): PlacedSymbol(path, files[path].language, record)
            for path, ordinal in wanted
            if (record := records.get(Place(files[path].version_id, ordinal))) is not None
        }

    def language(self, path: str) -> str:
        """The language of a file."""
        file = self._reader.catalog.by_path.get(path)
        return file.language if file is not None else ""

    def is_alike(self, path: str, other: str) -> bool:
        """Whether the uses of both files are resolved together."""
        one, two = FAMILY_OF.get(self.language(path)), FAMILY_OF.get(self.language(other))
        return one is not None and one is two

    def used_by(
        self,
        symbol: PlacedSymbol,
        *,
        is_head: bool = False,
        roles: Collection[Role] = frozenset(Role),
    ) -> list[tuple[UsePlace, Node]]:
        """What a symbol, or what stands before its body, uses, with what each use means."""
        span = symbol.symbol.span
        has_head = is_head and symbol.symbol.body_start > span.start_byte
        end = symbol.symbol.body_start if has_head else span.end_byte
        numbers = {number for number, role in enumerate(ROLES) if role in roles}
        edges = self._graph.edges(symbol.path, span.start_byte, end, numbers)
        nodes = self._graph.nodes(edge.target for edge in edges)
        return [(_use_place(symbol.path, *edge[:4]), nodes[edge.target]) for edge in edges]

    def count_calls_in(self, symbol: PlacedSymbol) -> int:
        """How many different things a symbol calls."""
        span = symbol.symbol.span
        numbers = {number for number, role in enumerate(ROLES) if role in _CALLS}
        edges = self._graph.edges(symbol.path, span.start_byte, span.end_byte, numbers)
        nodes = self._graph.nodes({edge.target for edge in edges})
        return len({key for _, key in nodes.values()})  # a declaration and its definition are one

    def missed_by(self, symbol: PlacedSymbol) -> list[str]:
        """The names that a symbol calls and whose meaning is not known."""
        span = symbol.symbol.span
        return [
            miss.name
            for miss in self._graph.misses(symbol.path)
            if span.start_byte <= miss.start < span.end_byte and ROLES[miss.role] in _CALLS
        ]

    def _ordinals(self, path: str) -> dict[str, int]:
        """The symbols of a file by the keys of their declarations."""
        if path not in self._by_key:
            by_key: dict[str, int] = {}
            for key, ordinal, *_ in self._graph.names(path):
                if ordinal >= 0:
                    by_key.setdefault(key, ordinal)
            self._by_key[path] = by_key
        return self._by_key[path]

    def symbols_at(self, nodes: Sequence[Node]) -> dict[Node, PlacedSymbol]:
        """The symbols that declarations are; some are none."""
        ordinals: dict[Node, int] = {}
        for node in nodes:
            ordinal = self._ordinals(node[0]).get(node[1])
            if ordinal is not None:
                ordinals[node] = ordinal
        found = self.symbols((path, ordinal) for (path, _), ordinal in ordinals.items())
        return {
            node: found[node[0], ordinal]
            for node, ordinal in ordinals.items()
            if (node[0], ordinal) in found
        }


def _use_place(path: str, start: int, line: int, role: int, enclosing: int) -> UsePlace:
    is_result = role == GIVEN_TYPE
    return UsePlace(path, line, start, ROLES[role], enclosing, Confidence.STATIC, is_result)
