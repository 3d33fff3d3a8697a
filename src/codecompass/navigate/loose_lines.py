"""Two states of a file in, which of the lines outside all definitions are other ones out; pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from codecompass.model.change import FileSide

# A comment right above a definition is told with it.
_COMMENT = re.compile(r"\s*(//|#(?!\s*include|\s*define)|/?\*|--|;;|\"\"\")")
# Comparing takes the square of this where lines are alike.
_MAX_LINES = 1_000
_DEFINITION = 0  # in the place of a line's number


@dataclass(frozen=True, slots=True)
class LooseLines:
    """Lines outside definitions that came or changed, as numbered now; and how many went."""

    now: tuple[tuple[int, int], ...]  # first and last line of each stretch
    gone: int

    def __str__(self) -> str:
        """`2, 8-9, 1 gone`."""
        parts = [str(first) if first == last else f"{first}-{last}" for first, last in self.now]
        return ", ".join([*parts, *([f"{self.gone} gone"] if self.gone else [])])


def loose_lines(before: FileSide, after: FileSide) -> LooseLines | None:
    """What is other outside definitions; None if nothing is, or nobody can tell."""
    if before.text is None or after.text is None:
        return None
    old, new = list(_outside(before)), list(_outside(after))
    for _ in range(2):  # what both have at their ends, then at their beginnings
        while old and new and old[-1][1] == new[-1][1]:
            old.pop()
            new.pop()
        old, new = old[::-1], new[::-1]
    if max(len(old), len(new)) > _MAX_LINES:
        return None
    texts = [text for _, text in old], [text for _, text in new]
    numbers: list[int] = []
    gone = 0
    matcher = SequenceMatcher(None, *texts, autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            came = [number for number, _ in new[new_start:new_end] if number != _DEFINITION]
            went = [number for number, _ in old[old_start:old_end] if number != _DEFINITION]
            numbers += came
            gone += max(0, len(went) - len(came))
    return LooseLines(tuple(_stretches(numbers)), gone) if numbers or gone else None


def _outside(side: FileSide) -> Iterator[tuple[int, str]]:
    """The lines of a file that no definition holds, with their numbers; not the blank ones.

    Definitions between them are one line of their own, so that lines keep their places.
    """
    lines = (side.text or b"").decode("utf-8", "replace").split("\n")
    held: set[int] = set()
    for symbol in side.symbols:
        if symbol.is_statement:
            continue
        first = symbol.span.start_line
        while 1 < first <= len(lines) and _COMMENT.match(lines[first - 2]):
            first -= 1
        held.update(range(first, symbol.span.end_line + 1))
    for number, line in enumerate(lines, 1):
        if number in held:
            if number - 1 not in held:
                yield _DEFINITION, ""
        elif line.strip():
            yield number, line.strip()


def _stretches(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Numbers that follow each other as one."""
    start = last = None
    for number in numbers:
        if last is not None and number != last + 1:
            yield start or last, last
            start = number
        start, last = start or number, number
    if start and last:
        yield start, last
