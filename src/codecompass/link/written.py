"""Types as they are written in, types out: names, generic types, aliases, special forms."""

from collections.abc import Callable, Sequence

from codecompass.link.generics import Generics, parameters_in
from codecompass.link.names import Places
from codecompass.link.types import (
    EXTERNAL,
    OUTSIDE,
    Place,
    Type,
    limited,
    members_of,
    substitute,
    union,
)
from codecompass.model.module import NOTHING, Decl, DeclKind, Expr

_MAX_PLACES = 8
_CLASSES = frozenset({DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM, DeclKind.OBJECT})
_FUNCTIONS = frozenset({DeclKind.FUNCTION, DeclKind.METHOD})
_NAMING = frozenset({"name", "typename", "token", "member", "from"})


class Written(Generics):
    """Reads types, and what classes say of theirs."""

    def type_(self, path: str, number: int) -> Type | None:
        """The type that an expression names."""
        if number == NOTHING:
            return None
        found: Type | None = self.solve(
            (path, "type", number),
            lambda: limited(self._type(path, self.expr(path, number), number)),
        )
        return found

    def _type(self, path: str, expr: Expr, number: int) -> Type | None:
        operation = expr[0]
        if operation in _NAMING:
            name = expr[2] if operation in ("member", "from") else expr[1]
            return self._named_type(path, name, self.targets(path, number), expr)
        if operation in ("apply", "index"):
            arguments = expr[2] if operation == "apply" else expr[3]
            return self._applied(path, expr[1], arguments)
        if operation == "either":
            return union(self.type_(path, item) for item in expr[1])
        if operation == "tuple":
            return ("tuple", tuple(self.type_(path, item) for item in expr[1]))
        if operation in ("call", "new"):
            return self.instance(self.value(path, number))
        if operation == "builtin":
            return self.builtin(expr[1], tuple(self.type_(path, item) for item in expr[2]))
        if operation == "function":
            return ("func", (path, expr[1]), None, ())
        return self.value(path, number)

    def _named_type(self, path: str, name: str, places: Places, expr: Expr) -> Type | None:
        found: list[Type | None] = []
        for place in places[:_MAX_PLACES]:
            if place == OUTSIDE or place[0] == self.dialect.stubs:
                special = self.special_type(path, name, expr)
                if special is not None:
                    return special
            found.append(self._type_at(place))
        return union(found)

    def special_type(self, path: str, name: str, expr: Expr) -> Type | None:  # noqa: ARG002
        """A type that the language knows by its name."""
        return None

    def _type_at(self, place: Place) -> Type | None:
        if place == OUTSIDE:
            return EXTERNAL
        if place[1] == NOTHING:
            return None
        decl = self.decl(place)
        if decl.kind in _CLASSES:
            return ("inst", place, ())
        if decl.kind == DeclKind.TYPE_PARAMETER:
            return ("param", place)
        if decl.kind == DeclKind.ENUM_MEMBER:
            return self._owner_instance(place, decl)
        if decl.kind in _FUNCTIONS:
            return None
        found: Type | None = self.solve(
            (place[0], "alias", place[1]), lambda: limited(self._alias(place, decl))
        )
        return found

    def _owner_instance(self, place: Place, decl: Decl) -> Type | None:
        facts = self.facts(place[0])
        owner = facts.scopes[decl.scope].owner if facts is not None else NOTHING
        if owner == NOTHING or self.decl((place[0], owner)).kind not in _CLASSES:
            return None
        return ("inst", (place[0], owner), ())

    def _alias(self, place: Place, decl: Decl) -> Type | None:
        path = place[0]
        key = self.key(place)
        if key is not None:
            self.note(path, key)
        if decl.kind == DeclKind.TYPE:
            return self.type_(path, decl.type)
        if decl.value == NOTHING:
            return None
        expr = self.expr(path, decl.value)
        if expr[0] == "call":
            maker = self.dialect.type_makers.get(self._last_name(path, expr[1]), "")
            if maker == "parameter":
                return ("param", place)
            if maker == "second" and len(expr[2]) > 1:
                return self.type_(path, expr[2][1])
        return self.type_(path, decl.value)

    def _last_name(self, path: str, number: int) -> str:
        expr = self.expr(path, number)
        if expr[0] in ("name", "typename", "token"):
            return str(expr[1])
        return str(expr[2]) if expr[0] in ("member", "from") else ""

    def _applied(self, path: str, head: int, arguments: Sequence[int]) -> Type | None:
        expr = self.expr(path, head)
        if expr[0] not in _NAMING:
            return self.type_(path, head)
        places = self.targets(path, head)
        is_ours = any(place != OUTSIDE and place[0] != self.dialect.stubs for place in places)
        if not is_ours:
            form = self.dialect.forms.get(self._last_name(path, head))
            if form is not None:
                return self._form(form, path, arguments)
        given = tuple(self.type_(path, item) for item in arguments)
        found: list[Type | None] = []
        for place in places[:_MAX_PLACES]:
            known = self._with_arguments(place, given)
            found.append(known)
        return union(found)

    def _with_arguments(self, place: Place, given: tuple[Type | None, ...]) -> Type | None:
        decl = self.decl_at(place)
        if decl is None:
            return EXTERNAL if place == OUTSIDE else None
        if decl.kind in _CLASSES:
            return ("inst", place, given)
        known = {
            parameter: item
            for parameter, item in zip(self._alias_parameters(place, decl), given, strict=False)
            if item is not None
        }
        return substitute(self._type_at(place), known)

    def _alias_parameters(self, place: Place, decl: Decl) -> tuple[Type, ...]:
        if decl.type_parameters:
            return tuple(("param", (place[0], number)) for number in decl.type_parameters)
        found: dict[Type, None] = {}
        parameters_in(self._type_at(place), found)
        return tuple(found)

    def _form(self, form: str, path: str, arguments: Sequence[int]) -> Type | None:
        known = self._form_of(form)
        return known(path, arguments)

    def _form_of(self, form: str) -> Callable[[str, Sequence[int]], Type | None]:
        return {
            "union": lambda path, items: union(self.type_(path, item) for item in items),
            "first": lambda path, items: self.type_(path, items[0]) if items else None,
            "class": self._class_form,
            "callable": self._callable_form,
            "tuple": self._tuple_form,
        }.get(form, lambda _path, _items: None)

    def _callable_form(self, path: str, items: Sequence[int]) -> Type | None:
        result = self.type_(path, items[-1]) if items else None
        taken = self.type_(path, items[0]) if len(items) > 1 else None
        return ("callable", result, taken[1] if taken and taken[0] == "tuple" else ())

    def _class_form(self, path: str, items: Sequence[int]) -> Type | None:
        of = self.type_(path, items[0]) if items else None
        return union(
            ("class", item[1], item[2] if len(item) > 2 else ())
            if item[0] in ("inst", "self")
            else item
            for item in members_of(of)
        )

    def _tuple_form(self, path: str, items: Sequence[int]) -> Type | None:
        types = tuple(self.type_(path, item) for item in items)
        is_open_ended = len(items) == 2 and self.expr(path, items[1])[0] == "none"
        if is_open_ended or (len(items) == 2 and items[1] == NOTHING):
            return self.builtin(self.dialect.sequence, types[:1])
        return ("tuple", types)

    def bases(self, place: Place) -> tuple[Type | None, ...]:
        """The types that a class names as its bases."""
        decl = self.decl(place)
        return tuple(
            base
            for part in decl.parts
            for base in (self.type_(place[0], part),)
            if base is None or base[0] != "generic"
        )

    def class_parameters(self, place: Place) -> tuple[Type, ...]:
        """The type parameters of a class in order."""
        found: tuple[Type, ...] | None = self.solve(
            (place[0], "parameters", place[1]), lambda: self._class_parameters(place)
        )
        return found or ()

    def _class_parameters(self, place: Place) -> tuple[Type, ...]:
        decl = self.decl(place)
        if decl.type_parameters:
            return tuple(("param", (place[0], number)) for number in decl.type_parameters)
        return self.implied_parameters(place, decl)

    def implied_parameters(self, place: Place, decl: Decl) -> tuple[Type, ...]:  # noqa: ARG002
        """Type parameters that a class has without a list of them."""
        return ()

    def bound_of(self, place: Place) -> Type | None:
        """What a type parameter is at least."""
        decl = self.decl(place)
        return self.type_(place[0], decl.type) if decl.type != NOTHING else None
