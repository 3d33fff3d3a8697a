"""One repository's store: opens readers, lets one writer in, repairs what a killed one left."""

import contextlib
import datetime
import errno
import shutil
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from codecompass.config.settings import StoreSettings
from codecompass.errors import (
    IndexIncompatible,
    IndexMissing,
    StoreBusy,
    StoreError,
    StoreFull,
)
from codecompass.model.portable import Manifest
from codecompass.model.snapshot import (
    Compatibility,
    FileEntry,
    JobRecord,
    JobStatus,
    SnapshotName,
)
from codecompass.store.database import Database
from codecompass.store.disk import drop_orphans, evict, size_of
from codecompass.store.disk import note_use as note_store_use
from codecompass.store.jobs import (
    INTERRUPTED,
    failed_attempts,
    failed_ranges,
    is_job_active,
    last_job,
    mark_interrupted,
    mark_rolled_back,
)
from codecompass.store.kept import Kept
from codecompass.store.layout import SPARED, StoreLayout, make_private
from codecompass.store.lexical import LexicalIndex, LexicalView, LexicalWriter
from codecompass.store.lists import FileLists
from codecompass.store.lock import WriterLock, is_writer_alive
from codecompass.store.modules import KnownModules
from codecompass.store.portable import unpack, write_archive
from codecompass.store.reader import SnapshotReader
from codecompass.store.schema import check_compatibility, create_tables
from codecompass.store.segments import damaged_files
from codecompass.store.snapshots import (
    SnapshotRecord,
    all_snapshots,
    default_refs,
    find_snapshot,
    note_use,
    set_default_ref,
)
from codecompass.store.vectors import VectorWriter
from codecompass.store.versions import (
    count_versions,
    delete_pending,
    has_versions,
    missing_ids,
    pending_deletes,
    unused_versions,
)

# A writer commits a few times a second at most; two attempts have always been enough.
_READ_ATTEMPTS = 20
# Half as long as a snapshot that was asked for is safe from being collected.
_NOTED_FOR_S = 300
# A reader's pages are in the system's cache anyway; a server has several readers.
_READER_CACHE_MIB = 4


@dataclass(frozen=True, slots=True)
class WriteSession:
    """Both engines open for writing, by the only process that may."""

    database: Database
    lexical: LexicalWriter
    vectors: VectorWriter
    lists: FileLists
    modules: KnownModules
    beat: Callable[[], None]  # tells those who wait that the work goes on


