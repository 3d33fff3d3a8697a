"""A workspace in, its snapshot published: gather → decide → extract → publish."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from codecompass.config.settings import IndexSettings
from codecompass.errors import CodeCompassError
from codecompass.indexing.plan import find_delta, skipped_entry
from codecompass.indexing.run import extract_all
from codecompass.indexing.work import (
    ExtractedFile,
    WorkItem,
    current_extractor,
    version_key,
)
from codecompass.model.snapshot import (
    LIVE,
    FileDelta,
    FileEntry,
    JobCounts,
    JobId,
    JobStatus,
    VersionId,
    VersionKey,
)
from codecompass.model.source import FileStat, SkipReason
from codecompass.parse.languages import BY_NAME
from codecompass.source.git import head_commit
from codecompass.source.read import read_source
from codecompass.source.walk import Listing, list_workspace
from codecompass.store.jobs import finish_job, set_status, start_job
from codecompass.store.repository import RepositoryStore, WriteSession
from codecompass.store.schema import create_indexes, drop_indexes
from codecompass.store.snapshots import (
    extractors,
    find_snapshot,
    languages_by_path,
    publish_snapshot,
    snapshot_files,
    update_stats,
)
from codecompass.store.versions import (
    VersionRows,
    delete_versions,
    has_versions,
    insert_versions,
    known_versions,
    reserve_ids,
    unused_versions,
)

Progress = Callable[[str, int, int], None]
"""Called with the stage, how much is done and how much there is."""

# Old contents are kept for the next branch switch until they outnumber half of the live ones.
_GARBAGE_SHARE = 0.5
_GARBAGE_MINIMUM = 500


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did."""

    counts: JobCounts
    duration_ms: int
    published: bool  # whether readers see anything new


@dataclass(slots=True)
class _Plan:
    """What a look at the contents decided."""

    entries: list[FileEntry] = field(default_factory=list)  # settled: skipped or known content
    touched: list[FileEntry] = field(default_factory=list)  # same content, new time
    extract: list[str] = field(default_factory=list)
    hashed: int = 0
    reused: int = 0
    skipped: int = 0


def look_for_changes(store: RepositoryStore, root: Path, scratch: Path) -> FileDelta | None:
    """What a sync would look at, by size and time; None if there is no snapshot yet."""
    reader = store.reader(ref=LIVE, workspace=str(root))
    if reader is None:
        return None
    with reader:
        known = reader.files()
        stale = _stale_languages(reader.extractors())
        languages = reader.languages() if stale else {}
    return _delta(known, list_workspace(root, scratch), stale, languages)


def real_changes(
    store: RepositoryStore, root: Path, delta: FileDelta, settings: IndexSettings
) -> FileDelta:
    """The delta without files that were only too fresh to trust and have the same content."""
    reader = store.reader(ref=LIVE, workspace=str(root))
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


def sync_workspace(
    store: RepositoryStore,
    root: Path,
    *,
    scratch: Path,
    settings: IndexSettings,
    progress: Progress,
    force: bool = False,
) -> SyncReport:
    """Bring the snapshot of a working tree up to date.

    Killed at any moment, the last published snapshot stays readable and what was
    extracted so far is found by the next run.
    """
    started = time.monotonic()
    progress("scan", 0, 0)
    with store.writing(force=force) as session:
        run = _Run(session, root, scratch=scratch, settings=settings, progress=progress)
        counts, published = run.sync()
    return SyncReport(counts, _elapsed_ms(started), published)


