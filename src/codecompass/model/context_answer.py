"""Answers that show code in its context."""

from dataclasses import dataclass

from codecompass.model.answer import Meta


@dataclass(frozen=True, slots=True)
class ContextResult:
    """One place that belongs to the answer, and how much of it is shown."""

    path: str
    start_line: int
    end_line: int
    kind: str
    name: str
    handle: str
    score: float
    shown: str  # whole, body, signature, name; dropped: only its handle
    qualified_name: str | None = None  # where it says more than the name
    source_layer: str | None = None  # said where it is not the base


@dataclass(frozen=True, slots=True)
class SnapshotResult:
    """A part of a file that reads like the file."""

    path: str
    language: str
    ranges: tuple[tuple[int, int], ...]  # first and last line of each part
    text: str
    priority: float  # the score of the best result in it


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """How results hang together, then the code itself, inside a budget."""

    query: str
    strategy: str
    budget: int
    results: tuple[ContextResult, ...]
    graph: str
    snapshots: tuple[SnapshotResult, ...]
    suggestions: tuple[str, ...]  # names that exist, or what to ask next; never results
    meta: Meta
    total_candidates: int = 0
    filters: dict[str, object] | None = None
    notes: tuple[str, ...] | None = None
