"""Snapshots: which version each path stands for; changed by one transaction at a time."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from codecompass.model.snapshot import FileEntry, SnapshotCounts, SnapshotId
from codecompass.model.source import SkipReason
from codecompass.store.database import Database

_FILES = (
    "SELECT path, version_id, skip_reason, blob_id, size_bytes, mtime_ns"
    " FROM snapshot_files WHERE snapshot_id = ?"
)
_PUT_FILE = "INSERT OR REPLACE INTO snapshot_files VALUES (?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """A published snapshot."""

    id: SnapshotId
    ref: str
    workspace: str
    head: str | None
    rules: str  # by what files were admitted and read when it was published
    generation: int  # grows with each publish
    published_at: str


def find_snapshot(database: Database, *, ref: str, workspace: str) -> SnapshotRecord | None:
    """The published snapshot of a ref; for `live`, that of one workspace."""
    row = database.row(
        "SELECT id, ref, workspace, head, rules, generation, published_at FROM snapshots"
        " WHERE ref = ? AND workspace = ?",
        (ref, workspace),
    )
    if row is None:
        return None
    return SnapshotRecord(SnapshotId(row[0]), *row[1:])


def snapshot_files(database: Database, snapshot_id: SnapshotId) -> dict[str, FileEntry]:
    """Every path of a snapshot, indexed or skipped."""
    return {
        path: FileEntry(path, version, SkipReason(reason) if reason else None, blob, size, mtime)
        for path, version, reason, blob, size, mtime in database.rows(_FILES, (snapshot_id,))
    }


@dataclass(frozen=True, slots=True)
class SnapshotName:
    """Which snapshot is published, and as what."""

    ref: str
    workspace: str
    head: str | None
    rules: str


def publish_snapshot(
    database: Database, name: SnapshotName, *, put: Iterable[FileEntry], drop: Iterable[str]
) -> SnapshotId:
    """Bring a snapshot to its new state; inside a transaction, so that nobody sees half of it."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    database.run(
        "INSERT INTO snapshots (ref, workspace, parent_id, head, rules, generation, published_at)"
        " VALUES (?, ?, NULL, ?, ?, 1, ?) ON CONFLICT (ref, workspace) DO UPDATE SET"
        " head = excluded.head, rules = excluded.rules, generation = generation + 1,"
        " published_at = excluded.published_at",
        (name.ref, name.workspace, name.head, name.rules, now),
    )
    found = find_snapshot(database, ref=name.ref, workspace=name.workspace)
    assert found is not None  # noqa: S101  # written just above
    database.run_many(
        "DELETE FROM snapshot_files WHERE snapshot_id = ? AND path = ?",
        ((found.id, path) for path in drop),
    )
    database.run_many(
        _PUT_FILE,
        (
            (
                found.id,
                entry.path,
                entry.version_id,
                str(entry.skip_reason) if entry.skip_reason else None,
                entry.blob_id,
                entry.size_bytes,
                entry.mtime_ns,
            )
            for entry in put
        ),
    )
    return found.id


def update_head(database: Database, snapshot_id: SnapshotId, head: str | None) -> None:
    """Note that the same files are now those of another commit."""
    database.run("UPDATE snapshots SET head = ? WHERE id = ?", (head, snapshot_id))


def update_stats(
    database: Database, snapshot_id: SnapshotId, entries: Iterable[FileEntry]
) -> None:
    """Note new sizes and times of files whose content is the same; inside a transaction."""
    database.run_many(
        "UPDATE snapshot_files SET size_bytes = ?, mtime_ns = ?"
        " WHERE snapshot_id = ? AND path = ?",
        ((entry.size_bytes, entry.mtime_ns, snapshot_id, entry.path) for entry in entries),
    )


def count_snapshot(database: Database, snapshot_id: SnapshotId) -> SnapshotCounts:
    """How many files, records and lines a snapshot holds."""
    by_language = database.rows(
        "SELECT language, COUNT(*), SUM(line_count), SUM(has_errors), SUM(symbol_count),"
        " SUM(reference_count), SUM(import_count) FROM snapshot_files"
        " JOIN versions ON versions.id = version_id WHERE snapshot_id = ?"
        " GROUP BY language ORDER BY COUNT(*) DESC, language",
        (snapshot_id,),
    )
    skipped = database.rows(
        "SELECT skip_reason, COUNT(*) FROM snapshot_files WHERE snapshot_id = ?"
        " AND skip_reason IS NOT NULL GROUP BY skip_reason ORDER BY skip_reason",
        (snapshot_id,),
    )
    totals = [sum(row[column] for row in by_language) for column in range(1, 7)]
    files, lines, errors, symbols, references, imports = totals
    return SnapshotCounts(
        files=files,
        symbols=symbols,
        references=references,
        imports=imports,
        lines=lines,
        languages={row[0]: row[1] for row in by_language},
        skipped={row[0]: row[1] for row in skipped},
        with_errors=errors,
    )


def extractors(database: Database, snapshot_id: SnapshotId) -> list[tuple[str, str]]:
    """Each language of which a snapshot holds files, with the version of its rules."""
    rows = database.rows(
        "SELECT DISTINCT language, extractor FROM versions WHERE id IN"
        " (SELECT version_id FROM snapshot_files WHERE snapshot_id = ?)",
        (snapshot_id,),
    )
    return [(language, extractor) for language, extractor in rows]


def languages_by_path(database: Database, snapshot_id: SnapshotId) -> dict[str, str]:
    """The language in which each path was extracted."""
    rows = database.rows(
        "SELECT path, language FROM snapshot_files JOIN versions ON versions.id = version_id"
        " WHERE snapshot_id = ?",
        (snapshot_id,),
    )
    return dict(rows)
