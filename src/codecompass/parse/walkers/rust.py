"""Rust: modules, items and statements; expressions are in `rust_expressions`."""

from collections.abc import Callable

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.rust_expressions import Expressions

EVERYTHING = "*"
"""The name under which `use a::*` is bound."""
_ITEMS = frozenset({"attribute_item", "inner_attribute_item", "label", "visibility_modifier"})


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a Rust file."""
    walker = _Walker(text)
    try:
        walker.block(root, 0)
        return walker.builder.finish()
    finally:
        walker.close()


class _Walker(Expressions):
    """Goes through items and statements once, in source order."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._owner = NOTHING  # the type of the impl around, as an expression
        self._generic_of_impl: tuple[int, ...] = ()
        self._items: dict[str, Callable[[Node, int], None]] = {
            "use_declaration": self._use,
            "extern_crate_declaration": self._extern,
            "mod_item": self._module,
            "struct_item": self._struct_item,
            "union_item": self._struct_item,
            "enum_item": self._enum_item,
            "trait_item": self._trait,
            "impl_item": self._impl,
            "function_item": self._function,
            "function_signature_item": self._function,
            "const_item": self._constant,
            "static_item": self._constant,
            "type_item": self._alias,
            "associated_type": self._alias,
            "macro_definition": self._macro_definition,
        }

    def close(self) -> None:
        """Let go of everything: the tables of methods keep it alive where no garbage is sought."""
        self.__dict__.clear()

    def block(self, node: Node, scope: int) -> int:
        """Every item and statement below a node; returns what the last of them says."""
        value = NOTHING
        for child in node.named_children:
            visit = self._items.get(child.type)
            value = NOTHING
            if child.type == "let_declaration":
                scope = self._let(child, scope)
            elif visit is not None:
                visit(child, scope)
            elif child.type == "expression_statement":
                for part in child.named_children:
                    value = self.expression(part, scope)
                if child.children and child.children[-1].type == ";":
                    value = NOTHING
            elif child.type not in _ITEMS:
                value = self.expression(child, scope)
        return value

    # Modules.

    def _use(self, node: Node, scope: int) -> None:
        argument = node.child_by_field_name("argument")
        if argument is not None:
            self._use_tree(argument, scope, NOTHING)

    def _use_tree(self, node: Node, scope: int, before: int) -> None:
        kind = node.type
        if kind == "use_list":
            for child in node.named_children:
                self._use_tree(child, scope, before)
        elif kind == "scoped_use_list":
            path, inner = node.child_by_field_name("path"), node.child_by_field_name("list")
            of = self._joined(path, scope, before) if path is not None else before
            if inner is not None:
                self._use_tree(inner, scope, of)
        elif kind == "use_wildcard":
            of = (
                self._joined(node.named_children[0], scope, before)
                if node.named_children
                else (before)
            )
            self._import(EVERYTHING, node, scope, of)
        elif kind == "use_as_clause":
            path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            if path is not None and alias is not None:
                of = self._joined(path, scope, before)
                self._import(self.builder.text(alias), alias, scope, of)
                self.builder.use(alias, Role.IMPORT, of)
        elif kind == "self":
            known = self.builder.exprs[before] if before != NOTHING else ("", "")
            self._import(str(known[2 if known[0] == "member" else 1]), node, scope, before)
        else:
            of = self._joined(node, scope, before)
            last_node = node.child_by_field_name("name") or node
            self._import(self.builder.text(last_node), last_node, scope, of)

    def _joined(self, node: Node, scope: int, before: int) -> int:
        """A path behind another, each part noted as an import."""
        if node.type == "scoped_identifier":
            path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
            of = self._joined(path, scope, before) if path is not None else before
            return self._joined(name, scope, of) if name is not None else of
        if node.type in ("crate", "self", "super"):
            if node.type == "super" and before != NOTHING:
                return self.builder.expr("above_of", before)
            return self.path(node, scope, Role.IMPORT)
        called = self.builder.text(node)
        found = (
            self.builder.expr("extern", called, scope)
            if before == NOTHING
            else self.builder.expr("member", before, called)
        )
        self.builder.use(node, Role.IMPORT, found)
        return found

    def _import(self, name: str, node: Node, scope: int, value: int) -> None:
        if value == NOTHING or name == "_":
            return
        flags = self.builder.local_flag(scope)
        self.builder.declare_name(name, node, DeclKind.IMPORT, scope, value=value, flags=flags)

    def _extern(self, node: Node, scope: int) -> None:
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is not None:
            value = self.builder.expr("extern", self.builder.text(name), scope)
            self._import(self.builder.text(alias or name), alias or name, scope, value)

    def _module(self, node: Node, scope: int) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return
        if body is None:  # in a file of its own
            value = self.builder.expr("child", self.builder.text(name), scope)
            self.builder.declare(name, DeclKind.IMPORT, scope, value=value)
            return
        number = self.builder.declare(name, DeclKind.NAMESPACE, scope)
        inner = self.builder.open_scope(ScopeKind.MODULE, NOTHING, number)
        self.builder.update(number, inner=inner)
        self.block(body, inner)

    # Types.

    def _struct_item(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        number = self.builder.declare(
            name, DeclKind.CLASS, scope, flags=self.builder.local_flag(scope)
        )
        around = self.builder.open_scope(ScopeKind.BLOCK, scope)
        generic = self._generics(node, around)
        inner = self.builder.open_scope(ScopeKind.CLASS, around, number)
        self.builder.update(number, inner=inner, type_parameters=generic)
        body = node.child_by_field_name("body")
        if body is not None:
            self._fields(body, around, inner)

    def _fields(self, node: Node, scope: int, inner: int) -> tuple[int, ...]:
        """Fields by name, or by position; returns those by position."""
        found = []
        if node.type == "ordered_field_declaration_list":
            for position, child in enumerate(node.children_by_field_name("type")):
                declared = self.type_(child, scope)
                found.append(
                    self.builder.declare_name(
                        str(position), child, DeclKind.FIELD, inner, type=declared
                    )
                )
            return tuple(found)
        for child in node.named_children:
            name = child.child_by_field_name("name")
            if child.type == "field_declaration" and name is not None:
                declared = self.type_(child.child_by_field_name("type"), scope)
                self.builder.declare(name, DeclKind.FIELD, inner, type=declared)
        return ()

    def _enum_item(self, node: Node, scope: int) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return
        number = self.builder.declare(
            name, DeclKind.ENUM, scope, flags=self.builder.local_flag(scope)
        )
        around = self.builder.open_scope(ScopeKind.BLOCK, scope)
        generic = self._generics(node, around)
        inner = self.builder.open_scope(ScopeKind.CLASS, around, number)
        self.builder.update(number, inner=inner, type_parameters=generic)
        for child in body.named_children if body is not None else ():
            variant = child.child_by_field_name("name")
            if child.type != "enum_variant" or variant is None:
                continue
            member = self.builder.declare(variant, DeclKind.ENUM_MEMBER, inner)
            payload = child.child_by_field_name("body")
            if payload is not None:
                own = self.builder.open_scope(ScopeKind.CLASS, around, member)
                parts = self._fields(payload, around, own)
                self.builder.update(member, inner=own, parts=parts)
            value = child.child_by_field_name("value")
            if value is not None:
                self.expression(value, around)

    def _generics(self, node: Node, scope: int) -> tuple[int, ...]:
        found = []
        given = node.child_by_field_name("type_parameters")
        for child in given.named_children if given is not None else ():
            name = child.child_by_field_name("name")
            if child.type not in ("type_parameter", "const_parameter") or name is None:
                continue
            number = self.builder.declare(
                name, DeclKind.TYPE_PARAMETER, scope, flags=DeclFlag.LOCAL
            )
            bound = self.type_(child.child_by_field_name("bounds"), scope)
            self.builder.update(number, type=bound)
            found.append(number)
        for clause in node.named_children:
            if clause.type == "where_clause":
                self._where(clause, scope)
        return tuple(found)

    def _where(self, node: Node, scope: int) -> None:
        for predicate in node.named_children:
            left = predicate.child_by_field_name("left")
            bound = self.type_(predicate.child_by_field_name("bounds"), scope)
            self.type_(left, scope)
            name = self.builder.text(left) if left is not None else ""
            for number in self.builder.scopes[scope].names.get(name, ()):
                known = self.builder.decls[number].type
                self.builder.update(number, type=self.builder.either((known, bound)))

    def _trait(self, node: Node, scope: int) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return
        number = self.builder.declare(
            name, DeclKind.INTERFACE, scope, flags=self.builder.local_flag(scope)
        )
        around = self.builder.open_scope(ScopeKind.BLOCK, scope)
        generic = self._generics(node, around)
        own = self.builder.expr("this", number)
        self.builder.declare_name(
            "Self", name, DeclKind.TYPE_PARAMETER, around, value=own, flags=DeclFlag.LOCAL
        )
        inner = self.builder.open_scope(ScopeKind.CLASS, around, number)
        bounds = node.child_by_field_name("bounds")
        bases = [
            self.type_(child, around, Role.INHERIT)
            for child in (bounds.named_children if bounds is not None else ())
            if child.type != "lifetime"
        ]
        self.builder.update(
            number,
            inner=inner,
            type_parameters=generic,
            parts=tuple(base for base in bases if base != NOTHING),
        )
        outer, self._owner = (self._owner, self._generic_of_impl), own
        self._generic_of_impl = ()
        if body is not None:
            self.block(body, inner)
        self._owner, self._generic_of_impl = outer

    def _impl(self, node: Node, scope: int) -> None:
        """Methods are known in the whole crate by the name of their type and their own."""
        written, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        if written is None:
            return
        around = self.builder.open_scope(ScopeKind.BLOCK, scope)
        generic = self._generics(node, around)
        owner = self.type_(written, around)
        trait = self.type_(node.child_by_field_name("trait"), around, Role.INHERIT)
        name = _type_name(self.builder.text(written))
        if trait != NOTHING:
            self.builder.declare_name(
                f"impl {name}", node, DeclKind.NARROWED, scope,
                value=owner, parts=(trait,), flags=DeclFlag.LOCAL,
            )  # fmt: skip
        self.builder.declare_name(
            "Self", written, DeclKind.TYPE, around, type=owner, flags=DeclFlag.LOCAL
        )
        outer = (self._owner, self._generic_of_impl, self._impl_name, self._impl_scope)
        self._owner, self._generic_of_impl = owner, generic
        self._impl_name, self._impl_scope = name, scope
        if body is not None:
            self.block(body, around)
        self._owner, self._generic_of_impl, self._impl_name, self._impl_scope = outer

    _impl_name = ""
    _impl_scope = 0

    # Functions and values.

    def _function(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        found = self.builder.scopes[scope]
        is_member = found.kind == ScopeKind.CLASS
        called = self.builder.text(name)
        if self._impl_name and not self.builder.is_in_function(scope) and not is_member:
            number = self.builder.declare_name(
                f"{self._impl_name}.{called}", name, DeclKind.METHOD, self._impl_scope,
                value=self._owner, type_parameters=self._generic_of_impl,
            )  # fmt: skip
        else:
            kind = DeclKind.METHOD if is_member else DeclKind.FUNCTION
            flags = 0 if is_member else self.builder.local_flag(scope)
            number = self.builder.declare(name, kind, scope, flags=flags)
        self._body(node, scope, number)

    def _body(self, node: Node, scope: int, number: int) -> None:
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        generic = self._generics(node, inner)
        given = node.child_by_field_name("parameters")
        parts = []
        for child in given.named_children if given is not None else ():
            if child.type == "self_parameter":
                self._receiver(child, inner)
            elif child.type == "parameter":
                pattern = child.child_by_field_name("pattern")
                if pattern is not None and pattern.type == "self":  # `self: Pin<&mut Self>`
                    self.type_(child.child_by_field_name("type"), inner)
                    self._receiver(pattern, inner)
                else:
                    parts.append(self.parameter(child, inner))
        self.builder.is_result = True
        result = self.type_(node.child_by_field_name("return_type"), inner)
        self.builder.is_result = False
        known = self.builder.decls[number].type_parameters
        self.builder.update(
            number, inner=inner, parts=tuple(parts), type=result,
            type_parameters=(*known, *generic),
        )  # fmt: skip
        body = node.child_by_field_name("body")
        if body is not None:
            outer, self.returned = self.returned, []
            name, self._impl_name = self._impl_name, ""
            value = self.block(body, inner)
            returns = [*self.returned, *([value] if value != NOTHING else [])]
            self.builder.update(number, returns=tuple(returns))
            self.returned, self._impl_name = outer, name

    def _receiver(self, node: Node, scope: int) -> None:
        is_trait = self._owner != NOTHING and self.builder.exprs[self._owner][0] == "this"
        number = self.builder.declare_name(
            "self", node, DeclKind.PARAMETER, scope, flags=DeclFlag.LOCAL
        )
        if is_trait:
            self.builder.update(number, value=self._owner)
        else:
            self.builder.update(number, type=self._owner)

    def _constant(self, node: Node, scope: int) -> None:
        name, part = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return
        declared = self.type_(node.child_by_field_name("type"), scope)
        value = self.expression(part, scope) if part is not None else NOTHING
        called, where = self.builder.text(name), scope
        if self._impl_name and not self.builder.is_in_function(scope):
            called, where = f"{self._impl_name}.{called}", self._impl_scope
        self.builder.declare_name(
            called, name, DeclKind.VARIABLE, where, type=declared, value=value,
            flags=self.builder.local_flag(where),
        )  # fmt: skip

    def _alias(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        around = self.builder.open_scope(ScopeKind.BLOCK, scope)
        generic = self._generics(node, around)
        declared = self.type_(node.child_by_field_name("type"), around)
        self.type_(node.child_by_field_name("bounds"), around)
        called, where = self.builder.text(name), scope
        if self._impl_name and not self.builder.is_in_function(scope):
            called, where = f"{self._impl_name}.{called}", self._impl_scope
        self.builder.declare_name(
            called, name, DeclKind.TYPE, where, type=declared, type_parameters=generic,
            flags=self.builder.local_flag(where),
        )  # fmt: skip

    def _let(self, node: Node, scope: int) -> int:
        """Bind a pattern for what follows; returns the scope of that. The value is of before."""
        part, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
        declared = self.type_(node.child_by_field_name("type"), scope)
        value = self.expression(part, scope) if part is not None else NOTHING
        if declared != NOTHING and pattern is not None and pattern.type != "identifier":
            value = self.builder.expr("typed", declared)
        other = node.child_by_field_name("alternative")
        if other is not None:
            self.expression(other, scope)
        following = self.builder.open_scope(ScopeKind.BLOCK, scope)
        self.pattern(pattern, following, value, declared)
        return following

    def _macro_definition(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self.builder.declare_name(
                f"{self.builder.text(name)}!", name, DeclKind.FUNCTION, scope
            )


def _type_name(text: str) -> str:
    """The own name of a type as it is written: `&'a mut a::Foo<T>` is Foo."""
    text = text.partition("<")[0].strip("&* \n")
    last = text.rpartition("::")[2].split()
    return last[-1] if last else text
