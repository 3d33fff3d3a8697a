"""What a caller gets: results with their own truth about freshness and completeness."""

from dataclasses import dataclass, field
from enum import StrEnum

from codecompass.model.page import NOT_TOLD, Page
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
    commit: str | None = None  # of the ref; of a working tree, the one that is checked out
    source_layer: str = "base"  # overlay: something shown is not as in the base branch
    not_fetched_files: int | None = None  # whose contents a partial clone lacks
    is_sparse: bool | None = None  # only a part of the tree is checked out, and was asked
    absent_submodules: tuple[str, ...] | None = None  # not checked out, or not fetched
    stale_reason: str | None = None  # what kept the index from being brought up to date
    safety_limit_applied: bool = False
    suppressed_duplicate_count: int = 0
    searched_files: int | None = None  # said when nothing was found
    searched_symbols: int | None = None
    query_intent: str | None = None
    query_intent_confidence: float | None = None
    semantic_triggered: bool | None = None  # whether a model had a say
    semantic_skipped_reason: str | None = None
    semantic_ratio_used: float | None = None  # of the model's weight
    embedding_model_version: str | None = None
    external_provider_blocked: bool | None = None
    codecompass_protocol_version: str = PROTOCOL_VERSION


@dataclass(frozen=True, slots=True)
class Seen:
    """Which state of the code a question saw."""

    ref: str
    commit: str | None
    freshness: Freshness
    not_fetched: int = 0  # files whose contents a partial clone lacks
    is_overlay: bool = False  # something shown is not as in the base branch
    problem: str = ""  # what kept the index from being brought up to date
    is_sparse: bool = False  # a working tree of which only a part is checked out
    submodules: tuple[str, ...] = ()  # that are not checked out, or whose commit is not here


OVERLAY = "overlay"
"""The layer of what is not as in the base branch."""


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
    source_layer: str | None = None  # said where it is not the base


@dataclass(frozen=True, slots=True)
class OutlineAnswer:
    """The symbols of one file."""

    path: str
    language: str
    line_count: int
    has_errors: bool
    results: tuple[SymbolResult, ...]
    meta: Meta
    total: int  # definitions, shown or not


@dataclass(frozen=True, slots=True)
class FileInFolder:
    """A file by its size and how many definitions it has at its top."""

    path: str
    language: str
    line_count: int
    definitions: int
    shown: str  # signature: its definitions are among the results; name: only this


@dataclass(frozen=True, slots=True)
class FolderAnswer:
    """The files of a folder and what they define."""

    path: str
    total_files: int
    files: tuple[FileInFolder, ...]
    folders: dict[str, int]  # folders inside that are not told, and how many files each has
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
    cursor: str | None = None  # for the results behind these
    page: Page | None = field(default=None, metadata=NOT_TOLD)


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
    source_layer: str | None = None  # said where it is not the base


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
    total_hits: int = field(default=0, metadata=NOT_TOLD)
    page: Page | None = field(default=None, metadata=NOT_TOLD)


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
class FollowupCall:
    """An operation that leads on, as it can be called, and why."""

    op: str
    args: dict[str, str]
    reason: str


@dataclass(frozen=True, slots=True)
class FollowupAnswer:
    """What to ask next."""

    query: str
    confidence: float  # the score of the best hit; 0 for none
    calls: tuple[FollowupCall, ...]
    meta: Meta


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What became of one symbol; the place is where it is now, or was before it was deleted."""

    change: str
    path: str
    start_line: int
    end_line: int
    kind: str
    name: str
    handle: str
    qualified_name: str | None = None  # where it says more than the name
    parts: tuple[str, ...] | None = None  # what is other than before: signature, body, …
    signature: str | None = None
    before_signature: str | None = None  # where it is another
    before_path: str | None = None  # where it is another
    before_name: str | None = None  # where it is another
    before_line: int | None = None  # of what is not where it was
    members: int | None = None  # how many symbols came or went inside it
    diff: str | None = None  # of the text
    caller_count: int | None = None  # places that call it, or called it before it was deleted
    callers: tuple[str, ...] | None = None  # the first of them: path, line, name
    rank: int = field(default=0, metadata=NOT_TOLD)  # which is left out last


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What became of one file."""

    change: str
    path: str
    before_path: str | None = None
    not_indexed: str | None = None  # why its symbols cannot be told
    other_lines: str | None = None  # changed outside of definitions: `2, 8-9, 1 gone`


