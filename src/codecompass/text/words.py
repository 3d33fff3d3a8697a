"""A name in, the expression that finds it as a word out."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_WORD = b"[A-Za-z0-9_]"
# What follows the fixed part of a string that a value is put into.
_VALUES = ("{", "${", "#{", "%")
# Before and behind an underscore, and before a capital.
_BOUNDARY = re.compile(r"(?<=[A-Za-z0-9])(?=_)|(?<=_)(?=[A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z])")
# What stands before a name and belongs to it: PHP's `$name`, Ruby's `@name`, a destructor.
_SIGILS = b"$@~:"


@lru_cache(maxsize=64)
def word_pattern(name: str) -> re.Pattern[bytes]:
    """Finds a name where no letter, digit or underscore is right before or behind it.

    Letters that are not ASCII do not count, so it finds rather too much. The `=` of a
    Ruby setter is no part of what callers write.
    """
    raw = name.removesuffix("=").encode() or name.encode()
    before = b"(?<!" + _WORD + b")" if re.match(_WORD, raw) else b""
    behind = b"(?!" + _WORD + b")" if re.match(_WORD, raw[-1:]) else b""
    return re.compile(before + re.escape(raw) + behind)


def name_starts(text: bytes, start: int) -> tuple[int, ...]:
    """Where a name may be said to begin: at its first letter, or at the sign before it."""
    return (start, start - 1) if start and text[start - 1] in _SIGILS else (start,)


class Built(NamedTuple):
    """How a name may be put together, and what a text must hold for it."""

    pattern: re.Pattern[bytes]
    needed: tuple[str, ...]  # one of them


@lru_cache(maxsize=64)
def pasted_name(name: str) -> Built | None:
    """How a macro of C puts a name together of two: `do_##n`, `n##_done`."""
    heads = [f"{head}{blank}##" for head, _ in _parts(name) for blank in ("", " ")]
    tails = [f"##{blank}{tail}" for _, tail in _parts(name) for blank in ("", " ")]
    return _built(heads, tails)


@lru_cache(maxsize=64)
def composed_name(name: str) -> Built | None:
    """How a program makes a name of a string and a value: `"visit_" + n`, `f"{n}_done"`."""
    parts = [part for part in _parts(name) if len(part[0]) > 2 and len(part[1]) > 2]
    # The underscore belongs to what is written; a whole string `"get"` says nothing.
    first = [head for head, tail in parts if tail[0] != "_"]
    heads = [f"{quote}{head}{end}" for head in first for quote in "\"'`" for end in _VALUES]
    heads += [f"{quote}{head}{quote}" for head in first if head[-1] == "_" for quote in "\"'`"]
    tails = [f"}}{tail}{quote}" for head, tail in parts if head[-1] != "_" for quote in "\"'`"]
    return _built(heads, tails)


def _parts(name: str) -> list[tuple[str, str]]:
    return [(name[: at.start()], name[at.start() :]) for at in _BOUNDARY.finditer(name)]


def _built(heads: Sequence[str], tails: Sequence[str]) -> Built | None:
    # A letter may be right before a quote: f"visit_{kind}".
    before, behind = b"(?<!" + _WORD + b")", b"(?!" + _WORD + b")"
    forms = [
        (b"" if head[0] in "\"'`" else before) + re.escape(head.encode()) for head in heads
    ] + [re.escape(tail.encode()) + behind for tail in tails]
    return Built(re.compile(b"|".join(forms)), (*heads, *tails)) if forms else None
