"""Snapshots: which version each path stands for; changed by one transaction at a time."""

import datetime
import time
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from codecompass.model.snapshot import (
    FileEntry,
    SnapshotCounts,
    SnapshotId,
    SnapshotName,
    VersionId,
)
from codecompass.model.source import SkipReason
from codecompass.store.checksums import seal
from codecompass.store.database import Database
from codecompass.store.lists import FILE_COLUMNS, FileLists, ListId, entry_columns, read_entry

_EXAMPLES = 3
# Indexed, or left out by a rule: `doctor` tells how many files each rule leaves out.
_NOT_COUNTED = frozenset({None, SkipReason.IGNORED})
_RECORD = (
    "SELECT id, ref, workspace, list_id, head, rules, generation, revision, published_at, used_at"
    " FROM snapshots"
)
_CHANGES = (
    f"SELECT {FILE_COLUMNS} FROM snapshot_files AS files"  # noqa: S608  # our own column list
    " LEFT JOIN versions ON versions.id = version_id WHERE snapshot_id = ?"
)
_PUT_CHANGE = "INSERT INTO snapshot_files VALUES (?, ?, ?, ?, ?, ?)"
_PUT_SNAPSHOT = (
    "INSERT INTO snapshots (ref, workspace, list_id, head, rules, generation, revision, times,"
    " published_at, used_at) VALUES (:ref, :workspace, :list, :head, :rules, :first, 1, :times,"
    " :now, :now) ON CONFLICT (ref, workspace) DO UPDATE SET list_id = excluded.list_id,"
    " head = excluded.head, rules = excluded.rules, generation = generation + 1,"
    " revision = revision + 1, times = excluded.times, published_at = excluded.published_at,"
    " used_at = excluded.used_at"
)
# Every version that a snapshot may name: a few of the list may be hidden by it.
_NEAR_VERSIONS = (
    "(SELECT version_id FROM listed_files WHERE list_id = ?"
    " UNION SELECT version_id FROM snapshot_files WHERE snapshot_id = ?)"
)


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """A published snapshot."""

    id: SnapshotId
    ref: str
    workspace: str
    list_id: ListId
    head: str | None
    rules: str  # by what files were admitted and read when it was published
    generation: int  # grows with each publish
    revision: int  # grows with each change, also of mere times
    published_at: str
    used_at: str

    @property
    def state(self) -> str:
        """A text that changes with each publish."""
        return f"{self.id}.{self.generation}"


@dataclass(frozen=True, slots=True)
class NewState:
    """What is published: the files, and what they are."""

    files: Mapping[str, FileEntry]
    head: str | None
    rules: str


def find_snapshot(database: Database, name: SnapshotName) -> SnapshotRecord | None:
    """The published snapshot of this name."""
    row = database.row(f"{_RECORD} WHERE ref = ? AND workspace = ?", (name.ref, name.workspace))
    return SnapshotRecord(SnapshotId(row[0]), *row[1:]) if row else None


def all_snapshots(database: Database) -> list[SnapshotRecord]:
    """Every snapshot of the store, the one used last first."""
    rows = database.rows(f"{_RECORD} ORDER BY used_at DESC, id DESC")
    return [SnapshotRecord(SnapshotId(row[0]), *row[1:]) for row in rows]


def snapshot_files(
    database: Database, record: SnapshotRecord, lists: FileLists
) -> Mapping[str, FileEntry]:
    """Every path of a snapshot, indexed or skipped, with its time if one is known."""
    state = (record.id, record.generation, record.revision)
    return lists.of_state(state, lambda: _read_files(database, record, lists))


def _read_files(
    database: Database, record: SnapshotRecord, lists: FileLists
) -> dict[str, FileEntry]:
    files = dict(lists.files(database, record.list_id))
    for entry in map(read_entry, database.rows(_CHANGES, (record.id,))):
        if entry.version_id is None and entry.skip_reason is None:
            files.pop(entry.path, None)
        else:
            files[entry.path] = entry
    row = database.row("SELECT times FROM snapshots WHERE id = ?", (record.id,))
    times = _unpack_times(row[0]) if row else []
    for path, stamp in zip(sorted(files), times, strict=False):
        if stamp:
            old = files[path]  # built by hand: `replace` takes five times as long
            files[path] = FileEntry(
                path, old.version_id, old.skip_reason, old.blob_id, old.size_bytes, stamp
            )
    return files


def publish_snapshot(
    database: Database, name: SnapshotName, state: NewState, lists: FileLists
) -> SnapshotId:
    """Bring a snapshot to its new state; inside a transaction, so that nobody sees half of it."""
    previous = find_snapshot(database, name)
    placed = lists.place(database, state.files, previous.list_id if previous else None)
    values = {
        "ref": name.ref,
        "workspace": name.workspace,
        "list": placed.list_id,
        "head": state.head,
        "rules": state.rules,
        "times": _pack_times(state.files),
        "now": _now(),
        # A store that was emptied and made anew does not count from one again: what is
        # kept of the old one elsewhere must not be taken for this.
        "first": time.time_ns(),
    }
    database.run(_PUT_SNAPSHOT, values)
    found = find_snapshot(database, name)
    assert found is not None  # noqa: S101  # written just above
    database.run("DELETE FROM snapshot_files WHERE snapshot_id = ?", (found.id,))
    hidden = (None, None, None, None)
    database.run_many(
        _PUT_CHANGE,
        (
            (found.id, *(entry_columns(entry) if entry else (path, *hidden)))
            for path, entry in placed.changes.items()
        ),
    )
    return found.id


