"""When an index is brought up to date behind everybody's back, and by what process."""

import os
import subprocess
import time
from collections.abc import Callable, Iterable

from codecompass.config.settings import WatchSettings
from codecompass.daemon.tree import WatchedTree
from codecompass.source.program import own_command

_MAX_DEBOUNCE = 10.0  # while files are written without a pause, so many times as long
_STOP_S = 5.0


class Syncing:
    """Runs one process at a time, some time after the last change."""

    def __init__(self, settings: WatchSettings, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._say = say
        self._first: dict[WatchedTree, float] = {}  # when a tree's first change came
        self._last: dict[WatchedTree, float] = {}  # when its last one came
        self._looked: dict[WatchedTree, float] = {}  # when somebody looked at all of it
        self._process: subprocess.Popen[bytes] | None = None
        self._began = self._rest_until = 0.0
        self.count = 0

    @property
    def is_running(self) -> bool:
        """Whether a process is at work."""
        return self._process is not None

    def note_change(self, tree: WatchedTree) -> None:
        """Something in a tree changed."""
        now = time.monotonic()
        self._first.setdefault(tree, now)
        self._last[tree] = now

    def note_look(self, tree: WatchedTree) -> None:
        """Somebody has looked at a tree."""
        self._looked[tree] = time.monotonic()
        if tree.changes.is_clean:
            self._first.pop(tree, None)
            self._last.pop(tree, None)

    def due_in(self, tree: WatchedTree) -> float:
        """In how many seconds a tree's index is to be brought up to date."""
        now = time.monotonic()
        often = self._settings.poll_s if tree.problem else self._settings.reconcile_s
        due = self._looked.setdefault(tree, now) + often
        if tree in self._last:
            quiet = self._settings.debounce_s
            due = min(due, self._last[tree] + quiet, self._first[tree] + quiet * _MAX_DEBOUNCE)
        return max(due, self._rest_until) - now

    def look(self, trees: Iterable[WatchedTree]) -> None:
        """Start what is due; see whether what was started has ended."""
        if self._process is not None:
            if self._process.poll() is None:
                return
            self._finish(self._process.returncode)
        for tree in trees:
            if self.due_in(tree) <= 0:
                self._start(tree)
                return

    def _start(self, tree: WatchedTree) -> None:
        is_told = tree in self._last and not tree.problem
        self._first.pop(tree, None)
        self._last.pop(tree, None)
        self._looked[tree] = self._began = time.monotonic()
        command = own_command("index", "--quiet", "--workspace", str(tree.root))
        command += ["--changed"] if is_told else []
        try:
            self._process = subprocess.Popen(  # noqa: S603  # our own program, no shell
                command,
                env={"CODECOMPASS_INDEX_NICE": "10", **os.environ},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            self._say(f"sync of {tree.root}: {error}")

    def _finish(self, status: int) -> None:
        now = time.monotonic()
        self.count += 1
        took = now - self._began
        self._rest_until = now + took / max(self._settings.share, 0.001) - took
        self._say(f"sync ended with status {status} after {took:.1f} s")
        self._process = None

    def stop(self) -> None:
        """End what runs; what it made durable is found by the next."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
