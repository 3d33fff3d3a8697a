"""The state of a workspace in, how it is out."""

from codecompass import __version__
from codecompass.config.settings import Settings
from codecompass.engine.engine import Engine
from codecompass.errors import CodeCompassError
from codecompass.model.answer import IndexingStatus, StatusAnswer
from codecompass.model.health import HealthAnswer, WorkspaceHealth
from codecompass.model.snapshot import Compatibility

_STATUS = {
    IndexingStatus.READY: "ready",
    IndexingStatus.INDEXING: "indexing",
    IndexingStatus.FAILED: "error",
    IndexingStatus.NOT_INDEXED: "not_indexed",
}


_UNUSABLE = {
    Compatibility.CORRUPT: "codecompass index builds it anew",
    Compatibility.REINDEX_REQUIRED: "codecompass index --force builds it anew",
}


def health(engine: Engine) -> HealthAnswer:
    """How the workspace of one engine is."""
    return whole_health([workspace_health(engine)], limits(engine.workspace.settings))


def workspace_health(engine: Engine) -> WorkspaceHealth:
    """How a workspace is; an index that cannot be read is part of the answer."""
    try:
        status = engine.status()
    except CodeCompassError as error:
        root = str(engine.workspace.root)
        return WorkspaceHealth(root, "error", "", said=f"{error.message}; {error.remediation}")
    return _of_status(status)


def _of_status(status: StatusAnswer) -> WorkspaceHealth:
    counts, recovery = status.counts, status.recovery
    if status.compatibility in _UNUSABLE:
        said = f"the index is {status.compatibility}; {_UNUSABLE[status.compatibility]}"
        return WorkspaceHealth(status.workspace, "error", status.ref, said=said)
    return WorkspaceHealth(
        path=status.workspace,
        status=_STATUS[status.indexing_status],
        ref=status.ref,
        files=counts.files if counts else None,
        symbols=counts.symbols if counts else None,
        published_at=status.published_at,
        said=f"{recovery.message}: {recovery.advice}" if recovery else None,
    )


def limits(settings: Settings) -> dict[str, float]:
    """What bounds answers and what a server takes on."""
    return {
        "max_tokens": settings.answers.max_tokens,
        "largest_budget": settings.answers.largest_budget,
        "max_characters": settings.server.max_characters,
        "warm_workspaces": settings.server.warm_workspaces,
        "auto_workspaces": settings.server.auto_workspaces,
        "jobs_at_once": settings.server.jobs_at_once,
        "jobs_per_minute": settings.server.jobs_per_minute,
    }


def whole_health(
    workspaces: list[WorkspaceHealth],
    bounds: dict[str, float],
    *,
    uptime_s: int | None = None,
    is_warming: bool = False,
) -> HealthAnswer:
    """The state of all workspaces together: the worst of them."""
    found = {item.status for item in workspaces}
    worst = next((name for name in ("error", "indexing") if name in found), "ready")
    if worst == "ready" and is_warming:
        worst = "warming"
    return HealthAnswer(worst, __version__, tuple(workspaces), bounds, uptime_s)
