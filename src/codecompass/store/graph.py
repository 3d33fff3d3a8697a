"""The links of one snapshot as one reader: uses by what they mean, and what files use."""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from codecompass.model.edge import Miss, Node
from codecompass.model.snapshot import FileEntry, SnapshotId, VersionId
from codecompass.store.database import Database
from codecompass.store.links import (
    LinkId,
    missed_name,
    most_reached,
    node_numbers,
    nodes_by_number,
    nodes_of_path,
    reached_from,
    read_edges,
    read_misses,
    snapshot_links,
)
from codecompass.store.modules import DeclaredName, KnownModules, read_names

_LAST_BYTE = 2**31 - 1


class LinkedPath(NamedTuple):
    """A file of the snapshot whose uses are resolved."""

    path: str
    version_id: VersionId


class StoredEdge(NamedTuple):
    """One resolved use of a file."""

    start: int
    line: int
    role: int
    enclosing: int
    target: int  # number of the declaration


class EdgeTable:
    """The resolved uses of one file, as columns: there may be ten thousand."""

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        self._columns = [array("i", column) for column in zip(*rows, strict=True)] or _NO_EDGES

    def between(self, start: int, end: int, roles: Container[int]) -> list[StoredEdge]:
        """The uses in a range of bytes, in source order."""
        starts = self._columns[0]
        part = slice(bisect_left(starts, start), bisect_left(starts, end))
        rows = zip(*(column[part] for column in self._columns), strict=True)
        return [StoredEdge(*row) for row in rows if row[2] in roles]

    def targets(self) -> list[tuple[int, int]]:
        """Where each use stands and what it means."""
        return list(zip(self._columns[0], self._columns[4], strict=True))


_NO_EDGES = [array("i")] * 5
# Files whose uses are kept from question to question; a few megabytes at most.
_KEPT_TABLES = 64


class LinkMap:
    """Which link each path of a snapshot has; made once for each published state."""

    def __init__(
        self,
        database: Database,
        snapshot_id: SnapshotId,
        files: Mapping[str, FileEntry],
        modules: KnownModules,
    ) -> None:
        known = modules.read(database, files.values())
        ids = snapshot_links(database, snapshot_id) or []
        linked = sorted(
            (path, entry.version_id)
            for path, entry in files.items()
            if entry.version_id is not None and entry.version_id in known
        )
        self.by_id: dict[LinkId, LinkedPath] = {}
        self.by_path: dict[str, LinkId] = {}
        for link_id, (path, version_id) in zip(ids, linked, strict=False):
            self.by_id[link_id] = LinkedPath(path, version_id)
            self.by_path[path] = link_id
        self._tables: OrderedDict[LinkId, EdgeTable] = OrderedDict()

    def table(self, database: Database, link_id: LinkId) -> EdgeTable:
        """The uses of a file; those of the last few files are kept."""
        found = self._tables.get(link_id)
        if found is None:
            found = self._tables[link_id] = EdgeTable(read_edges(database, link_id))
            if len(self._tables) > _KEPT_TABLES:
                self._tables.popitem(last=False)
        else:
            self._tables.move_to_end(link_id)
        return found


class GraphReader:
    """Answers about the links of one snapshot."""

    def __init__(self, database: Database, links: LinkMap) -> None:
        self._database = database
        self._links = links
        self._names: dict[str, list[DeclaredName]] = {}  # of files asked for in this question

    def is_linked(self, path: str) -> bool:
        """Whether the uses of a file are resolved at all."""
        return path in self._links.by_path

    def names(self, path: str) -> list[DeclaredName]:
        """The declarations of a file that can be meant from elsewhere."""
        if path not in self._names:
            link_id = self._links.by_path.get(path)
            version_id = self._links.by_id[link_id].version_id if link_id is not None else None
            found = read_names(self._database, version_id) if version_id is not None else []
            self._names[path] = found
        return self._names[path]

    def numbers(self, nodes: Sequence[Node]) -> list[int]:
        """The numbers of declarations, of those that anything means."""
        return node_numbers(self._database, nodes)

    def nodes(self, numbers: Iterable[int]) -> dict[int, Node]:
        """Declarations by their numbers."""
        return nodes_by_number(self._database, numbers)

    def own_nodes(self, path: str) -> dict[int, str]:
        """The keys of a file's own declarations by their numbers."""
        return nodes_of_path(self._database, path)

    def most_used(self, limit: int) -> list[Node]:
        """The declarations of this snapshot's files that the most files use, the most first."""
        numbers = most_reached(self._database, limit)
        nodes = self.nodes(numbers)
        known = (nodes[number] for number in numbers if number in nodes)
        return [node for node in known if node[0] in self._links.by_path]

    def places_using(self, numbers: Sequence[int]) -> dict[str, list[bytes]]:
        """Where each file uses any of these declarations, packed, by path."""
        ours = self._links.by_id
        found: dict[str, list[bytes]] = {}
        for link_id, packed in reached_from(self._database, numbers):
            if link_id in ours:
                found.setdefault(ours[link_id].path, []).append(packed)
        return dict(sorted(found.items()))

    def files_missing(self, name: str) -> dict[str, int]:
        """The files with uses of a name whose meaning is not known, by path."""
        return self._by_path(missed_name(self._database, name))

    def _by_path(self, counts: Iterable[tuple[LinkId, int]]) -> dict[str, int]:
        ours = self._links.by_id
        return dict(sorted((ours[found].path, count) for found, count in counts if found in ours))

    def edges(
        self,
        path: str,
        start: int = 0,
        end: int = _LAST_BYTE,
        roles: Container[int] = range(_LAST_BYTE),
    ) -> list[StoredEdge]:
        """The resolved uses of a file, or of a part of it, in source order; roles by number."""
        link_id = self._links.by_path.get(path)
        if link_id is None:
            return []
        return self._links.table(self._database, link_id).between(start, end, roles)

    def targets(self, path: str) -> list[tuple[int, int]]:
        """Where each resolved use of a file stands, and the number of what it means."""
        link_id = self._links.by_path.get(path)
        if link_id is None:
            return []
        return self._links.table(self._database, link_id).targets()

    def misses(self, path: str) -> list[Miss]:
        """The uses of a file whose meaning is not known, in source order."""
        link_id = self._links.by_path.get(path)
        return read_misses(self._database, link_id) if link_id is not None else []
