"""JavaScript and TypeScript: variables, functions, classes and types that a file declares."""

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.ecma_expressions import Expressions

_METHODS = frozenset({"method_definition", "abstract_method_signature", "method_signature"})
_FIELDS = frozenset({"public_field_definition", "field_definition"})
_ACCESS = frozenset({"accessibility_modifier", "readonly", "override_modifier"})


class Declarations(Expressions):
    """The part of the walker that reads declarations; modules are added by another."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.function_scope = 0  # the scope that `var` binds in
        self.ambient: list[str] = []  # modules that are declared by their names

    def block(self, node: Node, scope: int) -> None:
        """Every statement below a node."""
        raise NotImplementedError

    def statement(self, node: Node, scope: int) -> list[int]:
        """Visit a statement; returns what it declares."""
        raise NotImplementedError

    def pattern(
        self, node: Node, scope: int, value: int, declared: int = NOTHING,
        kind: DeclKind = DeclKind.VARIABLE,
    ) -> list[int]:  # fmt: skip
        """Bind the names of a pattern to the parts of a value."""
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            flags = self.builder.local_flag(scope)
            self.narrowing.forget(node)
            return [
                self.builder.declare(node, kind, scope, value=value, type=declared, flags=flags)
            ]
        found: list[int] = []
        if node.type == "object_pattern":
            for child in node.named_children:
                found += self._object_part(child, scope, value, kind)
        elif node.type == "array_pattern":
            for position, child in enumerate(node.named_children):
                item = NOTHING if value == NOTHING else self.builder.expr("item", value, position)
                found += self.pattern(child, scope, item, kind=kind)
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            found += self._with_default(node, scope, value, kind)
        elif node.type == "rest_pattern":
            for child in node.named_children:
                found += self.pattern(child, scope, value, kind=kind)
        else:
            self.expression(node, scope)
        return found

    def _object_part(self, node: Node, scope: int, value: int, kind: DeclKind) -> list[int]:
        if node.type == "shorthand_property_identifier_pattern":
            part = self._part(value, self.builder.text(node))
            if part != NOTHING:
                self.builder.use(node, Role.READ, part)
            return self.pattern(node, scope, part, kind=kind)
        if node.type == "object_assignment_pattern":
            left = node.child_by_field_name("left")
            part = self._part(value, self.builder.text(left)) if left is not None else NOTHING
            return self._with_default(node, scope, part, kind)
        if node.type == "pair_pattern":
            key, target = node.child_by_field_name("key"), node.child_by_field_name("value")
            if key is None or target is None:
                return []
            name = self.property_name(key)
            if key.type == "computed_property_name":
                self.expression(key, scope)
            part = self._part(value, name)
            if part != NOTHING and name:
                self.builder.use(key, Role.READ, part)
            return self.pattern(target, scope, part, kind=kind)
        if node.type == "rest_pattern":
            return self.pattern(node, scope, value, kind=kind)
        return []

    def _part(self, value: int, name: str) -> int:
        return NOTHING if value == NOTHING else self.builder.expr("member", value, name)

    def _with_default(self, node: Node, scope: int, value: int, kind: DeclKind) -> list[int]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        default = self.expression(right, scope) if right is not None else NOTHING
        if left is None:
            return []
        return self.pattern(left, scope, self.builder.either((value, default)), kind=kind)

    def parameters(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """Bind the parameters of a function."""
        if node is None:
            return ()
        if node.type == "identifier":  # `x => …`
            self.narrowing.forget(node)
            return (self.builder.declare(node, DeclKind.PARAMETER, scope, flags=DeclFlag.LOCAL),)
        found = [
            self._parameter(child, scope)
            for child in node.named_children
            if child.type not in ("comment", "decorator")
        ]
        return tuple(number for number in found if number != NOTHING)

    def _parameter(self, node: Node, scope: int) -> int:
        name = node.child_by_field_name("pattern") or node
        for child in node.named_children:
            if child.type == "decorator":
                self.decorator(child, scope)
        declared = self.type_(node.child_by_field_name("type"), scope)
        default = node.child_by_field_name("value")
        value = self.expression(default, scope) if default is not None else NOTHING
        if name.type == "this":
            self.this = self.builder.expr("typed", declared) if declared != NOTHING else self.this
            return NOTHING
        flags = DeclFlag.LOCAL
        if name.type == "assignment_pattern":
            left, right = name.child_by_field_name("left"), name.child_by_field_name("right")
            value = self.expression(right, scope) if right is not None else NOTHING
            name = left or name
        if name.type == "rest_pattern":
            flags |= DeclFlag.REST
            name = name.named_children[0] if name.named_children else name
        if name.type == "identifier":
            self.narrowing.forget(name)
            number = self.builder.declare(
                name, DeclKind.PARAMETER, scope, type=declared, value=value, flags=flags
            )
            if any(child.type in _ACCESS for child in node.children):
                self._field_of_parameter(name, scope, declared, value)
            return number
        number = self.builder.declare_name(
            "", name, DeclKind.PARAMETER, scope, bind=False,
            type=declared, value=value, flags=flags,
        )  # fmt: skip
        self.pattern(name, scope, self.builder.expr("of", number), kind=DeclKind.PARAMETER)
        return number

    def _field_of_parameter(self, node: Node, scope: int, declared: int, value: int) -> None:
        """`constructor(private x: T)` makes a field."""
        owner = self.builder.scopes[scope].owner
        if owner != NOTHING and self.builder.decls[owner].kind == DeclKind.METHOD:
            members = self.builder.decls[owner].scope
            field = self.builder.declare(node, DeclKind.FIELD, members, type=declared, value=value)
            # Inside the constructor its name means both.
            self.builder.scopes[scope].names[self.builder.text(node)] = [field]

    def function_declaration(self, node: Node, scope: int) -> list[int]:
        """A function with a name."""
        name = node.child_by_field_name("name")
        flags = self.builder.local_flag(scope)
        words = {child.type for child in node.children if not child.is_named}
        flags |= DeclFlag.ASYNC if "async" in words else 0
        flags |= DeclFlag.GENERATOR if "*" in words else 0
        number = self.builder.declare_name(
            self.builder.text(name) if name is not None else "default",
            name or node, DeclKind.FUNCTION, scope, flags=flags, bind=name is not None,
        )  # fmt: skip
        outer, self.this = self.this, self.builder.expr("this", number)
        inner = self.signature(node, scope, number)
        inside = node.child_by_field_name("body")
        if inside is not None:
            self.body(inside, inner, number)
        self.this = outer
        return [number]

    def body(self, node: Node, scope: int, number: int) -> None:
        """The inside of a function."""
        outer, self.returned = self.returned, []
        outer_function, self.function_scope = self.function_scope, scope
        with self.narrowing.block():
            if node.type == "statement_block":
                self.block(node, scope)
            else:
                value = self.expression(node, scope)
                if value != NOTHING:
                    self.returned.append(value)
        self.builder.update(number, returns=tuple(self.returned))
        self.returned, self.function_scope = outer, outer_function
        decl = self.builder.decls[number]
        if decl.type != NOTHING:
            self.expect_returned(decl, self.builder.expr("typed", decl.type))

    def return_(self, node: Node, scope: int) -> list[int]:
        """What a function gives."""
        for child in node.named_children:
            value = self.expression(child, scope)
            if value != NOTHING:
                self.returned.append(value)
        return []

    def class_declaration(self, node: Node, scope: int) -> list[int]:
        """A class as a statement."""
        return [self.class_like(node, scope, "")]

    def class_like(self, node: Node, scope: int, name: str) -> int:
        """Declare a class; returns its number."""
        own = node.child_by_field_name("name")
        is_expression = node.type == "class"
        for child in node.named_children:
            if child.type == "decorator":
                self.decorator(child, scope)
        number = self.builder.declare_name(
            self.builder.text(own) if own is not None else (name or "default"),
            own or node, DeclKind.CLASS, scope,
            bind=own is not None and not is_expression, flags=self.builder.local_flag(scope),
        )  # fmt: skip
        inside = self.builder.open_scope(ScopeKind.BLOCK, scope)
        if own is not None and is_expression:
            self.builder.scopes[inside].names[self.builder.text(own)] = [number]
        members = self.builder.open_scope(ScopeKind.CLASS, inside, number)
        parameters = self.type_parameters(node.child_by_field_name("type_parameters"), inside)
        tags = self.tags_before(node)
        parameters = parameters or self.told_parameters(tags, inside)
        self.builder.update(number, inner=members, type_parameters=parameters)
        bases, told = self._heritage(node, inside), self.told_base(tags, inside)
        self.builder.update(number, parts=bases if told == NOTHING else (told,))
        outer, outer_hint, self.hint = self.this, self.hint, ""
        body = node.child_by_field_name("body")
        for child in body.named_children if body is not None else ():
            self._class_member(child, inside, members, number)
        self.this, self.hint = outer, outer_hint
        return number

    def _heritage(self, node: Node, scope: int) -> tuple[int, ...]:
        found: list[int] = []
        for child in node.named_children:
            if child.type != "class_heritage":
                continue
            for clause in child.named_children:
                if clause.type == "extends_clause":
                    found += self._extends(clause, scope)
                elif clause.type == "implements_clause":
                    found += [self.type_(c, scope, Role.INHERIT) for c in clause.named_children]
                else:  # JavaScript
                    found.append(self.expression(clause, scope, Role.INHERIT))
        return tuple(part for part in found if part != NOTHING)

    def _extends(self, node: Node, scope: int) -> list[int]:
        value = node.child_by_field_name("value")
        if value is None:
            return []
        base = self.expression(value, scope, Role.INHERIT)
        given = self.type_arguments(node.child_by_field_name("type_arguments"), scope)
        if base == NOTHING:
            return []
        return [self.builder.expr("apply", base, given) if given else base]

    def _class_member(self, node: Node, scope: int, members: int, owner: int) -> None:
        for child in node.named_children:
            if child.type == "decorator":
                self.decorator(child, scope)
        if node.type == "decorator":
            self.decorator(node, scope)
            return
        is_static = any(child.type == "static" for child in node.children)
        self.this = self.builder.expr("class_of_this" if is_static else "this", owner)
        flags = DeclFlag.STATIC if is_static else 0
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        if node.type == "class_static_block":
            for child in node.named_children:
                self.statement(child, scope)
        elif name is None:
            return
        elif node.type in _METHODS:
            if name.type == "computed_property_name":
                self.expression(name, scope)
            number = self.builder.declare_name(
                self.property_name(name), name, DeclKind.METHOD, members, flags=flags
            )
            self.method(node, scope, number)
        elif node.type in _FIELDS:
            self._field(node, name, scope, members, flags)

    def _field(self, node: Node, name: Node, scope: int, members: int, flags: int) -> None:
        called = self.property_name(name)
        if name.type == "computed_property_name":
            self.expression(name, scope)
        self.hint = called
        declared = self.type_(node.child_by_field_name("type"), scope)
        if declared == NOTHING:
            declared = self.told_type(node, scope)
        part = node.child_by_field_name("value")
        value = self.expression(part, scope) if part is not None else NOTHING
        if declared != NOTHING:
            self.expect(value, self.builder.expr("typed", declared))
        self.hint = ""
        self.builder.declare_name(
            called, name, DeclKind.FIELD, members, type=declared, value=value, flags=flags
        )

    def decorator(self, node: Node, scope: int) -> None:
        """A decorator in front of a class or a member."""
        for child in node.named_children:
            if child.type == "call_expression":
                function = child.child_by_field_name("function")
                called = NOTHING
                if function is not None:
                    called = self.expression(function, scope, Role.DECORATE)
                self._called("call", child, called, scope)
            else:
                self.expression(child, scope, Role.DECORATE)

    def interface(self, node: Node, scope: int) -> list[int]:
        """An interface with its members."""
        name = node.child_by_field_name("name")
        if name is None:
            return []
        number = self.builder.declare(
            name, DeclKind.INTERFACE, scope, flags=self.builder.local_flag(scope)
        )
        inside = self.builder.open_scope(ScopeKind.BLOCK, scope)
        members = self.builder.open_scope(ScopeKind.CLASS, inside, number)
        parameters = self.type_parameters(node.child_by_field_name("type_parameters"), inside)
        bases: list[int] = []
        for child in node.named_children:
            if child.type in ("extends_type_clause", "extends_clause"):
                bases += [self.type_(part, inside, Role.INHERIT) for part in child.named_children]
        self.builder.update(
            number, inner=members, type_parameters=parameters,
            parts=tuple(part for part in bases if part != NOTHING),
        )  # fmt: skip
        body = node.child_by_field_name("body")
        if body is not None:
            self.type_members(body.named_children, inside, members)
        return [number]

    def alias(self, node: Node, scope: int) -> list[int]:
        """Another name for a type."""
        name = node.child_by_field_name("name")
        if name is None:
            return []
        number = self.builder.declare(
            name, DeclKind.TYPE, scope, flags=self.builder.local_flag(scope)
        )
        inside = self.builder.open_scope(ScopeKind.BLOCK, scope)
        parameters = self.type_parameters(node.child_by_field_name("type_parameters"), inside)
        self.hint = self.builder.text(name)
        value = self.type_(node.child_by_field_name("value"), inside)
        self.hint = ""
        self.builder.update(number, type=value, type_parameters=parameters)
        return [number]

    def enum(self, node: Node, scope: int) -> list[int]:
        """An enumeration with its members."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return []
        number = self.builder.declare(
            name, DeclKind.ENUM, scope, flags=self.builder.local_flag(scope)
        )
        inner = self.builder.open_scope(ScopeKind.CLASS, scope, number)
        self.builder.update(number, inner=inner)
        for child in body.named_children if body is not None else ():
            key = child.child_by_field_name("name") if child.type == "enum_assignment" else child
            if key is None or key.type == "comment":
                continue
            self.builder.declare_name(
                self.property_name(key), key, DeclKind.ENUM_MEMBER, inner, flags=DeclFlag.STATIC
            )
            value = child.child_by_field_name("value")
            if value is not None:
                self.expression(value, inner)
        return [number]

    def leave_open(self) -> None:
        """What is added to modules of others has uses that cannot be followed: note one each."""
        for called in self.ambient:
            for number in self.builder.scopes[0].names.get(called, ()):
                inner = self.builder.scopes[self.builder.decls[number].inner]
                for decl in [self.builder.decls[n] for ns in inner.names.values() for n in ns]:
                    unknown = self.builder.expr("member", NOTHING, decl.name)
                    self.builder.use_at((decl.start, decl.line), Role.TYPE, unknown)

    def namespace(self, node: Node, scope: int) -> list[int]:
        """A namespace, or the declaration of a module."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return []
        is_ambient = name.type == "string"
        number = self.builder.declare_name(
            self.builder.text(name).strip("\"'"), name, DeclKind.NAMESPACE, scope,
            bind=not is_ambient, flags=self.builder.local_flag(scope),
        )  # fmt: skip
        if is_ambient:  # known to imports by its text
            called = f'"{self.builder.decls[number].name.removeprefix("node:")}"'
            self.builder.scopes[scope].names.setdefault(called, []).append(number)
            self.ambient.append(called)
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope, number)
        self.builder.update(number, inner=inner)
        outer, self.function_scope = self.function_scope, inner
        self.block(body, inner)
        self.function_scope = outer
        return [] if is_ambient else [number]
