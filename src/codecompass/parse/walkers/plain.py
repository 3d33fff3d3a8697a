"""Symbols, references and imports in, tables out: for languages without a walker of their own.

Names are known, types are not. What a name without a receiver means follows from scopes and
imports; behind a receiver only where the receiver is a class, a module or the object itself.
"""

import re
from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence

from codecompass.model.module import (
    HIDDEN,
    INCLUDE,
    NOTHING,
    DeclFlag,
    DeclKind,
    ModuleFacts,
    ScopeKind,
)
from codecompass.model.reference import USAGE, Import, Reference, Role
from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.parse.language import PlainNames
from codecompass.parse.walkers.builder import Builder

_KINDS = {
    SymbolKind.MODULE: DeclKind.CLASS, SymbolKind.NAMESPACE: DeclKind.CLASS,
    SymbolKind.CLASS: DeclKind.CLASS, SymbolKind.STRUCT: DeclKind.CLASS,
    SymbolKind.IMPL: DeclKind.CLASS, SymbolKind.TYPE: DeclKind.CLASS,
    SymbolKind.INTERFACE: DeclKind.INTERFACE, SymbolKind.TRAIT: DeclKind.INTERFACE,
    SymbolKind.PROTOCOL: DeclKind.INTERFACE, SymbolKind.ENUM: DeclKind.ENUM,
    SymbolKind.ENUM_MEMBER: DeclKind.ENUM_MEMBER,
    SymbolKind.FUNCTION: DeclKind.FUNCTION, SymbolKind.METHOD: DeclKind.FUNCTION,
    SymbolKind.CONSTRUCTOR: DeclKind.FUNCTION, SymbolKind.MACRO: DeclKind.FUNCTION,
}  # fmt: skip
_CLASSES = frozenset({DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM})
_WITH_SCOPE = _CLASSES | {DeclKind.FUNCTION, DeclKind.METHOD}
_TYPES = frozenset({Role.TYPE, Role.INHERIT, Role.DECORATE})
_SELF = frozenset({"self", "this", "Self", "@self"})
_BETWEEN = re.compile(r"\.\??|::?|->|\\")


def plain_tables(
    text: bytes,
    rules: PlainNames,
    *,
    symbols: Sequence[Symbol],
    references: Sequence[Reference],
    imports: Sequence[Import],
) -> ModuleFacts:
    """The tables of a file as far as its symbols and references tell."""
    # Of files under a variable's name one and the same is meant in all functions of a file,
    # also where it comes from elsewhere (27 of 27 uses in two repositories).
    around = {} if rules.files else _definitions_around(imports, symbols)
    reader = _Reader(text, rules, frozenset(around.values()))
    for item in imports:
        if item.start_byte not in around:
            reader.add_import(item)
    for symbol in symbols:
        if not symbol.is_statement and symbol.name_start >= 0:
            reader.add_symbol(symbol)
    for item in imports:
        if item.start_byte in around:
            reader.add_import(item, inside=around[item.start_byte])
    for reference in references:
        if reference.role in USAGE:
            reader.add_use(reference)
    return reader.builder.finish()


def _definitions_around(imports: Sequence[Import], symbols: Sequence[Symbol]) -> Mapping[int, int]:
    """The type or function that imports stand in, by their bytes; none for those of the file."""
    by_ordinal = {symbol.ordinal: symbol for symbol in symbols if symbol.name_start >= 0}
    defined = sorted(by_ordinal.values(), key=lambda symbol: symbol.span.start_byte)
    starts = [symbol.span.start_byte for symbol in defined]
    found: dict[int, int] = {}
    for item in imports:
        last = bisect_right(starts, item.start_byte) - 1
        symbol = defined[last] if last >= 0 else None
        while symbol is not None:
            is_inside = item.start_byte < symbol.span.end_byte
            if is_inside and _KINDS.get(symbol.kind) in _WITH_SCOPE:
                found[item.start_byte] = symbol.ordinal
                break
            symbol = None if symbol.parent is None else by_ordinal.get(symbol.parent)
    return found


