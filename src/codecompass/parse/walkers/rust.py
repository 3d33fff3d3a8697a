"""Rust: modules, items and statements; expressions are in `rust_expressions`."""

import re
from collections.abc import Callable

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.rust_attributes import (
    attributes_of,
    is_inactive,
    is_own,
    written_path,
)
from codecompass.parse.walkers.rust_imports import Imports

_MUTATING = re.compile(r"&\s*(?:'\w+\s+)?mut\b")
_SLICE = re.compile(r"(?:&|'\w+|mut\b|\s)*\[")
_IMPLS = re.compile(r"\bimpl\b[^{;]*?(\w+)(?:<[^{;]*?>)?\s+for\b")
_ITEMS = frozenset({"attribute_item", "inner_attribute_item", "label", "visibility_modifier"})


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a Rust file."""
    walker = _Walker(text)
    try:
        walker.block(root, 0)
        return walker.builder.finish()
    finally:
        walker.close()


class _Walker(Imports):
    """Goes through items and statements once, in source order."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._owner = NOTHING  # the type of the impl around, as an expression
        self._modules: list[str] = []  # those around that are written in place
        self._generic_of_impl: tuple[int, ...] = ()
        self._items: dict[str, Callable[[Node, int], None]] = {
            "use_declaration": self.use_,
            "extern_crate_declaration": self.extern,
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
                self._item(visit, child, scope)
            elif child.type == "expression_statement":
                for part in child.named_children:
                    value = self.expression(part, scope)
                if child.children and child.children[-1].type == ";":
                    value = NOTHING
            elif child.type not in _ITEMS:
                value = self.expression(child, scope)
        return value

    def _item(self, visit: Callable[[Node, int], None], node: Node, scope: int) -> None:
        """An item and what its attributes say."""
        before = len(self.builder.decls)
        attributes = list(attributes_of(node))
        for attribute in attributes:
            self._attribute(attribute, scope)
        visit(node, scope)
        if is_inactive([self.builder.text(item) for item in attributes]):
            for number in range(before, len(self.builder.decls)):
                decl = self.builder.decls[number]
                if decl.scope == scope:
                    self.builder.update(number, flags=decl.flags | DeclFlag.INACTIVE)

    def _attribute(self, node: Node, scope: int) -> None:
        """`#[name(…)]`: a use of the function that is the macro."""
        inner = node.named_children[0] if node.named_children else None
        path = inner.named_children[0] if inner is not None and inner.named_children else None
        if path is not None and is_own(self.builder.text(path)):
            if path.type == "identifier":
                found = self.builder.expr("attribute", self.builder.text(path), scope)
                self.builder.use(path, Role.DECORATE, found)
            else:
                self.path(path, scope, Role.DECORATE)

    # Modules.

    def _module(self, node: Node, scope: int) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return
        if body is None:  # in a file of its own
            below = "/".join((*self._modules, self.builder.text(name)))
            written = written_path([self.builder.text(item) for item in attributes_of(node)])
            value = self.builder.expr("child", below, written)
            self.builder.declare(name, DeclKind.IMPORT, scope, value=value)
            return
        number = self.builder.declare(name, DeclKind.NAMESPACE, scope)
        inner = self.builder.open_scope(ScopeKind.MODULE, NOTHING, number)
        self.builder.update(number, inner=inner)
        self._modules.append(self.builder.text(name))
        self.block(body, inner)
        self._modules.pop()

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
            if child.type == "attribute_item":
                self._attribute(child, scope)
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
            if child.type == "attribute_item":
                self._attribute(child, around)
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
            self.type_(child.child_by_field_name("default_type"), scope)
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
        if _SLICE.match(self.builder.text(written)):
            owner = NOTHING  # a slice is not the list that it is taken from
        trait = self.type_(node.child_by_field_name("trait"), around, Role.INHERIT)
        name = _type_name(self.builder.text(written))
        if trait != NOTHING:
            self._note_trait(node, written, scope)
            self.builder.declare_name(
                f"impl {name}", node, DeclKind.NARROWED, scope,
                value=owner, parts=(trait,), flags=DeclFlag.LOCAL,
            )  # fmt: skip
        own = self.builder.declare_name(
            "Self", written, DeclKind.TYPE, around, type=owner, flags=DeclFlag.LOCAL
        )
        self.builder.labels[own] = f"Self {name}"  # not that of other impls of the file
        outer = (self._owner, self._generic_of_impl)
        outer_impl = (self._impl_name, self._impl_scope, self.impl_trait, self.impl_types)
        self._owner, self._generic_of_impl = owner, generic
        self._impl_name, self._impl_scope, self.impl_trait = name, scope, trait
        if body is not None:
            self.impl_types = self._types_in(body)
            self.block(body, around)
        self._owner, self._generic_of_impl = outer
        self._impl_name, self._impl_scope, self.impl_trait, self.impl_types = outer_impl

    def _types_in(self, body: Node) -> frozenset[str]:
        items = [child for child in body.named_children if child.type == "type_item"]
        names = [child.child_by_field_name("name") for child in items]
        return frozenset(self.builder.text(name) for name in names if name is not None)

    def _note_trait(self, node: Node, written: Node, scope: int) -> None:
        """That there is an impl of a trait, and one for `&mut T`, where methods come first."""
        trait = node.child_by_field_name("trait")
        if trait is None:
            return
        called = _type_name(self.builder.text(trait))
        is_reference = bool(_MUTATING.match(self.builder.text(written)))
        for name in (f"impl for {called}", *([f"impl &{called}"] if is_reference else [])):
            self.builder.declare_name(name, trait, DeclKind.NARROWED, scope, flags=DeclFlag.LOCAL)

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
        if self._impl_name and not is_member:
            number = self.builder.declare_name(
                f"{self._impl_name}.{called}", name, DeclKind.METHOD, self._impl_scope,
                value=self._owner, type_parameters=self._generic_of_impl,
                decorators=(self.impl_trait,) if self.impl_trait != NOTHING else (),
            )  # fmt: skip
        else:
            kind = DeclKind.METHOD if is_member else DeclKind.FUNCTION
            flags = 0 if is_member else self.builder.local_flag(scope)
            number = self.builder.declare(name, kind, scope, flags=flags)
        self._body(node, scope, number)

    def _body(self, node: Node, scope: int, number: int) -> None:
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        generic = self._generics(node, inner)
        parts = self._parameters(node, inner, number)
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

    def _parameters(self, node: Node, scope: int, number: int) -> list[int]:
        given = node.child_by_field_name("parameters")
        parts, flags = [], DeclFlag.STATIC
        for child in given.named_children if given is not None else ():
            if child.type == "self_parameter":
                self._receiver(child, scope)
                flags = DeclFlag.MUTATING if _MUTATING.match(self.builder.text(child)) else 0
            elif child.type == "parameter":
                pattern = child.child_by_field_name("pattern")
                if pattern is not None and pattern.type == "self":  # `self: Pin<&mut Self>`
                    self.type_(child.child_by_field_name("type"), scope)
                    self._receiver(pattern, scope)
                    flags = 0
                else:
                    parts.append(self.parameter(child, scope))
        decl = self.builder.decls[number]
        if flags and decl.kind == DeclKind.METHOD:
            self.builder.update(number, flags=decl.flags | flags)
        return parts

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
        called, where = self._member_name(name, scope)
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
        called, where = self._member_name(name, scope)
        is_of_trait = bool(self._impl_name) and self.impl_trait != NOTHING
        self.builder.declare_name(
            called, name, DeclKind.TYPE, where, type=declared, type_parameters=generic,
            flags=self.builder.local_flag(where),
            decorators=(self.impl_trait,) if is_of_trait else (),
            value=self._owner if is_of_trait else NOTHING,
        )  # fmt: skip

    def _member_name(self, name: Node, scope: int) -> tuple[str, int]:
        """How what stands in an impl is called and where it is bound."""
        called = self.builder.text(name)
        if not self._impl_name:
            return called, scope
        return f"{self._impl_name}.{called}", self._impl_scope

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
            text = self.builder.text(node)
            flags = DeclFlag.NAMING if ":ident" in text.replace(" ", "") else 0
            self.builder.declare_name(
                f"{self.builder.text(name)}!", name, DeclKind.FUNCTION, scope, flags=flags
            )
            for trait in dict.fromkeys(_IMPLS.findall(text)):
                self.builder.declare_name(
                    f"impl !{trait}", name, DeclKind.NARROWED, scope, flags=DeclFlag.LOCAL
                )
        for rule in node.named_children:
            made = rule.child_by_field_name("right") if rule.type == "macro_rule" else None
            if made is not None:  # what it names is meant where it stands, for the most part
                self.tokens(made, scope)


def _type_name(text: str) -> str:
    """The own name of a type as it is written: `&'a mut a::Foo<T>` is Foo."""
    text = text.partition("<")[0].strip("&* \n")
    last = text.rpartition("::")[2].split()
    return last[-1] if last else text
