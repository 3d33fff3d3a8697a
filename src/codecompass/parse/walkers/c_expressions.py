"""C and C++: what expressions say; notes every use on the way."""

from tree_sitter import Node

from codecompass.model.module import NOTHING, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.general import General, every, first

_CASTS = frozenset({"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast"})
PARAMETERS = (
    "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration",
)  # fmt: skip
"""Nodes that are one parameter."""


class Expressions(General):
    """The part of the walker that reads expressions; another adds declarations."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.expected = NOTHING  # the type of what an initializer list makes
        self.kinds |= {
            "call_expression": self._call,
            "field_expression": self._field,
            "qualified_identifier": self.qualified,
            "template_function": self._template_function,
            "new_expression": self._new,
            "cast_expression": self._cast,
            "compound_literal_expression": self._cast,
            "lambda_expression": self._lambda,
            "for_range_loop": self._for_each,
            "assignment_expression": self.assignment,
            "update_expression": self.unary,
            "subscript_expression": self._index,
            "initializer_list": self._initializers,
            "field_initializer": self._field_initializer,
        }

    def declared(self, node: Node | None) -> tuple[Node | None, Node | None]:
        """The name in a declarator, and the declarator of a function around it."""
        function = None
        while node is not None and node.type.endswith("declarator"):
            is_function = node.type == "function_declarator"
            guarded = self._guarded(node) if is_function else None
            if guarded is not None:
                return guarded, node
            inner = node.child_by_field_name("declarator") or (
                node.named_children[-1] if node.named_children else None
            )
            if is_function and (inner is None or inner.type != "parenthesized_declarator"):
                function = node
            node = inner
        return node, function

    def _guarded(self, node: Node) -> Node | None:
        """The name in `API void (name) (int)`, which reads like a function of a function."""
        inner = node.child_by_field_name("declarator")
        if inner is None or inner.type != "function_declarator":
            return None
        given = every(inner.child_by_field_name("parameters"), "parameter_declaration")
        if len(given) != 1 or given[0].named_child_count != 1:
            return None
        return first(given[0], "type_identifier")

    def _call(self, node: Node, scope: int, _role: Role) -> int:
        function = node.child_by_field_name("function")
        given = node.child_by_field_name("arguments")
        arguments = given.named_children if given is not None else []
        if function is not None and function.type == "template_function":
            name = function.child_by_field_name("name")
            if name is not None and self.text(name) in _CASTS:
                for item in arguments:
                    self.visit(item, scope)
                written = function.child_by_field_name("arguments")
                return self.typed(self.type_(first(written, "type_descriptor"), scope))
        return self.call(function, (a for a in arguments if a.type != "comment"), scope)

    def _field(self, node: Node, scope: int, role: Role) -> int:
        of, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
        value = self.visit(of, scope)
        if name is not None and name.type == "template_method":
            name = name.child_by_field_name("name")
        return self.use_member(value, name, role) if name is not None else NOTHING

    def qualified(self, node: Node, scope: int, role: Role) -> int:
        """A name behind `::`."""
        of, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if name is None:
            return NOTHING
        if of is None:
            return (
                self.visit(name, 0, role) if name.type in self.kinds else self.type_(name, 0, role)
            )
        return self._inside(self.type_(of, scope), name, scope, role)

    def _inside(self, of: int, name: Node, scope: int, role: Role) -> int:
        """A name that stands in a namespace or a class."""
        if name.type == "qualified_identifier":
            part, last = name.child_by_field_name("scope"), name.child_by_field_name("name")
            if part is None or last is None:
                return NOTHING
            head = (
                part.child_by_field_name("name") or part if part.type == "template_type" else part
            )
            return self._inside(self.use_member(of, head, Role.TYPE), last, scope, role)
        head = name
        if name.type in ("template_type", "template_function", "template_method"):
            head = name.child_by_field_name("name") or name
            given = name.child_by_field_name("arguments")
            arguments = tuple(self.type_(c, scope) for c in every(given, "type_descriptor"))
            found = self.use_member(of, head, role)
            is_type = name.type == "template_type" and arguments
            return self.builder.expr("apply", found, arguments) if is_type else found
        return self.use_member(of, head, role)

    def _template_function(self, node: Node, scope: int, role: Role) -> int:
        given = node.child_by_field_name("arguments")
        for child in given.named_children if given is not None else ():
            self.visit(child, scope)
        return self.visit(node.child_by_field_name("name"), scope, role)

    def _new(self, node: Node, scope: int, _role: Role) -> int:
        made = self.type_(node.child_by_field_name("type"), scope, Role.CALL)
        self.visit(node.child_by_field_name("arguments"), scope)
        return self.typed(made)

    def _cast(self, node: Node, scope: int, _role: Role) -> int:
        written = self.type_(node.child_by_field_name("type"), scope)
        outer, self.expected = self.expected, written
        self.visit(node.child_by_field_name("value"), scope)
        self.expected = outer
        return self.typed(written)

    def _initializers(self, node: Node, scope: int, _role: Role) -> int:
        expected = self.expected
        for child in node.named_children:
            self.expected = expected
            if child.type == "initializer_pair":
                for designator in child.children_by_field_name("designator"):
                    name = first(designator, "field_identifier")
                    if name is not None:
                        self.use_member(self.typed(expected), name, Role.WRITE)
                    else:
                        self.visit(designator, scope)
                self.expected = expected
                self.visit(child.child_by_field_name("value"), scope)
            else:
                self.visit(child, scope)
        self.expected = expected
        return self.typed(expected)

    def _field_initializer(self, node: Node, scope: int, _role: Role) -> int:
        for child in node.named_children:
            if child.type == "field_identifier":
                self.use_name(child, self.text(child), scope, Role.WRITE)
            elif child.type in ("template_method", "qualified_identifier", "template_type"):
                self.type_(child, scope)
            else:
                self.visit(child, scope)
        return NOTHING

    def _lambda(self, node: Node, scope: int, _role: Role) -> int:
        captures = node.child_by_field_name("captures")
        self.visit(captures, scope)
        given = first(node.child_by_field_name("declarator"), "parameter_list")
        return self.lambda_(
            node, every(given, *PARAMETERS), node.child_by_field_name("body"), scope
        )

    def _for_each(self, node: Node, scope: int, _role: Role) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        over = self.visit(node.child_by_field_name("right"), inner)
        written = self.type_(node.child_by_field_name("type"), inner)
        name, _function = self.declared(node.child_by_field_name("declarator"))
        if name is not None and name.type == "identifier":
            self.each(name, over, inner, written)
        self.visit(node.child_by_field_name("body"), inner)
        return NOTHING

    def _index(self, node: Node, scope: int, _role: Role) -> int:
        of = self.visit(node.child_by_field_name("argument"), scope)
        self.visit(node.child_by_field_name("indices") or node.child_by_field_name("index"), scope)
        return NOTHING if of == NOTHING else self.builder.expr("index", of, NOTHING, ())
