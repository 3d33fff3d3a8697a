"""Compiler truth for Python: the definitions on which ty, pyrefly and zuban agree.

usage: python python_truth.py ROOT OUT.jsonl [--subdirs a,b]

Needs the packages ty, pyrefly, zuban, tree-sitter (<0.26) and tree-sitter-python in the
environment of the interpreter that runs it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from lsp_client import LanguageServer, Location, ServerError
from python_uses import PythonFile, Use

SERVERS = {"ty": ["server"], "pyrefly": ["lsp"], "zuban": ["server"]}
CONSTRUCTORS = {"__init__", "__new__", "__call__"}
VOTES_NEEDED = 2
MAX_ATTEMPTS = 4

Target = tuple[str, int, int]


class NoTarget(Enum):
    """Why a location is no target.

    It is outside the repository (or an import statement, where a server stops that cannot
    resolve it), or the constructor or `__call__` of a class of another name.
    """

    OUTSIDE = "outside"
    OTHER_CONSTRUCTOR = "other constructor"


@dataclass(frozen=True)
class Answer:
    """What one server said of one use, in terms of the repository's declarations."""

    targets: frozenset[Target]
    outside: bool


@dataclass
class Repository:
    """The files of a checkout, parsed when first needed, and what is known of the targets.

    Servers vote for the first of several overloads or accessors; all of them are then targets.
    """

    root: Path
    kinds: dict[Target, tuple[str, bool]] = field(default_factory=dict)
    variants: dict[Target, list[Target]] = field(default_factory=dict)
    _files: dict[str, PythonFile | None] = field(default_factory=dict)

    def paths(self, subdirs: list[str]) -> list[str]:
        command = ["git", "-C", str(self.root), "ls-files", "-z", "--", *subdirs]
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return sorted(
            p for p in listed.split("\0") if p.endswith(".py") and (self.root / p).is_file()
        )

    def file(self, path: str) -> PythonFile | None:
        if path not in self._files:
            self._files[path] = self._parse(self.root / path)
        return self._files[path]

    @staticmethod
    def _parse(path: Path) -> PythonFile | None:
        if path.suffix not in {".py", ".pyi"} or not path.is_file():
            return None
        source = path.read_bytes()
        try:
            source.decode()
        except UnicodeDecodeError:
            return None
        return PythonFile(source)

    def relative(self, path: str | None) -> str | None:
        if path is None or not Path(path).is_relative_to(self.root):
            return None
        inside = Path(path).relative_to(self.root).as_posix()
        return None if "site-packages" in inside else inside

    def answer(self, path: str, use: Use, locations: list[Location]) -> Answer:
        """Turn locations into targets.

        An answer that points at the use itself (`x += 1`) says nothing and is dropped.
        """
        found = {self._meaning(location, use.name) for location in locations}
        targets = {each for each in found if isinstance(each, tuple)} - {
            (path, use.row + 1, use.column)
        }
        return Answer(frozenset(targets), outside=not targets and NoTarget.OUTSIDE in found)

    def _meaning(self, location: Location, name: str) -> Target | NoTarget:
        path = self.relative(location.path)
        file = None if path is None else self.file(path)
        if path is None or file is None:
            return NoTarget.OUTSIDE
        column = file.byte_column(location.row, location.column)
        found = file.declaration_at(location.row, column, name)
        if (location.row, column) == (0, 0) and (found is None or found.name != name):
            return self._remember((path, 1, 0), "module", False)
        if (found is None and location.row in file.import_rows) or (
            found and found.kind == "import"
        ):
            return NoTarget.OUTSIDE
        if found is None:
            return self._remember((path, location.row + 1, column), "?", False)
        if found.kind == "method" and found.name in CONSTRUCTORS and found.name != name:
            around = file.class_around(found.row)
            if around is None or around.name != name:
                return NoTarget.OTHER_CONSTRUCTOR
            found = around
        group = file.with_variants(found)
        targets = [self._remember((path, d.row + 1, d.column), d.kind, d.local) for d in group]
        if len(targets) > 1:
            self.variants[targets[0]] = targets
        return targets[0]

    def _remember(self, target: Target, kind: str, local: bool) -> Target:
        self.kinds[target] = (kind, local)
        return target


