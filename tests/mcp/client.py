"""A client that speaks the protocol by hand, over the pipes of a real process."""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

from codecompass.source.program import own_command

Message = dict[str, Any]
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class StdioClient:
    """One server process; what it sends is read line by line."""

    def __init__(self, root: Path, *options: str, is_modern: bool = True) -> None:
        self.process = subprocess.Popen(
            own_command("serve-mcp", "--workspace", str(root), *options),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
        )
        self._last = 0
        self._is_modern = is_modern
        self.notes: list[Message] = []  # what came that answers nothing
        self.said = b""
        self._reader = Thread(target=self._read_errors, daemon=True)
        self._reader.start()

    def _read_errors(self) -> None:
        assert self.process.stderr
        self.said = self.process.stderr.read()

    def write(self, frame: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(frame)
        self.process.stdin.flush()

    def begin(self, method: str, params: Mapping[str, object] | None = None) -> int:
        self._last += 1
        given = dict(params or {})
        if self._is_modern:
            given["_meta"] = {**MODERN, **dict(given.get("_meta", {}))}  # type: ignore[call-overload]
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": given}
        self.write(json.dumps(message).encode() + b"\n")
        return self._last

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.write(json.dumps(message).encode() + b"\n")

    def receive(self) -> Message:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.process.wait(5)
        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    def wait(self, identity: int | str | None) -> Message:
        while True:
            message = self.receive()
            if message.get("id") == identity and "method" not in message:
                return message
            self.notes.append(message)

    def ask(self, method: str, params: Mapping[str, object] | None = None) -> Message:
        return self.wait(self.begin(method, params))

    def call(self, tool: str, **arguments: object) -> tuple[str, bool]:
        """The text of an answer, and whether it is an error."""
        message = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = message["result"]
        return "".join(item["text"] for item in result["content"]), result["isError"]

    def cpu_ms(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return 1000 * ticks / os.sysconf("SC_CLK_TCK")

    def leave(self) -> float:
        """Close the input; how long the server took to end."""
        assert self.process.stdin
        started = time.monotonic()
        self.process.stdin.close()
        self.process.wait(10)
        return time.monotonic() - started

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.leave()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


@contextlib.contextmanager
def serving(root: Path, *options: str, is_modern: bool = True) -> Iterator[StdioClient]:
    client = StdioClient(root, *options, is_modern=is_modern)
    try:
        yield client
    finally:
        client.stop()
