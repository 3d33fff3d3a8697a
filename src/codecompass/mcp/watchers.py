"""Sees to it that a workspace that is asked about is watched; by one process for all servers."""

import subprocess
import time
from contextlib import suppress
from pathlib import Path

from codecompass.config.settings import WatchSettings
from codecompass.daemon.start import start_watcher
from codecompass.source.events import can_watch
from codecompass.source.watch import ask_watcher

_AGAIN_S = 10.0


class Watchers:
    """Starts watchers; whether one runs is seen again after a while."""

    def __init__(self, settings: WatchSettings) -> None:
        self._settings = settings
        self._seen: dict[Path, float] = {}
        self._started: dict[Path, subprocess.Popen[bytes]] = {}

    def ensure(self, root: Path, store: Path) -> None:
        """Start a watcher for a workspace where none runs; it ends when nobody asks it."""
        now = time.monotonic()
        if not self._settings.start or not can_watch():
            return
        if now - self._seen.get(root, -_AGAIN_S) < _AGAIN_S:
            return
        self._seen[root] = now
        if root in self._started:
            self._started[root].poll()  # it may have ended, and nobody else waits for it
        if ask_watcher(store, {"op": "status"}, timeout_s=self._settings.timeout_s):
            return
        with suppress(OSError):
            idle_exit_s = self._settings.idle_exit_s
            self._started[root] = start_watcher(root, idle_exit_s=idle_exit_s)
