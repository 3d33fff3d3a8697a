"""The questions about a language that the resolver asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


class Modules(Protocol):
    """Which file the text of an import means."""

    def resolve(self, importer: str, module: str) -> str | None:
        """The path of the file, or of a folder with a slash at its end; None if outside."""

    def part(self, path: str, name: str) -> str | None:
        """The file or folder that is a part of a module by its name."""

    def units(self, path: str) -> list[str]:
        """What a file is a part of beside its own module, by which names may be noted."""

    def owners(self, path: str) -> list[tuple[str, str]]:
        """The names that may mean something else when a file comes or goes, by their files."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language takes values apart."""

    stubs: str  # the path under which the language's own types are known
    stub_modules: frozenset[str] = frozenset()  # modules whose names are among them
    is_class_scope_visible: bool = False  # methods see members without a receiver
    has_static_members: bool = False
    iterate: tuple[str, ...] = ()  # members whose results lead from a value to what a loop takes
    enter: tuple[str, ...] = ()
    awaited: str = ""
    called: str = ""
    indexed: str = ""
    promise: str = ""  # what an async function returns, around its result
    generator: str = ""
    sequence: str = ""  # what further arguments arrive in
    mapping: str = ""
    forms: Mapping[str, str] = field(default_factory=dict)  # what special type names do
    type_makers: Mapping[str, str] = field(default_factory=dict)  # calls that make types
    hides_underscores: bool = False  # `import *` leaves out names that begin with one
