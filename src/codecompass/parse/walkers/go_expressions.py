"""Go: what types and expressions say; notes every use on the way."""

from collections.abc import Callable, Sequence

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.builder import Builder

_LITERALS = {
    "interpreted_string_literal": "string", "raw_string_literal": "string",
    "int_literal": "int", "float_literal": "float64", "rune_literal": "rune",
    "imaginary_literal": "complex128", "true": "bool", "false": "bool", "iota": "int",
}  # fmt: skip
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_MAKERS = frozenset({"make", "new"})
CALLED = "()"
"""The name under which a type that can be called has its signature."""
_NAMED_TYPES = frozenset({"type_identifier", "qualified_type", "generic_type"})


class Expressions:
    """The part of the walker that reads types and expressions; statements are added by another."""

    def __init__(self, text: bytes) -> None:
        self.builder = Builder(text)
        self.returned: list[int] = []
        self._types: dict[str, Callable[[Node, int], int]] = {
            "pointer_type": self._inner_type,
            "parenthesized_type": self._inner_type,
            "type_elem": self._inner_type,
            "type_constraint": self._inner_type,
            "negated_type": self._inner_type,
            "slice_type": self._list_type,
            "array_type": self._list_type,
            "implicit_length_array_type": self._list_type,
            "map_type": self._map_type,
            "channel_type": self._channel_type,
            "function_type": self._function_type,
            "struct_type": self._written_struct,
            "interface_type": self._written_struct,
            "generic_type": self._generic_type,
        }
        self._kinds: dict[str, Callable[[Node, int], int]] = {
            "call_expression": self._call,
            "composite_literal": self._composite,
            "func_literal": self._function_literal,
            "unary_expression": self._unary,
            "binary_expression": self._binary,
            "index_expression": self._index,
            "slice_expression": self._slice,
            "type_assertion_expression": self._typed,
            "type_conversion_expression": self._converted,
            "type_instantiation_expression": self._instantiated,
            "parenthesized_expression": self._parenthesized,
            "nil": lambda _node, _scope: self.builder.expr("none"),
            "comment": lambda _node, _scope: NOTHING,
            **dict.fromkeys(_LITERALS, self._literal),
        }

    # Given by the statements' part.

    def block(self, node: Node, scope: int) -> None:
        """Every statement below a node."""
        raise NotImplementedError

    def members(self, node: Node, scope: int, inner: int) -> tuple[int, ...]:
        """Bind the fields or methods of a type; returns what is embedded in it."""
        raise NotImplementedError

    # Types.

    def type_(self, node: Node | None, scope: int, role: Role = Role.TYPE) -> int:
        """What a type says."""
        if node is None:
            return NOTHING
        if node.type in ("type_identifier", "identifier"):
            found = self.builder.expr("typename", self.builder.text(node), scope)
            self.builder.use(node, role, found)
            return found
        if node.type == "qualified_type":
            package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
            if package is None or name is None:
                return NOTHING
            of = self.builder.expr("name", self.builder.text(package), scope)
            found = self.builder.expr("member", of, self.builder.text(name))
            self.builder.use(name, role, found)
            return found
        if node.type == "pointer_type" and node.named_children:
            return self.type_(node.named_children[0], scope, role)
        read = self._types.get(node.type)
        return read(node, scope) if read is not None else NOTHING

    def _inner_type(self, node: Node, scope: int) -> int:
        found = [self.type_(child, scope) for child in node.named_children]
        return self.builder.either(found)

    def _list_type(self, node: Node, scope: int) -> int:
        length = node.child_by_field_name("length")
        if length is not None:
            self.expression(length, scope)
        of = self.type_(node.child_by_field_name("element"), scope)
        return self.builder.expr("builtin", "Slice", (of,))

    def _map_type(self, node: Node, scope: int) -> int:
        key = self.type_(node.child_by_field_name("key"), scope)
        value = self.type_(node.child_by_field_name("value"), scope)
        return self.builder.expr("builtin", "Map", (key, value))

    def _channel_type(self, node: Node, scope: int) -> int:
        of = self.type_(node.child_by_field_name("value"), scope)
        return self.builder.expr("builtin", "Chan", (of,))

    def _function_type(self, node: Node, scope: int) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        self.signature(node, scope, number)
        return self.builder.expr("function", number)

    def _written_struct(self, node: Node, scope: int) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.OBJECT, scope, bind=False, flags=DeclFlag.LOCAL
        )
        inner = self.builder.open_scope(ScopeKind.CLASS, scope, number)
        self.builder.update(number, inner=inner, parts=self.members(node, scope, inner))
        return self.builder.expr("decl", number)

    def _generic_type(self, node: Node, scope: int) -> int:
        head = self.type_(node.child_by_field_name("type"), scope)
        given = self.type_arguments(node.child_by_field_name("type_arguments"), scope)
        return NOTHING if head == NOTHING else self.builder.expr("apply", head, given)

    def type_arguments(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """The arguments of a generic type or function."""
        if node is None:
            return ()
        return tuple(self.type_(child, scope) for child in node.named_children)

    def signature(self, node: Node, scope: int, number: int) -> int:
        """The parameters and results of a function; returns the scope it opens."""
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        generic = self.type_parameters(node.child_by_field_name("type_parameters"), inner)
        parts = self.parameters(node.child_by_field_name("parameters"), inner)
        self.builder.is_result = True
        result = self._result(node.child_by_field_name("result"), inner)
        self.builder.is_result = False
        known = self.builder.decls[number].type_parameters
        self.builder.update(
            number, inner=inner, parts=parts, type=result, type_parameters=(*known, *generic)
        )
        return inner

    def _result(self, node: Node | None, scope: int) -> int:
        if node is None:
            return NOTHING
        if node.type != "parameter_list":
            return self.type_(node, scope)
        types = [self.builder.decls[number].type for number in self.parameters(node, scope)]
        return types[0] if len(types) == 1 else self.builder.expr("tuple", tuple(types))

    def type_parameters(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """Bind type parameters with their constraints."""
        found: list[int] = []
        for child in node.named_children if node is not None else ():
            names = child.children_by_field_name("name")
            numbers = [
                self.builder.declare(name, DeclKind.TYPE_PARAMETER, scope, flags=DeclFlag.LOCAL)
                for name in names
            ]
            bound = self.type_(child.child_by_field_name("type"), scope)
            for number in numbers:
                self.builder.update(number, type=bound)
            found += numbers
        return tuple(found)

    def parameters(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """Bind the parameters of a function; those without a name as well."""
        found: list[int] = []
        for child in node.named_children if node is not None else ():
            if not child.type.endswith("parameter_declaration"):
                continue
            declared = self.type_(child.child_by_field_name("type"), scope)
            is_rest = child.type.startswith("variadic")
            flags = DeclFlag.LOCAL | (DeclFlag.REST if is_rest else 0)
            names = child.children_by_field_name("name")
            found += [
                self.builder.declare(name, DeclKind.PARAMETER, scope, type=declared, flags=flags)
                for name in names
            ]
            if not names:
                unnamed = self.builder.declare_name(
                    "", child, DeclKind.PARAMETER, scope, bind=False, type=declared, flags=flags
                )
                found.append(unnamed)
        return tuple(found)

    # Expressions.

    def expression(self, node: Node, scope: int, role: Role = Role.READ) -> int:
        """Note the uses in an expression; returns what it says."""
        if node.type == "identifier":
            found = self.builder.expr("name", self.builder.text(node), scope)
            self.builder.use(node, role, found)
            return found
        if node.type == "selector_expression":
            return self._selector(node, scope, role)
        if node.type == "parenthesized_expression" and node.named_children:
            return self.expression(node.named_children[0], scope, role)
        read = self._kinds.get(node.type)
        if read is not None:
            return read(node, scope)
        if node.type in self._types or node.type in _NAMED_TYPES:
            known = self.type_(node, scope)
            return NOTHING if known == NOTHING else self.builder.expr("typed", known)
        for child in node.named_children:
            self.expression(child, scope)
        return NOTHING

    def _selector(self, node: Node, scope: int, role: Role) -> int:
        of, name = node.child_by_field_name("operand"), node.child_by_field_name("field")
        if of is None or name is None:
            return NOTHING
        found = self.builder.expr("member", self.expression(of, scope), self.builder.text(name))
        self.builder.use(name, role, found)
        return found

    def _call(self, node: Node, scope: int) -> int:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return NOTHING
        called = self.expression(function, scope, Role.CALL)
        given = self.type_arguments(node.child_by_field_name("type_arguments"), scope)
        values = [
            self.expression(child, scope)
            for child in (arguments.named_children if arguments is not None else ())
            if child.type != "comment"
        ]
        name = self.builder.text(function) if function.type == "identifier" else ""
        if name in _MAKERS and values:
            return self._made(values[0])
        if called == NOTHING:
            return NOTHING
        return self.builder.expr("call", called, tuple(values), given)

    def _made(self, value: int) -> int:
        """`new(T)` and `make(T)`: where T is a plain name it was read as a value."""
        if value == NOTHING:
            return NOTHING
        expr = self.builder.exprs[value]
        return value if expr[0] == "typed" else self.builder.expr("typed", value)

    def _composite(self, node: Node, scope: int) -> int:
        written = node.child_by_field_name("type")
        known = self.type_(written, scope)
        value = NOTHING if known == NOTHING else self.builder.expr("typed", known)
        body = node.child_by_field_name("body")
        if body is not None:
            is_struct = written is not None and written.type in (*_NAMED_TYPES, "struct_type")
            self._literal_value(body, scope, value, is_struct=is_struct)
        return value

    def _literal_value(self, node: Node, scope: int, value: int, *, is_struct: bool) -> None:
        """The elements of a literal; keys of a struct are its fields."""
        inner = NOTHING if value == NOTHING else self.builder.expr("index", value, NOTHING, ())
        for child in node.named_children:
            if child.type == "keyed_element":
                key, part = child.named_children[0], child.named_children[-1]
                of = inner
                name = key.named_children[0] if key.type == "literal_element" else key
                if is_struct and name.type in ("identifier", "field_identifier"):
                    of = self.builder.expr("member", value, self.builder.text(name))
                    self.builder.use(name, Role.WRITE, of)
                else:
                    self._element(key, scope, NOTHING)
                self._element(part, scope, of)
            elif child.type != "comment":
                self._element(child, scope, inner)

    def _element(self, node: Node, scope: int, expected: int) -> None:
        for child in node.named_children if node.type == "literal_element" else [node]:
            if child.type == "literal_value":
                self._literal_value(child, scope, expected, is_struct=True)
            else:
                self.expression(child, scope)

    def _function_literal(self, node: Node, scope: int) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        inner = self.signature(node, scope, number)
        body = node.child_by_field_name("body")
        if body is not None:
            self.inside(number, body, inner)
        return self.builder.expr("decl", number)

    def inside(self, number: int, body: Node, inner: int) -> None:
        """The inside of a function."""
        outer, self.returned = self.returned, []
        self.block(body, inner)
        self.builder.update(number, returns=tuple(self.returned))
        self.returned = outer

    def _unary(self, node: Node, scope: int) -> int:
        operand = node.child_by_field_name("operand")
        if operand is None:
            return NOTHING
        value = self.expression(operand, scope)
        operator = self.builder.text(node)[:2]
        if operator.startswith("<-"):
            return self.wrap_index(value)
        return self.builder.expr("lit", "bool") if operator.startswith("!") else value

    def wrap_index(self, value: int) -> int:
        """An element of a value."""
        return NOTHING if value == NOTHING else self.builder.expr("index", value, NOTHING, ())

    def _binary(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        values = [self.expression(part, scope) for part in (left, right) if part is not None]
        if operator is not None and operator.type in _COMPARISONS:
            return self.builder.expr("lit", "bool")
        return values[0] if values else NOTHING

    def _index(self, node: Node, scope: int) -> int:
        of, key = node.child_by_field_name("operand"), node.child_by_field_name("index")
        if of is None:
            return NOTHING
        value = self.expression(of, scope)
        found = self.expression(key, scope) if key is not None else NOTHING
        if value == NOTHING:
            return NOTHING
        return self.builder.expr("index", value, NOTHING, (found,))

    def _slice(self, node: Node, scope: int) -> int:
        values: Sequence[int] = [self.expression(child, scope) for child in node.named_children]
        return values[0] if values else NOTHING

    def _typed(self, node: Node, scope: int) -> int:
        operand = node.child_by_field_name("operand")
        if operand is not None:
            self.expression(operand, scope)
        known = self.type_(node.child_by_field_name("type"), scope)
        return NOTHING if known == NOTHING else self.builder.expr("typed", known)

    def _converted(self, node: Node, scope: int) -> int:
        """`Box[int](x)`, which is a call where Box is a function; both read alike."""
        written, operand = (node.child_by_field_name(name) for name in ("type", "operand"))
        if written is None or written.type != "generic_type":
            return self._typed(node, scope)
        called = self.type_(written.child_by_field_name("type"), scope, Role.CALL)
        given = self.type_arguments(written.child_by_field_name("type_arguments"), scope)
        value = self.expression(operand, scope) if operand is not None else NOTHING
        return NOTHING if called == NOTHING else self.builder.expr("call", called, (value,), given)

    def _instantiated(self, node: Node, scope: int) -> int:
        parts = node.named_children
        value = self.expression(parts[0], scope) if parts else NOTHING
        for child in parts[1:]:
            self.type_(child, scope)
        return value

    def _parenthesized(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        return values[0] if values else NOTHING

    def _literal(self, node: Node, _scope: int) -> int:
        return self.builder.expr("lit", _LITERALS[node.type])
