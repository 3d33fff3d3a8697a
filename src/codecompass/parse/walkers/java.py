"""Java: packages, classes and statements; types and expressions are in `java_expressions`."""

import re
from collections.abc import Callable

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.java_expressions import Expressions

_TYPES = {
    "class_declaration": DeclKind.CLASS,
    "interface_declaration": DeclKind.INTERFACE,
    "annotation_type_declaration": DeclKind.INTERFACE,
    "enum_declaration": DeclKind.ENUM,
    "record_declaration": DeclKind.CLASS,
}
CONSTRUCTOR = "<init>()"
"""The name under which constructors are bound."""
_NOT_TYPES = re.compile(r"@\w+(\([^)]*\))?|\bfinal\b|<[^<>]*>|\s")


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a Java file."""
    walker = _Walker(text)
    try:
        walker.block(root, 0)
        return walker.builder.finish()
    finally:
        walker.close()


class _Walker(Expressions):
    """Goes through declarations and statements once, in source order."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._switched = NOTHING
        self._statements: dict[str, Callable[[Node, int], None]] = {
            "package_declaration": self._package,
            "import_declaration": self._import,
            "field_declaration": self._fields,
            "constant_declaration": self._fields,
            "local_variable_declaration": self._locals,
            "method_declaration": self._method,
            "annotation_type_element_declaration": self._method,
            "constructor_declaration": self._constructor,
            "compact_constructor_declaration": self._constructor,
            "enum_constant": self._enum_constant,
            "enhanced_for_statement": self._each,
            "resource": self._resource,
            "catch_clause": self._catch,
            "return_statement": self._return,
            "switch_expression": self._switch,
            "switch_label": self._label,
            "explicit_constructor_invocation": self._explicit_constructor,
            "line_comment": lambda _node, _scope: None,
            "block_comment": lambda _node, _scope: None,
            **dict.fromkeys(_TYPES, self._type_declaration),
        }
        for name in ("block", "for_statement", "try_with_resources_statement", "switch_rule",
                     "constructor_body", "switch_block_statement_group"):  # fmt: skip
            self._statements[name] = self._scoped
        for name in ("program", "expression_statement", "if_statement", "while_statement",
                     "do_statement", "try_statement", "finally_clause", "throw_statement",
                     "synchronized_statement", "labeled_statement", "switch_block",
                     "static_initializer", "resource_specification", "enum_body",
                     "enum_body_declarations", "class_body", "interface_body", "yield_statement",
                     "annotation_type_body", "assert_statement"):  # fmt: skip
            self._statements[name] = self.block

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

    def _scoped(self, node: Node, scope: int) -> None:
        self.block(node, self.builder.open_scope(ScopeKind.BLOCK, scope))

    def _package(self, node: Node, _scope: int) -> None:
        for child in node.named_children:
            if child.type in ("identifier", "scoped_identifier"):
                self.builder.package = self.builder.text(child)

    def _import(self, node: Node, scope: int) -> None:
        names = [c for c in node.named_children if c.type in ("identifier", "scoped_identifier")]
        if not names:
            return
        text = self.builder.text(names[0])
        is_static = any(child.type == "static" for child in node.children)
        if any(child.type == "asterisk" for child in node.named_children):
            self.builder.stars.append(text)
            self._use_classes(names[0])
            return
        last = names[0].child_by_field_name("name") or names[0]
        name = self.builder.text(last)
        if not is_static:
            value = self.builder.expr("from", text, "")
            self.builder.declare(last, DeclKind.IMPORT, scope, value=value)
            self.builder.use(last, Role.IMPORT, value)
            self._use_classes(names[0].child_by_field_name("scope"))
            return
        owner = text.rpartition(".")[0]
        self._use_classes(names[0].child_by_field_name("scope"))
        self.builder.use(last, Role.IMPORT, self.builder.expr("from", owner, name))
        for called in (name, f"{name}()"):
            value = self.builder.expr("from", owner, called)
            self.builder.declare_name(called, last, DeclKind.IMPORT, scope, value=value)

    def _use_classes(self, node: Node | None) -> None:
        """The classes that are named in an import for the sake of their members."""
        while node is not None:
            last = node.child_by_field_name("name") or node
            if self.builder.text(last)[:1].isupper():
                value = self.builder.expr("from", self.builder.text(node), "")
                self.builder.use(last, Role.IMPORT, value)
            node = node.child_by_field_name("scope")

    # Classes.

    def _type_declaration(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        self._modifiers(node, scope)
        is_member = self.builder.scopes[scope].kind == ScopeKind.CLASS
        flags = 0 if is_member else self.builder.local_flag(scope)
        number = self.builder.declare(name, _TYPES[node.type], scope, flags=flags)
        around = self.builder.open_scope(ScopeKind.BLOCK, scope)
        generic = self.type_parameters(node.child_by_field_name("type_parameters"), around)
        bases: list[int] = []
        for child in node.named_children:
            if child.type in ("superclass", "super_interfaces", "extends_interfaces"):
                parts = child.named_children
                parts = (
                    parts[0].named_children if parts and parts[0].type == "type_list" else parts
                )
                bases += [self.type_(part, around, Role.INHERIT) for part in parts]
        self.builder.update(
            number, type_parameters=generic, parts=tuple(b for b in bases if b != NOTHING)
        )
        body = node.child_by_field_name("body")
        if body is not None:
            self.class_body(body, around, number)
        self._components(node, number)

    def class_body(self, node: Node, scope: int, number: int) -> None:
        """The members of a class."""
        inner = self.builder.open_scope(ScopeKind.CLASS, scope, number)
        self.builder.update(number, inner=inner)
        outer, self.this = self.this, number
        self.block(node, inner)
        self.this = outer

    def _components(self, node: Node, number: int) -> None:
        """What a record is made of: a field and a method for each."""
        given = node.child_by_field_name("parameters")
        inner = self.builder.decls[number].inner
        for child in given.named_children if given is not None else ():
            name = child.child_by_field_name("name")
            if child.type == "spread_parameter":
                name = child.named_children[-1].child_by_field_name("name")
            if name is None or inner == NOTHING:
                continue
            self._modifiers(child, inner)
            declared = self.type_(child.child_by_field_name("type"), inner)
            self.builder.declare(name, DeclKind.FIELD, inner, type=declared)
            called = f"{self.builder.text(name)}()"
            self.builder.declare_name(called, name, DeclKind.METHOD, inner, type=declared)

    def _modifiers(self, node: Node, scope: int) -> int:
        flags = 0
        for child in node.named_children:
            if child.type == "modifiers":
                words = {part.type for part in child.children}
                flags |= DeclFlag.STATIC if "static" in words else 0
                flags |= DeclFlag.PRIVATE if "private" in words else 0
                for part in child.named_children:
                    if part.type.endswith("annotation"):
                        self.annotation(part, scope)
        return flags

    def _fields(self, node: Node, scope: int) -> None:
        flags = self._modifiers(node, scope)
        declared = self.type_(node.child_by_field_name("type"), scope)
        self._declarators(node, scope, DeclKind.FIELD, declared, flags)

    def _locals(self, node: Node, scope: int) -> None:
        self._modifiers(node, scope)
        declared = self.type_(node.child_by_field_name("type"), scope)
        self._declarators(node, scope, DeclKind.VARIABLE, declared, DeclFlag.LOCAL)

    def _declarators(
        self, node: Node, scope: int, kind: DeclKind, declared: int, flags: int
    ) -> None:
        for child in node.children_by_field_name("declarator"):
            name, part = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is None:
                continue
            value = self.expression(part, scope) if part is not None else NOTHING
            written = self.array_of(declared, child.child_by_field_name("dimensions"))
            if written != NOTHING:
                self.expect(value, self.builder.expr("typed", written))
            self.builder.declare(name, kind, scope, type=written, value=value, flags=flags)

    def _method(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self._callable(node, name, scope, f"{self.builder.text(name)}()")

    def _constructor(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self._callable(node, name, scope, CONSTRUCTOR)

    def _callable(self, node: Node, name: Node, scope: int, called: str) -> None:
        flags = self._modifiers(node, scope)
        number = self.builder.declare_name(called, name, DeclKind.METHOD, scope, flags=flags)
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        generic = self.type_parameters(node.child_by_field_name("type_parameters"), inner)
        self.builder.is_result = True
        result = self.type_(node.child_by_field_name("type"), inner)
        self.builder.is_result = False
        given = node.child_by_field_name("parameters")
        parts = self.parameters(given, inner)
        self.builder.labels[number] = f"{self.builder.text(name)}({self._parameter_types(given)})"
        self.builder.update(number, inner=inner, parts=parts, type=result, type_parameters=generic)
        for child in node.named_children:
            if child.type == "throws":
                for part in child.named_children:
                    self.type_(part, inner)
        default = node.child_by_field_name("value")
        if default is not None:
            self.expression(default, inner)
        body = node.child_by_field_name("body")
        if body is not None:
            outer, self.returned = self.returned, []
            self.block(body, inner)
            self.builder.update(number, returns=tuple(self.returned))
            self.returned = outer

    def _parameter_types(self, node: Node | None) -> str:
        """The types that tell an overload from the others, as they are written."""
        found = []
        for child in node.named_children if node is not None else ():
            written = child.child_by_field_name("type")
            parts = [c for c in child.named_children if c.type != "modifiers"]
            rest = "..." if child.type == "spread_parameter" else ""
            shown = written if written is not None else (parts[0] if parts else None)
            if shown is not None and child.type in ("formal_parameter", "spread_parameter"):
                found.append(_NOT_TYPES.sub("", self.builder.text(shown)) + rest)
        return ",".join(found)

    def _explicit_constructor(self, node: Node, scope: int) -> None:
        self.arguments(node.child_by_field_name("arguments"), scope)

    def _enum_constant(self, node: Node, scope: int) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return
        self._modifiers(node, scope)
        number = self.builder.declare(name, DeclKind.ENUM_MEMBER, scope, flags=DeclFlag.STATIC)
        self.arguments(node.child_by_field_name("arguments"), scope)
        if body is not None:
            self.class_body(body, scope, number)

    # Statements.

    def _each(self, node: Node, scope: int) -> None:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
        over = self.expression(value, inner) if value is not None else NOTHING
        declared = self.type_(node.child_by_field_name("type"), inner)
        if name is not None:
            item = NOTHING if over == NOTHING else self.builder.expr("each", over)
            self.builder.declare(
                name, DeclKind.VARIABLE, inner, type=declared, value=item, flags=DeclFlag.LOCAL
            )
        body = node.child_by_field_name("body")
        if body is not None:
            self._statements.get(body.type, self.block)(body, inner)

    def _resource(self, node: Node, scope: int) -> None:
        name, part = node.child_by_field_name("name"), node.child_by_field_name("value")
        declared = self.type_(node.child_by_field_name("type"), scope)
        value = self.expression(part, scope) if part is not None else NOTHING
        if name is None:
            self.block(node, scope)
            return
        self.builder.declare(
            name, DeclKind.VARIABLE, scope, type=declared, value=value, flags=DeclFlag.LOCAL
        )

    def _catch(self, node: Node, scope: int) -> None:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        for child in node.named_children:
            if child.type == "catch_formal_parameter":
                name = child.child_by_field_name("name")
                types = [
                    self.type_(part, inner)
                    for item in child.named_children
                    if item.type == "catch_type"
                    for part in item.named_children
                ]
                if name is not None:
                    self.builder.declare(
                        name, DeclKind.VARIABLE, inner, type=self.builder.either(types),
                        flags=DeclFlag.LOCAL,
                    )  # fmt: skip
        body = node.child_by_field_name("body")
        if body is not None:
            self.block(body, inner)

    def _return(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            value = self.expression(child, scope)
            if value != NOTHING:
                self.returned.append(value)

    def _switch(self, node: Node, scope: int) -> None:
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        outer = self._switched
        self._switched = self.expression(condition, scope) if condition is not None else NOTHING
        if body is not None:
            self._scoped(body, scope)
        self._switched = outer

    def _label(self, node: Node, scope: int) -> None:
        """`case RED:` names a member of what is switched on."""
        for child in node.named_children:
            if child.type == "identifier" and self._switched != NOTHING:
                name = self.builder.text(child)
                found = self.builder.expr("case", self._switched, name, scope)
                self.builder.use(child, Role.READ, found)
            else:
                self.expression(child, scope)
