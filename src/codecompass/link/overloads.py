"""Functions of one name in, those out that the arguments of a call can mean."""

from codecompass.link.infer import Inference
from codecompass.link.members import Member
from codecompass.link.names import Places
from codecompass.link.types import EXTERNAL, OUTSIDE, Place, Type, members_of, union
from codecompass.model.module import NOTHING, DeclFlag, DeclKind, Expr

# What a number may become without being put into an object.
_WIDTHS = {
    "Byte": 0, "Short": 1, "Character": 2, "Char": 2, "Integer": 3, "Int": 3, "Long": 4,
    "Float": 5, "Double": 6,
}  # fmt: skip
_FUNCTIONS = frozenset({DeclKind.FUNCTION, DeclKind.METHOD})

_ANYTHING = ("Object", "Any")
_UNLIKELY = 6
_NEVER = 20
"""How far a type is from one that cannot be meant."""


class Overloads(Inference):
    """Inference for languages in which functions of one name differ by what they take."""

    def _meant(self, path: str, places: Places, arguments: tuple[int, ...]) -> Places:
        """The overloads that take so many arguments, of these types as far as they are known."""
        if len(places) <= 1:
            return places
        fitting = [place for place in places if self._takes(place, len(arguments))]
        if len(fitting) > 1:
            given = [self.value(path, item) for item in arguments]
            ranks = {place: self._distance(place, given) for place in fitting}
            best = min(ranks.values())
            if best < _NEVER:  # else nothing is known by which to choose
                fitting = [place for place in fitting if ranks[place] == best]
        return tuple(fitting) or places

    def is_sure(self, path: str, number: int) -> bool:
        """Whether what is known of the arguments leaves only the overloads that were chosen."""
        expr = self.expr(path, number)
        if expr[0] not in ("name", "member") or len(expr) < 4:
            return True
        places = [p for p in Inference.targets(self, path, number) if p != OUTSIDE]
        fitting = [place for place in places if self._takes(place, len(expr[3]))]
        if len(fitting) < 2:
            return True
        given = [self.value(path, item) for item in expr[3]]
        ranks = sorted(self._distance(place, given) for place in fitting)
        return ranks[0] == 0 or ranks[1] >= _NEVER or ranks[0] == ranks[-1]

    def _takes(self, place: Place, count: int) -> bool:
        if place == OUTSIDE or place[1] == NOTHING:
            return True
        decl = self.decl(place)
        if decl.kind not in _FUNCTIONS:
            return True
        parts = [self.decl((place[0], number)) for number in decl.parts]
        is_open = bool(parts) and bool(parts[-1].flags & DeclFlag.REST)
        needed = sum(1 for part in parts if part.value == NOTHING) - is_open
        return needed <= count and (is_open or count <= len(parts))

    def _distance(self, place: Place, given: list[Type | None]) -> int:
        """How badly arguments fit: 0 exactly, more the further a type is from the expected."""
        total = 0
        if place == OUTSIDE or place[1] == NOTHING:
            return total
        decl = self.decl(place)
        parts = decl.parts if decl.kind in _FUNCTIONS else ()
        for position, item in enumerate(given if parts else ()):
            number = parts[min(position, len(parts) - 1)]
            parameter = self.decl((place[0], number))
            expected = self.type_(place[0], parameter.type)
            if parameter.flags & DeclFlag.REST:
                many = self.builtin("Array", (expected,))
                total += 1 + min(self._step(expected, item), self._step(many, item))
            else:
                total += self._step(expected, item)
        return total

    def _step(self, expected: Type | None, given: Type | None) -> int:
        if expected is None or given is None:
            return 1
        if EXTERNAL in (expected, given) or expected[0] != "inst":
            return self._step_outside(expected, given)
        if given[0] not in ("inst", "self"):
            is_class = self.decl(expected[1]).kind == DeclKind.CLASS
            is_own = expected[1][0] != self.dialect.stubs
            return _NEVER if given[0] == "func" and is_class and is_own else 1
        wide, narrow = self.decl(expected[1]).name, self.decl(given[1]).name
        if wide == narrow == "Array" and expected[2] and len(given) > 2 and given[2]:
            element = self._step(expected[2][0], given[2][0])
            return element if element == 0 or not self._is_number(given[2][0]) else _NEVER
        if narrow in _WIDTHS and wide in _WIDTHS:
            step = _WIDTHS[wide] - _WIDTHS[narrow]
            return min(step, 3) if step >= 0 else _NEVER
        for distance, ancestor in enumerate(self.ancestors(given[1]).types):
            if ancestor[1] == expected[1]:
                return min(distance, 3) + (3 if narrow in _WIDTHS and distance else 0)
        if wide in _ANYTHING:
            return 5 if narrow == "Array" else 4
        return _NEVER

    def _step_outside(self, expected: Type, given: Type) -> int:
        """A class of the repository is none of a library, unless it extends one, nor back."""
        if given == EXTERNAL and expected[0] == "inst":
            if expected[1][0] != self.dialect.stubs:
                return _UNLIKELY
            return 2 if self.decl(expected[1]).name in _ANYTHING else 3
        if expected != EXTERNAL or given[0] not in ("inst", "self"):
            return 1
        is_ours = given[1][0] != self.dialect.stubs
        return _UNLIKELY if is_ours and not self.ancestors(given[1]).is_open else 1

    def _is_number(self, type_: Type | None) -> bool:
        if type_ is None or type_[0] != "inst":
            return False
        return self.decl(type_[1]).name in (*_WIDTHS, "Boolean")

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
