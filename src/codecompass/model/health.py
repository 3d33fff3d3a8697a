"""How a server and its workspaces are."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkspaceHealth:
    """One workspace."""

    path: str
    status: str  # ready, indexing, not_indexed or error
    ref: str
    files: int | None = None
    symbols: int | None = None
    published_at: str | None = None
    is_warm: bool | None = None  # None: nobody keeps it open
    said: str | None = None  # how far a run is, or what went wrong


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """All workspaces, and what a server takes on."""

    status: str  # ready, warming, indexing or error
    version: str
    workspaces: tuple[WorkspaceHealth, ...]
    limits: dict[str, float]
    uptime_s: int | None = None
