"""A snapshot in, the names that are most likely to be asked for out."""

from codecompass.model.symbol import SymbolKind
from codecompass.navigate.uses import Graph

_POOL = 400
_ASKED_FOR = frozenset(
    {
        SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.INTERFACE,
        SymbolKind.TRAIT, SymbolKind.PROTOCOL, SymbolKind.STRUCT, SymbolKind.ENUM,
        SymbolKind.TYPE, SymbolKind.COMPONENT,
    }
)  # fmt: skip
_TESTS = frozenset({"test", "tests", "testing", "__tests__", "spec", "fixtures", "mocks"})


def hot_spots(graph: Graph, limit: int) -> list[str]:
    """Names of the definitions that the most files use, tests' own left out."""
    nodes = graph.most_used(_POOL)
    symbols = graph.symbols_at(nodes)
    names: dict[str, None] = {}
    for node in nodes:
        item = symbols.get(node)
        if item is None or item.symbol.kind not in _ASKED_FOR:
            continue
        if item.symbol.is_exported is False or not _TESTS.isdisjoint(item.path.split("/")):
            continue
        names.setdefault(item.symbol.name)
    return list(names)[:limit]
