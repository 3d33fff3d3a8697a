"""Python: type variables of classes, `Self`, fixtures, and calls with a meaning of their own."""

from collections.abc import Sequence

from codecompass.link.dialects.python import FIXTURES
from codecompass.link.infer import Inference
from codecompass.link.names import Places
from codecompass.link.types import EXTERNAL, FOREIGN, OUTSIDE, Place, Type, members_of, union
from codecompass.model.module import NOTHING, Decl, DeclFlag, DeclKind, Expr, ScopeKind

_MAX_FOLDERS = 30
_STAND_INS = frozenset({"MagicMock", "Mock", "AsyncMock", "SimpleNamespace"})


class PythonInference(Inference):
    """Inference with the rules that only Python has."""

    def fixture(self, path: str, name: str, scope: int) -> Places:
        """The fixture of a name: of the class, of the file, or shared by the folders around."""
        facts = self.facts(path)
        for _number, found in self.scope_chain(path, scope):
            if found.kind == ScopeKind.FUNCTION or facts is None:
                continue
            places = self._fixtures(path, found.names.get(name, ()))
            if places:
                return places
        return self._shared_fixture(path, name)

    def named(self, path: str, number: int) -> Places:
        """What an expression names; a keyword may name a field."""
        expr = self.expr(path, number)
        if expr[0] == "matched":
            of = [item for item in members_of(self.value(path, expr[1])) if item[0] == "class"]
            found = [place for item in of for place in self.find(item, expr[2]).places]
        elif expr[0] in ("keyword", "changed"):
            found = self._set_by_keyword(path, expr)
        else:
            return super().named(path, number)
        return tuple(dict.fromkeys(found)) or (OUTSIDE,)

    def _set_by_keyword(self, path: str, expr: Expr) -> list[Place]:
        """The fields of a class, or of an object of which a copy is made with others."""
        operation, of, name, called = expr
        kinds = ("class",) if operation == "keyword" else ("inst", "self", "super")
        own = any(item[0] == "func" for item in members_of(self.value(path, called)))
        if own and called != of:  # a function of the repository that is called like a library's
            return []
        known = [item for item in members_of(self.value(path, of)) if item[0] in kinds]
        return [place for item in known for place in self._field(item, name)]

    def _field(self, type_: Type, name: str) -> Places:
        """The field that `name=` sets, unless the class says itself what it is made with."""
        for method in ("__init__", "__new__"):
            made_by = self.find(type_, method).places
            if any(place != OUTSIDE and place[0] != self.dialect.stubs for place in made_by):
                return ()
        return tuple(
            place
            for place in self.find(type_, name).places
            if place != OUTSIDE and self.decl(place).kind == DeclKind.FIELD
        )

    def _value(self, path: str, expr: Expr, number: int) -> Type | None:
        if expr[0] != "fixture":
            return super()._value(path, expr, number)
        return union(self._handed(place) for place in self.targets(path, number))

    def _handed(self, place: Place) -> Type | None:
        """What a fixture gives: the result of a function, or what it yields."""
        decl = self.decl_at(place)
        if decl is None:
            return None
        found = self.result(place)
        return self.element(found) if decl.flags & DeclFlag.GENERATOR else found

    def _fixtures(self, path: str, numbers: "list[int] | tuple[()]") -> Places:
        places = self.followed(tuple((path, number) for number in numbers))
        return tuple(
            place
            for place in places
            if place[1] != NOTHING and self.decl(place).flags & DeclFlag.FIXTURE
        )

    def _shared_fixture(self, path: str, name: str) -> Places:
        for _ in range(_MAX_FOLDERS):
            above = self._language.modules.resolve(path, FIXTURES)
            if above is None:
                return (OUTSIDE,)  # one of a plugin
            self.note(above, name)
            facts = self.facts(above)
            found = self._fixtures(above, facts.scopes[0].names.get(name, ())) if facts else ()
            if found:
                return found
            path = above
        return ()

    def shortcut(self, path: str, called: Expr, expr: Expr) -> Type | None:
        """`type(x)`, `getattr(x, "name")`, and what gives its argument back."""
        if called[0] not in ("name", "member") or not expr[2]:
            return None
        name = called[1] if called[0] == "name" else called[2]
        if called[0] == "name" and name == "type" and len(expr[2]) == 1:
            of = self.value(path, expr[2][0])
            return union(
                ("class", item[1], ()) for item in members_of(of) if item[0] in ("inst", "self")
            )
        if called[0] == "name" and name in ("max", "min") and len(expr[2]) == 1:
            return self.element(self.value(path, expr[2][0]))
        if name == "cast" and len(expr[2]) == 2:  # the type, then the value
            return self.type_(path, expr[2][0])
        return None

    def _called(self, type_: Type, path: str, arguments: Sequence[int], expr: Expr) -> Type | None:
        """What a call gives; a stand-in of a test may be anything."""
        if type_ == EXTERNAL and self._last_name(path, expr[1]) in _STAND_INS:
            return FOREIGN
        return super()._called(type_, path, arguments, expr)

    def special_type(self, path: str, name: str, expr: Expr) -> Type | None:
        """`Self` is the receiver of the class around."""
        if name == "Any":
            return FOREIGN
        if name != "Self":
            return None
        while expr[0] == "member" and expr[1] != NOTHING:
            expr = self.expr(path, expr[1])
        if expr[0] != "name":
            return None
        for _number, scope in self.scope_chain(path, expr[2]):
            if scope.kind == ScopeKind.CLASS:
                return ("self", (path, scope.owner))
        return EXTERNAL

    def bound_of(self, place: Place) -> Type | None:
        """`TypeVar("T", bound=A)`, `TypeVar("T", A, B)`, `class C[T: A]`."""
        decl = self.decl(place)
        if decl.kind == DeclKind.TYPE_PARAMETER or decl.value == NOTHING:
            return super().bound_of(place)
        expr = self.expr(place[0], decl.value)
        return union(self.type_(place[0], item) for item in expr[2][1:])

    def implied_parameters(self, place: Place, decl: Decl) -> tuple[Type, ...]:
        """The type variables that the bases mention, those of `Generic` first."""
        found: dict[Type, None] = {}
        path = place[0]
        parts = [self.expr(path, number) for number in decl.parts if number != NOTHING]
        applied = [expr for expr in parts if expr[0] in ("apply", "index")]
        applied.sort(
            key=lambda expr: self._last_name(path, expr[1]) not in ("Generic", "Protocol")
        )
        for expr in applied:
            for argument in expr[2] if expr[0] == "apply" else expr[3]:
                for item in members_of(self.type_(path, argument)):
                    if item[0] == "param":
                        found[item] = None
        return tuple(found)
