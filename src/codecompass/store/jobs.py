"""Index jobs: what runs, what ran, and what was interrupted."""

import datetime
import json
from dataclasses import asdict

from codecompass.model.snapshot import (
    ACTIVE_JOBS,
    JobCounts,
    JobId,
    JobRecord,
    JobStatus,
    SnapshotName,
)
from codecompass.store.database import Database, Row

INTERRUPTED = "interrupted"
_KEPT = 50  # older jobs are forgotten

_COLUMNS = (
    "id, ref, mode, status, counts, duration_ms, error_code, error_message, created_at, updated_at"
)


def start_job(
    database: Database, name: SnapshotName, *, mode: str, first_version: int, count: int
) -> JobId:
    """Note that a run begins, and which version ids it may write under."""
    now = _now()
    with database.transaction("start a job"):
        job_id = database.run(
            "INSERT INTO jobs (ref, workspace, mode, status, counts, first_version, last_version,"
            " duration_ms, error_code, error_message, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, '{}', ?, ?, 0, '', '', ?, ?)",
            (
                *name,
                mode,
                str(JobStatus.RUNNING),
                first_version,
                first_version + count - 1,
                now,
                now,
            ),
        )
        database.run("DELETE FROM jobs WHERE id <= ?", (job_id - _KEPT,))
    return JobId(job_id)


def finish_job(
    database: Database,
    job_id: JobId,
    status: JobStatus,
    *,
    counts: JobCounts,
    duration_ms: int,
    error: tuple[str, str] = ("", ""),
) -> None:
    """Note how a run ended, `error` being its code and message; inside a transaction."""
    database.run(
        "UPDATE jobs SET status = ?, counts = ?, duration_ms = ?, error_code = ?,"
        " error_message = ?, updated_at = ? WHERE id = ?",
        (str(status), json.dumps(asdict(counts)), duration_ms, *error, _now(), job_id),
    )


def set_status(database: Database, job_id: JobId, status: JobStatus) -> None:
    """Note the next state of a run."""
    database.run(
        "UPDATE jobs SET status = ?, updated_at = ? WHERE id = ?", (str(status), _now(), job_id)
    )


def failed_ranges(database: Database) -> list[tuple[int, int]]:
    """The version ids of failed runs, under which documents without a version may exist."""
    rows = database.rows("SELECT first_version, last_version FROM jobs WHERE status = 'failed'")
    return [(first, last) for first, last in rows]


def mark_rolled_back(database: Database) -> None:
    """What failed runs left behind is gone."""
    database.run(
        "UPDATE jobs SET status = 'rolled_back', updated_at = ? WHERE status = 'failed'", (_now(),)
    )


def mark_interrupted(database: Database) -> None:
    """Runs that never ended have failed; call it only while holding the writer lock."""
    database.run(
        "UPDATE jobs SET status = 'failed', error_code = ?, error_message = ?, updated_at = ?"
        " WHERE status IN ('running', 'validating')",
        (INTERRUPTED, "the process ended before the run did", _now()),
    )


def is_job_active(database: Database, name: SnapshotName) -> bool:
    """Whether a run for this snapshot has begun and not ended."""
    sql = "SELECT 1 FROM jobs WHERE ref = ? AND workspace = ? AND status IN (?, ?)"
    return database.row(sql, (*name, *map(str, ACTIVE_JOBS))) is not None


def failed_attempts(database: Database, name: SnapshotName) -> int:
    """How many runs for a snapshot failed since one went well."""
    row = database.row(
        "SELECT COUNT(*) FROM jobs WHERE ref = :ref AND workspace = :workspace"
        " AND status IN ('failed', 'rolled_back') AND id > (SELECT coalesce(MAX(id), 0) FROM jobs"
        " WHERE ref = :ref AND workspace = :workspace AND status = 'published')",
        {"ref": name.ref, "workspace": name.workspace},
    )
    return int(row[0]) if row else 0


def last_job(database: Database, name: SnapshotName) -> JobRecord | None:
    """The newest job for a snapshot."""
    row = database.row(
        f"SELECT {_COLUMNS} FROM jobs WHERE ref = ? AND workspace = ? ORDER BY id DESC LIMIT 1",  # noqa: S608  # our own column list
        name,
    )
    return _record(row) if row else None


def _record(row: Row) -> JobRecord:
    counts = json.loads(row[4])
    return JobRecord(
        id=JobId(row[0]),
        ref=row[1],
        mode=row[2],
        status=JobStatus(row[3]),
        counts=JobCounts(**counts),
        duration_ms=row[5],
        error_code=row[6],
        error_message=row[7],
        created_at=row[8],
        updated_at=row[9],
    )


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
