"""What one file says about names: scopes, declarations, small expressions, uses.

A pure function of the text, like symbols. Nothing here says what a name means: that
depends on the other files of a snapshot and is `link`'s business. Tables refer to each
other by index, so that they can be stored as they are; -1 stands for nothing.

An expression is a tuple that begins with its operation:

- `("name", name, scope)`: what a name stands for in a scope
- `("member", of, name)`, `("index", of, key)`: a part of another value
- `("call", of, arguments, type arguments)`, `("new", ...)`: what calling it gives
- `("from", module, name)`: what another file exports; "" for the module itself
- `("either", expressions)`: one of several
- `("tuple", expressions)`, `("make", builtin type, groups of expressions)`: a literal;
  each group is what one type argument is made of
- `("sum", expressions)`: what arithmetic gives, by the types of what it is made of
- `("lit", builtin type)`, `("none",)`: a constant
- `("decl", declaration)`: a function, class or object written in place
- `("this", class declaration)`, `("class_of_this", ...)`, `("super", ...)`: the receiver
- `("each", of)`, `("item", of, position)`, `("await", of)`, `("enter", of)`: what a loop,
  an unpacking, an `await` and a `with` take out of a value
- `("apply", of, arguments)`: a generic type with its arguments
- `("instance", of)`: a value of the type that an expression names; `("narrowed", of, known)`:
  a value where a check has said what it is
- `("function", declaration)`: a type written as a function's; `("builtin", name, arguments)`:
  one of the language's own; `("typed", of)`: a value of the type an expression writes;
  `("typeof", of)`: the type of a value
- `("opaque",)`: a type of which nothing can be told, as one that goes round in circles
- `("of", declaration)`: what a declaration without a name is
- `("require", module)`: what a CommonJS module exports
- `("props", of)`: what a component takes
- `("expected", call, position)`: what a call expects as an argument; `("parameter", of,
  position)`: what a function of such a type takes
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from codecompass.model.reference import Role

Expr = tuple[Any, ...]

ROLES = (*Role, Role.TYPE)
"""Roles by their number in a use."""
ROLE_NUMBERS = {role: number for number, role in enumerate(Role)}
GIVEN_TYPE = len(ROLES) - 1
"""The role of a type in what a function says that it returns; one of types all the same."""

NOTHING = -1


class DeclKind(IntEnum):
    """What a declaration makes."""

    CLASS = 0
    INTERFACE = 1
    ENUM = 2
    ENUM_MEMBER = 3
    FUNCTION = 4
    METHOD = 5
    FIELD = 6
    VARIABLE = 7
    PARAMETER = 8
    TYPE = 9  # another name for a type
    TYPE_PARAMETER = 10
    NAMESPACE = 11
    IMPORT = 12
    OBJECT = 13  # an object or a type written in place
    NARROWED = 14  # a variable where more is known of its type


INCLUDE = '"'
"""What stands before the path of a file where also names may stand."""
HIDDEN = "?"
"""What stands before the shared name of what other files see only if they import it."""
EXTENSION = "+"
"""What stands before the shared name of a function that is called like a member."""


class DeclFlag:
    """What else is known of a declaration."""

    LOCAL = 1  # inside a function
    STATIC = 2
    ASYNC = 4
    GENERATOR = 8
    PROPERTY = 16  # called without parentheses
    CLASS_METHOD = 32
    REST = 64  # takes all further arguments
    REST_NAMED = 128
    INSTANCE = 256  # made through the receiver, inside a method
    FIXTURE = 512  # handed to tests by its name
    PART = 1024  # says more of what is defined elsewhere
    PRIVATE = 2048  # not seen outside its file
    INACTIVE = 4096  # left out of a usual build
    NAMING = 8192  # a macro that takes names, of which it may make anything
    MUTATING = 16384  # takes its receiver as `&mut self`


class ScopeKind(IntEnum):
    """How a scope takes part in looking up a name."""

    MODULE = 0
    CLASS = 1
    FUNCTION = 2
    BLOCK = 3


_VALUES = frozenset(
    {DeclKind.PARAMETER, DeclKind.FIELD, DeclKind.METHOD, DeclKind.FUNCTION, DeclKind.VARIABLE}
)


class Decl(NamedTuple):
    """One declaration of a name."""

    name: str
    kind: int
    start: int  # byte of the name
    line: int
    scope: int  # where the name is bound
    flags: int = 0
    type: int = NOTHING  # an expression, read as a type
    value: int = NOTHING  # an expression
    inner: int = NOTHING  # the scope it opens
    parts: tuple[int, ...] = ()  # expressions of a class's bases; declarations of parameters
    returns: tuple[int, ...] = ()  # expressions that a function returns or yields
    decorators: tuple[int, ...] = ()
    type_parameters: tuple[int, ...] = ()
    members: int = NOTHING  # a scope with what is put on a function from outside it


def may_be_type(decl: Decl) -> bool:
    """Whether a declaration can be what the name of a type stands for."""
    return decl.kind not in _VALUES


class Scope(NamedTuple):
    """A region of the file with names of its own."""

    kind: int
    parent: int
    owner: int  # the declaration that opens it
    names: dict[str, list[int]]  # declarations by name, in source order


class Use(NamedTuple):
    """A name that stands for something not local to the function it stands in."""

    start: int
    line: int
    role: int
    expr: int  # a name, a member, or something imported
    enclosing: int = NOTHING  # ordinal of the innermost symbol around it


class ModuleFacts(NamedTuple):
    """All tables of one file."""

    decls: list[Decl]
    scopes: list[Scope]
    exprs: list[Expr]
    uses: list[Use]
    exports: dict[str, int] | None  # expressions by name; None: all names of the file
    stars: list[str]  # modules all of whose names are passed on
    keys: dict[int, str]  # of declarations that can be meant from elsewhere
    package: str = ""  # the name of the package, where files make up packages
    shared: int = NOTHING  # the scope whose names are known in every file
    ordinals: Mapping[int, int] = MappingProxyType({})  # of the symbols that declarations are
    locals: Sequence[int] = ()  # where names stand that are local to a function; not stored
