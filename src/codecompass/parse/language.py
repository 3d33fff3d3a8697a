"""What a row of the table of languages holds."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from codecompass.text.masks import SecretStyle


class ExportRule(StrEnum):
    """How a language says that a definition may be used from outside its file."""

    STATEMENT = "statement"  # an export statement around it or naming it
    PYTHON = "python"  # `__all__` where present, else no leading underscore
    CAPITAL = "capital"  # a capital first letter
    MODIFIER = "modifier"  # one of `export_modifiers` stands before it
    DEFAULT = "default"  # exported unless one of `private_modifiers` stands before it
    UNKNOWN = "unknown"


class PlainNames(NamedTuple):
    """How files of a language know each other's names."""

    files: tuple[str, ...] = ()  # which file a module stands for, as "{}.lua"; else it is a name
    has_dotted_folders: bool = False  # `a.b` is in the folder `a`
    is_open: bool = False  # files see each other's names without an import
    is_flat: bool = False  # what stands inside a type is known outside of it


@dataclass(frozen=True, slots=True)
class Language:
    """What extraction must know of a language beside its queries."""

    name: str
    label: str
    suffixes: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    grammar: tuple[str, str] | None = None
    queries: tuple[str, ...] = ()
    separator: str = "."
    comment: str = "#"
    quotes: str = "\"'"  # what a string stands between; without ' that is for characters
    is_never_empty: bool = False  # a block has to hold something
    opening: str = ""  # what a file has to begin with to be code at all
    exports: ExportRule = ExportRule.UNKNOWN
    export_modifiers: frozenset[str] = frozenset()
    private_modifiers: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    constructors: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()  # root nodes that only hold other root nodes
    comments_document: bool = True  # a comment right above a definition is its doc
    silent_names: frozenset[str] = frozenset()  # identifiers that refer to nothing
    import_splits_path: bool = False  # `import a.b.C` imports C from a.b
    name_prefix: str = ""  # a mark that is not part of a name, as in Ruby's `attr_reader :x`
    module_binds: str = ""  # which part of its path a plain module import binds: first, last
    has_references: bool = True
    has_joined_names: bool = False  # a type may say where it belongs: `class A::B`
    has_tags: bool = False  # `struct x` and `x` are two names
    walker: str = ""  # which walker reads what its names mean
    plain: PlainNames | None = None  # without a walker: how files know each other's names
    secrets: SecretStyle = SecretStyle.CODE  # how values that are secrets are written
    scanner: str = ""  # what has to be looked at before the grammar's scanner sees a text
    needs_line_end: bool = False  # the scanner looks for the end of the last line for ever
    repairs: tuple[str, ...] = ()  # what to change in a text that the grammar rejects


CLASS_NAME = "<class>"
"""Among `constructors`: a method with its class's name is one."""
