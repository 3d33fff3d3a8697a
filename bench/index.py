"""Measure indexing on real repositories beside its floors, in one run.

    python bench/index.py REPOSITORY...

Prints a table per repository: CPU-seconds of a full index (own process and workers) and
of its stages, peak memory, size on disk, a second run with nothing changed, one changed
file until it is visible, and the floors for the same files: reading the bytes, tree-sitter parsing
alone in as many worker processes, universal-ctags. Times are CPU-seconds of the process
and all its children; wall times are for information. Machines are noisy: read ratios.
"""

import argparse
import gc
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from codecompass import Engine
from codecompass.config.settings import IndexSettings
from codecompass.indexing.views import build_views
from codecompass.model.snapshot import VersionId, VersionKey
from codecompass.model.source import SkipReason
from codecompass.parse.detect import detect_language
from codecompass.parse.extract import extract
from codecompass.parse.language import Language
from codecompass.parse.parser import Grammar, _load
from codecompass.source.read import read_source
from codecompass.source.walk import list_workspace
from codecompass.store.grams import gram_bits
from codecompass.store.versions import TextViews, encode_version

_BATCH = 24
_INDEX = "import sys; from codecompass.cli.main import main; sys.exit(main({arguments!r}))"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a child process and its children took."""

    cpu_s: float
    wall_s: float
    peak_mib: float


def main() -> None:
    """Measure every repository named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3, help="default: 3; the median is shown")
    arguments = parser.parse_args()
    for repository in arguments.repositories:
        with tempfile.TemporaryDirectory() as scratch:
            measure(repository.resolve(), Path(scratch), arguments.rounds)


def measure(source: Path, scratch: Path, rounds: int) -> None:
    """Copy a repository, so that files may be changed, and print its table."""
    root = scratch / source.name
    subprocess.run(
        ["git", "clone", "--quiet", "--no-hardlinks", str(source), str(root)], check=True
    )
    home = scratch / "home"
    files = [root / file.path for file in list_workspace(root, home).files]
    texts = [(path, detect_language(path.name, path.read_bytes())) for path in files]
    parsed = [(path, language) for path, language in texts if language.grammar]
    lines = sum(path.read_bytes().count(b"\n") for path, _ in parsed)
    print(f"\n{source.name}: {len(files):,} files, {lines:,} lines in files with a grammar")
    # Side by side in each round: the machine's speed drifts within minutes.
    pairs = [
        (_in_child(lambda: _parse_in_workers(parsed)), _full_index(root, home))
        for _ in range(rounds)
    ]
    ratios = sorted(index.cpu_s / parse.cpu_s for parse, index in pairs)
    floor, full = sorted(pairs, key=lambda pair: pair[1].cpu_s / pair[0].cpu_s)[rounds // 2]
    size_mib = _size_mib(home)
    _codecompass(root, home, "sync")  # lets the times of the fresh clone be trusted
    again = _median(rounds, lambda: _codecompass(root, home, "sync"))
    _row("floor: read the bytes", _median(rounds, lambda: _in_child(lambda: _read(files))), floor)
    _row("floor: universal-ctags", _ctags(root, [path for path, _ in parsed], rounds), floor)
    _row("floor: tree-sitter parse alone", floor, floor)
    _row("codecompass index (full)", full, floor)
    spread = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"  {'  … × parse in each round':<34} {spread:>10}")
    print(f"  {'lines per CPU-second':<34} {lines / full.cpu_s:>10,.0f}")
    print(f"  {'size of the store':<34} {size_mib:>10.1f} MiB")
    for stage, cpu_s in _stages(root, files).items():
        print(f"  {'  stage: ' + stage:<34} {cpu_s:>10.2f} CPU-s (one process, one round)")
    _row("sync, nothing changed", again, floor)
    per_10k = again.cpu_s / len(files) * 10_000
    print(f"  {'  … for each 10,000 files':<34} {per_10k:>10.2f} CPU-s")
    _row("one changed file, new process", _one_file(root, home, rounds), floor)
    _row("one changed file, open engine", _one_file_in_process(root, home, rounds), floor)


def _stages(root: Path, files: Sequence[Path]) -> dict[str, float]:
    """CPU-seconds of each step of a worker over the same files, one after the other."""
    stages = ("read and hash", "tree-sitter parse", "queries to facts", "words and bits", "rows")
    spent = dict.fromkeys(stages, 0.0)
    settings = IndexSettings()
    limits = {"max_bytes": settings.max_file_bytes, "max_line_bytes": settings.max_line_bytes}
    gc.disable()
    for path in files:
        started = time.process_time()
        source = read_source(root, path.relative_to(root).as_posix(), **limits)
        spent["read and hash"] += time.process_time() - started
        if isinstance(source, SkipReason):
            continue
        language = detect_language(path.name, source.text)
        parse_s = 0.0
        if language.grammar:
            grammar = Grammar(*language.grammar, language.queries, ("symbols", "references"))
            parser = _load(grammar).parser
            started = time.process_time()
            parser.parse(source.text)
            parse_s = time.process_time() - started
        started = time.process_time()
        facts = extract(language, source.text)
        spent["queries to facts"] += time.process_time() - started - parse_s
        spent["tree-sitter parse"] += parse_s
        started = time.process_time()
        views = TextViews(gram_bits(source.text), build_views(source.text, facts, None).documents)
        spent["words and bits"] += time.process_time() - started
        started = time.process_time()
        key = VersionKey(source.blob_id, language.name, "")
        encode_version(VersionId(1), key, facts, size_bytes=0, views=views)
        spent["rows"] += time.process_time() - started
    gc.enable()
    return spent


