"""Python: what expressions and annotations say; notes every use on the way."""

import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.parser import parse_text
from codecompass.parse.walkers.builder import Builder

_QUOTES = re.compile(rb"""^[rRbBuU]*["']+|["']+$""")
_BEFORE = b"_:("
_MAX_ARGUMENTS = 8
_MAX_ITEMS = 4
_LITERALS = {
    "string": "str", "concatenated_string": "str", "integer": "int", "float": "float",
    "true": "bool", "false": "bool", "comparison_operator": "bool", "not_operator": "bool",
}  # fmt: skip
# Functions of libraries that give a copy of a value with other fields.
_CHANGED_COPIES = frozenset({"replace", "evolve", "assoc"})
_COLLECTIONS = {"list": "list", "set": "set"}
_COMPREHENSIONS = {
    "list_comprehension": "list",
    "set_comprehension": "set",
    "generator_expression": "Generator",
    "dictionary_comprehension": "dict",
}


class Expressions:
    """The part of the walker that reads expressions; statements are added by another."""

    def __init__(self, text: bytes) -> None:
        self.builder = Builder(text)
        self.returned: tuple[list[int], bool] = ([], False)
        self.comprehensions: set[int] = set()
        self._is_quiet = False
        self._kinds: dict[str, Callable[[Node, int], int]] = {
            "call": self._call,
            "subscript": self._subscript,
            "await": self._await,
            "parenthesized_expression": self._parenthesized,
            "conditional_expression": self._conditional,
            "boolean_operator": self._boolean,
            "named_expression": self._named,
            "lambda": self._lambda,
            "tuple": self._tuple,
            "expression_list": self._tuple,
            "dictionary": self._dictionary,
            "binary_operator": self._binary,
            "keyword_argument": self._keyword,
            "yield": self._yield,
            "type": self.annotation,
            "comment": lambda _node, _scope: NOTHING,
            "none": lambda _node, _scope: self.builder.expr("none"),
            **dict.fromkeys(_LITERALS, self._literal),
            **dict.fromkeys(_COLLECTIONS, self._collection),
            **dict.fromkeys(_COMPREHENSIONS, self._comprehension),
        }

    def target(self, node: Node, scope: int, value: int, declared: int = NOTHING) -> None:
        """Bind what stands on the left of an assignment."""
        raise NotImplementedError

    def quiet(self, node: Node, scope: int) -> int:
        """What an expression says, without noting its uses again."""
        before, self._is_quiet = self._is_quiet, True
        try:
            return self.expression(node, scope)
        finally:
            self._is_quiet = before

    def wrap(self, operation: str, value: int) -> int:
        """Something taken out of a value, if the value is known."""
        return NOTHING if value == NOTHING else self.builder.expr(operation, value)

    def expression(self, node: Node, scope: int, role: Role = Role.READ) -> int:
        """Note the uses in an expression; returns what it says."""
        kind = node.type
        if kind == "identifier":
            found = self.builder.expr("name", self.builder.text(node), scope)
            self._use(node, role, found)
            return found
        if kind == "attribute":
            return self._attribute(node, scope, role)
        if kind == "dotted_name":
            return self._dotted(node, scope, role)
        if kind == "call" and role is Role.DECORATE:
            return self._call(node, scope, role)
        read = self._kinds.get(kind)
        if read is not None:
            return read(node, scope)
        for child in node.named_children:
            self.expression(child, scope)
        return NOTHING

    def _dotted(self, node: Node, scope: int, role: Role) -> int:
        """`a.b.C` in a pattern."""
        first, *rest = node.named_children
        found = self.expression(first, scope, Role.READ if rest else role)
        for part in rest:
            found = self.builder.expr("member", found, self.builder.text(part))
            self._use(part, role, found)
        return found

    def _use(self, node: Node, role: Role, expr: int) -> None:
        if not self._is_quiet:
            self.builder.use(node, role, expr)

    def _attribute(self, node: Node, scope: int, role: Role) -> int:
        of, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if of is None or name is None:
            return NOTHING
        found = self.builder.expr("member", self.expression(of, scope), self.builder.text(name))
        self._use(name, role, found)
        return found

    def _call(self, node: Node, scope: int, role: Role = Role.CALL) -> int:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return NOTHING
        called = self.expression(function, scope, role)
        values: list[int] = []
        given = arguments.named_children if arguments is not None else []
        if arguments is not None and arguments.type == "generator_expression":
            given = [arguments]  # `sum(x for x in y)`
        for child in given:
            value = self.expression(child, scope)
            is_plain = child.type not in ("keyword_argument", "comment", "list_splat")
            is_bound = child.type == "keyword_argument" and self._is_bound(child)
            if (is_plain or is_bound) and len(values) < _MAX_ARGUMENTS:
                values.append(value)
        self._use_keywords(function, called, values, given)
        if function.type == "identifier" and self.builder.text(function) == "super":
            return self._super(scope, values)
        if called == NOTHING:
            return NOTHING
        found = self.builder.expr("call", called, tuple(values), ())
        for position, value in enumerate(values):
            self._expect(value, self.builder.expr("expected", found, position))
        return found

    def _use_keywords(
        self, function: Node, called: int, values: Sequence[int], given: Sequence[Node]
    ) -> None:
        """`Point(x=1)` and `replace(point, x=1)` name a field where a class has a plain `x`."""
        named = (c.child_by_field_name("name") for c in given if c.type == "keyword_argument")
        keywords = [keyword for keyword in named if keyword is not None]
        if not keywords or called == NOTHING:
            return
        operation, of = "keyword", called
        name = self.builder.text(function).rpartition(".")[2]
        if name in _CHANGED_COPIES and values:
            operation, of = "changed", values[0]
        elif name == "partial" and values:
            of = values[0]
        elif name in ("_replace", "__init__") and function.type == "attribute":
            operation, of = "changed", self.builder.exprs[called][1]
        for keyword in keywords if of != NOTHING else ():
            field = self.builder.expr(operation, of, self.builder.text(keyword), called)
            self._use(keyword, Role.WRITE, field)

    def use_matched(self, of: int, keyword: Node) -> None:
        """A name that a pattern asks an object of a class for."""
        found = self.builder.expr("matched", of, self.builder.text(keyword))
        self._use(keyword, Role.READ, found)

    def _expect(self, value: int, expected: int) -> None:
        """A lambda's parameters are what the function expects that it is handed to."""
        if value == NOTHING or self.builder.exprs[value][0] != "decl":
            return
        for position, number in enumerate(self.builder.decls[self.builder.exprs[value][1]].parts):
            if self.builder.decls[number].value == NOTHING:
                found = self.builder.expr("parameter", expected, position)
                self.builder.update(number, value=found)

    def _is_bound(self, node: Node) -> bool:
        """What a type variable is at least, in `TypeVar("T", bound=…)`."""
        name = node.child_by_field_name("name")
        return name is not None and self.builder.text(name) == "bound"

    def _super(self, scope: int, arguments: list[int]) -> int:
        if arguments:
            return self.builder.expr("super", NOTHING, arguments[0])
        while scope != NOTHING:
            found = self.builder.scopes[scope]
            if found.kind == ScopeKind.CLASS:
                return self.builder.expr("super", found.owner, NOTHING)
            scope = found.parent
        return NOTHING

    def _subscript(self, node: Node, scope: int) -> int:
        of = node.child_by_field_name("value")
        keys = node.children_by_field_name("subscript")
        if of is None:
            return NOTHING
        value = self.expression(of, scope)
        found = [self.expression(key, scope) for key in keys]
        if value == NOTHING:
            return NOTHING
        if len(keys) == 1 and keys[0].type == "slice":
            return value
        if len(keys) == 1 and keys[0].type == "integer":
            text = self.builder.text(keys[0])
            if text.isdigit():
                return self.builder.expr("index", value, int(text), tuple(found))
        return self.builder.expr("index", value, NOTHING, tuple(found))

    def _await(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        return self.wrap("await", values[0]) if values else NOTHING

    def _parenthesized(self, node: Node, scope: int) -> int:
        values = [
            self.expression(child, scope)
            for child in node.named_children
            if child.type != "comment"
        ]
        return values[0] if values else NOTHING

    def _conditional(self, node: Node, scope: int) -> int:
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) != 3:  # value, condition, other value
            return NOTHING
        self.expression(parts[1], scope)
        value = self.expression(parts[0], self.narrowed(parts[1], scope))
        return self.builder.either((value, self.expression(parts[2], scope)))

    def _boolean(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return NOTHING
        first = self.expression(left, scope)
        inner = self.narrowed(left, scope) if operator.type == "and" else scope
        second = self.expression(right, inner)
        return self.builder.either((first, second))

    def narrowed(self, condition: Node, scope: int) -> int:
        """The scope in which a condition holds: `isinstance(x, T)` says more of x."""
        found: list[tuple[Node, Node]] = []
        self._guards(condition, found)
        if not found:
            return scope
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        for name, classes in found:
            value = self.wrap("instance", self.quiet(classes, scope))
            self.builder.declare(name, DeclKind.NARROWED, inner, value=value, flags=DeclFlag.LOCAL)
        return inner

    def _guards(self, node: Node, found: list[tuple[Node, Node]]) -> None:
        if node.type == "call":
            function = node.child_by_field_name("function")
            arguments = node.child_by_field_name("arguments")
            if function is None or arguments is None:
                return
            parts = arguments.named_children
            is_guard = self.builder.text(function) == "isinstance" and len(parts) == 2
            if is_guard and parts[0].type == "identifier":
                found.append((parts[0], parts[1]))
        elif node.type == "boolean_operator":
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type == "and":
                for child in node.named_children:
                    self._guards(child, found)
        elif node.type == "parenthesized_expression":
            for child in node.named_children:
                self._guards(child, found)

    def _named(self, node: Node, scope: int) -> int:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return NOTHING
        found = self.expression(value, scope)
        while scope in self.comprehensions:
            scope = self.builder.scopes[scope].parent
        self.target(name, scope, found)
        return found

    def _lambda(self, node: Node, scope: int) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        parameters = node.child_by_field_name("parameters")
        found = [
            self.parameter(child, inner)
            for child in (parameters.named_children if parameters is not None else ())
        ]
        body = node.child_by_field_name("body")
        value = self.expression(body, inner) if body is not None else NOTHING
        self.builder.update(
            number,
            inner=inner,
            parts=tuple(item for item in found if item != NOTHING),
            returns=(value,) if value != NOTHING else (),
        )
        return self.builder.expr("decl", number)

    def parameter(self, node: Node, scope: int) -> int:
        """Bind a parameter; what it is annotated with and its default are of the scope around."""
        name: Node | None = node
        declared, value, flags = NOTHING, NOTHING, DeclFlag.LOCAL
        if node.type in ("default_parameter", "typed_default_parameter", "typed_parameter"):
            name = node.child_by_field_name("name") or node.named_children[0]
            annotation, default = (
                node.child_by_field_name("type"),
                node.child_by_field_name("value"),
            )
            outer = self.builder.scopes[scope].parent
            declared = self.annotation(annotation, outer) if annotation is not None else NOTHING
            value = self.expression(default, outer) if default is not None else NOTHING
        if name is not None and name.type in ("list_splat_pattern", "dictionary_splat_pattern"):
            is_list = name.type == "list_splat_pattern"
            flags |= DeclFlag.REST if is_list else DeclFlag.REST_NAMED
            name = name.named_children[0] if name.named_children else None
        if name is None or name.type != "identifier":
            return NOTHING
        return self.builder.declare(
            name, DeclKind.PARAMETER, scope, type=declared, value=value, flags=flags
        )

    def _tuple(self, node: Node, scope: int) -> int:
        values = tuple(self.expression(child, scope) for child in node.named_children)
        return self.builder.expr("tuple", values[:_MAX_ARGUMENTS])

    def _literal(self, node: Node, scope: int) -> int:
        kind = node.type
        if kind != "string" or self.builder.has_prefix(node):
            for child in node.named_children:
                self.expression(child, scope)
        return self.builder.expr("lit", _LITERALS[kind])

    def _collection(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        known = tuple(value for value in values[:_MAX_ITEMS] if value != NOTHING)
        return self.builder.expr("make", _COLLECTIONS[node.type], (known,))

    def _dictionary(self, node: Node, scope: int) -> int:
        keys: list[int] = []
        values: list[int] = []
        for child in node.named_children:
            if child.type != "pair":
                self.expression(child, scope)
                continue
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is not None and value is not None:
                keys.append(self.expression(key, scope))
                values.append(self.expression(value, scope))
        groups = tuple(
            tuple(dict.fromkeys(item for item in group[:_MAX_ITEMS] if item != NOTHING))
            for group in (keys, values)
        )
        return self.builder.expr("make", "dict", groups)

    def _comprehension(self, node: Node, scope: int) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        self.comprehensions.add(inner)
        for child in node.named_children:
            if child.type != "for_in_clause":
                continue
            left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
            if left is not None and right is not None:
                self.target(left, inner, self.wrap("each", self.expression(right, inner)))
        for child in node.named_children:
            if child.type == "if_clause" and child.named_children:
                self.expression(child.named_children[0], inner)
                inner = self.narrowed(child.named_children[0], inner)
        body = node.child_by_field_name("body")
        if body is None:
            return NOTHING
        made = _COMPREHENSIONS[node.type]
        if body.type == "pair":
            parts = [self.expression(child, inner) for child in body.named_children]
            groups = tuple((part,) if part != NOTHING else () for part in parts)
            return self.builder.expr("make", made, groups)
        value = self.expression(body, inner)
        return self.builder.expr("make", made, ((value,) if value != NOTHING else (),))

    def _binary(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return NOTHING
        first, second = self.expression(left, scope), self.expression(right, scope)
        if operator.type == "|":
            return self.builder.either((first, second))
        return first if operator.type in ("+", "/", "-", "*", "%") else NOTHING

    def _keyword(self, node: Node, scope: int) -> int:
        value = node.child_by_field_name("value")
        if value is not None and self._is_bound(node):
            return self.annotation(value, scope, Role.READ)
        return self.expression(value, scope) if value is not None else NOTHING

    def _yield(self, node: Node, scope: int) -> int:
        returns, _ = self.returned
        for child in node.named_children:
            value = self.expression(child, scope)
            if any(part.type == "from" for part in node.children):
                value = self.wrap("each", value)
            if value != NOTHING:
                returns.append(value)
        self.returned = (returns, True)
        return NOTHING

    # Annotations.

    def annotation(self, node: Node, scope: int, role: Role = Role.TYPE) -> int:
        """What an expression says that names a type."""
        kind = node.type
        if kind in ("identifier", "attribute"):
            return self.expression(node, scope, role)
        if kind in ("type", "parenthesized_expression"):
            return (
                self.annotation(node.named_children[0], scope, role)
                if node.named_children
                else NOTHING
            )
        if kind == "string":
            return self._quoted(node, scope, role)
        if kind == "none":
            return self.builder.expr("none")
        if kind == "binary_operator":
            parts = [self.annotation(child, scope) for child in node.named_children]
            return self.builder.either(parts)
        if kind in ("subscript", "generic_type"):
            return self._applied(node, scope, role)
        if kind == "list":
            parts = [self.annotation(child, scope) for child in node.named_children]
            return self.builder.expr("tuple", tuple(parts))
        if kind == "union_type":
            return self.builder.either([self.annotation(c, scope) for c in node.named_children])
        return self.expression(node, scope)

    def _applied(self, node: Node, scope: int, role: Role) -> int:
        parts = node.named_children
        head = self.annotation(parts[0], scope, role)
        rest = parts[1:]
        if rest and rest[0].type == "type_parameter":
            rest = rest[0].named_children
        is_literal = self.builder.text(parts[0]).endswith("Literal")
        if is_literal:
            for child in rest:  # members of an enumeration
                inner = child.named_children[0] if child.type == "type" else child
                if inner.type == "attribute":
                    self.expression(inner, scope)
            return self.builder.expr("lit", "str")
        if self.builder.text(parts[0]).endswith("Annotated"):
            for child in rest[1:]:  # about the type, no types
                self.expression(child.named_children[0] if child.type == "type" else child, scope)
            rest = rest[:1]
        arguments = tuple(self.annotation(child, scope) for child in rest)
        if head == NOTHING:
            return NOTHING
        return self.builder.expr("apply", head, arguments)

    def _quoted(self, node: Node, scope: int, role: Role) -> int:
        """What a type in quotes says, as if it stood there without them."""
        quoted = self.builder.text(node).encode()
        text = _QUOTES.sub(b"", quoted)
        code = _BEFORE + text + b")"
        root = parse_text("tree_sitter_python", "language", code)
        statement = root.named_children[0] if root.named_children else None
        if statement is None or root.has_error:  # prose
            return NOTHING
        written = statement.named_children[0].child_by_field_name("type")
        if written is None:
            return NOTHING
        shift = node.start_byte + quoted.index(text) - len(_BEFORE)
        with self.builder.inside(code, shift):
            return self.annotation(written, scope, role)
