"""Check what "complete" says: every place where a name stands must be accounted for.

For random symbols, `git grep` lists each line where the name stands as a word, in every
tracked or untracked text; what the answer does not account for must be nothing wherever
it says that it is complete.

    python bench/complete.py FOLDER [FOLDER …] [--symbols 200] [--seed 1] [--why]
"""

import argparse
import random
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from codecompass.engine.engine import Engine
from codecompass.errors import CodeCompassError
from codecompass.link.families import FAMILY_OF
from codecompass.model.answer import OutlineAnswer
from codecompass.model.graph_answer import ReferencesAnswer
from codecompass.model.query import GraphOptions

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
Place = tuple[str, int]


@dataclass
class Found:
    """What was found in one repository."""

    asked: int = 0
    complete: int = 0
    wrong: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    cpu_s: float = 0.0


def main() -> None:
    """Print a line for each repository; exit with 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--symbols", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--why", action="store_true", help="why answers are not complete")
    given = parser.parse_args()
    is_wrong = False
    for folder in given.folders:
        found = check(folder, given.symbols, given.seed)
        share = found.complete / max(1, found.asked)
        print(
            f"{folder.name:20} {found.asked:5} symbols, {found.complete:5} complete"
            f" ({share:.0%}), {len(found.wrong)} wrong, {found.cpu_s / max(1, found.asked):.3f}"
            " CPU-s each",
            flush=True,
        )
        for line in found.wrong[:10]:
            print(f"  wrong: {line}")
        for reason, count in found.reasons.most_common(12) if given.why else ():
            print(f"  {count:5} {reason}")
        is_wrong = is_wrong or bool(found.wrong)
    raise SystemExit(1 if is_wrong else 0)


def check(folder: Path, symbols: int, seed: int) -> Found:
    """Ask for random symbols of a repository, and compare with what `git grep` finds."""
    found = Found()
    with Engine.open(folder) as engine:
        engine.index()
        engine.locate("warm-up")
        for handle, name in chosen(engine, symbols, seed):
            started = time.process_time()
            answer = engine.find_references(handle, options=GraphOptions(limit=1))
            found.cpu_s += time.process_time() - started
            found.asked += 1
            if not answer.certainty.complete:
                found.reasons.update(_kind(reason) for reason in answer.certainty.reasons)
                continue
            found.complete += 1
            missing = sorted(lines_with(folder, name) - accounted(answer))
            if missing:
                path, line = missing[0]
                found.wrong.append(f"{name} [{handle}]: {len(missing)} lines, as {path}:{line}")
    return found


def chosen(engine: Engine, symbols: int, seed: int) -> list[tuple[str, str]]:
    """Handles and names of random definitions of code, the same for the same seed."""
    dice = random.Random(seed)  # noqa: S311  # a choice that can be repeated
    every = sorted(set(definitions(engine)))
    return dice.sample(every, min(symbols, len(every)))


def definitions(engine: Engine) -> Iterator[tuple[str, str]]:
    """Every definition of a file whose uses are resolved, with a name that is a word."""
    folder = engine.workspace.root
    listing = ["git", "-C", str(folder), "ls-files", "-coz", "--exclude-standard"]
    raw = subprocess.run(listing, capture_output=True, check=True).stdout
    for path in sorted({name.decode("utf-8", "replace") for name in raw.split(b"\0") if name}):
        try:
            answer = engine.outline(path)
        except CodeCompassError:  # not indexed
            continue
        if isinstance(answer, OutlineAnswer) and answer.language in FAMILY_OF:
            for item in answer.results:
                if _WORD.fullmatch(item.name):
                    yield item.handle, item.name


def accounted(answer: ReferencesAnswer) -> set[Place]:
    """All lines that an answer accounts for."""
    return {
        (path, line)
        for group in answer.groups or ()
        for path, lines in (group.lines or {}).items()
        for line in lines
    }


def lines_with(folder: Path, name: str) -> set[Place]:
    """Every line of a text in which the name stands as a word, by `git grep`."""
    command = ["git", "-C", str(folder), "grep", "-nwIFz", "--untracked", "--no-color", "-e", name]
    done = subprocess.run(command, capture_output=True, check=False)
    found = set()
    for line in done.stdout.split(b"\n"):
        path, _, rest = line.partition(b"\0")
        number, _, _ = rest.partition(b"\0")
        if number:
            found.add((path.decode("utf-8", "replace"), int(number)))
    return found


def _kind(reason: str) -> str:
    """A reason without its numbers and names."""
    return re.sub(r"[\d,]+", "N", reason).split(":")[0].split(", such as")[0][:70]


if __name__ == "__main__":
    main()
