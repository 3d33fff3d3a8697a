"""What is known and what is seen in, what has to be done out; decides, touches nothing."""

from collections.abc import Collection, Iterable, Mapping

from codecompass.model.snapshot import FileDelta, FileEntry
from codecompass.model.source import FileStat, SkipReason


def find_delta(
    known: Mapping[str, FileEntry],
    seen: Iterable[FileStat],
    *,
    stale_languages: Collection[str] = (),
    languages: Mapping[str, str] | None = None,
) -> FileDelta:
    """The paths whose content must be looked at, and those that are gone.

    Size and time are only the trigger; a file too fresh to trust has time 0 and is
    always looked at. `stale_languages` are those whose extraction rules have changed,
    `languages` tells the language of each known path.
    """
    stats = {stat.path: stat for stat in seen}
    changed = [
        path
        for path, stat in stats.items()
        if path not in known
        or _differs(known[path], stat)
        or (languages is not None and languages.get(path) in stale_languages)
    ]
    deleted = [path for path in known if path not in stats]
    return FileDelta(tuple(sorted(changed)), tuple(sorted(deleted)))


def skipped_entry(path: str, reason: SkipReason, stat: FileStat | None) -> FileEntry:
    """The entry of a file that is known but not indexed."""
    size_bytes = stat.size_bytes if stat else 0
    mtime_ns = stat.mtime_ns if stat and reason is not SkipReason.UNREADABLE else 0
    return FileEntry(path, None, reason, "", size_bytes, mtime_ns)


def _differs(entry: FileEntry, stat: FileStat) -> bool:
    if entry.mtime_ns == 0:
        return True
    return (entry.size_bytes, entry.mtime_ns) != (stat.size_bytes, stat.mtime_ns)
