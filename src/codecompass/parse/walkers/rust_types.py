"""Rust: what paths, types and patterns say; notes every use on the way."""

from collections.abc import Callable

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.builder import Builder

STAND_IN = "__macro__"
"""What is called in the place of a macro whose arguments are read as those of a function."""
HEADS = {"crate": "crate", "self": "here", "super": "above"}
SCOPED = frozenset({"scoped_identifier", "scoped_type_identifier"})
_NAMES = frozenset({"identifier", "type_identifier", "field_identifier", "primitive_type"})
_PASSING = frozenset(
    {
        "or_pattern", "reference_pattern", "ref_pattern", "mut_pattern", "captured_pattern",
        "match_pattern",
    }
)  # fmt: skip


class Types:
    """The part of the walker that reads types and patterns; expressions are added by another."""

    def __init__(self, text: bytes) -> None:
        self.builder = Builder(text)
        self.is_in_macro = False  # whose arguments may be names of anything
        self.types: dict[str, Callable[[Node, int], int]] = {
            **dict.fromkeys(
                (
                    "reference_type", "pointer_type", "dynamic_type", "abstract_type",
                    "bracketed_type", "qualified_type", "higher_ranked_trait_bound",
                    "bounded_type", "trait_bounds",
                ),
                self._inner_type,
            ),
            "generic_type": self._generic,
            "generic_type_with_turbofish": self._generic,
            "array_type": self._slice_type,
            "tuple_type": self._tuple_type,
            "function_type": self._function_type,
        }  # fmt: skip

    def expression(self, node: Node, scope: int, role: Role = Role.READ) -> int:
        """Note the uses in an expression; returns what it says."""
        raise NotImplementedError

    def path(
        self, node: Node, scope: int, role: Role, *, uses: bool = True, is_head: bool = False
    ) -> int:
        """What a path names: every part of it is a member of the part before."""
        if node.type in HEADS:
            return self.builder.expr(HEADS[node.type], scope)
        if node.type in _NAMES:
            called = self.builder.text(node)
            operation = "token" if self.is_in_macro else "typename" if is_head else "name"
            found = self.builder.expr(operation, called, scope)
            if self.is_in_macro and self.macro and self._is_lone(node):
                found = self.builder.expr("token", called, scope, self.macro)
            if uses and called != STAND_IN and node.type != "primitive_type":
                self.builder.use(node, role, found)
            return found
        if node.type in SCOPED:
            before, name = node.child_by_field_name("path"), node.child_by_field_name("name")
            if name is None:
                return NOTHING
            if before is None:  # `::name`
                return self.outer(name, role)
            of = self.path(before, scope, Role.READ, uses=uses, is_head=True)
            found = self.builder.expr("member", of, self.builder.text(name))
            if uses:
                self.builder.use(name, role, self._of_trait(before, name, found))
            return found
        return self.type_(node, scope, role)

    impl_trait = NOTHING
    impl_types: frozenset[str] = frozenset()
    """The types that the impl around says of its trait."""

    def _of_trait(self, before: Node, name: Node, found: int) -> int:
        """`Self::Item` in an impl is the trait's, whatever the impl is for."""
        is_said = self.builder.text(name) in self.impl_types and self.impl_trait != NOTHING
        if not is_said or self.builder.text(before) != "Self":
            return found
        return self.builder.expr("member", self.impl_trait, self.builder.text(name))

    macro = ""
    """The macro whose arguments are read."""

    def _is_lone(self, node: Node) -> bool:
        """Whether a name is all that stands between two commas of a macro's arguments."""
        around = node.parent.parent if node.parent is not None else None
        function = around.child_by_field_name("function") if around is not None else None
        return function is not None and self.builder.text(function) == STAND_IN

    def outer(self, node: Node, role: Role) -> int:
        """`::name`: a crate, whatever a module calls so."""
        found = self.builder.expr("outer", self.builder.text(node))
        self.builder.use(node, role, found)
        return found

    def type_(self, node: Node | None, scope: int, role: Role = Role.TYPE) -> int:
        """What a type says."""
        if node is None:
            return NOTHING
        if node.type in _NAMES or node.type in SCOPED or node.type in HEADS:
            return self.path(node, scope, role)
        if node.type in ("generic_type", "generic_type_with_turbofish"):
            return self._generic(node, scope, role)
        read = self.types.get(node.type)
        if read is not None:
            return read(node, scope)
        for child in node.named_children:
            self.type_(child, scope)
        return NOTHING

    def _inner_type(self, node: Node, scope: int) -> int:
        kinds = ("lifetime", "mutable_specifier", "removed_trait_bound")
        parts = [child for child in node.named_children if child.type not in kinds]
        found = [self.type_(child, scope) for child in parts]
        if node.type == "qualified_type":
            return found[0] if found else NOTHING
        return self.builder.either(found)

    def _generic(self, node: Node, scope: int, role: Role = Role.TYPE) -> int:
        head = self.type_(node.child_by_field_name("type"), scope, role)
        arguments = node.child_by_field_name("type_arguments")
        given = self.type_arguments(arguments, scope)
        for child in arguments.named_children if arguments is not None else ():
            name = child.child_by_field_name("name") if child.type == "type_binding" else None
            if name is not None and head != NOTHING:  # `Iterator<Item = T>`
                member = self.builder.expr("member", head, self.builder.text(name))
                self.builder.use(name, Role.TYPE, member)
        return NOTHING if head == NOTHING else self.builder.expr("apply", head, given)

    def type_arguments(self, node: Node | None, scope: int) -> tuple[int, ...]:
        """The arguments of a generic type or function, lifetimes aside."""
        if node is None:
            return ()
        parts = [child for child in node.named_children if child.type != "lifetime"]
        found = []
        for child in parts:
            if child.type == "type_binding":
                found.append(self.type_(child.child_by_field_name("type"), scope))
            else:
                found.append(self.type_(child, scope))
        return tuple(found)

    def _slice_type(self, node: Node, scope: int) -> int:
        length = node.child_by_field_name("length")
        if length is not None:
            self.expression(length, scope)
        of = self.type_(node.child_by_field_name("element"), scope)
        return self.builder.expr("builtin", "Vec", (of,))

    def _tuple_type(self, node: Node, scope: int) -> int:
        return self.builder.expr(
            "tuple", tuple(self.type_(child, scope) for child in node.named_children)
        )

    def _function_type(self, node: Node, scope: int) -> int:
        """`Fn(A) -> B`."""
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        given = node.child_by_field_name("parameters")
        parts = []
        for child in given.named_children if given is not None else ():
            written = child.child_by_field_name("type") if child.type == "parameter" else child
            declared = self.type_(written, inner)
            parts.append(
                self.builder.declare_name(
                    "",
                    child,
                    DeclKind.PARAMETER,
                    inner,
                    bind=False,
                    type=declared,
                    flags=DeclFlag.LOCAL,
                )
            )
        result = self.type_(node.child_by_field_name("return_type"), inner)
        self.builder.update(number, inner=inner, parts=tuple(parts), type=result)
        return self.builder.expr("function", number)

    def pattern(self, node: Node | None, scope: int, value: int, declared: int = NOTHING) -> None:
        """Bind the names of a pattern to the parts of a value."""
        if node is None:
            return
        kind = node.type
        if kind in ("identifier", "shorthand_field_identifier"):
            self._bind(node, scope, value, declared)
        elif kind in ("tuple_pattern", "slice_pattern"):
            self._tuple_pattern(node, scope, value)
        elif kind == "tuple_struct_pattern":
            self._tuple_struct(node, scope, value)
        elif kind == "struct_pattern":
            self._struct_pattern(node, scope)
        elif kind in SCOPED:
            self.path(node, scope, Role.READ)
        elif kind in _PASSING:
            condition = node.child_by_field_name("condition")
            for child in node.named_children:
                if child != condition:
                    self.pattern(child, scope, value)
        else:
            self.expression(node, scope)

    def _tuple_pattern(self, node: Node, scope: int, value: int) -> None:
        for position, child in enumerate(node.named_children):
            item = NOTHING if value == NOTHING else self.builder.expr("item", value, position)
            self.pattern(child, scope, item)

    def _bind(self, node: Node, scope: int, value: int, declared: int) -> None:
        name = self.builder.text(node)
        if name[:1].isupper() and declared == NOTHING:  # `None`, a constant
            self.builder.use(node, Role.READ, self.builder.expr("name", name, scope))
            return
        flags = self.builder.local_flag(scope)
        self.builder.declare(
            node, DeclKind.VARIABLE, scope, value=value, type=declared, flags=flags
        )

    def _tuple_struct(self, node: Node, scope: int, value: int) -> None:
        made = node.child_by_field_name("type")
        variant = self.path(made, scope, Role.READ) if made is not None else NOTHING
        parts = [child for child in node.named_children if child != made]
        for position, child in enumerate(parts):
            item = NOTHING
            if variant != NOTHING:
                item = self.builder.expr("payload", variant, value, position)
            self.pattern(child, scope, item)

    def _struct_pattern(self, node: Node, scope: int) -> None:
        made = node.child_by_field_name("type")
        known = self.path(made, scope, Role.READ) if made is not None else NOTHING
        of = NOTHING if known == NOTHING else self.builder.expr("shape", known)
        for child in node.named_children:
            name = child.child_by_field_name("name") if child.type == "field_pattern" else None
            if name is None:
                continue
            part = self.builder.expr("member", of, self.builder.text(name))
            self.builder.use(name, Role.READ, part)
            inner = child.child_by_field_name("pattern")
            self.pattern(inner if inner is not None else name, scope, part)
