"""One method per operation; every front end calls these and decides nothing itself."""

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from codecompass import __version__
from codecompass.engine.metrics import call_metrics
from codecompass.engine.questions import Questions, check_name, silent
from codecompass.engine.workspace import open_workspace
from codecompass.errors import ArchiveRefused, BadInput, IndexDamaged, IndexMissing
from codecompass.indexing.job import Progress
from codecompass.model.answer import (
    CompareAnswer,
    DiffAnswer,
    DoctorAnswer,
    Freshness,
    GarbageAnswer,
    IndexingStatus,
    Recovery,
    RefsAnswer,
    StatusAnswer,
    SwitchAnswer,
    SyncAnswer,
)
from codecompass.model.portable import Manifest, StateAnswer
from codecompass.model.query import (
    DiffOptions,
)
from codecompass.model.refs import short_commit
from codecompass.model.snapshot import (
    ACTIVE_JOBS,
    LIVE,
    Compatibility,
    JobCounts,
    JobRecord,
    JobStatus,
)
from codecompass.source.guard import inside_workspace
from codecompass.source.refs import is_shallow
from codecompass.store.collect import collect_garbage
from codecompass.store.portable import read_manifest, sha256_of
from codecompass.store.schema import SCHEMA_VERSION, create_indexes

if TYPE_CHECKING:
    from codecompass.engine.branches import Branches

_WAIT_POLL_S = 0.2
_LARGE_RUN = 200  # so many new contents may be too much for the disk


