"""Small projects as texts, and questions about them with answers short enough to read."""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

from codecompass.engine.engine import Engine
from codecompass.model.graph_answer import (
    CallsAnswer,
    GroupedPlace,
    ReferencesAnswer,
    RelationResult,
)
from codecompass.model.query import GraphOptions


def write(root: Path, files: Mapping[str, str]) -> Path:
    """A folder with these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")
    return root


def uses(engine: Engine, symbol: str, *roles: str) -> list[str]:
    """`path:line role` of every use."""
    options = GraphOptions(roles=roles, limit=500)
    found = engine.find_references(symbol, options=options)
    assert len(found.results) == found.total
    return [f"{item.path}:{item.line} {item.relation}" for item in found.results]


def callers(engine: Engine, symbol: str, depth: int = 1) -> list[str]:
    """`name@line` of every caller."""
    return _calls(engine, symbol, "callers", depth)


def callees(engine: Engine, symbol: str, depth: int = 1) -> list[str]:
    """`name@line` of everything called."""
    return _calls(engine, symbol, "callees", depth)


def _calls(engine: Engine, symbol: str, direction: str, depth: int) -> list[str]:
    options = GraphOptions(direction=direction, depth=depth, limit=500)
    return [_short(item) for item in engine.call_graph(symbol, options=options).results]


def _short(item: RelationResult) -> str:
    lines = ",".join(map(str, item.lines or (item.line,)))
    again = " again" if item.cycle else ""
    return f"{item.name}@{lines}{again}"


def family(engine: Engine, symbol: str, relation: str) -> list[str]:
    """The names of the relatives of one sort, in order."""
    found = engine.hierarchy(symbol, options=GraphOptions(limit=500)).results
    return [item.name for item in found if item.relation == relation]


def related(engine: Engine, symbol: str, relation: str) -> list[str]:
    """The names of what is related in one way, in order."""
    found = engine.related(symbol, options=GraphOptions(limit=500)).results
    return [item.name for item in found if item.relation == relation]


def places(answer: ReferencesAnswer | CallsAnswer, group: str) -> tuple[GroupedPlace, ...]:
    """The places of one group of an answer."""
    found = [item for item in answer.groups or () if item.group == group]
    return found[0].places if found else ()


def unaccounted(root: Path, answer: ReferencesAnswer) -> list[tuple[str, int]]:
    """Lines in which the name stands as a word and that no group of an answer lists."""
    name = answer.definitions[0].name
    listed = {
        (path, line)
        for group in answer.groups or ()
        for path, lines in (group.lines or {}).items()
        for line in lines
    }
    return [
        (path.relative_to(root).as_posix(), number)
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.parts
        for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1)
        if re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", line)
        and (path.relative_to(root).as_posix(), number) not in listed
    ]
