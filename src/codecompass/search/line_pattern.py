r"""Literals and expressions in, the numbers of the lines that match out, in bounded time.

The expression's syntax is that of ripgrep as far as the `regex` module shares it, and
a match never goes beyond one line. Python's own `re` knows neither a time limit nor
Unicode classes; an engine with linear time (RE2) would read `\w` and `\b` as ASCII.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from codecompass.errors import BadInput, PatternTooSlow
from codecompass.text.patterns import Needed, needed_by_literal, needed_by_pattern

if TYPE_CHECKING:
    import regex

_FLAGS = "i"
# What ripgrep writes otherwise: edges of words, the end of the text.
_RUST_ESCAPE = re.compile(
    r"\\(?:b\{(?:start|end)(?:-half)?\}|[xuU]\{[0-9a-fA-F]+\}|[<>z]|.)", re.DOTALL
)
# What `regex` has and ripgrep has not, and what can take all memory: (?R), foo{e<=1}.
_NOT_RIPGREP = re.compile(
    r"\(\?(?:R|[+-]?\d|&|P>)|(?<!\\[pPNbm])\{[\d,<=+ ]*[disec][\d,<=+ disec]*\}"
)
_AS_HERE = {
    r"\<": r"\m",
    r"\>": r"\M",
    r"\z": r"\Z",
    r"\b{start}": r"\m",
    r"\b{end}": r"\M",
    r"\b{start-half}": r"(?<!\w)",
    r"\b{end-half}": r"(?!\w)",
}


class LinePattern:
    """Something that lines match or do not."""

    def __init__(
        self, native: regex.Pattern[str] | None, needed: Needed, literal: str = ""
    ) -> None:
        self._native = native
        self._literal = literal  # where there is no expression
        self.needed = needed

    def matching_lines(self, text: str, *, deadline_s: float) -> list[int]:
        """The numbers of the lines that hold a match; `deadline_s` is a monotonic time.

        Where a match runs on into the next line, lines are searched one by one from
        there.
        """
        lines: list[int] = []
        line, counted = 1, 0  # the number of the line that begins at `counted`
        position = 0
        while position < len(text):
            found = self._next(text, position, len(text), deadline_s)
            if found is None:
                break
            start, stop = found
            begin = text.rfind("\n", 0, start) + 1
            if begin == len(text):
                break  # behind the last line break there is no line
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            line += text.count("\n", counted, begin)
            counted = begin
            if stop > end:  # it runs on: from here each line is searched alone
                return lines + self._one_by_one(text, begin, line, deadline_s)
            lines.append(line)
            position = end + 1
        return lines

    def _one_by_one(self, text: str, begin: int, line: int, deadline_s: float) -> list[int]:
        """The lines that match, from the one that begins at `begin` and has this number."""
        lines: list[int] = []
        while begin < len(text):
            end = text.find("\n", begin)
            end = len(text) if end < 0 else end
            if self._next(text, begin, end, deadline_s):
                lines.append(line)
            begin, line = end + 1, line + 1
        return lines

    def _next(self, text: str, start: int, end: int, deadline_s: float) -> tuple[int, int] | None:
        """Where the next match begins and ends."""
        if self._native is None:
            found = text.find(self._literal, start, end)
            return None if found < 0 else (found, found + len(self._literal))
        match = self._search(self._native, text, (start, end), deadline_s)
        return match.span() if match else None

    def _search(
        self,
        native: regex.Pattern[str],
        text: str,
        window: tuple[int, int],
        deadline_s: float,
    ) -> regex.Match[str] | None:
        left_s = deadline_s - time.monotonic()
        try:
            if left_s <= 0:
                raise TimeoutError
            return native.search(text, *window, timeout=left_s)
        except (TimeoutError, MemoryError) as error:
            shown = native.pattern.removeprefix("(?-f)").removeprefix("(?i-f)")[:200]
            raise PatternTooSlow(f"query: the pattern {shown!r} takes too long") from error


def compile_literal(text: str) -> LinePattern:
    """Lines that hold exactly this text."""
    return LinePattern(None, needed_by_literal(text), text)


def compile_expression(pattern: str, flags: str = "") -> LinePattern:
    """Lines that match an expression; what is wrong with it is said."""
    for flag in flags:
        if flag not in _FLAGS:
            raise BadInput(f"query: given the flag {flag!r} behind /…/; allowed: i (ignore case)")
    translated = _RUST_ESCAPE.sub(_translated, pattern)
    ignore_case = "i" in flags
    native = _compile(translated, ignore_case=ignore_case)
    return LinePattern(native, needed_by_pattern(pattern, ignore_case=ignore_case))


def _translated(found: re.Match[str]) -> str:
    text = found.group()
    if text[1] in "xuU" and text[2:3] == "{":
        return f"\\U{min(int(text[3:-1], 16), 0x10FFFF):08x}"
    return _AS_HERE.get(text, text)


def _compile(pattern: str, *, ignore_case: bool) -> regex.Pattern[str]:
    import regex

    # Full case folding would let ß match ss; ripgrep folds letter by letter.
    prefix = "(?i-f)" if ignore_case else "(?-f)"
    if _NOT_RIPGREP.search(pattern):
        raise BadInput(
            f"query: given the expression {pattern[:200]!r} with recursion or fuzzy matching;"
            " allowed: what ripgrep understands"
        )
    try:
        regex.compile(pattern, regex.VERSION1)  # what is wrong is said of the caller's own text
        return regex.compile(prefix + pattern, regex.VERSION1 | regex.MULTILINE)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise BadInput(
            f"query: given the expression {pattern[:200]!r}: {error};"
            " allowed: a regular expression between slashes",
            remediation='put text that is no expression into quotes: "f(x"',
        ) from error
