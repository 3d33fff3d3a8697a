"""A line for every call: who asked which tool about what folder, how long, what came of it.

Neither arguments nor answers are in it, only the names of arguments.
"""

import datetime
import json
import os
from collections.abc import Iterable
from pathlib import Path
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
            self._append(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        except OSError:
            return

    def _append(self, line: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = os.open(self._path, flags, 0o600)
        try:
            os.write(descriptor, line)
            is_full = os.fstat(descriptor).st_size > _MAX_BYTES
        finally:
            os.close(descriptor)
        if is_full:
            self._path.replace(self._path.with_suffix(".jsonl.1"))
