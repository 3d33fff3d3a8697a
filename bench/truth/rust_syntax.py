"""What a node of a Rust syntax tree is: a declaration, a use, and in which role."""

from tree_sitter import Node

ITEM_KINDS = {
    "function_item": "function",
    "function_signature_item": "function",
    "struct_item": "struct",
    "enum_item": "enum",
    "union_item": "union",
    "trait_item": "trait",
    "type_item": "type",
    "associated_type": "type",
    "const_item": "const",
    "static_item": "static",
    "mod_item": "module",
    "macro_definition": "macro",
    "enum_variant": "variant",
    "field_declaration": "field",
    "type_parameter": "type_parameter",
    "const_parameter": "type_parameter",
}

KEYWORD_KINDS = {
    "fn": "function",
    "struct": "struct",
    "enum": "enum",
    "trait": "trait",
    "type": "type",
    "const": "const",
    "static": "static",
    "mod": "module",
    "union": "union",
}


def declared_kind(node: Node) -> str | None:
    """The kind of item the name declares; None for variables and for uses."""
    parent = node.parent
    if parent is None:
        return None
    if parent.type == "token_tree":
        before = node.prev_sibling
        return KEYWORD_KINDS.get(before.type) if before is not None else None
    if parent.child_by_field_name("name") != node:
        return "type_parameter" if parent.type == "type_parameters" else None
    kind = ITEM_KINDS.get(parent.type)
    if kind == "function":
        parameters = parent.child_by_field_name("parameters")
        has_self = parameters is not None and any(
            c.type == "self_parameter" for c in parameters.children
        )
        owner = parent.parent
        in_impl = (
            owner is not None
            and owner.type == "declaration_list"
            and owner.parent is not None
            and owner.parent.type in ("impl_item", "trait_item")
        )
        return "method" if has_self or in_impl else "function"
    return kind


def is_local(node: Node) -> bool:
    kind = declared_kind(node)
    if kind == "type_parameter" or (
        kind is None and node.parent is not None and node.parent.type == "token_tree"
    ):
        return True  # a bare name in a macro call that declares no item is a variable
    at = node.parent if kind else node
    while at is not None:
        inside = at.parent
        if inside is not None and inside.type in (
            "function_item",
            "closure_expression",
            "function_signature_item",
        ):
            return True
        at = inside
    return False


def in_pattern(node: Node) -> bool:
    at: Node | None = node
    while at is not None and at.parent is not None:
        parent = at.parent
        if parent.type in (
            "let_declaration",
            "parameter",
            "for_expression",
            "let_condition",
            "match_arm",
        ):
            return parent.child_by_field_name("pattern") == at
        if parent.type in ("closure_parameters", "block", "call_expression", "field_expression"):
            return parent.type == "closure_parameters"
        at = parent
    return False


def is_macro_name(node: Node) -> bool:
    """As a target: the declaration comes out of this macro call."""
    top, parent = climb(node)
    return (
        parent is not None
        and parent.type == "macro_invocation"
        and parent.child_by_field_name("macro") == top
    )


def in_attribute(node: Node | None) -> bool:
    while node is not None and node.type not in (
        "attribute_item",
        "inner_attribute_item",
        "block",
    ):
        node = node.parent
    return node is not None and node.type != "block"


def in_unexpanded(node: Node) -> bool:
    """In an attribute, or in the body of a macro_rules definition."""
    at: Node | None = node
    while at is not None and at.type != "macro_definition":
        at = at.parent
    return at is not None or in_attribute(node)


def climb(node: Node) -> tuple[Node, Node | None]:
    """Goes up from the last segment of a path, past type arguments; gives node and parent."""
    parent = node.parent
    while parent is not None:
        if parent.type in ("scoped_identifier", "scoped_type_identifier"):
            if parent.child_by_field_name("name") != node:
                break
        elif parent.type in ("generic_function", "generic_type", "generic_type_with_turbofish"):
            if node not in (
                parent.child_by_field_name("function"),
                parent.child_by_field_name("type"),
            ):
                break
        elif parent.type == "field_expression":
            if parent.child_by_field_name("field") != node:
                break
        else:
            break
        node, parent = parent, parent.parent
    return node, parent


FIELD_ROLES = {
    ("call_expression", "function"): "call",
    ("macro_invocation", "macro"): "call",
    ("struct_expression", "name"): "new",
    ("impl_item", "trait"): "heritage",
    ("assignment_expression", "left"): "write",
}


def role_of(node: Node) -> str:
    at: Node | None = node
    while at is not None:
        if at.type == "use_declaration":
            return "import"
        if at.type in ("attribute_item", "inner_attribute_item"):
            return "decorator"
        if at.type in ("block", "declaration_list"):
            break
        at = at.parent
    top, parent = climb(node)
    if parent is None:
        return "ref"
    if parent.type == "token_tree":
        return token_role(top)
    for (kind, name), role in FIELD_ROLES.items():
        if parent.type == kind and parent.child_by_field_name(name) == top:
            return role
    if (
        parent.type == "trait_bounds"
        and parent.parent is not None
        and parent.parent.type == "trait_item"
    ):
        return "heritage"
    return "type" if node.type == "type_identifier" else "ref"


def token_role(node: Node) -> str:
    """The role of a bare token inside a macro call, by the token that follows."""
    after = node.next_sibling
    if after is not None and after.type == "!":
        return "call"
    if after is not None and after.type == "token_tree" and after.child_count:
        return {"(": "call", "{": "new"}.get(after.children[0].type, "ref")
    return "ref"


def is_member(node: Node) -> bool:
    parent, before = node.parent, node.prev_sibling
    if parent is not None and parent.type == "field_expression":
        return parent.child_by_field_name("field") == node
    return (
        parent is not None
        and parent.type == "token_tree"
        and before is not None
        and before.type == "."
    )


def is_qualified(node: Node) -> bool:
    before = node.prev_sibling
    return before is not None and before.type == "::"