class Engine(Questions):
    """Everything CodeCompass can do with one workspace.

    Use it as a context manager: `with Engine.open(path) as engine: engine.locate("main")`.
    Every question takes a `ref`: a branch, a tag, a commit, or `live` for the working
    tree; without one it means what `switch_ref` chose, at first the working tree.
    """

    @classmethod
    def open(cls, folder: str | Path, flags: Mapping[str, object] | None = None) -> "Engine":
        """The engine for a folder; nothing is indexed before it is needed."""
        return cls(open_workspace(folder, flags))

    def __enter__(self) -> "Engine":
        """Use as a context manager to be sure that stores are closed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the stores and end what was started."""
        self._views.close()
        self._store.close()

    def show_secrets(self) -> None:
        """From now on answers hold the lines of files as they are, for a person who asked."""
        self._views.shows_secrets = True

    def index(
        self, *, force: bool = False, ref: str | None = None, progress: Progress = silent
    ) -> SyncAnswer:
        """Build the index, or bring it up to date; with `force` from nothing.

        What is damaged is mended: vectors for themselves, all else by a new index, beside
        the old one until it is done.
        """
        meant = self._views.meant(ref)
        damage = [] if force else self._mend()
        try:
            answer = self._index(meant, force=force or bool(damage), progress=progress)
        except IndexDamaged as error:
            damage = [error.message]
            answer = self._index(meant, force=True, progress=progress)
        if not damage:
            return answer
        return replace(answer, note=f"the index was damaged and is built anew: {damage[0]}")

    def _mend(self) -> list[str]:
        """Drop damaged vectors; what else is damaged, so that all has to be built anew."""
        state = self._store.compatibility()
        if state is Compatibility.CORRUPT:
            return ["facts"]
        if state is not Compatibility.COMPATIBLE or not self._store.is_suspect():
            return []
        try:
            found = self._store.damage()
        except IndexDamaged as error:
            return [error.message]
        if any(item.startswith("vectors") for item in found):
            self._store.drop_damaged_vectors()
        others = [item for item in found if not item.startswith("vectors")]
        if not others:
            self._store.forget_damage()
        return others

    def _index(self, meant: str, *, force: bool, progress: Progress) -> SyncAnswer:
        root = str(self.workspace.root)
        if meant == LIVE:
            report = self._views.live.sync(progress, force=force)
        else:
            report = self._views.sync_tree(self._views.resolve(meant), progress, force=force)
        if report.counts.extracted >= _LARGE_RUN:
            self._store.evict_others()
        if not report.published:
            self._check_readable(meant)
        problem = report.problem or self._views.semantics.problem
        note = f"no search by meaning: {problem}" if problem else None
        return SyncAnswer(root, meant, report.counts, report.duration_ms, report.published, note)

    def _check_readable(self, ref: str) -> None:
        """What a run has not written anew may be damaged: then a question would say so."""
        reader = self._store.reader(self._views.name_of(ref))
        if reader is not None:
            with reader:
                reader.text.size()

    def freshen(self, *, progress: Progress = silent) -> SyncAnswer:
        """Bring the working tree's index up to date; where a watcher runs, by what it saw."""
        report = self._views.live.freshen(progress)
        counts, took = (report.counts, report.duration_ms) if report else (JobCounts(), 0)
        root = str(self.workspace.root)
        return SyncAnswer(root, LIVE, counts, took, published=bool(report and report.published))

    def sync(self, *, ref: str | None = None, progress: Progress = silent) -> SyncAnswer:
        """Bring an existing index up to date."""
        if self._store.compatibility() is Compatibility.NOT_INDEXED:
            raise IndexMissing(f"{self.workspace.root} has not been indexed yet")
        return self.index(ref=ref, progress=progress)

    def diff(
        self,
        *,
        ref: str | None = None,
        base: str | None = None,
        options: DiffOptions | None = None,
        progress: Progress = silent,
    ) -> DiffAnswer:
        """What a ref or the working tree changes, by symbols, since it left its base."""
        options = options or DiffOptions()
        if options.path_prefix:
            inside = inside_workspace(self.workspace.root, options.path_prefix)
            options = replace(options, path_prefix="" if inside == "." else inside)
        return self._branches.diff(ref, base, options=options, progress=progress)

    def compare(
        self, symbol: str, from_ref: str, to_ref: str, *, progress: Progress = silent
    ) -> CompareAnswer:
        """One symbol at two refs: signature, body, moved or renamed."""
        symbol = symbol.replace(f"{self.workspace.root}/", "")
        check_name(symbol)
        return self._branches.compare(symbol, from_ref, to_ref, progress=progress)

    def list_refs(self, *, contains: str = "", limit: int = 20) -> RefsAnswer:
        """Branches, tags and work trees, and which of them are indexed."""
        return self._branches.list_refs(contains=contains, limit=limit)

    def switch_ref(self, ref: str) -> SwitchAnswer:
        """Choose the ref that questions of this workspace mean; `live` for its working tree."""
        return self._branches.switch_ref(ref)

    def gc(self) -> GarbageAnswer:
        """Throw away what no branch or working tree in use needs any more."""
        before = self._store.size_bytes()
        if self._store.compatibility() is Compatibility.NOT_INDEXED:
            raise IndexMissing(f"{self.workspace.root} has not been indexed yet")
        with self._store.writing() as session:
            found = collect_garbage(session, self.workspace.settings.refs, everything=True)
        freed = max(0, before - self._store.size_bytes())
        evicted = self._store.evict_others(with_orphans=True)
        return GarbageAnswer(found.snapshots, found.versions, freed, evicted or None)

    def export_state(self, archive: str | Path) -> StateAnswer:
        """Pack the index into one file that can be taken to another machine or path."""
        target = Path(archive).absolute()
        manifest = self._store.export(str(self.workspace.root), __version__, target)
        return _state("exported", target, manifest, str(self.workspace.root))

    def import_state(
        self, archive: str | Path, *, force: bool = False, sha256: str = ""
    ) -> StateAnswer:
        """Start from an index that was exported elsewhere; only the difference is read then."""
        source = Path(archive).absolute()
        if sha256 and sha256_of(source) != sha256.lower():
            raise ArchiveRefused(f"{source}: its checksum is not {sha256}")
        read_manifest(source)
        if not force and self._store.compatibility() is not Compatibility.NOT_INDEXED:
            raise BadInput(
                f"{self.workspace.root} has an index already",
                remediation="--force replaces it",
            )
        manifest = self._store.take_in(source, str(self.workspace.root))
        answer = _state("imported", source, manifest, str(self.workspace.root))
        return replace(answer, note=self._doubt(manifest))

    def _doubt(self, manifest: Manifest) -> str | None:
        """Why an archive may be of another repository; all that it lacks will be read."""
        head = manifest.head
        if not head or not self.workspace.is_git or is_shallow(self.workspace.root):
            return None
        if self._views.objects.find([f"{head}^{{commit}}"])[0]:
            return None
        return (
            f"made at commit {short_commit(head)}, which is not in this repository: not fetched,"
            " or of another one? What the archive lacks is read at the next question"
        )

    def migrate(self, *, progress: Progress = silent) -> SyncAnswer | None:
        """Make an index of another version usable; None if there was nothing to do."""
        found = self._store.compatibility()
        if found is Compatibility.NOT_INDEXED:
            raise IndexMissing(f"{self.workspace.root} has not been indexed yet")
        if found is Compatibility.COMPATIBLE:
            with self._store.writing() as session:
                create_indexes(session.database)
            return None
        return self.index(force=True, progress=progress)

    def status(
        self, *, wait: bool = False, timeout_s: float = 60.0, ref: str | None = None
    ) -> StatusAnswer:
        """The state of the index; with `wait`, after a running job has ended."""
        deadline = time.monotonic() + timeout_s
        meant = self._views.meant(ref)
        name = self._views.name_of(meant)
        job = self._store.last_job(name)
        while wait and job and job.status in ACTIVE_JOBS and time.monotonic() < deadline:
            time.sleep(_WAIT_POLL_S)
            job = self._store.last_job(name)
        return self._status(job, meant)

    def readiness(self, ref: str | None = None) -> Compatibility:
        """Whether questions can be answered without building an index first."""
        found = self._store.compatibility()
        if found is not Compatibility.COMPATIBLE:
            return found
        is_ready = self._views.is_ready(self._views.meant(ref))
        return Compatibility.COMPATIBLE if is_ready else Compatibility.NOT_INDEXED

    def doctor(self) -> DoctorAnswer:
        """What is right and wrong with this installation and this index."""
        from codecompass.engine.doctor import examine  # rarely needed

        return examine(self.workspace, self._store)

    @cached_property
    def _branches(self) -> "Branches":
        from codecompass.engine.branches import Branches  # not needed by most questions

        return Branches(self.workspace, self._store, self._views)

    def _status(self, job: JobRecord | None, ref: str) -> StatusAnswer:
        compatibility = self._store.compatibility()
        reader = None
        if compatibility is Compatibility.COMPATIBLE:
            reader = self._store.reader(self._views.name_of(ref))
        counts = record = None
        if reader is not None:
            with reader:
                counts, record = reader.counts(), reader.record
        changed = None
        if record is not None:
            delta = self._views.live.real_delta() if ref == LIVE else None
            changed = len(delta.changed) + len(delta.deleted) if delta else 0
        is_running = job is not None and job.status in ACTIVE_JOBS
        freshness = Freshness.SYNCING if is_running else Freshness.STALE
        if not is_running and changed == 0:
            freshness = Freshness.FRESH
        return StatusAnswer(
            workspace=str(self.workspace.root),
            ref=ref,
            store=str(self.workspace.layout.folder),
            size_bytes=self._store.size_bytes(),
            compatibility=compatibility,
            schema_version=self._store.schema_version(),
            freshness_status=freshness,
            indexing_status=_indexing_status(job, is_published=record is not None),
            changed_files=changed,
            counts=counts,
            head=record.head if record else None,
            published_at=record.published_at if record else None,
            recovery=_recovery(
                job,
                is_published=record is not None,
                attempts=self._store.failed_attempts(self._views.name_of(ref)),
            ),
            is_being_written=self._store.is_being_written() or None,
            is_sparse=(ref == LIVE and self._views.is_sparse()) or None,
            watcher=self._views.live.watching.in_words(),
            calls=call_metrics(self.workspace.settings.store.home, str(self.workspace.root))
            or None,
        )


