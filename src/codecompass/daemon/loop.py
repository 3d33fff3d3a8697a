"""Watches the working trees of one repository and answers what changed in them.

One thread that sleeps until a file changes, somebody asks, or something is due. An index
is brought up to date by a process of its own, so that this one stays small.
"""

import json
import os
import secrets
import selectors
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from codecompass.config.settings import WatchSettings
from codecompass.daemon.syncing import Syncing
from codecompass.daemon.tree import WatchedTree
from codecompass.errors import CodeCompassError
from codecompass.source.events import FolderEvents, can_watch
from codecompass.source.watch import ADDRESS_FILE, read_address, read_line, sealed, unsealed

_MAX_QUESTION_BYTES = 100_000
_QUESTION_S = 2.0  # for a whole question once its first byte is due
_CHILD_POLL_S = 0.2  # how often a sync that runs is looked at
_HOUSEKEEPING_S = 300.0  # how often it is seen whether the store is still there


class Watcher:
    """The loop; `run` returns when nobody needs it any more."""

    def __init__(
        self,
        store: Path,
        scratch: Path,
        settings: WatchSettings,
        *,
        say: Callable[[str], None],
        idle_exit_s: float = 0.0,
    ) -> None:
        self._store = store
        self._scratch = scratch
        self._settings = settings
        self._say = say
        self._idle_exit_s = idle_exit_s
        self._id = secrets.token_hex(8)
        self._token = secrets.token_hex(16)
        self._events = FolderEvents() if can_watch() else None
        self._trees: dict[Path, WatchedTree] = {}
        self._syncing = Syncing(settings, say)
        self._asked_at = self._started = time.monotonic()
        self._questions = 0
        self._is_stopping = False
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._wake = socket.socketpair()
        self._selector = selectors.DefaultSelector()

    def add(self, root: Path) -> WatchedTree:
        """Watch a working tree."""
        tree = self._trees.get(root)
        if tree is None:
            tree = WatchedTree(
                root,
                self._scratch,
                self._events,
                max_folders=self._settings.max_folders,
                is_shared=lambda folder: self._is_shared(root, folder),
                say=self._say,
            )
            tree.refresh()
            self._trees[root] = tree
            how = f"polled: {tree.problem}" if tree.problem else f"{len(tree.folders):,} folders"
            self._say(f"watching {root}: {how}")
        return tree

    def _is_shared(self, root: Path, folder: str) -> bool:
        """Whether another tree than that of a root watches a folder."""
        return any(folder in tree.folders for other, tree in self._trees.items() if other != root)

    def run(self) -> None:
        """Serve until told to stop, until nobody asks any more, or until the store is gone."""
        os.chdir(self._store.anchor)  # a folder that somebody is in does not tell that it goes
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._selector.register(self._wake[0], selectors.EVENT_READ)
        if self._events is not None:
            self._selector.register(self._events, selectors.EVENT_READ)
        self._announce()
        try:
            while not self._is_stopping:
                ready = self._selector.select(self._wait_s())
                self._read_events()
                if any(key.fileobj is self._socket for key, _ in ready):
                    self._serve()
                self._syncing.look(self._trees.values())
                if self._is_useless():
                    break
        finally:
            self._end()

    def sync_soon(self, root: Path) -> None:
        """Bring the index of a working tree up to date, whatever is known of it."""
        self._syncing.note_change(self.add(root))

    def stop(self) -> None:
        """End soon; from a signal, which does not wake up who waits."""
        self._is_stopping = True
        self._wake[1].send(b"x")

    def _announce(self) -> None:
        """Tell this user's processes, and nobody else, where to ask."""
        said = {
            "port": self._socket.getsockname()[1],
            "token": self._token,
            "process": os.getpid(),
        }
        target = self._store / ADDRESS_FILE
        fresh = target.with_suffix(".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as out:
            json.dump(said, out)
        fresh.replace(target)

    def _wait_s(self) -> float | None:
        """How long to sleep if nothing happens."""
        if self._syncing.is_running:
            return _CHILD_POLL_S
        now = time.monotonic()
        due = [self._syncing.due_in(tree) for tree in self._trees.values()]
        if self._idle_exit_s:
            due.append(self._asked_at + self._idle_exit_s - now)
        return max(0.01, min([*due, _HOUSEKEEPING_S]))

    def _read_events(self) -> None:
        if self._events is None:
            return
        for event in self._events.read():
            for tree in self._trees.values():
                if not event.folder:
                    tree.note_other_folders()
                    self._syncing.note_change(tree)
                elif event.folder in tree.folders:
                    tree.take(event)
                    self._syncing.note_change(tree)

    def _is_useless(self) -> bool:
        for root in [root for root, tree in self._trees.items() if tree.has_left]:
            self._say(f"{root} or its repository is gone")
            self._trees.pop(root).release()
        is_forgotten = bool(self._idle_exit_s) and (
            time.monotonic() - self._asked_at >= self._idle_exit_s
        )
        return is_forgotten or not self._trees or not self._is_ours()

    def _is_ours(self) -> bool:
        """Whether questions still find this watcher; its store may have been made anew."""
        address = read_address(self._store)
        return address is not None and address.token == self._token

    def _serve(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return
        with connection:
            try:
                deadline = time.monotonic() + _QUESTION_S
                line = read_line(connection, _MAX_QUESTION_BYTES, deadline)
                question = unsealed(line, self._token)
                answer = self._answer(question)
                connection.settimeout(_QUESTION_S)
                connection.sendall(sealed(answer, self._token, question["nonce"]))
            except Exception as error:  # noqa: BLE001  # whatever comes, the loop goes on
                self._say(f"a question was not answered: {error!r:.200}")

    def _answer(self, question: dict[str, Any]) -> dict[str, object]:
        self._read_events()  # all that was written before the question came
        match question["op"]:
            case "look":
                return self._look(Path(question["root"]))
            case "seen":
                return self._seen(question)
            case "add":
                self._asked_at = time.monotonic()
                self.sync_soon(Path(question["root"]))
                return self._status()
            case "stop":
                self._is_stopping = True
                return {"stopped": os.getpid()}
            case _:
                return self._status()

    def _look(self, root: Path) -> dict[str, object]:
        self._asked_at = time.monotonic()
        self._questions += 1
        try:
            tree = self.add(root)
        except (CodeCompassError, OSError) as error:
            return {"error": str(error)}
        tree.refresh()
        return {"watcher": self._id, **tree.changes.told()}

    def _seen(self, question: dict[str, Any]) -> dict[str, object]:
        tree = self._trees.get(Path(question["root"]))
        if tree is not None and question["watcher"] == self._id and not tree.problem:
            tree.changes.note_look(int(question["moment"]), str(question["base"]))
            self._syncing.note_look(tree)
        return {}

    def _status(self) -> dict[str, object]:
        return {
            "process": os.getpid(),
            "uptime_s": round(time.monotonic() - self._started),
            "questions": self._questions,
            "syncs": self._syncing.count,
            "trees": [
                {
                    "root": str(tree.root),
                    "folders": len(tree.folders),
                    "state": _state(tree),
                    "problem": tree.problem,
                }
                for tree in self._trees.values()
            ],
        }

    def _end(self) -> None:
        if self._is_ours():
            (self._store / ADDRESS_FILE).unlink(missing_ok=True)
        self._syncing.stop()
        self._selector.close()
        for end in (self._socket, *self._wake):
            end.close()
        if self._events is not None:
            self._events.close()


def _state(tree: WatchedTree) -> str:
    if not tree.changes.base:
        return "not looked at yet"
    return "clean" if tree.changes.is_clean else "changed"
