"""JavaScript and TypeScript: what a check says of a value behind it."""

from collections.abc import Generator
from contextlib import contextmanager

from tree_sitter import Node

from codecompass.model.module import NOTHING
from codecompass.parse.walkers.builder import Builder

_EXITS = frozenset(
    {"return_statement", "throw_statement", "continue_statement", "break_statement"}
)
_NAMED = frozenset({"identifier", "member_expression"})
_Checks = dict[str, int]


class Narrowing:
    """Values, by how they are written, that are known to be of a class where the walk is."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._known: _Checks = {}
        self._checked: dict[tuple[int, bool], _Checks] = {}  # by node, and whether it holds

    def of(self, node: Node, value: int) -> int:
        """A value, or what is known of it besides."""
        if not self._known:
            return value
        known = self._known.get(self._builder.text(node), NOTHING)
        return value if known == NOTHING else self._builder.expr("narrowed", value, known)

    def forget(self, node: Node) -> None:
        """What is assigned to is no longer what was checked."""
        if self._known:
            text = self._builder.text(node)
            self._known = {
                name: known
                for name, known in self._known.items()
                if name != text and not name.startswith(f"{text}.")
            }

    @contextmanager
    def where(self, condition: Node | None, scope: int, *, holds: bool = True) -> Generator[None]:
        """Walk what is reached only if a condition holds, or does not."""
        outer = self._known
        checks = self._checks(condition, scope, holds=holds) if condition is not None else {}
        if checks:
            self._known = {**outer, **checks}
        try:
            yield
        finally:
            if checks:
                self._known = outer

    @contextmanager
    def block(self) -> Generator[None]:
        """What is learned behind the statements of a block ends with it."""
        outer = self._known
        try:
            yield
        finally:
            self._known = outer

    def learn_behind(self, node: Node, scope: int) -> None:
        """`if (!(x instanceof C)) return`: behind it, x is one."""
        condition, then = (node.child_by_field_name(name) for name in ("condition", "consequence"))
        if condition is None or then is None or node.child_by_field_name("alternative"):
            return
        is_block = then.type == "statement_block" and then.named_children
        last = then.named_children[-1] if is_block else then
        if last.type in _EXITS:
            self._known = {**self._known, **self._checks(condition, scope, holds=False)}

    def _checks(self, node: Node, scope: int, *, holds: bool) -> _Checks:
        """What a condition says of values if it holds, or if it does not."""
        key = (node.id, holds)  # `a && b && c && …`: each part asks for all before it
        if key not in self._checked:
            self._checked[key] = self._find_checks(node, scope, holds=holds)
        return self._checked[key]

    def _find_checks(self, node: Node, scope: int, *, holds: bool) -> _Checks:
        if node.type == "parenthesized_expression" and node.named_children:
            return self._checks(node.named_children[0], scope, holds=holds)
        operator = node.child_by_field_name("operator")
        if operator is None:
            return {}
        if node.type == "unary_expression" and operator.type == "!":
            inner = node.child_by_field_name("argument")
            return {} if inner is None else self._checks(inner, scope, holds=not holds)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return {}
        if operator.type == ("&&" if holds else "||"):
            both = (self._checks(part, scope, holds=holds) for part in (left, right))
            return {name: known for part in both for name, known in part.items()}
        if not holds or operator.type != "instanceof" or left.type not in _NAMED:
            return {}
        known = self._class(right, scope)
        if known == NOTHING:
            return {}
        return {self._builder.text(left): self._builder.expr("instance", known)}

    def _class(self, node: Node, scope: int) -> int:
        """`C` or `m.C`; its uses are noted where the condition is read."""
        if node.type == "identifier":
            return self._builder.expr("name", self._builder.text(node), scope)
        of, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        if node.type != "member_expression" or of is None or name is None:
            return NOTHING
        before = self._class(of, scope)
        if before == NOTHING:
            return NOTHING
        return self._builder.expr("member", before, self._builder.text(name))
