"""Two states of some files in, what became of each of their symbols out; pure.

Symbols are paired level by level by their names. What finds no partner there may have
moved or been renamed: it is paired with something that came, if their texts leave no
doubt. The rest was added or deleted.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from codecompass.model.change import ChangeKind, FileSide, SymbolChange
from codecompass.navigate.symbol_tree import SymbolNode, build_tree, group_by_name
from codecompass.text.similarity import line_likeness

# Two texts with less in common are two things; what git takes for a renamed file.
_MOVED_LIKENESS = 0.5
# Another name is a stronger claim than another place.
_RENAMED_LIKENESS = 0.75
# Shorter texts are alike by chance.
_TELLING_LINES = 3
_TELLING_CHARS = 30
# Each is compared with each: of thousands that all changed their names none is recognised.
_MAX_RATED = 20_000


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file before and after; one of them is None if it came or went."""

    before: FileSide | None
    after: FileSide | None


_Pair = tuple[SymbolNode, SymbolNode]
_Levels = tuple[Sequence[SymbolNode], Sequence[SymbolNode]]
_Key = Callable[[SymbolNode], Hashable]


def compare_files(pairs: Iterable[FilePair]) -> list[SymbolChange]:
    """Every symbol that came, went or changed, by path and position."""
    matcher = _Matcher()
    for number, pair in enumerate(pairs):
        before = build_tree(pair.before, number) if pair.before else []
        after = build_tree(pair.after, number) if pair.after else []
        matcher.match(before, after)
    matcher.match_leftovers()
    changes = [*matcher.changes(), *matcher.leftovers()]
    return sorted(changes, key=_order)


def changed_parts(before: SymbolNode, after: SymbolNode) -> tuple[str, ...]:
    """Which parts of a symbol are other than before."""
    old, new = before.symbol, after.symbol
    parts = []
    if old.kind != new.kind:
        parts.append("kind")
    if _renamed(old.signature, old.name, new.name) != new.signature:
        parts.append("signature")
    elif old.modifiers != new.modifiers:  # most of them stand in the signature
        parts.append("modifiers")
    if old.decorators != new.decorators:
        parts.append("decorators")
    if old.doc.splitlines() != new.doc.splitlines():
        parts.append("doc")
    has_body = old.has_body or new.has_body or bool(before.children or after.children)
    if _has_other_body(before, after) and (has_body or "signature" not in parts):
        parts.append("body")
    return tuple(parts)


def _has_other_body(before: SymbolNode, after: SymbolNode) -> bool:
    if before.has_text and after.has_text:
        return _code(before) != _code(after)
    # A hash covers what is inside as well, which is told by itself.
    has_inner = bool(before.children or after.children)
    return not has_inner and before.symbol.body_hash != after.symbol.body_hash


def _renamed(text: str, name: str, other: str) -> str:
    return text if name == other or not name else text.replace(name, other)


def _code(node: SymbolNode) -> list[str]:
    """The body without lines of documentation, which may stand inside it."""
    doc = {line.strip() for line in node.symbol.doc.splitlines()}
    return [line for line in node.body if line.strip() not in doc]


class _Matcher:
    """Pairs symbols of before with symbols of after."""

    def __init__(self) -> None:
        self._pairs: list[_Pair] = []
        self._gone: list[SymbolNode] = []  # with everything below them
        self._new: list[SymbolNode] = []
        self._moved: set[int] = set()  # ids of nodes that are elsewhere or called otherwise
        self._waiting: list[_Levels] = []  # what is inside pairs; nesting may be deep

    def match(self, before: Sequence[SymbolNode], after: Sequence[SymbolNode]) -> None:
        """Pair the nodes of one level by name, then those inside each pair."""
        self._waiting.append((before, after))
        while self._waiting:
            self._match_level(*self._waiting.pop())

    def _match_level(self, before: Sequence[SymbolNode], after: Sequence[SymbolNode]) -> None:
        old, new = group_by_name(before), group_by_name(after)
        for name in dict.fromkeys([*old, *new]):
            gone, come = old.get(name, []), new.get(name, [])
            for key in (_kind_and_text, _kind_and_signature, _kind):
                pairs, gone, come = _pair_in_order(gone, come, key)
                self._take(pairs)
            if len(gone) == len(come) == 1:  # a function that became a class
                self._take([(gone[0], come[0])])
                continue
            self._gone += gone
            self._new += come

    def match_leftovers(self) -> None:
        """Pair what is elsewhere or has another name now, where the texts leave no doubt.

        First what came and went as a whole: the members of a renamed class are not moved.
        """
        self._match_unique(_text_and_name)
        self._match_alike(_kind_and_name, minimum=_MOVED_LIKENESS)
        self._match_unique(_nameless_text)
        self._match_alike(_kind_and_scope, minimum=_RENAMED_LIKENESS)
        self._match_unique(_text_and_name, with_inner=True)

    def changes(self) -> list[SymbolChange]:
        """The pairs that are not the same before and after."""
        found = []
        for before, after in self._pairs:
            kind = ChangeKind.MODIFIED
            if id(after) in self._moved:
                is_same_name = before.symbol.name == after.symbol.name
                kind = ChangeKind.MOVED if is_same_name else ChangeKind.RENAMED
            parts = changed_parts(before, after)
            if kind is ChangeKind.RENAMED and before.nameless == after.nameless:
                parts = ()
            if parts or kind is not ChangeKind.MODIFIED:
                found.append(SymbolChange(kind, before.placed, after.placed, parts))
        return found

    def leftovers(self) -> list[SymbolChange]:
        """What came and what went, with everything inside."""
        gone = [change for root in self._gone for change in _whole(root, ChangeKind.DELETED)]
        return gone + [change for root in self._new for change in _whole(root, ChangeKind.ADDED)]

    def _take(self, pairs: Iterable[_Pair]) -> None:
        for before, after in pairs:
            before.is_paired = after.is_paired = True
            self._pairs.append((before, after))
            self._waiting.append((before.children, after.children))

    def _match_unique(self, key: _Key, *, with_inner: bool = False) -> None:
        """Pair nodes that are the only ones with a key, on both sides; the outer first."""
        gone = _unique(_candidates(self._gone, with_inner=with_inner), key)
        come = _unique(_candidates(self._new, with_inner=with_inner), key)
        for name, before in gone.items():
            self._pair_moved(before, come.get(name))

    def _match_alike(self, key: _Key, *, minimum: float) -> None:
        """Pair nodes of one group that are more like each other than like any other."""
        gone, come = _grouped(self._gone, key), _grouped(self._new, key)
        for name in gone:
            if len(gone[name]) * len(come.get(name, ())) > _MAX_RATED:
                continue
            rated = [
                (line_likeness(old.nameless, new.nameless), old, new)
                for old in gone[name]
                for new in come.get(name, ())
            ]
            for likeness, old, new in sorted(rated, key=lambda item: -item[0]):
                if likeness >= minimum:
                    self._pair_moved(old, new)

    def _pair_moved(self, before: SymbolNode | None, after: SymbolNode | None) -> None:
        if before is None or after is None or before.is_paired or after.is_paired:
            return
        self._moved.add(id(after))
        self._take([(before, after)])
        self.match((), ())


