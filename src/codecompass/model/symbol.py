"""A definition in one file, as its source states it."""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from codecompass.model.source import Span


class SymbolKind(StrEnum):
    """What a symbol or a root statement is."""

    MODULE = "module"
    NAMESPACE = "namespace"
    CLASS = "class"
    INTERFACE = "interface"
    TRAIT = "trait"
    PROTOCOL = "protocol"
    STRUCT = "struct"
    ENUM = "enum"
    ENUM_MEMBER = "enum_member"
    TYPE = "type"
    FUNCTION = "function"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    PROPERTY = "property"
    FIELD = "field"
    CONSTANT = "constant"
    VARIABLE = "variable"
    COMPONENT = "component"
    MACRO = "macro"
    IMPL = "impl"
    SECTION = "section"
    KEY = "key"
    IMPORT = "import"
    EXPORT = "export"
    EXPRESSION = "expression"


TYPE_KINDS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.PROTOCOL,
        SymbolKind.STRUCT,
        SymbolKind.ENUM,
        SymbolKind.TYPE,
    }
)
"""Kinds that name types."""

STATEMENT_KINDS = frozenset({SymbolKind.IMPORT, SymbolKind.EXPORT, SymbolKind.EXPRESSION})
"""Kinds of root statements: chunks of their own, but not definitions."""


class Symbol(NamedTuple):
    """A definition, or a root statement that is a chunk of its own (`STATEMENT_KINDS`).

    `ordinal` numbers the records of one file in source order; `parent` is the ordinal
    of the symbol around it; `chunk_parent` that of the chunk around it, which is a
    root statement where a definition stands inside a top-level `if` or `try`. A named
    tuple, because extraction makes them by the hundred thousand.
    """

    ordinal: int
    name: str
    qualified_name: str
    kind: SymbolKind
    scope: tuple[str, ...]  # names of what it belongs to, outermost first
    parent: int | None
    chunk_parent: int | None
    depth: int
    span: Span
    name_start: int  # byte where the name stands, -1 if it has none of its own
    body_start: int  # byte range of the body; -1 if there is none to collapse
    body_end: int
    signature: str
    doc: str
    modifiers: tuple[str, ...]
    decorators: tuple[str, ...]
    is_exported: bool | None  # None: the language does not say
    body_hash: str
    stable_id: str

    @property
    def is_statement(self) -> bool:
        """Whether this is a root statement and not a definition."""
        return self.kind in STATEMENT_KINDS

    @property
    def has_body(self) -> bool:
        """Whether a chunk around this one shows its signature instead of its text."""
        return self.body_start >= 0


@dataclass(frozen=True, slots=True)
class PlacedSymbol:
    """A symbol at one path of a snapshot."""

    path: str
    language: str
    symbol: Symbol

    @property
    def handle(self) -> str:
        """A short id, the same in every run for the same path and definition."""
        return symbol_handle(self.path, self.symbol.stable_id)


_HANDLE_ID_CHARS = 10
_HANDLE_PATH_CHARS = 3
HANDLE_CHARS = _HANDLE_ID_CHARS + _HANDLE_PATH_CHARS
_HANDLE = re.compile(rf"(?:symbol\s*=\s*)?\[?([0-9a-f]{{{HANDLE_CHARS}}})\]?")


def symbol_handle(path: str, stable_id: str) -> str:
    """The stable id's beginning, then a few characters that tell equal ids at two paths apart."""
    place = hashlib.blake2b(path.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return stable_id[:_HANDLE_ID_CHARS] + place[:_HANDLE_PATH_CHARS]


def handle_id_prefix(handle: str) -> str:
    """The part of a handle that begins the stable id."""
    return handle[:_HANDLE_ID_CHARS]


def as_handle(text: str) -> str | None:
    """The handle that a text is, with or without the brackets it is printed in; None: another."""
    found = _HANDLE.fullmatch(text.strip())
    return found[1] if found else None
