"""Resolved files: what the uses of a version mean at a path of some snapshot.

A link belongs to a path, a version and what other files say; snapshots that agree on
all three name the same link. Declarations are numbered once for the whole store.
"""

import json
import zlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, NewType

from codecompass.model.edge import LinkedFile, Miss, Node
from codecompass.model.snapshot import SnapshotId, VersionId
from codecompass.store.checksums import checksum_of, seal
from codecompass.store.database import Database, Row

LinkId = NewType("LinkId", int)
_MANY_NAMES = 800  # of one file: all of them are read at once
_PLACE_BYTES = 4 * array("i").itemsize


class NodeNumbers:
    """Numbers of declarations; new ones are given to those never seen."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, dict[str, int]] = {}  # by path and key
        self._whole: set[str] = set()  # paths of which all are known
        self._asked: dict[str, int] = {}  # how many of a path were asked for
        row = database.row("SELECT MAX(id) FROM nodes")
        self._next = (row[0] or 0) + 1 if row else 1
        self._is_empty = self._next == 1

    def numbers(self, nodes: Collection[Node]) -> dict[Node, int]:
        """The numbers of declarations; inside a transaction."""
        found: dict[Node, int] = {}
        fresh: list[tuple[int, str, str]] = []
        wanted: dict[str, list[str]] = {}
        for path, key in nodes:
            wanted.setdefault(path, []).append(key)
        for path, keys in wanted.items():
            self._look_up(path, keys)
        for node in nodes:
            path, key = node
            known = self._known[path]
            number = known.get(key)
            if number is None:
                number = known[key] = self._next
                self._next += 1
                fresh.append((number, path, key))
            found[node] = number
        self._database.run_many("INSERT INTO nodes VALUES (?, ?, ?)", fresh)
        return found

    def forget(self) -> None:
        """Remember nothing, so that memory stays bounded; all is read again when needed."""
        self._known.clear()
        self._whole.clear()
        self._asked.clear()
        self._is_empty = False

    def _look_up(self, path: str, keys: Sequence[str]) -> None:
        """Read the numbers of a file's declarations: of these, or of all if they are many."""
        known = self._known.setdefault(path, {})
        if self._is_empty or path in self._whole:
            return
        missing = [key for key in keys if key not in known]
        self._asked[path] = self._asked.get(path, 0) + len(missing)
        sql = "SELECT key, id FROM nodes WHERE path = ?"
        if self._asked[path] > _MANY_NAMES:
            self._whole.add(path)
            known.update(self._database.rows(sql, (path,)))
        elif missing:
            sql += " AND key IN (*)"
            known.update(self._database.rows_among(sql, missing, first=(path,)))


def insert_links(
    database: Database,
    linked: Sequence[tuple[LinkedFile, VersionId]],
    numbers: NodeNumbers,
) -> dict[str, LinkId]:
    """Store resolved files; inside a transaction. Returns the links by path."""
    row = database.row("SELECT seq FROM sqlite_sequence WHERE name = 'links'")
    first = row[0] + 1 if row else 1
    rows = [
        _link_rows(LinkId(first + position), file, version_id, numbers)
        for position, (file, version_id) in enumerate(linked)
    ]
    database.run_many(
        "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((*item.link, item.checksum()) for item in rows),
    )
    for table, marks, parts in (
        ("reached", "?, ?, ?", (item.reached() for item in rows)),
        ("missed", "?, ?, ?", (item.missed() for item in rows)),
        ("rests", "?, ?", (item.rests() for item in rows)),
    ):
        sql = f"INSERT INTO {table} VALUES ({marks})"  # noqa: S608  # our own words
        database.run_many(sql, chain.from_iterable(parts))
    return {item.path: item.id for item in rows}


