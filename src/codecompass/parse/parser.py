"""Bytes in, plain capture ranges out: the only module that runs tree-sitter.

What it deliberately does not do: decide what a capture means. Nodes are handed to a
walker and go nowhere else; a capture is a pair of byte offsets under its name.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.resources import files

import tree_sitter

from codecompass.model.module import ModuleFacts
from codecompass.parse.interrupts import no_interrupt
from codecompass.parse.ranges import ByteRange
from codecompass.parse.repairs import REPAIRS, Repair

Walk = Callable[[tree_sitter.Node, bytes], ModuleFacts]
# A repair that costs text has to save this part of a file, and leave no more than it of that.
_ROUGH = 4
# A query state machine may blow up on hostile input; past this many live states
# tree-sitter drops the oldest instead of taking memory without end.
_MATCH_LIMIT = 65_536
# Expressions of thousands of operands are trees as deep.
_WALK_DEPTH = 20_000
# Queries take a time that grows with the square of the depth: half a second at this one.
_MAX_DEPTH = 60_000
# So does all that is done with definitions inside definitions.
_MAX_NESTED = 300
_MAX_AROUND = 12  # nodes around a place that are told
_LOOKS = 16  # places at which the depth of a tree is looked at


class TooDeepError(Exception):
    """A tree that nobody wrote: things inside things, tens of thousands of times."""


@dataclass(frozen=True, slots=True)
class RootNode:
    """A child of the tree's root, or of a root node that the language looks through."""

    type: str
    start_byte: int
    end_byte: int
    is_named: bool
    is_comment: bool
    fragment_row: int = -1  # the row of a piece of a node that was looked through


@dataclass(frozen=True, slots=True)
class Token:
    """What the grammar says of a place in a text."""

    span: ByteRange  # of the innermost node
    types: tuple[str, ...]  # of the nodes around the place, the innermost first
    is_blanked: bool = False  # left out of what was read, as the grammar does not understand it


