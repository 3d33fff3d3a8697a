"""Asks the watcher of a repository, a process of its own, what has changed.

One question for each connection: a line of JSON there, a line of JSON back, both sealed
with a word that only this user's processes can read, so that neither end speaks with a
stranger. Whatever goes wrong means that nobody watches.
"""

import hashlib
import hmac
import json
import secrets
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ADDRESS_FILE = "watch.json"
LOCK_FILE = "watch.lock"
_LIMIT_BYTES = 4_000_000
_READ_BYTES = 1 << 16


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
    deadline = time.monotonic() + timeout_s
    nonce = secrets.token_hex(8)
    try:
        with socket.create_connection(("127.0.0.1", address.port), timeout_s) as connection:
            connection.sendall(sealed(question, address.token, nonce))
            return unsealed(read_line(connection, _LIMIT_BYTES, deadline), address.token, nonce)
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def sealed(message: Mapping[str, object], token: str, nonce: str) -> bytes:
    """A line that says who made it, and for which question."""
    text = json.dumps(message)
    whole = {"nonce": nonce, "said": text, "seal": _seal(token, nonce, text)}
    return json.dumps(whole).encode() + b"\n"


def unsealed(line: bytes, token: str, nonce: str | None = None) -> dict[str, Any]:
    """What a line says; an error if a stranger made it, or it answers another question."""
    found = json.loads(line)
    if not isinstance(found, dict):
        raise TypeError("no message")
    text, of = str(found.get("said")), str(found.get("nonce"))
    if not hmac.compare_digest(_seal(token, of, text), str(found.get("seal"))):
        raise ValueError("from a stranger")
    if nonce is not None and of != nonce:
        raise ValueError("of another question")
    said = json.loads(text)
    if not isinstance(said, dict):
        raise TypeError("no message")
    return {**said, "nonce": of}


def _seal(token: str, nonce: str, text: str) -> str:
    return hmac.new(token.encode(), f"{nonce}:{text}".encode(), hashlib.sha256).hexdigest()


def read_line(connection: socket.socket, limit_bytes: int, deadline: float) -> bytes:
    """One line, whole, by a moment."""
    found = b""
    while not found.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or len(found) > limit_bytes:
            raise ValueError("no whole line came in time")
        connection.settimeout(left)
        part = connection.recv(_READ_BYTES)
        if not part:
            raise ValueError("no whole line came")
        found += part
    return found