class Checkers:
    """The three language servers on one repository; a server that dies is started again."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.restarts: Counter[str] = Counter()
        self.servers = {name: self._start(name) for name in SERVERS}
        self.pool = ThreadPoolExecutor(len(SERVERS))

    def _start(self, name: str) -> LanguageServer:
        binary = Path(sys.executable).parent / name
        return LanguageServer(name, [str(binary), *SERVERS[name]], self.root)

    def ask(self, path: Path, file: PythonFile) -> Iterator[tuple[list[Location], ...]]:
        """For each use of the file, the locations each server gave."""
        answers = self.pool.map(lambda name: self._ask_one(name, path, file), SERVERS)
        return zip(*answers, strict=True)

    def _ask_one(self, name: str, path: Path, file: PythonFile) -> list[list[Location]]:
        positions = [(use.row, file.utf16_column(use.row, use.column)) for use in file.uses]
        text = file.source.decode()
        answers: list[list[Location]] = []
        for _attempt in range(MAX_ATTEMPTS):
            try:
                answers.extend(
                    self.servers[name].definitions(path, text, positions[len(answers) :])
                )
                break
            except ServerError as error:
                print(f"{path}: {error}; starting again after this use", file=sys.stderr)
                self.restarts[name] += 1
                self.servers[name].close()
                self.servers[name] = self._start(name)
                answers.append([])
        answers.extend([] for _ in positions)
        return answers[: len(positions)]

    def close(self) -> None:
        self.pool.shutdown()
        for server in self.servers.values():
            server.close()


def verdict(answers: list[Answer], repository: Repository) -> dict[str, Any]:
    """The consensus of the servers on one use."""
    votes = Counter(target for answer in answers for target in answer.targets)
    elected = [target for target, count in votes.items() if count >= VOTES_NEEDED]
    agreed = sorted(
        {each for target in elected for each in repository.variants.get(target, [target])}
    )
    others = sorted(target for target, count in votes.items() if count < VOTES_NEEDED)
    result: dict[str, Any] = {}
    if agreed:
        result["t"] = agreed
        result["dk"] = [repository.kinds[target][0] for target in agreed]
        if any(repository.kinds[target][1] for target in agreed):
            result["loc"] = 1
    elif others:
        result["amb"] = 1
    elif sum(answer.outside for answer in answers) >= VOTES_NEEDED:
        result["ext"] = 1
    else:
        result["un"] = 1
    if others:
        result["alt"] = others
    return result


def record(path: str, use: Use, outcome: dict[str, Any]) -> dict[str, Any]:
    base: dict[str, Any] = {
        "f": path,
        "l": use.row + 1,
        "c": use.column,
        "n": use.name,
        "k": use.role,
    }
    if use.member:
        base["m"] = 1
    return base | outcome


def write_truth(root: Path, out: Path, subdirs: list[str]) -> Counter[str]:
    repository = Repository(root)
    checkers = Checkers(root)
    counts: Counter[str] = Counter()
    with out.open("w", encoding="utf-8") as stream:
        for path in repository.paths(subdirs):
            file = repository.file(path)
            if file is None:
                counts["unreadable_files"] += 1
                continue
            counts["files"] += 1
            for use, locations in zip(file.uses, checkers.ask(root / path, file), strict=True):
                outcome = verdict(
                    [repository.answer(path, use, given) for given in locations], repository
                )
                counts["uses"] += 1
                counts[next(key for key in ("t", "amb", "ext", "un") if key in outcome)] += 1
                stream.write(json.dumps(record(path, use, outcome), ensure_ascii=False) + "\n")
    checkers.close()
    counts.update({f"restarts_{name}": count for name, count in checkers.restarts.items()})
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Python definitions on which three type checkers agree"
    )
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--subdirs", default="", help="comma-separated folders; all of the repository if empty"
    )
    options = parser.parse_args()
    sys.setrecursionlimit(20_000)
    started = time.monotonic()
    counts = write_truth(
        options.root.resolve(), options.out, [d for d in options.subdirs.split(",") if d]
    )
    print(json.dumps({**counts, "seconds": round(time.monotonic() - started, 1)}))


if __name__ == "__main__":
    main()
