"""What a node of a C or C++ syntax tree is: a declaration, a definition, a use, and its role."""

from __future__ import annotations

import re
from pathlib import Path

import tree_sitter_c
import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

C = Language(tree_sitter_c.language())
CPP = Language(tree_sitter_cpp.language())
Position = tuple[int, int]  # row and column in bytes, both from zero

WORD = re.compile(rb"[\w$\x80-\xff]+")
NAMES = {"identifier", "field_identifier", "type_identifier", "namespace_identifier"}

DECLARATORS = {
    "function_declarator",
    "pointer_declarator",
    "array_declarator",
    "init_declarator",
    "parenthesized_declarator",
    "reference_declarator",
    "attributed_declarator",
    "variadic_declarator",
}
FIELDLESS = {
    "reference_declarator",
    "parenthesized_declarator",
    "attributed_declarator",
    "variadic_declarator",
}

DECLARING = {
    "declaration": "variable",
    "parameter_declaration": "parameter",
    "optional_parameter_declaration": "parameter",
    "variadic_parameter_declaration": "parameter",
    "function_definition": "function",
    "field_declaration": "field",
    "type_definition": "type",
    "for_range_loop": "variable",
}

NAMED = {
    "preproc_def": "macro",
    "preproc_function_def": "macro",
    "enumerator": "variant",
    "alias_declaration": "type",
    "namespace_definition": "namespace",
    "concept_definition": "concept",
}

TAGGED = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}

TYPE_PARAMETERS = {
    "type_parameter_declaration",
    "optional_type_parameter_declaration",
    "variadic_type_parameter_declaration",
}

PARAMETERS = {"parameter", "type_parameter", "macro_parameter"}

FIELD_ROLES = {
    ("call_expression", "function"): "call",
    ("new_expression", "type"): "new",
    ("compound_literal_expression", "type"): "new",
    ("assignment_expression", "left"): "write",
}

# Nodes whose field holds the last part of a longer name.
LAST_PARTS = {
    "qualified_identifier": "name",
    "template_function": "name",
    "template_type": "name",
    "template_method": "name",
    "field_expression": "field",
    "dependent_name": None,
}


class SourceFile:
    """A parsed file and its identifiers by position."""

    def __init__(self, path: Path, is_cpp: bool) -> None:
        self.data = path.read_bytes()
        self.lines = self.data.split(b"\n")
        self.tree = Parser(CPP if is_cpp else C).parse(self.data)
        self.names: dict[Position, Node] = {}
        todo = [self.tree.root_node]
        while todo:
            node = todo.pop()
            if node.type in NAMES and not node.is_missing:
                self.names[place_of(node)] = node
            todo.extend(node.children)

    def word(self, position: Position) -> str:
        """The name that stands there; what a macro declares stands at its call."""
        line = self.lines[position[0]] if position[0] < len(self.lines) else b""
        found = WORD.match(line, position[1])
        return found[0].decode("utf-8", "replace") if found else ""

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def place_of(node: Node) -> Position:
    return node.start_point[0], node.start_point[1]


def declared_kind(node: Node) -> str | None:
    """The kind of thing the name declares; None where it is a use."""
    parent = node.parent
    if parent is None:
        return None
    if parent.type in TAGGED:
        return TAGGED[parent.type] if declares_tag(node, parent) else None
    if parent.type in NAMED:
        return NAMED[parent.type] if parent.child_by_field_name("name") == node else None
    if parent.type in TYPE_PARAMETERS:
        return "type_parameter" if parent.child_by_field_name("default_type") != node else None
    if parent.type == "preproc_params":
        return "macro_parameter"
    top, is_function = climb_declarator(node)
    owner = top.parent if top is not None else None
    if top is None or owner is None or owner.type not in DECLARING:
        return None
    if top not in owner.children_by_field_name("declarator"):
        return None
    if is_function and owner.type in ("declaration", "field_declaration", "function_definition"):
        is_method = node.type == "field_identifier" or parent.type == "qualified_identifier"
        return "method" if is_method else "function"
    return DECLARING[owner.type]


def declares_tag(node: Node, specifier: Node) -> bool:
    """Whether `struct name` has a body, or is a statement of its own."""
    if specifier.child_by_field_name("name") != node:
        return False
    if specifier.child_by_field_name("body") is not None:
        return True
    after, around = specifier.next_sibling, specifier.parent
    is_type_of = around is not None and (around.type in DECLARING or "friend" in around.type)
    return after is not None and after.type == ";" and not is_type_of


