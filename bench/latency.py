"""Measure how long questions take, in process and by the command, with ripgrep beside them.

    python bench/latency.py REPOSITORY [--questions 40] [--rounds 3]

The questions come from the repository itself, the same ones on every run: names and
first sentences of docs of its definitions, paths, stretches of its lines, expressions
made from them. In process the index is open and warm; the look for changed files is
switched off and measured apart. ripgrep runs once for each literal and expression over
the same folder, from a cold start as always. Wall times; the fastest round of each
question counts, since others measure the neighbours.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codecompass import Engine
from codecompass.model.search import SearchMode, SearchOptions, Stage

_SEED = 7
_COMMAND_QUESTIONS = 5
_NAME_CHARS = 24
_HYBRID = 3  # kinds of hybrid questions: words, names, paths


@dataclass(frozen=True, slots=True)
class Kind:
    """Questions of one kind and how they are asked."""

    name: str
    questions: Sequence[str]
    options: SearchOptions
    ripgrep: tuple[str, ...] = ()  # its arguments for the same question; empty: no such thing


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--questions", type=int, default=40, help="of each kind")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    root = given.repository.resolve()
    with Engine.open(root, flags={"freshness.recheck_after_s": 86_400.0}) as engine:
        engine.index()
        counts = engine.status().counts
        lines = counts.lines if counts else 0
        print(f"{root.name}: {lines:,} lines, {counts.files if counts else 0:,} files")
        kinds = make_kinds(engine, root, given.questions)
        engine.search("warm up")
        engine.search('"warm up"')
        print(f"{'kind':{_NAME_CHARS}} {'p50 ms':>8} {'p95 ms':>8} {'rg p50':>8} {'rg p95':>8}")
        hybrid = [took for kind in kinds[:_HYBRID] for took in report(engine, root, kind, given)]
        for kind in kinds[_HYBRID:]:
            report(engine, root, kind, given)
        print(row(f"hybrid, the first {_HYBRID}", hybrid))
    with Engine.open(root) as engine:
        checked = fastest(lambda: engine.search("router"), given.rounds)
        print(f"one question with the look for changed files: {checked * 1000:.0f} ms")
    for kind in kinds:
        times = [_command(root, kind, text) for text in kind.questions[:_COMMAND_QUESTIONS]]
        print(f"as a command, {kind.name}: {part(times, 0.5) * 1000:.0f} ms")


def make_kinds(engine: Engine, root: Path, count: int) -> list[Kind]:
    """Questions of every mode, from what the repository holds."""
    chance = random.Random(_SEED)  # noqa: S311  # the same questions every time
    with engine._views.open("live", lambda *_: None) as view:
        reader = view.reader
        paths = sorted(reader.catalog.paths)
        chosen = chance.sample(paths, min(len(paths), count * 8))
        symbols = []
        for path in chosen:
            entry = reader.file(path)
            if entry and entry.version_id:
                records = [s for s in reader.outline(entry.version_id) if not s.is_statement]
                symbols += chance.sample(records, min(len(records), 2))
    names = list(dict.fromkeys(s.name for s in symbols if len(s.name) > 3))
    docs = [_sentence(s.doc) for s in symbols if len(_sentence(s.doc).split()) > 3]
    literals = _literals(root, chosen, chance)
    expressions = [rf"/\b{re.escape(name)[:30]}\w*\s*[(=:]/" for name in names]
    wide = SearchOptions()
    exact = SearchOptions(mode=SearchMode.EXACT)
    return [
        Kind("hybrid, words", docs[:count], wide),
        Kind("hybrid, names", names[:count], wide),
        Kind("hybrid, paths", chosen[:count], wide),
        Kind("hybrid, refine", docs[:count], replace(wide, stage=Stage.REFINE)),
        Kind("definition", names[:count], replace(wide, mode=SearchMode.DEFINITION)),
        Kind("exact, literal", literals[:count], exact, ("--fixed-strings",)),
        Kind("exact, expression", expressions[:count], exact, ("--regexp",)),
        Kind(
            "exact, literal, all",
            literals[:count],
            replace(exact, exhaustive=True),
            ("--fixed-strings",),
        ),
    ]


def _sentence(doc: str) -> str:
    text = re.sub(r"[^\w\s.,'-]", " ", doc)
    return " ".join(text.split()).partition(". ")[0][:120]


def _literals(root: Path, paths: Sequence[str], chance: random.Random) -> list[str]:
    found = []
    for path in paths:
        text = (root / path).read_bytes().decode("utf-8", "replace")
        lines = [line.strip() for line in text.split("\n") if len(line.strip()) > 20]
        if lines:
            line = chance.choice(lines)
            start = chance.randrange(len(line) - 12)
            found.append(line[start : start + 12].strip())
    return [text for text in found if len(text) > 5 and '"' not in text and "/" not in text]


def report(engine: Engine, root: Path, kind: Kind, given: argparse.Namespace) -> list[float]:
    """One line of the table; the times it is made of."""
    ours = [
        fastest(lambda text=text: engine.search(text, options=kind.options), given.rounds)
        for text in kind.questions
    ]
    line = row(kind.name, ours)
    if kind.ripgrep and shutil.which("rg"):
        theirs = [
            fastest(lambda text=text: _ripgrep(root, kind, text), given.rounds)
            for text in kind.questions
        ]
        line += row("", theirs)[_NAME_CHARS:]
    print(line, flush=True)
    return ours


def row(name: str, times: Sequence[float]) -> str:
    """A name and the two figures that count, in milliseconds."""
    return f"{name:{_NAME_CHARS}} {part(times, 0.5) * 1000:8.1f} {part(times, 0.95) * 1000:8.1f}"


def fastest(call: Callable[[], object], rounds: int) -> float:
    """The shortest of several times, in seconds."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def _ripgrep(root: Path, kind: Kind, text: str) -> None:
    pattern = text.strip("/") if kind.ripgrep == ("--regexp",) else text
    subprocess.run(
        ["rg", "--line-number", *kind.ripgrep, pattern, "."],
        cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def _command(root: Path, kind: Kind, text: str) -> float:
    arguments = ["search", text, "--workspace", str(root), "--mode", str(kind.options.mode)]
    code = "import sys; from codecompass.cli.main import main; sys.exit(main(sys.argv[1:]))"
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, check=False
    )
    return time.perf_counter() - started


def part(values: Sequence[float], share: float) -> float:
    """The value below which this share of all lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


if __name__ == "__main__":
    main()
