"""A type and a name in, the members it may mean out: inheritance, merging, namespaces."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from codecompass.link.names import Names, Places
from codecompass.link.types import EXTERNAL, FOREIGN, OUTSIDE, Place, Type, members_of, substitute
from codecompass.model.module import NOTHING, DeclFlag, DeclKind

_CLASS_LIKE = frozenset(
    {DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM, DeclKind.OBJECT, DeclKind.NAMESPACE}
)
_MAX_ANCESTORS = 60


class Member(NamedTuple):
    """What a name means on a type."""

    places: Places
    known: Mapping[Type, Type]  # what the type parameters of its class stand for


class Ancestors(NamedTuple):
    """A class and what it is derived from, nearest first."""

    types: tuple[Type, ...]
    is_open: bool  # some of it is outside the repository
    has_unknown: bool = False  # some of it was not found


_Sought = tuple[Member, Type | None]
_NOT_FOUND = Member((), {})
_OUTSIDE = Member((OUTSIDE,), {})


class Members(Names):
    """Finds members; asks for the types of base classes, which `Inference` works out."""

    has_parts = False
    """Whether what is one thing may be declared in several places."""

    def find(self, type_: Type | None, name: str) -> Member:
        """The member that a name means on a value of a type."""
        if type_ is None:
            return _NOT_FOUND
        kind = type_[0]
        if kind == "union":
            return self._find_in_any(type_[1], name)
        if kind == "external":
            return _OUTSIDE
        if kind == "module":
            return Member(self.export(type_[1], name), {})
        if kind == "space":
            return Member(self._in_space(type_[1], name), {})
        if kind in ("inst", "self", "super", "class"):
            return self._find_in_class(type_, name)
        if kind == "param":
            return self.find(self.at_least(type_), name)
        if kind == "func":
            return Member(self._own(type_[1], name), {})
        return _NOT_FOUND

    def at_least(self, type_: Type) -> Type | None:
        """What is known of a type parameter, through those it is bound by."""
        seen: set[Type] = set()
        found: Type | None = type_
        while found is not None and found[0] == "param":
            if found in seen:
                return None
            seen.add(found)
            found = self.bound_of(found[1])
        if found is not None and found[0] == "union":
            kept = tuple(item for item in found[1] if item[0] != "param")
            return ("union", kept) if kept else None
        return found

    # Given by the classes that are built on this one.

    def value(self, path: str, number: int) -> Type | None:
        """What is known of the value of an expression."""
        raise NotImplementedError

    def type_(self, path: str, number: int) -> Type | None:
        """The type that an expression names."""
        raise NotImplementedError

    def type_of(self, place: Place) -> Type | None:
        """What is known of what a declaration makes."""
        raise NotImplementedError

    def member_type(self, type_: Type | None, name: str) -> Type | None:
        """What is known of a member of a value."""
        raise NotImplementedError

    def called_result(self, type_: Type) -> Type | None:
        """What a function gives, whatever it is called with."""
        raise NotImplementedError

    def bound_of(self, place: Place) -> Type | None:
        """What a type parameter is at least."""
        raise NotImplementedError

    def bases(self, place: Place) -> tuple[Type | None, ...]:
        """The types that a class names as its bases."""
        raise NotImplementedError

    def class_parameters(self, place: Place) -> tuple[Type, ...]:
        """The type parameters of a class in order."""
        raise NotImplementedError

    def _find_in_any(self, types: Iterable[Type], name: str) -> Member:
        places: dict[Place, None] = {}
        known: dict[Type, Type] = {}
        for item in types:
            found = self.find(item, name)
            places.update(dict.fromkeys(found.places))
            known.update(found.known)
        if len(places) > 1:
            places.pop(OUTSIDE, None)
        return Member(tuple(places), known)

    def _in_space(self, place: Place, name: str) -> Places:
        found: dict[Place, None] = {}
        for part in self.merged(place):
            found.update(dict.fromkeys(self._own(part, name)))
        return self.followed(tuple(found))

    def _find_in_class(self, type_: Type, name: str) -> Member:
        place = type_[1]
        way = type_[0] if type_[0] in ("super", "class") else "inst"
        # Three of four questions are asked again.
        found: _Sought | None = self.solve(
            (place[0], "sought", place[1], way, name), lambda: self._seek(place, way, name)
        )
        if found is None:
            return _NOT_FOUND
        if found[1] is None:
            return found[0]
        arguments = type_[2] if len(type_) > 2 else ()
        return Member(found[0].places, self._known_of(found[1], place, arguments))

    def _seek(self, place: Place, way: str, name: str) -> _Sought:
        """A member of a class or of what it is derived from, and the one that has it."""
        lineage = self.ancestors(place)
        assigned: Places = ()
        for ancestor in lineage.types[1 if way == "super" else 0 :]:
            places = self._own_members(ancestor[1], name, wants_static=way == "class")
            if places and self._is_only_assigned(places):
                assigned = (*places, *assigned)  # a class above may declare it
            elif places:
                return Member(self.declared(places, assigned), {}), ancestor
        if assigned:
            return Member(assigned, {}), None
        is_outside = lineage.is_open and not lineage.has_unknown
        return (_OUTSIDE if is_outside else _NOT_FOUND), None

    def declared(self, places: Places, assigned: Places) -> Places:
        """What a member is that one class declares and others below assign to."""
        return (*places, *assigned)

    def _is_only_assigned(self, places: Places) -> bool:
        """Whether a field is made by nothing but assignments through the receiver."""
        return all(self.decl(place).flags & DeclFlag.INSTANCE for place in places)

    def _known_of(
        self, ancestor: Type, place: Place, arguments: tuple[Type | None, ...]
    ) -> dict[Type, Type]:
        """What the type parameters of an ancestor stand for, seen from a class with arguments."""
        own = dict(zip(self.class_parameters(place), arguments, strict=False))
        given = {name: item for name, item in own.items() if item is not None}
        if ancestor[1] == place:
            return given
        parameters = self.class_parameters(ancestor[1])
        passed = (substitute(item, given) for item in ancestor[2])
        return {
            name: item for name, item in zip(parameters, passed, strict=False) if item is not None
        }

    def known_anew(self, member: Member, type_: Type) -> dict[Type, Type]:
        """What type parameters stand for where methods name those of their type anew."""
        known = dict(member.known)
        arguments = type_[2] if len(type_) > 2 else ()
        for place in member.places:
            decl = self.decl_at(place)
            pairs = zip(decl.type_parameters if decl is not None else (), arguments, strict=False)
            known.update(
                (("param", (place[0], number)), item) for number, item in pairs if item is not None
            )
        return known

    def merged(self, place: Place) -> list[Place]:
        """All declarations of what a declaration is one of, as interfaces may have several."""
        decl = self.decl(place)
        if not self.dialect.has_static_members:
            return [place]
        facts = self.facts(place[0])
        assert facts is not None  # noqa: S101  # the declaration is in it
        numbers = facts.scopes[decl.scope].names.get(decl.name, ())
        found = [(place[0], n) for n in numbers if facts.decls[n].kind in _CLASS_LIKE]
        return found if place in found else [place]

    def _own_members(self, place: Place, name: str, *, wants_static: bool) -> Places:
        if not self.dialect.has_static_members and not self.has_parts:
            return self._own(place, name)
        found: list[Place] = []
        for part in self.merged(place):
            decl = self.decl(part)
            if wants_static and decl.kind == DeclKind.NAMESPACE:
                found += self.followed(self._own(part, name))
                continue
            for member in self._own(part, name):
                if self._is_meant(member, decl.kind, wants_static=wants_static):
                    found.append(member)
        return tuple(found)

    def _is_meant(self, member: Place, owner: int, *, wants_static: bool) -> bool:
        if not self.dialect.has_static_members or owner in (DeclKind.ENUM, DeclKind.OBJECT):
            return True
        is_static = bool(self.decl(member).flags & DeclFlag.STATIC)
        return is_static == wants_static

    def _own(self, place: Place, name: str) -> Places:
        decl = self.decl(place)
        facts = self.facts(place[0])
        key = self.key(place)
        if key is not None:
            self.note(place[0], f"{key}.{name}")
        if facts is None or decl.inner == NOTHING:
            return ()
        scope = facts.scopes[decl.inner]
        if decl.kind not in _CLASS_LIKE:
            return ()
        return tuple((place[0], number) for number in scope.names.get(name, ()))

    def ancestors(self, place: Place) -> Ancestors:
        """A class and all it is derived from, in the order in which members are looked for."""
        found = self.solve((place[0], "ancestors", place[1]), lambda: self._linearised(place))
        return found or Ancestors((("inst", place, ()),), is_open=False)

    def _linearised(self, place: Place) -> Ancestors:
        """C3 where the classes allow it, depth first where they do not."""
        own: Type = ("inst", place, self.class_parameters(place))
        key = self.key(place)
        if key is not None:
            self.note(place[0], key)
        lines: list[list[Type]] = []
        direct: list[Type] = []
        is_open = has_unknown = False
        for base in self.bases(place):
            for item in members_of(base) or (None,):
                if item is None or item[0] not in ("inst", "class") or item[1] == place:
                    is_open = is_open or item == EXTERNAL
                    has_unknown = has_unknown or item is None or item == FOREIGN
                    continue
                lineage = self.ancestors(item[1])
                is_open = is_open or lineage.is_open
                has_unknown = has_unknown or lineage.has_unknown
                known = dict(zip(self.class_parameters(item[1]), item[2], strict=False))
                given = {name: value for name, value in known.items() if value is not None}
                lines.append([_as_inst(substitute(t, given) or t) for t in lineage.types])
                direct.append(lines[-1][0])
        found = [own, *self.merged_lines([*lines, direct], {place})]
        return Ancestors(tuple(found[:_MAX_ANCESTORS]), is_open, has_unknown)

    def merged_lines(self, lines: list[list[Type]], seen: set[Place]) -> list[Type]:
        """One order for all that several bases have behind them."""
        return _merge(lines, seen)


def _as_inst(type_: Type) -> Type:
    return type_ if type_[0] == "inst" else ("inst", type_[1], ())


def _merge(lines: list[list[Type]], seen: set[Place]) -> list[Type]:
    """One order that keeps those of all lines, as far as there is one."""
    found: list[Type] = []
    lines = [line for line in lines if line]
    while lines:
        candidate = next(
            (line[0] for line in lines if not any(_is_later(line[0], other) for other in lines)),
            lines[0][0],
        )
        if candidate[1] not in seen:
            seen.add(candidate[1])
            found.append(candidate)
        lines = [[t for t in line if t[1] != candidate[1]] for line in lines]
        lines = [line for line in lines if line]
    return found


def _is_later(type_: Type, line: list[Type]) -> bool:
    return any(other[1] == type_[1] for other in line[1:])
