"""A workspace in, its snapshot published: look at the disk → decide → hand on to a job."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from codecompass.config.settings import IndexSettings
from codecompass.indexing.bounds import segment_mib
from codecompass.indexing.job import Job, JobSettings, Progress, SyncReport
from codecompass.indexing.plan import Plan, Unknown, find_delta, skipped_entry
from codecompass.indexing.work import (
    admission_rules,
    current_extractor,
    key_by_name,
    version_key,
)
from codecompass.model.snapshot import FileDelta, FileEntry, VersionKey, live_name
from codecompass.model.source import FileStat, SkipReason
from codecompass.parse.languages import BY_NAME
from codecompass.source.checkout import clean_blobs
from codecompass.source.git import head_commit
from codecompass.source.read import read_source
from codecompass.source.walk import Listing, list_paths, list_workspace, stat_paths
from codecompass.store.repository import RepositoryStore
from codecompass.store.snapshots import (
    find_snapshot,
    has_other_rules,
    snapshot_files,
    version_extractions,
)
from codecompass.store.versions import (
    KnownVersion,
    all_extractions,
    has_versions,
    known_versions,
)
from codecompass.store.writing import WriteSession

# Asking git about all files costs as much as reading so many of them.
_ASK_GIT_FILES = 200
# More paths are not put on one command line.
_MAX_PATHS = 200


@dataclass(frozen=True, slots=True)
class Look:
    """A look at the workspace: what a sync would look at more closely."""

    delta: FileDelta
    stats: Mapping[str, FileStat]  # of the changed files, and maybe of others
    skipped: Mapping[str, SkipReason]  # found but not regular files of this workspace
    scanned: int  # how many files were seen
    state: tuple[int, int]  # of the snapshot: its generation and revision
    published: str = ""  # the same as a text, by which others know it


def look_for_changes(
    store: RepositoryStore, root: Path, *, scratch: Path, settings: IndexSettings
) -> Look | None:
    """Compare sizes and times with the snapshot; None if there is no snapshot yet."""
    reader = store.reader(live_name(root))
    if reader is None:
        return None
    with reader:
        known = reader.files()
        stale = stale_languages(reader.extractors())
        languages = reader.languages() if stale else {}
        has_other_rules = reader.record.rules != admission_rules(settings)
        state = (reader.record.generation, reader.record.revision)
        published = reader.record.state
    listing = list_workspace(root, scratch)
    if has_other_rules:
        delta = _all_of(listing, known)
    else:
        delta = _delta(known, listing, stale, languages)
    return replace(_look(listing, delta, state), published=published)


def look_at_paths(
    store: RepositoryStore,
    root: Path,
    paths: Sequence[str],
    *,
    scratch: Path,
    settings: IndexSettings,
) -> Look | None:
    """The same for some paths, where nothing else has changed; None if that is not enough."""
    reader = store.reader(live_name(root))
    if reader is None:
        return None
    with reader:
        known = reader.files()
        has_other_rules = reader.record.rules != admission_rules(settings)
        if has_other_rules or stale_languages(reader.extractors()):
            return None
        state = (reader.record.generation, reader.record.revision)
        published = reader.record.state
    if not paths:
        return Look(FileDelta((), ()), {}, {}, 0, state, published)
    if len(paths) > _MAX_PATHS or any(_is_in_other_repository(root, path) for path in paths):
        return None
    if any(_has_other_names(root / path) for path in paths):
        return None
    # What was listed stays listed, as no rule has changed.
    listed_before = {path for path in paths if path in known and not _is_left_out(known[path])}
    listing = stat_paths(root, sorted(listed_before))
    strangers = [
        path for path in paths if path not in listed_before and os.path.lexists(root / path)
    ]
    if strangers:
        listing = listing.with_others(list_paths(root, scratch, strangers))
    listed = {stat.path for stat in listing.files} | listing.skipped.keys()
    deleted = sorted(path for path in paths if path in known and path not in listed)
    changed = _delta(known, listing, (), {}).changed
    return replace(_look(listing, FileDelta(changed, tuple(deleted)), state), published=published)


def _is_left_out(entry: FileEntry) -> bool:
    return entry.skip_reason is SkipReason.IGNORED


def _look(listing: Listing, delta: FileDelta, state: tuple[int, int]) -> Look:
    wanted = set(delta.changed)
    stats = {stat.path: stat for stat in listing.files if stat.path in wanted}
    return Look(delta, stats, listing.skipped, len(listing.files), state)


def _all_of(listing: Listing, known: Mapping[str, FileEntry]) -> FileDelta:
    """Everything that is there is to be looked at."""
    there = {stat.path for stat in listing.files} | listing.skipped.keys()
    gone = (path for path in known if path not in there)
    return FileDelta(tuple(sorted(there)), tuple(sorted(gone)))


def _has_other_names(file: Path) -> bool:
    """Whether a file has several names: the system tells a change of the one it was made by."""
    try:
        seen = file.lstat()
    except OSError:
        return False
    return seen.st_nlink > 1 and S_ISREG(seen.st_mode)


def _is_in_other_repository(root: Path, path: str) -> bool:
    """Whether a path is in a repository inside the workspace: its own git has to be asked."""
    folders = PurePosixPath(path).parents
    return any((root / folder / ".git").exists() for folder in folders if folder.name)


def real_changes(
    store: RepositoryStore, root: Path, delta: FileDelta, settings: IndexSettings
) -> FileDelta:
    """The delta without files that were only too fresh to trust and have the same content."""
    reader = store.reader(live_name(root))
    if reader is None:
        return delta
    with reader:
        known = reader.files()
    changed = [path for path in delta.changed if not _is_same(root, known.get(path), settings)]
    return FileDelta(tuple(changed), delta.deleted)


def _is_same(root: Path, entry: FileEntry | None, settings: IndexSettings) -> bool:
    if entry is None or not entry.blob_id:
        return False
    source = read_source(
        root,
        entry.path,
        max_bytes=settings.max_file_bytes,
        max_line_bytes=settings.max_line_bytes,
    )
    return not isinstance(source, SkipReason) and source.blob_id == entry.blob_id


def sync_workspace(  # noqa: PLR0913  # two of them are only ever given by name and rarely
    store: RepositoryStore,
    root: Path,
    *,
    scratch: Path,
    settings: JobSettings,
    progress: Progress,
    force: bool = False,
    look: Look | None = None,
) -> SyncReport:
    """Bring the snapshot of a working tree up to date, to what a look has just found.

    Killed at any moment, the last published snapshot stays readable and what was
    extracted so far is found by the next run.
    """
    progress("scan", 0, 0)
    has_waited = False

    def wait() -> None:
        nonlocal has_waited
        has_waited = True
        progress("wait", 0, 0)

    memory_mib = segment_mib(settings.index)
    with store.writing(force=force, on_wait=wait, memory_mib=memory_mib) as session:
        job = Job(session, root, settings=settings, progress=progress)
        planner = _Planner(session, root, settings.index)
        if look is None or has_waited or not planner.is_of_now(look):
            look = planner.look(list_workspace(root, scratch))
        report = job.run(planner.plan(look))
        record = find_snapshot(session.database, live_name(root))
        return replace(report, state=record.state if record else "")


class _Planner:
    """Finds out what a working tree holds; only content never seen before is left to extract."""

    def __init__(self, session: WriteSession, root: Path, settings: IndexSettings) -> None:
        self._session = session
        self._database = session.database
        self._root = root
        self._settings = settings
        self._previous = find_snapshot(self._database, live_name(root))

    def is_of_now(self, look: Look) -> bool:
        """Whether nobody has published anything since a look."""
        return look.state == self._state

    @property
    def _state(self) -> tuple[int, int]:
        previous = self._previous
        return (previous.generation, previous.revision) if previous else (0, 0)

    def look(self, listing: Listing) -> Look:
        """What a list of all files says, compared with the snapshot."""
        return _look(listing, self._decide(listing), self._state)

    def plan(self, look: Look) -> Plan:
        """Settle what can be settled without extracting anything."""
        known = self._known()
        rules = admission_rules(self._settings)
        name = live_name(self._root)
        plan = Plan(name, head_commit(self._root), rules, known, scanned=look.scanned)
        touched = {*look.delta.changed, *look.delta.deleted}
        plan.files = {path: entry for path, entry in known.items() if path not in touched}
        plan.touched = touched
        for path in look.delta.changed:
            if path in look.skipped:
                plan.files[path] = skipped_entry(path, look.skipped[path], None)
        stats = [look.stats[path] for path in look.delta.changed if path in look.stats]
        if has_versions(self._database):
            self._settle(plan, stats)
        else:
            plan.extract = [Unknown(stat.path) for stat in stats]
        return plan

    def _known(self) -> Mapping[str, FileEntry]:
        if self._previous is None:
            return {}
        return snapshot_files(self._database, self._previous, self._session.lists)

    def _decide(self, listing: Listing) -> FileDelta:
        previous, known = self._previous, self._known()
        if previous is None or previous.rules != admission_rules(self._settings):
            return _all_of(listing, known)
        extractions = version_extractions(self._database, previous)
        languages = {
            path: extractions[entry.version_id].language
            for path, entry in known.items()
            if entry.version_id is not None
        }
        used = {extractions[e.version_id] for e in known.values() if e.version_id is not None}
        return _delta(known, listing, stale_languages(used), languages)

    def _settle(self, plan: Plan, stats: Sequence[FileStat]) -> None:
        """Hash what may have changed, unless git has done so already."""
        # A content admitted by other rules may be too large for these.
        may_ask = len(stats) > _ASK_GIT_FILES and not has_other_rules(self._database, plan.rules)
        left = self._settle_by_git(plan, stats) if may_ask else stats
        keys: dict[str, VersionKey] = {}
        hashed: dict[str, FileEntry] = {}
        for stat in left:
            self._look_inside(stat, plan, keys=keys, hashed=hashed)
        versions = known_versions(self._database, keys.values())
        for path, key in keys.items():
            version = versions.get(key)
            if version is None:
                plan.extract.append(Unknown(path))
            else:
                plan.files[path] = replace(hashed[path], version_id=version.id)

    def _settle_by_git(self, plan: Plan, stats: Sequence[FileStat]) -> list[FileStat]:
        """Take git's word for files that it knows to be unchanged; the others come back."""
        blobs = clean_blobs(self._root) if plan.head else {}
        listed = listed_entries(self._session, blobs)
        keys = {
            stat.path: key_by_name(stat.path, blobs[stat.path])
            for stat in stats
            if stat.path in blobs and stat.path not in listed
        }
        versions = known_versions(self._database, (key for key in keys.values() if key))
        left = []
        for stat in stats:
            key, entry = keys.get(stat.path), listed.get(stat.path)
            version = versions.get(key) if key else None
            if version is None and entry is not None and entry.version_id is not None:
                version = KnownVersion(entry.version_id, entry.size_bytes)
            if version is None or version.size_bytes != stat.size_bytes:
                left.append(stat)
                continue
            plan.files[stat.path] = FileEntry(
                stat.path, version.id, None, blobs[stat.path], stat.size_bytes, stat.stamp
            )
        return left

    def _look_inside(
        self,
        stat: FileStat,
        plan: Plan,
        *,
        keys: dict[str, VersionKey],
        hashed: dict[str, FileEntry],
    ) -> None:
        path = stat.path
        source = read_source(
            self._root,
            path,
            max_bytes=self._settings.max_file_bytes,
            max_line_bytes=self._settings.max_line_bytes,
        )
        plan.hashed += 1
        if isinstance(source, SkipReason):
            plan.files[path] = skipped_entry(path, source, stat)
            return
        keys[path] = version_key(path, source)
        hashed[path] = FileEntry(path, None, None, source.blob_id, source.size_bytes, source.stamp)


