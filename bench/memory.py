"""Measure what indexing takes in memory under several ceilings, all processes together.

    python bench/memory.py REPOSITORY [--ceiling 700 350]

Each run is a full index into a store of its own. The peak is the largest sum of the
resident memory of the command and all it starts, looked at ten times a second; pages
that processes share are counted for each. At the end the results of all runs are
compared: the same definitions, uses and edges. Linux only.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from codecompass import Engine
from codecompass.store.links import nodes_by_number, read_edges

_LOOK_S = 0.1


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--ceiling", type=int, nargs="+", default=[700, 350], help="MiB")
    given = parser.parse_args()
    root = given.repository.resolve()
    results = []
    for ceiling in given.ceiling:
        with tempfile.TemporaryDirectory() as home:
            os.environ["CODECOMPASS_HOME"] = home
            os.environ["CODECOMPASS_INDEX_MEMORY_MIB"] = str(ceiling)
            started = time.perf_counter()
            peak = index(root)
            took = time.perf_counter() - started
            lines, found = contents(root)
            results.append(found)
            print(f"{ceiling} MiB: {lines:,} lines, peak {peak:.0f} MiB, {took:.0f} s", flush=True)
    print("same results" if all(found == results[0] for found in results) else "OTHER RESULTS")


def index(root: Path) -> float:
    """Index once; the peak of all processes together in MiB."""
    command = [sys.executable, "-m", "codecompass", "index", "--quiet", "--workspace", str(root)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(resident_kib, with_children(process.pid))))
        time.sleep(_LOOK_S)
    if process.returncode:
        raise SystemExit(f"the run ended with status {process.returncode}")
    return peak / 1024


def with_children(process: int) -> list[int]:
    """A process and all that it or its children started."""
    found = [process]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except OSError:
                continue
    return found


def resident_kib(process: int) -> int:
    """What a process has in memory; 0 if it is gone."""
    return _figure(process, "status", "VmRSS")


def proportional_kib(process: int) -> int:
    """The same with its part of what it shares with others; 0 if it is gone."""
    return _figure(process, "smaps_rollup", "Pss")


def _figure(process: int, file: str, name: str) -> int:
    try:
        lines = Path(f"/proc/{process}/{file}").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)


def contents(root: Path) -> tuple[int, list[object]]:
    """How many lines there are, and everything that was found out, in an order of its own."""
    with Engine.open(root) as engine, engine._views.open("live", lambda *_: None) as view:
        counts = view.reader.counts()
        database = view.reader._database
        found: list[object] = [counts]
        sql = "SELECT id, path FROM links ORDER BY path"
        for link_id, path in database.rows(sql):
            edges = read_edges(database, link_id)
            nodes = nodes_by_number(database, (edge[4] for edge in edges))
            found.append((path, hash(tuple(sorted((*e[:4], nodes[e[4]]) for e in edges)))))
        return counts.lines, found


if __name__ == "__main__":
    main()
