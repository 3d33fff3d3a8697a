"""Puts the tables of a module together; knows no language."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

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
    may_be_type,
)
from codecompass.model.reference import Role
from codecompass.text.lines import LineTable

_NEVER_MEANT = frozenset({DeclKind.PARAMETER, DeclKind.TYPE_PARAMETER, DeclKind.NARROWED})
_POSITIONS = {name: position for position, name in enumerate(Decl._fields)}
_LOCAL_TYPES = frozenset(
    {DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM, DeclKind.TYPE, DeclKind.FUNCTION}
)
_LOCAL_BUT_MEANT = _LOCAL_TYPES | {
    DeclKind.METHOD, DeclKind.FIELD, DeclKind.OBJECT, DeclKind.ENUM_MEMBER,
}  # fmt: skip
_UNNAMED_BUT_MEANT = frozenset({DeclKind.OBJECT, DeclKind.CLASS})
_IMPORTED = _LOCAL_TYPES | {DeclKind.IMPORT}


class Builder:
    """The tables of one file while they are being filled."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._shift = 0  # bytes before the text that is being read
        self._lines = LineTable(text)  # asking the nodes costs three times as much
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

    def has_prefix(self, node: Node) -> bool:
        """Whether a string has something before its quote, as one that is put together has."""
        return self._text[node.start_byte] not in b"\"'"

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
        return self.declare_at(name, self._place(node), kind, scope, bind=bind, **fields)

    def declare_at(
        self, name: str, place: tuple[int, int], kind: DeclKind, scope: int, *, bind: bool = True,
        **fields: object,
    ) -> int:  # fmt: skip
        """Bind a name at a byte and its line."""
        number = len(self.decls)
        decl = Decl(name, kind, *place, scope, **fields)  # type: ignore[arg-type]
        self.decls.append(decl)
        if bind:
            self.scopes[scope].names.setdefault(name, []).append(number)
        return number

    def update(self, number: int, **fields: object) -> None:
        """Set what is known of a declaration only after its name."""
        values: list[object] = list(self.decls[number])  # `_replace` takes three times as long
        for name, value in fields.items():
            values[_POSITIONS[name]] = value
        self.decls[number] = tuple.__new__(Decl, values)

    def use(self, node: Node, role: Role, expr: int) -> None:
        """Note that the name at a node is used."""
        self.use_at(self._place(node), role, expr)

    def use_at(self, place: tuple[int, int], role: Role, expr: int) -> None:
        """Note that the name at a byte and its line is used."""
        is_given = self.is_result and role is Role.TYPE
        number = GIVEN_TYPE if is_given else ROLE_NUMBERS[role]
        self._uses.append((*place, number, expr))

    @property
    def pending(self) -> int:
        """How many uses were noted so far."""
        return len(self._uses)

    def change_uses(self, since: int, before: int, after: int) -> None:
        """Let the uses of an expression noted since then be uses of another."""
        for index in range(since, len(self._uses)):
            if self._uses[index][3] == before:
                self._uses[index] = (*self._uses[index][:3], after)

    def _place(self, node: Node) -> tuple[int, int]:
        start = node.start_byte + self._shift
        return start, self._lines.line_of(start)

    @contextmanager
    def inside(self, text: bytes, before: int) -> Generator[None]:
        """Read another text that stands behind so many bytes of this one."""
        outer = self._text, self._shift
        self._text, self._shift = text, self._shift + before
        try:
            yield
        finally:
            self._text, self._shift = outer

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
        used = {use[3] for use in self._uses}
        local = {number for number in used if self._is_local(self.exprs[number])}
        uses = [Use(*use) for use in sorted(self._uses) if use[3] not in local]
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
            locals=[use[0] for use in self._uses if use[3] in local],
        )

    def _is_local(self, expr: Expr) -> bool:
        if expr[0] not in ("name", "typename", "token"):
            return False
        is_type = expr[0] == "typename"
        name, scope = expr[1], expr[2]
        is_inside = True
        while scope != NOTHING:
            found = self.scopes[scope]
            numbers = found.names.get(name)
            if numbers and is_type:
                numbers = [one for one in numbers if may_be_type(self.decls[one])]
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
            or (
                decl.flags & DeclFlag.LOCAL
                and decl.kind not in _IMPORTED
                and not self._is_function(decl)
            )
            for decl in decls
        )

    def _keys(self) -> dict[int, str]:
        """How declarations are called from elsewhere: what they belong to, then their name."""
        prefixes: dict[int, str] = {0: ""}
        keys: dict[int, str] = {}
        unnamed: dict[str, int] = {}
        taken: set[str] = set()  # by functions and objects
        for number, decl in enumerate(self.decls):
            if decl.kind in _NEVER_MEANT or not self._can_be_meant(decl):
                continue
            prefix = self._prefix(decl.scope, prefixes, keys)
            name = self.labels.get(number, decl.name)
            if decl.kind == DeclKind.OBJECT and f"{prefix}{name}" in taken:
                name = ""  # one of several in the place of a name, or of a function's name
            if not name:  # the first, second, … of those without a name in the same place
                unnamed[prefix] = unnamed.get(prefix, 0) + 1
                name = f"@{unnamed[prefix]}"
            keys[number] = f"{prefix}{name}"
            if decl.kind in (DeclKind.OBJECT, DeclKind.FUNCTION):
                taken.add(keys[number])
        return keys

    def _can_be_meant(self, decl: Decl) -> bool:
        if not decl.name and decl.kind not in _UNNAMED_BUT_MEANT:
            return False
        is_local = decl.flags & DeclFlag.LOCAL and decl.kind not in _LOCAL_BUT_MEANT
        return not is_local or self._is_function(decl)

    def _is_function(self, decl: Decl) -> bool:
        """Whether a variable holds a function that is written in its place."""
        if decl.kind != DeclKind.VARIABLE or decl.value == NOTHING:
            return False
        expr = self.exprs[decl.value]
        return expr[0] == "decl" and self.decls[expr[1]].kind == DeclKind.FUNCTION

    def _prefix(self, scope: int, prefixes: dict[int, str], keys: dict[int, str]) -> str:
        """What stands before the names of a scope."""
        known = prefixes.get(scope)
        if known is not None:
            return known
        found = self.scopes[scope]
        if found.owner != NOTHING and found.owner in keys:
            prefixes[scope] = f"{keys[found.owner]}."
        elif found.owner != NOTHING:
            owner = self.decls[found.owner]
            outer = self._prefix(owner.scope, prefixes, keys)
            prefixes[scope] = f"{outer}{owner.name}." if owner.name else outer
        else:
            prefixes[scope] = self._prefix(found.parent, prefixes, keys)
        return prefixes[scope]
