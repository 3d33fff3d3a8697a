"""Places in source text, files as they were seen, and why some are left out."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of one file: lines 1-based and inclusive, bytes 0-based and half-open.

    Bytes count in the file's text as UTF-8 without a byte order mark. A named tuple,
    as every symbol has one.
    """

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int

    def contains(self, other: "Span") -> bool:
        """Whether `other` lies inside this span."""
        return self.start_byte <= other.start_byte and other.end_byte <= self.end_byte


class SkipReason(StrEnum):
    """Why a file that was found is not indexed."""

    BINARY = "binary"
    TOO_LARGE = "too_large"
    LONG_LINE = "long_line"
    GENERATED = "generated"
    UNREADABLE = "unreadable"
    OUTSIDE = "symlink_outside"
    NOT_A_FILE = "not_a_file"
    CRASHED = "crashed"
    ODD_NAME = "name_not_utf8"
    SUBMODULE = "submodule"  # not checked out, or its commit is not here
    LFS_POINTER = "lfs_pointer"  # Git LFS has not brought the content
    IGNORED = "ignored"  # left out by a rule of ours, though git does not ignore it
    NOT_FETCHED = "not_fetched"  # a partial clone lacks the content


class FileStat(NamedTuple):
    """What the file system says of one file; a trigger for a closer look, never the verdict."""

    path: str
    size_bytes: int
    stamp: int  # of its times; 0: too fresh to be trusted


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file's content, ready to parse."""

    blob_id: str  # git's id of the raw bytes
    text: bytes  # UTF-8 without byte order mark, line ends as in the file
    size_bytes: int
    stamp: int  # of its times; 0: the file was too fresh, or moving, to trust them


@dataclass(frozen=True, slots=True)
class IgnoredFile:
    """A file or folder left out by a rule, and the rule: where it stands and what it says."""

    path: str
    source: str  # file of the rule, or "built-in"
    line: int  # 0 for built-in rules
    pattern: str
