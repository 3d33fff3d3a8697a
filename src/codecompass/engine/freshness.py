"""Decides whether a query waits for a sync; pure."""

from enum import StrEnum

from codecompass.config.settings import FreshnessSettings
from codecompass.model.snapshot import FileDelta


class Step(StrEnum):
    """What to do before answering."""

    ANSWER = "answer"
    SYNC = "sync"
    ANSWER_STALE = "answer_stale"


def next_step(
    delta: FileDelta | None, settings: FreshnessSettings, *, can_sync_behind: bool
) -> Step:
    """Sync first, or answer from what is there.

    `delta` is None where nothing was indexed yet. Where nobody can sync behind the
    answer, `balanced` waits as `strict` does: there would be no later.
    """
    if delta is None:
        return Step.SYNC
    if delta.is_empty:
        return Step.ANSWER
    if settings.policy == "best_effort":
        return Step.ANSWER_STALE
    is_small = len(delta.changed) + len(delta.deleted) <= settings.sync_files
    if settings.policy == "strict" or is_small or not can_sync_behind:
        return Step.SYNC
    return Step.ANSWER_STALE
