"""A line for every call: who asked which tool about what folder, how long, what came of it.

Neither arguments nor answers are in it, only the names of arguments.
"""

import datetime
import json
import os
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

_MAX_BYTES = 5_000_000  # then a new file begins; one old file is kept


class Entry(NamedTuple):
    """What is noted of a call."""

    transport: str
    client: str
    tool: str
    workspace: str
    arguments: Iterable[str]  # names
    outcome: str  # ok, cancelled, or the code of an error
    duration_ms: int
    characters: int


class AuditLog:
    """One file for all servers of a user; each line is written at once."""

    def __init__(self, home: Path, *, is_on: bool) -> None:
        self._path = home / "logs" / "calls.jsonl"
        self._is_on = is_on
        self._file = -1
        self._lock = Lock()

    def write(self, entry: Entry) -> None:
        """Note a call; that it cannot be noted is no reason not to answer."""
        if not self._is_on:
            return
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        line = {
            "time": now,
            "pid": os.getpid(),
            **entry._asdict(),
            "arguments": sorted(entry.arguments),
        }
        try:
            with self._lock:
                self._append(json.dumps(line).encode() + b"\n")
        except OSError:
            return

    def _append(self, line: bytes) -> None:
        if self._file < 0:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(self._file, line)
        if os.fstat(self._file).st_size > _MAX_BYTES:
            os.close(self._file)
            self._file = -1
            if self._path.stat().st_size > _MAX_BYTES:  # not yet put away by another process
                self._path.replace(self._path.with_suffix(".jsonl.1"))
