"""Functions of one name in, those out that the arguments of a call can mean."""

from collections.abc import Mapping

from codecompass.link.infer import Inference
from codecompass.link.members import Member
from codecompass.link.names import Places
from codecompass.link.types import EXTERNAL, Place, Type, members_of, union
from codecompass.model.module import NOTHING, Decl, DeclFlag, DeclKind, Expr

_FUNCTIONS = frozenset({DeclKind.FUNCTION, DeclKind.METHOD})

_ANYTHING = ("Object", "Any")
_UNLIKELY = 30
BOXED = 7
"""How far a number is from the object that holds it."""
_SPREAD = 12
"""How far an argument is from a parameter that takes any number of them."""
NEVER = 1_000
"""How far a type is from one that cannot be meant."""
_MAX_LISTED = 4
"""Of more overloads, none is listed rather than all."""


class Overloads(Inference):
    """Inference for languages in which functions of one name differ by what they take."""

    widths: Mapping[str, int] = {
        "Byte": 0, "Short": 1, "Char": 2, "Int": 3, "Long": 4, "Float": 5, "Double": 6,
    }  # fmt: skip
    """What a number may become without being put into an object."""
    knows_arguments = False
    """Whether a function that cannot take the arguments of a call is not the one called."""

    def _meant(self, path: str, places: Places, arguments: tuple[int, ...]) -> Places:
        """The overloads that a call can mean, as far as its arguments are known."""
        if len(places) <= (0 if self.knows_arguments else 1):
            return places
        fitting = [place for place in places if self._takes(place, len(arguments))]
        if len(fitting) <= 1 and not self.knows_arguments:
            return tuple(fitting) or places
        given = [self.value(path, item) for item in arguments]
        ranks = {place: self._distance(place, given) for place in fitting}
        possible = [place for place in fitting if ranks[place] < NEVER]
        if not possible:
            possible = [] if self.knows_arguments else fitting
        if not self._is_open(possible, given):
            best = min((ranks[place] for place in possible), default=0)
            possible = [place for place in possible if ranks[place] == best]
        return tuple(possible) if len(possible) <= _MAX_LISTED else ()

    def _is_open(self, places: list[Place], given: list[Type | None]) -> bool:
        """Whether overloads differ in what they take in the place of an unknown argument."""
        unknown = [position for position, item in enumerate(given) if _is_unknown(item)]
        taken = {tuple(self._taken(place, position) for position in unknown) for place in places}
        return len(taken) > 1

    def _taken(self, place: Place, position: int) -> Type | None:
        """What a function takes at a position, classes of others by their names."""
        parts = self._parameters(place)
        written = parts[min(position, len(parts) - 1)].type if parts else NOTHING
        known = self.type_(place[0], written)
        if known != EXTERNAL or self.expr(place[0], written)[0] not in ("typename", "member"):
            return known
        return ("external", self._last_name(place[0], written))  # one of the classes outside

    def _parameters(self, place: Place) -> list[Decl]:
        """What a function takes; nothing for what is no function."""
        decl = self.decl_at(place)
        if decl is None or decl.kind not in _FUNCTIONS:
            return []
        return [self.decl((place[0], number)) for number in decl.parts]

    def _takes(self, place: Place, count: int) -> bool:
        decl = self.decl_at(place)
        if decl is None or decl.kind not in _FUNCTIONS:
            return True
        parts = self._parameters(place)
        is_open = bool(parts) and bool(parts[-1].flags & DeclFlag.REST)
        needed = sum(1 for part in parts if part.value == NOTHING) - is_open
        return needed <= count and (is_open or count <= len(parts))

    def _distance(self, place: Place, given: list[Type | None]) -> int:
        """How badly arguments fit: 0 exactly, more the further a type is from the expected."""
        parts = self._parameters(place)
        if not parts:
            return 0
        fixed = parts[:-1] if parts[-1].flags & DeclFlag.REST else parts
        steps = [
            self._step(self.type_(place[0], parameter.type), item)
            for parameter, item in zip(fixed, given, strict=False)
        ]
        if len(fixed) < len(parts):
            rest = self.type_(place[0], parts[-1].type)
            steps.append(self._spread(rest, given[len(fixed) :]))
        return sum(steps)

    def _spread(self, expected: Type | None, given: list[Type | None]) -> int:
        """How badly arguments fit a parameter that takes any number of them, or a list."""
        found = _SPREAD + sum(self._step(expected, item) for item in given)
        if len(given) == 1:
            return min(found, self._step(self.builtin("Array", (expected,)), given[0]))
        return found

    def _step(self, expected: Type | None, given: Type | None) -> int:
        if expected is None or given is None:
            return 1
        if expected[0] == "param":
            return self._step_to_parameter(expected, given)
        if EXTERNAL in (expected, given) or expected[0] != "inst":
            return self._step_outside(expected, given)
        if given[0] not in ("inst", "self"):
            is_class = self.decl(expected[1]).kind == DeclKind.CLASS
            is_own = expected[1][0] != self.dialect.stubs
            return NEVER if given[0] == "func" and is_class and is_own else 1
        wide, narrow = self.decl(expected[1]).name, self.decl(given[1]).name
        if wide == narrow == "Array" and expected[2] and len(given) > 2 and given[2]:
            element = self._step(expected[2][0], given[2][0])
            return element if element == 0 or not self._is_number(given[2][0]) else NEVER
        if narrow in self.widths and wide in self.widths:
            step = self.widths[wide] - self.widths[narrow]
            return min(step, 3) if step >= 0 else NEVER
        boxed = BOXED if self._is_number(given) else 0
        if wide in _ANYTHING:
            return boxed + (5 if narrow == "Array" else 4)
        for distance, ancestor in enumerate(self.ancestors(given[1]).types):
            if ancestor[1] == expected[1]:
                return min(distance, 3) + (boxed if distance else 0)
        return self.unboxed(expected, given)

    def unboxed(self, expected: Type, given: Type) -> int:  # noqa: ARG002  # for Java
        """How far a type is from one that it is not derived from."""
        return NEVER

    def _step_to_parameter(self, expected: Type, given: Type) -> int:  # noqa: ARG002
        """How far a type is from a type parameter."""
        return 1

    def _step_outside(self, expected: Type, given: Type) -> int:
        """What is known is none of a library's classes, unless it extends one, nor back."""
        if given == EXTERNAL and expected[0] == "inst":
            if expected[1][0] != self.dialect.stubs:
                return _UNLIKELY
            return 2 if self.decl(expected[1]).name in _ANYTHING else 3
        if expected != EXTERNAL or given[0] not in ("inst", "self"):
            return 1
        return 1 if self.ancestors(given[1]).is_open else _UNLIKELY

    def _is_number(self, type_: Type | None) -> bool:
        if type_ is None or type_[0] != "inst":
            return False
        return self.decl(type_[1]).name in (*self.widths, "Boolean")

    def _value_of_method(self, path: str, expr: Expr) -> Type | None:
        found = []
        for item in members_of(self.value(path, expr[1])):
            of = self.at_least(item) if item[0] == "param" else item
            if of is None:
                continue
            member = self.find(of, expr[2])
            places = self._meant(path, member.places, expr[3])
            if places:
                found.append(self._type_of_member(of, Member(places, member.known)))
            else:
                found.append(self.member_type(of, expr[2]))
        return union(found)


def _is_unknown(type_: Type | None) -> bool:
    """Whether nothing is known of the type of an argument."""
    return type_ is None or type_[0] not in ("inst", "self", "param")
