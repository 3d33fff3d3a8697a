"""A regular expression in, what every text that matches it must hold out.

Nothing is matched here: the result selects candidates, so a need that cannot be
proved is left out. That costs time, never a match.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Needed:
    """What a text must hold: a literal, all of several things, or one of several.

    Empty, it asks for nothing. Literals are in lower case, ASCII letters only.
    """

    literal: bytes = b""
    all_of: tuple["Needed", ...] = ()
    any_of: tuple["Needed", ...] = ()

    @property
    def is_nothing(self) -> bool:
        """Whether every text will do."""
        return not (self.literal or self.all_of or self.any_of)


NOTHING = Needed()


def needed_by_pattern(pattern: str, *, ignore_case: bool = False) -> Needed:
    """What a text must hold to match an expression that is known to be well-formed."""
    if _has_flag(pattern, "x"):
        return NOTHING  # blanks would not be what they seem
    return _Reader(pattern, is_folded=ignore_case or _has_flag(pattern, "i")).alternatives()


def needed_by_literal(text: str, *, ignore_case: bool = False) -> Needed:
    """What a text must hold to contain another.

    Where case is ignored only the ASCII stretches count: other letters have relatives
    of other lengths.
    """
    if not ignore_case or text.isascii():
        return Needed(literal=_lower(text)) if text else NOTHING
    stretches = re.findall(r"[\x00-\x7f]+", text)
    return _all_of([Needed(literal=_lower(stretch)) for stretch in stretches])


def _lower(text: str) -> bytes:
    return text.encode("utf-8", "replace").lower()


def _all_of(parts: Sequence[Needed]) -> Needed:
    kept = tuple(part for part in parts if not part.is_nothing)
    return kept[0] if len(kept) == 1 else Needed(all_of=kept)


def _any_of(parts: Sequence[Needed]) -> Needed:
    if any(part.is_nothing for part in parts):
        return NOTHING
    return parts[0] if len(parts) == 1 else Needed(any_of=tuple(parts))


def _has_flag(pattern: str, flag: str) -> bool:
    """Whether a group may switch a flag on; a wrong yes costs only speed."""
    return any(flag in head for head in re.findall(r"\(\?([a-zA-Z-]+)[:)]", pattern))


_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_ZERO_WIDTH = frozenset("bBAzZ<>")
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_FLAGS_ONLY = re.compile(r"\?[a-zA-Z-]+\)")
_PLAIN_HEAD = re.compile(r"\?(?:P?<[^\W\d]\w*>|[a-zA-Z-]*:)")
_REFERENCE = re.compile(r"\d+|<[^>]*>|\{[^}]*\}")
_REPEAT = re.compile(r"[*+?]|\{\d*(?:,\d*)?\}")


class _Reader:
    """Reads an expression from left to right and collects the literals it insists on."""

    def __init__(self, pattern: str, *, is_folded: bool) -> None:
        self._pattern = pattern
        self._at = 0
        self._is_folded = is_folded

    def alternatives(self) -> Needed:
        """The needs of branches up to a closing bracket or the end."""
        branches = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._sequence())
        return _any_of(branches)

    def _sequence(self) -> Needed:
        parts: list[Needed] = []
        run = ""  # characters that stand next to each other in every match
        while self._at < len(self._pattern) and self._peek() not in "|)":
            atom = self._atom()
            least = self._least_times()
            if atom == "":
                continue  # no width: what follows is still next to what was before
            if isinstance(atom, str) and least is None:
                run += atom
                continue
            if isinstance(atom, str):
                parts.append(self._text(run + atom if least else run))
                run = atom if least else ""
                continue
            parts.append(self._text(run))
            run = ""
            if atom is not None and least != 0:
                parts.append(atom)
        return _all_of([*parts, self._text(run)])

    def _text(self, run: str) -> Needed:
        return needed_by_literal(run, ignore_case=self._is_folded)

    def _atom(self) -> str | Needed | None:
        """A character, a group's needs, "" for what has no width, None for the unknown."""
        char = self._next()
        special: dict[str, Callable[[], str | Needed | None]] = {
            "\\": self._escape,
            "[": self._set,
            "(": self._group,
        }
        if char in special:
            return special[char]()
        if char in "^$":
            return ""
        return None if char == "." else char

    def _escape(self) -> str | None:
        char = self._next()
        if char in _HEX_DIGITS:
            return self._hexadecimal(_HEX_DIGITS[char])
        if char.isdigit() or char in "gk":
            self._skip(_REFERENCE)  # \1, \012, \g<name>
            return None
        if char in "pP" and self._peek() != "{":
            self._at += 1  # \pL
            return None
        if char.isalnum() and self._peek() == "{" and char not in _CONTROL:
            self._skip_to("}")  # \p{Greek}, \b{start}
            return "" if char in _ZERO_WIDTH else None
        if char in _ZERO_WIDTH:
            return ""
        if char in _CONTROL:
            return _CONTROL[char]
        return None if char.isalnum() else char

    def _hexadecimal(self, digits: int) -> str | None:
        start = self._at
        if self._peek() == "{":
            self._skip_to("}")
        else:
            self._at += digits
        try:
            return chr(int(self._pattern[start : self._at].strip("{}"), 16))
        except (ValueError, OverflowError):
            return None

    def _set(self) -> None:
        """Skip `[…]`; a first `]` is a member, and a set may hold sets."""
        if self._peek() == "^":
            self._at += 1
        if self._peek() == "]":
            self._at += 1
        while self._at < len(self._pattern):
            char = self._next()
            if char == "]":
                return
            if char == "\\":
                self._at += 1
            elif char == "[":
                self._set()

    def _group(self) -> Needed | str | None:
        flags = _FLAGS_ONLY.match(self._pattern, self._at)
        if flags:
            self._at = flags.end()
            return ""
        head = _PLAIN_HEAD.match(self._pattern, self._at)
        is_plain = head is not None or self._peek() != "?"
        if head:
            self._at = head.end()
        inner = self.alternatives()
        self._at += 1  # the closing bracket
        return inner if is_plain else None  # what looks around asks for nothing we know

    def _least_times(self) -> int | None:
        """How often the atom before is needed; None if that is not said."""
        found = _REPEAT.match(self._pattern, self._at)
        if found is None or found.group() == "{}":
            return None
        self._at = found.end()
        low = found.group().strip("{}").partition(",")[0]
        least = int(low) if low.isdigit() else int(found.group() == "+")
        again = _REPEAT.match(self._pattern, self._at)
        if again is None:
            return least
        self._at = again.end()
        return least if again.group() in {"?", "+"} else 0  # lazy, possessive; else unknown

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._pattern, self._at)
        self._at = found.end() if found else self._at

    def _skip_to(self, end: str) -> None:
        found = self._pattern.find(end, self._at)
        self._at = len(self._pattern) if found < 0 else found + 1

    def _peek(self) -> str:
        return self._pattern[self._at] if self._at < len(self._pattern) else ""

    def _next(self) -> str:
        char = self._peek()
        self._at += 1
        return char
