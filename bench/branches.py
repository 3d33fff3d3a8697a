"""Measure what branches and worktrees of a real repository cost beside its base, in one run.

    python bench/branches.py REPOSITORY [--commits 50] [--worktrees 50]

Prints CPU-seconds of indexing the base and a commit so many commits away, the disk and the
first answer of a second worktree, the disk of many worktrees, what switching back and forth
extracts, and the latency of questions on a ref beside those on the base. CPU times are
those of the process and all its children. Machines are noisy: read ratios.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from codecompass import Engine

_RUN = "import sys; from codecompass.cli.main import main; sys.exit(main({arguments!r}))"
_MAX_BYTES = 1_048_576  # larger files are not indexed
_QUESTIONS = (
    "how are requests handled", "parse configuration", "render a template", "close connection",
    "validate input", "default settings", "error message", "save", "Cache", "Session",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cost:
    """What a child process took, and what it printed."""

    cpu_s: float
    wall_s: float
    said: str


def main() -> None:
    """Measure one repository."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--commits", type=int, default=50, help="default: 50")
    parser.add_argument("--worktrees", type=int, default=50, help="default: 50")
    parser.add_argument("--rounds", type=int, default=20, help="of questions; default: 20")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["CODECOMPASS_HOME"] = str(Path(scratch) / "home")
        measure(arguments.repository.resolve(), Path(scratch), arguments)


def measure(source: Path, scratch: Path, arguments: argparse.Namespace) -> None:
    """Clone the repository, so that its branches may be moved, and print the numbers."""
    root = scratch / source.name
    _git(scratch, "clone", "--quiet", "--shared", str(source), str(root))
    away = f"HEAD~{arguments.commits}"
    base = _command("index", "--workspace", str(root))
    size = _size()
    print(f"{source.name}: base indexed in {base.cpu_s:.1f} CPU-s, {size / 2**20:.1f} MiB")
    ref = _command("index", "--workspace", str(root), "--ref", away)
    extracted = json.loads(ref.said)["counts"]["extracted"]
    share = ref.cpu_s / base.cpu_s
    print(
        f"{away}: {ref.cpu_s:.2f} CPU-s = {share:.1%} of the base, {extracted} files extracted"
        f" with {_changed_share(root, away):.1%} of the bytes, disk +{(_size() - size) / size:.2%}"
    )
    _worktrees(root, scratch, arguments.worktrees)
    _switches(root, away)
    _latency(root, away, arguments.rounds)


def _changed_share(root: Path, away: str) -> float:
    """Which share of all text the files hold that are not the same there."""
    theirs = _sizes(root, away)
    ours = _sizes(root, "HEAD")
    changed = sum(size for blob, size in theirs.items() if blob not in ours)
    return changed / sum(theirs.values())


def _sizes(root: Path, ref: str) -> dict[str, int]:
    rows = (line.split() for line in _git(root, "ls-tree", "-r", "-l", ref).splitlines())
    sizes = {row[2]: int(row[3]) for row in rows if row[3].isdigit()}
    return {blob: size for blob, size in sizes.items() if size <= _MAX_BYTES}


def _worktrees(root: Path, scratch: Path, count: int) -> None:
    before = _size()
    for number in range(count):
        place = scratch / f"tree{number}"
        _git(root, "worktree", "add", "--quiet", "--detach", str(place))
        asked = _command("symbol", "main", "--workspace", str(place))
        if number == 0:
            growth = (_size() - before) / before
            print(
                f"second worktree: disk +{growth:.2%}, first answer {asked.wall_s:.2f} s"
                f" ({asked.cpu_s:.2f} CPU-s) from the start of the process"
            )
    again = _command("symbol", "main", "--workspace", str(root))
    print(f"the same question in the first worktree, as a new process: {again.wall_s:.2f} s")
    print(f"{count} more worktrees: {_size() / before:.3f} x the disk of one")


def _switches(root: Path, away: str) -> None:
    head = _git(root, "rev-parse", "HEAD").strip()
    extracted, costs = 0, []
    for target in (away, head) * 3:
        _git(root, "checkout", "--quiet", "--detach", target)
        done = _command("index", "--workspace", str(root))
        extracted += json.loads(done.said)["counts"]["extracted"]
        costs.append(done.cpu_s)
    print(f"6 switches: {extracted} files extracted, {statistics.median(costs):.2f} CPU-s each")


def _latency(root: Path, away: str, rounds: int) -> None:
    flags = {"freshness.recheck_after_s": 3_600.0}
    with Engine.open(root, flags) as engine:
        times: dict[str, list[float]] = {"live": [], "HEAD": [], away: []}
        for name in times:
            engine.search("warm up", ref=name)
        for number in range(rounds):
            for name, taken in times.items():
                for question in _QUESTIONS:
                    started = time.perf_counter()
                    engine.search(f"{question} {number}", ref=name)
                    taken.append((time.perf_counter() - started) * 1000)
    live = statistics.median(times["live"])
    for name, taken in times.items():
        ordered = sorted(taken)
        p50, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
        print(f"search on {name}: p50 {p50:.1f} ms ({p50 / live:.2f} x live), p95 {p95:.1f} ms")


def _command(*arguments: str) -> Cost:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    script = _RUN.format(arguments=[*arguments, "--json", "--quiet"])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    wall_s = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return Cost(cpu_s, wall_s, done.stdout)


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def _size() -> int:
    home = Path(os.environ["CODECOMPASS_HOME"])
    return sum(file.stat().st_size for file in home.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
