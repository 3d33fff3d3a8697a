"""Rust: paths, methods that stand apart from their types, traits, payloads of variants."""

from collections.abc import Sequence

from codecompass.link.dialects.rust_modules import RustModules
from codecompass.link.infer import Inference
from codecompass.link.members import Member
from codecompass.link.names import Places
from codecompass.link.types import OUTSIDE, Place, Type, members_of, substitute, union
from codecompass.model.module import NOTHING, DeclKind, Expr, ModuleFacts, ScopeKind

_EVERYTHING = "*"
_WRAPPERS = frozenset(
    {"Box", "Rc", "Arc", "Ref", "RefMut", "MutexGuard", "Pin", "Cow", "Weak", "ManuallyDrop"}
)
_SAME = frozenset(
    {"clone", "to_owned", "as_ref", "as_mut", "borrow", "borrow_mut", "by_ref", "as_deref"}
)
_PATHS = frozenset({"crate", "here", "above", "above_of", "extern", "child"})
_TYPES = frozenset({DeclKind.CLASS, DeclKind.ENUM, DeclKind.INTERFACE})


class RustInference(Inference):
    """Inference with the rules that only Rust has."""

    constructor_name = "\0"
    receiver_is_parameter = False

    @property
    def _modules(self) -> RustModules:
        modules = self._language.modules
        assert isinstance(modules, RustModules)  # noqa: S101  # the family says so
        return modules

    # Names and paths.

    def lookup(self, path: str, name: str, scope: int) -> Places:
        """What a name stands for: of a block, of its module, taken over, of the language."""
        facts = self.facts(path)
        while facts is not None and scope != NOTHING:
            found = facts.scopes[scope]
            numbers = [n for n in found.names.get(name, ()) if not self._is_impl(path, n)]
            if numbers and found.kind != ScopeKind.CLASS:
                if scope == 0:
                    self.note(path, name)
                return self.followed(tuple((path, number) for number in numbers))
            used = self._used_macros(path, found.names.get(name[:-1], ()), name)
            if used:
                return used
            taken = self._taken_over(path, found.names.get(_EVERYTHING, ()), name)
            if taken:
                return taken
            scope = found.parent
        self.note(path, name)
        if name.endswith("!"):
            macros = self._impls(path).get(name, ())
            if macros:
                return tuple(macros)
        return self._builtin(name) or self._crate(name)

    def _used_macros(self, path: str, numbers: Sequence[int], name: str) -> Places:
        """`use crate_name::name`, where the name is that of a macro."""
        found: list[Place] = []
        for number in numbers if name.endswith("!") else ():
            decl = self.decl((path, number))
            if decl.kind == DeclKind.IMPORT and decl.value != NOTHING:
                expr = self.expr(path, decl.value)
                if expr[0] == "member":
                    found += self._macros_in(path, expr[1], f"{expr[2]}!")
        return tuple(found)

    def _macros_in(self, path: str, number: int, name: str) -> Places:
        """The macros of the crates that a path leads into: they belong to the whole crate."""
        places = self.targets(path, number) if number != NOTHING else ()
        roots = dict.fromkeys(place[0] for place in places if place != OUTSIDE)
        for root in list(roots):  # `pub use other_crate::*`
            facts = self.facts(root)
            for star in facts.scopes[0].names.get(_EVERYTHING, ()) if facts is not None else ():
                value = self.decl((root, star)).value
                further = self.targets(root, value) if value != NOTHING else ()
                roots.update(dict.fromkeys(place[0] for place in further if place != OUTSIDE))
        return tuple(macro for root in roots for macro in self._impls(root).get(name, ()))

    def _builtin(self, name: str) -> Places:
        """What is known without `use`, the variants of `Option` and `Result` included."""
        found = super()._builtin(name)
        for owner in ("Option", "Result") if not found else ():
            for place in super()._builtin(owner):
                found = found or self._own(place, name)
        return found

    def _is_impl(self, path: str, number: int) -> bool:
        return self.decl((path, number)).kind == DeclKind.NARROWED

    def _taken_over(self, path: str, numbers: Sequence[int], name: str) -> Places:
        """What `use a::*` brings."""
        if name == _EVERYTHING:
            return ()
        for number in reversed(numbers):
            found = self._star(path, number, name)
            if found:
                return found
        return ()

    def _star(self, path: str, number: int, name: str) -> Places:
        found: Places | None = self.solve(
            (path, "star", number, name), lambda: self._in_star(path, number, name)
        )
        return found or ()

    def _in_star(self, path: str, number: int, name: str) -> Places:
        of = self.value(path, self.decl((path, number)).value)
        places = self.find(of, name).places
        return () if places == (OUTSIDE,) else places

    def _crate(self, name: str) -> Places:
        root = self._modules.crate(name)
        return ((root, NOTHING),) if root else (OUTSIDE,)

    def followed(self, places: Places) -> Places:
        """The places with imports replaced by what they import."""
        found: dict[Place, None] = {}
        for place in places:
            if place[1] != NOTHING and self.decl(place).kind == DeclKind.IMPORT:
                found.update(dict.fromkeys(self._imported(place)))
            else:
                found[place] = None
        return tuple(found)

    def _imported(self, place: Place) -> Places:
        value = self.decl(place).value
        found: Places | None = self.solve(
            (place[0], "import", place[1]), lambda: self.targets(place[0], value)
        )
        return found or ()

    def targets(self, path: str, number: int) -> Places:
        """The declarations that an expression names."""
        expr = self.expr(path, number)
        if expr[0] in _PATHS:
            return self._path(path, expr)
        if expr[0] == "token":  # a macro may make anything of a name that means nothing
            found = self.lookup(path, expr[1], expr[2])
            return () if found == (OUTSIDE,) else found
        if expr[0] == "member" and expr[2].endswith("!"):
            return self._macros_in(path, expr[1], expr[2]) or super().targets(path, number)
        found = super().targets(path, number)
        if found == (OUTSIDE,) and expr[0] == "member":  # `std::sync::Arc`
            return self._builtin(expr[2]) or found
        return found

    def _path(self, path: str, expr: Expr) -> Places:
        match expr[0]:
            case "crate":
                return ((self._modules.root(path), NOTHING),)
            case "here":
                return (self._module_of(path, expr[1]),)
            case "above":
                return self._above(self._module_of(path, expr[1]))
            case "above_of":
                found = self.targets(path, expr[1])
                return self._above(found[0]) if found else ()
            case "child":
                return self._child(path, expr)
        found = self._named_in_module(path, expr[1], expr[2])
        return found or self._crate(expr[1])

    def _named_in_module(self, path: str, name: str, scope: int) -> Places:
        """The head of a `use` path: something of the module, not the `use` itself."""
        facts = self.facts(path)
        module = self._module_of(path, scope)
        inner = 0 if module[1] == NOTHING else self.decl(module).inner
        if facts is None:
            return ()
        found = []
        for number in facts.scopes[inner].names.get(name, ()):
            decl = facts.decls[number]
            is_same = decl.kind == DeclKind.IMPORT and (
                facts.exprs[decl.value][0] == "extern" and facts.exprs[decl.value][1] == name
            )
            if not is_same and decl.kind != DeclKind.NARROWED:
                found.append((path, number))
        self.note(path, name)
        return self.followed(tuple(found))

    def _module_of(self, path: str, scope: int) -> Place:
        facts = self.facts(path)
        while facts is not None and scope > 0:
            found = facts.scopes[scope]
            if found.kind == ScopeKind.MODULE:
                return (path, found.owner)
            scope = found.parent
        return (path, NOTHING)

    def _above(self, place: Place) -> Places:
        if place[1] != NOTHING:
            return (self._module_of(place[0], self.decl(place).scope),)
        above = self._modules.above(place[0])
        return ((above, NOTHING),) if above else (OUTSIDE,)

    def _child(self, path: str, expr: Expr) -> Places:
        found = self._modules.part(path, expr[1])
        return ((found, NOTHING),) if found else (OUTSIDE,)

    def _own_export(self, path: str, facts: ModuleFacts, name: str) -> Places:
        numbers = facts.scopes[0].names.get(name, ())
        places = tuple((path, n) for n in numbers if not self._is_impl(path, n))
        if places:
            return self.followed(places)
        return self._taken_over(path, facts.scopes[0].names.get(_EVERYTHING, ()), name)

    # Members.

    def _impls(self, path: str) -> dict[str, list[Place]]:
        """What a crate says apart from its types: methods, constants and traits of them."""
        root = path if path == self.dialect.stubs else self._modules.root(path)
        found: dict[str, list[Place]] | None = self.solve(
            (root, "impls", ""), lambda: self._collect(root)
        )
        return found or {}

    def _collect(self, root: str) -> dict[str, list[Place]]:
        names: dict[str, list[Place]] = {}
        paths = [root] if root == self.dialect.stubs else self._modules.files.get(root, [])
        for path in paths:
            facts = self.facts(path)
            for number, decl in enumerate(facts.decls if facts is not None else ()):
                is_macro = decl.name.endswith("!")
                if "." in decl.name or decl.name.startswith("impl ") or is_macro:
                    names.setdefault(decl.name, []).append((path, number))
        return names

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
            own = tuple(item for item in own if self.decl(item).kind != DeclKind.FIELD)
        if own or not decl.name or decl.kind not in _TYPES:
            if not own and decl.kind == DeclKind.NAMESPACE and decl.inner != NOTHING:
                facts = self.facts(place[0])
                stars = facts.scopes[decl.inner].names.get(_EVERYTHING, ()) if facts else ()
                return self._taken_over(place[0], stars, name)
            return own
        called = f"{decl.name}.{name}"
        self.note(f"crate {self._modules.root(place[0])}", called)
        found = self._impls(place[0]).get(called, ())
        return tuple(item for item in found if self._belongs(item, place))

    def _belongs(self, item: Place, place: Place) -> bool:
        """Whether what an `impl` holds is for this type and not for another of its name."""
        decl = self.decl(item)
        if decl.kind != DeclKind.METHOD or decl.value == NOTHING:
            return True
        owners = members_of(self.type_(item[0], decl.value))
        return not owners or any(len(owner) > 1 and owner[1] == place for owner in owners)

    def bases(self, place: Place) -> tuple[Type | None, ...]:
        """The traits of a type; for a trait, those above it."""
        if self.decl(place).kind == DeclKind.ENUM_MEMBER:
            return ()
        known = super().bases(place) if self.decl(place).kind == DeclKind.INTERFACE else ()
        name = self.decl(place).name
        found: list[Type | None] = list(known)
        self.note(f"crate {self._modules.root(place[0])}", f"impl {name}")
        for item in self._impls(place[0]).get(f"impl {name}", ()):
            decl = self.decl(item)
            owners = members_of(self.type_(item[0], decl.value))
            if any(len(owner) > 1 and owner[1] == place for owner in owners):
                found += [self.type_(item[0], part) for part in decl.parts]
        return tuple(base for base in found if base is not None)

    def find(self, type_: Type | None, name: str) -> Member:
        """The member that a name means; wrappers let one through to what they hold."""
        found = super().find(type_, name)
        if found.places or type_ is None or type_[0] != "inst" or not type_[2]:
            return found
        is_wrapper = type_[1][0] == self.dialect.stubs and (self.decl(type_[1]).name in _WRAPPERS)
        return self.find(type_[2][0], name) if is_wrapper else found

    def _find_in_class(self, type_: Type, name: str) -> Member:
        found = super()._find_in_class(type_, name)
        known = dict(found.known)
        arguments = type_[2] if len(type_) > 2 else ()
        for place in found.places:
            if place != OUTSIDE and place[1] != NOTHING:
                # An `impl` names the type parameters of its type anew.
                pairs = zip(self.decl(place).type_parameters, arguments, strict=False)
                known.update(
                    (("param", (place[0], number)), item)
                    for number, item in pairs
                    if item is not None
                )
        return Member(found.places, known)

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
            is_declared = place != OUTSIDE and place[1] != NOTHING
            if is_declared and self.decl(place).kind == DeclKind.ENUM_MEMBER:
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
            if place == OUTSIDE or place[1] == NOTHING:
                continue
            decl = self.decl(place)
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
            if place == OUTSIDE or place[1] == NOTHING:
                continue
            decl = self.decl(place)
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
