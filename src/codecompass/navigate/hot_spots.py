"""A snapshot in, the names that are most likely to be asked for out."""

from codecompass.model.symbol import SymbolKind
from codecompass.navigate.uses import Graph
from codecompass.text.paths import is_test_path

_POOL = 400
_ASKED_FOR = frozenset(
    {
        SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.INTERFACE,
        SymbolKind.TRAIT, SymbolKind.PROTOCOL, SymbolKind.STRUCT, SymbolKind.ENUM,
        SymbolKind.TYPE, SymbolKind.COMPONENT,
    }
)  # fmt: skip


def hot_spots(graph: Graph, limit: int) -> list[str]:
    """Names of the definitions that the most files use, tests' own left out."""
    nodes = graph.most_used(_POOL)
    symbols = graph.symbols_at(nodes)
    names: dict[str, None] = {}
    for node in nodes:
        item = symbols.get(node)
        if item is None or item.symbol.kind not in _ASKED_FOR:
            continue
        if item.symbol.is_exported is False or is_test_path(item.path):
            continue
        names.setdefault(item.symbol.name)
    return list(names)[:limit]
