"""Identifier uses and declarations of one Python file, read with tree-sitter (byte columns)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import tree_sitter
import tree_sitter_python

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))

TARGET_LISTS = {
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "tuple",
    "list",
    "expression_list",
}
SPLATS = {"list_splat_pattern", "dictionary_splat_pattern", "list_splat", "splat_pattern"}
PARAMETERS_WITH_PARTS = {"default_parameter", "typed_default_parameter", "typed_parameter"}
VARIANT_DECORATORS = ("overload", ".setter", ".getter", ".deleter")
SKIPPED = {"global_statement", "nonlocal_statement", "comment", "future_import_statement"}


@dataclass(frozen=True)
class Use:
    row: int
    column: int
    name: str
    role: str
    member: bool


@dataclass(frozen=True)
class Declaration:
    kind: str
    name: str
    row: int
    column: int
    first_row: int
    last_row: int
    local: bool
    scope: int = -1
    is_variant: bool = False


@dataclass(frozen=True)
class Scope:
    """Where a node stands: in a class body or a function; `start` tells scopes apart."""

    in_class: bool = False
    in_function: bool = False
    start: int = -1


@dataclass
class PythonFile:
    """The uses and declarations of one source text."""

    source: bytes
    uses: list[Use] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    import_rows: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        _Reader(self).visit(PARSER.parse(self.source).root_node, Scope())

    @cached_property
    def lines(self) -> list[bytes]:
        return self.source.split(b"\n")

    def utf16_column(self, row: int, column: int) -> int:
        prefix = self.lines[row][:column]
        return (
            column
            if prefix.isascii()
            else len(prefix.decode("utf-8", "replace").encode("utf-16-le")) // 2
        )

    def byte_column(self, row: int, column: int) -> int:
        if row >= len(self.lines) or self.lines[row].isascii():
            return column
        units = self.lines[row].decode("utf-8", "replace").encode("utf-16-le")[: column * 2]
        return len(units.decode("utf-16-le", "replace").encode())

    @cached_property
    def by_position(self) -> dict[tuple[int, int], Declaration]:
        return {(d.row, d.column): d for d in reversed(self.declarations)}

    @cached_property
    def headers_by_row(self) -> dict[int, list[Declaration]]:
        """Declarations by every row from their first (decorator) row to the row of their name."""
        table: dict[int, list[Declaration]] = {}
        for declaration in self.declarations:
            for row in range(declaration.first_row, declaration.row + 1):
                table.setdefault(row, []).append(declaration)
        return table

    def declaration_at(self, row: int, column: int, name: str) -> Declaration | None:
        """The declaration a server means when it points at this position for this name."""
        exact = self.by_position.get((row, column))
        if exact is not None:
            return exact
        near = self.headers_by_row.get(row, [])
        named = [d for d in near if d.name == name]
        blocks = [d for d in near if d.kind in {"function", "local_function", "method", "class"}]
        return next(iter(named or blocks), None)

    @cached_property
    def variants(self) -> dict[tuple[int, str], list[Declaration]]:
        """Overloads with their implementation, and accessors of a property, by scope and name."""
        groups: dict[tuple[int, str], list[Declaration]] = {}
        for declaration in self.declarations:
            if declaration.kind in {"function", "local_function", "method"}:
                groups.setdefault((declaration.scope, declaration.name), []).append(declaration)
        return {key: group for key, group in groups.items() if any(d.is_variant for d in group)}

    def with_variants(self, declaration: Declaration) -> list[Declaration]:
        group = self.variants.get((declaration.scope, declaration.name), [])
        return group if declaration in group else [declaration]

    def class_around(self, row: int) -> Declaration | None:
        around = [d for d in self.declarations if d.kind == "class" and d.row < row <= d.last_row]
        return max(around, key=lambda d: d.row, default=None)


Node = tree_sitter.Node
Visitor = Callable[["_Reader", Node, Scope], None]


class _Reader:
    """Walks a syntax tree and fills the uses and declarations of a file."""

    def __init__(self, file: PythonFile) -> None:
        self.file = file
        self.in_type = False

    def text(self, node: Node) -> str:
        return self.file.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def use(self, node: Node, role: str, member: bool = False) -> None:
        if role == "ref" and self.in_type:
            role = "type"
        row, column = node.start_point[0], node.start_point[1]
        self.file.uses.append(Use(row, column, self.text(node), role, member))

    def declare(self, node: Node, kind: str, local: bool, whole: Node | None = None) -> None:
        row, column = node.start_point[0], node.start_point[1]
        first, last = (row, row) if whole is None else (whole.start_point[0], whole.end_point[0])
        self.file.declarations.append(
            Declaration(kind, self.text(node), row, column, first, last, local)
        )

    def declare_variable(self, node: Node, scope: Scope) -> None:
        local = scope.in_function and not scope.in_class
        self.declare(node, "class_var" if scope.in_class else "variable", local)

    def visit(self, node: Node, scope: Scope) -> None:
        if node.type in SKIPPED:
            return
        visitor = VISITORS.get(node.type, _Reader.visit_children)
        try:
            visitor(self, node, scope)
        except MissingPart:
            self.visit_children(node, scope)

    def visit_children(self, node: Node, scope: Scope, *without: Node | None) -> None:
        for child in node.named_children:
            if child not in without:
                self.visit(child, scope)

    def expression(self, node: Node, scope: Scope, role: str) -> None:
        """Visit an expression whose outermost name has this role."""
        if node.type == "identifier":
            self.use(node, role)
        elif node.type == "attribute":
            self.use(_part(node, "attribute"), role, member=True)
            self.visit(_part(node, "object"), scope)
        elif node.type == "subscript" and role == "heritage":
            value = _part(node, "value")
            self.expression(value, scope, role)
            self.visit_children(node, scope, value)
        elif node.type == "parenthesized_expression" and node.named_child_count == 1:
            self.expression(node.named_children[0], scope, role)
        else:
            self.visit(node, scope)

    def reference(self, node: Node, scope: Scope) -> None:
        self.expression(node, scope, "ref")

    def function(self, node: Node, scope: Scope) -> None:
        name, whole = _part(node, "name"), _with_decorators(node)
        kind = (
            "method" if scope.in_class else "local_function" if scope.in_function else "function"
        )
        row, column = name.start_point[0], name.start_point[1]
        decorators = [
            self.text(child) for child in whole.named_children if child.type == "decorator"
        ]
        self.file.declarations.append(
            Declaration(
                kind=kind,
                name=self.text(name),
                row=row,
                column=column,
                first_row=whole.start_point[0],
                last_row=whole.end_point[0],
                local=kind == "local_function",
                scope=scope.start,
                is_variant=any(text.strip().endswith(VARIANT_DECORATORS) for text in decorators),
            )
        )
        for child in node.named_children:
            if child.type == "block":
                self.visit(child, Scope(in_function=True, start=node.start_byte))
            elif child != name:
                self.visit(child, scope)

    def class_definition(self, node: Node, scope: Scope) -> None:
        name = _part(node, "name")
        self.declare(name, "class", scope.in_function, _with_decorators(node))
        for child in node.named_children:
            if child.type == "argument_list":
                for argument in child.named_children:
                    self.expression(argument, scope, "heritage")
            elif child.type == "block":
                self.visit(child, Scope(True, scope.in_function, node.start_byte))
            elif child != name:
                self.visit(child, scope)

    def parameters(self, node: Node, scope: Scope) -> None:
        for child in node.named_children:
            if child.type in PARAMETERS_WITH_PARTS:
                name = child.child_by_field_name("name") or child.named_children[0]
                self.parameter_name(name)
                self.visit_children(child, scope, name)
            else:
                self.parameter_name(child)

    def parameter_name(self, node: Node) -> None:
        if node.type == "identifier":
            self.declare(node, "param", True)
        elif node.type in SPLATS or node.type in TARGET_LISTS:
            for child in node.named_children:
                self.parameter_name(child)

    def type_annotation(self, node: Node, scope: Scope) -> None:
        outer, self.in_type = self.in_type, True
        self.visit_children(node, scope)
        self.in_type = outer

    def type_parameters(self, node: Node, scope: Scope) -> None:  # noqa: ARG002
        """`[T: Bound]` of a class, function or type alias declares T; the bound is a type."""
        for child in node.named_children:
            names = list(_identifiers_of_type(child))
            if names:
                self.declare(names[0], "type_param", True)
            outer, self.in_type = self.in_type, True
            for other in names[1:]:
                self.use(other, "type")
            self.in_type = outer

    def type_alias(self, node: Node, scope: Scope) -> None:
        left, right = node.named_children[0], node.named_children[-1]
        names = list(_identifiers_of_type(left))
        if names:
            self.declare_variable(names[0], scope)
        for parameter in names[1:]:
            self.declare(parameter, "type_param", True)
        self.visit(right, scope)

    def assignment(self, node: Node, scope: Scope) -> None:
        left = _part(node, "left")
        self.target(left, scope)
        self.visit_children(node, scope, left)

    def target(self, node: Node, scope: Scope) -> None:
        """Names bound by an assignment are declarations; what they are bound on is a use."""
        if node.type == "identifier":
            self.declare_variable(node, scope)
        elif node.type in TARGET_LISTS or node.type in SPLATS:
            for child in node.named_children:
                self.target(child, scope)
        elif node.type == "attribute" and self.text(_part(node, "object")) in {"self", "cls"}:
            self.declare(_part(node, "attribute"), "attr", False)
            self.visit(_part(node, "object"), scope)
        else:
            self.visit(node, scope)

    def augmented_assignment(self, node: Node, scope: Scope) -> None:
        """`x += 1` is a use and binds x again."""
        if _part(node, "left").type == "identifier":
            self.declare_variable(_part(node, "left"), scope)
        self.visit_children(node, scope)

    def loop(self, node: Node, scope: Scope) -> None:
        left = _part(node, "left")
        self.target(left, scope)
        self.visit_children(node, scope, left)

    def comprehension_clause(self, node: Node, scope: Scope) -> None:
        left = _part(node, "left")
        self.target(left, Scope(in_function=True))
        self.visit_children(node, scope, left)

    def as_target(self, node: Node, scope: Scope) -> None:
        for child in node.named_children:
            self.target(child, scope)

    def as_pattern(self, node: Node, scope: Scope) -> None:
        for child in node.named_children[:-1]:
            self.visit(child, scope)
        self.target_or_visit(node.named_children[-1], scope)

    def target_or_visit(self, node: Node, scope: Scope) -> None:
        if node.type == "identifier":
            self.target(node, scope)
        else:
            self.visit(node, scope)

    def walrus(self, node: Node, scope: Scope) -> None:
        self.target(_part(node, "name"), Scope(in_function=scope.in_function))
        self.visit(_part(node, "value"), scope)

    def capture(self, node: Node, scope: Scope) -> None:
        """`case name:` and `*rest` bind a name; a dotted name in a pattern is a use."""
        for child in node.named_children:
            if child.type == "dotted_name" and child.named_child_count == 1:
                self.target(child.named_children[0], scope)
            else:
                self.target_or_visit(child, scope)

    def dotted_pattern(self, node: Node, scope: Scope) -> None:  # noqa: ARG002
        for index, part in enumerate(node.named_children):
            self.use(part, "ref", member=index > 0)

    def keyword_pattern(self, node: Node, scope: Scope) -> None:
        self.visit_children(node, scope, node.named_children[0])

    def lambda_expression(self, node: Node, scope: Scope) -> None:
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            self.parameters(parameters, scope)
        self.visit(_part(node, "body"), Scope(in_function=True))

    def call(self, node: Node, scope: Scope) -> None:
        function = _part(node, "function")
        self.expression(function, scope, "call")
        self.visit_children(node, scope, function)

    def decorator(self, node: Node, scope: Scope) -> None:
        for child in node.named_children:
            self.expression(child, scope, "decorator")

    def keyword_argument(self, node: Node, scope: Scope) -> None:
        self.visit(_part(node, "value"), scope)

    def import_statement(self, node: Node, scope: Scope) -> None:
        """Every part of an imported name is a use; what it binds is declared by an import."""
        self.file.import_rows.update(range(node.start_point[0], node.end_point[0] + 1))
        module = node.child_by_field_name("module_name")
        local = scope.in_function and not scope.in_class
        for child in node.named_children:
            imported = child
            if child.type == "aliased_import":
                imported = _part(child, "name")
                self.declare(_part(child, "alias"), "import", local)
            elif child.type == "dotted_name" and child != module:
                self.declare(child.named_children[0], "import", local)
            for part in _dotted_parts(imported):
                self.use(part, "import")


class MissingPart(ValueError):
    """A syntax error left a node without a required part."""


def _part(node: Node, field_name: str) -> Node:
    child = node.child_by_field_name(field_name)
    if child is None:
        raise MissingPart(f"{node.type} without {field_name}")
    return child


def _with_decorators(node: Node) -> Node:
    parent = node.parent
    return parent if parent is not None and parent.type == "decorated_definition" else node


def _dotted_parts(node: Node) -> Iterator[Node]:
    if node.type == "dotted_name":
        yield from node.named_children
    elif node.type == "relative_import":
        for child in node.named_children:
            yield from _dotted_parts(child)


def _identifiers_of_type(node: Node) -> Iterator[Node]:
    if node.type == "identifier":
        yield node
    else:
        for child in node.named_children:
            yield from _identifiers_of_type(child)


VISITORS: dict[str, Visitor] = {
    "function_definition": _Reader.function,
    "class_definition": _Reader.class_definition,
    "parameters": _Reader.parameters,
    "type": _Reader.type_annotation,
    "type_parameter": _Reader.type_parameters,
    "type_alias_statement": _Reader.type_alias,
    "assignment": _Reader.assignment,
    "augmented_assignment": _Reader.augmented_assignment,
    "for_statement": _Reader.loop,
    "for_in_clause": _Reader.comprehension_clause,
    "as_pattern": _Reader.as_pattern,
    "as_pattern_target": _Reader.as_target,
    "named_expression": _Reader.walrus,
    "case_pattern": _Reader.capture,
    "splat_pattern": _Reader.capture,
    "dotted_name": _Reader.dotted_pattern,
    "keyword_pattern": _Reader.keyword_pattern,
    "lambda": _Reader.lambda_expression,
    "call": _Reader.call,
    "decorator": _Reader.decorator,
    "keyword_argument": _Reader.keyword_argument,
    "import_statement": _Reader.import_statement,
    "import_from_statement": _Reader.import_statement,
    "identifier": _Reader.reference,
    "attribute": _Reader.reference,
}
