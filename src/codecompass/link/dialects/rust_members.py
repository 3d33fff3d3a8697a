"""Rust: what is a member of a type: methods that stand apart from it, traits, wrappers."""

from codecompass.link.dialects.rust_paths import CRATES, RustPaths
from codecompass.link.members import Member
from codecompass.link.names import Places
from codecompass.link.types import OUTSIDE, Place, Type, members_of, substitute
from codecompass.model.module import NOTHING, DeclFlag, DeclKind

_WRAPPERS = frozenset(
    {"Box", "Rc", "Arc", "Ref", "RefMut", "MutexGuard", "Pin", "Cow", "Weak", "ManuallyDrop"}
)
_NUMBERS = {
    **{f"{sign}{bits}": "integer__" for sign in "iu" for bits in (8, 16, 32, 64, 128, "size")},
    "f32": "float__", "f64": "float__",
}  # fmt: skip
_TYPES = frozenset({DeclKind.CLASS, DeclKind.ENUM, DeclKind.INTERFACE})
_EVERYTHING = "*"


class RustMembers(RustPaths):
    """Finds members of types."""

    def _own(self, place: Place, name: str) -> Places:
        decl = self.decl(place)
        wants_method = name.endswith("()")  # of `x.name()`, which is never the field
        name = name.removesuffix("()")
        if decl.kind == DeclKind.ENUM_MEMBER:
            facts = self.facts(place[0])
            if facts is None or decl.inner == NOTHING:
                return ()
            return tuple((place[0], n) for n in facts.scopes[decl.inner].names.get(name, ()))
        own = super()._own(place, name)
        if wants_method:
            own = tuple(item for item in own if self._takes_self(item))
        if own or not decl.name or decl.kind not in _TYPES:
            if not own and decl.kind == DeclKind.NAMESPACE and decl.inner != NOTHING:
                facts = self.facts(place[0])
                stars = facts.scopes[decl.inner].names.get(_EVERYTHING, ()) if facts else ()
                return self._taken_over(place[0], stars, name)
            return own
        called = f"{decl.name}.{name}"
        self.note(CRATES, called)
        said = [item for item in self._said_of(place, called) if self._belongs(item, place)]
        return tuple(item for item in said if not wants_method or self._takes_self(item))

    def _takes_self(self, item: Place) -> bool:
        """Whether `x.name()` may mean it; in the stubs nothing says so."""
        decl = self.decl(item)
        if decl.kind == DeclKind.FIELD:
            return False
        is_static = decl.kind == DeclKind.METHOD and decl.flags & DeclFlag.STATIC
        return not is_static or item[0] == self.dialect.stubs

    def _said_of(self, place: Place, name: str) -> list[Place]:
        """What all crates, and the language, say under a name apart from the types."""
        found = self._everything().get(name, [])
        if place[0] != self.dialect.stubs:
            return found
        if self.decl(place).name in _WRAPPERS:  # what is held comes first
            return self._impls(place[0]).get(name, [])
        own = self._impls(place[0])
        owner, _, called = name.partition(".")
        if owner in _NUMBERS and f"{_NUMBERS[owner]}.{called}" in own:
            return own[f"{_NUMBERS[owner]}.{called}"]
        return [*own.get(name, ()), *found]

    def _belongs(self, item: Place, place: Place) -> bool:
        """Whether what an `impl` holds is for this type and not for another of its name."""
        decl = self.decl(item)
        is_said = decl.kind in (DeclKind.METHOD, DeclKind.TYPE) and decl.value != NOTHING
        if item[0] == self.dialect.stubs or not is_said:
            return True
        owners = members_of(self.type_(item[0], decl.value))
        is_ours = not owners or any(len(owner) > 1 and owner[1] == place for owner in owners)
        if not is_ours or place[0] != self.dialect.stubs:
            return is_ours
        return bool(decl.decorators) and self._is_of_repository(item[0], decl.decorators[0])

    def _is_of_repository(self, path: str, number: int) -> bool:
        """Whether a trait is one of the repository's own."""
        return any(
            trait[0] == "inst" and trait[1][0] != self.dialect.stubs
            for trait in members_of(self.type_(path, number))
        )

    def bases(self, place: Place) -> tuple[Type | None, ...]:
        """The traits of a type; for a trait, those above it."""
        if self.decl(place).kind == DeclKind.ENUM_MEMBER:
            return ()
        known = super().bases(place) if self.decl(place).kind == DeclKind.INTERFACE else ()
        name = self.decl(place).name
        found: list[Type | None] = list(known)
        self.note(CRATES, f"impl {name}")
        for item in self._said_of(place, f"impl {name}"):
            decl = self.decl(item)
            owners = members_of(self.type_(item[0], decl.value))
            if any(len(owner) > 1 and owner[1] == place for owner in owners):
                found += [self.type_(item[0], part) for part in decl.parts]
        return tuple(base for base in found if base is not None)

    def find(self, type_: Type | None, name: str) -> Member:
        """The member that a name means; wrappers let one through to what they hold."""
        found = super().find(type_, name)
        if type_ is None or type_[0] != "inst":
            return found
        if type_[1][0] != self.dialect.stubs:
            is_found = found.places not in ((), (OUTSIDE,))
            return found if is_found else self._find_behind(type_, name, found)
        if found.places or not type_[2]:
            return found
        is_wrapper = self.decl(type_[1]).name in _WRAPPERS
        return self.find(type_[2][0], name) if is_wrapper else found

    def _find_behind(self, type_: Type, name: str, found: Member) -> Member:
        """What a type lets through to, by `impl Deref`; else a field is nowhere to be seen."""
        for item in self._own(type_[1], "Target"):
            decl = self.decl(item)
            traits = [
                self._last_name(item[0], self._head(item[0], one)) for one in decl.decorators
            ]
            if "Deref" in traits:
                known: dict[Type, Type] = {}
                self.unify(self.type_(item[0], decl.value), type_, known)
                behind = substitute(self.type_(item[0], decl.type), known)
                if behind is not None and behind != type_:
                    return self.find(behind, name)
        return found if name.endswith("()") else Member((), {})

    def _find_in_class(self, type_: Type, name: str) -> Member:
        found = super()._find_in_class(type_, name)
        known = self.known_anew(found, type_)
        for place in found.places:
            if place[1] != NOTHING:
                self._learn_self(known, place, type_)
        return Member(found.places, known)

    def _learn_self(self, known: dict[Type, Type], place: Place, type_: Type) -> None:
        """What `Self` of a trait is to those who have the trait."""
        facts, decl = self.facts(place[0]), self.decl(place)
        owner = facts.scopes[decl.scope].owner if facts is not None else NOTHING
        if facts is None or owner == NOTHING or type_[1] == (place[0], owner):
            return
        if facts.decls[owner].kind == DeclKind.INTERFACE:
            around = facts.scopes[facts.scopes[decl.scope].parent]
            for number in around.names.get("Self", ()):
                arguments = type_[2] if len(type_) > 2 else ()
                known["param", (place[0], number)] = ("inst", type_[1], arguments)
