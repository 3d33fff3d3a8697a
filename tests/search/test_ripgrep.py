"""Exact search beside ripgrep on real repositories: the same lines, every one.

`CODECOMPASS_CORPORA` names the repositories; without ripgrep or repositories nothing
is compared and the test says so.
"""

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.errors import BadInput
from codecompass.model.search import SearchOptions

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
CORPORA = [Path(p) for p in os.environ.get("CODECOMPASS_CORPORA", "").split(os.pathsep) if p]
PATTERNS = 200
IDENTIFIER = re.compile(r"[A-Za-z_]\w{3,}")


def pieces_of(root: Path, paths: list[str], chance: random.Random) -> list[str]:
    """Lines of the repository to make patterns from, so that they match something."""
    lines: list[str] = []
    for path in chance.sample(paths, min(len(paths), 60)):
        text = (root / path).read_bytes().decode("utf-8", "replace")
        lines += [line.strip() for line in text.split("\n") if 8 < len(line.strip()) < 120]
    return [line for line in lines if "\ufffd" not in line]


def escape(text: str) -> str:
    """As a literal; ripgrep refuses a backslash before a character that needs none."""
    return re.sub(r"([\\.+*?()|\[\]{}^$#&~-])", r"\\\1", text)


def make_pattern(line: str, chance: random.Random, nastiness: int) -> str:
    """An expression from a line; the higher, the nastier."""
    start = chance.randrange(max(1, len(line) - 6))
    literal = escape(line[start : start + chance.randrange(3, 14)])
    words = IDENTIFIER.findall(line) or ["return"]
    word = chance.choice(words)
    return [
        lambda: literal,
        lambda: rf"\b{word}\b",
        lambda: rf"{word[:3]}\w*",
        lambda: rf"(?i){word.upper()}",
        lambda: rf"{word}|{escape(chance.choice(words))}\s*\(",
        lambda: rf"^\s*{word[:2]}[a-z_]+",
        lambda: rf"{word}\s+\S+$",
        lambda: rf"(?:{word[:4]}){{1,2}}[^x\n]?",
        lambda: rf"[{word[0]}-z]{word[1:]}",
        lambda: rf"\w{{{chance.randrange(18, 30)}}}",
        lambda: rf"(?P<a>{word}).*?{word[-1]}",
        lambda: rf"({word[:3]}|{word[-3:]})+[.,;]",
        lambda: rf"\p{{Lu}}{word[1:]}",
        lambda: rf"[[:upper:]]{{2}}_{word[:1]}|\x28{word}",
        lambda: rf"\d+\.\d+|{word}$",
        lambda: rf"(?i:{word[:4]})\W",
        lambda: r"[^\x00-\x7F]",
        lambda: rf"\S*{word[1:4]}\S*\s\S*",
        lambda: rf"\B{word[1:]}",
        lambda: rf"{word}[\s[:punct:]&&[^_]]",
    ][nastiness]()


def ripgrep(root: Path, pattern: str) -> set[tuple[str, int]]:
    done = subprocess.run(
        ["rg", "--no-config", "--no-heading", "--line-number", "--no-ignore", "--hidden",
         "--with-filename", "--null", "--color=never", "-e", pattern, "."],
        cwd=root, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in {0, 1}, done.stderr
    found = set()
    for row in done.stdout.split(b"\n"):
        path, mark, rest = row.partition(b"\0")
        if mark:
            number = rest.partition(b":")[0]
            found.add((path.decode("utf-8", "replace").removeprefix("./"), int(number)))
    return found


def paths_of(engine: Engine) -> list[str]:
    """Every file that is indexed; each has a line, or is empty."""
    with engine._reader() as reader:
        return list(reader.catalog.paths)


def is_utf8(path: Path) -> bool:
    """Whether both tools read the same characters; we take other bytes as Latin-1."""
    try:
        path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def ours(engine: Engine, pattern: str) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    inside = pattern.replace("/", r"\/")
    cursor = ""
    while True:
        options = SearchOptions(exhaustive=True, top_k=100, cursor=cursor)
        page = engine.search(f"/{inside}/", options=options)
        for result in page.results:
            found |= {(result.path, line) for line in result.match_lines or ()}
        cursor = page.cursor or ""
        if not cursor:
            return found


@pytest.mark.parametrize("root", CORPORA, ids=lambda root: root.name)
def test_the_same_lines_as_ripgrep(root: Path) -> None:
    if shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    chance = random.Random(11)  # noqa: S311  # the same patterns every time
    compared = lines = 0
    flags = {"search.time_limit_s": 60.0, "freshness.recheck_after_s": 3600.0}
    with Engine.open(root, flags=flags) as engine:
        engine.index()
        indexed = set(paths_of(engine))
        pieces = pieces_of(root, sorted(indexed), chance)
        for number in range(PATTERNS):
            pattern = make_pattern(chance.choice(pieces), chance, number * 20 // PATTERNS)
            theirs = {place for place in ripgrep(root, pattern) if place[0] in indexed}
            try:
                found = ours(engine, pattern)
            except BadInput as error:
                pytest.fail(f"{pattern}: {error}")
            assert not theirs - found, f"{pattern} missed {sorted(theirs - found)[:5]}"
            more = {place for place in found - theirs if is_utf8(root / place[0])}
            assert not more, f"{pattern} made up {sorted(more)[:5]}"
            compared += 1
            lines += len(theirs)
    print(f"{root.name}: {compared} patterns, {lines} lines, all the same")
    assert compared == PATTERNS
