"""Which texts a grammar's scanner cannot hold; it would write beyond its memory over them.

The scanners of tree-sitter-yaml 0.7.2 and tree-sitter-python 0.25.0 keep their stack of
indentations in 1,024 bytes and do not stop there: at 254 levels in YAML (4 bytes each,
tree-sitter-yaml's issue 48), at 384 to 511 in Python (2 bytes each, tree-sitter-python's
issue 350). What follows is a crash, or worse: none. A wheel with a fix is not to be had.
"""

import re
from collections.abc import Callable

# Nobody indents so deep: Python itself refuses more than 100 levels.
_MAX_LEVELS = 240
# A line that reaches that depth begins with many of these: a level takes one at the least,
# but a list may stand in the very column of the key it belongs to.
_DEEP_LINE = re.compile(rb"(?m)^[-?: \t]{110}")
_LEVEL = re.compile(rb"[-?:](?=[ \t]|$)")
_BEGINNING = re.compile(rb"[-?: \t]*")


def is_indented_too_deep(text: bytes) -> bool:
    """Whether a text may have more levels of indentation than scanners hold."""
    if not _DEEP_LINE.search(text):
        return False
    columns: list[int] = []  # of the levels that are open
    for line in text.split(b"\n"):
        found = _BEGINNING.match(line)
        beginning = found[0] if found else b""
        if len(beginning) == len(line) and not beginning.strip():
            continue
        starts = [mark.start() for mark in _LEVEL.finditer(beginning)]
        first = starts[0] if starts else len(beginning)
        while columns and columns[-1] > first:
            columns.pop()
        columns += [*starts, len(beginning)]
        if len(columns) > _MAX_LEVELS and len(set(columns)) * 2 > _MAX_LEVELS:
            return True
        columns = _without_repeats(columns)
    return False


def _without_repeats(columns: list[int]) -> list[int]:
    """At most two levels for each column."""
    kept: list[int] = []
    for column in columns:
        if kept[-2:] != [column, column]:
            kept.append(column)
    return kept


SCANNERS: dict[str, Callable[[bytes], bool]] = {"indentation": is_indented_too_deep}
"""By the names under which languages ask for them."""