class _LinkRows(NamedTuple):
    """What is stored of one resolved file, each part in the order of its key."""

    id: LinkId
    path: str
    link: Row
    places: list[tuple[int, Node, bytes]]
    misses: list[tuple[str, int]]
    paths: list[tuple[int, Node]]

    def checksum(self) -> int:
        """Over all of it, with the declarations that the numbers stand for."""
        link_id = self.id
        reached = [(link_id, number, *node, packed) for number, node, packed in self.places]
        rests = [(link_id, number, *node) for number, node in self.paths]
        missed = [(link_id, name, count) for name, count in self.misses]
        return checksum_of(self.link, (reached, missed, rests))

    def reached(self) -> list[Row]:
        return [(number, self.id, packed) for number, _, packed in self.places]

    def missed(self) -> list[Row]:
        return [(name, self.id, count) for name, count in self.misses]

    def rests(self) -> list[Row]:
        return [(number, self.id) for number, _ in self.paths]


def _link_rows(
    link_id: LinkId, file: LinkedFile, version_id: VersionId, numbers: NodeNumbers
) -> _LinkRows:
    nodes = {edge.target for edge in file.edges} | file.needs
    paths = {(path, "") for path, _ in file.needs}
    known = numbers.numbers([*sorted(nodes), *sorted(paths)])
    edges = [(*edge[:4], known[edge.target]) for edge in file.edges]
    needs = sorted(known[node] for node in file.needs)
    reached: dict[Node, array[int]] = {}
    for start, line, role, enclosing, node in file.edges:
        reached.setdefault(node, array("i")).extend((start, line, role, enclosing))
    return _LinkRows(
        link_id,
        file.path,
        (
            link_id, version_id, file.path, _pack(edges), _pack(file.misses), _pack(needs),
            file.outside,
        ),
        sorted((known[node], node, places.tobytes()) for node, places in reached.items()),
        sorted(Counter(miss.name for miss in file.misses).items()),
        sorted((known[path], path) for path in paths),
    )  # fmt: skip


def resting_on(database: Database, changed: Mapping[str, set[str] | None]) -> set[LinkId]:
    """Links that rest on declarations that changed; None stands for all of a file."""
    found: set[LinkId] = set()
    for path, keys in changed.items():
        candidates = _links_on_path(database, path)
        if keys is None:
            found |= candidates
            continue
        wanted = _numbers_of(database, path, keys)
        if not wanted:
            continue
        for link_id in candidates - found:
            row = database.row("SELECT needs FROM links WHERE id = ?", (link_id,))
            if row and not wanted.isdisjoint(_unpack(row[0])):
                found.add(link_id)
    return found


def _links_on_path(database: Database, path: str) -> set[LinkId]:
    rows = database.rows(
        "SELECT link_id FROM rests JOIN nodes ON nodes.id = node_id WHERE path = ? AND key = ''",
        (path,),
    )
    return {LinkId(row[0]) for row in rows}


def _numbers_of(database: Database, path: str, keys: set[str]) -> set[int]:
    rows = database.rows("SELECT key, id FROM nodes WHERE path = ?", (path,))
    return {number for key, number in rows if key in keys}


def read_edges(database: Database, link_id: LinkId) -> list[tuple[int, int, int, int, int]]:
    """The edges of a link; the last value of each is the number of its target."""
    row = database.row("SELECT edges FROM links WHERE id = ?", (link_id,))
    return [tuple(item) for item in _unpack(row[0])] if row else []


def read_misses(database: Database, link_id: LinkId) -> list[Miss]:
    """The uses of a link whose meaning is not known."""
    row = database.row("SELECT misses FROM links WHERE id = ?", (link_id,))
    return [Miss._make(item) for item in _unpack(row[0])] if row else []


def reached_from(database: Database, numbers: Sequence[int]) -> list[tuple[LinkId, bytes]]:
    """The links that reach any of these declarations, with where they do, packed."""
    sql = "SELECT link_id, places FROM reached WHERE node_id IN (*)"
    return [(LinkId(row[0]), row[1]) for row in database.rows_among(sql, numbers)]