def _delta(
    known: Mapping[str, FileEntry],
    listing: Listing,
    stale: Sequence[str],
    languages: Mapping[str, str],
) -> FileDelta:
    delta = find_delta(known, listing.files, stale_languages=stale, languages=languages)
    deleted = tuple(path for path in delta.deleted if path not in listing.skipped)
    fresh_skips = [
        path
        for path, reason in listing.skipped.items()
        if path not in known or known[path].skip_reason != reason
    ]
    return FileDelta(tuple(sorted([*delta.changed, *fresh_skips])), deleted)


def listed_entries(session: WriteSession, blobs: Mapping[str, str]) -> dict[str, FileEntry]:
    """What is known of contents at the very paths where they stand elsewhere too."""
    if stale_languages(all_extractions(session.database)):
        return {}
    found: dict[str, FileEntry] = {}
    for listed in session.lists.newest(session.database):
        for path, blob_id in blobs.items():
            entry = listed.get(path)
            if entry and entry.blob_id == blob_id and entry.version_id is not None:
                found.setdefault(path, entry)
    return found


def stale_languages(used: Iterable[tuple[str, str]]) -> list[str]:
    """The languages of which versions exist that today's rules would extract otherwise."""
    return [
        name for name, version in used if name in BY_NAME and version != current_extractor(name)
    ]