class _Run:
    """One sync by the one writer."""

    def __init__(
        self,
        session: WriteSession,
        root: Path,
        *,
        scratch: Path,
        settings: IndexSettings,
        progress: Progress,
    ) -> None:
        self._session = session
        self._database = session.database
        self._root = root
        self._scratch = scratch
        self._settings = settings
        self._progress = progress
        self._started = time.monotonic()

    def sync(self) -> tuple[JobCounts, bool]:
        """Gather, decide, extract, publish; whether anything was published."""
        listing = list_workspace(self._root, self._scratch)
        previous = find_snapshot(self._database, ref=LIVE, workspace=str(self._root))
        known = snapshot_files(self._database, previous.id) if previous else {}
        delta = self._decide(known, listing)
        counts = JobCounts(scanned=len(listing.files), skipped=len(listing.skipped))
        if previous and delta.is_empty:
            return counts, False
        is_first = not has_versions(self._database)
        plan = self._settle(delta, known, listing, look_inside=not is_first)
        changes_nothing = not plan.extract and not plan.entries and not delta.deleted
        if previous and changes_nothing:
            with self._database.transaction("note new times"):
                update_stats(self._database, previous.id, plan.touched)
            return replace(counts, hashed=plan.hashed), False
        first_id = reserve_ids(self._database, max(1, len(plan.extract)))
        mode = "full" if is_first else "incremental"
        job = start_job(
            self._database,
            ref=LIVE,
            workspace=str(self._root),
            mode=mode,
            first_version=first_id,
            count=max(1, len(plan.extract)),
        )
        try:
            if is_first:
                drop_indexes(self._database)
            counts = self._extract_and_publish(job, plan, delta, first_id)
        except BaseException as error:
            self._fail(job, error)
            raise
        self._collect_garbage()
        return counts, True

    def _decide(self, known: dict[str, FileEntry], listing: Listing) -> FileDelta:
        stale = _stale_languages(extractors(self._database))
        languages = languages_by_path(self._database) if stale else {}
        return _delta(known, listing, stale, languages)

    def _settle(
        self,
        delta: FileDelta,
        known: dict[str, FileEntry],
        listing: Listing,
        *,
        look_inside: bool,
    ) -> _Plan:
        """Hash what may have changed; only content never seen before is left to extract."""
        plan = _Plan(skipped=len(listing.skipped))
        for path, reason in listing.skipped.items():
            entry = skipped_entry(path, reason, None)
            if known.get(path) != entry:
                plan.entries.append(entry)
        stats = {stat.path: stat for stat in listing.files}
        paths = [path for path in delta.changed if path in stats]
        if not look_inside:
            plan.extract = paths
            return plan
        keys: dict[str, VersionKey] = {}
        hashed: dict[str, FileEntry] = {}
        for path in paths:
            self._look_inside(path, stats[path], plan, keys=keys, hashed=hashed)
        versions = known_versions(self._database, keys.values())
        for path, key in keys.items():
            version_id = versions.get(key)
            if version_id is None:
                plan.extract.append(path)
                continue
            entry = replace(hashed[path], version_id=version_id)
            before = known.get(path)
            if before and before.version_id == version_id:
                plan.touched.append(entry)
            else:
                plan.entries.append(entry)
                plan.reused += 1
        return plan

    def _look_inside(
        self,
        path: str,
        stat: FileStat,
        plan: _Plan,
        *,
        keys: dict[str, VersionKey],
        hashed: dict[str, FileEntry],
    ) -> None:
        source = read_source(
            self._root,
            path,
            max_bytes=self._settings.max_file_bytes,
            max_line_bytes=self._settings.max_line_bytes,
        )
        plan.hashed += 1
        if isinstance(source, SkipReason):
            plan.entries.append(skipped_entry(path, source, stat))
            plan.skipped += 1
            return
        keys[path] = version_key(path, source)
        hashed[path] = FileEntry(
            path, None, None, source.blob_id, source.size_bytes, source.mtime_ns
        )

    def _extract_and_publish(
        self, job: JobId, plan: _Plan, delta: FileDelta, first_id: VersionId
    ) -> JobCounts:
        stage = _Stage(self._session, plan)
        items = [
            WorkItem(path, VersionId(first_id + number))
            for number, path in enumerate(plan.extract)
        ]
        self._progress("extract", 0, len(items))
        self._database.begin_writing()
        for batch in extract_all(self._root, items, self._settings):
            stage.add(batch)
            self._progress("extract", stage.done, len(items))
            if stage.uncommitted >= self._settings.commit_files:
                stage.commit()
                self._database.begin_writing()
        stage.commit()
        set_status(self._database, job, JobStatus.VALIDATING)
        self._progress("publish", 0, 0)
        counts = stage.counts(scanned=len(items) + plan.hashed, deleted=len(delta.deleted))
        with self._database.transaction("publish the snapshot"):
            publish_snapshot(
                self._database,
                ref=LIVE,
                workspace=str(self._root),
                head=head_commit(self._root),
                put=[*plan.entries, *plan.touched, *stage.entries],
                drop=delta.deleted,
            )
            create_indexes(self._database)
            finish_job(
                self._database,
                job,
                JobStatus.PUBLISHED,
                counts=counts,
                duration_ms=_elapsed_ms(self._started),
            )
        return counts

    def _fail(self, job: JobId, error: BaseException) -> None:
        """Note why a run ended early; what it made durable stays."""
        self._database.rollback()
        code = error.code if isinstance(error, CodeCompassError) else "internal"
        if isinstance(error, KeyboardInterrupt):
            code = "cancelled"
        try:
            finish_job(
                self._database,
                job,
                JobStatus.FAILED,
                counts=JobCounts(),
                duration_ms=_elapsed_ms(self._started),
                error=(code, str(error)),
            )
        except CodeCompassError:
            return  # the disk is full: the next run finds the job and calls it interrupted

    def _collect_garbage(self) -> None:
        unused = unused_versions(self._database)
        row = self._database.row("SELECT COUNT(*) FROM versions")
        total = row[0] if row else 0
        if len(unused) < max(_GARBAGE_MINIMUM, _GARBAGE_SHARE * (total - len(unused))):
            return
        self._session.lexical.delete(unused)
        self._session.lexical.commit()
        with self._database.transaction("collect garbage"):
            delete_versions(self._database, unused)