def inspect_state(archive: str | Path) -> StateAnswer:
    """What is in an archive, and whether this version can use it."""
    path = Path(archive).absolute()
    return _state("inspected", path, read_manifest(path), None)


def _state(action: str, path: Path, manifest: Manifest, workspace: str | None) -> StateAnswer:
    is_usable = manifest.schema_version == SCHEMA_VERSION
    size, digest = path.stat().st_size, sha256_of(path)
    return StateAnswer(action, str(path), size, digest, manifest, workspace, is_usable)


def _indexing_status(job: JobRecord | None, *, is_published: bool) -> IndexingStatus:
    if job is not None and job.status in ACTIVE_JOBS:
        return IndexingStatus.INDEXING
    if is_published:
        return IndexingStatus.READY
    if job is not None and job.status in {JobStatus.FAILED, JobStatus.ROLLED_BACK}:
        return IndexingStatus.FAILED
    return IndexingStatus.NOT_INDEXED


def _recovery(job: JobRecord | None, *, is_published: bool, attempts: int) -> Recovery | None:
    if job is None or job.status not in {JobStatus.FAILED, JobStatus.ROLLED_BACK}:
        return None
    advice = "the next question, or codecompass index, goes on where it stopped"
    if is_published:
        advice = f"what was published before is intact; {advice}"
    return Recovery(
        int(job.id), job.error_code, job.error_message, job.created_at, advice, attempts
    )
