"""A symbol in, the files in which its name can mean it out: its own, its folder, or any.

Only what the language itself keeps others from seeing counts, not what is usual.
"""

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from posixpath import dirname

from codecompass.model.symbol import TYPE_KINDS, PlacedSymbol, SymbolKind
from codecompass.navigate.uses import Graph

_ECMA = frozenset({"javascript", "typescript", "tsx"})
_MODULE = re.compile(r"(?m)^\s*(?:import\b(?!\s*\()|export\b)")
_COMMON_JS = re.compile(r"\bmodule\.exports\b|\bexports\.|^export\s*=", re.MULTILINE)
_LOCAL_TO = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
_PRIVATE = frozenset({"java", "csharp", "kotlin", "scala", "swift"})
# A name in lower case is known in its folder only.
_BY_CAPITAL = frozenset({"go"})
# Languages in which what is defined in a function is known in it only.
_LOCAL = frozenset(
    {"python", "javascript", "typescript", "tsx", "java", "kotlin", "swift", "scala", "rust", "go",
     "csharp", "c", "cpp"}
)  # fmt: skip
_RUST_STANDARD = frozenset({"std", "core", "alloc", "proc_macro"})
_NODE = frozenset(
    "assert buffer child_process cluster crypto dns events fs http http2 https net os path"
    " perf_hooks process querystring readline stream string_decoder timers tls tty url util v8 vm"
    " worker_threads zlib".split()
)


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
    language = symbol.language
    if language in _BY_CAPITAL and not symbol.symbol.name[:1].isupper():
        return Reach(folder=dirname(symbol.path), in_code_only=True)
    if language in _ECMA and not is_member and _is_handed_out(symbol, text_of(symbol.path) or ""):
        return EVERYWHERE
    is_local = owner is not None and not is_member and symbol.symbol.kind not in TYPE_KINDS
    if is_local and language in _LOCAL:
        return Reach(own)
    if language in _ECMA and not is_member and _is_kept_in(symbol, text_of(symbol.path) or ""):
        return Reach(own)
    if language in _PRIVATE and _is_private(symbol, owner):
        return Reach(own, in_code_only=True)
    return EVERYWHERE


def _is_private(symbol: PlacedSymbol, owner: PlacedSymbol | None) -> bool:
    """Whether no other file can see a member; what makes code of annotations may."""
    modifiers = symbol.symbol.modifiers
    if "private" not in modifiers or "protected" in modifiers or owner is None:
        return False
    return "partial" not in owner.symbol.modifiers and not owner.symbol.decorators


def may_be_local(symbol: PlacedSymbol, text: str) -> bool:
    """Whether no other file knows a symbol if it stands in a function; `text` is its file's."""
    is_known = symbol.language in _ECMA and _is_handed_out(symbol, text)
    return symbol.language in _LOCAL and not is_known


def _is_handed_out(symbol: PlacedSymbol, text: str) -> bool:
    """Whether JavaScript may give a name away with its value: `{ name }`, `x.name = name`."""
    name = re.escape(symbol.symbol.name)
    return bool(re.search(rf"[{{,]\s*{name}\s*[,}}]|\.{name}\s*=|\b{name}\s*:\s*{name}\b", text))


def is_standard(language: str, module: str) -> bool:
    """Whether a module belongs to the language itself."""
    first = re.split(r"[./:]", module.removeprefix("node:"), maxsplit=1)[0]
    if language in _BY_CAPITAL:
        return "." not in module.partition("/")[0]
    if language in _ECMA:
        return module.startswith("node:") or module in _NODE
    return first in _RUST_STANDARD or first in sys.stdlib_module_names


def _is_kept_in(symbol: PlacedSymbol, text: str) -> bool:
    """Whether a module of JavaScript does not export what it defines."""
    if symbol.symbol.is_exported or not _MODULE.search(text) or _COMMON_JS.search(text):
        return False
    name = re.escape(symbol.symbol.name)
    exported = rf"\bexport\s*(?:type\s*)?\{{[^}}]*\b{name}\b|\bexport\s+default\b.*\b{name}\b"
    return not re.search(exported, text)