def keep_files(
    database: Database, name: SnapshotName, files: Mapping[str, FileEntry], lists: FileLists
) -> None:
    """Spare readers of this process what was just committed: these are its files."""
    found = find_snapshot(database, name)
    if found is not None:
        lists.keep_state((found.id, found.generation, found.revision), files)


def update_times(
    database: Database,
    snapshot_id: SnapshotId,
    *,
    state: NewState,
) -> None:
    """Note new times of the same contents, of which commit they now are, and by which rules."""
    database.run(
        "UPDATE snapshots SET head = ?, rules = ?, times = ?, revision = revision + 1"
        " WHERE id = ?",
        (state.head, state.rules, _pack_times(state.files), snapshot_id),
    )
    seal(database, "snapshots", snapshot_id)


def note_use(database: Database, snapshot_id: SnapshotId) -> None:
    """Note that somebody asked for a snapshot."""
    database.run("UPDATE snapshots SET used_at = ? WHERE id = ?", (_now(), snapshot_id))


def drop_snapshots(database: Database, ids: Iterable[SnapshotId]) -> None:
    """Forget snapshots, and lists that nobody names any more; inside a transaction."""
    database.run_many("DELETE FROM snapshots WHERE id = ?", ((found,) for found in ids))
    database.run("DELETE FROM lists WHERE id NOT IN (SELECT list_id FROM snapshots)")


def count_snapshot(
    database: Database, record: SnapshotRecord, files: Mapping[str, FileEntry]
) -> SnapshotCounts:
    """How many files, records and lines a snapshot holds."""
    paths = Counter(entry.version_id for entry in files.values() if entry.version_id is not None)
    rows = database.rows(
        "SELECT id, language, failure, line_count, has_errors, symbol_count, reference_count,"  # noqa: S608  # our own text
        f" import_count FROM versions WHERE id IN {_NEAR_VERSIONS}",
        (record.list_id, record.id),
    )
    languages: Counter[str] = Counter()
    totals = [0] * 5
    broken = set()
    failed: dict[VersionId, str] = {}
    for version_id, language, failure, *numbers in rows:
        times = paths.get(version_id, 0)
        if times:
            languages[language] += times
            if failure:
                failed[version_id] = failure
                numbers[1] = 0
            elif numbers[1]:
                broken.add(version_id)
            totals = [sum + number * times for sum, number in zip(totals, numbers, strict=True)]
    lines, errors, symbols, references, imports = totals
    reasons = (entry.skip_reason for entry in files.values())
    skipped = Counter(str(reason) for reason in reasons if reason not in _NOT_COUNTED)
    return SnapshotCounts(
        files=sum(paths.values()),
        symbols=symbols,
        references=references,
        imports=imports,
        lines=lines,
        languages=dict(sorted(languages.items(), key=lambda pair: (-pair[1], pair[0]))),
        skipped=dict(sorted(skipped.items())),
        with_errors=errors,
        such_as=tuple(
            islice((path for path in sorted(files) if files[path].version_id in broken), _EXAMPLES)
        ),
        absent_submodules=tuple(
            path for path in sorted(files) if files[path].skip_reason is SkipReason.SUBMODULE
        ),
        not_parsed={
            path: failed[version_id]
            for path in sorted(files)
            if (version_id := files[path].version_id) in failed
        }
        or None,
    )


class Extraction(NamedTuple):
    """By what a version was extracted."""

    language: str
    extractor: str


def version_extractions(database: Database, record: SnapshotRecord) -> dict[VersionId, Extraction]:
    """How each version that a snapshot names was extracted; there may be some more."""
    rows = database.rows(
        f"SELECT id, language, extractor FROM versions WHERE id IN {_NEAR_VERSIONS}",  # noqa: S608  # our own text
        (record.list_id, record.id),
    )
    return {VersionId(row[0]): Extraction(row[1], row[2]) for row in rows}


def extractions_of(database: Database, ids: Sequence[VersionId]) -> dict[VersionId, Extraction]:
    """How a few versions were extracted."""
    rows = database.rows_among("SELECT id, language, extractor FROM versions WHERE id IN (*)", ids)
    return {VersionId(row[0]): Extraction(row[1], row[2]) for row in rows}


def has_other_rules(database: Database, rules: str) -> bool:
    """Whether some snapshot was made while files were admitted by other rules."""
    return database.row("SELECT 1 FROM snapshots WHERE rules != ?", (rules,)) is not None


def set_default_ref(database: Database, workspace: str, ref: str | None) -> None:
    """Note the ref that questions of a workspace mean; None for its working tree."""
    database.run("DELETE FROM default_refs WHERE workspace = ?", (workspace,))
    if ref is not None:
        database.run("INSERT INTO default_refs VALUES (?, ?)", (workspace, ref))


def default_refs(database: Database) -> dict[str, str]:
    """The ref that each workspace has chosen, where it has chosen one."""
    return dict(database.rows("SELECT workspace, ref FROM default_refs"))


def _pack_times(files: Mapping[str, FileEntry]) -> bytes:
    """The times of all files in the order of their paths; b"" if there are none."""
    times = array("q", [files[path].stamp for path in sorted(files)])
    return zlib.compress(times.tobytes(), 1) if any(times) else b""


def _unpack_times(packed: bytes) -> "array[int]":
    times: array[int] = array("q")
    if packed:
        times.frombytes(zlib.decompress(packed))
    return times


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
