"""What walkers of languages with classes, functions and calls have in common.

A language says which of its nodes are what and where their parts stand; the verbs here
put them into tables. Names of files that others see without naming the file are also
bound in a shared scope under their full names, `package.Class`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from tree_sitter import Node

from codecompass.model.module import EXTENSION, NOTHING, DeclFlag, DeclKind, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.builder import Builder

Visit = Callable[[Node, int, Role], int]


_BLOCKS = frozenset({"block", "compound_statement"})
Generic = Sequence[tuple[Node, Node | None]]
"""Type parameters: their names and what they are at least."""


class ClassParts(NamedTuple):
    """Where the parts of a class stand."""

    bases: Sequence[Node] = ()
    generic: Generic = ()
    body: Node | None = None
    made_with: Sequence[Node] = ()  # parameters of the class itself that are members
    called: str = ""  # its name, if it is not the text of its node


class FunctionParts(NamedTuple):
    """Where the parts of a function stand."""

    parameters: Sequence[Node] = ()
    result: Node | None = None
    body: Node | None = None
    generic: Generic = ()
    flags: int = 0
    called: str = ""  # its name, if it is not the text of its node
    has_overloads: bool = True


def walk_with(walker: "General", root: Node) -> ModuleFacts:
    """The tables of a file."""
    try:
        walker.children(root, 0)
        return walker.builder.finish()
    finally:
        walker.close()


def first(node: Node | None, *types: str) -> Node | None:
    """The first child of one of these types."""
    return next((c for c in node.named_children if c.type in types), None) if node else None


def every(node: Node | None, *types: str) -> list[Node]:
    """All children of these types."""
    return [child for child in node.named_children if child.type in types] if node else []


class General:
    """Goes through a file once, in source order; a language adds what its nodes are."""

    names: frozenset[str] = frozenset({"identifier"})  # nodes that name a value
    type_names: frozenset[str] = frozenset({"identifier", "type_identifier"})
    silent: frozenset[str] = frozenset()  # words that name nothing
    literals: ClassVar[Mapping[str, str]] = {}  # nodes that are values of the language's own types

    def __init__(self, text: bytes) -> None:
        self.builder = Builder(text)
        self.builder.shared = self.builder.open_scope(ScopeKind.MODULE, NOTHING)
        self.this = NOTHING  # the class around
        self.returned: list[int] = []
        self.space: tuple[str, ...] = ()  # packages and classes around
        self.kinds: dict[str, Visit] = dict.fromkeys(self.names, self._name)
        self.kinds |= dict.fromkeys(self.literals, self._literal)

    def close(self) -> None:
        """Let go of everything: the tables of methods keep it alive where no garbage is sought."""
        self.__dict__.clear()

    # Going through nodes.

    def visit(self, node: Node | None, scope: int, role: Role = Role.READ) -> int:
        """Note what is declared and used in a node; returns what it says as an expression."""
        if node is None:
            return NOTHING
        handle = self.kinds.get(node.type)
        if handle is not None:
            return handle(node, scope, role)
        return self.children(node, scope)

    def children(self, node: Node, scope: int, _role: Role = Role.READ) -> int:
        """Everything below a node; it says what its only part says."""
        found = [self.visit(child, scope) for child in node.named_children]
        return found[0] if len(found) == 1 else NOTHING

    def block(self, node: Node, scope: int, _role: Role = Role.READ) -> int:
        """Statements with names of their own."""
        return self.children(node, self.builder.open_scope(ScopeKind.BLOCK, scope))

    def skip(self, _node: Node, _scope: int, _role: Role) -> int:
        """Nothing in it names anything."""
        return NOTHING

    def text(self, node: Node) -> str:
        """The text of a node."""
        return self.builder.text(node)

    # Names, members, calls.

    def _name(self, node: Node, scope: int, role: Role) -> int:
        return self.use_name(node, self.text(node), scope, role)

    def _literal(self, node: Node, scope: int, _role: Role) -> int:
        self.children(node, scope)
        return self.builder.expr("lit", self.literals[node.type])

    def use_name(self, node: Node, name: str, scope: int, role: Role) -> int:
        """A name that stands for something."""
        return self._noted("name", node, name, scope, role)

    def use_type(self, node: Node, name: str, scope: int, role: Role) -> int:
        """A name that stands for a type, whatever values are called the same."""
        return self._noted("typename", node, name, scope, role)

    def _noted(self, operation: str, node: Node, name: str, scope: int, role: Role) -> int:
        if name in self.silent:
            return NOTHING
        found = self.builder.expr(operation, name, scope)
        self.builder.use(node, role, found)
        return found

    def use_member(self, of: int, node: Node, role: Role, name: str = "") -> int:
        """A name behind a value."""
        found = self.builder.expr("member", of, name or self.text(node))
        self.builder.use(node, role, found)
        return found

    def call(self, function: Node | None, given: Iterable[Node], scope: int) -> int:
        """A call; what is called also knows the arguments, by which overloads are told apart."""
        mark = self.builder.pending
        called = self.visit(function, scope, Role.CALL)
        return self.called(called, mark, [self.visit(item, scope) for item in given])

    def called(self, function: int, mark: int, given: Sequence[int]) -> int:
        """The value of a call whose parts have been read."""
        if function == NOTHING:
            return NOTHING
        arguments = tuple(given)
        expr = self.builder.exprs[function]
        if expr[0] in ("name", "member") and len(expr) == 3:
            meant = self.builder.expr(*expr, arguments)
            self.builder.change_uses(mark, function, meant)
            function = meant
        found = self.builder.expr("call", function, arguments, ())
        for position, value in enumerate(arguments):
            self.expect(value, found, position)
        return found

    def expect(self, value: int, call: int, position: int) -> None:
        """A lambda's parameters are what the call expects."""
        if value == NOTHING or self.builder.exprs[value][0] != "decl":
            return
        expected = self.builder.expr("expected", call, position)
        lambda_ = self.builder.decls[self.builder.exprs[value][1]]
        for place, number in enumerate(lambda_.parts):
            decl = self.builder.decls[number]
            if decl.type == decl.value == NOTHING:
                self.builder.update(number, value=self.builder.expr("parameter", expected, place))

    def typed(self, known: int) -> int:
        """A value of a written type."""
        return NOTHING if known == NOTHING else self.builder.expr("typed", known)

    def this_value(self, operation: str = "this") -> int:
        """The receiver."""
        if self.this == NOTHING:
            return NOTHING
        if operation == "super":
            return self.builder.expr("super", self.this, NOTHING)
        return self.builder.expr(operation, self.this)

    # Types.

    def type_(self, node: Node | None, scope: int, role: Role = Role.TYPE) -> int:
        """What a type says; a language adds its own forms in `type_form`."""
        if node is None:
            return NOTHING
        if node.type in self.type_names:
            return self.use_type(node, self.text(node), scope, role)
        found = self.type_form(node, scope, role)
        if found is not None:
            return found
        parts = [self.type_(child, scope, role) for child in node.named_children]
        return next((part for part in parts if part != NOTHING), NOTHING)

    def type_form(self, node: Node, scope: int, role: Role) -> int | None:  # noqa: ARG002
        """A type that is not just a name; None if it says what its first part says."""
        return None

    def applied(
        self, head: Node | None, given: Iterable[Node], scope: int, role: Role = Role.TYPE
    ) -> int:
        """A generic type with its arguments."""
        known = self.type_(head, scope, role)
        arguments = tuple(self.type_(item, scope) for item in given)
        if known == NOTHING or not arguments:
            return known
        return self.builder.expr("apply", known, arguments)

    def many(self, of: int) -> int:
        """A list of values of a type."""
        return self.builder.expr("builtin", "Array", (of,))

    def type_parameter(self, name: Node, bound: Node | None, scope: int) -> int:
        """Bind a type parameter with what it is at least."""
        known = self.type_(bound, scope)
        return self.builder.declare(
            name, DeclKind.TYPE_PARAMETER, scope, flags=DeclFlag.LOCAL, type=known
        )

    # Declarations.

    def share(self, number: int, *path: str) -> None:
        """Make a declaration known to other files under its full name."""
        full_name = ".".join((*self.space, *path))
        self.builder.scopes[self.builder.shared].names.setdefault(full_name, []).append(number)

    def share_extension(self, number: int, name: str) -> None:
        """Make a function known that is called like a member of what it extends."""
        self.share(number, EXTENSION + name)

    def enter_package(self, name: str) -> None:
        """All that follows in the file belongs to a package."""
        self.builder.package = name
        self.space = tuple(name.split("."))

    def namespace(self, name: str, body: Node | None, scope: int) -> int:
        """A part of a file with names under another name."""
        if body is None:
            return NOTHING
        number = self.builder.declare_name(name, body, DeclKind.NAMESPACE, scope, bind=False)
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope, number)
        self.builder.update(number, inner=inner)
        outer, self.space = self.space, (*self.space, *name.split("."))
        self.children(body, inner)
        self.space = outer
        return NOTHING

    def import_name(
        self, node: Node, full_name: str, scope: int, alias: Node | None = None
    ) -> None:
        """A name that stands for another one by its full name."""
        value = self.builder.expr("from", full_name, "")
        self.builder.use(node, Role.IMPORT, value)
        self.builder.declare(
            alias if alias is not None else node, DeclKind.IMPORT, scope, value=value
        )

    def class_(self, name: Node, kind: DeclKind, scope: int, parts: ClassParts) -> int:
        """A class with its members."""
        known_as = parts.called or self.text(name)
        is_local = self.builder.local_flag(scope)
        number = self.builder.declare_name(
            known_as, name, kind, scope, flags=is_local, bind="." not in known_as
        )
        if not is_local:
            self.share(number, known_as)
        around = self.builder.open_scope(ScopeKind.BLOCK, scope)
        parameters = tuple(self.type_parameter(one, bound, around) for one, bound in parts.generic)
        bases = [self.type_(base, around, Role.INHERIT) for base in parts.bases]
        self.builder.update(
            number, type_parameters=parameters, parts=tuple(b for b in bases if b != NOTHING)
        )
        self.members(number, parts.body, around, made_with=parts.made_with)
        return number

    def members(
        self, number: int, body: Node | None, scope: int, *, made_with: Iterable[Node] = ()
    ) -> None:
        """The members of a class."""
        inner = self.builder.open_scope(ScopeKind.CLASS, scope, number)
        self.builder.update(number, inner=inner)
        outer, space = self.this, self.space
        self.this, self.space = number, (*space, *self.builder.decls[number].name.split("."))
        for item in made_with:
            self.visit(item, inner)
        if body is not None:
            self.children(body, inner)
        self.this, self.space = outer, space

    def function(self, name: Node, scope: int, parts: FunctionParts) -> int:
        """A function or a method with what it takes and gives."""
        is_member = self.builder.scopes[scope].kind == ScopeKind.CLASS
        kind = DeclKind.METHOD if is_member else DeclKind.FUNCTION
        flags = parts.flags | (0 if is_member else self.builder.local_flag(scope))
        known_as = parts.called or self.text(name)
        number = self.builder.declare_name(known_as, name, kind, scope, flags=flags)
        if not is_member and not flags & DeclFlag.LOCAL:
            self.share(number, known_as)
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        types = tuple(self.type_parameter(one, bound, inner) for one, bound in parts.generic)
        self.builder.is_result = True
        given = self.type_(parts.result, inner)
        self.builder.is_result = False
        taken = self._parameters(parts.parameters, inner)
        if parts.has_overloads:
            self.builder.labels[number] = f"{known_as}({self._written_types(taken)})"
        self.builder.update(number, inner=inner, parts=taken, type=given, type_parameters=types)
        self._body(number, parts.body, inner)
        return number

    def _parameters(self, nodes: Iterable[Node], scope: int) -> tuple[int, ...]:
        numbers = [self.parameter(node, scope) for node in nodes]
        return tuple(number for number in numbers if number != NOTHING)

    def _written_types(self, parts: Sequence[int]) -> str:
        """The types that tell an overload from the others, by their names."""
        return ",".join(self._type_text(self.builder.decls[number].type) for number in parts)

    def _type_text(self, number: int) -> str:
        expr = self.builder.exprs[number] if number != NOTHING else ("",)
        if expr[0] == "apply":
            return self._type_text(expr[1])
        if expr[0] == "builtin":
            return f"{self._type_text(expr[2][0])}[]" if expr[2] else str(expr[1])
        if expr[0] == "lit":
            return str(expr[1])
        return str(expr[1] if expr[0] == "typename" else expr[2] if expr[0] == "member" else "_")

    def _body(self, number: int, body: Node | None, inner: int) -> None:
        outer, self.returned = self.returned, []
        if body is not None:
            value = self.visit(body, inner)
            gives = self.gives_last or body.type not in _BLOCKS
            if not self.returned and value != NOTHING and gives:
                self.returned.append(value)
        self.builder.update(number, returns=tuple(self.returned))
        self.returned = outer

    gives_last = False  # whether a function gives what its last expression says

    def parameter(self, node: Node, scope: int) -> int:
        """Bind one parameter; NOTHING if the node is none."""
        raise NotImplementedError

    def bind_parameter(
        self, name: Node, scope: int, written: int = NOTHING, default: Node | None = None,
        *, is_rest: bool = False, called: str = "",
    ) -> int:  # fmt: skip
        """A parameter of a written type; one with a default may be left out."""
        value = self.visit(default, scope) if default is not None else NOTHING
        if default is not None and value == NOTHING:
            value = self.builder.expr("none")
        flags = DeclFlag.LOCAL | (DeclFlag.REST if is_rest else 0)
        return self.builder.declare_name(
            called or self.text(name), name, DeclKind.PARAMETER, scope,
            type=written, value=value, flags=flags,
        )  # fmt: skip

    def variable(
        self, name: Node, scope: int, written: int = NOTHING, value: int = NOTHING,
        *, called: str = "", flags: int = 0,
    ) -> int:  # fmt: skip
        """A variable, or a field where it stands in a class."""
        is_member = self.builder.scopes[scope].kind == ScopeKind.CLASS
        kind = DeclKind.FIELD if is_member else DeclKind.VARIABLE
        flags |= 0 if is_member else self.builder.local_flag(scope)
        known_as = called or self.text(name)
        number = self.builder.declare_name(
            known_as, name, kind, scope, type=written, value=value, flags=flags
        )
        if not is_member and not flags & DeclFlag.LOCAL:
            self.share(number, known_as)
        return number

    def lambda_(
        self, node: Node, parameters: Iterable[Node], body: Node | None, scope: int
    ) -> int:
        """A function without a name."""
        number = self.builder.declare_name(
            "", node, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        self.builder.update(number, inner=inner, parts=self._parameters(parameters, inner))
        self._body(number, body, inner)
        return self.builder.expr("decl", number)

    def give_back(self, node: Node, scope: int, _role: Role) -> int:
        """`return value`."""
        value = self.children(node, scope)
        if value != NOTHING:
            self.returned.append(value)
        return NOTHING

    def index(self, node: Node, scope: int, _role: Role) -> int:
        """`value[item]`."""
        values = [self.visit(child, scope) for child in node.named_children]
        if not values or values[0] == NOTHING:
            return NOTHING
        return self.builder.expr("index", values[0], NOTHING, ())

    def assignment(self, node: Node, scope: int, _role: Role) -> int:
        """`left = right`."""
        self.visit(node.child_by_field_name("left"), scope, Role.WRITE)
        return self.visit(node.child_by_field_name("right"), scope)

    def unary(self, node: Node, scope: int, _role: Role) -> int:
        """An operator before or behind a value; `++` and `--` write it."""
        is_step = any(child.type in ("++", "--") for child in node.children)
        role = Role.WRITE if is_step else Role.READ
        found = [self.visit(child, scope, role) for child in node.named_children]
        return found[0] if len(found) == 1 else NOTHING

    def each(
        self, name: Node, over: int, scope: int, written: int = NOTHING, called: str = ""
    ) -> None:
        """A variable of a loop."""
        item = NOTHING if over == NOTHING else self.builder.expr("each", over)
        self.variable(name, scope, written, item, called=called)
