"""A line for every call: who asked which tool about what folder, how long, what came of it.

Neither arguments nor answers are in it, only the names of arguments.
"""

import datetime
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from codecompass.engine.metrics import CALLS_LOG
from codecompass.store.logfile import LogFile


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
    tokens: int


class AuditLog:
    """One file for all servers of a user."""

    def __init__(self, home: Path, *, is_on: bool) -> None:
        self._file = LogFile(home / CALLS_LOG)
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
        self._file.append(json.dumps(line))
