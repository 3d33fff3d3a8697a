"""Files in, what parsing says of each out, by processes that may die over a file.

A file over which parsers die is remembered as such and becomes plain text: nothing that
somebody wrote into a file ends a search, a server or a run.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import IO, Protocol

from codecompass.config.settings import IndexSettings
from codecompass.errors import StoreError
from codecompass.indexing.bounds import BATCH_FILES, share_memory
from codecompass.indexing.parsing import READY, ParseTask, Wanted, serve_tasks
from codecompass.indexing.work import (
    ExtractedFile,
    FileNames,
    FileTexts,
    WorkItem,
    current_extractor,
    given_up,
    load_for,
    load_grammars,
)
from codecompass.parse.interrupts import no_interrupt
from codecompass.source.program import own_module

Answer = ExtractedFile | FileTexts | FileNames

# A parser that says nothing for so long is ended. One file takes 10 s of CPU time at most.
_SILENCE_S = 120.0
_LOOK_S = 1.0
# So often a file is tried: a second time, as a parser may die of something else; once if it
# took too long. A parser that somebody killed says nothing about the file.
_TRIES, _TRIES_IF_SLOW, _TRIES_IF_KILLED = 2, 1, 4
_KILLED = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_TOO_SLOW = getattr(signal, "SIGPROF", 0) or None  # how the system ends it
_MAX_FILES = 4_096  # more are not open
_QUEUED_BATCHES = 2  # answered and not taken yet, for each parser


class ParserDied(Exception):
    """A parser ended in the middle of a task."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.tries = _TRIES_IF_KILLED if -status in _KILLED else _TRIES
        if -status == _TOO_SLOW:
            self.tries = _TRIES_IF_SLOW
        self.reason = _reason(status)


class _Process(Protocol):
    """What a parser is to the process that asks it: `subprocess.Popen`, or a fork."""

    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    pid: int

    def kill(self) -> None: ...
    def wait(self) -> int: ...