@dataclass(frozen=True, slots=True)
class Syntax:
    """What the grammar and the queries say of one file."""

    captures: Mapping[str, list[ByteRange]]
    roots: list[RootNode]
    has_errors: bool
    module: ModuleFacts | None = None


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar by its wheel and function, and which query files to run with it."""

    module: str
    function: str
    folders: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Loaded:
    parser: tree_sitter.Parser
    query: tree_sitter.Query


def parse(
    data: bytes,
    grammar: Grammar,
    *,
    transparent: frozenset[str],
    walk: Walk | None = None,
    repairs: Sequence[str] = (),
    needs_line_end: bool = False,
) -> Syntax:
    """Parse `data`, run the grammar's queries over the whole tree, and let a walker through it.

    Captures of one name come in source order without repetition.
    """
    loaded = load_grammar(grammar)
    size = len(data)
    data = data.replace(b"\0", b" ")  # at which the parser would end
    if needs_line_end and not data.endswith(b"\n"):
        data += b"\n"
    tree = loaded.parser.parse(data)
    repaired = [REPAIRS[name] for name in repairs]
    data, tree = _repaired(loaded, data, tree, [item for item in repaired if not item.blanks])
    root = tree.root_node
    if _is_too_deep(root):
        raise TooDeepError
    cursor = tree_sitter.QueryCursor(loaded.query, match_limit=_MATCH_LIMIT)
    # Not `captures()`: it hands nodes out in order and so scans all that wait for an
    # unfinished match; on jquery.js, one statement of 10,000 lines, that took 40 times
    # as long as parsing.
    found: dict[str, dict[ByteRange, None]] = {}
    _collect(cursor, root, found)
    for span in list(found.pop("injection", ())):
        _collect_injected(loaded, data, span, found)
    captures = {name: sorted(spans) for name, spans in found.items()}
    if _is_nested_too_deep(captures):
        raise TooDeepError
    module = None
    if walk is not None:
        blanking = [item for item in repaired if item.blanks]
        data, tree = _repaired(loaded, data, tree, blanking)
        module = _walked(walk, tree.root_node, data)
    has_errors = root.has_error or (walk is not None and module is None)  # too deep to be read
    roots = _root_nodes(root, transparent)
    if size < len(data):  # the line end that was added belongs to nothing
        captures = {name: _within(size, spans) for name, spans in captures.items()}
        roots = [replace(node, end_byte=min(node.end_byte, size)) for node in roots]
    return Syntax(captures, roots, has_errors, module)


@dataclass(frozen=True, slots=True)
class Words:
    """A parsed text that can be asked what stands at a place."""

    module: ModuleFacts | None
    _root: tree_sitter.Node
    _original: bytes
    _read: bytes

    def at(self, place: ByteRange) -> Token:
        """What the grammar says of a place."""
        return _token(self._root, place, self._original, self._read)


def parse_words(
    data: bytes, grammar: Grammar, walk: Walk | None, repairs: Sequence[str] = ()
) -> Words:
    """Parse `data` and let a walker through it; no query is run."""
    loaded = load_grammar(grammar)
    original, data = data, data.replace(b"\0", b" ")
    tree = loaded.parser.parse(data)
    every = [REPAIRS[name] for name in repairs]
    for is_blanking in (False, True):
        kind = [item for item in every if item.blanks is is_blanking]
        data, tree = _repaired(loaded, data, tree, kind)
    if _is_too_deep(tree.root_node):
        raise TooDeepError
    module = _walked(walk, tree.root_node, data) if walk is not None else None
    return Words(module, tree.root_node, original, data)


def _token(root: tree_sitter.Node, place: ByteRange, original: bytes, read: bytes) -> Token:
    node = root.descendant_for_byte_range(*place) or root
    types: list[str] = []
    around: tree_sitter.Node | None = node
    while around is not None and len(types) < _MAX_AROUND:
        types.append(around.type)
        around = around.parent
    start, end = place
    span = (node.start_byte, node.end_byte)
    return Token(span, tuple(types), original[start:end] != read[start:end])


def _within(size: int, spans: Iterable[ByteRange]) -> list[ByteRange]:
    """Spans, none of them beyond the text."""
    return [(start, min(end, size)) for start, end in spans if start < size]


def _is_too_deep(root: tree_sitter.Node) -> bool:
    count = root.descendant_count
    if count <= _MAX_DEPTH:
        return False
    cursor = root.walk()
    for number in range(1, _LOOKS):
        cursor.goto_descendant(count * number // _LOOKS)
        if cursor.depth > _MAX_DEPTH:
            return True
    return False


def _is_nested_too_deep(captures: Mapping[str, Sequence[ByteRange]]) -> bool:
    """Whether definitions stand inside each other deeper than anybody writes them."""
    found = {span for name in captures if name.startswith("symbol.") for span in captures[name]}
    spans = sorted(found, key=lambda span: (span[0], -span[1]))
    ends: list[int] = []  # of those around the one that is looked at
    for start, end in spans:
        while ends and ends[-1] <= start:
            ends.pop()
        ends.append(end)
        if len(ends) > _MAX_NESTED:
            return True
    return False


def _repaired(
    loaded: _Loaded, data: bytes, tree: tree_sitter.Tree, repairs: Sequence[Repair]
) -> tuple[bytes, tree_sitter.Tree]:
    """The text as the grammar understands it, if small changes make it understand more."""
    for repair in repairs:
        if repair.needs_error and not tree.root_node.has_error:
            continue
        changed = repair.change(data)
        if changed == data or len(changed) != len(data):
            continue
        other = loaded.parser.parse(changed)
        before, after = (_bytes_in_error(one.root_node) for one in (tree, other))
        is_better = after < before or (after == before and not repair.needs_error)
        if repair.is_rough:
            is_better = _ROUGH * before > len(data) and _ROUGH * after < before
        if is_better:
            data, tree = changed, other
    return data, tree


def _bytes_in_error(root: tree_sitter.Node) -> int:
    """How much of a text the grammar did not understand; what it missed counts as one."""
    total = 0
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error:
            total += node.end_byte - node.start_byte
        elif node.is_missing:
            total += 1
        elif node.has_error:
            pending.extend(node.children)
    return total


def _walked(walk: Walk, root: tree_sitter.Node, data: bytes) -> ModuleFacts | None:
    """What a walker says of a tree; None if the tree is too deep for it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _WALK_DEPTH))
    try:
        return walk(root, data)
    except RecursionError:
        return None
    finally:
        sys.setrecursionlimit(before)


