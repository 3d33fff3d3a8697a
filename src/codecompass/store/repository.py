"""One repository's store: opens readers, lets one writer in, repairs what a killed one left."""

import contextlib
import datetime
import errno
import shutil
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import cast

from codecompass.config.settings import StoreSettings
from codecompass.errors import (
    CodeCompassError,
    IndexDamaged,
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
from codecompass.store.damage import DamagedText, find_damage, is_of_store
from codecompass.store.database import Database
from codecompass.store.disk import drop_orphans, evict, size_of
from codecompass.store.disk import note_use as note_store_use
from codecompass.store.jobs import (
    INTERRUPTED,
    failed_attempts,
    is_job_active,
    last_job,
)
from codecompass.store.kept import Kept
from codecompass.store.layout import REBUILDING, SPARED, StoreLayout
from codecompass.store.lexical import LexicalIndex, LexicalView
from codecompass.store.lock import WriterLock, is_writer_alive
from codecompass.store.portable import unpack, write_archive
from codecompass.store.reader import SnapshotReader
from codecompass.store.schema import check_compatibility, schema_version_of
from codecompass.store.segments import damaged_files
from codecompass.store.snapshots import (
    SnapshotRecord,
    all_snapshots,
    default_refs,
    find_snapshot,
    note_use,
    set_default_ref,
)
from codecompass.store.versions import (
    count_versions,
    unused_versions,
)
from codecompass.store.writing import WriteSession, open_database, open_session

# A writer commits a few times a second at most; two attempts have always been enough.
_READ_ATTEMPTS = 20
# Half as long as a snapshot that was asked for is safe from being collected.
_NOTED_FOR_S = 300
# Checking every value of so much takes a tenth of a second.
_CHEAP_BYTES = 8 * 1024 * 1024
_SUSPECT = "damaged"  # a file that is there while the store may be damaged


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

    def schema_version(self) -> int | None:
        """The version of what lies on the disk; None if there is nothing to be read."""
        return schema_version_of(self.layout.database)

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
            try:
                self._lexical = self._open_text()
            except IndexDamaged as error:  # what needs no text is answered all the same
                database.begin_reading()
                return cast("LexicalView", DamagedText(error))
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
                raise IndexDamaged(f"the text index is damaged: {damaged[0].name}")
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
        return find_damage(self._open_for_reading(), self.layout)

    def note_damage(self) -> None:
        """Have the next run look at everything, and mend it."""
        with contextlib.suppress(OSError):
            (self.layout.folder / _SUSPECT).touch()

    def is_suspect(self) -> bool:
        """Whether a run should look for damage: somebody met some, or it costs next to nothing."""
        if (self.layout.folder / _SUSPECT).exists():
            return True
        return self.size_bytes() <= _CHEAP_BYTES

    def drop_damaged_vectors(self) -> None:
        """Forget vectors that are not as they were written; the next run makes them anew."""
        with self.writing() as session:
            session.vectors.drop_damaged()

    def forget_damage(self) -> None:
        """Everything was looked at, and what was damaged is mended or about to be."""
        with contextlib.suppress(OSError):
            (self.layout.folder / _SUSPECT).unlink(missing_ok=True)

    @contextmanager
    def guarded(self) -> Generator[None]:
        """Whatever reading the store runs into is told as damage of the store."""
        try:
            yield
        except CodeCompassError:
            raise
        except Exception as error:
            if is_of_store(error):
                kind = type(error).__name__
                raise IndexDamaged(f"the index is damaged: {kind}: {error}"[:300]) from error
            raise

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
        that lasts. With `force` a new store is made beside the old one, which answers until
        the new one takes its place.
        """
        with WriterLock(self.layout.lock, self._settings.busy_timeout_s, on_wait) as lock:
            if force:
                with (
                    self._replacing() as layout,
                    open_session(layout, self._settings, Kept(layout.vectors), memory_mib) as new,
                ):
                    yield replace(new, beat=lock.beat)
                return
            if not self._is_open():  # it may be another store by now, with other lists
                self._kept = Kept(self.layout.vectors)
            state = self.compatibility()
            if state is Compatibility.CORRUPT:
                raise IndexDamaged(f"the index in {self.layout.folder} is damaged")
            if state is Compatibility.REINDEX_REQUIRED:
                raise IndexIncompatible(f"the index in {self.layout.folder} is {state}")
            with (
                self.guarded(),
                open_session(self.layout, self._settings, self._kept, memory_mib) as session,
            ):
                yield replace(session, beat=lock.beat)

    @contextmanager
    def _replacing(self) -> Generator[StoreLayout]:
        """An empty store beside this one, which takes its place if all goes well."""
        layout = StoreLayout(self.layout.folder / REBUILDING, self.layout.origin)
        refs = self._chosen_refs()
        shutil.rmtree(layout.folder, ignore_errors=True)
        try:
            yield layout
            with self._open_database(layout) as database:
                for workspace, ref in refs.items():
                    set_default_ref(database, workspace, ref)
            self._move_in(layout.folder)
        except OSError as error:
            kind = StoreFull if error.errno == errno.ENOSPC else StoreError
            raise kind(f"{self.layout.folder}: {error.strerror}") from error
        finally:
            shutil.rmtree(layout.folder, ignore_errors=True)
        self._kept = Kept(self.layout.vectors)

    def _move_in(self, fresh: Path) -> None:
        """Put a whole store into the place of this one; the facts come last."""
        self.close()
        self._empty(spared=fresh)
        for path in sorted(fresh.iterdir(), reverse=True):
            path.replace(self.layout.folder / path.name)

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
                self._move_in(fresh)
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
        if state is Compatibility.CORRUPT:
            raise IndexDamaged(f"the index in {self.layout.folder} is damaged")
        if state is Compatibility.REINDEX_REQUIRED:
            raise IndexIncompatible(f"the index in {self.layout.folder} is {state}")
        identity = self._identity()
        if self._database is not None and identity != self._opened:
            self.close()  # somebody emptied the store: ours is a deleted file
            self._kept = Kept(self.layout.vectors)
        if self._database is None:
            self._database = self._open_database(self.layout, create=False)
            self._opened = identity
        return self._database

    def _identity(self) -> tuple[int, int]:
        seen = self.layout.database.stat()
        return seen.st_dev, seen.st_ino

    def _open_database(self, layout: StoreLayout, *, create: bool = True) -> Database:
        return open_database(layout, self._settings, create=create)

    def _chosen_refs(self) -> dict[str, str]:
        """What `switch_ref` chose, to outlive an emptied store; nothing if it is unreadable."""
        if self.compatibility() is not Compatibility.COMPATIBLE:
            return {}
        try:
            return default_refs(self._open_for_reading())
        except CodeCompassError:
            return {}

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
