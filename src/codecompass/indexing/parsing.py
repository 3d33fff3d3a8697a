"""The process that parses: tasks in, one answer for each file out, until nobody asks any more.

Native parsers run on files that nobody here wrote, and some of those kill them. So they
run in a process that may die (`indexing.parsers` starts it, watches it and starts the
next one), never in the one that answers questions.
"""

import contextlib
import gc
import os
import pickle
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from codecompass.config.settings import IndexSettings
from codecompass.indexing.bounds import is_near
from codecompass.indexing.work import (
    ExtractedFile,
    FileNames,
    FileTexts,
    WorkItem,
    extract_files,
    forget_words,
    names_of_files,
    texts_of_files,
)

if sys.platform == "linux":
    import resource

READY = "ready"
"""What a process says when it can be asked."""

# So much CPU time for one file. The slowest real file that was seen took 3 s.
_CPU_LIMIT_S = 10.0
# A process that is asked nothing for so long ends: it holds some 60 MB.
_IDLE_S = 120.0
# What one process may allocate; a parser that runs wild ends instead of the machine.
_MEMORY_LIMIT = 4 * 1024**3


class Wanted(StrEnum):
    """What is to be made of files."""

    ROWS = "rows"  # all that is stored
    TEXTS = "texts"  # what their parts say, for a model
    NAMES = "names"  # what a name is at each of its places


@dataclass(frozen=True, slots=True)
class ParseTask:
    """Some files, and what to make of each."""

    wanted: Wanted
    root: str
    items: tuple[WorkItem, ...]
    settings: IndexSettings
    memory_mib: int
    name: str = ""


def serve_tasks(source: IO[bytes], target: IO[bytes]) -> None:
    """Answer tasks until `source` ends; each file's answer is sent as soon as it is there."""
    _prepare()
    try:
        _send(target, READY)
        while True:
            _alarm(signal_name="ITIMER_REAL", seconds=_IDLE_S)
            task: ParseTask = pickle.load(source)  # noqa: S301  # what our own process wrote
            _alarm(signal_name="ITIMER_REAL", seconds=0)
            for answer in _answers(task):
                _alarm(signal_name="ITIMER_PROF", seconds=0)
                _send(target, answer)
                _alarm(signal_name="ITIMER_PROF", seconds=_CPU_LIMIT_S)
            _alarm(signal_name="ITIMER_PROF", seconds=0)
            if is_near(task.memory_mib) and task.items:
                forget_words(task.items[0].model)
    except (EOFError, BrokenPipeError):
        return  # whoever asked has gone


def _answers(task: ParseTask) -> Iterator[ExtractedFile | FileTexts | FileNames]:
    _alarm(signal_name="ITIMER_PROF", seconds=_CPU_LIMIT_S)
    root = Path(task.root)
    if task.wanted is Wanted.TEXTS:
        return texts_of_files(root, task.items, task.settings)
    if task.wanted is Wanted.NAMES:
        return names_of_files(root, task.items, task.settings, task.name)
    return extract_files(root, task.items, task.settings)


def _send(target: IO[bytes], answer: object) -> None:
    pickle.dump(answer, target, pickle.HIGHEST_PROTOCOL)
    target.flush()


def _prepare() -> None:
    """Ctrl-C is the business of the process that asks; signals do what they do by themselves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # a fork was made while they wait
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    for name in ("SIGTERM", "SIGALRM", "SIGPROF"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    if sys.platform == "linux":
        with contextlib.suppress(ValueError, OSError):  # a lower limit is in force
            resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_LIMIT, _MEMORY_LIMIT))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Extraction makes millions of small objects and no cycles; looking for some took a
    # fifth of its time. What is loaded already is never looked at again.
    gc.freeze()
    gc.disable()


def _alarm(*, signal_name: str, seconds: float) -> None:
    """Let the system end this process after so long, where it can; 0: not any more."""
    timer = getattr(signal, signal_name, None)
    if timer is not None:
        signal.setitimer(timer, seconds)


if __name__ == "__main__":
    # Under its own name, or what it sends could not be read by others.
    from codecompass.indexing import parsing

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not get between the answers
    parsing.serve_tasks(sys.stdin.buffer, answers)