def _collect(
    cursor: tree_sitter.QueryCursor,
    root: tree_sitter.Node,
    found: dict[str, dict[ByteRange, None]],
) -> None:
    for _, match in cursor.matches(root):
        for name, nodes in match.items():
            spans = found.get(name)
            if spans is None:
                spans = found[name] = {}
            for node in nodes:
                spans[node.start_byte, node.end_byte] = None


def _collect_injected(
    loaded: _Loaded, data: bytes, span: ByteRange, found: dict[str, dict[ByteRange, None]]
) -> None:
    """Parse what stands between a macro's braces as code of its own, if it is code."""
    start, end = span[0] + 1, span[1] - 1
    if data[span[0] : start] != b"{" or not data[start:end].strip():
        return
    inner = tree_sitter.Range(_point(data, start), _point(data, end), start, end)
    language = loaded.parser.language
    tree = tree_sitter.Parser(language, included_ranges=[inner]).parse(data)
    if not tree.root_node.has_error:
        cursor = tree_sitter.QueryCursor(loaded.query, match_limit=_MATCH_LIMIT)
        _collect(cursor, tree.root_node, found)
        found.pop("injection", None)


def _point(data: bytes, byte: int) -> tuple[int, int]:
    return data.count(b"\n", 0, byte), byte - data.rfind(b"\n", 0, byte) - 1


def parse_text(module: str, function: str, data: bytes) -> tree_sitter.Node:
    """The tree of a piece of code that stands inside another."""
    return _parser(module, function).parse(data).root_node


@cache
def _parser(module: str, function: str) -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(getattr(import_module(module), function)()))


def query_text(folders: tuple[str, ...], names: tuple[str, ...]) -> str:
    """The named query files of the folders in order, as one text; not every folder has each."""
    base = files("codecompass.parse") / "queries"
    paths = [base / folder / f"{name}.scm" for folder in folders for name in names]
    return "\n".join(path.read_text("utf-8") for path in paths if path.is_file())


@cache
def load_grammar(grammar: Grammar) -> _Loaded:
    """Load and compile once per process: compiling a query costs 2 to 20 ms."""
    with warnings.catch_warnings():
        # Older grammar wheels hand over their pointer as an int, which works but warns.
        warnings.simplefilter("ignore", DeprecationWarning)
        pointer = getattr(import_module(grammar.module), grammar.function)()
        language = tree_sitter.Language(pointer)
    with no_interrupt():
        query = tree_sitter.Query(language, query_text(grammar.folders, grammar.files))
    return _Loaded(tree_sitter.Parser(language), query)


def _root_nodes(root: tree_sitter.Node, transparent: frozenset[str]) -> list[RootNode]:
    """The root's children, looking through nodes that only hold other root nodes.

    What such a node adds of its own (`#ifdef NAME`, `extern "C" {`) becomes one root
    node for each line.
    """
    found: list[RootNode] = []
    pending = [(node, False) for node in reversed(root.children)]
    while pending:
        node, is_fragment = pending.pop()
        if node.type in transparent and node.child_count:
            pending.extend(
                reversed([(child, _is_fragment(node, child)) for child in node.children])
            )
        elif is_fragment and found and found[-1].fragment_row == node.start_point[0]:
            found[-1] = replace(found[-1], end_byte=node.end_byte)
        elif node.end_byte > node.start_byte:
            row = node.start_point[0] if is_fragment else -1
            found.append(
                RootNode(
                    node.type,
                    node.start_byte,
                    node.end_byte,
                    is_named=node.is_named or is_fragment,
                    is_comment="comment" in node.type,
                    fragment_row=row,
                )
            )
    return found


_FRAGMENT_FIELDS = ("name", "condition", "value")


def _is_fragment(parent: tree_sitter.Node, child: tree_sitter.Node) -> bool:
    if not child.is_named:
        return True
    return any(parent.child_by_field_name(name) == child for name in _FRAGMENT_FIELDS)
