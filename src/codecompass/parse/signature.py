"""Byte ranges of a definition in, its literal signature, doc and modifiers out."""

from collections.abc import Iterable, Sequence

from codecompass.parse.ranges import ByteRange
from codecompass.text.lines import LineTable

# Longer signatures are data (a table in a constant), not something to read.
_MAX_SIGNATURE = 400
_BODY_MARKS = (", do:", "=>", "->", ":", "=", "{", ",", " do", " then", " where", " begin")
_HEAD_WORDS = 12  # modifiers, the name and `=` of `export const f = async (`


def signature_text(text: bytes, span: ByteRange, holes: Sequence[ByteRange]) -> str:
    """The text of `span` without `holes` (decorators), whitespace folded, body mark cut off."""
    start, end = span
    shown = b""
    for hole_start, hole_end in holes:
        if hole_start >= start and hole_end <= end:
            shown += text[start:hole_start] + b" "
            start = hole_end
    shown += text[start : min(end, start + 4 * _MAX_SIGNATURE)]
    folded = " ".join(shown.decode("utf-8", "replace").split()).rstrip(" ;")
    if folded.endswith(_BODY_MARKS):
        mark = next(mark for mark in _BODY_MARKS if folded.endswith(mark))
        folded = folded[: -len(mark)].rstrip(" ;")
    if len(folded) > _MAX_SIGNATURE:
        return folded[: _MAX_SIGNATURE - 1] + "…"
    return folded


def modifiers_of(signature: str, known: frozenset[str], name: str) -> tuple[str, ...]:
    """The modifier words of a signature, in order: those before parameters or a value."""
    found: dict[str, None] = {}
    words = iter(signature.split(None, _HEAD_WORDS)[:_HEAD_WORDS])
    for word in words:
        stem, bracket, _ = word.partition("(")
        if word == "=":  # `const f = async (x)`: what follows may still say something
            words = iter([next(words, "")])
        elif stem in known and stem != name:
            found[word if bracket else stem] = None
        elif bracket or "{" in stem or "<" in stem:
            break
    return tuple(found)


def doc_comment(
    text: bytes, lines: LineTable, *, start: int, comments: dict[int, ByteRange]
) -> str:
    """The comments that end on the line right above `start`, joined; "" if there are none.

    `comments` maps the last line of each comment that begins its line to its range.
    """
    line = lines.line_of(start) - 1
    found: list[str] = []
    while line >= 1 and line in comments:
        first, last = comments[line]
        found.append(text[first:last].decode("utf-8", "replace").rstrip())
        line = lines.line_of(first) - 1
    return "\n".join(reversed(found))


def comments_by_last_line(
    text: bytes, lines: LineTable, comments: Iterable[ByteRange]
) -> dict[int, ByteRange]:
    """Comments that stand alone at the beginning of their line, by the line they end on."""
    found = {}
    for start, end in comments:
        line_start = lines.start_of(lines.line_of(start))
        if not text[line_start:start].strip():
            found[lines.last_line_of(start, len(text[start:end].rstrip()) + start)] = (start, end)
    return found
