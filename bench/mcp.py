"""Measures the server for agents over stdio: first reply, overhead of a call, idling, the end.

    python bench/mcp.py REPOSITORY [--calls 1000] [--idle 60]

CPU times are those of the server process, read from /proc; Linux only.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codecompass import Engine
from codecompass.engine.operations import call_operation
from codecompass.mcp.serve import server_facts
from codecompass.mcp.tools import INSTRUCTIONS
from codecompass.model.search import SearchOptions

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
_STARTS = 9


class Server:
    """One server process."""

    def __init__(self, root: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", str(root), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("no pipes")
        self._input, self._output = self.process.stdin, self.process.stdout
        self._last = 0

    def send(self, method: str, params: Mapping[str, Any]) -> None:
        """Ask without waiting."""
        self._last += 1
        given = {**params, "_meta": _META}
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": given}
        self._input.write(json.dumps(message).encode() + b"\n")
        self._input.flush()

    def ask(self, method: str, **params: Any) -> Any:
        """Ask and wait for the result."""
        self.send(method, params)
        return json.loads(self._output.readline())["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool."""
        return self.ask("tools/call", name=tool, arguments=arguments)

    @property
    def cpu_s(self) -> float:
        """What the process has used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def resident_mb(self) -> float:
        """What it holds in memory."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1000

    def leave(self) -> float:
        """Close its input; how long it took to end."""
        started = time.monotonic()
        self._input.close()
        self.process.wait()
        self._output.close()
        return time.monotonic() - started


def first_reply(root: Path) -> None:
    """From the start of the process to the list of all tools."""
    used, walls = [], []
    for _ in range(_STARTS):
        started = time.monotonic()
        server = Server(root, "--tools", "full")
        server.ask("server/discover")
        tools = server.ask("tools/list")["tools"]
        used.append(1000 * server.cpu_s)
        walls.append(1000 * (time.monotonic() - started))
        server.leave()
    print(
        f"first list of {len(tools)} tools: CPU median {statistics.median(used):.0f} ms,"
        f" most {max(used):.0f}; wall median {statistics.median(walls):.0f} ms"
    )


def standing_cost() -> None:
    """What every session of an agent pays."""
    for name in ("core", "full"):
        listed = len(json.dumps(server_facts(name).listed, separators=(",", ":")))
        print(f"{name}: {listed} characters of tools, {len(INSTRUCTIONS)} of instructions")


def overhead(root: Path, calls: int) -> None:
    """CPU of a call over the same call of the engine in process."""
    os.environ["CODECOMPASS_FRESHNESS_RECHECK_AFTER_S"] = "3600"  # the look at files is no part
    with Engine.open(root) as engine:
        hits = engine.search("get", options=SearchOptions(top_k=100)).results
        names = [hits[number % len(hits)].name for number in range(calls)]
        for name in names:
            engine.locate(name)
        started = time.process_time()
        for name in names:
            call_operation(engine, "locate_symbol", {"name": name})
        own = (time.process_time() - started) / calls
    server = Server(root)
    server.ask("tools/list")
    for name in names:
        server.call("locate_symbol", name=name)
    started = server.cpu_s
    for name in names:
        server.call("locate_symbol", name=name)
    over = (server.cpu_s - started) / calls
    del os.environ["CODECOMPASS_FRESHNESS_RECHECK_AFTER_S"]
    print(
        f"locate_symbol, {calls} calls: engine {1000 * own:.2f} ms of CPU each,"
        f" over stdio {1000 * over:.2f} ms: {1000 * (over - own):+.2f} ms"
    )
    server.leave()


def idle(root: Path, seconds: int) -> None:
    """What a server takes that nobody asks."""
    server = Server(root)
    server.ask("tools/list")
    server.call("search_code", query="how is the configuration read")
    server.call("get_code_context", query="how is the configuration read")
    server.call("locate_symbol", name="main")
    time.sleep(3)
    started = server.cpu_s
    time.sleep(seconds)
    used = server.cpu_s - started
    print(
        f"idle after three questions: {server.resident_mb:.0f} MB,"
        f" {1000 * used:.0f} ms of CPU in {seconds} s"
    )
    ended = [server.leave()]
    server = Server(root)
    server.ask("tools/list")
    server.call("locate_symbol", name="main")
    server.send("tools/call", {"name": "index_status", "arguments": {"wait": True}})
    server.send("tools/call", {"name": "search_code", "arguments": {"query": "/.*a.*b.*c/"}})
    ended.append(server.leave())
    print(f"end after EOF: idle {ended[0]:.2f} s, in the middle of calls {ended[1]:.2f} s")


def main() -> None:
    """Print all numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--idle", type=int, default=60)
    given = parser.parse_args()
    root = given.repository.resolve()
    with Engine.open(root) as engine:
        engine.index()
        counts = engine.status().counts
    print(f"{root.name}: {counts.files:,} files, {counts.lines:,} lines" if counts else root.name)
    standing_cost()
    first_reply(root)
    overhead(root, given.calls)
    idle(root, given.idle)


if __name__ == "__main__":
    main()
