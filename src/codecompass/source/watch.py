"""Asks the watcher of a repository, a process of its own, what has changed.

One question for each connection: a line of JSON with the word that only this user's
processes can read, a line of JSON back. Whatever goes wrong means that nobody watches.
"""

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ADDRESS_FILE = "watch.json"
LOCK_FILE = "watch.lock"
_LIMIT_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Address:
    """Where a watcher listens."""

    port: int
    token: str
    process: int


def read_address(folder: Path) -> Address | None:
    """Where the watcher of a store listens, if there was one."""
    try:
        said = json.loads((folder / ADDRESS_FILE).read_bytes())
        return Address(int(said["port"]), str(said["token"]), int(said["process"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ask_watcher(
    folder: Path, question: Mapping[str, object], *, timeout_s: float
) -> dict[str, Any] | None:
    """What the watcher of a store answers; None if there is none or it does not answer."""
    address = read_address(folder)
    if address is None:
        return None
    line = json.dumps({**question, "token": address.token}).encode() + b"\n"
    try:
        with socket.create_connection(("127.0.0.1", address.port), timeout_s) as connection:
            connection.settimeout(timeout_s)
            connection.sendall(line)
            return _answer(connection)
    except (OSError, ValueError):
        return None


def _answer(connection: socket.socket) -> dict[str, Any] | None:
    parts = b""
    while not parts.endswith(b"\n"):
        part = connection.recv(1 << 16)
        if not part or len(parts) > _LIMIT_BYTES:
            return None
        parts += part
    found = json.loads(parts)
    return found if isinstance(found, dict) else None