def count_places(packed: bytes) -> int:
    """How many uses there are in a packed value."""
    return len(packed) // _PLACE_BYTES


def unpack_places(packed: bytes) -> list[tuple[int, int, int, int]]:
    """Start, line, role and enclosing symbol of each use."""
    values = array("i")
    values.frombytes(packed)
    return list(zip(values[::4], values[1::4], values[2::4], values[3::4], strict=True))


def most_reached(database: Database, limit: int) -> list[int]:
    """The declarations that the most files use, the most first."""
    rows = database.rows(
        "SELECT node_id FROM reached GROUP BY node_id ORDER BY COUNT(*) DESC, node_id LIMIT ?",
        (limit,),
    )
    return [row[0] for row in rows]


def missed_name(database: Database, name: str) -> list[tuple[LinkId, int]]:
    """The links with uses of a name whose meaning is not known, with their number."""
    rows = database.rows("SELECT link_id, uses FROM missed WHERE name = ?", (name,))
    return [(LinkId(row[0]), row[1]) for row in rows]


def node_numbers(database: Database, nodes: Sequence[Node]) -> list[int]:
    """The numbers of declarations that anything was ever found to mean."""
    rows = (
        database.row("SELECT id FROM nodes WHERE path = ? AND key = ?", node) for node in nodes
    )
    return [row[0] for row in rows if row]


def nodes_by_number(database: Database, numbers: Iterable[int]) -> dict[int, Node]:
    """Declarations by their numbers."""
    wanted = list(dict.fromkeys(numbers))
    rows = database.rows_among("SELECT id, path, key FROM nodes WHERE id IN (*)", wanted)
    return {row[0]: (row[1], row[2]) for row in rows}


def nodes_of_path(database: Database, path: str) -> dict[int, str]:
    """The keys of a file's declarations by their numbers."""
    rows = database.rows("SELECT id, key FROM nodes WHERE path = ?", (path,))
    return {row[0]: row[1] for row in rows}


def write_snapshot_links(
    database: Database, snapshot_id: SnapshotId, links: Mapping[str, LinkId]
) -> None:
    """Note which links a snapshot has, in the order of their paths; inside a transaction."""
    database.run(
        "INSERT OR REPLACE INTO snapshot_links VALUES (?, ?)",
        (snapshot_id, pack_ids(links[path] for path in sorted(links))),
    )
    seal(database, "snapshots", snapshot_id)


def snapshot_links(database: Database, snapshot_id: SnapshotId) -> list[LinkId] | None:
    """The links of a snapshot in the order of its resolved paths; None if it has none."""
    row = database.row("SELECT ids FROM snapshot_links WHERE snapshot_id = ?", (snapshot_id,))
    return unpack_ids(row[0]) if row else None


def delete_unused_links(database: Database) -> int:
    """Forget links that no snapshot has; inside a transaction."""
    used: set[LinkId] = set()
    for row in database.rows("SELECT ids FROM snapshot_links"):
        used.update(unpack_ids(row[0]))
    rows = database.rows("SELECT id FROM links")
    unused = [(row[0],) for row in rows if row[0] not in used]
    database.run_many("DELETE FROM links WHERE id = ?", unused)
    return len(unused)


def pack_ids(ids: Iterable[int]) -> bytes:
    """Numbers as their differences: those of one run follow each other."""
    values = array("q", ids)
    steps = array("q", (now - before for before, now in zip([0, *values], values, strict=False)))
    return zlib.compress(steps.tobytes(), 6)


def unpack_ids(packed: bytes) -> list[LinkId]:
    """The numbers back."""
    steps: array[int] = array("q")
    steps.frombytes(zlib.decompress(packed))
    found: list[LinkId] = []
    value = 0
    for step in steps:
        value += step
        found.append(LinkId(value))
    return found


def _pack(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 1)


def _unpack(packed: bytes) -> Any:
    return json.loads(zlib.decompress(packed))
