"""Rust: what expressions say; notes every use on the way."""

from collections.abc import Callable

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.parser import parse_text
from codecompass.parse.walkers.rust_types import HEADS, SCOPED, STAND_IN, Types

_LITERALS = {
    "string_literal": "str", "raw_string_literal": "str", "char_literal": "char",
    "integer_literal": "i32", "float_literal": "f64", "boolean_literal": "bool",
}  # fmt: skip
MADE = "!"
"""The name that stands for what a macro makes in a module."""
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_AS_ARGUMENTS = (b"fn f(){" + STAND_IN.encode(), b";}")
_AS_BLOCK = (b"fn f()", b"")
_MAX_MACRO = 20_000
# Macros of the language whose arguments are values; others may make anything of a name.
_OF_VALUES = frozenset(
    {
        "assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne",
        "dbg", "eprint", "eprintln", "format", "format_args", "matches", "panic", "print",
        "println", "todo", "unimplemented", "unreachable", "vec", "write", "writeln",
    }
)  # fmt: skip
_WITH_CONDITION = ("if_expression", "while_expression")
_WORDS = frozenset({"if", "let", "mut", "ref", "move", "async", "match", "for", "in", "return"})


class Expressions(Types):
    """The part of the walker that reads expressions; declarations are added by another."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.returned: list[int] = []
        self._kinds: dict[str, Callable[[Node, int], int]] = {
            "call_expression": self._call,
            "macro_invocation": self._macro,
            "struct_expression": self._struct,
            "closure_expression": self._closure,
            "index_expression": self._index,
            "try_expression": self._try,
            "await_expression": self._await,
            "type_cast_expression": self._cast,
            "binary_expression": self._binary,
            "assignment_expression": self._assignment,
            "compound_assignment_expr": self._assignment,
            "if_expression": self._if,
            "match_expression": self._match,
            "for_expression": self._for,
            "while_expression": self._while,
            "let_condition": self._let_condition,
            "return_expression": self._return,
            "block": self._block,
            "async_block": self._block_inside,
            "unsafe_block": self._block_inside,
            "generic_function": self._generic_function,
            "tuple_expression": self._tuple,
            "array_expression": self._array,
            "line_comment": lambda _node, _scope: NOTHING,
            "block_comment": lambda _node, _scope: NOTHING,
            **dict.fromkeys(_LITERALS, self._literal),
        }
        for name in ("reference_expression", "parenthesized_expression"):
            self._kinds[name] = self._inner
        self._kinds["unary_expression"] = self._unary

    # Given by the declarations' part.

    def block(self, node: Node, scope: int) -> int:
        """Every statement below a node; returns what the last of them says."""
        raise NotImplementedError

    # Expressions.

    def expression(self, node: Node, scope: int, role: Role = Role.READ) -> int:
        """Note the uses in an expression; returns what it says."""
        kind = node.type
        if kind == "self":
            return self.builder.expr("name", "self", scope)
        if kind == "identifier" or kind in SCOPED:
            return self.path(node, scope, role)
        if kind == "field_expression":
            return self._field(node, scope, role)
        read = self._kinds.get(kind)
        if read is not None:
            return read(node, scope)
        if kind in self.types or kind == "type_identifier":
            return self.type_(node, scope)
        return self.block(node, scope)

    def _field(self, node: Node, scope: int, role: Role) -> int:
        of, name = node.child_by_field_name("value"), node.child_by_field_name("field")
        if of is None or name is None:
            return NOTHING
        called = self.builder.text(name) + ("()" if role is Role.CALL else "")
        found = self.builder.expr("member", self.expression(of, scope), called)
        if name.type == "field_identifier":
            self.builder.use(name, role, found)
        return found

    def _call(self, node: Node, scope: int) -> int:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return NOTHING
        given: tuple[int, ...] = ()
        if function.type == "generic_function":
            given = self.type_arguments(function.child_by_field_name("type_arguments"), scope)
            function = function.child_by_field_name("function") or function
        called = self.expression(function, scope, Role.CALL)
        values = tuple(
            self.expression(child, scope)
            for child in (arguments.named_children if arguments is not None else ())
            if not child.type.endswith("comment") and child.type != "attribute_item"
        )
        if called == NOTHING:
            return NOTHING
        found = self.builder.expr("call", called, values, given)
        for position, value in enumerate(values):
            self._expect(value, self.builder.expr("expected", found, position))
        return found

    def _expect(self, value: int, expected: int) -> None:
        if value == NOTHING or self.builder.exprs[value][0] != "decl":
            return
        for position, number in enumerate(self.builder.decls[self.builder.exprs[value][1]].parts):
            decl = self.builder.decls[number]
            if decl.type == decl.value == NOTHING:
                found = self.builder.expr("parameter", expected, position)
                self.builder.update(number, value=found)

    def _generic_function(self, node: Node, scope: int) -> int:
        self.type_arguments(node.child_by_field_name("type_arguments"), scope)
        function = node.child_by_field_name("function")
        return self.expression(function, scope) if function is not None else NOTHING

    def _struct(self, node: Node, scope: int) -> int:
        made, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        known = self.type_(made, scope, Role.CALL)
        value = NOTHING if known == NOTHING else self.builder.expr("typed", known)
        shape = NOTHING if known == NOTHING else self.builder.expr("shape", known)
        for child in body.named_children if body is not None else ():
            if child.type == "field_initializer":
                name = child.child_by_field_name("field") or child.child_by_field_name("name")
                part = child.child_by_field_name("value")
                if name is not None:
                    of = self.builder.expr("member", shape, self.builder.text(name))
                    self.builder.use(name, Role.WRITE, of)
                if part is not None:
                    self.expression(part, scope)
            elif child.type == "shorthand_field_initializer" and child.named_children:
                name = child.named_children[-1]
                of = self.builder.expr("member", shape, self.builder.text(name))
                self.builder.use(name, Role.WRITE, of)
            else:
                self.expression(child, scope)
        return value

    def _closure(self, node: Node, scope: int) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        given = node.child_by_field_name("parameters")
        parts = [
            self.parameter(child, inner)
            for child in (given.named_children if given is not None else ())
        ]
        result = self.type_(node.child_by_field_name("return_type"), inner)
        outer, self.returned = self.returned, []
        body = node.child_by_field_name("body")
        value = self.expression(body, inner) if body is not None else NOTHING
        returns = [*self.returned, *([value] if value != NOTHING else [])]
        self.builder.update(
            number, inner=inner, parts=tuple(parts), type=result, returns=tuple(returns)
        )
        self.returned = outer
        return self.builder.expr("decl", number)

    def parameter(self, node: Node, scope: int) -> int:
        """Bind a parameter, which may be a pattern."""
        written = node.child_by_field_name("type") if node.type == "parameter" else None
        declared = self.type_(written, scope)
        pattern = node.child_by_field_name("pattern") if node.type == "parameter" else node
        number = self.builder.declare_name(
            "", node, DeclKind.PARAMETER, scope, bind=False, type=declared, flags=DeclFlag.LOCAL
        )
        self.pattern(pattern, scope, self.builder.expr("of", number))
        return number

    def _index(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        if not values or values[0] == NOTHING:
            return NOTHING
        return self.builder.expr("index", values[0], NOTHING, tuple(values[1:]))

    def _try(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        known = values and values[0] != NOTHING
        return self.builder.expr("enter", values[0]) if known else NOTHING

    def _await(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        return values[0] if values else NOTHING

    def _cast(self, node: Node, scope: int) -> int:
        value = node.child_by_field_name("value")
        if value is not None:
            self.expression(value, scope)
        known = self.type_(node.child_by_field_name("type"), scope)
        return NOTHING if known == NOTHING else self.builder.expr("typed", known)

    def _binary(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        values = [self.expression(part, scope) for part in (left, right) if part is not None]
        if operator is not None and operator.type in _COMPARISONS:
            return self.builder.expr("lit", "bool")
        return values[0] if values else NOTHING

    def _assignment(self, node: Node, scope: int) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            self.expression(left, scope, Role.WRITE)
        if right is not None:
            self.expression(right, scope)
        return NOTHING

    def _if(self, node: Node, scope: int) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        condition = node.child_by_field_name("condition")
        if condition is not None:
            self.expression(condition, inner)
        found = []
        for field, where in (("consequence", inner), ("alternative", scope)):
            part = node.child_by_field_name(field)
            if part is not None:
                inside = part.named_children[0] if part.type == "else_clause" else part
                found.append(self.expression(inside, where))
        return self.builder.either(found)

    def _let_condition(self, node: Node, scope: int) -> int:
        value = node.child_by_field_name("value")
        is_alone = node.parent is not None and node.parent.type in _WITH_CONDITION
        before = self.builder.scopes[scope].parent if is_alone else scope
        known = self.expression(value, before) if value is not None else NOTHING
        self.pattern(node.child_by_field_name("pattern"), scope, known)
        return self.builder.expr("lit", "bool")

    def _match(self, node: Node, scope: int) -> int:
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        known = self.expression(value, scope) if value is not None else NOTHING
        found = []
        for arm in body.named_children if body is not None else ():
            if arm.type != "match_arm":
                continue
            inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
            pattern = arm.child_by_field_name("pattern")
            self.pattern(pattern, inner, known)
            condition = pattern.child_by_field_name("condition") if pattern is not None else None
            if condition is not None:
                self.expression(condition, inner)
            result = arm.child_by_field_name("value")
            if result is not None:
                found.append(self.expression(result, inner))
        return self.builder.either(found)

    def _for(self, node: Node, scope: int) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        over = self.expression(value, scope) if value is not None else NOTHING
        each = NOTHING if over == NOTHING else self.builder.expr("each", over)
        self.pattern(node.child_by_field_name("pattern"), inner, each)
        if body is not None:
            self.expression(body, inner)
        return NOTHING

    def _while(self, node: Node, scope: int) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        for child in node.named_children:
            self.expression(child, inner)
        return NOTHING

    def _return(self, node: Node, scope: int) -> int:
        for child in node.named_children:
            value = self.expression(child, scope)
            if value != NOTHING:
                self.returned.append(value)
        return NOTHING

    def _block(self, node: Node, scope: int) -> int:
        return self.block(node, self.builder.open_scope(ScopeKind.BLOCK, scope))

    def _block_inside(self, node: Node, scope: int) -> int:
        found = NOTHING
        for child in node.named_children:
            found = self.expression(child, scope)
        return found

    def _tuple(self, node: Node, scope: int) -> int:
        values = tuple(self.expression(child, scope) for child in node.named_children)
        return self.builder.expr("tuple", values)

    def _array(self, node: Node, scope: int) -> int:
        values = [self.expression(child, scope) for child in node.named_children]
        known = tuple(value for value in values[:4] if value != NOTHING)
        return self.builder.expr("make", "Vec", (known,))

    def _unary(self, node: Node, scope: int) -> int:
        """`*x` of a reference is x; what a second star gives, the type of x decides."""
        found = self._inner(node, scope)
        return NOTHING if self.builder.text(node).startswith("**") else found

    def _inner(self, node: Node, scope: int) -> int:
        parts = [c for c in node.named_children if c.type not in ("mutable_specifier", "lifetime")]
        values = [self.expression(child, scope) for child in parts]
        return values[-1] if values else NOTHING

    def _literal(self, node: Node, _scope: int) -> int:
        return self.builder.expr("lit", _LITERALS[node.type])

    # Macros.

    def _macro(self, node: Node, scope: int) -> int:
        name = node.child_by_field_name("macro")
        if name is not None:
            called = self.builder.text(name).rpartition("::")[2]
            last = name.child_by_field_name("name") if name.type in SCOPED else name
            before = name.child_by_field_name("path") if name.type in SCOPED else None
            if last is not None and before is not None:
                of = self.path(before, scope, Role.READ)
                self.builder.use(last, Role.CALL, self.builder.expr("member", of, f"{called}!"))
            elif last is not None:
                self.builder.use(last, Role.CALL, self.builder.expr("name", f"{called}!", scope))
        found = NOTHING
        called = self.builder.text(name).rpartition("::")[2] if name is not None else ""
        outer = (self.is_in_macro, self.macro)
        self.is_in_macro, self.macro = self.is_in_macro or called not in _OF_VALUES, called
        for child in node.named_children:
            if child.type == "token_tree":
                found = self._macro_arguments(child, scope)
        self.is_in_macro, self.macro = outer
        return found

    def _macro_items(self, node: Node, text: bytes, scope: int) -> int:
        """`cfg_x! { … }` around items: they are as good as without it."""
        root = parse_text("tree_sitter_rust", "language", text)
        if root.has_error:
            self._note_items(node, scope)
            self.tokens(node, scope)
            return NOTHING
        with self.builder.inside(text, node.start_byte + 1):
            self.block(root, scope)
        return NOTHING

    def _note_items(self, node: Node, scope: int) -> None:
        """A macro that makes items: the module may know more names than are written in it."""
        self.builder.declare_name(MADE, node, DeclKind.NARROWED, scope, flags=DeclFlag.LOCAL)

    def _macro_arguments(self, node: Node, scope: int) -> int:
        """What a macro is given, read as code if it is code, as plain tokens if not."""
        text = self.builder.text(node).encode()
        if self.builder.scopes[scope].kind == ScopeKind.MODULE:
            if text[:1] == b"{":
                return self._macro_items(node, text[1:-1], scope)
            self._note_items(node, scope)
        before, after = _AS_BLOCK if text[:1] == b"{" else _AS_ARGUMENTS
        inner = text if text[:1] == b"{" else b"(" + text[1:-1] + b")"
        code = before + inner + after
        root = parse_text("tree_sitter_rust", "language", code)
        if root.has_error or len(text) > _MAX_MACRO:
            self.tokens(node, scope)
            return NOTHING
        found = root.named_children[0].child_by_field_name("body")
        if found is not None:
            shift = node.start_byte - len(before)
            with self.builder.inside(code, shift):
                self._block(found, scope)
        return NOTHING

    def tokens(self, node: Node, scope: int) -> None:
        """The names in what a macro is given: chains of them, as far as tokens show."""
        of, is_joined = NOTHING, False
        children = node.children
        for place, child in enumerate(children):
            follows = children[place + 1] if place + 1 < len(children) else None
            if child.type in ("identifier", "self", "crate", "super", "type_identifier"):
                if self.builder.text(child) in _WORDS:
                    continue
                before = children[place - 1] if is_joined else None
                of = self._token(child, scope, of if is_joined else NOTHING, before, follows)
                is_joined = False
            elif child.type in (".", "::"):
                is_joined = of != NOTHING
            elif child.type == "token_tree":
                self.tokens(child, scope)
                is_call = self.builder.text(child)[:1] == "("
                if of != NOTHING and is_call and not is_joined:
                    of = self.builder.expr("call", of, (), ())
                elif not is_call:
                    of = NOTHING
            elif child.type != "?":
                of, is_joined = NOTHING, False

    def _token(
        self, node: Node, scope: int, of: int, before: Node | None, follows: Node | None
    ) -> int:
        is_called = follows is not None and self.builder.text(follows)[:1] == "("
        is_method = is_called and before is not None and before.type == "."
        role = Role.CALL if is_called else Role.READ
        if node.type in HEADS and node.type != "self":
            return self.builder.expr(HEADS[node.type], scope)
        name = self.builder.text(node)
        if of == NOTHING:
            found = self.builder.expr("token", name, scope)
        else:
            found = self.builder.expr("member", of, name + ("()" if is_method else ""))
        if node.type != "self":
            self.builder.use(node, role, found)
        return found
