"""Rust: names that a module takes from elsewhere."""

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.rust_expressions import Expressions

EVERYTHING = "*"
"""The name under which `use a::*` is bound."""


class Imports(Expressions):
    """The part of the walker that reads `use`; items are added by another."""

    def use_(self, node: Node, scope: int) -> None:
        """`use a::{b, c as d, e::*};`."""
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
                is_same = path.type == "self" and before != NOTHING  # `a::{self as b}`
                of = before if is_same else self._joined(path, scope, before)
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
            if path is None and name is not None and before == NOTHING:
                return self.outer(name, Role.IMPORT)
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

    def extern(self, node: Node, scope: int) -> None:
        """`extern crate a as b;`."""
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is not None:
            value = self.builder.expr("extern", self.builder.text(name), scope)
            self._import(self.builder.text(alias or name), alias or name, scope, value)
