"""A plan in, its snapshot published: extract what is new → publish → collect garbage."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from codecompass.config.settings import IndexSettings, RefSettings
from codecompass.errors import CodeCompassError
from codecompass.indexing.cascade import ChunkPlace, find_requoted
from codecompass.indexing.parsers import shared_parsers
from codecompass.indexing.plan import Plan
from codecompass.indexing.publish import Stage
from codecompass.indexing.run import no_garbage_collection
from codecompass.indexing.work import WorkItem, forget_words
from codecompass.model.snapshot import FileEntry, JobCounts, JobId, JobStatus, VersionId
from codecompass.source.memory import give_back_memory
from codecompass.store.collect import collect_garbage
from codecompass.store.jobs import finish_job, last_job, set_status, start_job
from codecompass.store.links import write_snapshot_links
from codecompass.store.schema import create_indexes, drop_indexes
from codecompass.store.snapshots import (
    NewState,
    SnapshotRecord,
    find_snapshot,
    keep_files,
    publish_snapshot,
    update_times,
)
from codecompass.store.versions import has_versions, reserve_ids
from codecompass.store.writing import WriteSession

if TYPE_CHECKING:
    from codecompass.embed.embedder import Embedder
    from codecompass.indexing.linking import LinkReport

# Looking for garbage takes as long as a saved file: once in so many runs, and after large ones.
_COLLECT_EVERY = 16
_COLLECT_FILES = 200

Progress = Callable[[str, int, int], None]
"""Called with the stage, how much is done and how much there is."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a run did."""

    counts: JobCounts
    duration_ms: int
    published: bool  # whether readers see anything new
    requoted: tuple[ChunkPlace, ...] = ()  # chunks elsewhere that quote a changed signature
    problem: str = ""  # what kept vectors from being made
    state: str = ""  # what is published now, as a text


@dataclass(frozen=True, slots=True)
class JobSettings:
    """What a run may use."""

    index: IndexSettings
    refs: RefSettings
    embedder: Embedder | None = None  # says what chunks mean
    stays: bool = False  # the process goes on for long after the run

    @property
    def worker_model(self) -> str:
        """The model that workers use while they have a file's terms at hand; "" for none."""
        name = getattr(self.embedder, "name", "")
        return str(name)


