"""Kotlin: packages, imports, classes with their constructor, extensions, lambdas."""

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

_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type")
_BODIES = ("class_body", "enum_class_body")


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a Kotlin file."""
    return walk_with(_Walker(text), root)


class _Walker(General):
    """Declarations and expressions of Kotlin."""

    type_names = frozenset({"identifier"})
    silent = frozenset({"true", "false", "null"})
    literals: ClassVar = {
        "string_literal": "String", "multiline_string_literal": "String",
        "character_literal": "Char", "number_literal": "Int", "float_literal": "Double",
    }  # fmt: skip
    gives_last = True

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.kinds |= {
            "package_header": self._package,
            "import": self._import,
            "class_declaration": self._class,
            "object_declaration": self._class,
            "companion_object": self._companion,
            "object_literal": self._object,
            "enum_entry": self._entry,
            "class_parameter": self._made_with,
            "function_declaration": self._function,
            "anonymous_function": self._anonymous,
            "secondary_constructor": self._constructor,
            "property_declaration": self._property,
            "type_alias": self._alias,
            "call_expression": self._call,
            "navigation_expression": self._member,
            "this_expression": lambda _node, _scope, _role: self.this_value(),
            "super_expression": lambda _node, _scope, _role: self.this_value("super"),
            "as_expression": self._as,
            "for_statement": self._for_each,
            "catch_block": self._catch,
            "block": self.block,
            "when_expression": self._when,
            "lambda_literal": self._lambda,
            "assignment": self._assignment,
            "infix_expression": self._infix,
            "binary_expression": self._binary,
            "unary_expression": self.unary,
            "index_expression": self.index,
            "annotation": self._annotation,
            "return_expression": self.give_back,
            "value_argument": self._argument,
            "label": self.skip,
            **dict.fromkeys(
                _TYPES, lambda node, scope, _role: self.typed(self.type_(node, scope))
            ),
        }

    # Files.

    def _package(self, node: Node, _scope: int, _role: Role) -> int:
        name = first(node, "qualified_identifier", "identifier")
        if name is not None:
            self.enter_package(self.text(name).replace("`", ""))
        return NOTHING

    def _import(self, node: Node, scope: int, _role: Role) -> int:
        name = first(node, "qualified_identifier", "identifier")
        if name is None:
            return NOTHING
        full_name = self.text(name).replace("`", "")
        if any(child.type == "*" for child in node.children):
            self.builder.stars.append(full_name)
            return NOTHING
        parts = every(name, "identifier") or [name]
        alias = [child for child in every(node, "identifier") if child != name]
        self.import_name(parts[-1], full_name, scope, alias[0] if alias else None)
        return NOTHING

    # Types and classes.

    def type_form(self, node: Node, scope: int, role: Role) -> int | None:
        """Names with arguments, names in names, functions."""
        if node.type == "user_type":
            return self._user_type(node, scope, role)
        return self._function_type(node, scope) if node.type == "function_type" else None

    def _function_type(self, node: Node, scope: int) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        given = first(node, "function_type_parameters")
        taken = []
        for child in given.named_children if given is not None else ():
            written = first(child, *_TYPES) if child.type == "parameter" else child
            taken.append(
                self.builder.declare_name(
                    "",
                    child,
                    DeclKind.PARAMETER,
                    scope,
                    bind=False,
                    flags=DeclFlag.LOCAL,
                    type=self.type_(written, scope),
                )
            )
        rest = [child for child in node.named_children if child != given]
        result = self.type_(rest[-1], scope) if rest else NOTHING
        self.builder.update(number, parts=tuple(taken), type=result)
        return self.builder.expr("function", number)

    def _user_type(self, node: Node, scope: int, role: Role) -> int:
        found = NOTHING
        names = every(node, "identifier")
        for index, child in enumerate(names):
            part = role if index == len(names) - 1 else Role.TYPE
            if index == 0:
                found = self.type_(child, scope, part)
            else:
                found = self.use_member(found, child, part)
        given = first(node, "type_arguments")
        arguments = tuple(self.type_(c, scope) for c in (given.named_children if given else ()))
        if found == NOTHING or not arguments:
            return found
        return self.builder.expr("apply", found, arguments)

    def _generic(self, node: Node) -> list[tuple[Node, Node | None]]:
        found = []
        for one in every(first(node, "type_parameters"), "type_parameter"):
            name = first(one, "identifier")
            if name is not None:
                found.append((name, first(one, *_TYPES)))
        return found

    def _class(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return NOTHING
        self._annotations(node, scope)
        bases, rest = self._bases(node)
        words = {child.type for child in node.children}
        body = first(node, *_BODIES)
        kind = DeclKind.INTERFACE if "interface" in words else DeclKind.CLASS
        if body is not None and body.type == "enum_class_body":
            kind = DeclKind.ENUM
        if node.type == "object_declaration":
            kind = DeclKind.CLASS
        made = first(first(node, "primary_constructor"), "class_parameters")
        number = self.class_(
            name,
            kind,
            scope,
            ClassParts(
                bases=bases,
                generic=self._generic(node),
                body=body,
                made_with=every(made, "class_parameter"),
            ),
        )
        inner = self.builder.decls[number].inner
        for item in rest:
            self.visit(item, inner)
        return NOTHING

    def _bases(self, node: Node) -> tuple[list[Node], list[Node]]:
        """The types that a class extends, and the arguments that go to them."""
        bases: list[Node] = []
        rest: list[Node] = []
        for one in every(first(node, "delegation_specifiers"), "delegation_specifier"):
            made = first(one, "constructor_invocation")
            written = first(made if made is not None else one, "user_type")
            explicit = first(one, "explicit_delegation")
            if explicit is not None:
                written = first(explicit, "user_type")
                rest += [c for c in explicit.named_children if c != written]
            if written is not None:
                bases.append(written)
            rest += every(made, "value_arguments")
        return bases, rest

    def _annotations(self, node: Node, scope: int) -> None:
        for part in every(first(node, "modifiers"), "annotation"):
            self.visit(part, scope)

    def _annotation(self, node: Node, scope: int, _role: Role) -> int:
        for child in node.named_children:
            if child.type == "constructor_invocation":
                self.type_(first(child, "user_type"), scope, Role.DECORATE)
                for given in every(child, "value_arguments"):
                    self.children(given, scope)
            elif child.type == "user_type":
                self.type_(child, scope, Role.DECORATE)
        return NOTHING

    def _companion(self, node: Node, scope: int, _role: Role) -> int:
        """Its members are reached by the name of the class around."""
        body = first(node, "class_body")
        return self.children(body, scope) if body is not None else NOTHING

    def _object(self, node: Node, scope: int, _role: Role) -> int:
        number = self.builder.declare_name(
            "", node, DeclKind.CLASS, scope, bind=False, flags=DeclFlag.LOCAL
        )
        bases, rest = self._bases(node)
        parts = [self.type_(base, scope, Role.INHERIT) for base in bases]
        self.builder.update(number, parts=tuple(p for p in parts if p != NOTHING))
        for item in rest:
            self.visit(item, scope)
        self.members(number, first(node, "class_body"), scope)
        return self.builder.expr("instance", self.builder.expr("decl", number))

    def _entry(self, node: Node, scope: int, _role: Role) -> int:
        name = first(node, "identifier")
        if name is not None:
            self.builder.declare(name, DeclKind.ENUM_MEMBER, scope)
        for part in every(node, "value_arguments"):
            self.visit(part, scope)
        for part in every(node, "class_body"):
            self.children(part, scope)
        return NOTHING

    def _made_with(self, node: Node, scope: int, _role: Role) -> int:
        name, written = first(node, "identifier"), first(node, *_TYPES)
        self._annotations(node, scope)
        known = self.type_(written, scope)
        for child in node.named_children:
            if child not in (name, written) and child.type != "modifiers":
                self.visit(child, scope)
        if name is not None:
            self.variable(name, scope, known)
        return NOTHING

    # Functions and properties.

    def _function(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        given = first(node, "function_value_parameters")
        if name is None:
            return NOTHING
        self._annotations(node, scope)
        types = every(node, *_TYPES)
        receiver = next((t for t in types if t.end_byte <= name.start_byte), None)
        result = next((t for t in types if given and t.start_byte >= given.end_byte), None)
        outer, space = self.this, self.space
        if receiver is not None:
            scope = self._extended(node, receiver, scope)
        number = self.function(
            name,
            scope,
            FunctionParts(
                parameters=every(given, "parameter", "parameter_with_modifiers"),
                result=result,
                body=first(node, "function_body"),
                generic=self._generic(node),
            ),
        )
        self.this, self.space = outer, space
        if receiver is not None:
            self.share_extension(number, self.text(name))
        return NOTHING

    def _extended(self, node: Node, receiver: Node, scope: int) -> int:
        """The scope of a class that an extension adds to."""
        head = receiver
        while head.type != "identifier" and head.named_children:
            head = head.named_children[0]
        number = self.builder.declare_name(
            self.text(head), head, DeclKind.CLASS, scope, bind=False, flags=DeclFlag.PART
        )
        if self.text(head) not in {self.text(name) for name, _bound in self._generic(node)}:
            known = self.type_(receiver, scope)
            self.builder.update(number, parts=(known,) if known != NOTHING else ())
        self.members(number, None, scope)
        self.this = number
        return self.builder.decls[number].inner

    def _anonymous(self, node: Node, scope: int, _role: Role) -> int:
        given = first(node, "function_value_parameters")
        return self.lambda_(node, every(given, "parameter"), first(node, "function_body"), scope)

    def _constructor(self, node: Node, scope: int, _role: Role) -> int:
        number = self.builder.declare_name("", node, DeclKind.METHOD, scope, bind=False)
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        for one in every(first(node, "function_value_parameters"), "parameter"):
            self.parameter(one, inner)
        for part in every(node, "constructor_delegation_call", "block"):
            self.children(part, inner)
        return NOTHING

    def parameter(self, node: Node, scope: int) -> int:
        """`name: Type`; a default stands behind it in the list."""
        if node.type == "parameter_with_modifiers":
            node = first(node, "parameter") or node
        name = node if node.type == "identifier" else first(node, "identifier")
        if name is None:
            return NOTHING
        known = self.type_(first(node, *_TYPES), scope) if node != name else NOTHING
        mark = node.next_sibling
        default = mark.next_named_sibling if mark is not None and mark.type == "=" else None
        before = node.prev_named_sibling
        words = (
            self.text(before) if before is not None and before.type.endswith("modifiers") else ""
        )
        return self.bind_parameter(name, scope, known, default, is_rest="vararg" in words)

    def _property(self, node: Node, scope: int, _role: Role) -> int:
        self._annotations(node, scope)
        declared = first(node, "variable_declaration", "multi_variable_declaration")
        skipped = ("modifiers", "getter", "setter", "type_parameters", *_TYPES)
        values = [
            child
            for child in node.named_children
            if child != declared and child.type not in skipped
        ]
        receiver, outside = first(node, *_TYPES), (scope, self.this)
        if receiver is not None:
            scope = self._extended(node, receiver, scope)
        value = self.visit(values[-1], scope) if values else NOTHING
        names = [declared] if declared and declared.type == "variable_declaration" else every(
            declared, "variable_declaration"
        )  # fmt: skip
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope)
        outer, self.returned = self.returned, []
        for part in every(node, "getter", "setter"):
            got = self.visit(first(part, "function_body"), inner)
            value = got if value == NOTHING and part.type == "getter" else value
        self.returned = outer
        for one in names:
            name = first(one, "identifier")
            if name is not None:
                known = self.type_(first(one, *_TYPES), scope)
                number = self.variable(name, scope, known, value if len(names) == 1 else NOTHING)
                if receiver is not None:
                    self.share_extension(number, self.text(name))
        self.this = outside[1]
        return NOTHING

    def _alias(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("type") or first(node, "identifier")
        known = self.type_(first(node, *_TYPES), scope)
        if name is not None:
            self.share(
                self.builder.declare(name, DeclKind.TYPE, scope, type=known), self.text(name)
            )
        return NOTHING

    # Expressions.

    def _call(self, node: Node, scope: int, _role: Role) -> int:
        parts = node.named_children
        given = [item for child in every(node, "value_arguments") for item in child.named_children]
        given += every(node, "annotated_lambda", "lambda_literal")
        for part in every(node, "type_arguments"):
            for child in part.named_children:
                self.type_(child, scope)
        return self.call(parts[0], given, scope) if parts else NOTHING

    def _binary(self, node: Node, scope: int, _role: Role) -> int:
        """Two values; `make<Type>(one)`, a call, is read by the grammar as two comparisons."""
        compared, given = node.child_by_field_name("left"), node.child_by_field_name("right")
        is_call = given is not None and given.type in (
            "parenthesized_expression",
            "lambda_literal",
        )
        if not is_call or compared is None or not (_has(node, ">") and _has(compared, "<")):
            return self.children(node, scope)
        made, of = compared.child_by_field_name("left"), compared.child_by_field_name("right")
        self.type_(of, scope)
        return self.call(made, [given] if given is not None else (), scope)

    def _argument(self, node: Node, scope: int, _role: Role) -> int:
        """`name = value`: the name belongs to the function."""
        parts = node.named_children
        if len(parts) > 1 and any(child.type == "=" for child in node.children):
            parts = parts[1:]
        found = [self.visit(part, scope) for part in parts]
        return found[-1] if found else NOTHING

    def _member(self, node: Node, scope: int, role: Role) -> int:
        parts = node.named_children
        if len(parts) < 2 or parts[-1].type != "identifier":
            return self.children(node, scope)
        return self.use_member(self.visit(parts[0], scope), parts[-1], role)

    def _infix(self, node: Node, scope: int, role: Role) -> int:
        """`one and other` calls a function on one."""
        parts = node.named_children
        if len(parts) != 3 or parts[1].type != "identifier":
            return self.children(node, scope, role)
        mark = self.builder.pending
        called = self.use_member(self.visit(parts[0], scope), parts[1], Role.CALL)
        return self.called(called, mark, [self.visit(parts[2], scope)])

    def _as(self, node: Node, scope: int, _role: Role) -> int:
        written = first(node, *_TYPES)
        for child in node.named_children:
            if child != written:
                self.visit(child, scope)
        return self.typed(self.type_(written, scope))

    def _for_each(self, node: Node, scope: int, _role: Role) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        names = every(node, "variable_declaration", "multi_variable_declaration")
        rest = [child for child in node.named_children if child not in names]
        over = self.visit(rest[0], inner) if rest else NOTHING
        for one in names:
            is_one = one.type == "variable_declaration"
            for part in [one] if is_one else every(one, "variable_declaration"):
                name = first(part, "identifier")
                if name is not None:
                    known = self.type_(first(part, *_TYPES), inner)
                    self.each(name, over if is_one else NOTHING, inner, known)
        for child in rest[1:]:
            self.visit(child, inner)
        return NOTHING

    def _catch(self, node: Node, scope: int, _role: Role) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        name = first(node, "identifier")
        known = self.type_(first(node, *_TYPES), inner)
        if name is not None:
            self.variable(name, inner, known)
        for part in every(node, "block"):
            self.children(part, inner)
        return NOTHING

    def _when(self, node: Node, scope: int, _role: Role) -> int:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        self.children(node, inner)
        return NOTHING

    def _lambda(self, node: Node, scope: int, _role: Role) -> int:
        given = first(node, "lambda_parameters")
        body = [child for child in node.named_children if child != given]
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        parts = [self.parameter(one, inner) for one in every(given, "variable_declaration")]
        if given is None:
            parts = [
                self.builder.declare_name(
                    "it", node, DeclKind.PARAMETER, inner, flags=DeclFlag.LOCAL
                )
            ]
        outer, self.returned = self.returned, []
        values = [self.visit(child, inner) for child in body]
        returned = tuple(v for v in values[-1:] if v != NOTHING)
        self.builder.update(
            number, inner=inner, parts=tuple(p for p in parts if p != NOTHING), returns=returned
        )
        self.returned = outer
        return self.builder.expr("decl", number)

    def _assignment(self, node: Node, scope: int, _role: Role) -> int:
        self.visit(node.child_by_field_name("left"), scope, Role.WRITE)
        return self.visit(node.child_by_field_name("right"), scope)


def _has(node: Node, operator: str) -> bool:
    return any(child.type == operator for child in node.children)
