"""File lists: what most snapshots of a repository have in common, written once.

A list is a whole set of files and never changes. A snapshot names one and keeps only
what it has otherwise; fifty worktrees of one commit share one list.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NewType

from codecompass.model.snapshot import FileEntry, SnapshotId, VersionId
from codecompass.model.source import SkipReason
from codecompass.store.checksums import seal
from codecompass.store.database import Database, Row

ListId = NewType("ListId", int)
SnapshotState = tuple[SnapshotId, int, int]
"""A snapshot, its generation and its revision: no two states have the same."""

FILE_COLUMNS = (
    "path, version_id, skip_reason, coalesce(versions.blob_id, files.blob_id),"
    " coalesce(versions.size_bytes, files.size_bytes)"
)
_FILES = (
    f"SELECT {FILE_COLUMNS} FROM listed_files AS files"  # noqa: S608  # our own column list
    " LEFT JOIN versions ON versions.id = version_id WHERE list_id = ?"
)
_PUT = "INSERT INTO listed_files VALUES (?, ?, ?, ?, ?, ?)"
_KEPT = 4
# A snapshot that differs from every list in more files than this gets a list of its own.
# A difference of 3 % of Django's files takes 15 kB, a list 400 kB.
_MAX_CHANGED_SHARE = 0.03
_MAX_CHANGED_FILES = 8


@dataclass(frozen=True, slots=True)
class Difference:
    """A set of files as a list and what is otherwise; None hides a path of the list."""

    list_id: ListId
    changes: Mapping[str, FileEntry | None]


class FileLists:
    """Reads lists and keeps the last few; entries of a list have no times."""

    def __init__(self) -> None:
        self._kept: dict[ListId, dict[str, FileEntry]] = {}
        self._states: OrderedDict[SnapshotState, Mapping[str, FileEntry]] = OrderedDict()

    def of_state(
        self, state: SnapshotState, read: Callable[[], Mapping[str, FileEntry]]
    ) -> Mapping[str, FileEntry]:
        """The files of one state of a snapshot, read if they are not kept."""
        found = self._states.get(state)
        return self.keep_state(state, read()) if found is None else found

    def keep_state(
        self, state: SnapshotState, files: Mapping[str, FileEntry]
    ) -> Mapping[str, FileEntry]:
        """Keep the files of a state that will be asked for; others of its snapshot go."""
        for older in [known for known in self._states if known[0] == state[0]]:
            del self._states[older]
        self._states[state] = files
        while len(self._states) > _KEPT:
            self._states.popitem(last=False)
        return files

    def files(self, database: Database, list_id: ListId) -> Mapping[str, FileEntry]:
        """The files of a list by path."""
        found = self._kept.pop(list_id, None)
        if found is None:
            entries = map(read_entry, database.rows(_FILES, (list_id,)))
            found = {entry.path: entry for entry in entries}
        self._kept[list_id] = found
        while len(self._kept) > _KEPT:
            del self._kept[next(iter(self._kept))]
        return found

    def newest(self, database: Database) -> list[Mapping[str, FileEntry]]:
        """The files of the last few lists, the newest first."""
        rows = database.rows("SELECT id FROM lists ORDER BY id DESC LIMIT ?", (_KEPT,))
        return [self.files(database, row[0]) for row in rows]

    def place(
        self, database: Database, files: Mapping[str, FileEntry], before: ListId | None
    ) -> Difference:
        """A list that is near, the one of `before` if it is; else a new one.

        Inside a transaction.
        """
        most = max(_MAX_CHANGED_FILES, int(len(files) * _MAX_CHANGED_SHARE))
        rows = database.rows("SELECT id FROM lists ORDER BY id DESC")
        for list_id in sorted((row[0] for row in rows), key=lambda found: found != before):
            changes = _differences(self.files(database, list_id), files)
            if len(changes) <= most:
                return Difference(list_id, changes)
        return Difference(_write_list(database, files.values()), {})


def read_entry(row: Row) -> FileEntry:
    """A file from its columns, without a time."""
    path, version, reason, blob_id, size_bytes = row
    version_id = VersionId(version) if version is not None else None
    skip_reason = SkipReason(reason) if reason else None
    return FileEntry(path, version_id, skip_reason, blob_id or "", size_bytes or 0, 0)


def entry_columns(entry: FileEntry) -> tuple[object, ...]:
    """What is stored of a file; content and size of an indexed one stand with its version."""
    if entry.version_id is not None:
        return entry.path, entry.version_id, None, None, None
    return entry.path, None, str(entry.skip_reason), entry.blob_id, entry.size_bytes


def _differences(
    listed: Mapping[str, FileEntry], files: Mapping[str, FileEntry]
) -> dict[str, FileEntry | None]:
    changes: dict[str, FileEntry | None] = {
        path: entry
        for path, entry in files.items()
        if (old := listed.get(path)) is not entry and (old is None or not entry.says_same(old))
    }
    changes.update(dict.fromkeys(path for path in listed if path not in files))
    return changes


def _write_list(database: Database, files: Iterable[FileEntry]) -> ListId:
    list_id = ListId(database.run("INSERT INTO lists (checksum) VALUES (0)"))
    rows: Sequence[tuple[object, ...]] = [(list_id, *entry_columns(entry)) for entry in files]
    database.run_many(_PUT, rows)
    seal(database, "lists", list_id)
    return list_id
