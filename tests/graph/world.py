"""Small projects as texts, and questions about them with answers short enough to read."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

from codecompass.engine.engine import Engine
from codecompass.model.graph_answer import RelationResult
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
