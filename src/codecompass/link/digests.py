"""A file's tables in, for each name that others may ask for a digest of what they would see.

Two versions of a file whose digests agree for a name mean the same by it, wherever it
stands in the file: positions are no part of it.
"""

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

from codecompass.model.module import NOTHING, Decl, DeclKind, ModuleFacts, ScopeKind

STARS = "*"
"""The name under which the modules are known whose names are passed on."""
_WITH_BASES = frozenset(
    {DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM, DeclKind.OBJECT, DeclKind.NARROWED}
)
_WITH_POSITION = frozenset({"index", "item", "expected", "parameter"})
_PLACES = frozenset({"crate", "here", "above", "extern", "child", "outer"})
_MAX_DEPTH = 80
# How often an expression is read again on the average before a name stands for the whole file.
_MAX_VISITS = 4
_FEW_VISITS = 5_000


def digests(facts: ModuleFacts | None) -> dict[str, str]:
    """The digest of every name that can be asked for from elsewhere."""
    if facts is None:
        return {}
    reader = _Reader(facts)
    groups: dict[str, list[Any]] = {}
    for number, key in facts.keys.items():
        groups.setdefault(key, []).append(reader.decl(number, 0))
    for name, number in (facts.exports or {}).items():
        groups.setdefault(name, []).append(("export", reader.expr(number, 0)))
    for number, decl in enumerate(facts.decls):
        if decl.name.startswith("impl "):  # what a type is beside what it says itself
            groups.setdefault(decl.name, []).append(reader.decl(number, 0))
    groups[STARS] = [facts.stars, facts.exports is None]
    if facts.shared != NOTHING:
        for name in facts.scopes[facts.shared].names:
            groups.setdefault(name, []).append("shared")
    return {key: _hash(parts) for key, parts in groups.items()}


def _hash(parts: list[Any]) -> str:
    return hashlib.blake2b(repr(parts).encode("utf-8", "replace"), digest_size=8).hexdigest()


class _Reader:
    """Reads tables as nested values without positions.

    What was read once is not read again: local variables that are made of one another
    would be told in more ways than there is memory for. Only what does not lead back to
    something still being read can be kept, for the rest depends on where one came from.
    """

    def __init__(self, facts: ModuleFacts) -> None:
        self._facts = facts
        self._open: set[int] = set()
        self._known: dict[tuple[str, int], str] = {}
        self._led_back: set[int] = set()  # declarations still being read that were met again
        self._visits_left = _FEW_VISITS + _MAX_VISITS * (len(facts.decls) + len(facts.exprs))

    @cached_property
    def _everything(self) -> str:
        """Another one with every edit: what a name stands for where nobody can tell in time."""
        return _hash([self._facts.decls, self._facts.exprs])

    def decl(self, number: int, depth: int) -> Any:
        """All that a declaration says."""
        if number in self._open:
            self._led_back.add(number)
            return ("again", self._facts.decls[number].name)
        self._open.add(number)
        try:
            return self._once(
                ("decl", number), lambda: self._decl(self._facts.decls[number], depth + 1), depth
            )
        finally:
            self._open.discard(number)

    def _once(self, key: tuple[str, int], read: Callable[[], Any], depth: int) -> str:
        if key in self._known:
            return self._known[key]
        self._visits_left -= 1
        if self._visits_left < 0 or depth > _MAX_DEPTH:
            return self._everything
        outer, self._led_back = self._led_back, set()
        found = _hash([read()])
        if key[0] == "decl":
            self._led_back.discard(key[1])
        if not self._led_back:
            self._known[key] = found
        self._led_back |= outer
        return found

    def _decl(self, decl: Decl, depth: int) -> Any:
        is_class = decl.kind in _WITH_BASES
        read = self.expr if is_class else self.decl
        return (
            decl.name,
            int(decl.kind),
            int(decl.flags),
            self.expr(decl.type, depth),
            self.expr(decl.value, depth),
            [read(part, depth) for part in decl.parts],
            [self.expr(item, depth) for item in decl.returns],
            [self.expr(item, depth) for item in decl.decorators],
            [self.decl(item, depth) for item in decl.type_parameters],
            decl.members != NOTHING,
        )

    def expr(self, number: int, depth: int) -> Any:
        """All that an expression says."""
        if number == NOTHING:
            return None
        return self._once(("expr", number), lambda: self._expr(number, depth), depth)

    def _expr(self, number: int, depth: int) -> Any:
        expr = self._facts.exprs[number]
        operation = expr[0]
        if operation in ("name", "typename", "token", "attribute", "fixture"):
            given = [self._part(item, depth + 1) for item in expr[3:]]
            return (operation, expr[1], self._bound(expr[1], expr[2], depth + 1), given)
        if operation in _PLACES:  # the scope it stands in, which is no part of what it says
            return (operation, *(item for item in expr[1:] if isinstance(item, str)))
        if operation == "case":
            return (operation, self.expr(expr[1], depth + 1), expr[2])
        if operation == "payload":
            variant, value = (self.expr(item, depth + 1) for item in expr[1:3])
            return (operation, variant, value, expr[3])
        if operation in ("decl", "function", "of", "this", "class_of_this"):
            return (operation, self._meant(expr[1], depth + 1))
        if operation == "super":
            own = self._meant(expr[1], depth + 1) if expr[1] != NOTHING else None
            return (operation, own, self.expr(expr[2], depth + 1))
        if operation in ("from", "lit", "none", "require"):
            return tuple(expr)
        position = expr[2] if operation in _WITH_POSITION else None
        parts = [
            self._part(item, depth + 1)
            for place, item in enumerate(expr[1:])
            if place != 1 or position is None
        ]
        return (operation, position, *parts)

    def _part(self, item: Any, depth: int) -> Any:
        if isinstance(item, (list, tuple)):
            return [self._part(inner, depth) for inner in item]
        return self.expr(item, depth) if isinstance(item, int) else item

    def _meant(self, number: int, depth: int) -> Any:
        key = self._facts.keys.get(number)
        return key if key is not None else self.decl(number, depth)

    def _bound(self, name: str, scope: int, depth: int) -> Any:
        """What a name of a function is; names of the file are asked for by themselves."""
        facts = self._facts
        is_inside = True
        while scope > 0:
            found = facts.scopes[scope]
            numbers = found.names.get(name)
            if numbers and (is_inside or found.kind != ScopeKind.CLASS):
                return [self._meant(number, depth) for number in numbers]
            if found.kind != ScopeKind.BLOCK:
                is_inside = False
            scope = found.parent
        return None
