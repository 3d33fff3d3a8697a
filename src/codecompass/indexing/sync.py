"""A workspace in, its snapshot published: gather → decide → extract → publish."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codecompass.config.settings import IndexSettings
from codecompass.errors import CodeCompassError
from codecompass.indexing.cascade import ChunkPlace, find_requoted
from codecompass.indexing.plan import find_delta, skipped_entry
from codecompass.indexing.publish import Plan, Stage
from codecompass.indexing.run import extract_all, no_garbage_collection
from codecompass.indexing.work import (
    WorkItem,
    admission_rules,
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
from codecompass.store.jobs import finish_job, last_job, set_status, start_job
from codecompass.store.repository import RepositoryStore, WriteSession
from codecompass.store.schema import create_indexes, drop_indexes
from codecompass.store.snapshots import (
    SnapshotName,
    SnapshotRecord,
    extractors,
    find_snapshot,
    languages_by_path,
    publish_snapshot,
    snapshot_files,
    update_head,
    update_stats,
)
from codecompass.store.versions import (
    delete_pending,
    delete_versions,
    has_versions,
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
    requoted: tuple[ChunkPlace, ...] = ()  # chunks elsewhere that quote a changed signature


@dataclass(frozen=True, slots=True)
class Look:
    """A look at the workspace: what is there, and what a sync would look at more closely."""

    listing: Listing
    delta: FileDelta


def look_for_changes(
    store: RepositoryStore, root: Path, *, scratch: Path, settings: IndexSettings
) -> Look | None:
    """Compare sizes and times with the snapshot; None if there is no snapshot yet."""
    reader = store.reader(ref=LIVE, workspace=str(root))
    if reader is None:
        return None
    with reader:
        known = reader.files()
        stale = _stale_languages(reader.extractors())
        languages = reader.languages() if stale else {}
        has_other_rules = reader.record.rules != admission_rules(settings)
    listing = list_workspace(root, scratch)
    if has_other_rules:
        return Look(listing, FileDelta(tuple(sorted(stat.path for stat in listing.files)), ()))
    return Look(listing, _delta(known, listing, stale, languages))


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


def sync_workspace(  # noqa: PLR0913  # two of them are only ever given by name and rarely
    store: RepositoryStore,
    root: Path,
    *,
    scratch: Path,
    settings: IndexSettings,
    progress: Progress,
    force: bool = False,
    listing: Listing | None = None,
) -> SyncReport:
    """Bring the snapshot of a working tree up to date, to `listing` if one was just made.

    Killed at any moment, the last published snapshot stays readable and what was
    extracted so far is found by the next run.
    """
    started = time.monotonic()
    progress("scan", 0, 0)
    with store.writing(force=force) as session:
        run = _Run(session, root, scratch=scratch, settings=settings, progress=progress)
        counts, published = run.sync(listing)
    return SyncReport(counts, _elapsed_ms(started), published, tuple(run.requoted))


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
        self.requoted: list[ChunkPlace] = []

    def sync(self, listing: Listing | None) -> tuple[JobCounts, bool]:
        """Gather, decide, extract, publish; whether anything was published."""
        head = head_commit(self._root)
        listing = listing or list_workspace(self._root, self._scratch)
        previous = find_snapshot(self._database, ref=LIVE, workspace=str(self._root))
        known = snapshot_files(self._database, previous.id) if previous else {}
        delta = self._decide(previous, known, listing)
        counts = JobCounts(scanned=len(listing.files), skipped=len(listing.skipped))
        is_first = not has_versions(self._database)
        plan = self._settle(delta, known, listing, look_inside=not is_first)
        if previous and not (plan.extract or plan.entries or delta.deleted):
            self._note_no_change(previous, plan, head)
            return replace(counts, hashed=plan.hashed), False
        job, first_id = self._start_job(plan, mode="full" if is_first else "incremental")
        try:
            if is_first:
                drop_indexes(self._database)
            stage = self._extract(plan, first_id)
            counts = self._publish(job, stage, plan, delta=delta, known=known, head=head)
        except BaseException as error:
            self._fail(job, error)
            raise
        self._collect_garbage()
        return replace(counts, scanned=len(listing.files)), True

    def _note_no_change(self, previous: SnapshotRecord, plan: Plan, head: str | None) -> None:
        """Keep what readers see; note new times, another commit, and that a sync went well."""
        job = last_job(self._database, workspace=str(self._root))
        with self._database.transaction("note that nothing changed"):
            update_stats(self._database, previous.id, plan.touched)
            if head != previous.head:
                update_head(self._database, previous.id, head)
            if job and job.status in {JobStatus.FAILED, JobStatus.ROLLED_BACK}:
                finish_job(
                    self._database,
                    job.id,
                    JobStatus.PUBLISHED,
                    counts=job.counts,
                    duration_ms=_elapsed_ms(self._started),
                )

    def _start_job(self, plan: Plan, *, mode: str) -> tuple[JobId, VersionId]:
        count = max(1, len(plan.extract))
        first_id = reserve_ids(self._database, count)
        job = start_job(
            self._database,
            ref=LIVE,
            workspace=str(self._root),
            mode=mode,
            first_version=first_id,
            count=count,
        )
        return job, first_id

    def _decide(
        self, previous: SnapshotRecord | None, known: dict[str, FileEntry], listing: Listing
    ) -> FileDelta:
        if previous is None or previous.rules != admission_rules(self._settings):
            everything = (*(stat.path for stat in listing.files), *listing.skipped)
            gone = _delta(known, listing, (), {}).deleted
            return FileDelta(tuple(sorted(everything)), gone)
        stale = _stale_languages(extractors(self._database, previous.id))
        languages = languages_by_path(self._database, previous.id) if stale else {}
        return _delta(known, listing, stale, languages)

    def _settle(
        self,
        delta: FileDelta,
        known: dict[str, FileEntry],
        listing: Listing,
        *,
        look_inside: bool,
    ) -> Plan:
        """Hash what may have changed; only content never seen before is left to extract."""
        plan = Plan(skipped=len(listing.skipped))
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
        plan: Plan,
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

    def _extract(self, plan: Plan, first_id: VersionId) -> Stage:
        """Extract what is new into both engines, durable every few thousand files."""
        stage = Stage(self._session, plan)
        numbered = enumerate(plan.extract, start=first_id)
        items = [WorkItem(path, VersionId(number)) for number, path in numbered]
        self._progress("extract", 0, len(items))
        self._database.begin_writing()
        with no_garbage_collection():
            for batch in extract_all(self._root, items, self._settings):
                stage.add(batch)
                self._progress("extract", stage.done, len(items))
                if stage.uncommitted >= self._settings.commit_files:
                    stage.commit()
                    self._database.begin_writing()
        stage.commit()
        return stage

    def _publish(
        self,
        job: JobId,
        stage: Stage,
        plan: Plan,
        *,
        delta: FileDelta,
        known: dict[str, FileEntry],
        head: str | None,
    ) -> JobCounts:
        """Let readers see the new snapshot, all at once."""
        set_status(self._database, job, JobStatus.VALIDATING)
        self._progress("publish", 0, 0)
        put = [*plan.entries, *stage.entries]
        self.requoted = self._find_requoted(known, put, delta)
        counts = stage.counts(deleted=len(delta.deleted), requoted=len(self.requoted))
        name = SnapshotName(LIVE, str(self._root), head, admission_rules(self._settings))
        with self._database.transaction("publish the snapshot"):
            publish_snapshot(self._database, name, put=[*put, *plan.touched], drop=delta.deleted)
            create_indexes(self._database)
            finish_job(
                self._database,
                job,
                JobStatus.PUBLISHED,
                counts=counts,
                duration_ms=_elapsed_ms(self._started),
            )
        return counts

    def _find_requoted(
        self, known: dict[str, FileEntry], put: Sequence[FileEntry], delta: FileDelta
    ) -> list[ChunkPlace]:
        previous = find_snapshot(self._database, ref=LIVE, workspace=str(self._root))
        if previous is None:
            return []
        return find_requoted(
            self._database, previous.id, known=known, put=put, dropped=delta.deleted
        )

    def _fail(self, job: JobId, error: BaseException) -> None:
        """Note why a run ended early; what it made durable stays."""
        self._database.rollback()
        code = error.code if isinstance(error, CodeCompassError) else "internal"
        message = str(error)
        if isinstance(error, KeyboardInterrupt):
            code, message = "cancelled", "stopped by the user"
        try:
            finish_job(
                self._database,
                job,
                JobStatus.FAILED,
                counts=JobCounts(),
                duration_ms=_elapsed_ms(self._started),
                error=(code, message),
            )
        except CodeCompassError:
            return  # the disk is full: the next run finds the job and calls it interrupted

    def _collect_garbage(self) -> None:
        unused = unused_versions(self._database)
        row = self._database.row("SELECT COUNT(*) FROM versions")
        total = row[0] if row else 0
        if len(unused) < max(_GARBAGE_MINIMUM, _GARBAGE_SHARE * (total - len(unused))):
            return
        with self._database.transaction("collect garbage"):
            delete_versions(self._database, unused)
        self._session.lexical.delete(unused)
        self._session.lexical.commit()
        delete_pending(self._database)


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