class ParserProcess:
    """One process that parses, started when it is first asked and again when it has died."""

    def __init__(self) -> None:
        self._process: _Process | None = None
        self._owner = 0
        self.heard_at = 0.0  # monotonic; the last sign of life while it is asked, else 0

    def ask(self, task: ParseTask) -> Iterator[Answer]:
        """One answer for each file, in order."""
        self.heard_at = time.monotonic()
        try:
            process = self._send(task)
            for _ in task.items:
                answer = self._receive(process)
                if not isinstance(answer, Answer):
                    raise self._died(process)
                self.heard_at = time.monotonic()
                yield answer
        finally:
            self.heard_at = 0.0

    def start(self, items: Sequence[WorkItem] = (), wanted: Wanted = Wanted.ROWS) -> None:
        """Have a process; forking is cheap, and safe only while there is but one thread."""
        if self._process is not None and self._owner == os.getpid():
            return
        self._owner = os.getpid()  # a process that was forked from the owner has none
        if _can_fork():
            with no_interrupt():  # or the fork would say so too
                if wanted is Wanted.NAMES:
                    load_grammars(items)
                else:
                    load_for(items)  # a fork has what is loaded here
                self._process = _fork()
        else:
            self._process = _spawn()
        try:
            said = self._receive(self._process)
        except ParserDied as died:
            raise StoreError(
                f"the process that parses files does not start: {died.reason}",
                remediation="codecompass doctor says what is wrong with this installation",
            ) from died
        assert said == READY  # noqa: S101  # the first thing a process says

    def kill(self) -> None:
        """End the process now, whatever it does; the thread that asks it is told."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # it died with a task in the pipe
                    stream.close()

    def _send(self, task: ParseTask) -> _Process:
        for is_last in (False, True):
            self.start()
            process = self._process
            assert process is not None  # noqa: S101  # just started
            assert process.stdin is not None  # noqa: S101  # a pipe
            try:
                pickle.dump(task, process.stdin, pickle.HIGHEST_PROTOCOL)
                process.stdin.flush()
            except OSError:  # it was asked nothing for long and has ended, or was killed
                if is_last:
                    raise self._died(process) from None
                self.close()
            else:
                return process
        raise AssertionError

    def _receive(self, process: _Process) -> object:
        assert process.stdout is not None  # noqa: S101  # a pipe
        try:
            return pickle.load(process.stdout)  # noqa: S301  # from our own process
        except Exception:  # noqa: BLE001  # no end to what half an answer may look like
            raise self._died(process) from None

    def _died(self, process: _Process) -> ParserDied:
        process.kill()  # it may have sent what is no answer
        status = process.wait()
        self.close()
        return ParserDied(status)


@cache
def shared_parsers() -> Parsers:
    """The parsers of this process; they are the same for all its engines."""
    return Parsers()


class Parsers:
    """Parsers for whoever asks; one lives on, so that the next saved file need not wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[ParserProcess] = []

    def rest(self) -> None:
        """End the processes that nobody asks just now."""
        with self._lock:
            idle, self._idle = self._idle, []
        for parser in idle:
            parser.close()

    def _take(self, count: int) -> list[ParserProcess]:
        with self._lock:
            taken, self._idle = self._idle[:count], self._idle[count:]
        return taken + [ParserProcess() for _ in range(count - len(taken))]

    def _give_back(self, parsers: Sequence[ParserProcess]) -> None:
        with self._lock:
            kept = [] if self._idle else parsers[:1]
            self._idle += kept
        for parser in parsers[len(kept) :]:
            parser.close()

    def extract(
        self, root: Path, items: Sequence[WorkItem], settings: IndexSettings
    ) -> Iterator[list[ExtractedFile]]:
        """Rows for files, in no particular order, a batch at a time."""
        for batch in self._answers(Wanted.ROWS, root, items, settings):
            found = [answer for answer in batch if isinstance(answer, ExtractedFile)]
            _check_rules(found)
            yield found

    def texts(
        self, root: Path, items: Sequence[WorkItem], settings: IndexSettings
    ) -> Iterator[list[FileTexts]]:
        """What the parts of files say, likewise."""
        for batch in self._answers(Wanted.TEXTS, root, items, settings):
            yield [answer for answer in batch if isinstance(answer, FileTexts)]

    def names(
        self, root: Path, items: Sequence[WorkItem], settings: IndexSettings, name: str
    ) -> Iterator[list[FileNames]]:
        """What a name is at each of its places in known contents, likewise."""
        for batch in self._answers(Wanted.NAMES, root, items, settings, name):
            yield [answer for answer in batch if isinstance(answer, FileNames)]

    def _answers(
        self,
        wanted: Wanted,
        root: Path,
        items: Sequence[WorkItem],
        settings: IndexSettings,
        name: str = "",
    ) -> Iterator[list[Answer]]:
        shares = share_memory(settings, os.cpu_count() or 1)
        count = shares.workers if len(items) > settings.inline_files else 1
        starts = range(0, len(items), BATCH_FILES)
        run = _Run(
            deque(
                ParseTask(
                    wanted,
                    str(root),
                    tuple(items[start : start + BATCH_FILES]),
                    settings,
                    shares.worker_mib,
                    name,
                )
                for start in starts
            ),
            queued=count * _QUEUED_BATCHES,
        )
        if not run.tasks:
            return
        parsers = self._take(count)
        try:
            for parser in parsers:
                parser.start(items, wanted)
            yield from run.results(parsers)
        finally:
            for parser in parsers if run.is_broken else ():
                parser.close()  # half an answer may be in its pipe
            self._give_back(parsers)


