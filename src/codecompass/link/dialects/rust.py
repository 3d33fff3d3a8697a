"""Rust: what expressions mean and give; associated types, payloads of variants, macros."""

from codecompass.link.dialects.rust_members import RustMembers
from codecompass.link.dialects.rust_paths import CRATES
from codecompass.link.names import Places
from codecompass.link.types import OUTSIDE, Place, Type, members_of, substitute, union
from codecompass.model.module import NOTHING, DeclFlag, DeclKind, Expr

_SAME = frozenset(
    {"clone", "to_owned", "as_ref", "as_mut", "borrow", "borrow_mut", "by_ref", "as_deref"}
)
_PATHS = frozenset({"crate", "here", "above", "above_of", "extern", "child", "outer"})


class RustInference(RustMembers):
    """Inference with the rules that only Rust has."""

    # Names.

    def targets(self, path: str, number: int) -> Places:
        """The declarations that an expression names."""
        expr = self.expr(path, number)
        if expr[0] in _PATHS:
            return self._path(path, expr)
        if expr[0] == "token":
            return self._token(path, expr)
        if expr[0] == "attribute":
            return self._functions(self.lookup(path, expr[1], expr[2]))
        if expr[0] == "member" and expr[2].endswith("!"):
            return self._macros_in(path, expr[1], expr[2]) or super().targets(path, number)
        found = super().targets(path, number)
        return self._member(path, expr, found) if expr[0] == "member" else found

    def _token(self, path: str, expr: Expr) -> Places:
        """A name that a macro is given, which may make anything of one that means nothing."""
        if len(expr) > 3 and self._is_naming(path, expr[3]):
            return ()
        found = self.lookup(path, expr[1], expr[2])
        return () if found == (OUTSIDE,) else found

    def _member(self, path: str, expr: Expr, found: Places) -> Places:
        """What was found as a member, where nothing that is not seen may be meant as well."""
        if found == (OUTSIDE,):  # `std::sync::Arc`
            return self._builtin(expr[2]) or (() if self._may_be_ours(path, expr) else found)
        if self._is_lent(path, expr, found):
            return () if self._may_be_ours(path, expr) else found
        if not expr[2].endswith("()") and self._is_value(path, expr[1]):
            found = tuple(place for place in found if self.decl(place).kind != DeclKind.METHOD)
        if self._may_be_made(found) or self._is_of_reference(path, expr, found):
            return ()
        if self._is_filled_in(path, expr, found):
            return ()
        return found

    def _is_lent(self, path: str, expr: Expr, places: Places) -> bool:
        """Whether a type of the repository has a method only from a trait of the language."""
        stubs = self.dialect.stubs
        if not expr[2].endswith("()") or any(place[0] != stubs for place in places):
            return False
        known = members_of(self.value(path, expr[1]))
        return any(item[0] == "inst" and item[1][0] != stubs for item in known)

    def _is_value(self, path: str, number: int) -> bool:
        """Whether something has fields, which are never methods; a type has no fields."""
        if number == NOTHING or self.expr(path, number)[0] in ("typename", "apply"):
            return False
        if any(
            place[1] != NOTHING and self.decl(place).kind == DeclKind.TYPE
            for place in self.targets(path, number)
        ):
            return False
        known = members_of(self.value(path, number))
        return bool(known) and all(item[0] in ("inst", "self", "param") for item in known)

    def _is_naming(self, path: str, macro: str) -> bool:
        """Whether a macro takes names, of which it may make anything."""
        self.note(CRATES, f"{macro}!")
        places = self._impls(path).get(f"{macro}!", ())
        return any(self.decl(place).flags & DeclFlag.NAMING for place in places)

    def _may_be_ours(self, path: str, expr: Expr) -> bool:
        """Whether a member may be one of a trait, foreign or own, that something here has."""
        if expr[2].endswith("()"):
            self.note(CRATES, f".{expr[2][:-2]}")
            return f".{expr[2][:-2]}" in self._everything()
        trait = self._last_name(path, expr[1])
        self.note(CRATES, f"impl for {trait}")
        return f"impl for {trait}" in self._everything()

    def _may_be_made(self, places: Places) -> bool:
        """Whether a method is one of several of its trait, some of which a macro makes."""
        for place in places:
            decl = self.decl_at(place)
            if decl is not None and decl.kind == DeclKind.METHOD and decl.decorators:
                trait = self._last_name(place[0], self._head(place[0], decl.decorators[0]))
                self.note(CRATES, f"impl !{trait}")
                if self._impls(place[0]).get(f"impl !{trait}"):
                    return True
        return False

    def _is_filled_in(self, path: str, expr: Expr, places: Places) -> bool:
        """Whether `Trait::method(x)` may mean what an impl says instead of the trait."""
        if expr[2].endswith("()") or expr[1] == NOTHING:
            return False
        owners = [item for item in members_of(self.value(path, expr[1])) if item[0] == "class"]
        traits = {self.decl(item[1]).name for item in owners if self._is_trait(item[1])}
        if not traits or not any(self._is_method(place) for place in places):
            return False
        self.note(CRATES, f".{expr[2]}")
        return any(
            self._trait_of(other, is_any=True) in traits and self.decl(other).decorators
            for other in self._everything().get(f".{expr[2]}", ())
        )

    def _is_trait(self, place: Place) -> bool:
        return self.decl(place).kind == DeclKind.INTERFACE

    def _is_method(self, place: Place) -> bool:
        decl = self.decl_at(place)
        return decl is not None and decl.kind == DeclKind.METHOD

    def _is_of_reference(self, path: str, expr: Expr, places: Places) -> bool:
        """Whether `self.m()` with `&mut self` finds what a trait says of all `&mut T` first."""
        receiver = self.expr(path, expr[1]) if expr[1] != NOTHING else ("",)
        if receiver[0] not in ("name", "token") or receiver[1] != "self":
            return False
        facts = self.facts(path)
        for _, number in self.lookup(path, "self", receiver[2]) if facts is not None else ():
            owner = facts.scopes[facts.decls[number].scope].owner if facts is not None else NOTHING
            if facts is None or not facts.decls[owner].flags & DeclFlag.MUTATING:
                return False
        traits = {self._trait_of(place) for place in places}
        for trait in traits:
            self.note(CRATES, f"impl &{trait}")
        return any(f"impl &{trait}" in self._everything() for trait in traits)

    def _trait_of(self, place: Place, *, is_any: bool = False) -> str:
        """The trait of a method, of one that does not change its receiver if nothing is said."""
        facts, decl = self.facts(place[0]), self.decl(place)
        if facts is None or decl.kind != DeclKind.METHOD:
            return ""
        if decl.flags & DeclFlag.MUTATING and not is_any:
            return ""
        if decl.decorators:
            return self._last_name(place[0], self._head(place[0], decl.decorators[0]))
        owner = facts.scopes[decl.scope].owner
        return facts.decls[owner].name if owner != NOTHING else ""

    def named(self, path: str, number: int) -> Places:
        """What an expression names; a type that an `impl` fills in is its trait's."""
        found: dict[Place, None] = {}
        for place in self.targets(path, number):
            decl = self.decl_at(place)
            if decl is not None and decl.kind == DeclKind.TYPE and decl.decorators:
                found.update(dict.fromkeys(self._of_trait(place, decl.name.rpartition(".")[2])))
            else:
                found[place] = None
        return tuple(found)

    def _of_trait(self, place: Place, name: str) -> Places:
        traits = members_of(self.type_(place[0], self.decl(place).decorators[0]))
        found = [
            item
            for trait in traits
            if trait[0] == "inst" and trait[1][0] != self.dialect.stubs
            for item in self._own(trait[1], name)
        ]
        return tuple(found) or (OUTSIDE,)

    # Values.

    def _value(self, path: str, expr: Expr, number: int) -> Type | None:
        if expr[0] in _PATHS:
            return self._value_of_places(self.targets(path, number))
        if expr[0] == "token":
            return self._value_of_name(path, expr) if self.targets(path, number) else None
        if expr[0] == "payload":
            return self._payload(path, expr)
        if expr[0] == "shape":
            return self._shape(path, expr[1])
        if expr[0] == "call":
            made = self._made(path, expr) or self._derived(path, expr)
            if made is not None:
                return made
        return super()._value(path, expr, number)

    def _shape(self, path: str, number: int) -> Type | None:
        """What has the fields of a struct literal or pattern: a type, or one variant of it."""
        for place in self.targets(path, number):
            decl = self.decl_at(place)
            if decl is not None and decl.kind == DeclKind.ENUM_MEMBER:
                return ("inst", place, ())
        return self.type_(path, number)

    def _derived(self, path: str, expr: Expr) -> Type | None:
        """`x.clone()`, `T::default()`: what derived methods give, which nobody writes down."""
        called = self.expr(path, expr[1])
        if called[0] != "member" or called[1] == NOTHING:
            return None
        name = called[2].removesuffix("()")
        if name not in _SAME and name != "default":
            return None
        of = self.value(path, called[1])
        places = self.find(of, name).places
        if places and places != (OUTSIDE,):
            return None
        return self.instance(of) if name == "default" else of

    def _payload(self, path: str, expr: Expr) -> Type | None:
        """What a variant holds at a position, in a value of its enumeration."""
        found = []
        for place in self.targets(path, expr[1]):
            decl = self.decl_at(place)
            if decl is None:
                continue
            parts = decl.parts if decl.kind == DeclKind.ENUM_MEMBER else ()
            if decl.kind == DeclKind.CLASS:
                parts = tuple(item[1] for item in self._own(place, str(expr[3])))[:1]
            position = expr[3] if decl.kind == DeclKind.ENUM_MEMBER else 0
            if position < len(parts):
                held = self.type_of((place[0], parts[position]))
                found.append(substitute(held, self._known_in(path, place, expr[2])))
        return union(found)

    def _known_in(self, path: str, variant: Place, value: int) -> dict[Type, Type]:
        owner = self._owner_instance(variant, self.decl(variant))
        if owner is None or value == NOTHING:
            return {}
        parameters = self.class_parameters(owner[1])
        for item in members_of(self.value(path, value)):
            if item[0] == "inst" and item[1] == owner[1]:
                pairs = zip(parameters, item[2], strict=False)
                return {name: given for name, given in pairs if given is not None}
        return {}

    def _made(self, path: str, expr: Expr) -> Type | None:
        """`Some(x)`, `Self(x)`: a call that makes a value of a type."""
        for place in self.targets(path, expr[1]):
            decl = self.decl_at(place)
            if decl is None:
                continue
            if decl.kind == DeclKind.TYPE:
                return self._type_at(place)
            if decl.kind == DeclKind.ENUM_MEMBER:
                owner = self._owner_instance(place, decl)
                if owner is None:
                    return None
                known: dict[Type, Type] = {}
                for number, argument in zip(decl.parts, expr[2], strict=False):
                    held = self.type_of((place[0], number))
                    self.unify(held, self.value(path, argument), known)
                parameters = self.class_parameters(owner[1])
                return ("inst", owner[1], tuple(known.get(name) for name in parameters))
        return None

    def _value_of_part(self, path: str, expr: Expr) -> Type | None:
        if expr[0] == "of":
            return self.type_of((path, expr[1]))
        return super()._value_of_part(path, expr)

    def bound_of(self, place: Place) -> Type | None:
        """What a type parameter is at least; `Self` of a trait is the trait."""
        decl = self.decl(place)
        if decl.value != NOTHING:
            return self.value(place[0], decl.value)
        return super().bound_of(place)
