"""Garbage: snapshots nobody asks for any more, and versions that no snapshot names."""

import datetime
from dataclasses import dataclass
from pathlib import Path

from codecompass.config.settings import RefSettings
from codecompass.model.snapshot import LIVE, SnapshotId
from codecompass.store.links import delete_unused_links
from codecompass.store.snapshots import (
    SnapshotRecord,
    all_snapshots,
    default_refs,
    drop_snapshots,
    set_default_ref,
)
from codecompass.store.versions import (
    count_versions,
    delete_pending,
    delete_versions,
    unused_versions,
)
from codecompass.store.writing import WriteSession

# Old contents are kept for the next branch switch until there are more of them than live ones:
# one branch that has nothing in common with another can be left and come back to.
_GARBAGE_SHARE = 1.0
_GARBAGE_MINIMUM = 500
# Somebody may be in the middle of a question about it.
_IN_USE_S = 600


@dataclass(frozen=True, slots=True)
class Collected:
    """What was thrown away."""

    snapshots: int
    versions: int


def collect_garbage(
    session: WriteSession, settings: RefSettings, *, model: str = "", everything: bool = False
) -> Collected:
    """Drop what the settings no longer keep; with `everything` also what might be of use again.

    A working tree whose folder is gone is dropped at once, a commit's tree when nobody
    has asked for it for some time or when too many others were asked for since. Of
    vectors those of `model` are kept, or all if none is named.
    """
    database = session.database
    stale = stale_snapshots(all_snapshots(database), settings)
    gone = [root for root in default_refs(database) if not Path(root).is_dir()]
    with database.transaction("drop snapshots"):
        drop_snapshots(database, stale)
        delete_unused_links(database)
        for root in gone:
            set_default_ref(database, root, None)
    unused = unused_versions(database)
    enough = max(_GARBAGE_MINIMUM, _GARBAGE_SHARE * (count_versions(database) - len(unused)))
    if not unused or (len(unused) < enough and not everything):
        session.vectors.tidy(keep=model, everything=everything)
        return Collected(len(stale), 0)
    with database.transaction("collect garbage"):
        delete_versions(database, unused)
    session.lexical.delete(unused)
    session.lexical.commit()
    delete_pending(database)
    session.vectors.tidy(keep=model, everything=everything)
    return Collected(len(stale), len(unused))


def stale_snapshots(records: list[SnapshotRecord], settings: RefSettings) -> list[SnapshotId]:
    """Those not kept any longer; `records` begin with the one used last."""
    now = datetime.datetime.now(datetime.UTC)
    oldest = (now - datetime.timedelta(days=settings.keep_days)).isoformat(timespec="seconds")
    in_use = (now - datetime.timedelta(seconds=_IN_USE_S)).isoformat(timespec="seconds")
    trees = [record for record in records if record.ref != LIVE]
    stale = [
        record.id
        for position, record in enumerate(trees)
        if record.used_at < oldest
        or (position >= settings.keep_snapshots and record.used_at < in_use)
    ]
    live = (record for record in records if record.ref == LIVE)
    return stale + [record.id for record in live if not Path(record.workspace).is_dir()]
