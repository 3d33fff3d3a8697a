"""What is masked in a text: how it is written there, and how it is shown.

What is masked keeps its length, so that every line and every byte stays in its place:
`password = hunter2hunter2` is kept as `password = masked________`, and shown as `masked`.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

MASK = "masked"
_FILL = r"\bmasked_+(?!\w)"


class SecretStyle(StrEnum):
    """How values are written in a text."""

    CODE = "code"  # in quotes
    SETTINGS = "settings"  # also bare, up to the end of the line
    PROSE = "prose"  # also bare, if a value looks like one
    SEALED = "sealed"  # the file is a secret as a whole


class Secret(NamedTuple):
    """Where a secret stands, in bytes."""

    start: int
    end: int


def masked_text(text: bytes, secrets: Iterable[tuple[int, int]]) -> bytes:
    """The text with secrets made unreadable, every byte in its place."""
    parts: list[bytes] = []
    at = 0
    for start, end in secrets:
        parts += [text[at:start], _fill(end - start)]
        at = end
    return b"".join([*parts, text[at:]])


def show_masks(text: str) -> str:
    """A text as it is shown: what is masked is called so, whatever its length."""
    return re.sub(_FILL, MASK, text) if "masked_" in text else text


def _fill(size: int) -> bytes:
    return b"masked"[:size].ljust(size, b"_")
