"""JavaScript and TypeScript: statements, classes, modules."""

from collections.abc import Callable

from tree_sitter import Node

from codecompass.model.module import NOTHING, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.ecma_modules import Modules

_FUNCTIONS = (
    "function_declaration", "generator_function_declaration", "function_signature",
)  # fmt: skip
_CLASSES = ("class_declaration", "abstract_class_declaration")


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a JavaScript file."""
    return _walk(root, text, is_typed=False)


def walk_typed(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a TypeScript file."""
    return _walk(root, text, is_typed=True)


def _walk(root: Node, text: bytes, *, is_typed: bool) -> ModuleFacts:
    walker = _Walker(text, is_typed=is_typed)
    walker.builder.exports = {}
    try:
        walker.block(root, 0)
        if is_typed and not walker.is_module:
            walker.builder.shared = 0
        elif walker.is_module:
            walker.leave_open()
        return walker.builder.finish()
    finally:
        walker.close()


class _Walker(Modules):
    """Goes through statements once, in source order."""

    def __init__(self, text: bytes, *, is_typed: bool) -> None:
        super().__init__(text, is_typed=is_typed)
        self._statements: dict[str, Callable[[Node, int], list[int]]] = {
            "import_statement": self.import_,
            "export_statement": self.export,
            "lexical_declaration": self._variables,
            "variable_declaration": self._variables,
            "interface_declaration": self.interface,
            "type_alias_declaration": self.alias,
            "enum_declaration": self.enum,
            "internal_module": self.namespace,
            "module": self.namespace,
            "ambient_declaration": self._ambient,
            "statement_block": self._block_statement,
            "if_statement": self._if,
            "for_in_statement": self._for_in,
            "for_statement": self._block_statement,
            "switch_body": self._block_statement,
            "catch_clause": self._catch,
            "return_statement": self.return_,
            "labeled_statement": self._labeled,
            "class_body": lambda _node, _scope: [],
            "comment": self._comment,
            **dict.fromkeys(_FUNCTIONS, self.function_declaration),
            **dict.fromkeys(_CLASSES, self.class_declaration),
        }
        for name in (
            "program", "expression_statement", "else_clause", "while_statement",
            "do_statement", "try_statement", "finally_clause", "switch_statement", "switch_case",
            "switch_default", "throw_statement", "with_statement",
        ):  # fmt: skip
            self._statements[name] = self._plain

    def close(self) -> None:
        """Let go of everything: the tables of methods keep it alive where no garbage is sought."""
        self.__dict__.clear()

    def block(self, node: Node, scope: int) -> None:
        """Every statement below a node."""
        for child in node.named_children:
            self.statement(child, scope)

    def statement(self, node: Node, scope: int) -> list[int]:
        """Visit a statement; returns what it declares."""
        visit = self._statements.get(node.type)
        if visit is not None:
            return visit(node, scope)
        self.expression(node, scope)
        return []

    def _plain(self, node: Node, scope: int) -> list[int]:
        self.block(node, scope)
        return []

    def _comment(self, node: Node, scope: int) -> list[int]:
        self.declare_told(node, scope)
        return []

    def _block_statement(self, node: Node, scope: int) -> list[int]:
        with self.narrowing.block():
            self.block(node, self.builder.open_scope(ScopeKind.BLOCK, scope))
        return []

    def _if(self, node: Node, scope: int) -> list[int]:
        condition, then, other = (
            node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")
        )
        if condition is not None:
            self.expression(condition, scope)
        for part, holds in ((then, True), (other, False)):
            if part is not None:
                with self.narrowing.where(condition, scope, holds=holds):
                    self.statement(part, scope)
        self.narrowing.learn_behind(node, scope)
        return []

    def _labeled(self, node: Node, scope: int) -> list[int]:
        inside = node.child_by_field_name("body")
        return self.statement(inside, scope) if inside is not None else []

    def _variables(self, node: Node, scope: int) -> list[int]:
        scope_of = self.function_scope if node.type == "variable_declaration" else scope
        found: list[int] = []
        for child in node.named_children:
            if child.type == "variable_declarator":
                found += self._variable(child, scope, scope_of)
        return found

    def _variable(self, node: Node, scope: int, bound_in: int) -> list[int]:
        name, part = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return []
        if name.type == "identifier":
            self.hint = self.builder.text(name)
        declared = self.type_(node.child_by_field_name("type"), scope)
        if declared == NOTHING:
            declared = self.told_type(node, scope)
        value = NOTHING
        if part is not None:
            value = self.expression(part, scope)
            if declared != NOTHING:
                self.expect(value, self.builder.expr("typed", declared))
        self.hint = ""
        if value != NOTHING and self.is_required(name, value, bound_in):
            return []
        if declared != NOTHING and name.type != "identifier":
            value = self.builder.expr("typed", declared)
        if name.type == "identifier" and part is not None:
            self.export_bound(name, part, bound_in)
        return self.pattern(name, bound_in, value, declared)

    def _ambient(self, node: Node, scope: int) -> list[int]:
        found: list[int] = []
        for child in node.named_children:
            if child.type == "statement_block":  # `declare global { … }`
                self.builder.shared = self.builder.open_scope(ScopeKind.BLOCK, scope)
                outer, self.function_scope = self.function_scope, self.builder.shared
                self.block(child, self.builder.shared)
                self.function_scope = outer
            else:
                found += self.statement(child, scope)
        return found

    def _for_in(self, node: Node, scope: int) -> list[int]:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.expression(right, inner) if right is not None else NOTHING
        kind = node.child_by_field_name("kind")
        if left is not None and kind is not None:
            bound_in = self.function_scope if kind.type == "var" else inner
            is_of = any(child.type == "of" for child in node.children)
            item = self.builder.expr("lit", "String")
            if is_of:
                item = NOTHING if value == NOTHING else self.builder.expr("each", value)
            self.pattern(left, bound_in, item)
        elif left is not None:
            self.expression(left, inner, Role.WRITE)
        inside = node.child_by_field_name("body")
        if inside is not None:
            self.statement(inside, inner)
        return []

    def _catch(self, node: Node, scope: int) -> list[int]:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        caught = node.child_by_field_name("parameter")
        if caught is not None:
            self.pattern(caught, inner, NOTHING)
            self.type_(node.child_by_field_name("type"), inner)
        inside = node.child_by_field_name("body")
        if inside is not None:
            self.block(inside, inner)
        return []
