"""Python: what assignments, patterns and checks bind."""

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.python_expressions import Expressions

_ENDS = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})


class Bindings(Expressions):
    """The part of the walker that binds names; statements are added by another."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.globals: dict[int, set[str]] = {}  # names that functions declare as the file's

    def target(self, node: Node, scope: int, value: int, declared: int = NOTHING) -> None:
        """Bind what stands on the left of an assignment."""
        kind = node.type
        if kind == "identifier":
            self._bind_variable(node, scope, value, declared)
        elif kind in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list"):
            for position, child in enumerate(node.named_children):
                item = NOTHING if value == NOTHING else self.builder.expr("item", value, position)
                self.target(child, scope, item)
        elif kind in ("list_splat_pattern", "list_splat", "parenthesized_expression"):
            for child in node.named_children:
                self.target(child, scope, NOTHING)
        elif kind == "attribute":
            self._bind_attribute(node, scope, value, declared)
            self.expression(node, scope, Role.WRITE)
        else:
            self.expression(node, scope, Role.WRITE)

    def _bind_variable(self, node: Node, scope: int, value: int, declared: int) -> None:
        is_comprehension = self.builder.scopes[scope].kind == ScopeKind.BLOCK and (
            scope in self.comprehensions
        )
        if not is_comprehension:
            scope = self.binding_scope(scope)
        if self.builder.text(node) in self.globals.get(scope, ()):
            scope = 0
            self.builder.use(
                node, Role.WRITE, self.builder.expr("name", self.builder.text(node), 0)
            )
        is_field = self.builder.scopes[scope].kind == ScopeKind.CLASS
        flags = 0 if is_field else self.builder.local_flag(scope)
        if is_comprehension:
            flags = DeclFlag.LOCAL
        kind = DeclKind.FIELD if is_field else DeclKind.VARIABLE
        self.builder.declare(node, kind, scope, value=value, type=declared, flags=flags)

    def _bind_attribute(self, node: Node, scope: int, value: int, declared: int) -> None:
        """`self.x = …` makes a field of the class."""
        receiver, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if receiver is None or name is None or receiver.type != "identifier":
            return
        owner = self._class_of(self.builder.text(receiver), scope)
        if owner != NOTHING:
            inner = self.builder.decls[owner].inner
            self.builder.declare(
                name, DeclKind.FIELD, inner, value=value, type=declared, flags=DeclFlag.INSTANCE
            )

    def _class_of(self, name: str, scope: int) -> int:
        """The class whose receiver a name is, if it is one."""
        while scope != NOTHING:
            found = self.builder.scopes[scope]
            numbers = found.names.get(name)
            if numbers:
                value = self.builder.decls[numbers[0]].value
                expr = self.builder.exprs[value] if value != NOTHING else ("",)
                return expr[1] if expr[0] in ("this", "class_of_this") else NOTHING
            scope = found.parent
        return NOTHING

    def binding_scope(self, scope: int) -> int:
        """The scope that names are bound in: blocks bind nothing in Python."""
        while self.builder.scopes[scope].kind == ScopeKind.BLOCK:
            scope = self.builder.scopes[scope].parent
        return scope

    def pattern(self, node: Node, scope: int) -> None:
        """The names and values of a `case`."""
        for child in node.named_children:
            if child.type == "dotted_name" and len(child.named_children) == 1:
                self.target(child.named_children[0], scope, NOTHING)
            elif child.type == "class_pattern" and child.named_children:
                of = self.expression(child.named_children[0], scope)
                for part in child.named_children[1:]:
                    self.pattern(part, scope)
                    self._use_pattern_keyword(part, of)
            elif child.type == "keyword_pattern":
                for part in child.named_children[1:]:
                    self._pattern_part(part, scope)
            elif child.type in ("as_pattern", "splat_pattern"):
                for part in child.named_children:
                    self._pattern_part(part, scope)
            elif child.type in ("dotted_name", "string", "integer"):
                self.expression(child, scope)
            else:
                self.pattern(child, scope)

    def _use_pattern_keyword(self, node: Node, of: int) -> None:
        """`case Point(x=1)` names a field."""
        for child in node.named_children:
            if child.type == "keyword_pattern" and child.named_children and of != NOTHING:
                self.use_matched(of, child.named_children[0])

    def _pattern_part(self, node: Node, scope: int) -> None:
        """A name inside a pattern is bound, anything else is a pattern again."""
        is_name = node.type == "dotted_name" and len(node.named_children) == 1
        if node.type == "identifier" or is_name:
            name = node if node.type == "identifier" else node.named_children[0]
            self.target(name, scope, NOTHING)
        else:
            self.pattern(node, scope)

    def after_assignment(self, node: Node, scope: int) -> int:
        """The scope after a variable gets another value: what was known of it is over."""
        inner = node.named_children[0] if node.named_children else node
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        if inner.type != "assignment" or left is None or left.type != "identifier":
            return scope
        name, around = self.builder.text(left), scope
        while self.builder.scopes[around].kind == ScopeKind.BLOCK:
            numbers = self.builder.scopes[around].names.get(name, ())
            if any(self.builder.decls[n].kind == DeclKind.NARROWED for n in numbers):
                following = self.builder.open_scope(ScopeKind.BLOCK, scope)
                value = self.quiet(right, scope) if right is not None else NOTHING
                self.builder.declare(
                    left, DeclKind.NARROWED, following, value=value, flags=DeclFlag.LOCAL
                )
                return following
            around = self.builder.scopes[around].parent
        return scope

    def after_guard(self, node: Node, scope: int) -> int:
        """The scope after `if not isinstance(x, T): return`."""
        condition = node.child_by_field_name("condition")
        body = node.child_by_field_name("consequence")
        if condition is None or body is None or condition.type != "not_operator":
            return scope
        ends = body.named_children and body.named_children[-1].type in _ENDS
        if not ends or node.child_by_field_name("alternative") is not None:
            return scope
        return self.narrowed(condition.named_children[-1], scope)