class Job:
    """One run by the one writer."""

    def __init__(
        self, session: WriteSession, root: Path, *, settings: JobSettings, progress: Progress
    ) -> None:
        self._session = session
        self._database = session.database
        self._root = root
        self._settings = settings
        self._progress = progress
        self._started = time.monotonic()
        self._problem = ""

    def run(self, plan: Plan) -> SyncReport:
        """Publish what is planned; killed at any moment, what was published before stays."""
        previous = find_snapshot(self._database, plan.name)
        has_changed = plan.extract or plan.changed() or plan.dropped()
        if not has_changed and previous:
            self._fill_vectors(plan.files)
        if previous and previous.rules == plan.rules and not has_changed:
            self._note_no_change(plan, previous)
            counts = JobCounts(scanned=plan.scanned, hashed=plan.hashed)
            return SyncReport(counts, self._elapsed_ms(), published=False, problem=self._problem)
        job, first_id = self._start(plan)
        try:
            stage = self._extract(plan, first_id)
            report = self._publish(job, stage, plan)
        except BaseException as error:
            self._fail(job, error)
            raise
        if job % _COLLECT_EVERY == 0 or len(plan.extract) >= _COLLECT_FILES:
            embedder = self._settings.embedder
            model = embedder.id if embedder is not None else ""
            collect_garbage(self._session, self._settings.refs, model=model)
        # This process may be one that stays.
        forget_words(self._settings.worker_model)
        give_back_memory(with_cycles=False)
        return report

    def _note_no_change(self, plan: Plan, previous: SnapshotRecord) -> None:
        """Keep what readers see; note new times, another commit, and that a sync went well."""
        job = last_job(self._database, plan.name)
        times = {path: entry.stamp for path, entry in plan.files.items()}
        has_moved = any(plan.known[path].stamp != time for path, time in times.items())
        with self._database.transaction("note that nothing changed"):
            if has_moved or (plan.head, plan.rules) != (previous.head, previous.rules):
                state = NewState(plan.files, plan.head, plan.rules)
                update_times(self._database, previous.id, state=state)
            if job and job.status in {JobStatus.FAILED, JobStatus.ROLLED_BACK}:
                self._finish(job.id, JobStatus.PUBLISHED, job.counts)

    def _start(self, plan: Plan) -> tuple[JobId, VersionId]:
        is_first = not has_versions(self._database)
        count = max(1, len(plan.extract))
        first_id = reserve_ids(self._database, count)
        job = start_job(
            self._database,
            plan.name,
            mode="full" if is_first else "incremental",
            first_version=first_id,
            count=count,
        )
        if is_first:
            drop_indexes(self._database)
        return job, first_id

    def _extract(self, plan: Plan, first_id: VersionId) -> Stage:
        """Extract what is new into both engines, durable every few thousand files."""
        stage = Stage(self._session, plan)
        numbered = enumerate(plan.extract, start=first_id)
        model = self._settings.worker_model
        items = [
            WorkItem(file.path, VersionId(number), file.blob_id, model)
            for number, file in numbered
        ]
        self._progress("extract", 0, len(items))
        parsers = shared_parsers()
        self._database.begin_writing()
        with no_garbage_collection():
            for batch in parsers.extract(self._root, items, self._settings.index):
                stage.add(batch)
                self._session.beat()
                self._progress("extract", stage.done, len(items))
                if stage.uncommitted >= self._settings.index.commit_files:
                    stage.commit()
                    self._database.begin_writing()
        stage.commit()
        return stage

    def _publish(self, job: JobId, stage: Stage, plan: Plan) -> SyncReport:
        """Let readers see the new snapshot, all at once."""
        set_status(self._database, job, JobStatus.VALIDATING)
        self._progress("publish", 0, 0)
        requoted = self._find_requoted(stage, plan)
        files = {**plan.files, **{entry.path: entry for entry in stage.entries}}
        create_indexes(self._database)
        self._fill_vectors(files)
        linked = self._link(plan, files)
        counts = stage.counts(requoted=len(requoted), resolved=linked.resolved)
        state = NewState(files, plan.head, plan.rules)
        with self._database.transaction("publish the snapshot"):
            snapshot_id = publish_snapshot(self._database, plan.name, state, self._session.lists)
            write_snapshot_links(self._database, snapshot_id, linked.links)
            self._finish(job, JobStatus.PUBLISHED, counts)
        keep_files(self._database, plan.name, files, self._session.lists)
        return SyncReport(
            counts,
            self._elapsed_ms(),
            published=True,
            requoted=tuple(requoted),
            problem=self._problem,
        )

    def _link(self, plan: Plan, files: Mapping[str, FileEntry]) -> LinkReport:
        """Find out what names mean; what is stored of it is seen only when it is published."""
        from codecompass.indexing.linking import Linking  # most questions find nothing changed
        from codecompass.indexing.programs import Programs

        def tell(done: int, total: int) -> None:
            self._session.beat()
            self._progress("link", done, total)

        session = self._session
        linking = Linking(
            session,
            Programs(session.database, self._root, plan.name, session.modules),
            memory_mib=self._settings.index.memory_mib,
            stays=self._settings.stays,
            progress=tell,
        )
        with no_garbage_collection():
            return linking.run(files)

    def _fill_vectors(self, files: Mapping[str, FileEntry]) -> None:
        """Embed what has no vectors of the model yet."""
        if self._settings.embedder is None:
            return
        from codecompass.indexing.embedding import VectorFill  # with it numpy

        fill = VectorFill(self._session, self._root, self._settings.embedder, self._settings.index)

        def tell(done: int, total: int) -> None:
            self._session.beat()
            self._progress("embed", done, total)

        fill.run(fill.missing(files.values()), tell)
        self._problem = fill.problem

    def _find_requoted(self, stage: Stage, plan: Plan) -> list[ChunkPlace]:
        """What quotes a changed signature, for whoever asked for the run and is told of it."""
        if not plan.known or self._settings.stays:
            return []
        put = [*plan.changed(), *stage.entries]
        return find_requoted(self._database, known=plan.known, put=put, dropped=plan.dropped())

    def _fail(self, job: JobId, error: BaseException) -> None:
        """Note why a run ended early; what it made durable stays."""
        self._database.rollback()
        code = error.code if isinstance(error, CodeCompassError) else "internal"
        message = str(error)
        if isinstance(error, KeyboardInterrupt):
            code, message = "cancelled", "stopped by the user"
        try:
            self._finish(job, JobStatus.FAILED, JobCounts(), error=(code, message))
        except CodeCompassError:
            return  # the disk is full: the next run finds the job and calls it interrupted

    def _finish(
        self,
        job: JobId,
        status: JobStatus,
        counts: JobCounts,
        *,
        error: tuple[str, str] = ("", ""),
    ) -> None:
        finish_job(
            self._database,
            job,
            status,
            counts=counts,
            duration_ms=self._elapsed_ms(),
            error=error,
        )

    def _elapsed_ms(self) -> int:
        return round((time.monotonic() - self._started) * 1000)
