"""Go: statements and declarations; types and expressions are in `go_expressions`."""

import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.go_expressions import CALLED, Expressions

_VERSION = re.compile(r"^v\d+$|\.v\d+$")
_TWO_VALUED = frozenset({"index_expression", "type_assertion_expression", "unary_expression"})
_PAIR = 2


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a Go file."""
    walker = _Walker(text)
    try:
        walker.block(root, 0)
        return walker.builder.finish()
    finally:
        walker.close()


class _Walker(Expressions):
    """Goes through statements once, in source order."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._statements: dict[str, Callable[[Node, int], None]] = {
            "package_clause": self._package,
            "import_spec": self._import,
            "type_spec": self._type_spec,
            "type_alias": self._type_alias,
            "function_declaration": self._function,
            "method_declaration": self._method,
            "var_spec": self._variables,
            "const_spec": self._variables,
            "short_var_declaration": self._short_variables,
            "assignment_statement": self._assignment,
            "receive_statement": self._short_variables,
            "range_clause": self._range,
            "type_switch_statement": self._type_switch,
            "return_statement": self._return,
            "comment": lambda _node, _scope: None,
        }
        for name in ("block", "if_statement", "for_statement", "expression_switch_statement",
                     "select_statement", "expression_case", "default_case",
                     "communication_case"):  # fmt: skip
            self._statements[name] = self._scoped
        for name in ("source_file", "import_declaration", "import_spec_list", "type_declaration",
                     "var_declaration", "var_spec_list", "const_declaration", "statement_list",
                     "expression_statement", "for_clause", "labeled_statement", "go_statement",
                     "defer_statement", "send_statement", "expression_list"):  # fmt: skip
            self._statements[name] = self.block
        for name in ("inc_statement", "dec_statement"):
            self._statements[name] = self._step

    def close(self) -> None:
        """Let go of everything: the tables of methods keep it alive where no garbage is sought."""
        self.__dict__.clear()

    def block(self, node: Node, scope: int) -> None:
        """Everything below a node."""
        for child in node.named_children:
            visit = self._statements.get(child.type)
            if visit is not None:
                visit(child, scope)
            else:
                self.expression(child, scope)

    def _step(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            self.expression(child, scope, Role.WRITE)

    def _scoped(self, node: Node, scope: int) -> None:
        self.block(node, self.builder.open_scope(ScopeKind.BLOCK, scope))

    def _package(self, node: Node, _scope: int) -> None:
        for child in node.named_children:
            self.builder.package = self.builder.text(child)

    def _import(self, node: Node, scope: int) -> None:
        path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
        if path is None:
            return
        module = self.builder.text(path).strip('"`')
        if name is not None and name.type == "dot":
            self.builder.stars.append(module)
            return
        value = self.builder.expr("from", module, "")
        called = self.builder.text(name) if name is not None else _package_name(module)
        if called != "_":
            self.builder.declare_name(called, name or path, DeclKind.IMPORT, scope, value=value)

    # Types.

    def _type_spec(self, node: Node, scope: int) -> None:
        name, written = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None or written is None:
            return
        is_interface = written.type == "interface_type"
        kind = DeclKind.INTERFACE if is_interface else DeclKind.CLASS
        number = self.builder.declare(name, kind, scope, flags=self.builder.local_flag(scope))
        around = self.builder.open_scope(ScopeKind.BLOCK, scope)
        generic = self.type_parameters(node.child_by_field_name("type_parameters"), around)
        inner = self.builder.open_scope(ScopeKind.CLASS, around, number)
        self.builder.update(number, inner=inner, type_parameters=generic)
        if written.type in ("struct_type", "interface_type"):
            parts = self.members(written, around, inner)
        elif written.type == "function_type":
            method = self.builder.declare_name(CALLED, written, DeclKind.METHOD, inner)
            self.signature(written, around, method)
            parts = ()
        else:
            base = self.type_(written, around)
            parts = (base,) if base != NOTHING else ()
        self.builder.update(number, parts=parts)

    def _type_alias(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            number = self.builder.declare(
                name, DeclKind.TYPE, scope, flags=self.builder.local_flag(scope)
            )
            self.builder.update(number, type=self.type_(node.child_by_field_name("type"), scope))

    def members(self, node: Node, scope: int, inner: int) -> tuple[int, ...]:
        """Bind the fields or methods of a type; returns what is embedded in it."""
        embedded: list[int] = []
        lists = [c for c in node.named_children if c.type == "field_declaration_list"]
        for child in lists[0].named_children if lists else node.named_children:
            if child.type == "field_declaration":
                embedded += self._field(child, scope, inner)
            elif child.type == "method_elem":
                name = child.child_by_field_name("name")
                if name is not None:
                    number = self.builder.declare(name, DeclKind.METHOD, inner)
                    self.signature(child, scope, number)
            elif child.type == "type_elem":
                embedded += [
                    self.type_(part, scope, Role.INHERIT) for part in child.named_children
                ]
        return tuple(item for item in embedded if item != NOTHING)

    def _field(self, node: Node, scope: int, inner: int) -> list[int]:
        names = node.children_by_field_name("name")
        written = node.child_by_field_name("type")
        if names:
            declared = self.type_(written, scope)
            for name in names:
                self.builder.declare(name, DeclKind.FIELD, inner, type=declared)
            return []
        base = self.type_(written, scope, Role.INHERIT)
        last = _last_name(written)
        if last is not None:  # an embedded type is also a field by its name
            self.builder.declare(last, DeclKind.FIELD, inner, type=base)
        return [base]

    # Functions.

    def _function(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        bind = self.builder.text(name) not in ("init", "_")
        number = self.builder.declare_name(
            self.builder.text(name), name, DeclKind.FUNCTION, scope, bind=bind
        )
        self._body(node, scope, number)

    def _body(self, node: Node, scope: int, number: int) -> None:
        inner = self.signature(node, scope, number)
        body = node.child_by_field_name("body")
        if body is not None:
            self.inside(number, body, inner)

    def _method(self, node: Node, scope: int) -> None:
        """A method is known in the whole package by its type and its name."""
        name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
        if name is None or receiver is None or not receiver.named_children:
            return
        given = receiver.named_children[0]
        written = given.child_by_field_name("type")
        owner = _last_name(written)
        if owner is None:
            return
        called = f"{self.builder.text(owner)}.{self.builder.text(name)}"
        number = self.builder.declare_name(called, name, DeclKind.METHOD, scope)
        around = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        generic = tuple(
            self.builder.declare(item, DeclKind.TYPE_PARAMETER, around, flags=DeclFlag.LOCAL)
            for item in _type_argument_names(written)
        )
        declared = self.builder.expr("name", self.builder.text(owner), scope)
        self.builder.use(owner, Role.TYPE, declared)
        if generic:
            arguments = tuple(
                self.builder.expr("name", self.builder.decls[item].name, around)
                for item in generic
            )
            declared = self.builder.expr("apply", declared, arguments)
        receiver_name = given.child_by_field_name("name")
        if receiver_name is not None:
            self.builder.declare(
                receiver_name, DeclKind.PARAMETER, around, type=declared, flags=DeclFlag.LOCAL
            )
        self.builder.update(number, type_parameters=generic)
        self._body(node, around, number)

    def _return(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            values = [self.expression(part, scope) for part in child.named_children]
            if len(values) == 1 and values[0] != NOTHING:
                self.returned.append(values[0])
            elif len(values) > 1:
                self.returned.append(self.builder.expr("tuple", tuple(values)))

    # Variables.

    def _variables(self, node: Node, scope: int) -> None:
        names = node.children_by_field_name("name")
        declared = self.type_(node.child_by_field_name("type"), scope)
        value = node.child_by_field_name("value")
        values = self._values(value, scope, len(names))
        for position, name in enumerate(names):
            if name.type == "identifier":
                self._declare(name, scope, values[position], declared)

    def _declare(self, node: Node, scope: int, value: int, declared: int = NOTHING) -> None:
        if self.builder.text(node) == "_":
            return
        flags = self.builder.local_flag(scope)
        self.builder.declare(
            node, DeclKind.VARIABLE, scope, value=value, type=declared, flags=flags
        )

    def _values(self, node: Node | None, scope: int, count: int) -> list[int]:
        """What each of several names gets from the right side of an assignment."""
        if node is None:
            return [NOTHING] * count
        is_list = node.type == "expression_list"
        parts = [c for c in node.named_children if c.type != "comment"] if is_list else [node]
        values = [self.expression(part, scope) for part in parts]
        if len(values) == 1 and count > 1:
            return self._spread(parts[0], values[0], count)
        return (values + [NOTHING] * count)[:count]

    def _spread(self, node: Node, value: int, count: int) -> list[int]:
        if value == NOTHING:
            return [NOTHING] * count
        if node.type in _TWO_VALUED:  # `v, ok := m[k]`
            rest = [self.builder.expr("lit", "bool")] * (count - 1)
            return [value, *rest]
        return [self.builder.expr("item", value, position) for position in range(count)]

    def _short_variables(self, node: Node, scope: int) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        names = left.named_children if left is not None else []
        values = self._values(right, scope, max(1, len(names)))
        self._bind(names, values, scope, is_new=":=" in {child.type for child in node.children}
                   or node.type == "short_var_declaration")  # fmt: skip

    def _bind(
        self, names: Sequence[Node], values: Sequence[int], scope: int, *, is_new: bool
    ) -> None:
        for name, value in zip(names, values, strict=False):
            if is_new and name.type == "identifier":
                self._declare(name, scope, value)
            else:
                self.expression(name, scope, Role.WRITE)

    def _assignment(self, node: Node, scope: int) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if right is not None:
            self._values(right, scope, 1)
        for child in left.named_children if left is not None else ():
            if self.builder.text(child) != "_":
                self.expression(child, scope, Role.WRITE)

    def _range(self, node: Node, scope: int) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.expression(right, scope) if right is not None else NOTHING
        each = NOTHING if value == NOTHING else self.builder.expr("each", value)
        names = left.named_children if left is not None else []
        values = [
            NOTHING if each == NOTHING else self.builder.expr("item", each, position)
            for position in range(_PAIR)
        ]
        self._bind(names, values, scope, is_new=":=" in {child.type for child in node.children})

    def _type_switch(self, node: Node, scope: int) -> None:
        outer = self.builder.open_scope(ScopeKind.BLOCK, scope)
        alias, value = node.child_by_field_name("alias"), node.child_by_field_name("value")
        initial = node.child_by_field_name("initializer")
        if initial is not None:
            self._statements.get(initial.type, self.block)(initial, outer)
        switched = self.expression(value, outer) if value is not None else NOTHING
        for case in node.named_children:
            if case.type not in ("type_case", "default_case"):
                continue
            inner = self.builder.open_scope(ScopeKind.BLOCK, outer)
            types = [self.type_(item, inner) for item in case.children_by_field_name("type")]
            known = [item for item in types if item != NOTHING]
            narrowed = (
                self.builder.expr("typed", known[0])
                if len(types) == len(known) == 1
                else (switched)
            )
            for name in alias.named_children if alias is not None else ():
                self._declare(name, inner, narrowed)
            for child in case.named_children:
                if child.type == "statement_list":
                    self.block(child, inner)


def _package_name(module: str) -> str:
    """The name under which a package is usually known: the last part that is no version."""
    parts = [part for part in module.split("/") if part]
    while len(parts) > 1 and _VERSION.match(parts[-1]):
        parts.pop()
    last = _VERSION.sub("", parts[-1]) if parts else module
    return last.removeprefix("go-").replace("-", "_")


def _last_name(node: Node | None) -> Node | None:
    """The identifier of a type's own name."""
    while node is not None and node.type not in ("type_identifier", "identifier"):
        if node.type == "qualified_type":
            node = node.child_by_field_name("name")
        elif node.type == "generic_type":
            node = node.child_by_field_name("type")
        else:
            node = node.named_children[0] if node.named_children else None
    return node


def _type_argument_names(node: Node | None) -> list[Node]:
    """The names of the type parameters in a receiver."""
    while node is not None and node.type in ("pointer_type", "parenthesized_type"):
        node = node.named_children[0] if node.named_children else None
    arguments = node.child_by_field_name("type_arguments") if node is not None else None
    found = []
    for child in arguments.named_children if arguments is not None else ():
        inner = child.named_children[0] if child.type == "type_elem" else child
        if inner.type in ("type_identifier", "identifier"):
            found.append(inner)
    return found
