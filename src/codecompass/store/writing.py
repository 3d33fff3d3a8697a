"""A store's place in, both of its engines open for writing out."""

import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from codecompass.config.settings import StoreSettings
from codecompass.errors import StoreError
from codecompass.store.database import Database
from codecompass.store.jobs import failed_ranges, mark_interrupted, mark_rolled_back
from codecompass.store.kept import Kept
from codecompass.store.layout import StoreLayout, make_private
from codecompass.store.lexical import LexicalIndex, LexicalWriter
from codecompass.store.lists import FileLists
from codecompass.store.modules import KnownModules
from codecompass.store.schema import create_tables
from codecompass.store.segments import size_of_file
from codecompass.store.vectors import VectorWriter
from codecompass.store.versions import (
    delete_pending,
    has_versions,
    missing_ids,
    pending_deletes,
)

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
    beat: Callable[[], None] = lambda: None  # tells those who wait that the work goes on


@contextmanager
def open_session(
    layout: StoreLayout, settings: StoreSettings, kept: Kept, memory_mib: int
) -> Generator[WriteSession]:
    """Both engines, after what a killed run left behind is repaired; whoever opens is the one."""
    with open_database(layout, settings) as database:
        create_tables(database)
        is_new = not has_versions(database)
        if is_new:  # its ids begin anew and must not meet text that was left behind
            shutil.rmtree(layout.lexical, ignore_errors=True)
        index = LexicalIndex(layout.lexical, create=is_new)
        with index.writer(min(memory_mib, settings.writer_memory_mib)) as lexical:
            _repair(database, lexical)
            vectors = VectorWriter(database, layout.vectors)
            yield WriteSession(database, lexical, vectors, kept.lists, kept.modules)


def open_database(
    layout: StoreLayout, settings: StoreSettings, *, create: bool = True
) -> Database:
    """The facts of a store; one that is empty is made anew."""
    try:
        make_private(layout.folder)
        if create and not size_of_file(layout.database):  # what lies beside is of another
            for name in ("", "-wal", "-shm"):
                layout.database.with_name(layout.database.name + name).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{layout.folder}: {error.strerror}") from error
    return Database(
        layout.database,
        busy_timeout_s=settings.busy_timeout_s,
        cache_mib=settings.cache_mib if create else _READER_CACHE_MIB,
        create=create,
    )


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