class RepositoryStore:
    """The two engines of one repository."""

    def __init__(self, layout: StoreLayout, settings: StoreSettings) -> None:
        self.layout = layout
        self._settings = settings
        self._database: Database | None = None
        self._lexical: LexicalIndex | None = None
        self._text: tuple[object, LexicalView] | None = None  # of which state of the database
        self._opened = (0, 0)  # which file we have open for reading
        self._note_at = 0.0  # when the use of the store is noted next
        self._kept = Kept(layout.vectors)
        self._whole: set[Path] = set()  # files of the text index that are as they were written

    def __enter__(self) -> "RepositoryStore":
        """Use as a context manager to be sure that everything is closed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close what was opened."""
        self.close()

    def close(self) -> None:
        """Close what was opened for reading."""
        if self._database is not None:
            self._database.close()
        if self._lexical is not None:
            self._lexical.close()
        self._database = self._lexical = self._text = None

    def rest(self) -> None:
        """Close what was opened, and keep nothing in memory."""
        self.close()
        self._kept = Kept(self.layout.vectors)

    def compatibility(self) -> Compatibility:
        """What can be done with what lies on the disk."""
        return check_compatibility(self.layout.database)

    def reader(self, name: SnapshotName) -> SnapshotReader | None:
        """The last published state of a snapshot; None if nothing was published yet."""
        try:
            return self._reader(name)
        except (StoreError, IndexIncompatible) as error:
            if self._database is None or self._is_open():
                raise
            # Another process empties the store just now, to build it anew.
            self.rest()
            raise IndexMissing(f"the index in {self.layout.folder} is being replaced") from error

    def _reader(self, name: SnapshotName) -> SnapshotReader | None:
        if not self._is_open() and self.compatibility() is Compatibility.NOT_INDEXED:
            return None
        database = self._open_for_reading()
        if find_snapshot(database, name) is None:
            return None
        text = self._begin_reading(database)
        try:
            record = find_snapshot(database, name)
            if record is not None:
                return SnapshotReader(database, text, record, self._kept)
        except BaseException:
            database.end_reading()
            raise
        database.end_reading()
        return None

    def _begin_reading(self, database: Database) -> LexicalView:
        """Hold one state of both engines.

        Text is written before the versions that need it and deleted after them. So the
        two belong together if nothing was committed between the look at the one and the
        look at the other; and still do if nothing was committed since.
        """
        if self._lexical is None:
            self._lexical = self._open_text()
        for _ in range(_READ_ATTEMPTS):
            before = database.state()
            is_same = self._text is not None and self._text[0] == before
            text = self._text[1] if self._text and is_same else self._lexical.view()
            database.begin_reading()
            if database.state() == before:
                self._text = (before, text)
                return text
            database.end_reading()
        raise StoreBusy("another process publishes faster than this one can read")

    def _open_text(self) -> LexicalIndex:
        if self.layout.lexical.is_dir():
            damaged = damaged_files(self.layout.lexical, self._whole)
            if damaged:
                raise IndexIncompatible(f"the text index is damaged: {damaged[0].name}")
        return LexicalIndex(self.layout.lexical)

    def files(self, name: SnapshotName) -> Mapping[str, FileEntry] | None:
        """The files of a snapshot; None if it was not published."""
        if not self._is_open() and self.compatibility() is Compatibility.NOT_INDEXED:
            return None
        database = self._open_for_reading()
        database.begin_reading()
        try:
            record = find_snapshot(database, name)
            return self._kept.snapshot(database, record).files if record else None
        finally:
            database.end_reading()

    def state_of(self, name: SnapshotName) -> str:
        """A text that changes with each publish of a snapshot; "" if there was none."""
        if not self._is_open() and self.compatibility() is not Compatibility.COMPATIBLE:
            return ""
        record = find_snapshot(self._open_for_reading(), name)
        return record.state if record else ""

    def snapshots(self) -> list[SnapshotRecord]:
        """Every snapshot of the store, the one used last first."""
        if self.compatibility() is not Compatibility.COMPATIBLE:
            return []
        return all_snapshots(self._open_for_reading())

    def version_counts(self) -> tuple[int, int]:
        """How many contents the store holds, and how many of them no snapshot names."""
        database = self._open_for_reading()
        return count_versions(database), len(unused_versions(database))

    def default_ref(self, workspace: str) -> str | None:
        """The ref that questions of a workspace mean, if one was chosen."""
        if not self._is_open() and self.compatibility() is not Compatibility.COMPATIBLE:
            return None
        return default_refs(self._open_for_reading()).get(workspace)

    def last_job(self, name: SnapshotName) -> JobRecord | None:
        """The newest job; one that seems to run without a writer alive has been interrupted."""
        if self.compatibility() is not Compatibility.COMPATIBLE:
            return None
        job = last_job(self._open_for_reading(), name)
        if job is None or job.status not in {JobStatus.RUNNING, JobStatus.VALIDATING}:
            return job
        if is_writer_alive(self.layout.lock):
            return job
        return JobRecord(
            job.id,
            job.ref,
            job.mode,
            JobStatus.FAILED,
            job.counts,
            job.duration_ms,
            INTERRUPTED,
            "the process ended before the run did",
            job.created_at,
            job.updated_at,
        )

    def failed_attempts(self, name: SnapshotName) -> int:
        """How many runs for a snapshot failed since one went well."""
        if self.compatibility() is not Compatibility.COMPATIBLE:
            return 0
        return failed_attempts(self._open_for_reading(), name)

    def is_being_written(self) -> bool:
        """Whether some process is writing just now."""
        return is_writer_alive(self.layout.lock)

    def is_syncing(self, name: SnapshotName) -> bool:
        """Whether some process is bringing this very snapshot up to date just now."""
        if not is_writer_alive(self.layout.lock):
            return False
        return is_job_active(self._open_for_reading(), name)

    def damage(self) -> list[str]:
        """What is not as it was written, in words; everything is read for it."""
        database = self._open_for_reading()
        found = [f"facts: {row[0]}" for row in database.rows("PRAGMA quick_check(3)")]
        if found == ["facts: ok"]:
            found = []
        if not self.layout.lexical.is_dir():
            return [*found, "text: missing"]
        texts = damaged_files(self.layout.lexical, is_thorough=True)
        found += [f"text: {file.name}" for file in texts]
        try:
            LexicalIndex(self.layout.lexical).close()
        except (StoreError, IndexIncompatible) as error:
            found.append(f"text: {error.message}")
        files = database.rows("SELECT file, dims, row_count FROM vector_files")
        for name, dims, count in files:
            file = self.layout.vectors / name
            if not file.exists() or file.stat().st_size < dims * count:
                found.append(f"vectors: {name}")
        return found

    def note_use(self, name: SnapshotName) -> None:
        """Note that somebody asks for a snapshot, unless it was noted or would mean waiting."""
        database = self._open_for_reading()
        record = find_snapshot(database, name)
        now = datetime.datetime.now(datetime.UTC)
        recently = (now - datetime.timedelta(seconds=_NOTED_FOR_S)).isoformat(timespec="seconds")
        if record is None or record.used_at >= recently or is_writer_alive(self.layout.lock):
            return
        with contextlib.suppress(StoreError):  # busy, full, or not to be written
            note_use(database, record.id)

    def size_bytes(self) -> int:
        """What the store takes on the disk."""
        return size_of(self.layout.folder)

    def evict_others(self, *, with_orphans: bool = False) -> int:
        """Remove stores that nobody asked for the longest while all take too much disk.

        With orphans: also those of repositories that are gone.
        """
        home = self.layout.folder.parent.parent
        orphans = drop_orphans(home) if with_orphans else []
        return len(orphans) + len(evict(home, self._settings.disk_mib, self.layout.folder))

    @contextmanager
    def writing(
        self,
        *,
        force: bool = False,
        on_wait: Callable[[], None] = lambda: None,
        memory_mib: int = 1_000,
    ) -> Generator[WriteSession]:
        """Be the one writer; first repair what a killed one left behind.

        Another writer is waited for as long as its work goes on; `on_wait` is called while
        that lasts. With `force` the store is emptied first, whatever its state.
        """
        with WriterLock(self.layout.lock, self._settings.busy_timeout_s, on_wait) as lock:
            refs = self._chosen_refs() if force else {}
            if force:
                self.close()
                self._empty()
            if not self._is_open():  # it may be another store by now, with other lists
                self._kept = Kept(self.layout.vectors)
            state = self.compatibility()
            if state in {Compatibility.REINDEX_REQUIRED, Compatibility.CORRUPT}:
                raise IndexIncompatible(f"the index in {self.layout.folder} is {state}")
            with self._open_database() as database:
                create_tables(database)
                for workspace, ref in refs.items():
                    set_default_ref(database, workspace, ref)
                is_new = not has_versions(database)
                if is_new:  # its ids begin anew and must not meet text that was left behind
                    shutil.rmtree(self.layout.lexical, ignore_errors=True)
                index = LexicalIndex(self.layout.lexical, create=is_new)
                with index.writer(min(memory_mib, self._settings.writer_memory_mib)) as lexical:
                    _repair(database, lexical)
                    vectors = VectorWriter(database, self.layout.vectors)
                    kept = self._kept
                    yield WriteSession(
                        database, lexical, vectors, kept.lists, kept.modules, lock.beat
                    )

    def export(self, workspace: str, made_by: str, target: Path) -> Manifest:
        """Pack what is published into an archive, without what belongs to this machine."""
        state = self.compatibility()
        if state is Compatibility.NOT_INDEXED:
            raise IndexMissing(f"{workspace} has not been indexed yet")
        if state is not Compatibility.COMPATIBLE:
            raise IndexIncompatible(f"the index in {self.layout.folder} is {state}")
        with WriterLock(self.layout.lock, self._settings.busy_timeout_s):
            return write_archive(self.layout, workspace, made_by, target)

    def take_in(self, archive: Path, workspace: str) -> Manifest:
        """Replace what is stored by an archive, after all of it was checked."""
        fresh = self.layout.folder / "importing"
        with WriterLock(self.layout.lock, self._settings.busy_timeout_s):
            try:
                shutil.rmtree(fresh, ignore_errors=True)
                fresh.mkdir(parents=True)
                manifest = unpack(archive, fresh, workspace)
                self.close()
                self._empty(spared=fresh)
                for path in sorted(fresh.iterdir(), reverse=True):  # the facts come last
                    path.replace(self.layout.folder / path.name)
            except OSError as error:
                kind = StoreFull if error.errno == errno.ENOSPC else StoreError
                raise kind(f"{self.layout.folder}: {error.strerror}") from error
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
        self._kept = Kept(self.layout.vectors)
        return manifest

    def _is_open(self) -> bool:
        """Whether what lies on the disk is what we have open."""
        try:
            return self._database is not None and self._identity() == self._opened
        except FileNotFoundError:
            return False

    def _open_for_reading(self) -> Database:
        if time.monotonic() >= self._note_at:
            self._note_at = time.monotonic() + _NOTED_FOR_S
            note_store_use(self.layout.folder, self.layout.origin)
        if self._database is not None and self._is_open():
            return self._database
        state = self.compatibility()
        if state in {Compatibility.REINDEX_REQUIRED, Compatibility.CORRUPT}:
            raise IndexIncompatible(f"the index in {self.layout.folder} is {state}")
        identity = self._identity()
        if self._database is not None and identity != self._opened:
            self.close()  # somebody emptied the store: ours is a deleted file
            self._kept = Kept(self.layout.vectors)
        if self._database is None:
            self._database = self._open_database(create=False)
            self._opened = identity
        return self._database

    def _identity(self) -> tuple[int, int]:
        seen = self.layout.database.stat()
        return seen.st_dev, seen.st_ino

    def _open_database(self, *, create: bool = True) -> Database:
        try:
            make_private(self.layout.folder)
        except OSError as error:
            raise StoreError(f"{self.layout.folder}: {error.strerror}") from error
        return Database(
            self.layout.database,
            busy_timeout_s=self._settings.busy_timeout_s,
            cache_mib=self._settings.cache_mib if create else _READER_CACHE_MIB,
            create=create,
        )

    def _chosen_refs(self) -> dict[str, str]:
        """What `switch_ref` chose, to outlive an emptied store; nothing if it is unreadable."""
        if self.compatibility() is not Compatibility.COMPATIBLE:
            return {}
        return default_refs(self._open_for_reading())

    def _empty(self, *, spared: Path | None = None) -> None:
        """Remove everything but the lock, which we hold, and what a watcher has there.

        Text first: a new database starts counting ids anew and must not meet old text.
        """
        try:
            shutil.rmtree(self.layout.lexical, ignore_errors=True)
            for path in sorted(self.layout.folder.iterdir(), reverse=True):
                if path == spared:
                    continue
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.name not in SPARED:
                    path.unlink()
        except OSError as error:
            raise StoreError(f"{self.layout.folder}: {error.strerror}") from error


def _repair(database: Database, lexical: LexicalWriter) -> None:
    """Undo what failed and killed runs left in the text index; their versions stay usable."""
    mark_interrupted(database)
    orphans = [
        version_id
        for first, last in failed_ranges(database)
        for version_id in missing_ids(database, first, last)
    ]
    orphans += pending_deletes(database)
    if orphans:
        lexical.delete(orphans)
        lexical.commit()
    delete_pending(database)
    mark_rolled_back(database)
