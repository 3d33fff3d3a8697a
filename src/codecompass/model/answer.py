"""What a caller gets: results with their own truth about freshness and completeness."""

from dataclasses import dataclass, field
from enum import StrEnum

from codecompass.model.snapshot import Compatibility, JobCounts, SnapshotCounts

PROTOCOL_VERSION = "1.0"


class Freshness(StrEnum):
    """How the answer relates to the files as they are now."""

    FRESH = "fresh"
    STALE = "stale"
    SYNCING = "syncing"


class IndexingStatus(StrEnum):
    """Whether there is something to answer from."""

    NOT_INDEXED = "not_indexed"
    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"


class Completeness(StrEnum):
    """Whether everything that matches is in the answer."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class Meta:
    """The truth about an answer."""

    freshness_status: Freshness
    indexing_status: IndexingStatus
    result_completeness: Completeness
    ref: str
    elapsed_ms: int
    estimated_tokens: int
    source_layer: str = "base"
    safety_limit_applied: bool = False
    suppressed_duplicate_count: int = 0
    searched_files: int | None = None  # said when nothing was found
    searched_symbols: int | None = None
    codecompass_protocol_version: str = PROTOCOL_VERSION


@dataclass(frozen=True, slots=True)
class SymbolResult:
    """One place in the code; fields above the asked detail level are None."""

    path: str
    start_line: int
    end_line: int
    kind: str
    name: str
    handle: str
    qualified_name: str | None = None
    language: str | None = None
    signature: str | None = None
    is_exported: bool | None = None
    depth: int | None = None
    doc: str | None = None
    decorators: tuple[str, ...] | None = None
    parent: str | None = None
    body_preview: str | None = None


@dataclass(frozen=True, slots=True)
class OutlineAnswer:
    """The symbols of one file."""

    path: str
    language: str
    line_count: int
    has_errors: bool
    results: tuple[SymbolResult, ...]
    meta: Meta


@dataclass(frozen=True, slots=True)
class LocateAnswer:
    """Definitions by exact name; suggestions are other names and never results."""

    query: str
    total: int
    results: tuple[SymbolResult, ...]
    suggestions: tuple[str, ...]
    meta: Meta
    filtered_out: int = 0  # definitions of that name which the filters do not admit


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a run that did not end well leaves to say, until the next good one."""

    job_id: int
    error_code: str
    message: str
    started_at: str
    advice: str


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """The state of a workspace's index."""

    workspace: str
    store: str
    size_bytes: int
    compatibility: Compatibility
    schema_version: int
    freshness_status: Freshness
    indexing_status: IndexingStatus
    changed_files: int | None  # None: not indexed
    counts: SnapshotCounts | None
    head: str | None
    published_at: str | None
    recovery: Recovery | None


@dataclass(frozen=True, slots=True)
class SyncAnswer:
    """What an index or sync run did."""

    workspace: str
    counts: JobCounts
    duration_ms: int
    published: bool


@dataclass(frozen=True, slots=True)
class Check:
    """One finding of the doctor."""

    name: str
    ok: bool
    detail: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class DoctorAnswer:
    """Everything that was checked."""

    checks: tuple[Check, ...]
    ignored: dict[str, int] = field(default_factory=dict)  # files left out, by rule
