"""Code in, the same code with its comments and plain strings blanked out.

Not a parser: enough to tell which lines hold code and which names it uses. A string that
may hold expressions (`"${name}"`) is left as it is.
"""

import re
from functools import lru_cache

_BLOCKS = {
    "//": r"/\*.*?(?:\*/|\Z)",
    "/*": r"/\*.*?(?:\*/|\Z)",
    "--": r"--\[\[.*?(?:\]\]|\Z)|/\*.*?(?:\*/|\Z)",
    "#": r"^=begin\b.*?^=end\b",
    "<!--": r"<!--.*?(?:-->|\Z)",
}
_BRACED = r"\{-.*?(?:-\}|\Z)"  # of Haskell; in Lua `{-1}` is a table
_LONG = r'"""(?:\\.|[^\\])*?(?:"""|\Z)' + r"|'''(?:\\.|[^\\])*?(?:'''|\Z)"
_DOUBLE = r'"(?:\\.|[^"\\\n])*"'
_SINGLE = r"'(?:\\.|[^'\\\n])*'"
_TEMPLATE = r"`(?:\\.|[^`\\])*`"
_CHARACTER = r"'(?:\\[^\n']{1,8}|[^'\\\n])'"
_EXPRESSIONS = ("{", "$", "\\(")
_HERE = re.compile(
    r"(?<![\w)\]])<<[~-]?([\"'`]?)([A-Z_]\w*)\1[^\n]*\n(?:.*?\n)??[ \t]*\2\b", re.DOTALL
)
_WORD = re.compile(r"[^\W\d]\w*")
_NO_LINE_END = re.compile(r"[^\n]")


def bare_code(text: str, comment: str, *, quotes: str = "\"'") -> str:
    """Code without comments and strings; every character stands where it stood."""
    blank = _blank_scripted if comment == "#" else _blank
    return _pattern(comment, quotes).sub(blank, text)


def continued_lines(text: str, comment: str, *, quotes: str = "\"'") -> set[int]:
    """The lines inside strings that begin behind code, as those of docs in Elixir."""
    found: set[int] = set()
    if '"""' not in text and "'''" not in text:
        return found
    for match in _pattern(comment, quotes).finditer(text):
        inside = match.group()
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if inside[0] in "\"'" and "\n" in inside and before.strip():
            first = text.count("\n", 0, match.start()) + 1
            found.update(range(first + 1, first + inside.count("\n") + 1))
    return found


def here_documents(text: str) -> dict[int, int]:
    """The lines that open a text which goes on below them (`<<~SQL`), each with its last."""
    found: dict[int, int] = {}
    if "<<" not in text:
        return found
    for match in _HERE.finditer(text):
        first = text.count("\n", 0, match.start()) + 1
        found[first] = first + match.group().count("\n")
    return found


def words_of(text: str) -> set[str]:
    """All names that occur in a text."""
    return set(_WORD.findall(text))


@lru_cache(maxsize=16)
def _pattern(comment: str, quotes: str) -> re.Pattern[str]:
    line = re.escape(comment) + r"[^\n]*" if comment in ("//", "#", "--") else r"(?!)"
    strings = [_LONG, _DOUBLE, _SINGLE if "'" in quotes else _CHARACTER]
    blocks = [_BLOCKS[comment]]
    if comment == "//":
        strings.append(_TEMPLATE)
    if comment == "--" and "'" not in quotes:
        blocks.append(_BRACED)
    return re.compile("|".join([*blocks, line, *strings]), re.DOTALL | re.MULTILINE)


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    if found[0] in "\"'`" and any(mark in found for mark in _EXPRESSIONS):
        return found
    return _NO_LINE_END.sub(" ", found)


def _blank_scripted(match: re.Match[str]) -> str:
    """In Python only `f"…"` holds expressions, in Ruby `#{…}`, in shells `$name`."""
    found = match.group()
    before = match.string[match.start() - 2 : match.start()].lower()
    is_made = "#{" in found or (found[0] == '"' and "$" in found and found[:3] != '"""')
    if found[0] in "\"'" and (is_made or _is_prefix(before)):
        return found
    return _NO_LINE_END.sub(" ", found)


def _is_prefix(before: str) -> bool:
    return before[-1:] == "f" or before[-2:] in ("fr", "rf")
