"""A place and what was asked in, the lines that show why it matched out.

A line of the code is shown behind its number, a signature without one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codecompass.text.masks import show_masks

_MAX_LINES = 2
_MAX_CHARS = 200
_LINE_CHARS = 72
_MAX_MATCH_LINES = 5
# Where a word stands more often than this it tells no line from another.
_MAX_OCCURRENCES = 200


@dataclass(frozen=True, slots=True)
class Preview:
    """At most two lines of text, and the numbers of the lines that matched best."""

    text: str
    match_lines: tuple[int, ...]


def make_preview(
    lines: Sequence[str],
    start_line: int,
    *,
    signature: str,
    shares: Mapping[str, float],
    known_matches: Sequence[int] = (),
) -> Preview:
    """The signature, then the best line below it; without a signature the best two.

    `lines` are those of the place, the first being `start_line`; `shares` are terms
    and what each is worth; `known_matches` are line numbers that matched for sure.
    """
    inside = [line for line in known_matches if 0 <= line - start_line < len(lines)]
    ranked = inside or [start_line + index for index in _best_lines(lines, shares)]
    shown = [_cut(show_masks(signature))] if signature else []
    said = [" ".join(signature.split())] if signature else []
    for number in ranked:
        text = " ".join(lines[number - start_line].split())
        if len(shown) == _MAX_LINES:
            break
        if text and not any(text in _cut(other) or other in text for other in said):
            shown.append(_cut(f"{number}: {show_masks(text)}"))
            said.append(text)
    if not shown:
        first = [line.strip() for line in lines if line.strip()][:_MAX_LINES]
        shown = [_cut(show_masks(line)) for line in first]
    matches = inside or sorted(ranked[:_MAX_MATCH_LINES])
    return Preview("\n".join(shown)[:_MAX_CHARS], tuple(matches))


def _best_lines(lines: Sequence[str], shares: Mapping[str, float]) -> list[int]:
    """The lines that hold most of the question, best first; the earlier of equal ones."""
    text = "\n".join(lines).lower()
    worth: dict[int, float] = {}
    for term, share in shares.items():
        position, seen = text.find(term), -1
        number = counted = 0  # the line that `counted` stands in
        for _ in range(_MAX_OCCURRENCES):
            if position < 0:
                break
            number += text.count("\n", counted, position)
            counted = position
            if number != seen:
                worth[number] = worth.get(number, 0.0) + share
                seen = number
            position = text.find(term, position + 1)
    return sorted(worth, key=lambda number: (-worth[number], number))


def _cut(text: str) -> str:
    return text if len(text) <= _LINE_CHARS else text[: _LINE_CHARS - 1] + "…"
