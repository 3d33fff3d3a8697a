"""A symbol in, the files in which its name can mean it out: its own, its folder, or any.

Only what the language itself keeps others from seeing counts, not what is usual.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from posixpath import dirname

from codecompass.model.symbol import TYPE_KINDS, PlacedSymbol, SymbolKind
from codecompass.navigate.uses import Graph

_ECMA = frozenset({"javascript", "typescript", "tsx"})
_MODULE = re.compile(r"(?m)^\s*(?:import|export)\b")
_COMMON_JS = re.compile(r"\bmodule\.exports\b|\bexports\.|^export\s*=", re.MULTILINE)
_LOCAL_TO = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
_PRIVATE = frozenset({"java", "csharp", "kotlin", "scala", "swift"})
# A name in lower case is known in its folder only.
_BY_CAPITAL = frozenset({"go"})
_STATIC = frozenset({"c", "cpp"})


@dataclass(frozen=True, slots=True)
class Reach:
    """In which files a name can mean something."""

    files: frozenset[str] | None = None  # these only; None: any
    folder: str | None = None  # files right in this folder only; None: any
    in_code_only: bool = False  # elsewhere, other texts and strings may still name it

    def excludes(self, path: str) -> bool:
        """Whether the name means something else in a file, whatever is written there."""
        if self.files is not None and path in self.files:
            return False
        if self.folder is not None:
            return dirname(path) != self.folder
        return self.files is not None


EVERYWHERE = Reach()


def reach_of(
    graph: Graph, symbols: Iterable[PlacedSymbol], text_of: Callable[[str], str | None]
) -> Reach:
    """Where the name of some symbols can mean one of them."""
    every = list(symbols)
    reaches = {_reach(graph, symbol, text_of) for symbol in every}
    return reaches.pop() if len(reaches) == 1 else EVERYWHERE


def _reach(graph: Graph, symbol: PlacedSymbol, text_of: Callable[[str], str | None]) -> Reach:
    own = frozenset({symbol.path})
    owner = graph.owner_of(symbol)
    is_member = owner is not None and owner.symbol.kind not in _LOCAL_TO
    if owner is not None and not is_member and symbol.symbol.kind not in TYPE_KINDS:
        return Reach(own)  # local to a function
    language = symbol.language
    if language in _BY_CAPITAL and not symbol.symbol.name[:1].isupper():
        return Reach(folder=dirname(symbol.path))
    if language in _ECMA and not is_member and _is_kept_in(symbol, text_of(symbol.path) or ""):
        return Reach(own)
    modifiers = symbol.symbol.modifiers
    if (language in _PRIVATE and "private" in modifiers) or (
        language in _STATIC and "static" in modifiers and not is_member
    ):
        return Reach(own, in_code_only=True)
    return EVERYWHERE


def _is_kept_in(symbol: PlacedSymbol, text: str) -> bool:
    """Whether a module of JavaScript does not export what it defines."""
    if symbol.symbol.is_exported or not _MODULE.search(text) or _COMMON_JS.search(text):
        return False
    name = re.escape(symbol.symbol.name)
    exported = rf"\bexport\s*(?:type\s*)?\{{[^}}]*\b{name}\b|\bexport\s+default\b.*\b{name}\b"
    return not re.search(exported, text)
