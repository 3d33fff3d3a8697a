"""`codecompass watch`: in the foreground, behind, what it does, its end."""

import argparse
import datetime
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from codecompass.config.load import load_settings
from codecompass.config.settings import Settings
from codecompass.daemon.loop import Watcher
from codecompass.daemon.start import start_watcher
from codecompass.errors import BadInput, StoreBusy, StoreError
from codecompass.source.git import find_repository
from codecompass.source.guard import resolve_workspace
from codecompass.source.watch import LOCK_FILE, ask_watcher
from codecompass.store.layout import StoreLayout, layout_for
from codecompass.store.lock import WriterLock, is_writer_alive
from codecompass.store.logfile import LogFile

_START_S = 15.0
_POLL_S = 0.05
_ANSWER_S = 2.0


def run_watch(parsed: argparse.Namespace) -> int:
    """Watch, or say what watches, or end it."""
    root = resolve_workspace(parsed.workspace or _enclosing())
    settings = load_settings(root)
    layout = _layout(root, settings)
    if parsed.idle_exit < 0:
        raise BadInput(f"--idle-exit: given {parsed.idle_exit:g}; allowed: 0 (never) and more")
    if parsed.stop:
        return _stop(parsed, layout)
    if parsed.status:
        return _status(parsed, layout)
    if parsed.background:
        return _start_behind(parsed, root, layout)
    return _watch(parsed, root, settings, layout)


def _enclosing() -> Path:
    folder = resolve_workspace(".")
    place = find_repository(folder)
    return place.top_level if place is not None else folder


def _layout(root: Path, settings: Settings) -> StoreLayout:
    place = find_repository(root)
    return layout_for(settings.store.home, place.common_dir if place else root)


def _watch(parsed: argparse.Namespace, root: Path, settings: Settings, layout: StoreLayout) -> int:
    """Index once, then watch until told to stop."""
    log = LogFile(settings.store.home / "logs" / "watch.jsonl")

    def say(text: str) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        line = {"time": now, "pid": os.getpid(), "store": layout.folder.name, "said": text}
        log.append(json.dumps(line))
        if not parsed.quiet:
            sys.stderr.write(f"{text}\n")

    try:
        lock = WriterLock(layout.folder / LOCK_FILE, 0.0)
        with lock:
            watcher = Watcher(
                layout.folder,
                settings.store.home,
                settings.watch,
                say=say,
                idle_exit_s=parsed.idle_exit,
            )
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: watcher.stop())
            watcher.add(root)
            if not parsed.idle_exit:  # else a server has just looked
                watcher.sync_soon(root)
            watcher.run()
            say("ended")
    except StoreBusy:
        return _join(parsed, root, layout)
    return 0


def _join(parsed: argparse.Namespace, root: Path, layout: StoreLayout) -> int:
    """Let the watcher that runs take on one more working tree."""
    said = {"op": "add", "root": str(root)}
    found = ask_watcher(layout.folder, said, timeout_s=_ANSWER_S)
    if found is None:
        raise StoreBusy(
            "a watcher of this repository runs and does not answer",
            remediation=f"end the process that holds {layout.folder / LOCK_FILE}",
        )
    _print(parsed, {"watching": found}, _in_words(found))
    return 0


def _start_behind(parsed: argparse.Namespace, root: Path, layout: StoreLayout) -> int:
    """Start a watcher that outlives this process, unless one runs; wait until it answers."""
    if _ask(layout, "status") is not None:
        return _join(parsed, root, layout)
    try:
        with WriterLock(layout.folder / LOCK_FILE, 0.0):
            pass  # said here, where somebody hears it
    except StoreBusy:
        return _join(parsed, root, layout)
    start_watcher(root, idle_exit_s=parsed.idle_exit)
    deadline = time.monotonic() + _START_S
    while (found := _ask(layout, "status")) is None and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    if found is None:
        raise StoreError(
            "the watcher ended before it answered",
            remediation="`codecompass watch`, in the foreground, says why",
        )
    _print(parsed, {"watching": found}, _in_words(found))
    return 0


def _status(parsed: argparse.Namespace, layout: StoreLayout) -> int:
    found = _ask(layout, "status")
    _print(parsed, {"watching": found}, _in_words(found))
    return 0 if found else 1


def _stop(parsed: argparse.Namespace, layout: StoreLayout) -> int:
    found = _ask(layout, "stop")
    deadline = time.monotonic() + _START_S
    lock = layout.folder / LOCK_FILE
    while is_writer_alive(lock) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    said = f"ended the watcher {found['stopped']}" if found else "nothing watches this repository"
    _print(parsed, found or {"stopped": None}, said)
    return 0


def _ask(layout: StoreLayout, op: str) -> dict[str, Any] | None:
    found = ask_watcher(layout.folder, {"op": op}, timeout_s=_ANSWER_S)
    return found if found and "error" not in found else None


def _in_words(found: dict[str, Any] | None) -> str:
    if found is None:
        return "nothing watches this repository\nnext: codecompass watch --background"
    lines = [
        f"process {found['process']} watches for {found['uptime_s']:,} s;"
        f" {found['questions']:,} questions, {found['syncs']:,} syncs"
    ]
    for tree in found["trees"]:
        how = tree["problem"] or f"{tree['folders']:,} folders"
        lines.append(f"{tree['root']}: {how}, {tree['state']}")
    return "\n".join(lines)


def _print(parsed: argparse.Namespace, answer: object, text: str) -> None:
    sys.stdout.write((json.dumps(answer) if parsed.json else text) + "\n")
