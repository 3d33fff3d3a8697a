"""A small pipelined client of the Language Server Protocol over pipes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urlparse

Message = dict[str, Any]

CLIENT_CAPABILITIES: Message = {
    "workspace": {"configuration": True, "workspaceFolders": True},
    "textDocument": {
        "definition": {"linkSupport": False},
        "synchronization": {"didSave": True},
        "publishDiagnostics": {},
    },
    "general": {"positionEncodings": ["utf-16"]},
}


@dataclass(frozen=True)
class Location:
    """One answer of a server: a file and a zero-based UTF-16 position."""

    path: str | None
    row: int
    column: int


class ServerError(RuntimeError):
    """The server exited or refused a request."""


def path_of_uri(uri: str) -> str | None:
    parsed = urlparse(uri)
    return unquote(parsed.path) if parsed.scheme == "file" else None


def _read_message(stream: IO[bytes]) -> Message | None:
    length = 0
    while True:
        header = stream.readline()
        if not header:
            return None
        header = header.strip()
        if not header:
            break
        key, _, value = header.partition(b":")
        if key.lower() == b"content-length":
            length = int(value)
    message: Message = json.loads(stream.read(length))
    return message


class LanguageServer:
    """One running language server for one root folder."""

    capabilities = CLIENT_CAPABILITIES

    def __init__(self, name: str, command: list[str], root: Path, timeout: float = 30.0) -> None:
        self.name = name
        self.timeout = timeout
        self._root = root
        self._next_id = 0
        self._pending: dict[int, queue.SimpleQueue[Message]] = {}
        self._write_lock = threading.Lock()
        self._dead = False
        self._process = subprocess.Popen(
            command,
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        threading.Thread(target=self._read_loop, daemon=True).start()
        self._initialise()

    def _initialise(self) -> None:
        folder = {"uri": self._root.as_uri(), "name": self._root.name}
        params = {
            "processId": os.getpid(),
            "rootUri": folder["uri"],
            "capabilities": self.capabilities,
            "initializationOptions": {},
            "workspaceFolders": [folder],
        }
        reply = self._request("initialize", params).get(timeout=self.timeout)
        if "error" in reply:
            raise ServerError(f"{self.name}: {reply['error']}")
        self._notify("initialized", {})

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        if stream is None or self._dead:
            raise ServerError(f"{self.name} is not running")
        with self._write_lock:
            try:
                stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                stream.flush()
            except OSError as error:
                raise ServerError(f"{self.name}: {error}") from error

    def _read_loop(self) -> None:
        stream = self._process.stdout
        while stream is not None and (message := _read_message(stream)) is not None:
            if "method" not in message:
                waiter = self._pending.pop(message["id"], None)
                if waiter is not None:
                    waiter.put(message)
            elif "id" in message:
                self._answer(message)
            else:
                self._hear(message)
        self._dead = True
        for waiter in list(self._pending.values()):
            waiter.put({"error": {"message": "server exited"}})

    def _answer(self, message: Message) -> None:
        """Answer a request of the server: no configuration, one workspace folder."""
        result: Any = None
        if message["method"] == "workspace/configuration":
            result = [None] * len(message["params"]["items"])
        elif message["method"] == "workspace/workspaceFolders":
            result = [{"uri": self._root.as_uri(), "name": self._root.name}]
        self._send({"id": message["id"], "result": result})

    def _hear(self, message: Message) -> None:
        """Take note of what the server tells unasked."""

    def _request(self, method: str, params: Any) -> queue.SimpleQueue[Message]:
        self._next_id += 1
        waiter: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._pending[self._next_id] = waiter
        self._send({"id": self._next_id, "method": method, "params": params})
        return waiter

    def _notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def definitions(
        self, path: Path, text: str, positions: Iterable[tuple[int, int]], window: int = 64
    ) -> Iterator[list[Location]]:
        """Definitions for one file in the order asked; at most `window` requests under way."""
        uri = path.as_uri()
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})
        waiting: deque[queue.SimpleQueue[Message]] = deque()
        for row, column in positions:
            params = {"textDocument": {"uri": uri}, "position": {"line": row, "character": column}}
            waiting.append(self._request("textDocument/definition", params))
            if len(waiting) >= window:
                yield self._locations(waiting.popleft())
        while waiting:
            yield self._locations(waiting.popleft())
        self._notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _locations(self, waiter: queue.SimpleQueue[Message]) -> list[Location]:
        try:
            reply = waiter.get(timeout=self.timeout)
        except queue.Empty as error:
            raise ServerError(f"{self.name}: no answer in {self.timeout} s") from error
        if self._dead:
            raise ServerError(f"{self.name} exited")
        result = reply.get("result") or []
        found = []
        for item in [result] if isinstance(result, dict) else result:
            start = (item.get("targetSelectionRange") or item["range"])["start"]
            path = path_of_uri(item.get("uri") or item["targetUri"])
            found.append(Location(path, start["line"], start["character"]))
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
