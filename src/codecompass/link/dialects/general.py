"""Languages whose files see each other by full names: packages, namespaces, includes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from posixpath import dirname, normpath

from codecompass.link.members import Member
from codecompass.link.modules import nearness
from codecompass.link.names import Places
from codecompass.link.overloads import Overloads
from codecompass.link.types import EXTERNAL, FOREIGN, OUTSIDE, Place, Type
from codecompass.model.module import (
    INCLUDE,
    NOTHING,
    Decl,
    DeclFlag,
    DeclKind,
    Expr,
    ScopeKind,
    may_be_type,
)

TRANSPARENT = (
    "unique_ptr", "shared_ptr", "weak_ptr", "optional", "atomic", "reference_wrapper",
    "Nullable", "Task", "ValueTask", "Deferred",
)  # fmt: skip
"""Types of libraries whose values are used like those of their argument."""
_CLASSES = frozenset({DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM})
_FUNCTIONS = frozenset({DeclKind.FUNCTION, DeclKind.METHOD})
# Parts of one class beyond these are not told as its definition.
_MAX_PARTS = 8


Meant = Callable[[Decl], bool]
"""Whether a declaration is of the kind that a name asks for."""


def anything(_decl: Decl) -> bool:
    """Every declaration will do."""
    return True


def _is_known_outside(decl: Decl) -> bool:
    """Whether a declaration may be a macro, or a constant that holds a class."""
    return not decl.flags & DeclFlag.LOCAL and decl.type == NOTHING


def _is_found(places: Places) -> bool:
    return places not in ((), (OUTSIDE,))


class PathModules:
    """The files of a snapshot by the ends of their paths, as includes name them."""

    def __init__(self, paths: Iterable[str], _configs: Mapping[str, str]) -> None:
        self._paths = frozenset(paths)
        self._named: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            self._named[path.rpartition("/")[2]].append(path)

    def resolve(self, importer: str, module: str) -> str | None:
        """The file that an include names: beside the file, else the nearest with such an end."""
        if not module.startswith(INCLUDE):
            return None
        wanted = module[1:]
        beside = normpath(f"{dirname(importer)}/{wanted}").lstrip("/")
        if beside in self._paths:
            return beside
        ending = "/" + normpath(wanted).lstrip("./")
        found = [
            path
            for path in self._named.get(wanted.rpartition("/")[2], ())
            if f"/{path}".endswith(ending)
        ]
        return max(found, key=lambda path: nearness(path, importer)) if found else None

    def part(self, _path: str, _name: str) -> str | None:
        """Files have no parts."""
        return None

    def units(self, _path: str) -> list[str]:
        """Names are known by full names; files make up nothing."""
        return []

    def owners(self, _path: str) -> list[tuple[str, str]]:
        """No name is that of a file."""
        return []


class GeneralInference(Overloads):
    """Inference by full names; languages differ in a few rules."""

    constructor_name = ".ctor"
    receiver_is_parameter = False
    has_parts = True
    has_open_classes = False  # several files may make up one class
    sees_outer_spaces = True  # names of the packages around a package are known in it

    # Names.

    def lookup(self, path: str, name: str, scope: int) -> Places:
        """What a name stands for: of a block, of a class around or its bases, by full name."""
        return self._named(path, name, scope, anything)

    def lookup_type(self, path: str, name: str, scope: int) -> Places:
        """What the name of a type stands for: `user *user` names a type and a variable."""
        found = self._named(path, name, scope, may_be_type)
        return found if _is_found(found) else self._named(path, name, 0, _is_known_outside)

    def _named(self, path: str, name: str, scope: int, is_meant: Meant) -> Places:
        facts, start = self.facts(path), scope
        while facts is not None and scope != NOTHING:
            found = facts.scopes[scope]
            if found.kind == ScopeKind.CLASS and found.owner != NOTHING:
                member = self.find(("self", (path, found.owner)), name)
                places = tuple(p for p in member.places if p == OUTSIDE or is_meant(self.decl(p)))
                if places and places != (OUTSIDE,):
                    return places
            numbers = [n for n in found.names.get(name, ()) if is_meant(facts.decls[n])]
            if numbers and found.kind != ScopeKind.CLASS:
                if scope == 0:
                    self.note(path, name)
                return self._with_others(path, tuple((path, number) for number in numbers))
            scope = found.parent
        self.note(path, name)
        return (
            self._of_spaces(path, name, start, is_meant)
            or self._of_stars(path, name, is_meant)
            or self._builtin(name)
            or self._not_found(path, name, start)
        )

    def _not_found(self, path: str, name: str, scope: int) -> Places:
        """Outside, unless it is only not clear which of several, or how it can be seen."""
        spaces = self.spaces(path, scope)
        is_known = any(self.shared(f"{space}.{name}" if space else name) for space in spaces)
        return () if is_known else (OUTSIDE,)

    def _with_others(self, path: str, places: Places) -> Places:
        """What a file binds, with where else the same is declared."""
        found: dict[Place, None] = {}
        for place in self.followed(places):
            found[place] = None
            decl = self.decl_at(place)
            if decl is None or place[0] != path:
                continue
            is_hidden = decl.flags & (DeclFlag.LOCAL | DeclFlag.STATIC)
            if not is_hidden and decl.kind not in (DeclKind.PARAMETER, DeclKind.TYPE_PARAMETER):
                others = self.known_as(path, self.full_name(place))
                if place in others:
                    found.update(dict.fromkeys(others))
        return tuple(found)

    def spaces(self, path: str, scope: int) -> list[str]:
        """The full names of what stands around a scope, the innermost first, "" at last."""
        facts = self.facts(path)
        names: list[str] = []
        while facts is not None and scope != NOTHING:
            found = facts.scopes[scope]
            if found.owner != NOTHING:
                owner = facts.decls[found.owner]
                if owner.kind in _CLASSES or owner.kind == DeclKind.NAMESPACE:
                    names.append(owner.name)
            scope = found.parent
        package = facts.package if facts is not None else ""
        parts = [*package.split("."), *(p for name in names[::-1] for p in name.split("."))]
        parts = [part for part in parts if part]
        if not self.sees_outer_spaces:
            least = len(package.split(".")) if package else 0
            lengths = [*range(len(parts), least - 1, -1), 0]
        else:
            lengths = list(range(len(parts), -1, -1))
        return [".".join(parts[:length]) for length in dict.fromkeys(lengths)]

    def full_name(self, place: Place) -> str:
        """The name under which other files know a declaration."""
        decl = self.decl(place)
        space = self.spaces(place[0], decl.scope)[0]
        return f"{space}.{decl.name}" if space else decl.name

    def _of_spaces(self, path: str, name: str, scope: int, is_meant: Meant = anything) -> Places:
        for space in self.spaces(path, scope):
            found = self.known_as(path, f"{space}.{name}" if space else name, is_meant)
            if found:
                return found
        return ()

    def _of_stars(self, path: str, name: str, is_meant: Meant = anything) -> Places:
        facts = self.facts(path)
        for module in facts.stars if facts is not None else ():
            if module.startswith(INCLUDE):
                continue
            found = self.known_as(path, f"{module}.{name}", is_meant)
            if not found:
                owners = self.known_as(path, module)
                found = tuple(item for owner in owners for item in self._own_or_none(owner, name))
            if found:
                return found
        return ()

    def _own_or_none(self, place: Place, name: str) -> Places:
        if place[1] == NOTHING or self.decl(place).kind not in _CLASSES:
            return ()
        return tuple(p for p in self.find(("class", place, ()), name).places if p != OUTSIDE)

    def candidates(self, full_name: str, is_meant: Meant) -> list[Place]:
        """All that is declared under a full name, in whatever files."""
        places = self.shared(full_name)
        for place in places:
            key = self.key(place)
            if key is not None:
                self.note(place[0], key)
        return [place for place in places if is_meant(self.decl(place))]

    def known_as(self, path: str, full_name: str, is_meant: Meant = anything) -> Places:
        """What a full name stands for in a file, where several files declare it."""
        places = self.candidates(full_name, is_meant)
        whole = [place for place in places if not self.decl(place).flags & DeclFlag.PART]
        classes = [place for place in whole if self.decl(place).kind in _CLASSES]
        if classes:
            if self.has_open_classes:
                return tuple(classes[:_MAX_PARTS])
            return self._nearest(path, classes)
        if not whole:
            return tuple(places[:_MAX_PARTS])
        parts = [p for p in places if p not in whole and self.decl(p).kind not in _CLASSES]
        return (*self._nearest(path, whole), *parts)

    def _nearest(self, path: str, places: Sequence[Place]) -> Places:
        """The declarations that a file means: its own, else those in the nearest file."""
        files = dict.fromkeys(place[0] for place in places)
        if len(files) == 1:
            return tuple(places)
        if path in files:
            return tuple(place for place in places if place[0] == path)
        ranks = {other: nearness(other, path) for other in files}
        best = [other for other in files if ranks[other] == max(ranks.values())]
        is_overloaded = len({self._label(place) for place in places}) == len(places)
        if len(best) > 1 and not is_overloaded:
            return ()  # several files define the same, and none is nearer
        return tuple(place for place in places if is_overloaded or place[0] == best[0])

    def imported(self, path: str, expr: Expr) -> Places:
        """What an import names by its full name: also a member of a class."""
        full_name = expr[1]
        found = self.known_as(path, full_name)
        if found:
            return found
        owner, _, name = full_name.rpartition(".")
        members = (
            p for place in self.known_as(path, owner) for p in self._own_or_none(place, name)
        )
        return tuple(members) or (OUTSIDE,)

    # Classes.

    def merged(self, place: Place) -> list[Place]:
        """All parts of a class, in whatever files they are."""
        decl = self.decl(place)
        if decl.kind not in _CLASSES or not decl.name or decl.flags & DeclFlag.LOCAL:
            return [place]
        found: list[Place] | None = self.solve(
            (place[0], "parts", place[1]), lambda: self._parts_of(place, decl)
        )
        return found or [place]

    def _parts_of(self, place: Place, decl: Decl) -> list[Place]:
        others = [p for p in self.shared(self.full_name(place)) if self.decl(p).kind in _CLASSES]
        for other in others:
            self.note(other[0], self.key(other) or "")
        parts = [other for other in others if self.decl(other).flags & DeclFlag.PART]
        if self.has_open_classes:
            return list(dict.fromkeys([place, *others]))
        if decl.flags & DeclFlag.PART:
            whole = [other for other in others if other not in parts]
            others = list(self._nearest(place[0], whole)) if whole else []
            return list(dict.fromkeys([place, *others, *parts]))
        return list(dict.fromkeys([place, *parts]))

    def bases(self, place: Place) -> tuple[Type | None, ...]:
        """What the parts of a class extend."""
        parts = self.merged(place)
        return tuple(base for part in parts for base in super(GeneralInference, self).bases(part))

    def find(self, type_: Type | None, name: str) -> Member:
        """The member that a name means; we do not know all of the language's own classes."""
        found = super().find(type_, name)
        if not found.places and type_ is not None and type_[0] == "inst":
            return Member((OUTSIDE,), {}) if type_[1][0] == self.dialect.stubs else found
        return found

    def _applied(self, path: str, head: int, arguments: Sequence[int]) -> Type | None:
        """A generic type; one of a library may be one that we know by its name."""
        found = super()._applied(path, head, arguments)
        if found != EXTERNAL:
            return found
        given = tuple(self.type_(path, item) for item in arguments)
        return self.builtin(self._last_name(path, head), given) or EXTERNAL

    # Expressions.

    def targets(self, path: str, number: int) -> Places:
        """The declarations that an expression names; overloads that cannot be meant aside."""
        found: Places | None = self.solve(
            (path, "targets", number), lambda: self._targets(path, number)
        )
        return found or ()

    def _targets(self, path: str, number: int) -> Places:
        expr = self.expr(path, number)
        if expr[0] == "typename":
            return self._without_parts(self.lookup_type(path, expr[1], expr[2]))
        if expr[0] not in ("name", "member"):
            return super().targets(path, number)
        found = super().targets(path, number)
        if expr[0] == "member" and not _is_found(found):
            found = self._by_full_name(path, number) or found
        if len(expr) > 3:
            found = self._same_functions(found, self._meant(path, found, expr[3]))
        return self._without_parts(found)

    def _without_parts(self, places: Places) -> Places:
        """What only adds to a class of another library is no definition of it."""
        kept = tuple(p for p in places if p == OUTSIDE or not self._is_class_part(p))
        return kept or ((OUTSIDE,) if places else ())

    def _is_class_part(self, place: Place) -> bool:
        if place[1] == NOTHING:
            return False
        decl = self.decl(place)
        return decl.kind in _CLASSES and bool(decl.flags & DeclFlag.PART)

    def _by_full_name(self, path: str, number: int) -> Places:
        """A chain of names that is a full name, or the end of one."""
        parts, scope = self._chain(path, number)
        if not parts:
            return ()
        for decl in self._imported_around(path, parts[0], scope):
            expr = self.expr(path, decl.value)
            return self.imported(path, ("from", ".".join((expr[1], *parts[1:])), ""))
        full_name = ".".join(parts)
        return self._of_spaces(path, full_name, scope) or self._of_stars(path, full_name)

    def _imported_around(self, path: str, name: str, scope: int) -> Iterator[Decl]:
        """The imports that bind a name in a scope or around it, the innermost first."""
        facts = self.facts(path)
        while facts is not None and scope != NOTHING:
            for number in facts.scopes[scope].names.get(name, ()):
                if facts.decls[number].kind == DeclKind.IMPORT:
                    yield facts.decls[number]
            scope = facts.scopes[scope].parent

    def _chain(self, path: str, number: int) -> tuple[list[str], int]:
        expr = self.expr(path, number) if number != NOTHING else ("",)
        if expr[0] in ("name", "typename"):
            return [expr[1]], expr[2]
        if expr[0] == "apply":
            return self._chain(path, expr[1])
        if expr[0] != "member":
            return [], NOTHING
        parts, scope = self._chain(path, expr[1])
        return ([*parts, expr[2]], scope) if parts else ([], NOTHING)

    def _same_functions(self, places: Places, chosen: Places) -> Places:
        """The chosen overloads with where else they are declared."""
        if len(chosen) == len(places):
            return chosen
        labels = {self._label(place) for place in chosen}
        return tuple(p for p in places if p in chosen or self._label(p) in labels)

    def _label(self, place: Place) -> str:
        return "" if place == OUTSIDE else (self.key(place) or "").rpartition(".")[2]

    def _value(self, path: str, expr: Expr, number: int) -> Type | None:
        if expr[0] == "member":
            of = self.value(path, expr[1])
            if of is None or of == EXTERNAL:
                places = self._by_full_name(path, number)
                if places:
                    return self._value_of_places(places)
                return FOREIGN if of == EXTERNAL else None
            if len(expr) > 3:
                return self._value_of_method(path, expr)
        elif expr[0] == "typename" or (expr[0] == "name" and len(expr) > 3):
            return self._value_of_places(self.targets(path, number))
        return super()._value(path, expr, number)

    def _type(self, path: str, expr: Expr, number: int) -> Type | None:
        if expr[0] == "decl":
            return self._type_at((path, expr[1]))
        return super()._type(path, expr, number)


class OpenInference(GeneralInference):
    """Languages whose classes may be opened again anywhere."""

    has_open_classes = True


class PackageInference(GeneralInference):
    """Languages whose packages do not see the packages around them."""

    sees_outer_spaces = False


class RubyInference(OpenInference):
    """Ruby makes values by `new`."""

    constructor_name = "initialize"

    def shortcut(self, path: str, called: Expr, expr: Expr) -> Type | None:  # noqa: ARG002
        """`Class.new(…)` is a value of the class."""
        if called[0] == "member" and called[2] == "new":
            return self.instance(self.value(path, called[1]))
        return None

    def lookup(self, path: str, name: str, scope: int) -> Places:
        """What a name stands for; a block may be run for any object, with any methods."""
        found = super().lookup(path, name, scope)
        return () if found == (OUTSIDE,) and not name[:1].isupper() else found
