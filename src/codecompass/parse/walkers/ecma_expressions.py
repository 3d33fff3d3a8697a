"""JavaScript and TypeScript: what expressions say; notes every use on the way."""

from collections.abc import Callable

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.ecma_expected import Expected
from codecompass.parse.walkers.ecma_narrowing import Narrowing

_MAX_ARGUMENTS = 10
_MAX_ITEMS = 5
_LITERALS = {
    "string": "String", "template_string": "String", "number": "Number", "true": "Boolean",
    "false": "Boolean", "regex": "RegExp", "update_expression": "Number",
}  # fmt: skip
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_TRANSPARENT = frozenset({"satisfies_expression", "sequence_expression"})
_OPERATORS = {**dict.fromkeys(("-", "*", "/", "%", "**"), "Number"), "+": "String"}
_CASTS = frozenset({"as_expression", "satisfies_expression", "type_assertion"})
_REQUIRE = "require"


class Expressions(Expected):
    """The part of the walker that reads expressions; statements are added by another."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.returned: list[int] = []
        self.narrowing = Narrowing(self.builder)
        self._own_this = NOTHING  # of a function that is being put into an object
        self._kinds: dict[str, Callable[[Node, int], int]] = {
            "call_expression": self._call,
            "new_expression": self._new,
            "subscript_expression": self._subscript,
            "await_expression": self._await,
            "yield_expression": self._yield,
            "as_expression": self._as,
            "type_assertion": self._assertion,
            "ternary_expression": self._ternary,
            "binary_expression": self._binary,
            "assignment_expression": self._assignment,
            "augmented_assignment_expression": self._augmented,
            "object": self._object,
            "array": self._array_literal,
            "class": self._class_expression,
            "this": lambda _node, _scope: self.this,
            "super": lambda _node, _scope: self._super(),
            "null": lambda _node, _scope: self.builder.expr("none"),
            "undefined": lambda _node, _scope: self.builder.expr("none"),
            "comment": lambda _node, _scope: NOTHING,
            "unary_expression": self._unary,
            "instantiation_expression": self._instantiation,
            "jsx_element": self._jsx_element,
            "jsx_self_closing_element": self._jsx_tag,
            "jsx_opening_element": self._jsx_tag,
            "jsx_closing_element": self._jsx_tag,
            **dict.fromkeys(_LITERALS, self._literal),
            **dict.fromkeys(_FUNCTIONS, self.function_expression),
            **dict.fromkeys(_TRANSPARENT, self._transparent),
        }

    # Given by the statements' part.

    def body(self, node: Node, scope: int, number: int) -> None:
        """The inside of a function."""
        raise NotImplementedError

    def class_like(self, node: Node, scope: int, name: str) -> int:
        """Declare a class; returns its number."""
        raise NotImplementedError

    def written(self, left: Node, value: int, scope: int) -> None:
        """Note the uses on the left of `=`."""
        raise NotImplementedError

    def receiver_of(self, left: Node, scope: int) -> int:
        """The receiver of a function that is assigned to a member."""
        raise NotImplementedError

    def assigned(self, left: Node, value: int, scope: int) -> None:
        """What an assignment to a member may declare."""
        raise NotImplementedError

    def expression(self, node: Node, scope: int, role: Role = Role.READ) -> int:
        """Note the uses in an expression; returns what it says."""
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier"):
            found = self.builder.expr("name", self.builder.text(node), scope)
            self.builder.use(node, role, found)
            return self.narrowing.of(node, found)
        if kind in ("member_expression", "nested_identifier"):
            return self._member(node, scope, role)
        if kind in ("parenthesized_expression", "non_null_expression"):
            inner = [child for child in node.named_children if child.type != "comment"]
            value = self.expression(inner[0], scope, role) if len(inner) == 1 else NOTHING
            told = self.cast_type(node, scope)
            return value if told == NOTHING else self.builder.expr("typed", told)
        if role is Role.CALL and kind in _CASTS and node.named_children:
            parts = node.named_children  # `(f as any)()`
            place = -1 if kind == "type_assertion" else 0
            self.expression(parts[place], scope, role)
            written = parts[:-1] if kind == "type_assertion" else parts[1:]
            known = [self.type_(part, scope) for part in written]
            return (
                self.builder.expr("typed", known[0]) if known and known[0] != NOTHING else NOTHING
            )
        read = self._kinds.get(kind)
        if read is not None:
            return read(node, scope)
        for child in node.named_children:
            self.expression(child, scope)
        return NOTHING

    def _transparent(self, node: Node, scope: int) -> int:
        parts = [child for child in node.named_children if child.type != "comment"]
        values = []
        for child in parts:
            is_type = node.type == "satisfies_expression" and child != parts[0]
            values.append(self.type_(child, scope) if is_type else self.expression(child, scope))
        if not values:
            return NOTHING
        return values[-1] if node.type == "sequence_expression" else values[0]

    def _member(self, node: Node, scope: int, role: Role) -> int:
        if len(node.named_children) < 2:
            return NOTHING
        # Not by field: in `typeof a.b.c` the grammar gives the fields of the innermost.
        of, name = node.named_children[0], node.named_children[-1]
        value = self.expression(of, scope)
        found = self.builder.expr("member", value, self.builder.text(name))
        self.builder.use(name, role, found)
        return self.narrowing.of(node, found)

    def _super(self) -> int:
        if self.this == NOTHING:
            return NOTHING
        of = self.builder.exprs[self.this]
        return self.builder.expr("super", of[1], NOTHING) if of[0] != "typed" else NOTHING

    def _call(self, node: Node, scope: int) -> int:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return NOTHING
        module = self._required(function, arguments)
        if module:
            if function.type != "import":
                self.expression(function, scope, Role.CALL)
            is_import = function.type == "import"
            return (
                self.builder.expr("from", module, "")
                if is_import
                else self.builder.expr("require", module)
            )
        if function.type == "await_expression" and function.named_children:
            # `await f<T>(x)`: the grammar has the `await` inside of what is called.
            called = self.expression(function.named_children[-1], scope, Role.CALL)
            found = self._called("call", node, called, scope)
            return self.builder.expr("await", found) if found != NOTHING else NOTHING
        called = self.expression(function, scope, Role.CALL)
        return self._called("call", node, called, scope)

    def _called(self, operation: str, node: Node, called: int, scope: int) -> int:
        given = self.type_arguments(node.child_by_field_name("type_arguments"), scope)
        arguments = node.child_by_field_name("arguments")
        values: list[int] = []
        if arguments is not None and arguments.type == "template_string":
            self.expression(arguments, scope)
        elif arguments is not None:
            for child in arguments.named_children:
                if child.type == "comment":
                    continue
                value = self.expression(child, scope)
                is_spread = child.type == "spread_element"
                if len(values) < _MAX_ARGUMENTS:
                    values.append(NOTHING if is_spread else value)
        if called == NOTHING:
            return NOTHING
        found = self.builder.expr(operation, called, tuple(values), given)
        for position, value in enumerate(values):
            if self.is_written(value):
                self.expect(value, self.builder.expr("expected", found, position))
        return found

    def _required(self, function: Node, arguments: Node | None) -> str:
        """The module of `require("…")` or `import("…")`."""
        is_call = function.type == "import" or (
            function.type == "identifier" and self.builder.text(function) == _REQUIRE
        )
        if not is_call or arguments is None or arguments.type == "template_string":
            return ""
        parts = arguments.named_children
        if not parts or parts[0].type != "string":
            return ""
        return self.builder.text(parts[0])[1:-1]

    def _new(self, node: Node, scope: int) -> int:
        made = node.child_by_field_name("constructor")
        called = self.expression(made, scope, Role.CALL) if made is not None else NOTHING
        return self._called("new", node, called, scope)

    def _subscript(self, node: Node, scope: int) -> int:
        of, key = node.child_by_field_name("object"), node.child_by_field_name("index")
        if of is None or key is None:
            return NOTHING
        value, found = self.expression(of, scope), self.expression(key, scope)
        if value == NOTHING:
            return NOTHING
        text = self.builder.text(key)
        if key.type == "string":
            member = self.builder.expr("member", value, text[1:-1])
            if key.named_children:
                self.builder.use(key.named_children[0], Role.READ, member)
            return member
        position = int(text) if key.type == "number" and text.isdigit() else NOTHING
        return self.builder.expr("index", value, position, (found,))

    def _await(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        known = [value for value in values if value != NOTHING]
        return self.builder.expr("await", known[0]) if known else NOTHING

    def _yield(self, node: Node, scope: int) -> int:
        for child in node.named_children:
            value = self.expression(child, scope)
            if value != NOTHING:
                self.returned.append(value)
        return NOTHING

    def _as(self, node: Node, scope: int) -> int:
        parts = [child for child in node.named_children if child.type != "comment"]
        value = self.expression(parts[0], scope)
        if len(parts) < 2:  # `as const`
            return value
        known = self.type_(parts[1], scope)
        if known == NOTHING:
            return NOTHING
        self.expect(value, self.builder.expr("typed", known))
        return self.builder.expr("typed", known)

    def _assertion(self, node: Node, scope: int) -> int:
        parts = node.named_children
        known = self.type_arguments(parts[0], scope) if parts else ()
        for child in parts[1:]:
            self.expression(child, scope)
        return self.builder.expr("typed", known[0]) if known and known[0] != NOTHING else NOTHING

    def _ternary(self, node: Node, scope: int) -> int:
        condition, then, other = (
            node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")
        )
        if condition is None or then is None or other is None:
            return NOTHING
        self.expression(condition, scope)
        with self.narrowing.where(condition, scope):
            found = self.expression(then, scope)
        with self.narrowing.where(condition, scope, holds=False):
            return self.builder.either((found, self.expression(other, scope)))

    def _binary(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return NOTHING
        first = self.expression(left, scope)
        if operator.type in ("&&", "||"):
            with self.narrowing.where(left, scope, holds=operator.type == "&&"):
                second = self.expression(right, scope)
        else:
            second = self.expression(right, scope)
        if operator.type in ("||", "??"):
            return self.builder.either((first, second))
        if operator.type == "&&":
            return second
        return self.builder.expr("lit", _OPERATORS.get(operator.type, "Boolean"))

    def _instantiation(self, node: Node, scope: int) -> int:
        """`f<T>` without a call."""
        self.type_arguments(node.child_by_field_name("type_arguments"), scope)
        return self.expression(node.named_children[0], scope) if node.named_children else NOTHING

    def _unary(self, node: Node, scope: int) -> int:
        for child in node.named_children:
            self.expression(child, scope)
        return self.builder.expr("lit", "Boolean")

    def _assignment(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        self._own_this = self.receiver_of(left, scope) if left is not None else NOTHING
        value = self.expression(right, scope) if right is not None else NOTHING
        self._own_this = NOTHING
        if left is not None:
            self.narrowing.forget(left)
            if left.type in ("object_pattern", "array_pattern"):
                self._assign_pattern(left, scope)
            else:
                self.written(left, value, scope)
            self.assigned(left, value, scope)
        return value

    def _assign_pattern(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if child.type == "shorthand_property_identifier_pattern":
                found = self.builder.expr("name", self.builder.text(child), scope)
                self.builder.use(child, Role.WRITE, found)
            elif child.type == "pair_pattern":
                value = child.child_by_field_name("value")
                if value is not None:
                    self._assign_pattern(value, scope) if value.type.endswith("pattern") else (
                        self.expression(value, scope, Role.WRITE)
                    )
            elif child.type.endswith("_pattern"):
                self._assign_pattern(child, scope)
            else:
                self.expression(child, scope, Role.WRITE)

    def _augmented(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            self.expression(left, scope, Role.WRITE)
        return self.expression(right, scope) if right is not None else NOTHING

    def _literal(self, node: Node, scope: int) -> int:
        role = Role.WRITE if node.type == "update_expression" else Role.READ
        for child in node.named_children:
            self.expression(child, scope, role)
        return self.builder.expr("lit", _LITERALS[node.type])

    def _array_literal(self, node: Node, scope: int) -> int:
        values = []
        for child in node.named_children:
            if child.type == "spread_element":
                inner = [self.expression(part, scope) for part in child.named_children]
                known = inner[0] if inner else NOTHING
                values.append(NOTHING if known == NOTHING else self.builder.expr("each", known))
            elif child.type != "comment":
                values.append(self.expression(child, scope))
        known_values = tuple(value for value in values[:_MAX_ITEMS] if value != NOTHING)
        return self.builder.expr("make", "Array", (known_values,))

    def _object(self, node: Node, scope: int) -> int:
        number = self.builder.declare_name(self.hint, node, DeclKind.OBJECT, scope, bind=False)
        inner = self.builder.open_scope(ScopeKind.CLASS, scope, number)
        outer_this, outer_hint = self.this, self.hint
        spreads = []
        for child in node.named_children:
            if child.type == "spread_element":
                values = [self.expression(part, scope) for part in child.named_children]
                spreads += [value for value in values if value != NOTHING]
                continue
            self._object_member(child, scope, inner, number)
            self.this, self.hint = outer_this, outer_hint
        self.builder.update(number, inner=inner, parts=tuple(spreads))
        return self.builder.expr("decl", number)

    def _object_member(self, node: Node, scope: int, inner: int, owner: int) -> None:
        if node.type == "shorthand_property_identifier":
            value = self.expression(node, scope)
            self.builder.declare(node, DeclKind.FIELD, inner, value=value)
        elif node.type == "pair":
            key, part = node.child_by_field_name("key"), node.child_by_field_name("value")
            if key is None or part is None:
                return
            if key.type == "computed_property_name":
                for child in key.named_children:
                    self.expression(child, scope)
            name = self.property_name(key)
            self.hint = name
            self._own_this = self.builder.expr("this", owner)
            value = self.expression(part, scope)
            self._own_this = NOTHING
            if name:
                self.builder.declare_name(name, key, DeclKind.FIELD, inner, value=value)
        elif node.type == "method_definition":
            name_node = node.child_by_field_name("name")
            if name_node is None:
                return
            number = self.builder.declare_name(
                self.property_name(name_node), name_node, DeclKind.METHOD, inner
            )
            self.this = self.builder.expr("this", owner)
            self.method(node, scope, number)

    def method(self, node: Node, scope: int, number: int) -> None:
        """The signature and the inside of a method."""
        flags = self.builder.decls[number].flags
        words = {child.type for child in node.children if not child.is_named}
        if words & {"get", "set"}:
            flags |= DeclFlag.PROPERTY
        if "async" in words:
            flags |= DeclFlag.ASYNC
        if "*" in words:
            flags |= DeclFlag.GENERATOR
        self.builder.update(number, flags=flags)
        inner = self.signature(node, scope, number)
        inside = node.child_by_field_name("body")
        if inside is not None:
            self.body(inside, inner, number)

    def function_expression(self, node: Node, scope: int) -> int:
        """A function written in place."""
        name = node.child_by_field_name("name")
        number = self.builder.declare_name(
            self.hint, node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        words = {child.type for child in node.children if not child.is_named}
        flags = self.builder.decls[number].flags
        flags |= DeclFlag.ASYNC if "async" in words else 0
        flags |= DeclFlag.GENERATOR if "*" in words else 0
        self.builder.update(number, flags=flags)
        if name is not None:
            scope = self.builder.open_scope(ScopeKind.BLOCK, scope)
            self.builder.scopes[scope].names[self.builder.text(name)] = [number]
        outer, self.hint = self.hint, ""
        outer_this, outer_own = self.this, self._own_this
        if node.type != "arrow_function":
            is_assigned = outer_own != NOTHING
            self.this = outer_own if is_assigned else self.builder.expr("this", number)
        self._own_this = NOTHING
        inner = self.signature(node, scope, number)
        inside = node.child_by_field_name("body")
        if inside is not None:
            self.body(inside, inner, number)
        self.hint, self.this, self._own_this = outer, outer_this, outer_own
        return self.builder.expr("decl", number)

    def _class_expression(self, node: Node, scope: int) -> int:
        return self.builder.expr("decl", self.class_like(node, scope, self.hint))

    # JSX.

    def _jsx_element(self, node: Node, scope: int) -> int:
        for child in node.named_children:
            self.expression(child, scope)
        return NOTHING

    def _jsx_tag(self, node: Node, scope: int) -> int:
        name = node.child_by_field_name("name")
        tag = NOTHING
        if name is not None and name.type != "jsx_namespace_name":
            is_component = name.type != "identifier" or not self.builder.text(name)[:1].islower()
            role = Role.READ if node.type == "jsx_closing_element" else Role.CALL
            tag = self.expression(name, scope, role) if is_component else NOTHING
        for child in node.named_children:
            if child.type == "jsx_attribute":
                self._jsx_attribute(child, scope, tag)
            elif child != name and child.type != "type_arguments":
                self.expression(child, scope)
            elif child.type == "type_arguments":
                self.type_arguments(child, scope)
        return NOTHING

    def _jsx_attribute(self, node: Node, scope: int, tag: int) -> None:
        parts = node.named_children
        if not parts:
            return
        expected = NOTHING
        if tag != NOTHING and parts[0].type == "property_identifier":
            props = self.builder.expr("props", tag)
            expected = self.builder.expr("member", props, self.builder.text(parts[0]))
            self.builder.use(parts[0], Role.READ, expected)
        for child in parts[1:]:
            inner = child.named_children if child.type == "jsx_expression" else [child]
            for part in inner:
                value = self.expression(part, scope)
                if expected != NOTHING:
                    self.expect(value, expected)