def _full_index(root: Path, home: Path) -> Cost:
    shutil.rmtree(home, ignore_errors=True)
    return _codecompass(root, home, "index")


def _one_file(root: Path, home: Path, rounds: int) -> Cost:
    """Change one file and ask for what is new in it, by a new process as a script would."""
    target = next(
        path for path in sorted(root.rglob("*.*")) if path.suffix in {".py", ".go", ".ts"}
    )
    costs = []
    for number in range(rounds):
        name = f"brand_new_{number}"
        text = {".py": f"\ndef {name}(): ...\n", ".go": f"\nfunc {name}() {{}}\n"}
        with target.open("a") as file:
            file.write(text.get(target.suffix, f"\nfunction {name}() {{}}\n"))
        costs.append(_codecompass(root, home, "symbol", name, "--quiet"))
    return sorted(costs, key=lambda cost: cost.cpu_s)[len(costs) // 2]


def _one_file_in_process(root: Path, home: Path, rounds: int) -> Cost:
    """The same inside a process that is there already, as a server would do it."""
    os.environ["CODECOMPASS_HOME"] = str(home)
    target = next(
        path for path in sorted(root.rglob("*.*")) if path.suffix in {".py", ".go", ".ts"}
    )
    costs = []
    with Engine.open(root) as engine:
        engine.sync()
        for number in range(rounds):
            with target.open("a") as file:
                file.write(f"\n# change {number}\n")
            before, started = _own_cpu(), time.monotonic()
            engine.locate("anything")
            costs.append(Cost(_own_cpu() - before, time.monotonic() - started, 0.0))
    return sorted(costs, key=lambda cost: cost.cpu_s)[len(costs) // 2]


def _first_source(root: Path) -> Path:
    sources = (path for path in sorted(root.rglob("*.*")) if path.suffix in {".py", ".go", ".ts"})
    return next(sources)


def _own_cpu() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _codecompass(root: Path, home: Path, *arguments: str) -> Cost:
    code = _INDEX.format(arguments=[*arguments, "--workspace", str(root)])
    environment = os.environ | {"CODECOMPASS_HOME": str(home)}
    return _measured([sys.executable, "-c", code], environment)


def _measured(command: Sequence[str], environment: dict[str, str]) -> Cost:
    """Run a command; its memory is that of all its processes together, sampled."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdout=silent, stderr=silent)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _tree_mib(process.pid))
        time.sleep(0.02)
    if process.returncode != 0:
        sys.exit(f"{command} failed with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, time.monotonic() - started, max(peak, 0.0))


def _tree_mib(pid: int) -> float:
    """Resident memory of a process and its children (Linux)."""
    total = 0.0
    pending = [pid]
    while pending:
        current = pending.pop()
        try:
            children = Path(f"/proc/{current}/task/{current}/children").read_text().split()
            pages = int(Path(f"/proc/{current}/statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
        total += pages * resource.getpagesize() / 1024 / 1024
        pending += [int(child) for child in children]
    return total


def _in_child(work: Callable[[], None]) -> Cost:
    """Run a function in a forked child and measure it like a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    child = get_context("fork").Process(target=work)
    child.start()
    child.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, time.monotonic() - started, 0.0)


def _read(files: Sequence[Path]) -> None:
    for path in files:
        path.read_bytes()


def _parse_in_workers(files: Sequence[tuple[Path, Language]]) -> None:
    """Parse and nothing else, in as many processes as the indexer uses."""
    batches = [files[i : i + _BATCH] for i in range(0, len(files), _BATCH)]
    with ProcessPoolExecutor(min(os.cpu_count() or 1, 8), mp_context=get_context("fork")) as pool:
        list(pool.map(_parse_batch, batches))


def _parse_batch(batch: Sequence[tuple[Path, Language]]) -> None:
    for path, language in batch:
        module, function = language.grammar or ("", "")
        grammar = Grammar(module, function, language.queries, ("symbols",))
        _load(grammar).parser.parse(path.read_bytes())


def _ctags(root: Path, files: Sequence[Path], rounds: int) -> Cost | None:
    if shutil.which("ctags") is None:
        return None
    listing = root.parent / "files.txt"
    listing.write_text("\n".join(map(str, files)))
    command = ["ctags", "-f", "/dev/null", "--fields=+ne", "-L", str(listing)]
    return _median(rounds, lambda: _measured(command, dict(os.environ)))


def _median(rounds: int, run: Callable[[], Cost]) -> Cost:
    return sorted((run() for _ in range(rounds)), key=lambda cost: cost.cpu_s)[rounds // 2]


def _size_mib(home: Path) -> float:
    return sum(path.stat().st_size for path in home.rglob("*") if path.is_file()) / 1024 / 1024


def _row(label: str, cost: Cost | None, floor: Cost) -> None:
    if cost is None:
        print(f"  {label:<34} {'not installed':>10}")
        return
    memory = f"{cost.peak_mib:7.0f} MiB" if cost.peak_mib else ""
    ratio = f"{cost.cpu_s / floor.cpu_s:6.2f} × parse"
    print(f"  {label:<34} {cost.cpu_s:>10.2f} CPU-s {cost.wall_s:7.2f} s {ratio} {memory}")


if __name__ == "__main__":
    main()