def climb_declarator(node: Node) -> tuple[Node | None, bool]:
    """The whole declarator around a name, and whether it declares a function."""
    at, parent, is_function, is_pointer = node, node.parent, False, False
    while parent is not None and (
        parent.type in DECLARATORS or parent.type == "qualified_identifier"
    ):
        key = "name" if parent.type == "qualified_identifier" else "declarator"
        if parent.child_by_field_name(key) != at and parent.type not in FIELDLESS:
            return None, False
        is_pointer |= parent.type == "parenthesized_declarator" and not is_function
        is_function |= parent.type == "function_declarator" and not is_pointer
        at, parent = parent, parent.parent
    return at, is_function


def is_definition(node: Node) -> bool:
    """Whether a declaring name stands at the thing itself, not at an announcement of it."""
    kind, parent = declared_kind(node), node.parent
    if kind is None or parent is None:
        return False
    if parent.type in TAGGED:
        return parent.child_by_field_name("body") is not None
    owner = owner_of(node)
    if kind in ("function", "method"):
        return owner is not None and owner.type == "function_definition"
    if kind == "variable" and owner is not None:
        return "extern" not in storage(owner) or any(
            child.type == "init_declarator" for child in owner.children
        )
    if kind == "field" and owner is not None:
        return "static" not in storage(owner)
    return True


def owner_of(node: Node) -> Node | None:
    top, _ = climb_declarator(node)
    return top.parent if top is not None else None


def storage(owner: Node) -> set[str]:
    """The words `extern` and `static` of a declaration."""
    found = {
        child.text.decode("utf-8", "replace")
        for child in owner.children
        if child.type == "storage_class_specifier" and child.text
    }
    block = owner.parent
    if block is not None and block.type == "linkage_specification":
        found.add("extern")
    return found


def is_local(node: Node) -> bool:
    """Whether a declaring name is known inside one function, template or macro only."""
    if declared_kind(node) in PARAMETERS:
        return True
    at: Node | None = node
    while at is not None:
        parent = at.parent
        if parent is not None and parent.type in ("function_definition", "lambda_expression"):
            return parent.child_by_field_name("body") == at
        at = parent
    return False


def aliased(node: Node) -> Node | None:
    """The `struct ...` that a declaring `typedef` name is another name of."""
    owner = owner_of(node)
    if owner is None or owner.type != "type_definition":
        return None
    specifier = owner.child_by_field_name("type")
    return specifier if specifier is not None and specifier.type in TAGGED else None


def climb(node: Node) -> tuple[Node, Node | None]:
    """Goes up from the last part of a qualified, templated or member name."""
    parent = node.parent
    while parent is not None and parent.type in LAST_PARTS:
        key = LAST_PARTS[parent.type]
        if key is not None and parent.child_by_field_name(key) != node:
            break
        node, parent = parent, parent.parent
    return node, parent


def role_of(node: Node) -> str:
    top, parent = climb(node)
    if parent is None:
        return "ref"
    for (kind, name), role in FIELD_ROLES.items():
        if parent.type == kind and parent.child_by_field_name(name) == top:
            return role
    if parent.type == "base_class_clause":
        return "heritage"
    if parent.type == "using_declaration":
        return "import"
    return "type" if node.type == "type_identifier" else "ref"


def is_member(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type in ("template_method", "dependent_name"):
        parent = parent.parent
    return (
        node.type == "field_identifier"
        and parent is not None
        and parent.type == "field_expression"
    )


def is_qualified(node: Node) -> bool:
    before = node.prev_sibling
    return before is not None and before.type == "::"


def in_using(node: Node) -> bool:
    """Whether the name is brought in by `using a::name;`."""
    _, parent = climb(node)
    return parent is not None and parent.type == "using_declaration"


def enclosing_class(node: Node) -> Node | None:
    """The name of the class whose body or whose `Class::` a method stands in."""
    if declared_kind(node) not in ("function", "method"):
        return None
    parent = node.parent
    if parent is not None and parent.type == "qualified_identifier":
        scope = parent.child_by_field_name("scope")
        return scope if scope is not None and scope.type in NAMES else None
    at: Node | None = parent
    while at is not None and at.type != "field_declaration_list":
        if at.type == "compound_statement":
            return None
        at = at.parent
    return at.parent.child_by_field_name("name") if at is not None and at.parent else None
