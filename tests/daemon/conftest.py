"""A watcher as its users run it: a process of its own."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.source.watch import ask_watcher

Start = Callable[..., "subprocess.Popen[str]"]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "codecompass", *arguments]


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=60)


def until(condition: Callable[[], object], seconds: float = 15.0) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to be so"
        time.sleep(0.02)


def status(engine: Engine) -> dict[str, object] | None:
    found = ask_watcher(engine.workspace.layout.folder, {"op": "status"}, timeout_s=2.0)
    return found if found and "process" in found else None


def said(home: Path) -> list[str]:
    """The watcher's log."""
    log = home / "logs" / "watch.jsonl"
    lines = log.read_text().splitlines() if log.exists() else []
    return [json.loads(line)["said"] for line in lines]


@pytest.fixture
def start(engine: Engine) -> Iterator[Start]:
    """Starts watchers in the foreground and waits until they answer; ends them afterwards."""
    running: list[subprocess.Popen[str]] = []

    def begin(*arguments: str) -> "subprocess.Popen[str]":
        root = str(engine.workspace.root)
        process = subprocess.Popen(
            command("watch", "--workspace", root, *arguments),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        running.append(process)
        until(lambda: status(engine) or process.poll() is not None)
        return process

    yield begin
    for process in running:
        process.kill()
        process.communicate()
