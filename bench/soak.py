"""Let several clients ask while files change, for a long time; then see what was missed.

    python bench/soak.py REPOSITORY [--minutes 30] [--clients 3] [--seed 1]

Works on a copy of the repository. Each client is an MCP server of its own, as agents
start them, with the watcher that they share. All the while files are written, renamed,
deleted, folders moved, branches switched; after every change one of the clients is asked
for it at once. At the end the index is compared with one made from nothing, and the
memory of all processes with what it was after the first fifth. Linux only.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from memory import proportional_kib, resident_kib

from codecompass import Engine

_WARM_UP = 0.2  # of the time, before memory counts
_LOOK_S = 5.0
_QUESTIONS = (
    "how is the configuration loaded", "where are errors handled", "parse", "test",
    '"return"', "lang:python class", "/def \\w+/",
)  # fmt: skip


class Client:
    """One server, spoken to over its pipes."""

    def __init__(self, root: Path) -> None:
        command = [sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", str(root)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._count = 0
        hello = {"name": "soak", "version": "1"}
        self._ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": hello},
        )

    def call(self, tool: str, **arguments: object) -> str:
        """The text of an answer; an error is one."""
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result", {})
        if "error" in answer or result.get("isError"):
            raise SystemExit(f"{tool} {arguments}: {answer}")
        return "\n".join(block["text"] for block in result["content"])

    def _ask(self, method: str, parameters: object) -> dict:
        self._count += 1
        frame = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"a server ended with status {self.process.wait()}")
            answer = json.loads(line)
            if answer.get("id") == self._count:
                return answer

    def close(self) -> None:
        """End it."""
        self.process.stdin.close()
        self.process.wait(10)


class Memory(NamedTuple):
    """What all processes have in memory at a time."""

    when_s: float
    resident_mib: float  # pages that they share are counted for each
    own_mib: float  # and here once


@dataclass(slots=True)
class Tally:
    """What happened."""

    changes: int = 0
    questions: int = 0
    late: int = 0  # answers without what was written just before
    behind: int = 0  # those that said so
    slowest_s: float = 0.0
    memory: list[Memory] = field(default_factory=list)


class Soak:
    """Changes one working tree and asks about it."""

    def __init__(self, root: Path, clients: Sequence[Client], seed: int) -> None:
        self.root = root
        self.clients = clients
        self.chance = random.Random(seed)  # noqa: S311  # the same changes every time
        self.tally = Tally()
        self.number = 0
        self.last = ""

    def run(self, seconds: float) -> None:
        """Change and ask until the time is over."""
        started = last = time.monotonic()
        while (now := time.monotonic()) - started < seconds:
            self.step()
            if now - last >= _LOOK_S:
                last = now
                self.tally.memory.append(self.memory(now - started))

    def step(self) -> None:
        """One change, one question about it, and sometimes another question."""
        name = self.change()
        self.tally.changes += 1
        if name:
            self.expect(name)
        if self.chance.random() < 0.3:
            self.ask("search_code", query=self.chance.choice(_QUESTIONS))
        time.sleep(self.chance.choice([0, 0, 0.02, 0.2, 1.0]))

    def expect(self, name: str) -> None:
        """Ask for what was just written; what a rule leaves out is never there."""
        answer = self.ask("locate_symbol", name=name)
        if "0 of 0" not in answer:
            return
        if any(word in answer.partition("\n")[0] for word in ("stale", "syncing")):
            self.tally.behind += 1
            return
        time.sleep(2.5)
        if "0 of 0" not in self.ask("locate_symbol", name=name):
            self.tally.late += 1
            print(f"{name} after {self.last}: {answer}", flush=True)

    def ask(self, tool: str, **arguments: object) -> str:
        """Ask one of the clients."""
        self.tally.questions += 1
        began = time.monotonic()
        answer = self.chance.choice(self.clients).call(tool, **arguments)
        self.tally.slowest_s = max(self.tally.slowest_s, time.monotonic() - began)
        return answer

    def change(self) -> str:
        """Change something; the name of a definition that is there now, if it is known."""
        kind = self.chance.choice(["edit"] * 6 + ["add"] * 3 + ["atomic"] * 3 + _RARE)
        self.last = kind
        return getattr(self, f"_{kind}")()

    def _some_file(self) -> Path:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "*.py"], cwd=self.root, capture_output=True, check=True
        )
        paths = [path for path in listed.stdout.decode().split("\0") if path]
        there = [path for path in paths if (self.root / path).is_file()]
        return self.root / self.chance.choice(there)

    def _definition(self) -> tuple[str, str]:
        self.number += 1
        name = f"soaked_{self.number}"
        return name, f"\n\ndef {name}():\n    return {self.number}\n"

    def _edit(self) -> str:
        name, text = self._definition()
        path = self._some_file()
        path.write_bytes(_without_ours(path) + text.encode())
        return name

    def _atomic(self) -> str:
        name, text = self._definition()
        path = self._some_file()
        fresh = path.with_name(f".{path.name}.tmp")
        fresh.write_bytes(_without_ours(path) + text.encode())
        fresh.replace(path)
        return name

    def _add(self) -> str:
        name, text = self._definition()
        folder = self.root / "soaked" / f"n{self.chance.randrange(20)}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{self.chance.randrange(5)}.py").write_text(text)
        return name

    def _delete(self) -> str:
        self._some_file().unlink()
        return ""

    def _rename(self) -> str:
        path = self._some_file()
        path.rename(path.with_name(f"renamed_{path.name[-30:].removeprefix('renamed_')}"))
        return ""

    def _move_folder(self) -> str:
        folder, moved = self.root / "soaked", self.root / "moved"
        if folder.is_dir():
            shutil.rmtree(moved, ignore_errors=True)
            folder.rename(moved)
        return ""

    def _ignore(self) -> str:
        (self.root / ".codecompassignore").write_text(self.chance.choice(["", "soaked/n1/\n"]))
        return ""

    def _commit(self) -> str:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "--message", "soak")
        return ""

    def _switch(self) -> str:
        self._commit()
        branch = f"soak-{self.chance.randrange(4)}"
        self._git(
            "checkout", "--quiet", "-B", branch, self.chance.choice(["HEAD", "main", branch])
        )
        return ""

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, check=False)

    def memory(self, when_s: float) -> Memory:
        """What servers and watcher have in memory."""
        found = [client.process.pid for client in self.clients] + watchers(self.root)
        resident, own = (
            sum(map(measure, found)) / 1024 for measure in (resident_kib, proportional_kib)
        )
        return Memory(when_s, resident, own)


_RARE = ["delete", "rename", "move_folder", "ignore", "commit", "switch"]


def _without_ours(path: Path) -> bytes:
    """A file without what was written into it before: what is measured must not grow."""
    return path.read_bytes().partition(b"\n\ndef soaked_")[0]


def watchers(root: Path) -> list[int]:
    """The process that watches the copy."""
    with Engine.open(root) as engine:
        found = engine._views.live.watching.status()
    return [found["process"]] if found else []


def difference(root: Path, home: Path) -> list[str]:
    """Paths of which the index says otherwise than one made from nothing."""
    states = []
    for place in (home, home.with_name("fresh")):
        with Engine.open(root, {"store.home": str(place)}) as engine:
            engine.outline(".")  # as any question: what changed is read first
            with engine._views.open("live", lambda *_: None) as view:
                states.append(
                    {
                        path: (entry.blob_id, entry.skip_reason)
                        for path, entry in view.reader.files().items()
                    }
                )
    ours, fresh = states
    return sorted(path for path in ours.keys() | fresh.keys() if ours.get(path) != fresh.get(path))


def main() -> None:
    """Soak, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        os.environ["CODECOMPASS_HOME"] = str(home)
        root = Path(folder) / given.repository.resolve().name
        shutil.copytree(given.repository, root, symlinks=True)
        with Engine.open(root) as engine:
            engine.index()
        clients = [Client(root) for _ in range(given.clients)]
        soak = Soak(root, clients, given.seed)
        try:
            soak._git("checkout", "--quiet", "-B", "main")
            soak.run(given.minutes * 60)
            missed = difference(root, home)
        finally:
            for client in clients:
                client.close()
            stop = [sys.executable, "-m", "codecompass", "watch", "--stop", "--workspace"]
            subprocess.run([*stop, str(root)], capture_output=True, check=False)
    report(soak.tally, missed, given.minutes)


def report(tally: Tally, missed: list[str], minutes: float) -> None:
    """Print what came of it; the exit status says whether it was all right."""
    begin = minutes * 60 * _WARM_UP
    after = [memory for memory in tally.memory if memory.when_s >= begin]
    print(f"{minutes:g} minutes: {tally.changes:,} changes, {tally.questions:,} questions")
    print(f"slowest answer {tally.slowest_s:.1f} s; answers without the change {tally.late},")
    print(f"and {tally.behind} that said they were stale or syncing")
    print(f"memory {_grown([memory.resident_mib for memory in after])};")
    print(f"what they share counted once {_grown([memory.own_mib for memory in after])}")
    print(f"files unlike an index from nothing: {len(missed)} {missed[:5]}")
    if missed or tally.late:
        raise SystemExit(1)


def _grown(mib: Sequence[float]) -> str:
    """The first fifth of some figures, and the last."""
    part = max(1, len(mib) // 5)
    before, end = statistics.median(mib[:part]), statistics.median(mib[-part:])
    return f"{before:.0f} MiB after warm-up, {end:.0f} at the end ({end / before - 1:+.1%})"


if __name__ == "__main__":
    main()
