"""Puts the tables of a module together; knows no language."""

from collections.abc import Iterable, Sequence

from tree_sitter import Node

from codecompass.model.module import (
    GIVEN_TYPE,
    NOTHING,
    ROLE_NUMBERS,
    Decl,
    DeclFlag,
    DeclKind,
    Expr,
    ModuleFacts,
    Scope,
    ScopeKind,
    Use,
)
from codecompass.model.reference import Role

# Members of these are spoken of as parts of what they belong to.
_OWNERS = frozenset(
    {DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM, DeclKind.NAMESPACE, DeclKind.OBJECT}
)
_NEVER_MEANT = frozenset({DeclKind.PARAMETER, DeclKind.TYPE_PARAMETER, DeclKind.NARROWED})
_LOCAL_BUT_MEANT = frozenset({DeclKind.FUNCTION, DeclKind.CLASS, DeclKind.METHOD, DeclKind.FIELD})
_IMPORTED = (DeclKind.IMPORT, DeclKind.FUNCTION, DeclKind.CLASS)


class Builder:
    """The tables of one file while they are being filled."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self.decls: list[Decl] = []
        self.scopes: list[Scope] = []
        self.exprs: list[Expr] = []
        self.exports: dict[str, int] | None = None
        self.stars: list[str] = []
        self.shared = NOTHING
        self.package = ""
        self.labels: dict[int, str] = {}  # what overloads are called from elsewhere
        self.is_result = False  # whether what is read says what a function returns
        self._uses: list[tuple[int, int, int, int]] = []
        self._numbers: dict[Expr, int] = {}
        self.open_scope(ScopeKind.MODULE, NOTHING)

    def text(self, node: Node) -> str:
        """The text of a node."""
        return self._text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def open_scope(self, kind: ScopeKind, parent: int, owner: int = NOTHING) -> int:
        """A new scope inside another."""
        self.scopes.append(Scope(kind, parent, owner, {}))
        return len(self.scopes) - 1

    def expr(self, *parts: object) -> int:
        """The number of an expression; equal ones have one number."""
        number = self._numbers.get(parts)
        if number is None:
            number = self._numbers[parts] = len(self.exprs)
            self.exprs.append(parts)
        return number

    def either(self, numbers: Iterable[int]) -> int:
        """One of several expressions, of which some may be unknown."""
        known = tuple(dict.fromkeys(number for number in numbers if number != NOTHING))
        if len(known) <= 1:
            return known[0] if known else NOTHING
        return self.expr("either", known)

    def declare(self, node: Node, kind: DeclKind, scope: int, **fields: object) -> int:
        """Bind the name that a node is; returns the declaration's number."""
        return self.declare_name(self.text(node), node, kind, scope, **fields)  # type: ignore[arg-type]

    def declare_name(
        self, name: str, node: Node, kind: DeclKind, scope: int, *, bind: bool = True,
        **fields: object,
    ) -> int:  # fmt: skip
        """Bind a name at the place of a node."""
        number = len(self.decls)
        line = node.start_point[0] + 1
        decl = Decl(name, kind, node.start_byte, line, scope, **fields)  # type: ignore[arg-type]
        self.decls.append(decl)
        if bind:
            self.scopes[scope].names.setdefault(name, []).append(number)
        return number

    def update(self, number: int, **fields: object) -> None:
        """Set what is known of a declaration only after its name."""
        self.decls[number] = self.decls[number]._replace(**fields)  # type: ignore[arg-type]

    def use(self, node: Node, role: Role, expr: int) -> None:
        """Note that the name at a node is used."""
        is_given = self.is_result and role is Role.TYPE
        number = GIVEN_TYPE if is_given else ROLE_NUMBERS[role]
        self._uses.append((node.start_byte, node.start_point[0] + 1, number, expr))

    def is_in_function(self, scope: int) -> bool:
        """Whether names bound here are local to a function."""
        while scope != NOTHING:
            if self.scopes[scope].kind == ScopeKind.FUNCTION:
                return True
            scope = self.scopes[scope].parent
        return False

    def local_flag(self, scope: int) -> int:
        """The flag of a declaration in this scope."""
        return DeclFlag.LOCAL if self.is_in_function(scope) else 0

    def finish(self) -> ModuleFacts:
        """All tables; uses of what is local to a function are left out."""
        uses = [
            Use(start, line, role, expr)
            for start, line, role, expr in sorted(self._uses)
            if not self._is_local(self.exprs[expr])
        ]
        return ModuleFacts(
            self.decls,
            self.scopes,
            self.exprs,
            uses,
            self.exports,
            self.stars,
            self._keys(),
            self.package,
            self.shared,
        )

    def _is_local(self, expr: Expr) -> bool:
        if expr[0] != "name":
            return False
        name, scope = expr[1], expr[2]
        is_inside = True
        while scope != NOTHING:
            found = self.scopes[scope]
            numbers = found.names.get(name)
            if numbers and (is_inside or found.kind != ScopeKind.CLASS):
                return self._all_local(numbers)
            if found.kind != ScopeKind.BLOCK:
                is_inside = False
            scope = found.parent
        return False

    def _all_local(self, numbers: Sequence[int]) -> bool:
        """Whether none of these can be meant from elsewhere."""
        decls = [self.decls[number] for number in numbers]
        return all(
            decl.kind in _NEVER_MEANT
            or (decl.flags & DeclFlag.LOCAL and decl.kind not in _IMPORTED)
            for decl in decls
        )

    def _keys(self) -> dict[int, str]:
        """How declarations are called from elsewhere: what they belong to, then their name."""
        prefixes: dict[int, str] = {0: ""}
        keys: dict[int, str] = {}
        for number, decl in enumerate(self.decls):
            if decl.kind in _NEVER_MEANT or decl.name == "":
                continue
            if decl.flags & DeclFlag.LOCAL and decl.kind not in _LOCAL_BUT_MEANT:
                continue
            prefix = self._prefix(decl.scope, prefixes, keys)
            if prefix is not None:
                keys[number] = f"{prefix}{self.labels.get(number, decl.name)}"
        return keys

    def _prefix(self, scope: int, prefixes: dict[int, str], keys: dict[int, str]) -> str | None:
        """What stands before the names of a scope; None if nothing of it can be meant."""
        known = prefixes.get(scope)
        if known is not None:
            return known
        found = self.scopes[scope]
        if found.owner != NOTHING and found.owner in keys:
            prefixes[scope] = f"{keys[found.owner]}."
        elif found.owner != NOTHING:
            owner = self.decls[found.owner]
            outer = self._prefix(owner.scope, prefixes, keys)
            prefixes[scope] = f"{outer or ''}{owner.name or f'@{owner.start}'}."
        else:
            prefixes[scope] = self._prefix(found.parent, prefixes, keys) or ""
        return prefixes[scope]
