"""Functions that are called like members of classes they do not belong to: C#, Kotlin."""

from collections.abc import Sequence

from codecompass.link.dialects.general import GeneralInference, anything
from codecompass.link.names import Places
from codecompass.link.types import EXTERNAL, FOREIGN, OUTSIDE, Place, Type, members_of, union
from codecompass.model.module import EXTENSION, NOTHING, DeclKind, Expr

_VALUES = frozenset({"inst", "self", "class", "external"})


class ExtensionInference(GeneralInference):
    """Looks for extensions where a value has no such member."""

    receiver_is_first_parameter = False

    def receiver_type(self, place: Place) -> Type | None:
        """What an extension extends; None if it extends everything."""
        raise NotImplementedError

    def extensions(self, path: str, name: str, of: Type | None) -> Places:
        """The extensions of this name that a file sees and that fit a value."""
        if of is None or of == FOREIGN:
            return ()
        found: dict[Place, None] = {}
        for full_name in self._spellings(path, name):
            for place in self.candidates(full_name, anything):
                if any(self._extends(place, item) for item in members_of(of)):
                    found[place] = None
            if found:
                return tuple(found)
        return tuple((self.dialect.stubs, number) for number in self._of_language(name))

    def _of_language(self, name: str) -> Sequence[int]:
        """The extensions that the language itself has for everything."""
        stubs = self._language.stubs
        return stubs.scopes[stubs.shared].names.get(EXTENSION + name, ())

    def _spellings(self, path: str, name: str) -> list[str]:
        """The full names under which an extension may be known in a file, the nearest first."""
        facts = self.facts(path)
        if facts is None:
            return []
        self.note(path, name)
        imports = [
            self.expr(path, facts.decls[number].value)[1]
            for number in facts.scopes[0].names.get(name, ())
            if facts.decls[number].kind == DeclKind.IMPORT
        ]
        spaces = [item.rpartition(".")[0] for item in imports]
        names = [item.rpartition(".")[2] for item in imports]
        own = [
            space
            for decl in facts.decls
            if decl.kind == DeclKind.NAMESPACE
            for space in self.spaces(path, decl.inner)
        ]
        for space in (*own, *self.spaces(path, 0), *facts.stars):
            spaces.append(space)
            names.append(name)
        pairs = zip(spaces, names, strict=True)
        return list(dict.fromkeys(f"{s}.{EXTENSION}{n}" if s else EXTENSION + n for s, n in pairs))

    def _extends(self, place: Place, of: Type) -> bool:
        wanted = self.receiver_type(place)
        if of[0] not in _VALUES:
            return False
        if wanted is None or wanted[0] == "param":
            return True
        if of == EXTERNAL:
            return EXTERNAL in members_of(wanted)
        lineage = self.ancestors(of[1])
        known = {ancestor[1] for ancestor in lineage.types}
        return any(
            lineage.is_open if item == EXTERNAL else item[0] == "inst" and item[1] in known
            for item in members_of(wanted)
        )

    def _targets(self, path: str, number: int) -> Places:
        found = super()._targets(path, number)
        expr = self.expr(path, number)
        if expr[0] != "member" or expr[1] == NOTHING or found not in ((), (OUTSIDE,)):
            return found
        return self._extending(path, expr) or found

    def _extending(self, path: str, expr: Expr) -> Places:
        found = self.extensions(path, expr[2], self.value(path, expr[1]))
        if len(found) < 2 or len(expr) < 4:
            return found
        first = (NOTHING,) if self.receiver_is_first_parameter else ()
        return self._meant(path, found, (*first, *expr[3]))

    def _value(self, path: str, expr: Expr, number: int) -> Type | None:
        found = super()._value(path, expr, number)
        if expr[0] != "member" or (found is not None and found not in (FOREIGN, EXTERNAL)):
            return found
        places = self._extending(path, expr)
        of = self.value(path, expr[1])
        return union(self._extension_value(place, of) for place in places) if places else found

    def _extension_value(self, place: Place, of: Type | None) -> Type | None:
        decl = self.decl(place)
        if decl.kind not in (DeclKind.METHOD, DeclKind.FUNCTION):
            return self.type_of(place)
        return ("func", place, None, self.bound_by_receiver(place, of))

    def bound_by_receiver(self, place: Place, of: Type | None) -> tuple[tuple[Type, Type], ...]:
        """What type parameters stand for because of the value that an extension is called on."""
        raise NotImplementedError


class CSharpInference(ExtensionInference):
    """C#: an extension is a static method whose first parameter is `this`."""

    has_open_classes = True
    receiver_is_first_parameter = True

    def receiver_type(self, place: Place) -> Type | None:
        """The type of the first parameter."""
        parts = self.decl(place).parts
        if not parts:
            return None
        return self.type_(place[0], self.decl((place[0], parts[0])).type)

    def bound_by_receiver(self, place: Place, of: Type | None) -> tuple[tuple[Type, Type], ...]:
        """`T First<T>(this IList<T> list)`: what the list is a list of."""
        known = self._given_by(self.receiver_type(place), of)
        return tuple(known.items())

    def _given_by(self, wanted: Type | None, of: Type | None) -> dict[Type, Type]:
        if wanted is None or of is None:
            return {}
        if wanted[0] == "param":
            return {wanted: of}
        if wanted[0] != "inst" or of[0] != "inst":
            return {}
        pairs = zip(wanted[2], of[2], strict=False)
        return {name: item for name, item in pairs if name and item and name[0] == "param"}


class KotlinInference(ExtensionInference):
    """Kotlin: an extension stands in a part of the class that it extends."""

    sees_outer_spaces = False

    def receiver_type(self, place: Place) -> Type | None:
        """What the part is a part of."""
        facts = self.facts(place[0])
        owner = facts.scopes[self.decl(place).scope].owner if facts is not None else NOTHING
        return union(self.bases((place[0], owner))) if owner != NOTHING else None

    def bound_by_receiver(self, place: Place, of: Type | None) -> tuple[tuple[Type, Type], ...]:
        """`fun <T> T.let(…)`: what the value is."""
        facts, decl = self.facts(place[0]), self.decl(place)
        if facts is None or of is None:
            return ()
        receiver = facts.decls[facts.scopes[decl.scope].owner].name
        return tuple(
            (("param", (place[0], number)), of)
            for number in decl.type_parameters
            if facts.decls[number].name == receiver
        )