def _text_and_name(node: SymbolNode) -> Hashable:
    """A field of one line is not recognised anywhere else by it."""
    is_telling = len(node.lines) >= _TELLING_LINES or (node.lines and node.symbol.depth == 0)
    return (node.symbol.kind, node.symbol.name, node.lines) if is_telling else None


def _kind_and_name(node: SymbolNode) -> Hashable:
    is_telling = len(node.lines) >= _TELLING_LINES
    return (node.symbol.kind, node.symbol.name) if is_telling else None


def _nameless_text(node: SymbolNode) -> Hashable:
    """Not of `A = None`: many things are None."""
    is_telling = sum(map(len, node.nameless)) >= _TELLING_CHARS
    return (node.symbol.kind, node.file, node.symbol.scope, node.nameless) if is_telling else None


def _kind_and_scope(node: SymbolNode) -> Hashable:
    is_telling = len(node.lines) >= _TELLING_LINES
    return (node.symbol.kind, node.file, node.symbol.scope) if is_telling else None


def _whole(root: SymbolNode, kind: ChangeKind) -> Iterator[SymbolChange]:
    """A symbol that came or went, and then all that is inside it."""
    nodes = list(root.unpaired())
    for node in nodes:
        is_new = kind is ChangeKind.ADDED
        yield SymbolChange(
            kind,
            None if is_new else node.placed,
            node.placed if is_new else None,
            is_inner=node is not root,
            around=root.symbol.span.start_byte,
            members=len(nodes) - 1 if node is root else 0,
        )


def _kind_and_text(node: SymbolNode) -> Hashable:
    return node.symbol.kind, node.lines


def _kind_and_signature(node: SymbolNode) -> Hashable:
    return node.symbol.kind, node.symbol.signature


def _kind(node: SymbolNode) -> Hashable:
    return node.symbol.kind


def _pair_in_order(
    before: Sequence[SymbolNode], after: Sequence[SymbolNode], key: _Key
) -> tuple[list[_Pair], list[SymbolNode], list[SymbolNode]]:
    """Pairs of nodes with the same key, first with first; and what is left on both sides."""
    waiting: dict[Hashable, list[SymbolNode]] = defaultdict(list)
    for node in after:
        waiting[key(node)].append(node)
    pairs, gone = [], []
    for node in before:
        partners = waiting.get(key(node))
        if partners:
            pairs.append((node, partners.pop(0)))
        else:
            gone.append(node)
    taken = {id(new) for _, new in pairs}
    return pairs, gone, [node for node in after if id(node) not in taken]


def _candidates(roots: Sequence[SymbolNode], *, with_inner: bool) -> Iterator[SymbolNode]:
    for root in roots:
        nodes = root.unpaired()  # beginning with the root itself
        yield from nodes if with_inner else islice(nodes, 1)


def _unique(nodes: Iterable[SymbolNode], key: _Key) -> dict[Hashable, SymbolNode | None]:
    """Nodes by key; None where several have the same. Nodes without a key are left out."""
    found: dict[Hashable, SymbolNode | None] = {}
    for node in nodes:
        name = key(node)
        if name is not None:
            found[name] = None if name in found else node
    return found


def _grouped(nodes: Iterable[SymbolNode], key: _Key) -> dict[Hashable, list[SymbolNode]]:
    """Nodes without a partner by key; those without a key are left out."""
    found: dict[Hashable, list[SymbolNode]] = defaultdict(list)
    for node in nodes:
        name = key(node)
        if name is not None and not node.is_paired:
            found[name].append(node)
    return found


def _order(change: SymbolChange) -> tuple[str, int, bool, int]:
    """By place; what was replaced before what replaced it, what is inside behind its outside."""
    start = change.shown.symbol.span.start_byte
    around = change.around if change.around >= 0 else start
    return change.shown.path, around, change.kind is ChangeKind.ADDED, start
