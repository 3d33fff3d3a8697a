"""Calls of generic functions: what type parameters must be, and what a call then gives."""

from collections.abc import Iterable, Sequence

from codecompass.link.apart import Apart
from codecompass.link.types import OUTSIDE, Place, Type, limited, members_of, substitute, union
from codecompass.model.module import NOTHING, DeclFlag, DeclKind, Expr

_MAX_UNIFY_DEPTH = 4
_MAX_RETURNS = 12
_MAX_OVERLOADS = 10
_FUNCTIONS = frozenset({DeclKind.FUNCTION, DeclKind.METHOD})


class Generics(Apart):
    """Follows types through calls."""

    constructor_name = "__init__"
    receiver_is_parameter = True

    def result(self, place: Place) -> Type | None:
        """What a function returns."""
        found: Type | None = self.solve(
            (place[0], "result", place[1]), lambda: limited(self._result(place))
        )
        return found

    def _result(self, place: Place) -> Type | None:
        decl = self.decl(place)
        path = place[0]
        key = self.key(place)
        if key is not None:
            self.note(path, key)
        if decl.type != NOTHING:
            return self.type_(path, decl.type)
        found = union(self.value(path, item) for item in decl.returns[:_MAX_RETURNS])
        if decl.flags & DeclFlag.GENERATOR:
            return self.builtin(self.dialect.generator, (found,))
        if decl.flags & DeclFlag.ASYNC and self.dialect.promise and found is not None:
            return self.builtin(self.dialect.promise, (found,))
        return found

    def called_result(self, type_: Type) -> Type | None:
        """What a function gives, whatever it is called with."""
        if type_[0] == "func":
            known = dict(type_[3])
            self._learn_receiver(known, type_[1], type_[2])
            return substitute(self.result(type_[1]), known)
        if type_[0] == "callable":
            return type_[1]  # type: ignore[no-any-return]
        return ("inst", type_[1], type_[2]) if type_[0] == "class" else None

    def _returned(
        self, type_: Type, path: str, arguments: Sequence[int], expr: Expr
    ) -> Type | None:
        _, place, receiver, env = type_
        result = self.result(place)
        known: dict[Type, Type] = dict(env)
        decl = self.decl(place)
        self._take_given(known, place, path, expr[3])
        if result is not None:
            skip = receiver is not None and not decl.flags & DeclFlag.STATIC
            self._learn_receiver(known, place, receiver)
            self._learn(known, place, path, arguments, skip=skip)
        return substitute(result, known)

    def _take_given(
        self, known: dict[Type, Type], place: Place, path: str, items: Sequence[int]
    ) -> None:
        """What a call says in so many words that type parameters stand for."""
        for number, item in zip(self.decl(place).type_parameters, items, strict=False):
            given = self.type_(path, item)
            if given is not None:
                known["param", (place[0], number)] = given

    def _take_defaults(self, known: dict[Type, Type], place: Place) -> None:
        """What type parameters stand for by default."""

    def _constructed(
        self, type_: Type, path: str, arguments: Sequence[int], expr: Expr
    ) -> Type | None:
        place = type_[1]
        parameters = self.class_parameters(place)
        if not parameters:
            return ("inst", place, ())
        if type_[2]:
            return ("inst", place, type_[2])
        if expr[3]:
            given = tuple(self.type_(path, item) for item in expr[3])
            return ("inst", place, given)
        known: dict[Type, Type] = {}
        member = self.find(("inst", place, ()), self.constructor_name)
        for found in member.places[:1]:
            if found != OUTSIDE and found[1] != NOTHING:
                self._learn(known, found, path, arguments, skip=True)
        return ("inst", place, tuple(known.get(name) for name in parameters))

    def _learn_receiver(
        self, known: dict[Type, Type], place: Place, receiver: Type | None
    ) -> None:
        """`def f(self: T) -> T` gives what it is called on."""
        parameters = self.decl(place).parts
        if receiver is None or not parameters or not self.receiver_is_parameter:
            return
        declared = self.decl((place[0], parameters[0])).type
        if declared != NOTHING:
            own = ("inst", receiver[1], ()) if receiver[0] == "self" else receiver
            self.unify(self.type_(place[0], declared), own, known)

    def _learn(
        self,
        known: dict[Type, Type],
        place: Place,
        path: str,
        arguments: Sequence[int],
        *,
        skip: bool,
    ) -> None:
        """What type parameters must be, given the arguments of a call."""
        parameters = self.decl(place).parts
        if skip and self.receiver_is_parameter:
            parameters = parameters[1:]
        for number, argument in zip(parameters, arguments, strict=False):
            declared = self.decl((place[0], number)).type
            if NOTHING in (declared, argument):
                continue
            expected = self.type_(place[0], declared)
            if expected is not None and _is_open(expected):
                self.unify(expected, self.value(path, argument), known)

    def _expected(self, path: str, expr: Expr) -> Type | None:
        """What a call expects as one of its arguments, as far as the others tell."""
        call, position = self.expr(path, expr[1]), expr[2]
        others = [
            NOTHING if place == position else argument for place, argument in enumerate(call[2])
        ]
        found = []
        for item in members_of(self.value(path, call[1])):
            for place, receiver, known in self._functions_of(item):
                skip = receiver is not None and self.receiver_is_parameter
                parameters = self.decl(place).parts[1 if skip else 0 :]
                if position >= len(parameters) and parameters:
                    last = self.decl((place[0], parameters[-1]))
                    parameters = parameters if last.flags & DeclFlag.REST else ()
                if parameters:
                    number = parameters[min(position, len(parameters) - 1)]
                    expected = self.type_(place[0], self.decl((place[0], number)).type)
                    self._take_given(known, place, path, call[3])
                    self._learn(known, place, path, others, skip=skip)
                    self._take_defaults(known, place)
                    found.append(substitute(expected, known))
        return union(found)

    def _functions_of(self, type_: Type) -> list[tuple[Place, Type | None, dict[Type, Type]]]:
        """The functions that may be run when a value is called."""
        if type_[0] == "func":
            return [(type_[1], type_[2], dict(type_[3]))]
        if type_[0] == "class":
            member = self.find(("inst", type_[1], type_[2]), self.constructor_name)
        elif type_[0] in ("inst", "self") and self.dialect.called:
            member = self.find(type_, self.dialect.called)
        else:
            return []
        return [
            (place, type_, dict(member.known))
            for place in member.places[:_MAX_OVERLOADS]
            if place[1] != NOTHING and self.decl(place).kind in _FUNCTIONS
        ]

    def _parameter(self, type_: Type | None, position: int) -> Type | None:
        """What a function of a type takes at a position."""
        found = []
        for item in members_of(type_):
            if item[0] == "callable" and len(item) > 2 and position < len(item[2]):
                found.append(item[2][position])
            elif item[0] == "func":
                parts = self.decl(item[1]).parts
                if position < len(parts):
                    taken = self.type_of((item[1][0], parts[position]))
                    found.append(substitute(taken, dict(item[3])))
        return union(found)

    def unify(
        self, expected: Type | None, given: Type | None, known: dict[Type, Type], depth: int = 0
    ) -> None:
        """Find what the type parameters in an expected type are in a given one."""
        if expected is None or given is None or depth > _MAX_UNIFY_DEPTH:
            return
        if expected[0] == "param":
            known.setdefault(expected, given)
        elif expected[0] == "union" or given[0] == "union":
            for mine in members_of(expected):
                for other in members_of(given):
                    self.unify(mine, other, known, depth + 1)
        else:
            for one, two in self._pairs(expected, given):
                self.unify(one, two, known, depth + 1)

    def _pairs(self, expected: Type, given: Type) -> Iterable[tuple[Type | None, Type | None]]:
        """The parts of two types that stand in the same place."""
        kind = expected[0]
        if kind == "inst" and expected[2]:
            return zip(expected[2], self.seen_as(given, expected[1]), strict=False)
        if kind == "class" and given[0] == "class":
            return [(("inst", *expected[1:]), ("inst", *given[1:]))]
        if kind == "tuple" and given[0] == "tuple":
            return zip(expected[1], given[1], strict=False)
        if kind == "callable":
            return [(expected[1], self.called_result(given))]
        if kind == "func":
            wanted = substitute(self.result(expected[1]), dict(expected[3]))
            return [(wanted, self.called_result(given))]
        return []

    def seen_as(self, type_: Type, place: Place) -> tuple[Type | None, ...]:
        """The type arguments that a value has as a value of one of its ancestors."""
        if type_[0] == "tuple" and self.dialect.sequence:
            type_ = self.builtin(self.dialect.sequence, (union(type_[1]),)) or type_
        if type_[0] not in ("inst", "self"):
            return ()
        arguments = type_[2] if len(type_) > 2 else ()
        if type_[1] == place:
            return arguments
        own = dict(zip(self.class_parameters(type_[1]), arguments, strict=False))
        given = {name: item for name, item in own.items() if item is not None}
        for ancestor in self.ancestors(type_[1]).types:
            if ancestor[1] == place:
                return tuple(substitute(item, given) for item in ancestor[2])
        return ()


def _is_open(type_: Type) -> bool:
    if type_[0] == "func":
        return True
    found: dict[Type, None] = {}
    parameters_in(type_, found)
    return bool(found)


def parameters_in(type_: Type | None, found: dict[Type, None]) -> None:
    """The type parameters that a type mentions, in order."""
    if type_ is None:
        return
    if type_[0] == "param":
        found[type_] = None
    elif type_[0] in ("inst", "class"):
        for item in type_[2]:
            parameters_in(item, found)
    elif type_[0] in ("union", "tuple"):
        for item in type_[1]:
            parameters_in(item, found)
    elif type_[0] == "callable":
        for item in (type_[1], *type_[2]):
            parameters_in(item, found)
