"""JavaScript and TypeScript: CommonJS, functions used as classes, index signatures, components."""

from collections.abc import Callable, Sequence

from codecompass.link.dialects.ecma import TYPES
from codecompass.link.infer import Inference
from codecompass.link.members import Member
from codecompass.link.names import Places
from codecompass.link.types import (
    EXTERNAL,
    FOREIGN,
    OUTSIDE,
    Place,
    Type,
    members_of,
    substitute,
    union,
)
from codecompass.model.module import NOTHING, DeclKind, Expr, ModuleFacts

_WHOLE = "="
_INDEXED = "[]"
OPAQUE: Type = ("opaque",)
"""One of the types that a value may be, of which nothing is known."""
_GLOBALS = frozenset(
    {
        "Array", "Blob", "Boolean", "Date", "Element", "Error", "Event", "EventTarget", "File",
        "FormData", "Function", "Headers", "Map", "Node", "Number", "Object", "Promise",
        "ReadableStream", "RegExp", "Request", "Response", "Set", "String", "Symbol", "URL",
        "WebSocket",
    }
)  # fmt: skip
"""Values that everybody has; a type of the same name is another thing."""
_LISTS = frozenset({"Array", "ReadonlyArray", "Set", "Promise", "String", "Number", "Function"})


class EcmaInference(Inference):
    """Inference with the rules that only JavaScript and TypeScript have."""

    constructor_name = "constructor"
    receiver_is_parameter = False

    # Modules.

    def imported(self, path: str, expr: Expr) -> Places:
        """What an import means; CommonJS modules may export one value as a whole."""
        _, module, name = expr
        target = self._language.modules.resolve(path, module)
        if target is None:
            if module in self.dialect.stub_modules:
                if name in ("", "default", _WHOLE):
                    return ((self.dialect.stubs, NOTHING),)
                return self._builtin(name) or (OUTSIDE,)
            return self._ambient(module, name) or (OUTSIDE,)
        places = self._given(target, name)
        types = self._types_of(target, module)
        return tuple(dict.fromkeys((*places, *self._given(types, name)))) if types else places

    def _ambient(self, module: str, name: str) -> Places:
        """What `declare module "name"` says of a module of others."""
        spaces = tuple(self.shared(f'"{module.removeprefix("node:")}"'))
        found = tuple(place for space in spaces for place in self._in_space(space, name))
        if found or not spaces:
            return found
        whole = tuple(place for space in spaces for place in self._in_space(space, _WHOLE))
        if name in ("", "default", _WHOLE):
            return whole or (spaces if name != "default" else ())
        inner = [place for place in whole if self.decl(place).kind == DeclKind.NAMESPACE]
        return tuple(place for space in inner for place in self._in_space(space, name))

    def _given(self, path: str, name: str) -> Places:
        is_whole = name in ("", _WHOLE, "default")
        return self._whole(path, name) if is_whole else self.export(path, name)

    def _types_of(self, path: str, module: str) -> str | None:
        """The file with the types of a package, where an import names the package as a whole."""
        stem = path.rpartition("/")[2].rpartition(".")[0]
        if module.rpartition("/")[2].startswith(stem):
            return None
        self.note(path, TYPES)
        return self._language.modules.part(path, TYPES)

    def _whole(self, path: str, name: str) -> Places:
        if name == "default":
            found = self.export(path, name)
            if found:
                return found
        facts = self.facts(path)
        if facts is None:
            return ((path, NOTHING),)
        self.note(path, _WHOLE)
        number = (facts.exports or {}).get(_WHOLE, NOTHING)
        if number == NOTHING:
            return ((path, NOTHING),)
        found = self.targets(path, number)
        if any(
            place[1] != NOTHING and self.decl(place).kind == DeclKind.OBJECT for place in found
        ):
            return ((path, NOTHING),)  # an object of exports is the module
        return found or ((path, NOTHING),)

    def _own_export(self, path: str, facts: ModuleFacts, name: str) -> Places:
        exports = facts.exports or {}
        if name in exports:
            return self._with_required(self.targets(path, exports[name]))
        self.note(path, _WHOLE)
        if _WHOLE in exports and name != _WHOLE:
            return self._through(self.find(self.value(path, exports[_WHOLE]), name).places)
        return ()

    def _with_required(self, places: Places) -> Places:
        """`exports.a = exports.b = require("m")`: the property, and the module."""
        found = dict.fromkeys(places)
        for place in places:
            decl = self.decl_at(place)
            if decl is None or decl.kind != DeclKind.VARIABLE or decl.value == NOTHING:
                continue
            if self.expr(place[0], decl.value)[0] == "require":
                found.update(dict.fromkeys(self.targets(place[0], decl.value)))
        return tuple(found)

    def _through(self, places: Places) -> Places:
        """A property of an exported object that only names something is that thing."""
        found: dict[Place, None] = {}
        for place in places:
            named: Places = ()
            decl = self.decl_at(place)
            if decl is not None and decl.kind == DeclKind.FIELD and decl.value != NOTHING:
                expr = self.expr(place[0], decl.value)
                if expr[0] in ("name", "require"):
                    named = self.targets(place[0], decl.value)
            found.update(dict.fromkeys(named or (place,)))
        return tuple(found)

    def lookup(self, path: str, name: str, scope: int) -> Places:
        """What a name stands for; `exports` is the file itself."""
        found = super().lookup(path, name, scope)
        if name == "exports" and found == (OUTSIDE,):
            return ((path, NOTHING),)
        is_other = scope != 0 and name in _GLOBALS and self._are_types(found)
        return (self._builtin(name) or (OUTSIDE,)) if is_other else found

    def lookup_type_outside(self, path: str, name: str, scope: int) -> Places:
        """What the name of a type stands for that no scope around has as one."""
        return super().lookup(path, name, scope)

    def _are_types(self, places: Places) -> bool:
        """Whether none of these is a value: `type Error = …` leaves `new Error` as it was."""
        return bool(places) and all(
            place[1] != NOTHING
            and self.decl(place).kind in (DeclKind.TYPE, DeclKind.INTERFACE)
            and not self._is_shared(place)
            for place in places
        )

    def _is_shared(self, place: Place) -> bool:
        """Whether a declaration is known in every file, and so adds to what has its name."""
        facts = self.facts(place[0])
        return facts is not None and facts.shared == self.decl(place).scope

    def _value_of_name(self, path: str, expr: Expr) -> Type | None:
        """What a name holds; a name from nowhere may hold anything."""
        found = super()._value_of_name(path, expr)
        if found == EXTERNAL and self.bound(path, expr[1], expr[2]) is None:
            return FOREIGN
        return found

    def _take_defaults(self, known: dict[Type, Type], place: Place) -> None:
        """`<T, D = Draft<T>>`: what is not told follows from what is."""
        for number in self.decl(place).type_parameters:
            parameter: Type = ("param", (place[0], number))
            bound = self.bound_of((place[0], number)) if parameter not in known else None
            given = substitute(bound, known) if bound is not None else None
            if given is not None and given != bound:
                known[parameter] = given

    def merged_lines(self, lines: list[list[Type]], seen: set[Place]) -> list[Type]:
        """All of the first base, then all of the next."""
        found: dict[Place, Type] = {}
        for line in lines:
            for item in line:
                if item[1] not in seen:
                    found.setdefault(item[1], item)
        return list(found.values())

    def declared(self, places: Places, assigned: Places) -> Places:  # noqa: ARG002
        """A field that a class declares is not made again by an assignment."""
        return places

    def targets(self, path: str, number: int) -> Places:
        """The declarations that an expression names."""
        expr = self.expr(path, number)
        if expr[0] == "require":
            return self.imported(path, ("from", expr[1], _WHOLE))
        if expr[0] == "member" and expr[2] == self.constructor_name:
            return (OUTSIDE,)  # of a value: its class, by a name that the language gives
        found = super().targets(path, number)
        if expr[0] != "member":
            return found
        if expr[2] == "default" and self._is_made(path, expr[1]):
            return ()  # a class that is a module as a whole: its member, or all of it
        return self._with_named(found)

    def _is_made(self, path: str, number: int) -> bool:
        return any(item[0] in ("class", "func") for item in members_of(self.value(path, number)))

    def _is_given_whole(self, path: str, scope: int) -> bool:
        """Whether the object with this scope is what a file exports by default."""
        facts = self.facts(path)
        number = (facts.exports or {}).get("default", NOTHING) if facts is not None else NOTHING
        if facts is None or number == NOTHING:
            return False
        owner = facts.scopes[scope].owner
        return any(
            item[0] == "inst" and item[1] == (path, owner)
            for item in members_of(self.value(path, number))
        )

    def _with_named(self, places: Places) -> Places:
        """`export default { run }`: the property, and what it has its name and value from."""
        found = dict.fromkeys(places)
        for place in places:
            decl = self.decl_at(place)
            if decl is not None and decl.kind == DeclKind.FIELD and decl.value != NOTHING:
                expr = self.expr(place[0], decl.value)
                is_same = expr[0] == "name" and expr[1] == decl.name
                if is_same and self._is_given_whole(place[0], decl.scope):
                    named = self.lookup(place[0], expr[1], expr[2])
                    found.update(dict.fromkeys(item for item in named if item != OUTSIDE))
        return tuple(found)

    # Values.

    def _value_of_part(self, path: str, expr: Expr) -> Type | None:
        operation = expr[0]
        if operation == "require":
            places = self.imported(path, ("from", expr[1], _WHOLE))
            return union(self.type_of(place) for place in places)
        if operation == "of":
            return self.type_of((path, expr[1]))
        if operation == "props":
            return self._props(self.value(path, expr[1]))
        if operation == "this":
            return self._this((path, expr[1]))
        return super()._value_of_part(path, expr)

    def _this(self, place: Place) -> Type | None:
        """The receiver: also what is expected where an object is written in place."""
        decl = self.decl(place)
        if decl.kind == DeclKind.FUNCTION:
            return ("inst", place, ()) if decl.members != NOTHING else None
        own: Type = ("self", place)
        if decl.kind == DeclKind.OBJECT:
            return union((own, self.value(place[0], decl.type)))
        return own

    def _props(self, type_: Type | None) -> Type | None:
        """What a component takes: the first parameter of a function, or of its class."""
        found: list[Type | None] = []
        for item in members_of(type_):
            if item[0] == "func":
                found.append(self._parameter(item, 0))
            elif item[0] == "class":
                found.append(self.member_type(("inst", item[1], item[2]), "props"))
            elif item[0] == "inst":
                found.append(self._parameter(self.member_type(item, self.dialect.called), 0))
        return union(found)

    def _called(self, type_: Type, path: str, arguments: Sequence[int], expr: Expr) -> Type | None:
        if type_[0] == "func" and expr[0] == "new":
            return ("inst", type_[1], ())
        if type_[0] == "inst" and expr[0] == "new":
            made = members_of(self.member_type(type_, "new"))
            return union(
                self._returned(item, path, arguments, expr) for item in made if item[0] == "func"
            )
        if type_[0] == "class" and self.decl(type_[1]).kind == DeclKind.INTERFACE:
            return None  # of the same name as the value that is called
        return super()._called(type_, path, arguments, expr)

    def _indexed(self, path: str, expr: Expr) -> Type | None:
        of = self.value(path, expr[1])
        found: list[Type | None] = []
        for item in members_of(of):
            if item[0] == "tuple" and expr[2] != NOTHING:
                found.append(self._item(item, expr[2]))
            elif item in (EXTERNAL, FOREIGN):
                found.append(FOREIGN)
            elif item[0] in ("inst", "self", "param"):
                found.append(self.member_type(item, _INDEXED) or self.element(item))
            else:
                found.append(self.element(item))
        return union(found)

    # Members.

    def find(self, type_: Type | None, name: str) -> Member:
        """The member that a name means on a value of a type."""
        if type_ is not None and type_[0] == "func":
            return self._find_on_function(type_, name)
        if OPAQUE in members_of(type_):
            return Member((), {})
        if type_ is not None and type_[0] == "tuple":
            return super().find(self.builtin("Array", (union(type_[1]),)), name)
        found = super().find(type_, name)
        if type_ is None or type_[0] not in ("inst", "class", "func"):
            return found
        if self.decl(type_[1]).kind == DeclKind.OBJECT and self._is_exported(type_[1]):
            return Member(self._through(found.places), found.known)
        if not found.places or found.places == (OUTSIDE,):
            return self._exported_beside(type_[1], name) or found
        return found

    def _find_in_class(self, type_: Type, name: str) -> Member:
        """A member of a class; what it only promises to have, a base outside has."""
        found = super()._find_in_class(type_, name)
        place = type_[1]
        if self.decl(place).kind != DeclKind.CLASS or not found.places:
            return found
        if not self.ancestors(place).is_open or len(self.merged(place)) > 1:
            return found
        return Member((OUTSIDE,), {}) if self._are_promised(found.places) else found

    def _are_promised(self, places: Places) -> bool:
        """Whether none of these stands in a class."""
        for place in places:
            facts = self.facts(place[0]) if place != OUTSIDE else None
            if facts is None or place[1] == NOTHING:
                return False
            owner = facts.scopes[facts.decls[place[1]].scope].owner
            if owner == NOTHING or facts.decls[owner].kind == DeclKind.CLASS:
                return False
        return True

    def _is_exported(self, place: Place) -> bool:
        """Whether a declaration is what its CommonJS module exports as a whole."""
        facts = self.facts(place[0])
        number = (facts.exports or {}).get(_WHOLE, NOTHING) if facts is not None else NOTHING
        if number == NOTHING:
            return False
        expr = self.expr(place[0], number)
        if expr[0] in ("decl", "name"):
            return place in self.targets(place[0], number) or self._is_value(place, number)
        return False

    def _is_value(self, place: Place, number: int) -> bool:
        return any(
            len(item) > 1 and item[1] == place for item in members_of(self.value(place[0], number))
        )

    def _exported_beside(self, place: Place, name: str) -> Member | None:
        """`exports = module.exports = f; exports.x = …` puts x on f."""
        facts = self.facts(place[0])
        number = (facts.exports or {}).get(name, NOTHING) if facts is not None else NOTHING
        if number == NOTHING or not self._is_exported(place):
            return None
        return Member(self._with_required(self.targets(place[0], number)), {})

    def _find_on_function(self, type_: Type, name: str) -> Member:
        place = type_[1]
        own = self._own_members(place, name, wants_static=True)
        if own:
            return Member(own, {})
        for part in self.merged_spaces(place):
            found = self.followed(self._own(part, name))
            if found:
                return Member(found, {})
        beside = self._exported_beside(place, name)
        if beside is not None:
            return beside
        return super().find(self.builtin("Function"), name)

    def merged_spaces(self, place: Place) -> list[Place]:
        """Namespaces of the same name as a function."""
        decl = self.decl(place)
        facts = self.facts(place[0])
        numbers = facts.scopes[decl.scope].names.get(decl.name, ()) if facts is not None else ()
        return [
            (place[0], number)
            for number in numbers
            if facts is not None and facts.decls[number].kind == DeclKind.NAMESPACE
        ]

    def _own(self, place: Place, name: str) -> Places:
        decl = self.decl(place)
        if decl.kind != DeclKind.FUNCTION:
            return super()._own(place, name)
        key = self.key(place)
        if key is not None:
            self.note(place[0], f"{key}.{name}")
        facts = self.facts(place[0])
        if facts is None or decl.members == NOTHING:
            return ()
        return tuple((place[0], n) for n in facts.scopes[decl.members].names.get(name, ()))

    def merged(self, place: Place) -> list[Place]:
        """All declarations of one thing; a function is one, what is shared has parts anywhere."""
        decl = self.decl(place)
        if decl.kind == DeclKind.FUNCTION:
            return [place]
        found = super().merged(place)
        is_shared = place[0] == self.dialect.stubs or self._is_shared(place)
        if not is_shared or decl.kind == DeclKind.OBJECT:
            return found
        others = [*self.shared(decl.name), *self._builtin(decl.name)]
        return [*found, *(other for other in others if other not in found)]

    def member_type(self, type_: Type | None, name: str) -> Type | None:
        """What is known of a member of a value."""
        if type_ is None:
            return None
        kind = type_[0]
        if OPAQUE in members_of(type_):
            return None
        if kind in ("class", "func") and name == "prototype":
            return ("inst", type_[1], ())
        if kind in ("inst", "self") and name == self.constructor_name:
            return ("class", type_[1], ())
        if kind == "func" and name == "bind":
            return ("callable", type_, ())
        if kind == "tuple":
            return super().member_type(self.builtin("Array", (union(type_[1]),)), name)
        found = super().member_type(type_, name)
        if found is None and kind in ("inst", "self") and name != _INDEXED:
            return self._by_index(type_)
        return found

    def _by_index(self, type_: Type) -> Type | None:
        """What a value with an index signature gives for a name that it does not declare."""
        place = type_[1]
        if place[0] == self.dialect.stubs and self.decl(place).name in _LISTS:
            return None
        return super().member_type(type_, _INDEXED)

    def bases(self, place: Place) -> tuple[Type | None, ...]:
        """What a class extends, what is spread into an object, what an interface merges."""
        decl = self.decl(place)
        if decl.kind == DeclKind.OBJECT:
            return tuple(self.value(place[0], part) for part in decl.parts)
        outside = (EXTERNAL,) if self._is_of_others(place) else ()
        return outside + tuple(
            base
            for part in self.merged(place)
            for number in self.decl(part).parts
            if self.decl(part).kind != DeclKind.FUNCTION
            for base in (self.type_(part[0], number),)
        )

    def _is_of_others(self, place: Place) -> bool:
        """Whether a declaration adds to a module that is declared by its name."""
        facts = self.facts(place[0])
        owner = facts.scopes[self.decl(place).scope].owner if facts is not None else NOTHING
        if facts is None or owner == NOTHING:
            return False
        around = facts.decls[owner]
        called = around.name.removeprefix("node:")
        return f'"{called}"' in facts.scopes[around.scope].names

    # Types.

    def _type(self, path: str, expr: Expr, number: int) -> Type | None:
        operation = expr[0]
        if operation == "typeof":
            return self.value(path, expr[1])
        if operation == "opaque":
            return OPAQUE
        if operation == "member" and self.expr(path, expr[1])[0] == "typed":
            return self.member_type(self.value(path, expr[1]), expr[2])
        return super()._type(path, expr, number)

    def _form_of(self, form: str) -> Callable[[str, Sequence[int]], Type | None]:
        forms: dict[str, Callable[[str, Sequence[int]], Type | None]] = {
            "awaited": lambda path, items: self.awaited(self.type_(path, items[0])),
            "result": self._result_form,
            "instance": lambda path, items: self.instance(self.type_(path, items[0])),
        }
        return forms.get(form) or super()._form_of(form)

    def _result_form(self, path: str, items: Sequence[int]) -> Type | None:
        of = self.type_(path, items[0])
        return union(self.called_result(item) for item in members_of(of))
