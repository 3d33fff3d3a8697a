"""What all stores of a user take on the disk, and which of them go when that is too much."""

import contextlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from codecompass.errors import StoreError
from codecompass.store.layout import REPOSITORIES
from codecompass.store.lock import WriterLock, is_writer_alive

_USED = "used"  # its time is when somebody last asked
_NOTED_S = 3_600
_MIB = 1024 * 1024
_LOCKS = ("writer.lock", "watch.lock")


@dataclass(frozen=True, slots=True)
class StoreUse:
    """One repository's store."""

    folder: Path
    size_bytes: int
    used_at: float


def note_use(folder: Path, origin: Path) -> None:
    """Somebody asks this store; noted once an hour, with what it is the store of."""
    mark = folder / _USED
    with contextlib.suppress(OSError):  # a disk that cannot be written loses nothing but this
        if not mark.exists():
            mark.write_text(str(origin), "utf-8", "surrogateescape")
        elif time.time() - mark.stat().st_mtime > _NOTED_S:
            os.utime(mark)


def nearest_folder(folder: Path) -> Path:
    """The folder, or the nearest above it that exists."""
    return next(part for part in [folder, *folder.parents] if part.exists())


def free_bytes(folder: Path) -> int:
    """How much more the disk of a folder takes."""
    return shutil.disk_usage(nearest_folder(folder)).free


def size_of(folder: Path) -> int:
    """What a folder takes."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # merged away while we look
            total += path.stat().st_size if path.is_file() else 0
    return total


def all_stores(home: Path) -> list[StoreUse]:
    """The stores of a user, the one that nobody asked for the longest first."""
    found = []
    folders = (home / REPOSITORIES).iterdir() if (home / REPOSITORIES).is_dir() else ()
    for folder in folders:
        with contextlib.suppress(OSError):
            mark = folder / _USED
            used_at = (mark if mark.exists() else folder).stat().st_mtime
            found.append(StoreUse(folder, size_of(folder), used_at))
    return sorted(found, key=lambda item: (item.used_at, item.folder))


def evict(home: Path, budget_mib: int, keep: Path) -> list[StoreUse]:
    """Remove stores until all fit into a budget; not one, and none that is written or watched."""
    stores = all_stores(home)
    total = sum(item.size_bytes for item in stores)
    gone = []
    for item in stores:
        if total <= budget_mib * _MIB:
            break
        if item.folder != keep and _remove(item.folder):
            total -= item.size_bytes
            gone.append(item)
    return gone


def drop_orphans(home: Path) -> list[StoreUse]:
    """Remove the stores of repositories and folders that are gone."""
    return [item for item in all_stores(home) if _is_orphan(item) and _remove(item.folder)]


def _is_orphan(item: StoreUse) -> bool:
    try:
        origin = (item.folder / _USED).read_text("utf-8", "surrogateescape")
    except OSError:
        return False
    return bool(origin) and not Path(origin).exists()


def _remove(folder: Path) -> bool:
    if any(is_writer_alive(folder / name) for name in _LOCKS):
        return False
    try:
        with WriterLock(folder / _LOCKS[0], 0.0):
            database = folder / "facts.db"
            database.unlink(missing_ok=True)  # from here on it is known to be empty
            shutil.rmtree(folder)
    except (StoreError, OSError):
        return False
    return True
