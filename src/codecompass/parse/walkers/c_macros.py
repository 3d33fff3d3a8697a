"""The body of a C macro in, the names that it uses out: the grammar keeps it as one text."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
    "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | //[^\n]* | /\*.*?\*/    # names nothing
    | (?P<before>\.|->|::|\#\#?)? \s* (?P<name>\b[A-Za-z_]\w*) (?P<call>\s*\()?
    """,
    re.VERBOSE | re.DOTALL,
)
TAGS = frozenset({"struct", "union", "enum"})
"""Words before the name of a type."""
_KEYWORDS = frozenset(
    (
        "alignas alignof auto bool break case catch char class const constexpr continue decltype"
        " default defined delete do double else explicit extern false float for goto if inline int"
        " long namespace new noexcept nullptr operator private protected public register restrict"
        " return short signed sizeof static static_cast switch template this throw true try"
        " typedef typename typeof unsigned using virtual void volatile while __VA_ARGS__"
        " __VA_OPT__ __FILE__ __LINE__ __func__ __attribute__ __typeof__"
    ).split()
)
_MAX_CHARS = 20_000


class MacroName(NamedTuple):
    """A name in the body of a macro."""

    name: str
    start: int  # in the body
    before: str  # `.`, `->`, `::`, a word such as `struct`, or nothing
    is_called: bool


def names_in_macro(body: str, parameters: Collection[str]) -> Iterator[MacroName]:
    """The names that a macro does not get from who uses it."""
    tag = ""
    for found in _TOKEN.finditer(body[:_MAX_CHARS]):
        name, before = found["name"], found["before"] or ""
        if name is None:
            continue
        is_known = name not in _KEYWORDS and name not in parameters and name not in TAGS
        if is_known and not before.startswith("#"):
            yield MacroName(name, found.start("name"), before or tag, bool(found["call"]))
        tag = name if name in TAGS else ""