class _Reader:
    """Fills the tables."""

    def __init__(self, text: bytes, rules: PlainNames, importing: Container[int]) -> None:
        """`importing` are the ordinals of definitions that have imports of their own."""
        self.builder = Builder(text)
        self.builder.shared = self.builder.open_scope(ScopeKind.MODULE, NOTHING)
        self._rules = rules
        self._importing = importing
        self._for_imports: dict[int, int] = {}  # the scopes of what these bind, by ordinal
        self._depths: dict[int | None, int] = {}  # how many names a symbol's members have before
        self._scopes: dict[int, int] = {}  # what a symbol has inside, by its ordinal
        self._classes: dict[int, int] = {}  # the class that a symbol is or stands in
        self._tables: dict[str, int] = {}  # scopes of what has members but is no class
        if rules.files:
            self.builder.exports = {}

    # Imports.

    def add_import(self, item: Import, *, inside: int | None = None) -> None:
        """Bind an imported name where it is known, or take over all names of a file."""
        scope = 0 if inside is None else self._for_imports.get(inside, 0)
        modules = self._modules(item.module)
        if item.name == "*" or not (item.bound_name or item.name):
            self.builder.stars += modules
            return
        for module in modules:
            name = "" if item.name in ("", "*") else item.name
            if not module.startswith(INCLUDE) and name:
                module, name = f"{module}.{name}", ""
            value = self.builder.expr("from", module, name)
            bound = item.bound_name or item.name
            self.builder.declare_at(
                bound, (item.start_byte, item.line), DeclKind.IMPORT, scope, value=value
            )
            if item.name:
                self.builder.use_at((item.start_byte, item.line), Role.IMPORT, value)

    def _modules(self, module: str) -> list[str]:
        if not self._rules.files:
            return [module]
        path = module.replace(".", "/") if self._rules.has_dotted_folders else module
        path = path.rpartition("}/")[2] if "}" in path else path
        if path.startswith("$"):
            path = path.partition("/")[2]
        return [INCLUDE + one.format(path) for one in self._rules.files]

    # Symbols.

    def add_symbol(self, symbol: Symbol) -> None:
        """Declare a symbol in the scope it stands in."""
        known_as, scope = self._known_as(symbol)
        is_member = self.builder.scopes[scope].kind == ScopeKind.CLASS
        kind = self._kind(symbol, is_member=is_member)
        is_part = symbol.kind is SymbolKind.IMPL
        flags = self.builder.local_flag(scope) | (DeclFlag.PART if is_part else 0)
        number = self.builder.declare_at(
            known_as, (symbol.name_start, symbol.span.start_line), kind, scope,
            bind=not is_part, flags=flags,
        )  # fmt: skip
        parent = NOTHING if symbol.parent is None else symbol.parent
        around = self.builder.scopes[scope].owner if is_member else NOTHING
        self._classes[symbol.ordinal] = self._classes.get(parent, around)
        self._scopes[symbol.ordinal] = scope
        if kind in _CLASSES:
            self._classes[symbol.ordinal] = number
            self._open(symbol.ordinal, number, ScopeKind.CLASS, scope)
        elif kind in (DeclKind.FUNCTION, DeclKind.METHOD):
            self._open(symbol.ordinal, number, ScopeKind.FUNCTION, scope)
        if not flags & DeclFlag.LOCAL:
            self._tell_others(symbol, number, scope)

    def _known_as(self, symbol: Symbol) -> tuple[str, int]:
        """A symbol's name and scope; `defmodule A.B` is known by both words where it stands."""
        scope = 0 if symbol.parent is None else self._scopes.get(symbol.parent, 0)
        own = symbol.scope[self._depths.get(symbol.parent, 0) :]
        self._depths[symbol.ordinal] = len(symbol.scope) + 1
        if own and _KINDS.get(symbol.kind) in _CLASSES:
            return ".".join((*own, symbol.name)), scope
        if own and symbol.parent is None:
            scope = self._table(own[-1], symbol)
        return symbol.name, scope

    def _kind(self, symbol: Symbol, *, is_member: bool) -> DeclKind:
        kind = _KINDS.get(symbol.kind)
        if kind is None:
            return DeclKind.FIELD if is_member else DeclKind.VARIABLE
        return DeclKind.METHOD if kind is DeclKind.FUNCTION and is_member else kind

    def _open(self, ordinal: int, number: int, kind: ScopeKind, scope: int) -> None:
        if ordinal in self._importing:  # known inside, and no members
            scope = self._for_imports[ordinal] = self.builder.open_scope(ScopeKind.BLOCK, scope)
        inner = self.builder.open_scope(kind, scope, number)
        self.builder.update(number, inner=inner)
        self._scopes[ordinal] = inner

    def _table(self, name: str, symbol: Symbol) -> int:
        """`function M.run()`: the scope of what is put into M."""
        if name not in self._tables:
            place = (symbol.name_start, symbol.span.start_line)
            number = self.builder.declare_at(name, place, DeclKind.OBJECT, 0)
            inner = self.builder.open_scope(ScopeKind.CLASS, 0, number)
            self.builder.update(number, inner=inner)
            self._tables[name] = inner
        return self._tables[name]

    def _tell_others(self, symbol: Symbol, number: int, scope: int) -> None:
        """Make a declaration known under its full name, or known to exist."""
        full_name = ".".join((*symbol.scope, symbol.name))
        if self._rules.is_flat and scope != 0:
            self.builder.scopes[0].names.setdefault(symbol.name, []).append(number)
        if self.builder.exports is not None:
            is_reached = scope == 0 or scope in self._tables.values() or self._rules.is_flat
            if is_reached:
                self.builder.exports.setdefault(symbol.name, self.builder.expr("decl", number))
        names = self.builder.scopes[self.builder.shared].names
        if not self._rules.is_open:
            full_name = HIDDEN + symbol.name
        names.setdefault(full_name, []).append(number)

    # Uses.

    def add_use(self, item: Reference) -> None:
        """Note what a reference names."""
        ordinal = NOTHING if item.enclosing is None else item.enclosing
        scope = self._scopes.get(ordinal, 0)
        expr = self._named(item, ordinal, scope)
        self.builder.use_at((item.start_byte, item.line), item.role, expr)
        owner = self._classes.get(ordinal, NOTHING)
        if item.role is Role.INHERIT and owner != NOTHING:
            bases = self.builder.decls[owner].parts
            self.builder.update(owner, parts=(*bases, expr))

    def _named(self, item: Reference, ordinal: int, scope: int) -> int:
        if not item.receiver:
            operation = "typename" if item.role in _TYPES else "name"
            return self.builder.expr(operation, item.name, scope)
        return self.builder.expr(
            "member", self._receiver(item.receiver, ordinal, scope), item.name
        )

    def _receiver(self, receiver: str, ordinal: int, scope: int) -> int:
        parts = [part for part in _BETWEEN.split(receiver) if part]
        if not parts or not parts[0][0].isidentifier():
            return NOTHING
        owner = self._classes.get(ordinal, NOTHING)
        if parts[0] in _SELF or parts[0] == "super":
            if owner == NOTHING:
                return NOTHING
            is_super = parts[0] == "super"
            found = self.builder.expr(
                *(("super", owner, NOTHING) if is_super else ("this", owner))
            )
        else:
            found = self.builder.expr("name", parts[0], scope)
        for part in parts[1:]:
            found = self.builder.expr("member", found, part)
        return found
