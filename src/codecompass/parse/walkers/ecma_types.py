"""TypeScript: what types say; notes every use on the way."""

from collections.abc import Callable, Iterable

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.builder import Builder

_LITERALS = {
    "string": "String", "number": "Number", "boolean": "Boolean", "symbol": "Symbol",
    "bigint": "Number", "template_literal_type": "String", "index_type_query": "String",
}  # fmt: skip
_NOTHINGS = frozenset({"void", "undefined", "null", "never"})
_WRAPPERS = frozenset(
    {
        "type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type",
        "constraint", "default_type", "asserts_annotation", "type_predicate_annotation",
        "implements_clause",
    }
)  # fmt: skip
_SIGNATURES = frozenset({"method_signature", "abstract_method_signature", "call_signature"})
CALLED = "()"
"""The name under which a type that can be called has its signature."""
INDEXED = "[]"
"""The name under which a type has what it gives for any key."""


class Types:
    """The part of the walker that reads types; expressions are added by another."""

    def __init__(self, text: bytes) -> None:
        self.builder = Builder(text)
        self.this = NOTHING
        self._types: dict[str, Callable[[Node, int], int]] = {
            "generic_type": self._generic,
            "array_type": self._array,
            "tuple_type": self._tuple_type,
            "union_type": self._either,
            "intersection_type": self._either,
            "conditional_type": self._conditional_type,
            "object_type": self._object_type,
            "function_type": self._function_type,
            "constructor_type": self._function_type,
            "type_query": self._query,
            "lookup_type": self._lookup,
            "this_type": lambda _node, _scope: self.this,
            "predefined_type": self._predefined,
            "literal_type": self._literal_type,
            "type_predicate": self._predicate,
            "infer_type": self._infer,
            "template_literal_type": self._other,
            "index_type_query": self._other,
            "member_expression": self._of_import,
            "call_expression": self._of_import,
        }

    # Given by the other parts of the walker.

    def expression(self, node: Node, scope: int, role: Role = Role.READ) -> int:
        """Note the uses in an expression; returns what it says."""
        raise NotImplementedError

    def parameters(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """Bind the parameters of a function."""
        raise NotImplementedError

    def documented(self, node: Node, number: int, scope: int) -> None:
        """Give a function's parameters and result the types that its comment tells."""

    def property_name(self, node: Node) -> str:
        """The name of a member; "" for a computed one."""
        if node.type in ("string", "number"):
            return self.builder.text(node).strip("\"'`")
        return "" if node.type == "computed_property_name" else self.builder.text(node)

    # Types.

    def type_(self, node: Node | None, scope: int, role: Role = Role.TYPE) -> int:
        """What a type says."""
        if node is None:
            return NOTHING
        kind = node.type
        if kind in ("type_identifier", "identifier"):
            return self._named(node, scope, role)
        if kind in ("nested_type_identifier", "nested_identifier"):
            return self._nested(node, scope, role)
        if kind in _WRAPPERS:
            inner = [child for child in node.named_children if child.type != "comment"]
            return self.type_(inner[0], scope, role) if inner else NOTHING
        if kind == "generic_type":
            return self._generic(node, scope, role)
        read = self._types.get(kind)
        if read is not None:
            return read(node, scope)
        for child in node.named_children:
            self.type_(child, scope)
        return NOTHING

    def type_arguments(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """The arguments of a generic type."""
        if node is None:
            return ()
        return tuple(
            self.type_(child, scope) for child in node.named_children if child.type != "comment"
        )

    def _named(self, node: Node, scope: int, role: Role) -> int:
        name = self.builder.text(node)
        if name == "const" or not name.strip("$"):  # the latter stands for `import("module")`
            return NOTHING
        found = self.builder.expr("typename", name, scope)
        self.builder.use(node, role, found)
        return found

    def _nested(self, node: Node, scope: int, role: Role) -> int:
        parts = node.named_children
        of = self.type_(parts[0], scope, Role.READ)
        found = self.builder.expr("member", of, self.builder.text(parts[-1]))
        self.builder.use(parts[-1], role, found)
        return found

    def _of_import(self, node: Node, scope: int) -> int:
        """`import("module").Name`."""
        if node.type == "call_expression":
            given = node.child_by_field_name("arguments")
            text = self.builder.text(given)[1:-1].strip() if given is not None else ""
            return self.builder.expr("from", text[1:-1], "") if text[:1] in "\"'" else NOTHING
        if len(node.named_children) < 2:
            return NOTHING
        of, name = node.named_children[0], node.named_children[-1]
        found = self.builder.expr("member", self._of_import(of, scope), self.builder.text(name))
        self.builder.use(name, Role.TYPE, found)
        return found

    def _generic(self, node: Node, scope: int, role: Role = Role.TYPE) -> int:
        head = self.type_(node.child_by_field_name("name"), scope, role)
        arguments = self.type_arguments(node.child_by_field_name("type_arguments"), scope)
        return NOTHING if head == NOTHING else self.builder.expr("apply", head, arguments)

    def _array(self, node: Node, scope: int) -> int:
        of = self.type_(node.named_children[0], scope) if node.named_children else NOTHING
        return self.builder.expr("builtin", "Array", (of,))

    def _tuple_type(self, node: Node, scope: int) -> int:
        found = []
        for child in node.named_children:
            is_named = child.type in ("required_parameter", "optional_parameter")
            of = child.child_by_field_name("type") if is_named else child
            found.append(self.type_(of, scope))
        return self.builder.expr("tuple", tuple(found))

    def _either(self, node: Node, scope: int) -> int:
        return self.builder.either([self.type_(child, scope) for child in node.named_children])

    def _conditional_type(self, node: Node, scope: int) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        found = {}
        for field in ("left", "right", "consequence", "alternative"):
            found[field] = self.type_(node.child_by_field_name(field), inner)
        branches = [found["consequence"], found["alternative"]]
        if any(
            self._is_again(node.child_by_field_name(f)) for f in ("consequence", "alternative")
        ):
            branches.append(self.builder.expr("opaque"))
        return self.builder.either(branches)

    def _is_again(self, node: Node | None) -> bool:
        """Whether a type is the one being declared: how often it goes round, nobody knows."""
        name = node.child_by_field_name("name") if node is not None else None
        return name is not None and bool(self.hint) and self.builder.text(name) == self.hint

    def _predefined(self, node: Node, _scope: int) -> int:
        name = self.builder.text(node)
        if name in _LITERALS:
            return self.builder.expr("lit", _LITERALS[name])
        return self.builder.expr("none") if name in _NOTHINGS else NOTHING

    def _literal_type(self, node: Node, _scope: int) -> int:
        kind = node.named_children[0].type if node.named_children else ""
        if kind in ("null", "undefined"):
            return self.builder.expr("none")
        return self.builder.expr("lit", _LITERALS.get(kind, "String"))

    def _predicate(self, node: Node, scope: int) -> int:
        self.type_(node.child_by_field_name("type"), scope)
        name = node.child_by_field_name("name")
        if name is not None and name.type == "identifier":
            self.builder.use(
                name, Role.READ, self.builder.expr("name", self.builder.text(name), scope)
            )
        return self.builder.expr("lit", "Boolean")

    def _infer(self, node: Node, scope: int) -> int:
        if not node.named_children:
            return NOTHING
        name, *bounds = node.named_children
        for bound in bounds:
            self.type_(bound, scope)
        self.builder.declare(name, DeclKind.TYPE_PARAMETER, scope, flags=DeclFlag.LOCAL)
        return self.builder.expr("typename", self.builder.text(name), scope)

    def _other(self, node: Node, scope: int) -> int:
        for child in node.named_children:
            self.type_(child, scope)
        return self.builder.expr("lit", "String")

    def _query(self, node: Node, scope: int) -> int:
        values = []
        for child in node.named_children:
            if child.type == "instantiation_expression":
                self.type_arguments(child.child_by_field_name("type_arguments"), scope)
                child = child.child_by_field_name("function") or child
            if child.type != "type_arguments":
                values.append(self.expression(child, scope, Role.TYPE))
        return self.builder.expr("typeof", values[0]) if values else NOTHING

    def _lookup(self, node: Node, scope: int) -> int:
        parts = node.named_children
        of = self.type_(parts[0], scope)
        if len(parts) < 2 or of == NOTHING:
            return NOTHING
        self.type_(parts[1], scope)
        text = self.builder.text(parts[1]).strip("\"'")
        name = text if parts[1].type == "literal_type" else INDEXED
        return self.builder.expr("member", self.builder.expr("typed", of), name)

    def _function_type(self, node: Node, scope: int) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        self.signature(node, scope, number)
        return self.builder.expr("function", number)

    def signature(self, node: Node, scope: int, number: int) -> int:
        """The parameters and the result of a function; returns the scope it opens."""
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        parameters = self.type_parameters(node.child_by_field_name("type_parameters"), inner)
        given = node.child_by_field_name("parameters")
        if given is not None:
            parts = self.parameters(given, inner)
        else:
            single = node.child_by_field_name("parameter")
            parts = self.parameters(single, inner) if single is not None else ()
        returned = node.child_by_field_name("return_type")
        if node.type == "constructor_type":
            returned = node.child_by_field_name("type")
        outer, self.builder.is_result = self.builder.is_result, True
        result = self.type_(returned, inner) if returned is not None else NOTHING
        self.builder.is_result = outer
        self.builder.update(
            number, inner=inner, parts=parts, type=result, type_parameters=parameters
        )
        self.documented(node, number, inner)
        return inner

    def type_parameters(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """Bind type parameters with what they are at least."""
        found = []
        for child in node.named_children if node is not None else ():
            name = child.child_by_field_name("name")
            if child.type != "type_parameter" or name is None:
                continue
            number = self.builder.declare(
                name, DeclKind.TYPE_PARAMETER, scope, flags=DeclFlag.LOCAL
            )
            found.append(number)
            bound = self.type_(child.child_by_field_name("constraint"), scope)
            default = self.type_(child.child_by_field_name("value"), scope)
            self.builder.update(number, type=bound if bound != NOTHING else default)
        return tuple(found)

    def _object_type(self, node: Node, scope: int) -> int:
        mapped = self._mapped(node, scope)
        if mapped is not None:
            return mapped
        number = self.builder.declare_name(
            self.hint, node, DeclKind.OBJECT, scope, bind=False, flags=0
        )
        inner = self.builder.open_scope(ScopeKind.CLASS, scope, number)
        self.builder.update(number, inner=inner)
        self.type_members(node.named_children, scope, inner)
        return self.builder.expr("decl", number)

    hint = ""
    """The name of what is being declared: what stands in its place belongs to it."""

    def _mapped(self, node: Node, scope: int) -> int | None:
        """`{ [K in keyof T]: T[K] }` is much like T."""
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) != 1 or parts[0].type != "index_signature":
            return None
        clause = next((c for c in parts[0].named_children if c.type == "mapped_type_clause"), None)
        if clause is None:
            return None
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        name = clause.child_by_field_name("name")
        if name is not None:
            self.builder.declare(name, DeclKind.TYPE_PARAMETER, inner, flags=DeclFlag.LOCAL)
        over = clause.child_by_field_name("type")
        keys = NOTHING
        if over is not None and over.type == "index_type_query" and over.named_children:
            keys = self.type_(over.named_children[0], inner)
        else:
            self.type_(over, inner)
        self.type_(clause.child_by_field_name("alias"), inner)
        value = self.type_(parts[0].child_by_field_name("type"), inner)
        if keys != NOTHING:
            return keys
        return self.builder.expr("builtin", "Record", (NOTHING, value))

    def type_members(self, nodes: Iterable[Node], scope: int, inner: int) -> None:
        """The members of an interface or of a type written in place."""
        for node in nodes:
            if node.type == "property_signature":
                self._property_signature(node, scope, inner)
            elif node.type in _SIGNATURES:
                name = node.child_by_field_name("name")
                self._computed(name, scope)
                called = self.property_name(name) if name is not None else CALLED
                number = self.builder.declare_name(called, name or node, DeclKind.METHOD, inner)
                self.signature(node, scope, number)
            elif node.type == "construct_signature":
                number = self.builder.declare_name("new", node, DeclKind.METHOD, inner)
                opened = self.signature(node, scope, number)
                made = self.type_(node.child_by_field_name("type"), opened)
                self.builder.update(number, type=made)
            elif node.type == "index_signature":
                value = self.type_(node.child_by_field_name("type"), scope)
                self.builder.declare_name(INDEXED, node, DeclKind.FIELD, inner, type=value)
                self.type_(node.child_by_field_name("index_type"), scope)
                for child in node.named_children:
                    if child.type == "mapped_type_clause":
                        self.type_(child.child_by_field_name("type"), scope)

    def _computed(self, name: Node | None, scope: int) -> None:
        """`[key]` as the name of a member."""
        if name is not None and name.type == "computed_property_name":
            for child in name.named_children:
                self.expression(child, scope)

    def _property_signature(self, node: Node, scope: int, inner: int) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        self._computed(name, scope)
        called = self.property_name(name)
        outer, self.hint = self.hint, called
        number = self.builder.declare_name(called, name, DeclKind.FIELD, inner)
        self.builder.update(number, type=self.type_(node.child_by_field_name("type"), scope))
        self.hint = outer
