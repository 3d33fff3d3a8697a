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
    query_intent: str | None = None
    query_intent_confidence: float | None = None
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
class SearchResult:
    """One place that a search found; fields above the asked detail level are None."""

    path: str
    start_line: int
    end_line: int
    kind: str  # of the definition; `file` for a whole file
    name: str
    score: float
    handle: str  # of the definition; for a whole file its path
    qualified_name: str | None = None  # where it says more than the name
    language: str | None = None
    definitions: str | None = None  # what is defined inside
    preview: str | None = None  # why it matched: signature, best lines
    match_lines: tuple[int, ...] | None = None
    doc: str | None = None
    parent: str | None = None
    body_preview: str | None = None
    factors: dict[str, float] | None = None  # why it ranks there


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Places that answer a question, best first; in path order if all were asked for."""

    query: str
    mode: str
    results: tuple[SearchResult, ...]
    suggestions: tuple[str, ...]  # names that exist; never results
    meta: Meta
    total_matches: int | None = None  # exact, where everything was searched
    cursor: str | None = None  # for the results behind these
    filters: dict[str, object] | None = None  # those in force, however they were given
    notes: tuple[str, ...] | None = None  # how the question was read
    terms: dict[str, float] | None = None  # what was searched for and its share


@dataclass(frozen=True, slots=True)
class ExplainAnswer:
    """Why one hit ranks where it does."""

    query: str
    rank: int | None  # None: not among the hits
    score: float | None
    result: SearchResult | None
    factors: dict[str, float]
    terms: dict[str, float]  # what was searched for and its share
    total: int  # hits that were ranked
    meta: Meta


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
