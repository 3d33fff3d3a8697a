"""Expressions in, types out: what a name, a member, a call stands for."""

from collections.abc import Callable, Sequence

from codecompass.link.members import Member
from codecompass.link.names import Places
from codecompass.link.types import (
    EXTERNAL,
    FOREIGN,
    NONE,
    OUTSIDE,
    Place,
    Type,
    limited,
    members_of,
    substitute,
    union,
)
from codecompass.link.written import Written
from codecompass.model.module import NOTHING, Decl, DeclFlag, DeclKind, Expr

_MAX_PLACES = 8
_CLASSES = frozenset({DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM, DeclKind.OBJECT})
_FUNCTIONS = frozenset({DeclKind.FUNCTION, DeclKind.METHOD})


class Inference(Written):
    """Works out types; every answer is remembered."""

    def targets(self, path: str, number: int) -> Places:
        """The declarations that an expression names."""
        expr = self.expr(path, number)
        match expr[0]:
            case "name":
                return self.lookup(path, expr[1], expr[2])
            case "typename":
                return self.lookup_type(path, expr[1], expr[2])
            case "from":
                return self.imported(path, expr)
            case "member":
                if expr[1] == NOTHING:
                    return ()
                return self.find(self.value(path, expr[1]), expr[2]).places
            case "decl":
                return ((path, expr[1]),)
            case "fixture":
                return self.fixture(path, expr[1], expr[2])
            case "either":
                found = (self.targets(path, item) for item in expr[1])
                return tuple(dict.fromkeys(place for places in found for place in places))
        return ()

    def named(self, path: str, number: int) -> Places:
        """The declarations that an expression names, as a reader is shown them."""
        return self.targets(path, number)

    def fixture(self, path: str, name: str, scope: int) -> Places:  # noqa: ARG002  # for Python
        """What is handed to a test under a name; most languages have no such thing."""
        return ()

    def value(self, path: str, number: int) -> Type | None:
        """What is known of the value of an expression."""
        if number == NOTHING:
            return None
        found: Type | None = self.solve(
            (path, "value", number),
            lambda: limited(self._value(path, self.expr(path, number), number)),
        )
        return found

    def _value(self, path: str, expr: Expr, number: int) -> Type | None:
        operation = expr[0]
        if operation == "name":
            return self._value_of_name(path, expr)
        if operation in ("from", "decl", "fixture", "typename"):
            return self._value_of_places(self.targets(path, number))
        if operation == "member":
            return self.member_type(self.value(path, expr[1]), expr[2])
        if operation in ("call", "new"):
            return self._value_of_call(path, expr)
        return self._value_of_part(path, expr)

    def _value_of_name(self, path: str, expr: Expr) -> Type | None:
        numbers = self.bound(path, expr[1], expr[2])
        if numbers:
            decl = self.decl((path, numbers[-1]))
            if decl.kind == DeclKind.NARROWED:
                return self._narrowed(path, decl)
        return self._value_of_places(self.lookup(path, expr[1], expr[2]))

    def _narrowed(self, path: str, decl: Decl) -> Type | None:
        """What a variable is where a check has passed."""
        facts = self.facts(path)
        outer = facts.scopes[decl.scope].parent if facts is not None else NOTHING
        before = self._value_of_name(path, ("name", decl.name, outer))
        return self._more_special(before, self.value(path, decl.value))

    def _more_special(self, before: Type | None, known: Type | None) -> Type | None:
        """What a value is of which a check says something, too."""
        if known is None or known == EXTERNAL:
            return before if known is None else known
        wanted = {item[1] for item in members_of(known) if item[0] == "inst"}
        kept = [
            item
            for item in members_of(before)
            if item[0] in ("inst", "self")
            and any(ancestor[1] in wanted for ancestor in self.ancestors(item[1]).types)
        ]
        return union(kept) or known

    def _value_of_places(self, places: Places) -> Type | None:
        return union(self.type_of(place) for place in places[:_MAX_PLACES])

    def _value_of_part(self, path: str, expr: Expr) -> Type | None:
        read = _PARTS.get(expr[0])
        return read(self, path, expr) if read is not None else None

    def _super(self, path: str, expr: Expr) -> Type | None:
        if expr[1] != NOTHING:
            return ("super", (path, expr[1]))
        for item in members_of(self.value(path, expr[2])):
            if item[0] == "class":
                return ("super", item[1])
        return None

    def type_of(self, place: Place) -> Type | None:
        """What is known of what a declaration makes."""
        if place == OUTSIDE:
            return EXTERNAL
        if place[1] == NOTHING:
            return ("module", place[0])
        decl = self.decl(place)
        if decl.kind in _CLASSES:
            return ("class", place, ()) if decl.kind != DeclKind.OBJECT else ("inst", place, ())
        if decl.kind in _FUNCTIONS:
            return ("func", place, None, ())
        found: Type | None = self.solve(
            (place[0], "of", place[1]), lambda: limited(self._type_of(place, decl))
        )
        return found

    def _type_of(self, place: Place, decl: Decl) -> Type | None:
        key = self.key(place)
        if key is not None:
            self.note(place[0], key)
        path = place[0]
        if decl.kind == DeclKind.TYPE_PARAMETER:
            return ("param", place)
        if decl.kind == DeclKind.NAMESPACE:
            return ("space", place)
        if decl.kind == DeclKind.ENUM_MEMBER:
            return self._owner_instance(place, decl)
        if decl.type != NOTHING:
            declared = self.type_(path, decl.type)
            if decl.flags & DeclFlag.REST:
                return self.builtin(self.dialect.sequence, (declared,))
            if decl.flags & DeclFlag.REST_NAMED:
                return self.builtin(self.dialect.mapping, (self.builtin("str"), declared))
            is_receiver = declared is not None and declared[0] == "param"
            if declared is not None and not (is_receiver and decl.value != NOTHING):
                return declared
        found = self.value(path, decl.value)
        return None if found == NONE else found

    def member_type(self, type_: Type | None, name: str) -> Type | None:
        """What is known of a member of a value."""
        if type_ is None:
            return None
        if type_[0] == "union":
            return union(self.member_type(item, name) for item in type_[1])
        if type_[0] == "param":
            return self.member_type(self.at_least(type_), name)
        if type_ == FOREIGN:
            return FOREIGN
        if name == "__class__" and type_[0] in ("inst", "self"):
            return ("class", type_[1], ())
        member = self.find(type_, name)
        if not member.places:
            return None
        return self._type_of_member(type_, member)

    def _type_of_member(self, type_: Type, member: Member) -> Type | None:
        is_value = type_[0] in ("inst", "self", "super")
        known = dict(member.known)
        if type_[0] in ("inst", "self", "class"):
            receiver: Type | None = type_
            for ancestor in self.ancestors(type_[1]).types:
                known["self", ancestor[1]] = ("inst", type_[1], type_[2] if len(type_) > 2 else ())
        else:
            receiver = None
        found: list[Type | None] = []
        places = self._declared_first(member.places)
        for place in places[:_MAX_PLACES]:
            if place[1] == NOTHING or place == OUTSIDE:
                found.append(self.type_of(place))
                continue
            decl = self.decl(place)
            if decl.kind in _FUNCTIONS and decl.flags & DeclFlag.PROPERTY:
                found.append(substitute(self.result(place), known) if is_value else None)
            elif decl.kind in _FUNCTIONS:
                found.append(("func", place, receiver, tuple(known.items())))
            else:
                found.append(substitute(self.type_of(place), known))
        return union(found)

    def _declared_first(self, places: Places) -> Places:
        """Only what is declared with a type, if something is: it says it better."""
        declared = tuple(
            place
            for place in places
            if place[1] != NOTHING
            and self.decl(place).kind not in _FUNCTIONS
            and self.decl(place).type != NOTHING
        )
        return declared or places

    def _value_of_call(self, path: str, expr: Expr) -> Type | None:
        called = self.expr(path, expr[1])
        shortcut = self.shortcut(path, called, expr)
        if shortcut is not None:
            return shortcut
        arguments = expr[2]
        of = self.value(path, expr[1])
        return union(self._called(item, path, arguments, expr) for item in members_of(of))

    def shortcut(self, path: str, called: Expr, expr: Expr) -> Type | None:  # noqa: ARG002
        """What some calls of the language itself give."""
        return None

    def _called(self, type_: Type, path: str, arguments: Sequence[int], expr: Expr) -> Type | None:
        kind = type_[0]
        if kind in ("external", "foreign"):
            name = self._last_name(path, expr[1])
            is_class = kind == "external" and (expr[0] == "new" or name[:1].isupper())
            return EXTERNAL if is_class else FOREIGN
        if kind == "class":
            return self._constructed(type_, path, arguments, expr)
        if kind == "func":
            return self._returned(type_, path, arguments, expr)
        if kind == "callable":
            result: Type | None = type_[1]
            return result
        if kind in ("inst", "self") and self.dialect.called:
            member = self.member_type(type_, self.dialect.called)
            return union(
                self._called(item, path, arguments, expr)
                for item in members_of(member)
                if item[0] == "func"
            )
        return None


