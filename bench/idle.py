"""Measure what a server and the watcher take while nothing is asked.

    python bench/idle.py REPOSITORY [--minutes 5]

A server as agents start it answers a few questions, which also starts the watcher; then
it is left alone. After `server.rest_after_s` the CPU ticks and the context switches of
both are counted, and at the end their memory and the folders watched. Linux only.
"""

import argparse
import time
from pathlib import Path

from memory import proportional_kib, resident_kib
from soak import Client, watchers

from codecompass import Engine

_QUESTIONS = ("where are errors handled", "parse", '"return"', "how is it configured")
_SETTLE_S = 75.0  # more than `server.rest_after_s`


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--minutes", type=float, default=5.0)
    given = parser.parse_args()
    root = given.repository.resolve()
    with Engine.open(root) as engine:
        engine.index()
        with engine._views.open("live", lambda *_: None) as view:
            paths = [path for path, entry in view.reader.files().items() if entry.version_id]
    client = Client(root)
    for question in _QUESTIONS:
        client.call("search_code", query=question)
        client.call("get_code_context", query=question)
    awake = resident_kib(client.process.pid) / 1024
    time.sleep(_SETTLE_S)
    processes = {"server": client.process.pid, "watcher": watchers(root)[0]}
    before = {name: (ticks(pid), switches(pid)) for name, pid in processes.items()}
    time.sleep(given.minutes * 60)
    for name, pid in processes.items():
        used, woken = ticks(pid) - before[name][0], switches(pid) - before[name][1]
        print(f"{name}: {used} ticks, {woken} switches in {given.minutes:g} minutes,", end=" ")
        print(f"{resident_kib(pid) / 1024:.0f} MB ({proportional_kib(pid) / 1024:.0f} its own)")
    print(f"the server before it rested: {awake:.0f} MB")
    print(f"{watches(processes['watcher']):,} folders watched;", end=" ")
    print(f"{len(folders(paths)):,} hold indexed files or are above such")
    client.close()


def ticks(process: int) -> int:
    """CPU time of a process, in hundredths of a second."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def switches(process: int) -> int:
    """How often all its threads were woken up."""
    total = 0
    for status in Path(f"/proc/{process}/task").glob("*/status"):
        for line in status.read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                total += int(line.split()[1])
    return total


def watches(process: int) -> int:
    """How many watches a process has."""
    found = 0
    for info in Path(f"/proc/{process}/fdinfo").iterdir():
        found += sum(line.startswith("inotify wd:") for line in info.read_text().splitlines())
    return found


def folders(paths: list[str]) -> set[str]:
    """The folders of some files, and those above."""
    found = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


if __name__ == "__main__":
    main()