class _Stage:
    """Takes extracted files into both engines; nothing of it is in a snapshot yet."""

    def __init__(self, session: WriteSession, plan: _Plan) -> None:
        self._session = session
        self._plan = plan
        self._ids: dict[VersionKey, VersionId] = {}
        self.entries: list[FileEntry] = []
        self.done = 0
        self.uncommitted = 0
        self._extracted = 0
        self._symbols = 0
        self._skipped = plan.skipped

    def add(self, batch: Sequence[ExtractedFile]) -> None:
        """Store the rows of a batch; equal contents are stored once."""
        fresh: list[VersionRows] = []
        for item in batch:
            self.done += 1
            if item.rows is None:
                reason = item.skip_reason or SkipReason.UNREADABLE
                stat = FileStat(item.path, item.size_bytes, item.mtime_ns)
                self.entries.append(skipped_entry(item.path, reason, stat))
                self._skipped += 1
                continue
            rows = item.rows
            version_id = self._ids.setdefault(rows.key, rows.id)
            if version_id == rows.id:
                fresh.append(rows)
                self._session.lexical.add(rows.id, rows.names())
                self._symbols += rows.definitions
            self.entries.append(
                FileEntry(
                    item.path, version_id, None, rows.key.blob_id, item.size_bytes, item.mtime_ns
                )
            )
        insert_versions(self._session.database, fresh)
        self._extracted += len(fresh)
        self.uncommitted += len(batch)

    def commit(self) -> None:
        """Make it durable: text first, so that a version in the database always has its text."""
        self._session.lexical.commit()
        self._session.database.commit()
        self.uncommitted = 0

    def counts(self, *, scanned: int, deleted: int) -> JobCounts:
        """What the run did so far."""
        return JobCounts(
            scanned=scanned,
            hashed=self._plan.hashed + self.done,
            extracted=self._extracted,
            reused=self._plan.reused,
            deleted=deleted,
            skipped=self._skipped,
            symbols=self._symbols,
        )


def _delta(
    known: dict[str, FileEntry],
    listing: Listing,
    stale: Sequence[str],
    languages: dict[str, str],
) -> FileDelta:
    delta = find_delta(known, listing.files, stale_languages=stale, languages=languages)
    deleted = tuple(path for path in delta.deleted if path not in listing.skipped)
    fresh_skips = [
        path
        for path, reason in listing.skipped.items()
        if path not in known or known[path].skip_reason != reason
    ]
    return FileDelta(tuple(sorted([*delta.changed, *fresh_skips])), deleted)


def _stale_languages(used: Iterable[tuple[str, str]]) -> list[str]:
    """The languages of which versions exist that today's rules would extract otherwise."""
    return [
        name for name, version in used if name in BY_NAME and version != current_extractor(name)
    ]


def _elapsed_ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
