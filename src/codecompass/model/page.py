"""A part of a list, and the cursor that leads on behind it."""

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass

from codecompass.errors import BadInput, CursorExpired

NOT_TOLD = {"is_told": False}
"""Metadata of a field that is not part of what a caller reads."""


@dataclass(frozen=True, slots=True)
class Page:
    """Where in the list of all results an answer begins; good for one question and state."""

    question: str  # fingerprint of the question, its options and the state of the index
    start: int = 0

    def cursor(self, shown: int, total: int) -> str | None:
        """What leads on behind so many results of this page; None if nothing is there."""
        position = self.start + shown
        if position >= total:
            return None
        plain = json.dumps([position, self.question], separators=(",", ":"))
        return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def page_at(cursor: str, *question: object) -> Page:
    """The page that a cursor of an earlier answer to the same question leads to."""
    plain = "|".join(map(str, question))
    print_ = hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=6).hexdigest()
    if not cursor:
        return Page(print_)
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        position, made_for = json.loads(text)
    except (ValueError, TypeError, RecursionError, binascii.Error) as error:
        raise BadInput(
            f"cursor: given {cursor[:40]!r}; allowed: the cursor of an earlier answer"
        ) from error
    if made_for != print_ or type(position) is not int or position < 0:
        raise CursorExpired(
            "cursor: it belongs to another question, or the index has changed since"
        )
    return Page(print_, position)
