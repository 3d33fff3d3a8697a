"""A name in, the expression that finds it as a word out."""

import re
from functools import lru_cache

_WORD = b"[A-Za-z0-9_]"
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


def pasted_parts(name: str) -> list[str]:
    """What a macro of C writes that puts a name together of two: `do_##n`, `n##_done`."""
    ends = [match.start() for match in _BOUNDARY.finditer(name)]
    parts = [part for end in ends for part in (f"{name[:end]}##", f"{name[:end]} ##")]
    return parts + [part for end in ends for part in (f"##{name[end:]}", f"## {name[end:]}")]


def paste_pattern(name: str) -> re.Pattern[bytes] | None:
    """Finds these; None if the name has but one part."""
    parts = pasted_parts(name)
    if not parts:
        return None
    texts = sorted({re.escape(part.encode()) for part in parts}, key=len, reverse=True)
    before, behind = b"(?<!" + _WORD + b")", b"(?!" + _WORD + b")"
    heads = [text for text in texts if not text.startswith(rb"\#")]
    tails = [text for text in texts if text.startswith(rb"\#")]
    joined = before + b"(?:" + b"|".join(heads) + b")|(?:" + b"|".join(tails) + b")" + behind
    return re.compile(joined)
