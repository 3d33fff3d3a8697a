"""C#: namespaces, usings, classes, properties, expressions."""

from typing import ClassVar

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.general import (
    ClassParts,
    FunctionParts,
    General,
    every,
    first,
    walk_with,
)

_CLASSES = {
    "class_declaration": DeclKind.CLASS, "struct_declaration": DeclKind.CLASS,
    "record_declaration": DeclKind.CLASS, "interface_declaration": DeclKind.INTERFACE,
    "enum_declaration": DeclKind.ENUM,
}  # fmt: skip
_METHODS = (
    "method_declaration", "constructor_declaration", "destructor_declaration",
    "local_function_statement",
)  # fmt: skip


_OWN_TYPES = {
    "string": "String", "bool": "Boolean", "char": "Character", "byte": "Byte", "sbyte": "Byte",
    "short": "Short", "ushort": "Integer", "int": "Integer", "uint": "Long", "long": "Long",
    "ulong": "Long", "float": "Float", "double": "Double", "decimal": "Double",
    "object": "Object",
}  # fmt: skip
_CREATIONS = ("object_creation_expression", "implicit_object_creation_expression")


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a C# file."""
    return walk_with(_Walker(text), root)


class _Walker(General):
    """Declarations and expressions of C#."""

    type_names = frozenset({"identifier"})
    literals: ClassVar = {
        "integer_literal": "Integer", "real_literal": "Double", "boolean_literal": "Boolean",
        "character_literal": "Character", "string_literal": "String",
        "verbatim_string_literal": "String", "raw_string_literal": "String",
        "interpolated_string_expression": "String",
    }  # fmt: skip
    silent = frozenset({"var", "nameof", "value", "_"})

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._condition = NOTHING  # what stands before `?.`
        self._matched = NOTHING  # what a pattern is compared with
        self.kinds |= {
            "using_directive": self._using,
            "namespace_declaration": self._namespace,
            "file_scoped_namespace_declaration": self._file_namespace,
            "variable_declaration": self._variables,
            "property_declaration": self._property,
            "enum_member_declaration": self._enum_member,
            "delegate_declaration": self._delegate,
            "attribute": self._attribute,
            "invocation_expression": self._call,
            "member_access_expression": self._member,
            "conditional_access_expression": self._conditional,
            "member_binding_expression": self._binding,
            "object_creation_expression": self._new,
            "implicit_object_creation_expression": self._new,
            "generic_name": self._generic_name,
            "qualified_name": lambda node, scope, role: self.type_(node, scope, role),
            "cast_expression": self._cast,
            "as_expression": self._as,
            "declaration_pattern": self._pattern,
            "declaration_expression": self._pattern,
            "constant_pattern": self.children,
            "catch_declaration": self._pattern,
            "foreach_statement": self._for_each,
            "for_statement": self.block,
            "block": self.block,
            "switch_section": self.block,
            "using_statement": self.block,
            "catch_clause": self.block,
            "lambda_expression": self._lambda,
            "anonymous_method_expression": self._lambda,
            "assignment_expression": self.assignment,
            "prefix_unary_expression": self.unary,
            "postfix_unary_expression": self.unary,
            "element_access_expression": self._index,
            "await_expression": self._await,
            "return_statement": self.give_back,
            "this": lambda _node, _scope, _role: self.this_value(),
            "base": lambda _node, _scope, _role: self.this_value("super"),
            "array_creation_expression": self._type_value,
            "typeof_expression": self._type_only,
            "type_argument_list": self._type_only,
            "predefined_type": self._own_type,
            "name_colon": self.skip,
            "argument": self._argument,
            "with_expression": self._with,
            "is_pattern_expression": self._is_pattern,
            "recursive_pattern": self._recursive_pattern,
            **dict.fromkeys(_CLASSES, self._class),
            **dict.fromkeys(_METHODS, self._method),
        }

    def _using(self, node: Node, scope: int, _role: Role) -> int:
        parts = every(node, "identifier", "qualified_name", "generic_name")
        alias = node.child_by_field_name("name")
        target = next((part for part in parts if part != alias), None)
        if target is None:
            return NOTHING
        full_name = self.text(target).removeprefix("global::")
        if alias is not None:
            last = target.child_by_field_name("name") or target
            self.import_name(last, full_name, scope, alias)
        else:
            self.builder.stars.append(full_name)
        return NOTHING

    def _namespace(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        return self.namespace(self.text(name), body, scope) if name is not None else NOTHING

    def _file_namespace(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is not None:
            self.enter_package(self.text(name))
        for child in node.named_children:
            if child != name:
                self.visit(child, scope)
        return NOTHING

    # Types and classes.

    def type_form(self, node: Node, scope: int, role: Role) -> int | None:
        """Generic and qualified names, arrays, tuples."""
        if node.type == "generic_name":
            given = first(node, "type_argument_list")
            arguments = given.named_children if given is not None else []
            return self.applied(first(node, "identifier"), arguments, scope, role)
        if node.type in ("qualified_name", "alias_qualified_name"):
            of = self.type_(node.child_by_field_name("qualifier"), scope)
            name = node.child_by_field_name("name")
            head = first(name, "identifier") if name and name.type == "generic_name" else name
            given = first(name, "type_argument_list")
            found = self.use_member(of, head, role) if head is not None else of
            known = tuple(self.type_(c, scope) for c in given.named_children) if given else ()
            return self.builder.expr("apply", found, known) if known else found
        if node.type == "array_type":
            return self.many(self.type_(node.child_by_field_name("type"), scope))
        if node.type == "predefined_type":
            own = _OWN_TYPES.get(self.text(node))
            return self.builder.expr("builtin", own, ()) if own is not None else NOTHING
        if node.type == "implicit_type":
            return NOTHING
        return None

    def _generic(self, node: Node) -> list[tuple[Node, Node | None]]:
        given = first(node, "type_parameter_list")
        bounds: dict[str, Node | None] = {}
        for clause in every(node, "type_parameter_constraints_clause"):
            name, constraint = (
                first(clause, "identifier"),
                first(clause, "type_parameter_constraint"),
            )
            if name is not None and constraint is not None:
                bounds[self.text(name)] = constraint.child_by_field_name("type")
        names = [one.child_by_field_name("name") for one in every(given, "type_parameter")]
        return [(name, bounds.get(self.text(name))) for name in names if name is not None]

    def _class(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return NOTHING
        for part in every(node, "attribute_list"):
            self.children(part, scope)
        bases = first(node, "base_list")
        types: list[Node] = []
        for base in bases.named_children if bases is not None else ():
            if base.type == "primary_constructor_base_type":
                types.append(base.named_children[0])
            elif base.type != "argument_list":
                types.append(base)
        given = first(node, "parameter_list")
        number = self.class_(
            name,
            _CLASSES[node.type],
            scope,
            ClassParts(
                bases=types, generic=self._generic(node), body=node.child_by_field_name("body")
            ),
        )
        inner = self.builder.decls[number].inner
        for one in every(given, "parameter"):  # what a record is made of
            named = one.child_by_field_name("name")
            if named is not None:
                self.variable(named, inner, self.type_(one.child_by_field_name("type"), inner))
        return NOTHING

    def _method(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return NOTHING
        for part in every(node, "attribute_list"):
            self.children(part, scope)
        given = node.child_by_field_name("parameters")
        words = {self.text(word) for word in every(node, "modifier")}
        is_constructor = node.type in ("constructor_declaration", "destructor_declaration")
        body = node.child_by_field_name("body") or first(node, "arrow_expression_clause")
        number = self.function(
            name,
            scope,
            FunctionParts(
                parameters=every(given, "parameter"),
                result=None
                if is_constructor
                else node.child_by_field_name("returns") or node.child_by_field_name("type"),
                generic=self._generic(node),
                body=body,
                flags=DeclFlag.STATIC if "static" in words else 0,
                called=".ctor" if is_constructor else "",
            ),
        )
        inner = self.builder.decls[number].inner
        self._rest(given, number, inner)
        taken = first(given, "parameter")
        if any(self.text(word) == "this" for word in every(taken, "modifier")):
            outer, self.space = self.space, self.space[:-1]
            self.share_extension(number, self.text(name))
            self.space = outer
        for part in every(node, "constructor_initializer"):
            self.children(part, inner)
        return NOTHING

    def _delegate(self, node: Node, scope: int, _role: Role) -> int:
        """The name of a type of functions."""
        name = node.child_by_field_name("name")
        if name is None:
            return NOTHING
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        generic = [self.type_parameter(one, bound, inner) for one, bound in self._generic(node)]
        function = self.builder.declare_name(
            "", name, DeclKind.FUNCTION, inner, bind=False, flags=DeclFlag.LOCAL
        )
        given = node.child_by_field_name("parameters")
        taken = [self.parameter(one, inner) for one in every(given, "parameter")]
        result = self.type_(node.child_by_field_name("type"), inner)
        self.builder.update(function, type=result, parts=tuple(p for p in taken if p != NOTHING))
        known = self.builder.expr("function", function)
        number = self.builder.declare(
            name, DeclKind.TYPE, scope, type=known, type_parameters=tuple(generic)
        )
        self.share(number, self.text(name))
        return NOTHING

    def _rest(self, given: Node | None, number: int, inner: int) -> None:
        """`params int[] xs` stands bare in the list."""
        if given is None or given.child_by_field_name("name") is None:
            return
        name, written = given.child_by_field_name("name"), given.child_by_field_name("type")
        known = self.type_(first(written, "identifier", "generic_name"), inner)
        parts = self.builder.decls[number].parts
        if name is not None:
            last = self.bind_parameter(name, inner, known, is_rest=True)
            self.builder.update(number, parts=(*parts, last))

    def parameter(self, node: Node, scope: int) -> int:
        """`type name = value`, or just a name in a lambda."""
        if node.type in ("identifier", "implicit_parameter"):
            return self.bind_parameter(node, scope)
        for part in every(node, "attribute_list"):
            self.children(part, scope)
        name = node.child_by_field_name("name")
        written = node.child_by_field_name("type")
        known = self.type_(written, scope)
        rest = [c for c in node.named_children if c not in (name, written)]
        default = next((c for c in rest if c.type not in ("modifier", "attribute_list")), None)
        return self.bind_parameter(name, scope, known, default) if name is not None else NOTHING

    def _property(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        for part in every(node, "attribute_list"):
            self.children(part, scope)
        written = self.type_(node.child_by_field_name("type"), scope)
        if name is not None:
            self.variable(name, scope, written)
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope)
        for field in ("accessors", "value"):
            written_part = node.child_by_field_name(field)
            if written_part is not None:
                self.children(written_part, inner)
        return NOTHING

    def _variables(self, node: Node, scope: int, _role: Role) -> int:
        written = self.type_(node.child_by_field_name("type"), scope)
        for one in every(node, "variable_declarator"):
            name = one.child_by_field_name("name")
            parts = [c for c in one.named_children if c != name]
            value = self.visit(parts[-1], scope) if parts else NOTHING
            if name is not None:
                self.variable(name, scope, written, value)
        return NOTHING

    def _enum_member(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is not None:
            self.builder.declare(name, DeclKind.ENUM_MEMBER, scope)
        return self.visit(node.child_by_field_name("value"), scope)

    def _attribute(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is not None:
            self.type_(name, scope, Role.DECORATE)
        for part in every(node, "attribute_argument_list"):
            self.children(part, scope)
        return NOTHING

    # Expressions.

    def _call(self, node: Node, scope: int, _role: Role) -> int:
        given = node.child_by_field_name("arguments")
        return self.call(node.child_by_field_name("function"), every(given, "argument"), scope)

    def _member(self, node: Node, scope: int, role: Role) -> int:
        of, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
        if of is None and node.children and node.children[0].type in ("this", "base"):
            value = self.this_value("this" if node.children[0].type == "this" else "super")
        else:
            value = self.visit(of, scope)
        return self._behind(value, name, scope, role)

    def _behind(self, value: int, name: Node | None, scope: int, role: Role) -> int:
        if name is not None and name.type == "generic_name":
            for part in every(name, "type_argument_list"):
                self._type_only(part, scope, role)
            name = first(name, "identifier")
        return self.use_member(value, name, role) if name is not None else NOTHING

    def _conditional(self, node: Node, scope: int, role: Role) -> int:
        outer = self._condition
        condition = node.child_by_field_name("condition")
        self._condition = self.visit(condition, scope)
        found = NOTHING
        for child in node.named_children:
            if child != condition:
                found = self.visit(child, scope, role)
        self._condition = outer
        return found

    def _binding(self, node: Node, scope: int, role: Role) -> int:
        return self._behind(self._condition, node.child_by_field_name("name"), scope, role)

    def _generic_name(self, node: Node, scope: int, role: Role) -> int:
        for part in every(node, "type_argument_list"):
            self._type_only(part, scope, role)
        return self.visit(first(node, "identifier"), scope, role)

    def _new(self, node: Node, scope: int, _role: Role) -> int:
        made = self.type_(node.child_by_field_name("type"), scope, Role.CALL)
        self.visit(node.child_by_field_name("arguments"), scope)
        start = node.child_by_field_name("initializer")
        for child in start.named_children if start is not None else ():
            left = child.child_by_field_name("left")
            if child.type == "assignment_expression" and left and left.type == "identifier":
                self.use_member(self.typed(made), left, Role.WRITE)
                self.visit(child.child_by_field_name("right"), scope)
            else:
                self.visit(child, scope)
        return self.typed(made)

    def _argument(self, node: Node, scope: int, _role: Role) -> int:
        """`name: value`; what a record is made with may be its property, too."""
        name = node.child_by_field_name("name")
        call = node.parent.parent if node.parent is not None else None
        if name is not None and call is not None and call.type in _CREATIONS:
            self.use_member(NOTHING, name, Role.WRITE)
        found = [self.visit(child, scope) for child in node.named_children if child != name]
        return found[-1] if found else NOTHING

    def _with(self, node: Node, scope: int, _role: Role) -> int:
        """`value with { Name = other }`."""
        value = self.visit(node.named_children[0], scope) if node.named_children else NOTHING
        for part in every(node, "with_initializer"):
            name, *rest = part.named_children
            self.use_member(value, name, Role.WRITE)
            for child in rest:
                self.visit(child, scope)
        return value

    def _is_pattern(self, node: Node, scope: int, _role: Role) -> int:
        outer, self._matched = self._matched, NOTHING
        self._matched = self.visit(node.child_by_field_name("expression"), scope)
        self.visit(node.child_by_field_name("pattern"), scope)
        self._matched = outer
        return NOTHING

    def _recursive_pattern(self, node: Node, scope: int, _role: Role) -> int:
        """`Type { Name: pattern }`: names of members."""
        written = node.child_by_field_name("type")
        known = self.typed(self.type_(written, scope))
        of, self._matched = self._matched if known == NOTHING else known, NOTHING
        for clause in every(node, "property_pattern_clause"):
            for part in every(clause, "subpattern"):
                name, *rest = part.named_children
                if name.type == "identifier" and rest:
                    self.use_member(of, name, Role.READ)
                else:
                    rest = part.named_children
                for child in rest:
                    self.visit(child, scope)
        for child in node.named_children:
            if child != written and child.type != "property_pattern_clause":
                self.visit(child, scope)
        return NOTHING

    def _cast(self, node: Node, scope: int, _role: Role) -> int:
        known = self.type_(node.child_by_field_name("type"), scope)
        self.visit(node.child_by_field_name("value"), scope)
        return self.typed(known)

    def _as(self, node: Node, scope: int, _role: Role) -> int:
        self.visit(node.child_by_field_name("left"), scope)
        return self.typed(self.type_(node.child_by_field_name("right"), scope))

    def _pattern(self, node: Node, scope: int, _role: Role) -> int:
        known = self.type_(node.child_by_field_name("type"), scope)
        name = node.child_by_field_name("name")
        if name is not None and name.type == "identifier":
            self.variable(name, scope, known)
        return NOTHING

    def _for_each(self, node: Node, scope: int, _role: Role) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        over = self.visit(node.child_by_field_name("right"), inner)
        known = self.type_(node.child_by_field_name("type"), inner)
        name = node.child_by_field_name("left")
        if name is not None and name.type == "identifier":
            self.each(name, over, inner, known)
        self.visit(node.child_by_field_name("body"), inner)
        return NOTHING

    def _lambda(self, node: Node, scope: int, _role: Role) -> int:
        given = node.child_by_field_name("parameters")
        nodes = every(given, "parameter")
        if given is not None and given.type != "parameter_list":
            nodes = [given]
        body = node.child_by_field_name("body") or first(node, "block")
        return self.lambda_(node, nodes, body, scope)

    def _index(self, node: Node, scope: int, _role: Role) -> int:
        of = self.visit(node.child_by_field_name("expression"), scope)
        self.visit(node.child_by_field_name("subscript"), scope)
        return NOTHING if of == NOTHING else self.builder.expr("index", of, NOTHING, ())

    def _await(self, node: Node, scope: int, _role: Role) -> int:
        value = self.children(node, scope)
        return NOTHING if value == NOTHING else self.builder.expr("await", value)

    def _type_value(self, node: Node, scope: int, _role: Role) -> int:
        known = self.type_(node.child_by_field_name("type"), scope)
        for part in every(node, "initializer_expression"):
            self.children(part, scope)
        return self.typed(known)

    def _own_type(self, node: Node, scope: int, _role: Role) -> int:
        """`string.Format(…)`."""
        return self.typed(self.type_(node, scope))

    def _type_only(self, node: Node, scope: int, _role: Role) -> int:
        for child in node.named_children:
            self.type_(child, scope)
        return NOTHING
