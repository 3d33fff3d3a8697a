"""Measure what a saved file costs until it is in an answer, and a look that finds nothing.

    python bench/freshness.py REPOSITORY [--file PATH] [--rounds 5]

In one open engine, as a server has it: look for changes, publish, answer. A definition
is appended to the file, a new one each round, and asked for by name; the file is put
back at the end. CPU time of this process and of those it starts; the middle of all
rounds counts.
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from codecompass import Engine
from codecompass.engine.workspace import open_workspace

_SETTLE_S = 2.5  # until the times of files just written can be trusted


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--file", help="a Python file of it; the first one if not given")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    root = given.repository.resolve()
    with Engine.open(root) as engine:
        engine.index()
    with Engine(open_workspace(root), can_sync_behind=True) as engine:
        counts = engine.status().counts
        watched = "with a watcher" if engine.status().watcher else "without a watcher"
        print(f"{root.name}: {counts.files if counts else 0:,} files, {watched}")
        path = root / (given.file or _first_python_file(engine))
        before = path.read_bytes()
        engine.search("warm up")
        time.sleep(_SETTLE_S)
        inside = path.relative_to(root).as_posix()
        engine.outline(inside)
        try:
            idle = [cost(lambda: engine.outline(inside)) for _ in range(given.rounds)]
            saved = [_save_and_ask(engine, path, before, number) for number in range(given.rounds)]
        finally:
            path.write_bytes(before)
            engine.index()
    show("nothing changed", idle)
    show("one saved file", saved)


def _first_python_file(engine: Engine) -> str:
    with engine._views.open("live", lambda *_: None) as view:
        return next(path for path in view.reader.catalog.paths if path.endswith(".py"))


def _save_and_ask(engine: Engine, path: Path, before: bytes, number: int) -> tuple[float, float]:
    name = f"freshly_saved_{number}"
    path.write_bytes(before + f"\n\ndef {name}():\n    return {number}\n".encode())

    def ask() -> None:
        if not engine.locate(name).results:
            raise SystemExit(f"{name} was saved and is not in the next answer")

    return cost(ask)


def cost(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of CPU and on the clock."""
    cpu, started = _cpu_s(), time.perf_counter()
    call()
    return (_cpu_s() - cpu) * 1000, (time.perf_counter() - started) * 1000


def show(name: str, costs: list[tuple[float, float]]) -> None:
    """One line."""
    cpu, wall = (statistics.median(column) for column in zip(*costs, strict=True))
    print(f"{name}: {cpu:.0f} ms CPU, {wall:.0f} ms")


def _cpu_s() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(item.ru_utime + item.ru_stime for item in used)


if __name__ == "__main__":
    main()
