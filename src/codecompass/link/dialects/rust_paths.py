"""Rust: what names and paths stand for: modules, imports, macros, crates."""

from collections.abc import Callable, Sequence
from posixpath import dirname, normpath

from codecompass.link.dialects.rust_modules import RustModules
from codecompass.link.infer import Inference
from codecompass.link.names import Places
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

_EVERYTHING = "*"
_MADE = "!"
CRATES = "crates"
"""What all crates are a part of, by which the names of their methods are noted."""
_STANDARD = frozenset({"write!", "writeln!", "print!", "println!", "format!", "panic!", "vec!"})


class RustPaths(Inference):
    """Follows names and paths; types and members are added by others."""

    constructor_name = "\0"
    receiver_is_parameter = False

    @property
    def _modules(self) -> RustModules:
        modules = self._language.modules
        assert isinstance(modules, RustModules)  # noqa: S101  # the family says so
        return modules

    def lookup(self, path: str, name: str, scope: int) -> Places:
        """What a name stands for: of a block, of its module, taken over, of the language."""
        return self._look(path, name, scope, lambda _decl: True)

    def lookup_type(self, path: str, name: str, scope: int) -> Places:
        """What the head of a path stands for: never a function or a value."""
        found = self._look(path, name, scope, may_be_type)
        return (self._builtin(name) or (OUTSIDE,)) if self._functions(found) else found

    def _look(self, path: str, name: str, scope: int, is_meant: Callable[[Decl], bool]) -> Places:
        facts = self.facts(path)
        module = 0
        inactive: Places = ()
        while facts is not None and scope != NOTHING:
            found, module = facts.scopes[scope], scope
            numbers = self._active(path, found.names.get(name, ()))
            places = tuple((path, n) for n in numbers if is_meant(facts.decls[n]))
            if places and found.kind != ScopeKind.CLASS:
                if scope == 0:
                    self.note(path, name)
                if not self.decl(places[0]).flags & DeclFlag.INACTIVE:
                    return self.followed(places)
                inactive = inactive or places
            used = self._used_macros(path, found.names.get(name[:-1], ()), name)
            taken = used or self._taken_over(path, found.names.get(_EVERYTHING, ()), name)
            if taken:
                return taken
            scope = found.parent
        self.note(path, name)
        known = self._macros_of_crate(path, name) or self.followed(inactive)
        return known or self._builtin(name) or self._crate(name, path, module)

    def _macros_of_crate(self, path: str, name: str) -> Places:
        """The macros that a file can use without saying where they are from."""
        if not name.endswith("!"):
            return ()
        self.note(CRATES, name)
        macros = self._impls(path).get(name, ())
        if name in _STANDARD:  # of which a file may have its own
            macros = [macro for macro in macros if macro[0] == path]
        return tuple(macros)

    def _functions(self, places: Places) -> Places:
        return tuple(
            place
            for place in places
            if place[1] != NOTHING and self.decl(place).kind == DeclKind.FUNCTION
        )

    def _active(self, path: str, numbers: Sequence[int]) -> list[int]:
        """The declarations of a name, without those that a usual build leaves out."""
        found = [number for number in numbers if not self._is_impl(path, number)]
        if len(found) < 2:
            return found
        flags = {number: self.decl((path, number)).flags for number in found}
        return [n for n in found if not flags[n] & DeclFlag.INACTIVE] or found

    def _used_macros(self, path: str, numbers: Sequence[int], name: str) -> Places:
        """`use crate_name::name`, where the name is that of a macro."""
        found: list[Place] = []
        for number in numbers if name.endswith("!") else ():
            decl = self.decl((path, number))
            if decl.kind == DeclKind.IMPORT and decl.value != NOTHING:
                expr = self.expr(path, decl.value)
                if expr[0] == "member":
                    found += self._macros_in(path, expr[1], f"{expr[2]}!")
        return tuple(found)

    def _macros_in(self, path: str, number: int, name: str) -> Places:
        """The macros of the crates that a path leads into: they belong to the whole crate."""
        places = self.targets(path, number) if number != NOTHING else ()
        roots = dict.fromkeys(place[0] for place in places if place != OUTSIDE)
        for root in list(roots):  # `pub use other_crate::*`
            facts = self.facts(root)
            for star in facts.scopes[0].names.get(_EVERYTHING, ()) if facts is not None else ():
                value = self.decl((root, star)).value
                further = self.targets(root, value) if value != NOTHING else ()
                roots.update(dict.fromkeys(place[0] for place in further if place != OUTSIDE))
        return tuple(macro for root in roots for macro in self._impls(root).get(name, ()))

    def _builtin(self, name: str) -> Places:
        """What is known without `use`, the variants of `Option` and `Result` included."""
        found = super()._builtin(name)
        for owner in ("Option", "Result") if not found else ():
            for place in super()._builtin(owner):
                found = found or self._own(place, name)
        return found

    def _is_impl(self, path: str, number: int) -> bool:
        return self.decl((path, number)).kind == DeclKind.NARROWED

    def _taken_over(self, path: str, numbers: Sequence[int], name: str) -> Places:
        """What `use a::*` brings."""
        if name == _EVERYTHING:
            return ()
        flags = {number: self.decl((path, number)).flags for number in numbers}
        for number in sorted(numbers, key=lambda n: (flags[n] & DeclFlag.INACTIVE, -n)):
            found = self._star(path, number, name)
            if found:
                return found
        return ()

    def _star(self, path: str, number: int, name: str) -> Places:
        found: Places | None = self.solve(
            (path, "star", number, name), lambda: self._in_star(path, number, name)
        )
        return found or ()

    def _in_star(self, path: str, number: int, name: str) -> Places:
        of = self.value(path, self.decl((path, number)).value)
        places = self.find(of, name).places
        return () if places == (OUTSIDE,) else places

    def _crate(self, name: str, path: str = "", scope: int = 0) -> Places:
        """A library by its name; in a module where macros make items, it may be one of them."""
        root = self._modules.crate(name)
        if root:
            return ((root, NOTHING),)
        facts = self.facts(path) if path else None
        is_made = facts is not None and _MADE in facts.scopes[scope].names
        return () if is_made else (OUTSIDE,)

    def followed(self, places: Places) -> Places:
        """The places with imports replaced by what they import."""
        found: dict[Place, None] = {}
        for place in places:
            if place[1] != NOTHING and self.decl(place).kind == DeclKind.IMPORT:
                found.update(dict.fromkeys(self._imported(place)))
            else:
                found[place] = None
        return tuple(found)

    def _imported(self, place: Place) -> Places:
        value = self.decl(place).value
        found: Places | None = self.solve(
            (place[0], "import", place[1]), lambda: self.targets(place[0], value)
        )
        return found or ()

    def _path(self, path: str, expr: Expr) -> Places:
        match expr[0]:
            case "crate":
                return ((self._modules.root(path), NOTHING),)
            case "here":
                return (self._module_of(path, expr[1]),)
            case "above":
                return self._above(self._module_of(path, expr[1]))
            case "above_of":
                found = self.targets(path, expr[1])
                return self._above(found[0]) if found else ()
            case "child":
                return self._child(path, expr)
            case "outer":
                return self._crate(expr[1])
        found = self._named_in_module(path, expr[1], expr[2])
        return found or self._crate(expr[1])

    def _named_in_module(self, path: str, name: str, scope: int) -> Places:
        """The head of a `use` path: something of the module, not the `use` itself."""
        facts = self.facts(path)
        module = self._module_of(path, scope)
        inner = 0 if module[1] == NOTHING else self.decl(module).inner
        if facts is None:
            return ()
        found = []
        for number in self._active(path, facts.scopes[inner].names.get(name, ())):
            decl = facts.decls[number]
            is_same = decl.kind == DeclKind.IMPORT and (
                facts.exprs[decl.value][0] == "extern" and facts.exprs[decl.value][1] == name
            )
            if not is_same:
                found.append((path, number))
        self.note(path, name)
        return self.followed(tuple(found))

    def _module_of(self, path: str, scope: int) -> Place:
        facts = self.facts(path)
        while facts is not None and scope > 0:
            found = facts.scopes[scope]
            if found.kind == ScopeKind.MODULE:
                return (path, found.owner)
            scope = found.parent
        return (path, NOTHING)

    def _above(self, place: Place) -> Places:
        if place[1] != NOTHING:
            return (self._module_of(place[0], self.decl(place).scope),)
        above = self._modules.above(place[0])
        return ((above, NOTHING),) if above else (OUTSIDE,)

    def _child(self, path: str, expr: Expr) -> Places:
        if expr[2]:
            written = normpath(f"{dirname(path)}/{expr[2]}").lstrip("/")
            self.note(written, _EVERYTHING)
            return ((written, NOTHING),) if self.facts(written) is not None else (OUTSIDE,)
        found = self._modules.part(path, expr[1])
        return ((found, NOTHING),) if found else (OUTSIDE,)

    def _own_export(self, path: str, facts: ModuleFacts, name: str) -> Places:
        numbers = self._active(path, facts.scopes[0].names.get(name, ()))
        places = tuple((path, number) for number in numbers)
        if places:
            return self.followed(places)
        return self._taken_over(path, facts.scopes[0].names.get(_EVERYTHING, ()), name)

    def _impls(self, path: str) -> dict[str, list[Place]]:
        """What a crate says apart from its types: methods, constants and traits of them."""
        root = path if path == self.dialect.stubs else self._modules.root(path)
        found: dict[str, list[Place]] | None = self.solve(
            (root, "impls", ""), lambda: self._collect(root)
        )
        return found or {}

    def _collect(self, root: str) -> dict[str, list[Place]]:
        names: dict[str, list[Place]] = {}
        paths = [root] if root == self.dialect.stubs else self._modules.files.get(root, [])
        for path in paths:
            facts = self.facts(path)
            for number, decl in enumerate(facts.decls if facts is not None else ()):
                is_macro = decl.name.endswith("!")
                if "." in decl.name or decl.name.startswith("impl ") or is_macro:
                    names.setdefault(decl.name, []).append((path, number))
                if decl.kind == DeclKind.METHOD:
                    names.setdefault(f".{decl.name.rpartition('.')[2]}", []).append((path, number))
        return names

    def _everything(self) -> dict[str, list[Place]]:
        """The same of all crates, for what one says of the types of another."""
        found: dict[str, list[Place]] | None = self.solve(
            (CRATES, "impls", ""), lambda: self._collect_all()
        )
        return found or {}

    def _collect_all(self) -> dict[str, list[Place]]:
        names: dict[str, list[Place]] = {}
        for root in self._modules.files:
            for name, places in self._impls(root).items():
                names.setdefault(name, []).extend(places)
        return names

    def _head(self, path: str, number: int) -> int:
        """A type without its arguments."""
        expr = self.expr(path, number)
        return expr[1] if expr[0] == "apply" else number