class _Run:
    """Batches that several parsers share, each asked by a thread of its own."""

    def __init__(self, tasks: deque[ParseTask], *, queued: int) -> None:
        self.tasks = tasks
        self.is_broken = True  # until all is answered: half an answer may be in a pipe
        self._answered: queue.Queue[list[Answer] | BaseException] = queue.Queue(queued)
        self._is_over = False

    def results(self, parsers: Sequence[ParserProcess]) -> Iterator[list[Answer]]:
        """All answers; whoever stops listening ends the parsers."""
        expected = len(self.tasks)
        threads = [
            threading.Thread(target=self._ask, args=(parser,), daemon=True) for parser in parsers
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in range(expected):
                answer = self._next(parsers)
                if isinstance(answer, BaseException):
                    raise answer
                yield answer
            self.is_broken = False
        finally:
            self._is_over = True
            while any(thread.is_alive() for thread in threads):
                if self.is_broken:
                    for parser in parsers:
                        parser.kill()
                with contextlib.suppress(queue.Empty):
                    self._answered.get_nowait()
                for thread in threads:
                    thread.join(0.01)

    def _next(self, parsers: Sequence[ParserProcess]) -> list[Answer] | BaseException:
        while True:
            try:
                return self._answered.get(timeout=_LOOK_S)
            except queue.Empty:
                now = time.monotonic()
                for parser in parsers:
                    if parser.heard_at and now - parser.heard_at > _SILENCE_S:
                        parser.kill()

    def _ask(self, parser: ParserProcess) -> None:
        while not self._is_over:
            try:
                task = self.tasks.popleft()
            except IndexError:
                return
            try:
                self._answered.put(answers_to(task, parser, lambda: self._is_over))
            except BaseException as error:  # noqa: BLE001  # raised where the answers are awaited
                self._answered.put(error)
                return


def answers_to(
    task: ParseTask, parser: ParserProcess, is_over: Callable[[], bool]
) -> list[Answer]:
    """The answers to all of a task, whatever becomes of the parser."""
    answers: list[Answer] = []
    tries = 0
    while len(answers) < len(task.items) and not is_over():
        before = len(answers)
        left = replace(task, items=task.items[before:])
        try:
            for answer in parser.ask(left):
                answers.append(answer)  # noqa: PERF402  # those that came count if it dies
        except ParserDied as died:
            tries = tries + 1 if len(answers) == before else 1
            if tries < died.tries:
                continue
            tries = 0
            culprit = left.items[len(answers) - before]
            if culprit.failure:  # not even its text can be had
                answers.append(_nothing_of(task, culprit))
                continue
            items = list(task.items)
            items[len(answers)] = replace(culprit, failure=died.reason)
            task = replace(task, items=tuple(items))
    return answers


def _check_rules(found: Sequence[ExtractedFile]) -> None:
    """Refuse what other rules than ours have made: it would be extracted again for ever."""
    keys = {(file.rows.key.language, file.rows.key.extractor) for file in found if file.rows}
    if any(current_extractor(language) != extractor for language, extractor in keys):
        raise StoreError(
            "codecompass was updated while this process runs",
            remediation="start it again",
        )


def _nothing_of(task: ParseTask, item: WorkItem) -> Answer:
    if task.wanted is Wanted.TEXTS:
        return FileTexts(item.version_id)
    if task.wanted is Wanted.NAMES:
        return FileNames(item.version_id)
    return given_up(Path(task.root), item)


def _reason(status: int) -> str:
    """Why a process ended, in words."""
    if status >= 0:
        return f"parser ended with status {status}"
    if -status == _TOO_SLOW:
        return "parser took too long"
    try:
        return f"parser crashed: {signal.Signals(-status).name}"
    except ValueError:
        return f"parser crashed: signal {-status}"


def _spawn() -> _Process:
    command = own_module("codecompass.indexing.parsing")
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603  # our own program, no shell
    except OSError as error:
        raise StoreError(f"the process that parses files does not start: {error}") from error


def _can_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1


class _Fork:
    """A copy of this process, which has loaded everything already."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid = pid
        self._status: int | None = None
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout

    def kill(self) -> None:
        """End it now."""
        if self._status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Its exit status, negative if a signal ended it."""
        if self._status is None:
            try:
                self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except ChildProcessError:  # somebody else was told
                self._status = -signal.SIGKILL
        return self._status


def _fork() -> _Process:
    ask = os.pipe()
    answer = os.pipe()
    try:
        with warnings.catch_warnings():
            # The text index has threads of its own, which the copy neither has nor needs.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
    except OSError as error:
        raise StoreError(f"the process that parses files does not start: {error}") from error
    if pid == 0:
        status = 1
        try:
            _close_all_but(0, 1, 2, ask[0], answer[1])
            serve_tasks(os.fdopen(ask[0], "rb"), os.fdopen(answer[1], "wb"))
            status = 0
        finally:
            os._exit(status)
    os.close(ask[0])
    os.close(answer[1])
    return _Fork(pid, os.fdopen(ask[1], "wb"), os.fdopen(answer[0], "rb"))


def _close_all_but(*kept: int) -> None:
    """Hold no lock, socket or pipe of the process that was copied."""
    try:
        there = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208  # numbers
    except OSError:  # not shown to a process that has changed its user
        there = list(range(_MAX_FILES))
    for number in there:
        if number not in kept:
            with contextlib.suppress(OSError):
                os.close(number)
