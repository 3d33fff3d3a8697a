"""Java: what types and expressions say; notes every use on the way.

Methods and variables have names of their own: a method is bound as `name()`. An expression
that names a method also holds the arguments, by which overloads are told apart.
"""

from collections.abc import Callable, Sequence

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.builder import Builder

_LITERALS = {
    "string_literal": "String", "text_block": "String", "character_literal": "$char",
    "decimal_integer_literal": "$int", "hex_integer_literal": "$int",
    "octal_integer_literal": "$int", "binary_integer_literal": "$int",
    "decimal_floating_point_literal": "$double", "true": "$boolean", "false": "$boolean",
}  # fmt: skip
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_PRIMITIVES = frozenset({"integral_type", "floating_point_type", "boolean_type"})


class Expressions:
    """The part of the walker that reads types and expressions; another adds declarations."""

    def __init__(self, text: bytes) -> None:
        self.builder = Builder(text)
        self.this = NOTHING  # the class around
        self.returned: list[int] = []
        self._kinds: dict[str, Callable[[Node, int], int]] = {
            "method_invocation": self._call,
            "object_creation_expression": self._new,
            "method_reference": self._method_reference,
            "lambda_expression": self._lambda,
            "cast_expression": self._cast,
            "instanceof_expression": self._instanceof,
            "array_access": self._index,
            "array_creation_expression": self._array_creation,
            "ternary_expression": self._ternary,
            "assignment_expression": self._assignment,
            "update_expression": self._update,
            "binary_expression": self._binary,
            "parenthesized_expression": self._inner,
            "unary_expression": self._inner,
            "this": lambda _node, _scope: self._this("this"),
            "super": lambda _node, _scope: self._this("super"),
            "null_literal": lambda _node, _scope: self.builder.expr("none"),
            "class_literal": self._class_literal,
            "marker_annotation": self.annotation,
            "annotation": self.annotation,
            **dict.fromkeys(_LITERALS, self._literal),
        }

    # Given by the declarations' part.

    def block(self, node: Node, scope: int) -> None:
        """Every statement below a node."""
        raise NotImplementedError

    def class_body(self, node: Node, scope: int, number: int) -> None:
        """The members of a class."""
        raise NotImplementedError

    # Types.

    def type_(self, node: Node | None, scope: int, role: Role = Role.TYPE) -> int:
        """What a type says."""
        if node is None or node.type == "void_type":
            return NOTHING
        if node.type in ("type_identifier", "identifier"):
            name = self.builder.text(node)
            if name == "var":
                return NOTHING
            found = self.builder.expr("typename", name, scope)
            self.builder.use(node, role, found)
            return found
        if node.type in ("scoped_type_identifier", "scoped_identifier"):
            return self._scoped_type(node, scope, role)
        if node.type == "generic_type":
            return self._generic(node, scope, role)
        if node.type == "array_type":
            of = self.type_(node.child_by_field_name("element"), scope)
            return self.array_of(of, node.child_by_field_name("dimensions"))
        if node.type in _PRIMITIVES:
            return self.builder.expr("lit", f"${self.builder.text(node)}")
        found = NOTHING
        for child in node.named_children:
            if child.type.endswith("annotation"):
                self.annotation(child, scope)
            else:
                inner = self.type_(child, scope, role)
                found = inner if found == NOTHING else found
        return found

    def array_of(self, of: int, dimensions: Node | None, sized: int = 0) -> int:
        """A type with as many dimensions as brackets are written behind it."""
        written = (dimensions.text or b"").count(b"[") if dimensions is not None else 0
        for _ in range(written + sized):
            of = self.builder.expr("builtin", "Array", (of,))
        return of

    def _scoped_type(self, node: Node, scope: int, role: Role) -> int:
        parts = [child for child in node.named_children if not child.type.endswith("annotation")]
        if len(parts) < 2:
            return NOTHING
        of = self.type_(parts[0], scope)
        found = self.builder.expr("member", of, self.builder.text(parts[-1]))
        self.builder.use(parts[-1], role, found)
        return found

    def _generic(self, node: Node, scope: int, role: Role) -> int:
        parts = node.named_children
        head = self.type_(parts[0], scope, role)
        given = [child for child in parts if child.type == "type_arguments"]
        arguments = self.type_arguments(given[0], scope) if given else ()
        if head == NOTHING or not arguments:
            return head
        return self.builder.expr("apply", head, arguments)

    def type_arguments(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """The arguments of a generic type; `? extends T` is T."""
        if node is None:
            return ()
        return tuple(self.type_(child, scope) for child in node.named_children)

    def type_parameters(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """Bind type parameters with what they are at least."""
        found = []
        for child in node.named_children if node is not None else ():
            names = [part for part in child.named_children if part.type == "type_identifier"]
            if child.type != "type_parameter" or not names:
                continue
            number = self.builder.declare(
                names[0], DeclKind.TYPE_PARAMETER, scope, flags=DeclFlag.LOCAL
            )
            found.append(number)
            for part in child.named_children:
                if part.type == "type_bound":
                    bounds = [self.type_(item, scope) for item in part.named_children]
                    self.builder.update(number, type=self.builder.either(bounds))
        return tuple(found)

    def annotation(self, node: Node, scope: int) -> int:
        """`@Name(…)`."""
        name = node.child_by_field_name("name")
        known = self.type_(name, scope, Role.DECORATE) if name is not None else NOTHING
        arguments = node.child_by_field_name("arguments")
        for child in arguments.named_children if arguments is not None else ():
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is not None and known != NOTHING:
                of = self.builder.expr("typed", known)
                method = self.builder.expr("member", of, f"{self.builder.text(key)}()")
                self.builder.use(key, Role.READ, method)
            self.expression(value if value is not None else child, scope)
        return NOTHING

    # Expressions.

    def expression(self, node: Node, scope: int, role: Role = Role.READ) -> int:
        """Note the uses in an expression; returns what it says."""
        if node.type == "identifier":
            found = self.builder.expr("name", self.builder.text(node), scope)
            self.builder.use(node, role, found)
            return found
        if node.type == "field_access":
            return self._field_access(node, scope, role)
        read = self._kinds.get(node.type)
        if read is not None:
            return read(node, scope)
        if node.type.endswith("_type") or node.type == "type_identifier":
            known = self.type_(node, scope)
            return NOTHING if known == NOTHING else self.builder.expr("typed", known)
        for child in node.named_children:
            self.expression(child, scope)
        return NOTHING

    def _this(self, operation: str) -> int:
        if self.this == NOTHING:
            return NOTHING
        if operation == "super":
            return self.builder.expr("super", self.this, NOTHING)
        return self.builder.expr("this", self.this)

    def _field_access(self, node: Node, scope: int, role: Role) -> int:
        of, name = node.child_by_field_name("object"), node.child_by_field_name("field")
        if of is None or name is None:
            return NOTHING
        value = self.expression(of, scope)
        if name.type == "this":  # `Outer.this`
            return NOTHING if value == NOTHING else self.builder.expr("instance", value)
        found = self.builder.expr("member", value, self.builder.text(name))
        self.builder.use(name, role, found)
        return found

    def _call(self, node: Node, scope: int) -> int:
        name, of = node.child_by_field_name("name"), node.child_by_field_name("object")
        if name is None:
            return NOTHING
        value = self.expression(of, scope) if of is not None else NOTHING
        given = self.type_arguments(node.child_by_field_name("type_arguments"), scope)
        arguments = self.arguments(node.child_by_field_name("arguments"), scope)
        called = f"{self.builder.text(name)}()"
        if of is None:
            method = self.builder.expr("name", called, scope, arguments)
        else:
            method = self.builder.expr("member", value, called, arguments)
        self.builder.use(name, Role.CALL, method)
        found = self.builder.expr("call", method, arguments, given)
        self._expect(arguments, found)
        return found

    def arguments(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """The values of the arguments of a call."""
        if node is None:
            return ()
        parts = [child for child in node.named_children if not child.type.endswith("comment")]
        return tuple(self.expression(child, scope) for child in parts)

    def _expect(self, arguments: Sequence[int], call: int) -> None:
        for position, value in enumerate(arguments):
            if value != NOTHING and self.builder.exprs[value][0] == "decl":
                self.expect(value, self.builder.expr("expected", call, position))

    def expect(self, value: int, expected: int) -> None:
        """A lambda's parameters are what is expected where it stands."""
        if value == NOTHING or self.builder.exprs[value][0] != "decl":
            return
        for position, number in enumerate(self.builder.decls[self.builder.exprs[value][1]].parts):
            decl = self.builder.decls[number]
            if decl.kind == DeclKind.PARAMETER and decl.type == decl.value == NOTHING:
                found = self.builder.expr("parameter", expected, position)
                self.builder.update(number, value=found)

    def _new(self, node: Node, scope: int) -> int:
        made = self._made(node, scope)
        arguments = self.arguments(node.child_by_field_name("arguments"), scope)
        for child in node.named_children:
            if child.type == "class_body":
                return self._anonymous(child, scope, made)
        if made == NOTHING:
            return NOTHING
        found = self.builder.expr("typed", made)
        self._expect(arguments, self.builder.expr("new", made, arguments, ()))
        return found

    def _made(self, node: Node, scope: int) -> int:
        """The class that is made; `outer.new Inner()` names one of the class of a value."""
        written = node.child_by_field_name("type")
        outer = next((child for child in node.children if child.type == "."), None)
        of = node.named_children[0] if outer is not None else None
        if of is None or written is None:
            return self.type_(written, scope, Role.CALL)
        value = self.expression(of, scope)
        if written.type != "type_identifier" or value == NOTHING:
            return self.type_(written, scope, Role.CALL)
        found = self.builder.expr("member", value, self.builder.text(written))
        self.builder.use(written, Role.CALL, found)
        return found

    def _anonymous(self, node: Node, scope: int, base: int) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.CLASS, scope, bind=False, flags=DeclFlag.LOCAL
        )
        self.builder.update(number, parts=(base,) if base != NOTHING else ())
        self.class_body(node, scope, number)
        return self.builder.expr("instance", self.builder.expr("decl", number))

    def _method_reference(self, node: Node, scope: int) -> int:
        parts = node.named_children
        if len(parts) < 2:  # `Foo::new`
            return self.expression(parts[0], scope) if parts else NOTHING
        of = self.expression(parts[0], scope)
        found = self.builder.expr("member", of, f"{self.builder.text(parts[-1])}()")
        self.builder.use(parts[-1], Role.READ, found)
        return found

    def _lambda(self, node: Node, scope: int) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        given = node.child_by_field_name("parameters")
        parts: tuple[int, ...] = ()
        if given is not None and given.type == "identifier":
            parts = (self.builder.declare(given, DeclKind.PARAMETER, inner, flags=DeclFlag.LOCAL),)
        elif given is not None and given.type == "inferred_parameters":
            parts = tuple(
                self.builder.declare(child, DeclKind.PARAMETER, inner, flags=DeclFlag.LOCAL)
                for child in given.named_children
            )
        elif given is not None:
            parts = self.parameters(given, inner)
        outer, self.returned = self.returned, []
        body = node.child_by_field_name("body")
        if body is not None and body.type == "block":
            self.block(body, inner)
        elif body is not None:
            value = self.expression(body, inner)
            self.returned += [value] if value != NOTHING else []
        self.builder.update(number, inner=inner, parts=parts, returns=tuple(self.returned))
        self.returned = outer
        return self.builder.expr("decl", number)

    def parameters(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """Bind the parameters of a method."""
        found = []
        for child in node.named_children if node is not None else ():
            if child.type not in ("formal_parameter", "spread_parameter"):
                continue
            for part in child.named_children:
                if part.type == "modifiers":
                    for item in part.named_children:
                        self.annotation(item, scope)
            name, declared = self._typed_name(child, scope)
            if name is None:
                continue
            flags = DeclFlag.LOCAL | (DeclFlag.REST if child.type == "spread_parameter" else 0)
            found.append(
                self.builder.declare(name, DeclKind.PARAMETER, scope, type=declared, flags=flags)
            )
        return tuple(found)

    def _typed_name(self, node: Node, scope: int) -> tuple[Node | None, int]:
        name, written = node.child_by_field_name("name"), node.child_by_field_name("type")
        if node.type == "spread_parameter":
            types = [c for c in node.named_children if c.type not in ("modifiers",)]
            written = types[0] if types else None
            name = types[-1].child_by_field_name("name") if types else None
        return name, self.array_of(
            self.type_(written, scope), node.child_by_field_name("dimensions")
        )

    def _cast(self, node: Node, scope: int) -> int:
        value = node.child_by_field_name("value")
        known = self.type_(node.child_by_field_name("type"), scope)
        inner = self.expression(value, scope) if value is not None else NOTHING
        if known == NOTHING:
            return NOTHING
        self.expect(inner, self.builder.expr("typed", known))
        return self.builder.expr("typed", known)

    def _instanceof(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            self.expression(left, scope)
        known = self.type_(right, scope)
        name = node.child_by_field_name("name")
        if name is not None:
            self.builder.declare(
                name, DeclKind.VARIABLE, scope, type=known, flags=self.builder.local_flag(scope)
            )
        pattern = node.child_by_field_name("pattern")
        if pattern is not None:
            self.expression(pattern, scope)
        return self.builder.expr("lit", "$boolean")

    def _index(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        if not values or values[0] == NOTHING:
            return NOTHING
        return self.builder.expr("index", values[0], NOTHING, tuple(values[1:]))

    def _array_creation(self, node: Node, scope: int) -> int:
        of = self.type_(node.child_by_field_name("type"), scope)
        for child in node.named_children:
            if child.type in ("array_initializer", "dimensions_expr"):
                self.expression(child, scope)
        given = node.children_by_field_name("dimensions")
        sized = sum(child.type == "dimensions_expr" for child in given)
        unsized = next((child for child in given if child.type == "dimensions"), None)
        return self.builder.expr("typed", self.array_of(of, unsized, sized))

    def _ternary(self, node: Node, scope: int) -> int:
        found = {}
        for field in ("condition", "consequence", "alternative"):
            part = node.child_by_field_name(field)
            found[field] = self.expression(part, scope) if part is not None else NOTHING
        return self.builder.either((found["consequence"], found["alternative"]))

    def _assignment(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            self.expression(left, scope, Role.WRITE)
        return self.expression(right, scope) if right is not None else NOTHING

    def _update(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope, Role.WRITE) for child in node.named_children]
        return values[0] if values else NOTHING

    def _binary(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        values = [self.expression(part, scope) for part in (left, right) if part is not None]
        if operator is not None and operator.type in _COMPARISONS:
            return self.builder.expr("lit", "$boolean")
        strings = self.builder.expr("lit", "String")
        if operator is not None and operator.type == "+" and strings in values:
            return strings
        return self.builder.expr("sum", tuple(values)) if len(values) > 1 else NOTHING

    def _inner(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        return values[0] if values else NOTHING

    def _class_literal(self, node: Node, scope: int) -> int:
        known = [self.type_(child, scope) for child in node.named_children]
        return self.builder.expr("typed", self.builder.expr("builtin", "Class", tuple(known[:1])))

    def _literal(self, node: Node, _scope: int) -> int:
        suffix = self.builder.text(node)[-1:].lower()
        known = _LITERALS[node.type]
        if known == "$double" and suffix == "f":
            known = "$float"
        elif known == "$int" and suffix == "l":
            known = "$long"
        return self.builder.expr("lit", known)
