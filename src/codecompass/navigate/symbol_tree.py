"""A file's symbols as a tree, each with the text that is its own."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from codecompass.model.change import FileSide
from codecompass.model.symbol import PlacedSymbol, Symbol

# Between the members of a class stand comments on them; they are the members'.
_COMMENT = re.compile(r"\s*(//|#|/?\*|--|;;)")
_WORD = re.compile(r"\w")


class SymbolNode:
    """A symbol with what is defined inside it; `file` numbers the pair its file belongs to."""

    def __init__(self, side: FileSide, symbol: Symbol, file: int) -> None:
        self._side = side
        self.symbol = symbol
        self.file = file
        self.children: list[SymbolNode] = []
        self.is_paired = False

    @property
    def has_text(self) -> bool:
        """Whether the text could be read."""
        return self._side.text is not None

    @property
    def placed(self) -> PlacedSymbol:
        """The symbol at its path."""
        return PlacedSymbol(self._side.path, self._side.language, self.symbol)

    def unpaired(self) -> "Iterator[SymbolNode]":
        """Itself and all below it, the outer before the inner, less what has a partner."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if not node.is_paired:
                yield node
                waiting += reversed(node.children)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The whole text, without the indentation that all of it has."""
        return _dedented(self._cut(self.symbol.span.start_byte, self.symbol.span.end_byte))

    @cached_property
    def nameless(self) -> tuple[str, ...]:
        """The whole text with its own name taken out."""
        name = self.symbol.name
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") if name else None
        return tuple(pattern.sub("\0", line) for line in self.lines) if pattern else self.lines

    @cached_property
    def body(self) -> tuple[str, ...]:
        """The body's text without what is defined in it and without the documentation."""
        symbol = self.symbol
        start, end = symbol.span.start_byte, symbol.span.end_byte
        if symbol.has_body:
            start, end = symbol.body_start, symbol.body_end
        if not self.children:
            return _dedented(self._cut(self._with_comments(start), end))
        pieces = []
        for child in sorted(self.children, key=lambda node: node.symbol.span.start_byte):
            pieces.append(self._cut(start, max(start, child.symbol.span.start_byte)))
            start = max(start, child.symbol.span.end_byte)
        pieces.append(self._cut(start, end))
        lines = "".join(pieces).splitlines()
        return tuple(
            line.strip() for line in lines if _WORD.search(line) and not _COMMENT.match(line)
        )

    def _with_comments(self, start: int) -> int:
        """Where a body begins, with comments right before it: no signature holds them."""
        first = self.symbol.span.start_byte
        head = (self._side.text or b"")[first:start]
        while True:
            line_start = head.rstrip().rfind(b"\n") + 1
            line = head[line_start:]
            if not line_start or not _COMMENT.match(line.decode("utf-8", "replace")):
                return start
            start = first + line_start + len(line) - len(line.lstrip())
            head = head[:line_start]

    def _cut(self, start: int, end: int) -> str:
        text = self._side.text or b""
        return text[start:end].decode("utf-8", "replace")


def build_tree(side: FileSide, file: int) -> list[SymbolNode]:
    """The outermost definitions of a file, each with those inside it."""
    nodes = {s.ordinal: SymbolNode(side, s, file) for s in side.symbols if not s.is_statement}
    roots = []
    for node in nodes.values():
        parent = node.symbol.parent
        if parent is not None and parent in nodes:
            nodes[parent].children.append(node)
        else:
            roots.append(node)
    return roots


def group_by_name(nodes: Sequence[SymbolNode]) -> dict[str, list[SymbolNode]]:
    """The nodes that have the same name, in source order."""
    found: dict[str, list[SymbolNode]] = defaultdict(list)
    for node in nodes:
        found[node.symbol.name].append(node)
    return found


def _dedented(text: str) -> tuple[str, ...]:
    """Lines without trailing blanks, and without what the later ones are all indented by."""
    first, *rest = [line.rstrip() for line in text.split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in rest if line), default=0)
    return tuple(line for line in [first, *(line[margin:] for line in rest)] if line.strip())
