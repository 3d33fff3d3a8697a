"""Indexes in processes of their own: a server stays small and answers meanwhile."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from codecompass.mcp.complaints import say
from codecompass.source.program import own_command

Tell = Callable[[float, float, str], None]
"""Called with how much is done, how much there is, and words for it."""

_STAGES = {"extract": (0, 70), "publish": (70, 75), "link": (75, 100)}
_TELL_S = 0.25
_AGAIN_S = 60.0  # a run that failed is not begun again by itself for so long


@dataclass(slots=True)
class Run:
    """One run of the indexer, as far as it is."""

    root: Path
    process: "subprocess.Popen[bytes]"
    stage: str = "scan"
    done: int = 0
    total: int = 0
    result: dict[str, object] = field(default_factory=dict)  # what it printed at its end
    started: float = field(default_factory=time.monotonic)
    is_over: threading.Event = field(default_factory=threading.Event)

    @property
    def percent(self) -> float:
        """How far it is."""
        return percent(self.stage, self.done, self.total)

    @property
    def said(self) -> str:
        """How far it is, in words."""
        return in_words(self.stage, self.done, self.total)

    @property
    def failure(self) -> "Failure | None":
        """The error it ended with."""
        status = self.process.returncode
        if not self.is_over.is_set() or status == 0:
            return None
        error = self.result.get("error")
        if not isinstance(error, dict):
            said = f"the process that builds the index ended with status {status}"
            return Failure("internal", said, "ask again: it goes on where it stopped")
        data = error.get("data")
        remediation = data.get("remediation", "") if isinstance(data, dict) else ""
        return Failure(str(error.get("code")), str(error.get("message")), str(remediation))


def percent(stage: str, done: int, total: int) -> float:
    """How far a run is at a stage."""
    first, last = _STAGES.get(stage, (0, 0))
    share = done / total if total else 0.0
    return round(first + (last - first) * share, 1)


def in_words(stage: str, done: int, total: int) -> str:
    """What a run does at a stage."""
    if stage == "wait":
        return "waiting for another process that writes to the index"
    counts = f" {done:,} of {total:,} files" if total else ""
    return f"{stage}{counts}"


class Failure(NamedTuple):
    """Why a run ended without an index."""

    code: str
    message: str
    remediation: str


class Indexer:
    """Starts runs, at most one for a folder and ref, and knows how far they are."""

    def __init__(self) -> None:
        self._runs: dict[tuple[Path, str], Run] = {}
        self._lock = threading.Lock()

    def active(self, root: Path, ref: str | None = None) -> Run | None:
        """The run for a folder that is under way, for this ref or for any."""
        with self._lock:
            return self._active(root, ref)

    def _active(self, root: Path, ref: str | None) -> Run | None:
        for (path, of), run in self._runs.items():
            if path == root and ref in (None, of) and not run.is_over.is_set():
                return run
        return None

    def start(self, root: Path, ref: str, *, force: bool = False, most: int) -> Run | None:
        """The run for a folder and ref, a new one if none is under way; None: too many are."""
        with self._lock:
            known = self._active(root, ref)
            if known is not None:
                return known
            if sum(not run.is_over.is_set() for run in self._runs.values()) >= most:
                return None
            run = Run(root, _start(root, ref, force=force))
            self._runs[root, ref] = run
        threading.Thread(target=_follow, args=(run,), daemon=True).start()
        return run

    def failed_lately(self, root: Path, ref: str) -> bool:
        """Whether the last run for a folder and ref ended badly just now."""
        with self._lock:
            run = self._runs.get((root, ref))
        if run is None or run.failure is None:
            return False
        return time.monotonic() - run.started < _AGAIN_S

    def wait(
        self,
        run: Run,
        timeout_s: float,
        *,
        tell: Tell | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Whether a run is over by then; its progress is told on the way."""
        for _ in range(max(1, round(timeout_s / _TELL_S))):
            if run.is_over.wait(_TELL_S) or is_cancelled():
                break
            if tell is not None:
                tell(run.percent, 100, run.said)
        return run.is_over.is_set()

    def close(self) -> None:
        """End all runs; what they made durable is found by the next."""
        with self._lock:
            running = [run for run in self._runs.values() if not run.is_over.is_set()]
        for run in running:
            _kill(run.process)


def _start(root: Path, ref: str, *, force: bool) -> "subprocess.Popen[bytes]":
    command = own_command("index", "--workspace", str(root), "--json", "--progress-json")
    command += [f"--ref={ref}"] if ref else []
    command += ["--force"] if force else []
    return subprocess.Popen(  # noqa: S603  # our own program, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # with its workers it can be ended as one
    )


def _follow(run: Run) -> None:
    """Read what a run says until it ends."""
    assert run.process.stdout is not None  # noqa: S101  # both are pipes
    assert run.process.stderr is not None  # noqa: S101
    reader = threading.Thread(target=_read_progress, args=(run, run.process.stderr), daemon=True)
    reader.start()
    printed = run.process.stdout.read()
    run.process.wait()
    reader.join()
    run.process.stdout.close()
    run.process.stderr.close()
    with contextlib.suppress(ValueError):
        found = json.loads(printed.decode("utf-8", "replace") or "{}")
        run.result = found if isinstance(found, dict) else {}
    run.is_over.set()


def _read_progress(run: Run, stream: IO[bytes]) -> None:
    for line in stream:
        try:
            said = json.loads(line)
            stage, done, total = str(said["stage"]), int(said["done"]), int(said["total"])
        except (ValueError, KeyError, TypeError):
            say(line.decode("utf-8", "replace"))
            continue
        run.stage, run.done, run.total = stage, done, total


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGTERM)
        else:  # pragma: no cover  # Windows
            process.terminate()
