"""Java: which file a class name means, overloads, inherited names, lambdas."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from posixpath import dirname

from codecompass.link.dialect import Dialect
from codecompass.link.members import Member
from codecompass.link.modules import nearness
from codecompass.link.names import Places
from codecompass.link.overloads import BOXED, Overloads
from codecompass.link.types import OUTSIDE, Place, Type, members_of, substitute, union
from codecompass.model.module import (
    NOTHING,
    Decl,
    DeclFlag,
    DeclKind,
    Expr,
    ScopeKind,
    may_be_type,
)

_SUFFIX = ".java"
_CLASSES = frozenset({DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM})

DIALECT = Dialect(
    stubs="<java>",
    iterate=("__each__()",),
    indexed="__at__()",
    sequence="Array",
    mapping="Map",
)


class JavaModules:
    """The files of a snapshot by the classes they are named after."""

    def __init__(self, paths: Iterable[str], _configs: Mapping[str, str]) -> None:
        self._named: dict[str, list[str]] = defaultdict(list)
        self.folders: dict[str, list[str]] = defaultdict(list)
        for path in sorted(paths):
            if path.endswith(_SUFFIX):
                self.folders[dirname(path)].append(path)
                self._named[path.rpartition("/")[2].removesuffix(_SUFFIX)].append(path)

    def resolve(self, importer: str, module: str) -> str | None:
        """The file of the class that a dotted name begins with, the longest that there is."""
        parts = module.split(".")
        for length in range(len(parts), 0, -1):
            found = self._file(parts[:length], importer)
            if found:
                return found
        return None

    def _file(self, parts: list[str], importer: str) -> str | None:
        if not parts[-1][:1].isupper():
            return None
        ending = f"/{'/'.join(parts)}{_SUFFIX}"
        found = [path for path in self._named.get(parts[-1], ()) if f"/{path}".endswith(ending)]
        if len(found) > 1:  # `a.B` is not meant where the folder holds `org/a/B.java` as well
            roots = tuple(f"/{path}".removesuffix(ending) + "/" for path in found)
            found = [
                path
                for path, root in zip(found, roots, strict=True)
                if not any(root != other and root.startswith(other) for other in roots)
            ]
        return max(found, key=lambda path: nearness(path, importer)) if found else None

    def part(self, _path: str, _name: str) -> str | None:
        """Files have no parts but their classes."""
        return None

    def units(self, path: str) -> list[str]:
        """The folder."""
        return [f"{dirname(path)}/"]

    def owners(self, path: str) -> list[tuple[str, str]]:
        """A class that comes or goes may be what its package calls so."""
        folder, _, name = path.rpartition("/")
        return [(f"package {folder.rpartition('/')[2]}", name.removesuffix(_SUFFIX))]


_PLAIN = {
    "Boolean": "boolean", "Byte": "byte", "Short": "short", "Character": "char",
    "Integer": "int", "Long": "long", "Float": "float", "Double": "double",
}  # fmt: skip


class JavaInference(Overloads):
    """Inference with the rules that only Java has."""

    constructor_name = "<init>()"
    receiver_is_parameter = False
    knows_arguments = True
    widths = {  # noqa: RUF012
        "$byte": 0, "$short": 1, "$char": 2, "$int": 3, "$long": 4, "$float": 5, "$double": 6,
    }  # fmt: skip

    # Names.

    def lookup(self, path: str, name: str, scope: int) -> Places:
        """What a name stands for: of a block, of a class around or one it extends, imported."""
        return self._named(path, name, scope, lambda _decl: True)

    def lookup_type(self, path: str, name: str, scope: int) -> Places:
        """What the name of a type stands for: `URL URL` names a class and a field."""
        return self._named(path, name, scope, may_be_type)

    def _named(self, path: str, name: str, scope: int, is_meant: Callable[[Decl], bool]) -> Places:
        return self._named_on(path, name, scope, is_meant)[1].places

    def _named_on(
        self, path: str, name: str, scope: int, is_meant: Callable[[Decl], bool]
    ) -> tuple[Type | None, Member]:
        """What a name stands for, with the receiver of what it is a member of."""
        facts = self.facts(path)
        while facts is not None and scope != NOTHING:
            found = facts.scopes[scope]
            if found.kind == ScopeKind.CLASS and found.owner != NOTHING:
                owner: Type = ("self", (path, found.owner))
                member = self.find(owner, name)
                places = tuple(p for p in member.places if p == OUTSIDE or is_meant(self.decl(p)))
                if places and places != (OUTSIDE,):
                    return owner, Member(places, member.known)
            numbers = [n for n in found.names.get(name, ()) if is_meant(facts.decls[n])]
            if numbers and found.kind != ScopeKind.CLASS:
                if scope == 0:
                    self.note(path, name)
                return None, Member(self.followed(tuple((path, n) for n in numbers)), {})
            scope = found.parent
        self.note(path, name)
        outer = self._of_package(path, name) or self._of_stars(path, name)
        return None, Member(outer or self._builtin(name) or (OUTSIDE,), {})

    def _of_package(self, path: str, name: str) -> Places:
        facts = self.facts(path)
        if facts is None or path == self.dialect.stubs or name.endswith("()"):
            return ()
        found = self._class(path, f"{facts.package}.{name}" if facts.package else name)
        if found or not name[:1].isupper() or self._builtin(name):
            return found
        self.note(f"{dirname(path)}/", name)
        return tuple(self._beside(dirname(path)).get(name, ()))

    def _beside(self, folder: str) -> dict[str, list[Place]]:
        """The classes of a folder, those included that their files are not named after."""
        found: dict[str, list[Place]] | None = self.solve(
            (folder, "folder", ""), lambda: self._classes_in(folder)
        )
        return found or {}

    def _classes_in(self, folder: str) -> dict[str, list[Place]]:
        names: dict[str, list[Place]] = {}
        modules = self._language.modules
        assert isinstance(modules, JavaModules)  # noqa: S101  # the family says so
        for path in modules.folders.get(folder, ()):
            facts = self.facts(path)
            for name, numbers in facts.scopes[0].names.items() if facts is not None else ():
                classes = [n for n in numbers if self.decl((path, n)).kind in _CLASSES]
                names.setdefault(name, []).extend((path, number) for number in classes)
        return names

    def _of_stars(self, path: str, name: str) -> Places:
        facts = self.facts(path)
        for module in facts.stars if facts is not None else ():
            found = () if name.endswith("()") else self._class(path, f"{module}.{name}")
            found = found or self._static(path, module, name)
            if found:
                return found
        return ()

    def _class(self, path: str, full_name: str) -> Places:
        """The class of a full name, a nested one inside its file."""
        package, _, name = full_name.rpartition(".")
        self.note(f"package {package.rpartition('.')[2]}", name)
        target = self._language.modules.resolve(path, full_name)
        if target is None:
            return ()
        outer = target.rpartition("/")[2].removesuffix(_SUFFIX)
        parts = full_name.split(".")
        if outer not in parts:
            return ()
        places: Places = self._top_level(target, outer)
        for part in parts[len(parts) - parts[::-1].index(outer) :]:
            places = tuple(found for place in places for found in self._own(place, part))
        return places

    def _top_level(self, path: str, name: str) -> Places:
        facts = self.facts(path)
        self.note(path, name)
        numbers = facts.scopes[0].names.get(name, ()) if facts is not None else ()
        return tuple((path, n) for n in numbers if self.decl((path, n)).kind in _CLASSES)

    def _static(self, path: str, owner: str, name: str) -> Places:
        found: list[Place] = []
        for place in self._class(path, owner):
            member = self.find(("class", place, ()), name)
            found += [item for item in member.places if item != OUTSIDE]
        return tuple(found)

    def imported(self, path: str, expr: Expr) -> Places:
        """The class, or the static member, that an import names."""
        _, module, name = expr
        if name:
            methods = () if name.endswith("()") else self._static(path, module, f"{name}()")
            return (*self._static(path, module, name), *methods) or (OUTSIDE,)
        found = self._class(path, module)
        if not found and module.startswith("java"):
            found = self._builtin(module.rpartition(".")[2])
        return found or (OUTSIDE,)

    def _find_in_class(self, type_: Type, name: str) -> Member:
        """Overloads of a method may stand in several classes; nearer ones hide equal ones."""
        first = super()._find_in_class(type_, name)
        if not name.endswith("()") or not first.places or first.places == (OUTSIDE,):
            return first
        found: dict[str, Place] = {}
        known = dict(first.known)
        skip = 1 if type_[0] == "super" else 0
        arguments = type_[2] if len(type_) > 2 else ()
        for ancestor in self.ancestors(type_[1]).types[skip:]:
            for place in self._own(ancestor[1], name):
                label = (self.key(place) or "").rpartition("(")[2]
                if label not in found:
                    found[label] = place
                    known.update(self._known_of(ancestor, type_[1], arguments))
        return Member(tuple(found.values()), known)

    def _dotted(self, path: str, number: int) -> str:
        """The text of a chain of names, as full names of classes are; "" if it is another."""
        expr = self.expr(path, number) if number != NOTHING else ("",)
        if expr[0] == "typename" or (expr[0] == "name" and len(expr) == 3):
            return str(expr[1])
        if expr[0] != "member" or len(expr) > 3:
            return ""
        before = self._dotted(path, expr[1])
        return f"{before}.{expr[2]}" if before else ""

    # Overloads.

    def targets(self, path: str, number: int) -> Places:
        """The declarations that an expression names; overloads that cannot be meant aside."""
        expr = self.expr(path, number)
        if expr[0] == "case":
            places = self.find(self.value(path, expr[1]), expr[2]).places
            return places or self.lookup(path, expr[2], expr[3])
        found = super().targets(path, number)
        if expr[0] == "member" and len(expr) == 3 and found in ((), (OUTSIDE,)):
            full_name = self._dotted(path, number)
            return (self._class(path, full_name) if full_name else ()) or found
        return self._meant(path, found, expr[3]) if len(expr) > 3 and expr[0] != "call" else found

    def _value(self, path: str, expr: Expr, number: int) -> Type | None:
        if expr[0] == "case":
            return self._value_of_places(self.targets(path, number))
        if expr[0] == "member" and len(expr) > 3:
            return self._value_of_method(path, expr)
        if expr[0] == "sum":
            return self._sum([self.value(path, item) for item in expr[1]])
        if expr[0] == "name":
            owner, member = self._named_on(path, expr[1], expr[2], lambda _decl: True)
            if owner is not None and member.known:
                places = self._meant(path, member.places, expr[3] if len(expr) > 3 else ())
                return self._type_of_member(owner, Member(places, member.known))
        if expr[0] in ("name", "member") and self._is_plain(path, expr, number):
            return self._value_of_places(self.targets(path, number))
        return super()._value(path, expr, number)

    def _sum(self, types: list[Type | None]) -> Type | None:
        """What arithmetic gives: a text if one is, else the wider number, an int at least."""
        names = [
            self.decl(item[1]).name if item is not None and item[0] == "inst" else ""
            for item in types
        ]
        if "String" in names:
            return self.builtin("String")
        numbers = [name if name in self.widths else f"${_PLAIN.get(name, '')}" for name in names]
        if any(name not in self.widths for name in numbers):
            return None
        return self.builtin(max([*numbers, "$int"], key=lambda name: self.widths[name]))

    def _meant(self, path: str, places: Places, arguments: tuple[int, ...]) -> Places:
        """The overloads that a call can mean; what is private elsewhere it cannot."""
        seen = [
            place
            for place in places
            if place[0] in (path, "") or not self.decl(place).flags & DeclFlag.PRIVATE
        ]
        return super()._meant(path, tuple(seen), arguments)

    def unboxed(self, expected: Type, given: Type) -> int:
        """An object that holds a number may stand for the number."""
        wide = self.builtin(f"${_PLAIN.get(self.decl(given[1]).name, '')}")
        if wide is None or not self._is_number(expected):
            return super().unboxed(expected, given)
        return BOXED + self._step(expected, wide)

    def _step_to_parameter(self, expected: Type, given: Type) -> int:
        """A type parameter takes what the type that bounds it takes, which may be all."""
        bound = self.at_least(expected)
        is_known = bound is not None and bound[0] == "inst"
        return self._step(bound if is_known else self.builtin("Object"), given)

    def _is_number(self, type_: Type | None) -> bool:
        name = self.decl(type_[1]).name if type_ is not None and type_[0] == "inst" else ""
        return name.startswith("$")

    def _is_plain(self, path: str, expr: Expr, number: int) -> bool:
        """Whether a value is that of what it names: a method without a receiver, a full name."""
        if expr[0] == "name":
            return len(expr) > 3
        return len(expr) == 3 and bool(self._class(path, self._dotted(path, number) or "."))

    # Types.

    def bases(self, place: Place) -> tuple[Type | None, ...]:
        """What a class extends; every class is an object."""
        decl = self.decl(place)
        if decl.kind == DeclKind.ENUM_MEMBER:
            return (self._owner_instance(place, decl),)
        known = super().bases(place)
        if place[0] == self.dialect.stubs and decl.name == "Object":
            return known
        implied = "Enum" if decl.kind == DeclKind.ENUM else "Object"
        return (*known, self.builtin(implied))

    def _parameter(self, type_: Type | None, position: int) -> Type | None:
        """What a lambda of a type takes: the type has one method that it stands for."""
        found = [super()._parameter(type_, position)]
        values = [item for item in members_of(type_) if item[0] == "inst"]
        found += [self._taken_by_lambda(item, position) for item in values]
        return union(found)

    def _taken_by_lambda(self, type_: Type, position: int) -> Type | None:
        for ancestor in self.ancestors(type_[1]).types:
            facts, decl = self.facts(ancestor[1][0]), self.decl(ancestor[1])
            if facts is None or decl.kind != DeclKind.INTERFACE or decl.inner == NOTHING:
                continue
            for numbers in facts.scopes[decl.inner].names.values():
                place = (ancestor[1][0], numbers[0])
                method = self.decl(place)
                if method.kind == DeclKind.METHOD and not method.returns:
                    if position >= len(method.parts):
                        return None
                    taken = self.type_of((place[0], method.parts[position]))
                    known = self._known_of(ancestor, type_[1], type_[2])
                    return substitute(taken, known)
        return None
