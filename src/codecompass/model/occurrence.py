"""Places where a name stands as a word, and what it is there."""

from enum import StrEnum
from typing import NamedTuple


class TokenKind(StrEnum):
    """What a word of a file is, as far as the file alone says it."""

    DECLARED = "declared"  # the name of a declaration
    KEY = "key"  # of an object that is written in its place
    LOCAL = "local"  # of something local to a function
    USED = "used"  # the name of something that other files may have a say in
    USED_AS_TYPE = "used_as_type"  # the same, where a type is expected
    NO_SYMBOL = "no_symbol"  # of a package, a label, a lifetime: of what is no definition
    CODE = "code"  # none of these, but code
    BROKEN = "broken"  # in a part of the text that the grammar does not understand
    COMMENT = "comment"
    PROSE = "prose"  # a word of a sentence in a string, or of a text that documents
    STRING = "string"  # a string that spells it, or a part of one that could be code
    TEXT = "text"  # in a file that is no code


class Occurrence(NamedTuple):
    """A name at one place of a text."""

    start: int  # byte
    kind: TokenKind


class Group(StrEnum):
    """What a place where the name of a symbol stands is to that symbol."""

    USE = "use"
    DEFINITION = "definition"
    FAMILY = "family"  # a member that it overrides or implements, or is overridden by
    OTHER = "other"  # known to mean something else
    NOT_RESOLVED = "not_resolved"  # code that may mean it
    OUTSIDE = "outside"  # a member of a value that seems to come from other projects
    STRING = "string"  # a string that spells it
    NOT_ANALYSED = "not_analysed"  # in a text that is neither code that we read nor prose
    COMMENT = "comment"  # in a comment, a documentation or a sentence


OPEN_GROUPS = (Group.NOT_RESOLVED, Group.OUTSIDE, Group.STRING, Group.NOT_ANALYSED)
"""With a place in one of these, an answer is not complete."""


class NamePlace(NamedTuple):
    """One place where the name of a symbol stands."""

    path: str
    line: int
    start: int  # byte
    group: Group
    text: str  # of the line