_Read = Callable[[Inference, str, Expr], Type | None]
# A dictionary and not a chain of comparisons: this is asked for every expression.
_PARTS: dict[str, _Read] = {
    "either": lambda self, path, expr: union(self.value(path, item) for item in expr[1]),
    "tuple": lambda self, path, expr: (
        "tuple",
        tuple(self.value(path, item) for item in expr[1]),
    ),
    "lit": lambda self, _path, expr: self.builtin(expr[1]),
    "make": lambda self, path, expr: self.builtin(
        expr[1],
        tuple(union(self.value(path, item) for item in group) for group in expr[2]),
    ),
    "typed": lambda self, path, expr: self.type_(path, expr[1]),
    "none": lambda _self, _path, _expr: NONE,
    "this": lambda _self, path, expr: ("self", (path, expr[1])),
    "class_of_this": lambda _self, path, expr: ("class", (path, expr[1]), ()),
    "super": lambda self, path, expr: self._super(path, expr),
    "instance": lambda self, path, expr: self.instance(self.value(path, expr[1])),
    "each": lambda self, path, expr: self.element(self.value(path, expr[1])),
    "item": lambda self, path, expr: self._item(self.value(path, expr[1]), expr[2]),
    "await": lambda self, path, expr: self.awaited(self.value(path, expr[1])),
    "enter": lambda self, path, expr: self.entered(self.value(path, expr[1])),
    "index": lambda self, path, expr: self._indexed(path, expr),
    "narrowed": lambda self, path, expr: self._more_special(
        self.value(path, expr[1]), self.value(path, expr[2])
    ),
    "expected": lambda self, path, expr: self._expected(path, expr),
    "parameter": lambda self, path, expr: self._parameter(self.value(path, expr[1]), expr[2]),
}
