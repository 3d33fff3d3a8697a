"""Clusters: what matches a question together with what belongs to it."""

from dataclasses import dataclass
from enum import StrEnum

from codecompass.model.answer import Meta


class ExpansionState(StrEnum):
    """Whether the symbols of a relationship are there."""

    NOT_LOADED = "not_loaded"  # ask for them by the cluster's id
    LOADING = "loading"
    LOADED = "loaded"
    FAILED = "failed"
    TRUNCATED = "truncated"  # more than are shown


class Relationship(StrEnum):
    """The ways in which symbols belong to a seed."""

    CALLERS = "callers"
    CALLEES = "callees"
    TYPE_FAMILY = "type_family"
    COLOCATED = "colocated"  # in the same file
    SIBLINGS = "siblings"  # of the same class or module


EXPANDABLE = (Relationship.CALLERS, Relationship.CALLEES, Relationship.TYPE_FAMILY)
"""The expensive ones: loaded on request."""


class MatchType(StrEnum):
    """How a seed's name relates to the question."""

    EXACT = "exact"
    PREFIX = "prefix"
    CONTAINS = "contains"
    FUZZY = "fuzzy"  # a word of the name
    SEMANTIC = "semantic"  # by what it says, not by its name


class ClusterType(StrEnum):
    """What holds a cluster together."""

    FUNCTION_CHAIN = "function-chain"
    TYPE_HIERARCHY = "type-hierarchy"
    MODULE_BOUNDARY = "module-boundary"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class RelatedSymbol:
    """A symbol that belongs to a seed."""

    path: str
    start_line: int
    end_line: int
    kind: str
    name: str
    handle: str
    relation: str  # calls, called-by, extends, implements, …
    confidence: str  # definite: followed to its meaning; inferred: from where it stands
    line: int | None = None  # of the evidence
    depth: int | None = None  # steps away, where that is more than one
    signature: str | None = None  # at most 60 tokens
    preview: str | None = None  # at most 25 tokens, where there is no signature


@dataclass(frozen=True, slots=True)
class Related:
    """The symbols of one relationship."""

    state: ExpansionState
    data: tuple[RelatedSymbol, ...] = ()
    total_count: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ClusterSeed:
    """A match."""

    path: str
    start_line: int
    end_line: int
    kind: str
    name: str
    handle: str
    match_type: MatchType
    match_score: float
    signature: str | None = None
    preview: str | None = None  # at most 200 tokens: doc, signature, first lines


@dataclass(frozen=True, slots=True)
class ClusterMetadata:
    """What helps to decide whether to read a cluster."""

    cluster_type: ClusterType
    relevance_score: float
    token_estimate: int
    entry_point: str  # where to begin to read: path:line


@dataclass(frozen=True, slots=True)
class Cluster:
    """Matches and what belongs to them."""

    cluster_id: str  # the first seed's handle: it means the same in every process
    seeds: tuple[ClusterSeed, ...]
    related: dict[Relationship, Related]
    metadata: ClusterMetadata


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """What the clusters take."""

    estimated: int
    budget: int
    per_cluster: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Truncation:
    """A relationship of which not everything is shown."""

    cluster_id: str
    relationship: Relationship
    available_count: int


@dataclass(frozen=True, slots=True)
class ExpansionHints:
    """What could be asked for next."""

    truncated_relationships: tuple[Truncation, ...]
    recommended_expansions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClustersAnswer:
    """Clusters for a question, the most relevant first."""

    query: str
    clusters: tuple[Cluster, ...]
    total_matches: int
    token_usage: TokenUsage
    expansion_hints: ExpansionHints
    suggestions: tuple[str, ...]
    meta: Meta
    filters: dict[str, object] | None = None
    notes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ExpansionAnswer:
    """One relationship of a cluster, in full as far as the limit allows."""

    cluster_id: str
    relationship_type: Relationship
    state: ExpansionState
    of: str  # qualified name of the seed
    results: tuple[RelatedSymbol, ...]
    total_count: int
    meta: Meta


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How clusters are made."""

    max_clusters: int = 5
    expansion_depth: int = 2
    include_preview: bool = True
    expand: tuple[str, ...] = ()  # relationships, or all
