"""What is known and what is seen in, what has to be done out; decides, touches nothing."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from codecompass.model.snapshot import FileDelta, FileEntry, SnapshotName
from codecompass.model.source import FileStat, SkipReason


@dataclass(frozen=True, slots=True)
class Unknown:
    """A file whose content was never extracted before, as far as its id is known."""

    path: str
    blob_id: str = ""  # of a file in a commit; "" for one on the disk


@dataclass(slots=True)
class Plan:
    """A snapshot to be: the files that are settled, and those still to be extracted."""

    name: SnapshotName
    head: str | None
    rules: str
    known: Mapping[str, FileEntry]  # as published before
    files: dict[str, FileEntry] = field(default_factory=dict)
    extract: list[Unknown] = field(default_factory=list)
    scanned: int = 0
    hashed: int = 0
    touched: Collection[str] | None = None  # what may differ from before; None: anything may

    def reused(self) -> int:
        """How many files are new or changed here and have a content known from elsewhere."""
        return sum(entry.version_id is not None for entry in self.changed())

    def changed(self) -> list[FileEntry]:
        """The settled files that are not what was published before."""
        paths = self.files if self.touched is None else self.touched
        found = ((path, self.files.get(path)) for path in paths)
        return [entry for path, entry in found if entry is not None and self._is_new(path, entry)]

    def dropped(self) -> list[str]:
        """The paths that were published before and are no more."""
        paths = self.known if self.touched is None else self.touched
        extracted = {item.path for item in self.extract}
        return [
            path
            for path in paths
            if path in self.known and path not in self.files and path not in extracted
        ]

    def _is_new(self, path: str, entry: FileEntry) -> bool:
        before = self.known.get(path)
        return before is not entry and (before is None or not before.says_same(entry))


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
        if (entry := known.get(path)) is None
        or entry.stamp == 0
        or entry.stamp != stat.stamp
        or entry.size_bytes != stat.size_bytes
        or (languages is not None and languages.get(path) in stale_languages)
    ]
    deleted = [path for path in known if path not in stats]
    return FileDelta(tuple(sorted(changed)), tuple(sorted(deleted)))


def skipped_entry(
    path: str, reason: SkipReason, stat: FileStat | None, blob_id: str = ""
) -> FileEntry:
    """The entry of a file that is known but not indexed."""
    size_bytes = stat.size_bytes if stat else 0
    stamp = stat.stamp if stat and reason is not SkipReason.UNREADABLE else 0
    return FileEntry(path, None, reason, blob_id, size_bytes, stamp)
