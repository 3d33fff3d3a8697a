"""Files of one family in, what their uses mean out: here, or by a process of its own.

A server stays. What it takes to resolve hundreds of files leaves holes in its memory that
never go again (docs/decisions/014-freshness.md); with a process they go.
"""

import contextlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from codecompass.errors import CodeCompassError
from codecompass.indexing.bounds import is_near
from codecompass.indexing.programs import Programs
from codecompass.indexing.run import no_garbage_collection
from codecompass.link.families import FAMILIES
from codecompass.link.linker import Linker, Program
from codecompass.model.edge import LinkedFile
from codecompass.model.snapshot import FileEntry, SnapshotName
from codecompass.source.memory import give_back_memory
from codecompass.source.program import own_module
from codecompass.store.database import Database
from codecompass.store.modules import KnownModules

# So many files are resolved before what was worked out for them is forgotten. Where a few
# have changed it is forgotten sooner: servers do that all day, and memory stays with them.
_BATCH_FILES, _SMALL_BATCH_FILES = 400, 40
LOOK_FILES = 10
"""After so many it is seen whether memory comes near its limit."""

_BUSY_TIMEOUT_S = 10.0
_CACHE_MIB = 8


def batch_size(count: int) -> int:
    """How many of so many files are resolved before what was worked out is forgotten."""
    return _BATCH_FILES if count > _BATCH_FILES else _SMALL_BATCH_FILES


def resolve_here(
    program: Program, paths: Sequence[str], memory_mib: int, progress: Callable[[int], None]
) -> Iterator[LinkedFile]:
    """Resolve files one by one; `progress` hears how many are done, before each."""
    linker = Linker(program)
    size = batch_size(len(paths))
    for number, path in enumerate(paths, start=1):
        progress(number - 1)  # one file may take seconds
        yield linker.link(path)
        is_full = number % LOOK_FILES == 0 and is_near(memory_mib)
        if is_full or number % size == 0:
            linker.forget()
        if is_full:
            give_back_memory()


@dataclass(frozen=True, slots=True)
class Task:
    """What another process has to know to resolve files of one family."""

    database: Path
    root: Path
    name: SnapshotName
    family: str
    entries: Mapping[str, FileEntry]
    paths: Sequence[str]
    memory_mib: int


def resolve_apart(task: Task) -> Iterator[LinkedFile]:
    """Resolve files in a process that ends with the work; fewer come if it dies before."""
    command = own_module(__spec__.name)
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603  # our own program, no shell
    except OSError:
        return
    assert process.stdin is not None  # noqa: S101  # both are pipes
    assert process.stdout is not None  # noqa: S101
    try:
        with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
            with process.stdin:
                pickle.dump(task, process.stdin)
            while True:
                yield pickle.load(process.stdout)  # noqa: S301  # what our own process wrote
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def serve_task(source: IO[bytes], target: IO[bytes]) -> None:
    """Read a task, resolve its files and write each as soon as it is done."""
    task: Task = pickle.load(source)  # noqa: S301  # what the process that started us wrote
    family = next(family for family in FAMILIES if family.name == task.family)
    database = Database(
        task.database, busy_timeout_s=_BUSY_TIMEOUT_S, cache_mib=_CACHE_MIB, create=False
    )
    with database, no_garbage_collection():
        programs = Programs(database, task.root, task.name, KnownModules())
        programs.read(task.entries.values())
        files = programs.files_of(family, task.entries)
        program = programs.program(family, task.entries, files)
        for linked in resolve_here(program, task.paths, task.memory_mib, lambda _done: None):
            pickle.dump(linked, target)
            target.flush()


if __name__ == "__main__":
    # Nobody listens any more, or the store is full or gone: whoever asked does it himself.
    with contextlib.suppress(CodeCompassError, OSError):
        serve_task(sys.stdin.buffer, sys.stdout.buffer)
