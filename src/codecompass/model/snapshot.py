"""A snapshot's files, what changed since the last look, and the jobs that keep it up to date."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, NewType

from codecompass.model.source import SkipReason

VersionId = NewType("VersionId", int)
SnapshotId = NewType("SnapshotId", int)
JobId = NewType("JobId", int)

LIVE = "live"
"""The ref of a working tree."""


class SnapshotName(NamedTuple):
    """What a snapshot is published under: a working tree by its folder, a tree by its id.

    Branches, tags and commits have no snapshots of their own: git says which tree they
    mean when they are asked for, so a ref that moves is never out of date.
    """

    ref: str  # `live`, or the id of a git tree
    workspace: str  # "" for a tree


def live_name(root: Path) -> SnapshotName:
    """The name of a working tree's snapshot."""
    return SnapshotName(LIVE, str(root))


def tree_name(tree_id: str) -> SnapshotName:
    """The name of a git tree's snapshot."""
    return SnapshotName(tree_id, "")


@dataclass(frozen=True, slots=True)
class VersionKey:
    """What a file version is known by: same key, same facts, on every ref and worktree."""

    blob_id: str
    language: str
    extractor: str  # version of grammar row, queries and rules


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One path of a snapshot: the version it stands for, or why it has none."""

    path: str
    version_id: VersionId | None
    skip_reason: SkipReason | None
    blob_id: str  # "" for skipped files whose content was not looked at
    size_bytes: int
    stamp: int  # 0: not to be trusted, look at the content

    def says_same(self, other: "FileEntry") -> bool:
        """Whether another entry says the same of the path, times aside."""
        if self.version_id is not None:
            return self.version_id == other.version_id
        return (None, self.skip_reason, self.blob_id, self.size_bytes) == (
            other.version_id,
            other.skip_reason,
            other.blob_id,
            other.size_bytes,
        )


@dataclass(frozen=True, slots=True)
class FileDelta:
    """What a look at the disk says against what is known: to be read, and to be dropped."""

    changed: tuple[str, ...]
    deleted: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing has to be done."""
        return not self.changed and not self.deleted


class JobStatus(StrEnum):
    """The states of an index job; the last three are final."""

    RUNNING = "running"
    VALIDATING = "validating"
    PUBLISHED = "published"
    FAILED = "failed"
    ROLLED_BACK = "rolled_back"


ACTIVE_JOBS = (JobStatus.RUNNING, JobStatus.VALIDATING)


@dataclass(frozen=True, slots=True)
class JobCounts:
    """What a job did, in files and records."""

    scanned: int = 0  # files listed
    hashed: int = 0  # files read because size or time differed
    extracted: int = 0  # contents never seen before
    reused: int = 0  # contents already in the store
    deleted: int = 0  # paths that left the snapshot
    skipped: int = 0  # files found but not indexable
    symbols: int = 0  # definitions extracted
    requoted: int = 0  # chunks whose quoted signatures changed
    resolved: int = 0  # files whose uses were resolved


@dataclass(frozen=True, slots=True)
class JobRecord:
    """One run of the indexer as the store remembers it."""

    id: JobId
    ref: str
    mode: str  # full | incremental
    status: JobStatus
    counts: JobCounts
    duration_ms: int
    error_code: str
    error_message: str
    created_at: str
    updated_at: str


class Compatibility(StrEnum):
    """What the start-up check says of a store."""

    COMPATIBLE = "compatible"
    NOT_INDEXED = "not_indexed"
    REINDEX_REQUIRED = "reindex_required"
    CORRUPT = "corrupt_manifest"


@dataclass(frozen=True, slots=True)
class SnapshotCounts:
    """How much a snapshot holds."""

    files: int
    symbols: int
    references: int
    imports: int
    lines: int
    languages: dict[str, int]  # files by language
    skipped: dict[str, int]  # files by reason
    with_errors: int  # files whose syntax is broken somewhere
    such_as: tuple[str, ...] = ()  # the first few of them
    absent_submodules: tuple[str, ...] = ()  # not checked out, or whose commit is not here
    not_parsed: dict[str, str] | None = None  # files that are plain text instead, and why
