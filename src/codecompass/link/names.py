"""A name in a scope in, the declarations it stands for out: scopes, imports, re-exports."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from codecompass.link.dialect import Dialect, Modules
from codecompass.link.solver import Solver
from codecompass.link.types import OUTSIDE, Place
from codecompass.model.module import (
    NOTHING,
    Decl,
    DeclFlag,
    DeclKind,
    Expr,
    ModuleFacts,
    ScopeKind,
    may_be_type,
)

Places = tuple[Place, ...]
_UNSEEN = DeclFlag.INSTANCE


class Language:
    """What resolving needs to know of the files of one language."""

    def __init__(
        self,
        dialect: Dialect,
        modules: Modules,
        stubs: ModuleFacts,
        read_shared: Callable[[], Mapping[str, Sequence[Place]]] = dict,
    ) -> None:
        self.dialect = dialect
        self.modules = modules
        self.stubs = stubs
        self._read_shared = read_shared

    @cached_property
    def shared(self) -> Mapping[str, Sequence[Place]]:
        """What is known in every file, by name."""
        return self._read_shared()


class Names(Solver):
    """Finds declarations by name; knows nothing of types."""

    def __init__(self, load: Callable[[str], ModuleFacts | None], language: Language) -> None:
        super().__init__()
        self._load = load
        self._facts: dict[str, ModuleFacts | None] = {language.dialect.stubs: language.stubs}
        self._language = language
        self.dialect = language.dialect

    def facts(self, path: str) -> ModuleFacts | None:
        """The tables of a file; None if it is a folder or has none."""
        try:
            return self._facts[path]
        except KeyError:
            found = self._facts[path] = None if path.endswith("/") else self._load(path)
            return found

    def decl(self, place: Place) -> Decl:
        """The declaration at a place."""
        facts = self._facts.get(place[0]) or self.facts(place[0])
        assert facts is not None  # noqa: S101  # places come from tables that are there
        return facts.decls[place[1]]

    def decl_at(self, place: Place) -> Decl | None:
        """The declaration at a place; None for a file and for what is outside."""
        return self.decl(place) if place[1] != NOTHING else None

    def expr(self, path: str, number: int) -> Expr:
        """An expression of a file."""
        facts = self._facts.get(path) or self.facts(path)
        return facts.exprs[number] if facts is not None else ("none",)

    def key(self, place: Place) -> str | None:
        """How a declaration is called from elsewhere; "" for a file, None for what is local."""
        if place[1] == NOTHING:
            return ""
        facts = self._facts.get(place[0]) or self.facts(place[0])
        return facts.keys.get(place[1]) if facts is not None else None

    def bound(self, path: str, name: str, scope: int) -> Sequence[int] | None:
        """The declarations that a scope, or one around it, has for a name."""
        facts = self.facts(path)
        if facts is None:
            return None
        is_inside = True
        sees_classes = self.dialect.is_class_scope_visible
        while scope != NOTHING:
            found = facts.scopes[scope]
            numbers = found.names.get(name)
            if numbers and found.kind == ScopeKind.CLASS:
                seen = is_inside or sees_classes
                numbers = [
                    number
                    for number in (numbers if seen else ())
                    if not facts.decls[number].flags & _UNSEEN
                ]
            if numbers:
                if scope == 0:
                    self.note(path, name)
                return numbers
            if found.kind != ScopeKind.BLOCK:
                is_inside = False
            scope = found.parent
        self.note(path, name)
        return None

    def lookup(self, path: str, name: str, scope: int) -> Places:
        """What a name stands for in a scope, imports followed to the definition."""
        numbers = self.bound(path, name, scope)
        if numbers is not None:
            facts = self.facts(path)
            assert facts is not None  # noqa: S101  # it has bound something
            places = tuple(
                (path, number)
                for number in numbers
                if facts.decls[number].kind != DeclKind.NARROWED
            )
            if not places:  # only narrowed here: what it is, an outer scope says
                outer = facts.scopes[facts.decls[numbers[0]].scope].parent
                return self.lookup(path, name, outer)
            return self.followed(places)
        found = self.beside(path, name)
        if found:
            return found
        facts = self.facts(path)
        self.note(path, "*")
        for module in self._passing(facts, name):
            places = self._export_of(path, module, name)
            if places and places != (OUTSIDE,):
                return places
        if path == self.dialect.stubs:
            return (OUTSIDE,)
        return tuple(self.shared(name)) or self._builtin(name) or (OUTSIDE,)

    def lookup_type(self, path: str, name: str, scope: int) -> Places:
        """What the name of a type stands for, whatever values are called the same."""
        facts, inner = self.facts(path), scope
        while facts is not None and inner != NOTHING:
            found = facts.scopes[inner]
            numbers = [n for n in found.names.get(name, ()) if may_be_type(facts.decls[n])]
            if numbers and found.kind != ScopeKind.CLASS:
                if inner == 0:
                    self.note(path, name)
                return self.followed(tuple((path, number) for number in numbers))
            inner = found.parent
        return self.lookup_type_outside(path, name, scope)

    def lookup_type_outside(self, path: str, name: str, scope: int) -> Places:
        """What the name of a type stands for that no scope around has as one."""
        return self.lookup(path, name, scope)

    def shared(self, name: str) -> Sequence[Place]:
        """What a name stands for in every file that does not say otherwise."""
        found = self._language.shared.get(name, ())
        for path, _number in found:
            self.note(path, name)
        self.note("", name)
        return found

    def _passing(self, facts: ModuleFacts | None, name: str) -> list[str]:
        """The modules all of whose names a file takes over, the one that counts first."""
        if facts is None or (self.dialect.hides_underscores and name.startswith("_")):
            return []
        return facts.stars[::-1]

    def beside(self, path: str, name: str) -> Places:  # noqa: ARG002  # for Go
        """What other files of the same package call so."""
        return ()

    def _builtin(self, name: str) -> Places:
        numbers = self._language.stubs.scopes[0].names.get(name, ())
        return tuple((self.dialect.stubs, number) for number in numbers)

    def followed(self, places: Places) -> Places:
        """The places with imports replaced by what they import."""
        found: dict[Place, None] = {}
        for place in places:
            decl = self.decl(place)
            if decl.kind == DeclKind.IMPORT:
                expr = self.expr(place[0], decl.value)
                if expr[0] == "from":  # by far the most
                    found.update(dict.fromkeys(self.imported(place[0], expr)))
                else:
                    found.update(dict.fromkeys(self.targets(place[0], decl.value)))
            else:
                found[place] = None
        return tuple(found)

    def imported(self, path: str, expr: Expr) -> Places:
        """What an import expression of a file means."""
        _, module, name = expr
        if not name:
            target = self._language.modules.resolve(path, module)
            if target is None and module in self.dialect.stub_modules:
                target = self.dialect.stubs
            return ((target, NOTHING),) if target else (OUTSIDE,)
        return self._export_of(path, module, name)

    def _export_of(self, path: str, module: str, name: str) -> Places:
        target = self._language.modules.resolve(path, module)
        if target is None:
            if module in self.dialect.stub_modules:
                return self._builtin(name) or (OUTSIDE,)
            return (OUTSIDE,)
        return self.export(target, name)

    def export(self, path: str, name: str) -> Places:
        """What a module gives under a name, re-exports followed."""
        found = self.solve((path, "export", name), lambda: self._find_export(path, name))
        return found or ()

    def _find_export(self, path: str, name: str) -> Places:
        facts = self.facts(path)
        self.note(path, name)
        if facts is not None:
            found = self._own_export(path, facts, name)
            if found:
                return found
            self.note(path, "*")
            for module in self._passing(facts, name):
                places = self._export_of(path, module, name)
                if places and places != (OUTSIDE,):
                    return places
        part = self._language.modules.part(path, name)
        if part:
            return ((part, NOTHING),)
        if path == self.dialect.stubs:
            return (OUTSIDE,)
        if facts is not None and any(
            self._language.modules.resolve(path, module) is None for module in facts.stars
        ):
            return (OUTSIDE,)
        return ()

    def _own_export(self, path: str, facts: ModuleFacts, name: str) -> Places:
        if facts.exports is not None:
            number = facts.exports.get(name, NOTHING)
            return self.targets(path, number) if number != NOTHING else ()
        numbers = facts.scopes[0].names.get(name)
        return self.followed(tuple((path, number) for number in numbers)) if numbers else ()

    def targets(self, path: str, number: int) -> Places:
        """The declarations that an expression names."""
        raise NotImplementedError

    def scope_chain(self, path: str, scope: int) -> list[Any]:
        """The scopes from one to the file's, with their numbers."""
        facts = self.facts(path)
        found = []
        while facts is not None and scope != NOTHING:
            found.append((scope, facts.scopes[scope]))
            scope = facts.scopes[scope].parent
        return found
