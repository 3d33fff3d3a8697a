"""What is needed to show code in its context: files taken apart, and how symbols connect."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codecompass.model.reference import Import
from codecompass.model.symbol import Symbol


@dataclass(frozen=True, slots=True)
class CodeSyntax:
    """The little that must be known of a language to leave out parts of its files."""

    comment: str  # how a comment begins
    quotes: str  # what strings stand between
    is_never_empty: bool  # a block has to hold something
    opening: str  # what a file begins with, if it must


class OwnUse(NamedTuple):
    """A use of a definition of the same file."""

    start: int  # byte
    target: int  # ordinal of the definition


class OtherUse(NamedTuple):
    """A use of something in another file."""

    start: int  # byte
    path: str


@dataclass(frozen=True, slots=True)
class CodeFile:
    """One file with everything that extraction and linking know of it."""

    path: str
    text: str
    records: Sequence[Symbol]  # definitions and root statements, by ordinal
    imports: Sequence[Import]
    syntax: CodeSyntax
    own_uses: Sequence[OwnUse] | None  # by place; None: the language is not linked
    other_uses: Sequence[OtherUse] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A part of a file that reads like the file."""

    path: str
    ranges: tuple[tuple[int, int], ...]  # first and last line of each part
    text: str  # these lines, behind a comment with the path


Key = tuple[str, int]
"""A definition: the path of its file and its ordinal there."""


class Link(NamedTuple):
    """A symbol that another is connected with."""

    key: Key
    name: str  # with what it belongs to
    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Links:
    """The first symbols of one relation, and how many there are in all."""

    items: tuple[Link, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class Connected:
    """A result and all that is known of how it hangs together with others."""

    key: Key
    name: str  # with what it belongs to
    path: str
    start_line: int
    end_line: int
    kind: str
    handle: str
    score: float
    modifiers: tuple[str, ...] = ()
    is_exported: bool | None = None
    files: int | None = None  # that use it; None: not known
    signature: str = ""
    extends: Links = Links()
    implements: Links = Links()
    calls: Links = Links()
    called_by: Links = Links()
    used_by: Links = Links()  # of what is not called
    types_in: Links = Links()
    types_out: Links = Links()
    members: tuple[str, ...] = ()
