"""A use of a name in one file, and what its imports say."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """What a use of a name does with it."""

    DEFINITION = "definition"
    EXPORT = "export"
    IMPORT = "import"
    CALL = "call"
    TYPE = "type"
    READ = "read"
    WRITE = "write"
    INHERIT = "inherit"
    DECORATE = "decorate"


USAGE = frozenset({Role.CALL, Role.TYPE, Role.READ, Role.WRITE, Role.INHERIT, Role.DECORATE})
"""The roles of a use that neither makes nor passes on what it names."""
ROLE_CHOICES = (*map(str, Role), "usage", "possible")
"""What a caller may ask for: roles, all usages, or places that only share the name."""


class Reference(NamedTuple):
    """One use of a name that is not local to the function it stands in.

    A named tuple: there are five for each symbol, and a frozen dataclass takes four
    times as long to make.
    """

    name: str
    role: Role
    line: int
    start_byte: int
    enclosing: int | None  # ordinal of the innermost symbol around it
    receiver: str  # `self.x` in `self.x.name`, "()" for any other expression, "" for none


@dataclass(frozen=True, slots=True)
class Import:
    """One name, or one module, that a file brings in; the texts are literal."""

    module: str
    name: str  # what is imported from the module; "*" for everything; "" for the module itself
    bound_name: str  # the name by which the file speaks of it; "" if it binds none we can know
    line: int
    start_byte: int
    type_only: bool = False
    namespace: bool = False
    default: bool = False
    re_export: bool = False
    dynamic: bool = False
    side_effect: bool = False
