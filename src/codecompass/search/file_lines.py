"""A text in, the lines of files that it names out, as compilers, logs and traces write them."""

import re
from typing import NamedTuple

# What a path is made of here; it begins where nothing of it stands before.
_PATH = r"(?<![^\s:\"'`(),<>\[\]])([^\s:\"'`(),<>\[\]]+)"
# `a/b.py:12`, `Router.php(12)`, `A.cs:line 12`, `Router.php on line 12`; Python's own form.
_NUMBER = r"(\d{1,7})\b"
_NAMED = re.compile(
    rf"File \"([^\"\n]+)\", line {_NUMBER}"
    rf"|{_PATH}(?::(?:line )?|\(|,? (?:on )?line ){_NUMBER}"
)
# All of a text: `a/b.py:12`, `a/b.py:12:5`, or Python's form.
_AT_LINE = re.compile(r"([^\s:\"]+):(\d{1,7})(?:[:-]\d+)?:?")
_TRACE = re.compile(r"File \"([^\"\n]+)\", line (\d{1,7})(?:, in \S+)?")
_MOST = 20
_PYTHON = 'File "'


class FileLine(NamedTuple):
    """A line of a file."""

    path: str
    line: int


def named_lines(text: str) -> list[FileLine]:
    """The lines that a text names, the one where it happened first; each once."""
    matches = list(_NAMED.finditer(text))
    if any(match[0].startswith(_PYTHON) for match in matches):
        matches.reverse()  # "most recent call last"
    found = (FileLine(match[1] or match[3], int(match[2] or match[4])) for match in matches)
    return list(dict.fromkeys(found))[:_MOST]


def only_line(text: str) -> FileLine | None:
    """The line that all of a text names, if it is nothing else."""
    place = _AT_LINE.fullmatch(text) or _TRACE.fullmatch(text)
    return FileLine(place[1], int(place[2])) if place else None
