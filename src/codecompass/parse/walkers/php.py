"""PHP: namespaces, `use`, classes, traits, variables."""

import re

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
    "class_declaration": DeclKind.CLASS, "trait_declaration": DeclKind.CLASS,
    "interface_declaration": DeclKind.INTERFACE, "enum_declaration": DeclKind.ENUM,
}  # fmt: skip
_PARAMETERS = ("simple_parameter", "variadic_parameter", "property_promotion_parameter")
_CALLS = ("member_call_expression", "nullsafe_member_call_expression")
_ACCESSES = ("member_access_expression", "nullsafe_member_access_expression")


# Functions of PHP that call, or look for, what a string names.
_TAKE_NAMES = frozenset(
    (
        "array_filter array_map array_reduce array_walk call_user_func call_user_func_array"
        " forward_static_call forward_static_call_array function_exists is_callable iterator_apply"
        " preg_replace_callback register_shutdown_function set_error_handler"
        " set_exception_handler spl_autoload_register uasort uksort usort"
    ).split()
)
_STRINGS = ("string", "encapsed_string")
_PLAIN_PARTS = ("string_content", "escape_sequence")
_CALLABLE = re.compile(r"\\?(\w+(?:\\\w+)*)(?:::(\w+))?")
# `@param Type $name`, `@return Type`, `@var Type`; of several types the first.
_DOC_TYPE = re.compile(r"@(param|return|var)\s+\??(\$this|[\w\\]+(?:\[\])?)[^\s]*(?:\s+(\$\w+))?")


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a PHP file."""
    return walk_with(_Walker(text), root)


class _Walker(General):
    """Declarations and expressions of PHP; names of variables keep their `$`."""

    names = frozenset({"name"})
    type_names = frozenset({"name"})

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._promoted: set[str] = set()  # parameters of the constructor around that are members
        self.kinds |= {
            "namespace_definition": self._namespace,
            "namespace_use_declaration": self._use,
            "use_declaration": self._trait,
            "function_definition": self._function,
            "method_declaration": self._function,
            "property_declaration": self._property,
            "const_element": self._constant,
            "enum_case": self._case,
            "variable_name": self._variable,
            "qualified_name": lambda node, scope, role: self.type_(node, scope, role),
            "function_call_expression": self._call,
            "scoped_call_expression": self._static_call,
            "class_constant_access_expression": self._static_access,
            "scoped_property_access_expression": self._static_access,
            "object_creation_expression": self._new,
            "assignment_expression": self._assignment,
            "augmented_assignment_expression": self.assignment,
            "update_expression": self.unary,
            "array_creation_expression": self._array,
            "foreach_statement": self._for_each,
            "catch_clause": self._catch,
            "anonymous_function": self._lambda,
            "anonymous_function_creation_expression": self._lambda,
            "arrow_function": self._lambda,
            "attribute": self._attribute,
            "binary_expression": self._binary,
            "return_statement": self.give_back,
            "subscript_expression": self.index,
            "named_type": lambda node, scope, _role: self.type_(node, scope),
            "primitive_type": self.skip,
            **dict.fromkeys(_CALLS, self._method_call),
            **dict.fromkeys(_ACCESSES, self._member),
            **dict.fromkeys(_CLASSES, self._class),
        }

    # Files.

    def _dotted(self, node: Node | None) -> str:
        return self.text(node).strip("\\").replace("\\", ".") if node is not None else ""

    def _namespace(self, node: Node, scope: int, _role: Role) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is not None:
            return self.namespace(self._dotted(name), body, scope)
        if name is not None:
            self.enter_package(self._dotted(name))
        return NOTHING

    def _use(self, node: Node, scope: int, _role: Role) -> int:
        prefix = self._dotted(first(node, "namespace_name"))
        group = node.child_by_field_name("body")
        for clause in every(group if group is not None else node, "namespace_use_clause"):
            named = first(clause, "qualified_name", "name")
            if named is None:
                continue
            alias = clause.child_by_field_name("alias")
            full_name = ".".join(part for part in (prefix, self._dotted(named)) if part)
            last = every(named, "name")[-1:] or [named]
            self.import_name(last[0], full_name, scope, alias)
        return NOTHING

    # Types and classes.

    def type_form(self, node: Node, scope: int, role: Role) -> int | None:
        """Full names, names of the class around, unions."""
        if node.type == "qualified_name":
            return self._full_name(node, scope, role)
        if node.type == "primitive_type":
            return NOTHING
        if node.type == "relative_scope" or (
            node.type == "named_type" and self.text(node) in ("self", "static")
        ):
            return self._relative(node)
        if node.type in ("union_type", "type_list"):
            return self.builder.either([self.type_(c, scope, role) for c in node.named_children])
        return None

    def _full_name(self, node: Node, scope: int, role: Role) -> int:
        """A name with its namespace: from the file's names, or in full."""
        parts = self.text(node).split("\\")
        last = every(node, "name")[-1:] or [node]
        if not parts[0]:
            found = self.builder.expr("from", ".".join(parts[1:]), "")
        else:
            found = self.builder.expr("name", parts[0], scope)
            for part in parts[1:]:
                found = self.builder.expr("member", found, part)
        self.builder.use(last[0], role, found)
        return found

    def _relative(self, node: Node) -> int:
        if self.this == NOTHING:
            return NOTHING
        if self.text(node) == "parent":
            return self.builder.expr("super", self.this, NOTHING)
        return self.builder.expr("decl", self.this)

    def _class(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return NOTHING
        for part in every(node, "attribute_list"):
            self.children(part, scope)
        clauses = every(node, "base_clause", "class_interface_clause")
        bases = [base for clause in clauses for base in clause.named_children]
        body = node.child_by_field_name("body")
        for used in every(body, "use_declaration"):
            bases += every(used, "name", "qualified_name")
        self.class_(name, _CLASSES[node.type], scope, ClassParts(bases=bases, body=body))
        return NOTHING

    def _trait(self, _node: Node, _scope: int, _role: Role) -> int:
        return NOTHING  # read as a base of its class

    def _function(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return NOTHING
        for part in every(node, "attribute_list"):
            self.children(part, scope)
        given = node.child_by_field_name("parameters")
        promoted = every(given, "property_promotion_parameter")
        names = [one.child_by_field_name("name") for one in promoted]
        outer, self._promoted = self._promoted, {self.text(n) for n in names if n is not None}
        number = self.function(
            name,
            scope,
            FunctionParts(
                parameters=every(given, *_PARAMETERS),
                result=node.child_by_field_name("return_type"),
                has_overloads=False,
                body=node.child_by_field_name("body"),
                flags=DeclFlag.STATIC if first(node, "static_modifier") else 0,
            ),
        )
        self._add_told(number, self._told(node, self.builder.decls[number].inner))
        self._promoted = outer
        is_member = self.builder.decls[number].kind == DeclKind.METHOD
        for one in promoted if is_member else ():
            self._field(one.child_by_field_name("name"), one, scope)
        return NOTHING

    def _told(self, node: Node, scope: int) -> dict[str, int]:
        """The types that the comment before a declaration tells: `@param Type $name`."""
        before = node.prev_named_sibling
        if before is None or before.type != "comment":
            return {}
        found: dict[str, int] = {}
        for tag, written, name in _DOC_TYPE.findall(self.text(before)):
            known = self._named_in_comment(written.removesuffix("[]"), scope)
            found[name or tag] = self.many(known) if written.endswith("[]") else known
        return found

    def _named_in_comment(self, written: str, scope: int) -> int:
        if written in ("self", "static", "$this"):
            return self._relative_type()
        parts = written.split("\\")
        if not parts[0]:
            return self.builder.expr("from", ".".join(parts[1:]), "")
        found = self.builder.expr("typename", parts[0], scope)
        for part in parts[1:]:
            found = self.builder.expr("member", found, part)
        return found

    def _relative_type(self) -> int:
        return NOTHING if self.this == NOTHING else self.builder.expr("decl", self.this)

    def _add_told(self, number: int, told: dict[str, int]) -> None:
        """Take from a comment what the declaration itself leaves open."""
        decl = self.builder.decls[number]
        if decl.type == NOTHING and "return" in told:
            self.builder.update(number, type=told["return"])
        for part in decl.parts:
            parameter = self.builder.decls[part]
            if parameter.type == NOTHING and parameter.name in told:
                self.builder.update(part, type=told[parameter.name])

    def parameter(self, node: Node, scope: int) -> int:
        """`type $name = value`."""
        name = node.child_by_field_name("name")
        known = self.type_(node.child_by_field_name("type"), scope)
        if name is None:
            return NOTHING
        default = node.child_by_field_name("default_value")
        is_rest = node.type == "variadic_parameter"
        return self.bind_parameter(name, scope, known, default, is_rest=is_rest)

    def _field(self, name: Node | None, node: Node, scope: int) -> None:
        word = first(name, "name")
        if word is not None:
            known = self.type_(node.child_by_field_name("type"), scope)
            self.variable(word, scope, known)

    def _property(self, node: Node, scope: int, _role: Role) -> int:
        known = self.type_(node.child_by_field_name("type"), scope)
        if known == NOTHING:
            known = self._told(node, scope).get("var", NOTHING)
        for one in every(node, "property_element"):
            word = first(one.child_by_field_name("name"), "name")
            value = self.visit(one.child_by_field_name("default_value"), scope)
            if word is not None:
                self.variable(word, scope, known, value)
        return NOTHING

    def _constant(self, node: Node, scope: int, _role: Role) -> int:
        name = first(node, "name")
        values = [self.visit(child, scope) for child in node.named_children if child != name]
        if name is not None:
            self.variable(name, scope, NOTHING, values[0] if values else NOTHING)
        return NOTHING

    def _case(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is not None:
            self.builder.declare(name, DeclKind.ENUM_MEMBER, scope)
        return self.visit(node.child_by_field_name("value"), scope)

    # Expressions.

    def _variable(self, node: Node, scope: int, role: Role) -> int:
        name = self.text(node)
        if name == "$this":
            return self.this_value()
        if name in self._promoted:  # the parameter and the property are declared together
            return self.use_member(self.this_value(), node, role, name[1:])
        return self.builder.expr("name", name, scope)

    def _arguments(self, node: Node) -> list[Node]:
        given = node.child_by_field_name("arguments") or first(node, "arguments")
        return every(given, "argument")

    def _call(self, node: Node, scope: int, _role: Role) -> int:
        function = node.child_by_field_name("function")
        if function is not None and self.text(function).strip("\\") in _TAKE_NAMES:
            for given in self._arguments(node):
                self._named_callable(first(given, *_STRINGS))
        return self.call(node.child_by_field_name("function"), self._arguments(node), scope)

    def _string(self, node: Node | None) -> str | None:
        """The text between quotes, if nothing is put into it."""
        if node is None or node.type not in _STRINGS:
            return None
        if any(child.type not in _PLAIN_PARTS for child in node.named_children):
            return None
        return self.text(node)[1:-1].replace("\\\\", "\\")

    def _named_callable(self, node: Node | None) -> None:
        """`'name'` or `'Class::method'` where a function is taken: full names, without `use`."""
        found = _CALLABLE.fullmatch(self._string(node) or "")
        if found is None or node is None:
            return
        value = self.builder.expr("from", found[1].replace("\\", "."), "")
        if found[2]:
            value = self.builder.expr("member", value, found[2])
        self.builder.use(node, Role.READ, value)

    def _array(self, node: Node, scope: int, _role: Role) -> int:
        """`[$object, 'method']` and `[Type::class, 'method']` are functions."""
        items = every(node, "array_element_initializer")
        is_pair = len(items) == 2 and all(item.named_child_count == 1 for item in items)
        name = self._string(items[1].named_children[0]) if is_pair else None
        if name is None or not name.isidentifier():
            return self.children(node, scope)
        of, method = items[0].named_children[0], items[1].named_children[0]
        written = self._string(of)
        if written is not None:  # the name of a class, or any other text
            found = _CALLABLE.fullmatch(written)
            if found is not None and not found[2]:
                value = self.builder.expr("from", found[1].replace("\\", "."), "")
                self.use_member(value, method, Role.READ, name)
        elif of.type == "class_constant_access_expression" and self.text(of).endswith("::class"):
            known = self._scope_value(of.named_children[0], scope)
            self.use_member(known, method, Role.READ, name)
        else:
            value = self.visit(of, scope)
            if of.type in ("variable_name", *_ACCESSES, *_CALLS):
                self.use_member(value, method, Role.READ, name)
        return NOTHING

    def _behind(self, of: int, name: Node | None, scope: int, role: Role) -> int:
        if name is None or name.type != "name":
            self.visit(name, scope)
            return NOTHING
        return self.use_member(of, name, role)

    def _method_call(self, node: Node, scope: int, _role: Role) -> int:
        mark = self.builder.pending
        of = self.visit(node.child_by_field_name("object"), scope)
        method = self._behind(of, node.child_by_field_name("name"), scope, Role.CALL)
        given = [self.visit(item, scope) for item in self._arguments(node)]
        return self.called(method, mark, given)

    def _member(self, node: Node, scope: int, role: Role) -> int:
        of = self.visit(node.child_by_field_name("object"), scope)
        return self._behind(of, node.child_by_field_name("name"), scope, role)

    def _scope_value(self, node: Node | None, scope: int) -> int:
        if node is None or node.type in ("variable_name", *_ACCESSES, *_CALLS):
            return self.visit(node, scope)
        return self.type_(node, scope, Role.READ)

    def _static_call(self, node: Node, scope: int, _role: Role) -> int:
        mark = self.builder.pending
        of = self._scope_value(node.child_by_field_name("scope"), scope)
        method = self._behind(of, node.child_by_field_name("name"), scope, Role.CALL)
        given = [self.visit(item, scope) for item in self._arguments(node)]
        return self.called(method, mark, given)

    def _static_access(self, node: Node, scope: int, role: Role) -> int:
        parts = node.named_children
        if len(parts) < 2:
            return NOTHING
        of = self._scope_value(parts[0], scope)
        if parts[1].type == "variable_name":
            return self._behind(of, first(parts[1], "name"), scope, role)
        if self.text(parts[1]) == "class":
            return NOTHING
        return self._behind(of, parts[1], scope, role)

    def _new(self, node: Node, scope: int, _role: Role) -> int:
        for part in every(node, "arguments"):
            self.children(part, scope)
            for given in every(part, "argument"):
                name = given.child_by_field_name("name")
                if name is not None:  # a parameter, which may be a property as well
                    self.use_member(NOTHING, name, Role.WRITE)
        anonymous = first(node, "anonymous_class")
        if anonymous is not None:
            clauses = every(anonymous, "base_clause", "class_interface_clause")
            number = self.builder.declare_name(
                "", node, DeclKind.CLASS, scope, bind=False, flags=DeclFlag.LOCAL
            )
            bases = [self.type_(b, scope, Role.INHERIT) for c in clauses for b in c.named_children]
            self.builder.update(number, parts=tuple(b for b in bases if b != NOTHING))
            self.members(number, anonymous.child_by_field_name("body"), scope)
            return self.builder.expr("instance", self.builder.expr("decl", number))
        made = first(node, "name", "qualified_name", "relative_scope", "variable_name")
        if made is None or made.type == "variable_name":
            return NOTHING
        if self.text(made) in ("self", "static"):
            known = self._relative(made)
            return NOTHING if known == NOTHING else self.builder.expr("instance", known)
        return self.typed(self.type_(made, scope, Role.CALL))

    def _assignment(self, node: Node, scope: int, _role: Role) -> int:
        left = node.child_by_field_name("left")
        value = self.visit(node.child_by_field_name("right"), scope)
        if left is not None and left.type == "variable_name" and self.text(left) != "$this":
            self._bind(left, scope, value)
        else:
            self.visit(left, scope, Role.WRITE)
            self._assign_field(left, value)
        return value

    def _assign_field(self, left: Node | None, value: int) -> None:
        """`$this->name = value` says what a field is that is declared without a type."""
        of = left.child_by_field_name("object") if left is not None else None
        name = left.child_by_field_name("name") if left is not None else None
        if of is None or name is None or self.text(of) != "$this" or self.this == NOTHING:
            return
        inner = self.builder.decls[self.this].inner
        for number in self.builder.scopes[inner].names.get(self.text(name), ()):
            decl = self.builder.decls[number]
            if decl.kind == DeclKind.FIELD and decl.type == NOTHING:
                self.builder.update(number, value=self.builder.either((decl.value, value)))

    def _bind(self, node: Node, scope: int, value: int) -> None:
        """Variables belong to the whole function; each assignment may be what one is."""
        flags = DeclFlag.LOCAL
        self.builder.declare(
            node, DeclKind.VARIABLE, self._function_scope(scope), value=value, flags=flags
        )

    def _function_scope(self, scope: int) -> int:
        while self.builder.scopes[scope].kind == ScopeKind.BLOCK:
            scope = self.builder.scopes[scope].parent
        return scope

    def _for_each(self, node: Node, scope: int, _role: Role) -> int:
        parts = [c for c in node.named_children if c != node.child_by_field_name("body")]
        over = self.visit(parts[0], scope) if parts else NOTHING
        item = parts[1] if len(parts) > 1 else None
        names = (
            every(item, "variable_name") if item is not None and item.type == "pair" else [item]
        )
        for name in names[-1:]:
            if name is not None and name.type == "variable_name":
                value = NOTHING if over == NOTHING else self.builder.expr("each", over)
                self._bind(name, scope, value)
        self.visit(node.child_by_field_name("body"), scope)
        return NOTHING

    def _catch(self, node: Node, scope: int, _role: Role) -> int:
        known = self.type_(node.child_by_field_name("type"), scope)
        name = node.child_by_field_name("name")
        if name is not None:
            self._bind(name, scope, self.typed(known))
        return self.visit(node.child_by_field_name("body"), scope)

    def _lambda(self, node: Node, scope: int, _role: Role) -> int:
        given = node.child_by_field_name("parameters")
        self.type_(node.child_by_field_name("return_type"), scope)
        body = node.child_by_field_name("body")
        return self.lambda_(node, every(given, *_PARAMETERS), body, scope)

    def _attribute(self, node: Node, scope: int, _role: Role) -> int:
        self.type_(first(node, "name", "qualified_name"), scope, Role.DECORATE)
        for part in every(node, "arguments"):
            self.children(part, scope)
        return NOTHING

    def _binary(self, node: Node, scope: int, _role: Role) -> int:
        right = node.child_by_field_name("right")
        self.visit(node.child_by_field_name("left"), scope)
        if right is not None and right.type in ("name", "qualified_name"):
            self.type_(right, scope)  # `instanceof`, or a constant: both by their names
        else:
            self.visit(right, scope)
        return NOTHING
