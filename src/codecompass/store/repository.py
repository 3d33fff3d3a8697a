"""One repository's store: opens readers, lets one writer in, repairs what a killed one left."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

from codecompass.config.settings import StoreSettings
from codecompass.errors import IndexIncompatible, StoreError
from codecompass.model.snapshot import Compatibility, JobRecord, JobStatus
from codecompass.store.database import Database
from codecompass.store.jobs import (
    INTERRUPTED,
    failed_ranges,
    last_job,
    mark_interrupted,
    mark_rolled_back,
)
from codecompass.store.layout import StoreLayout
from codecompass.store.lexical import LexicalIndex, LexicalWriter
from codecompass.store.lock import WriterLock, is_writer_alive
from codecompass.store.reader import SnapshotReader
from codecompass.store.schema import check_compatibility, create_tables
from codecompass.store.snapshots import find_snapshot
from codecompass.store.versions import missing_ids


@dataclass(frozen=True, slots=True)
class WriteSession:
    """Both engines open for writing, by the only process that may."""

    database: Database
    lexical: LexicalWriter


class RepositoryStore:
    """The two engines of one repository."""

    def __init__(self, layout: StoreLayout, settings: StoreSettings) -> None:
        self.layout = layout
        self._settings = settings
        self._readers: tuple[Database, LexicalIndex] | None = None

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
        if self._readers is not None:
            self._readers[0].close()
            self._readers = None

    def compatibility(self) -> Compatibility:
        """What can be done with what lies on the disk."""
        return check_compatibility(self.layout.database)

    def reader(self, *, ref: str, workspace: str) -> SnapshotReader | None:
        """The last published snapshot of a ref; None if nothing was published yet."""
        if self.compatibility() is Compatibility.NOT_INDEXED:
            return None
        database, lexical = self._open_readers()
        database.begin_reading()
        record = find_snapshot(database, ref=ref, workspace=workspace)
        if record is None:
            database.end_reading()
            return None
        return SnapshotReader(database, lexical, record)

    def last_job(self, workspace: str) -> JobRecord | None:
        """The newest job; one that seems to run without a writer alive has been interrupted."""
        if self.compatibility() is not Compatibility.COMPATIBLE:
            return None
        job = last_job(self._open_readers()[0], workspace=workspace)
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

    def is_being_written(self) -> bool:
        """Whether some process is writing just now."""
        return is_writer_alive(self.layout.lock)

    def size_bytes(self) -> int:
        """What the store takes on the disk."""
        files = (path for path in self.layout.folder.rglob("*") if path.is_file())
        return sum(path.stat().st_size for path in files)

    @contextmanager
    def writing(self, *, force: bool = False) -> Generator[WriteSession]:
        """Be the one writer; first repair what a killed one left behind.

        With `force` the store is emptied first, whatever its state.
        """
        with WriterLock(self.layout.lock, self._settings.busy_timeout_s):
            if force:
                self.close()
                self._empty()
            state = self.compatibility()
            if state in {Compatibility.REINDEX_REQUIRED, Compatibility.CORRUPT}:
                raise IndexIncompatible(f"the index in {self.layout.folder} is {state}")
            with self._open_database() as database:
                create_tables(database)
                index = LexicalIndex(self.layout.lexical)
                with index.writer(self._settings.writer_memory_mib) as lexical:
                    _repair(database, lexical)
                    yield WriteSession(database, lexical)

    def _open_readers(self) -> tuple[Database, LexicalIndex]:
        state = self.compatibility()
        if state in {Compatibility.REINDEX_REQUIRED, Compatibility.CORRUPT}:
            raise IndexIncompatible(f"the index in {self.layout.folder} is {state}")
        if self._readers is None:
            self._readers = (self._open_database(), LexicalIndex(self.layout.lexical))
        return self._readers

    def _open_database(self) -> Database:
        try:
            self.layout.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.layout.folder}: {error.strerror}") from error
        return Database(
            self.layout.database,
            busy_timeout_s=self._settings.busy_timeout_s,
            cache_mib=self._settings.cache_mib,
        )

    def _empty(self) -> None:
        """Remove everything but the lock, which we hold."""
        if not self.layout.folder.exists():
            return
        for path in self.layout.folder.iterdir():
            if path == self.layout.lock:
                continue
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def _repair(database: Database, lexical: LexicalWriter) -> None:
    """Undo what failed and killed runs left in the text index; their versions stay usable."""
    mark_interrupted(database)
    orphans = [
        version_id
        for first, last in failed_ranges(database)
        for version_id in missing_ids(database, first, last)
    ]
    if orphans:
        lexical.delete(orphans)
        lexical.commit()
    mark_rolled_back(database)