@dataclass(frozen=True, slots=True)
class DiffAnswer:
    """What a ref or a working tree changes against the commit where it left its base."""

    ref: str
    base: str
    merge_base: str
    affected_files: int
    summary: dict[str, int]  # symbols by what became of them
    results: tuple[ChangeResult, ...] | None  # None: only files were asked for
    files: tuple[ChangedFile, ...] | None  # by scope `symbols` what is not seen from the symbols
    meta: Meta
    notes: tuple[str, ...] | None = None
    cursor: str | None = None  # for the symbols behind these
    page: Page | None = field(default=None, metadata=NOT_TOLD)


@dataclass(frozen=True, slots=True)
class CompareAnswer:
    """One symbol at two refs."""

    symbol: str
    from_ref: str
    to_ref: str
    change: str  # unchanged, or what became of it
    results: tuple[ChangeResult, ...]  # it, then its members outside it that changed
    meta: Meta
    from_commit: str | None = None
    to_commit: str | None = None
    members_left: int | None = None  # such members that are not shown


@dataclass(frozen=True, slots=True)
class RefResult:
    """A branch, remote branch or tag."""

    name: str
    kind: str
    commit: str
    date: str
    is_indexed: bool


@dataclass(frozen=True, slots=True)
class WorktreeResult:
    """A work tree of the repository."""

    path: str
    branch: str | None  # None: detached
    commit: str | None
    is_indexed: bool
    is_current: bool
    is_gone: bool


@dataclass(frozen=True, slots=True)
class RefsAnswer:
    """The refs and work trees of a repository, the newest commit first."""

    default_ref: str
    base: str | None
    refs: tuple[RefResult, ...]
    total: int
    worktrees: tuple[WorktreeResult, ...]


@dataclass(frozen=True, slots=True)
class SwitchAnswer:
    """The ref that questions of a workspace now mean."""

    workspace: str
    ref: str
    before: str
    commit: str | None


@dataclass(frozen=True, slots=True)
class GarbageAnswer:
    """What was thrown away."""

    snapshots: int
    versions: int
    freed_bytes: int
    evicted_stores: int | None = None  # of other repositories, to keep the disk's budget


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a run that did not end well leaves to say, until the next good one."""

    job_id: int
    error_code: str
    message: str
    started_at: str
    advice: str
    attempts: int = 1  # runs that failed since one went well


@dataclass(frozen=True, slots=True)
class CallMetrics:
    """What the last calls of one tool took, and how much they said."""

    tool: str
    calls: int
    errors: int
    p50_ms: int
    p95_ms: int
    p50_tokens: int


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """The state of a workspace's index."""

    workspace: str
    ref: str
    store: str
    size_bytes: int
    compatibility: Compatibility
    schema_version: int | None  # of the store; None: there is none, or it cannot be read
    freshness_status: Freshness
    indexing_status: IndexingStatus
    changed_files: int | None  # None: not indexed
    counts: SnapshotCounts | None
    head: str | None
    published_at: str | None
    recovery: Recovery | None
    is_being_written: bool | None = None  # by some process, for this or another worktree
    watcher: str | None = None  # the process that watches this workspace, and how
    is_sparse: bool | None = None  # only a part of the working tree is checked out
    calls: tuple[CallMetrics, ...] | None = None  # by servers, as far as the log reaches


@dataclass(frozen=True, slots=True)
class SyncAnswer:
    """What an index or sync run did."""

    workspace: str
    ref: str
    counts: JobCounts
    duration_ms: int
    published: bool
    note: str | None = None  # what could not be done, and is no reason to fail


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
