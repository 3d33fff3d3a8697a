"""Text in, an estimate of how many tokens a language model makes of it out.

What tokens are made of is counted: words, letters of words in capitals, digits, runs of
signs, line ends, gaps. The weights are fitted to the largest count that three public
tokenizers give for real code, and then raised, so that the estimate errs to the safe side;
`bench/tokens.py` fits them and says how well they do.
"""

import math

# Every byte is one of these; those of letters beyond ASCII are alike.
_LOWER, _UPPER, _DIGIT, _SIGN, _END, _GAP, _OTHER = (bytes([code]) for code in b"aA0.\n x")
_ALL = (_LOWER, _UPPER, _DIGIT, _SIGN, _END, _GAP, _OTHER)

WORD = 1.03  # a run of small letters, with a capital before it or not
CAPITAL = 0.23  # each capital with no small letter behind it
DIGIT = 0.68
SIGNS = 1.12  # a run of signs
SIGN = 0.10  # each sign of a run but the first
END = 0.94  # line ends, and what indents the next line
GAP = 1.02  # two or more blanks inside a line
OTHER = 1.31  # each byte of a letter beyond ASCII
SAFETY = 1.08

_MOST = OTHER * SAFETY  # that one byte can be worth


def _class_of(code: int) -> int:
    character = chr(code)
    if code > 127:
        return _OTHER[0]
    if character.islower():
        return _LOWER[0]
    if character.isupper():
        return _UPPER[0]
    if character.isdigit():
        return _DIGIT[0]
    if character in "\n\r":
        return _END[0]
    return _GAP[0] if character.isspace() else _SIGN[0]


_CLASSES = bytes(map(_class_of, range(256)))


def estimate_tokens(text: str) -> int:
    """A conservative estimate: rarely under what common tokenizers count."""
    return _estimate(text.encode("utf-8", "replace"))


def _estimate(raw: bytes) -> int:
    words, capitals, digits, runs, signs, ends, gaps, other = features(raw)
    worth = WORD * words + CAPITAL * capitals + DIGIT * digits + SIGNS * runs + SIGN * signs
    worth += END * ends + GAP * gaps + OTHER * other
    return math.ceil(worth * SAFETY)


def features(raw: bytes) -> tuple[int, ...]:
    """How often each thing that is worth something occurs.

    Pairs of classes are counted instead of matching expressions: that takes a tenth of the time.
    """
    kinds = raw.translate(_CLASSES)
    runs = _runs(kinds, _SIGN)
    return (
        _runs(kinds, _LOWER),
        kinds.count(_UPPER) - kinds.count(_UPPER + _LOWER),
        kinds.count(_DIGIT),
        runs,
        kinds.count(_SIGN) - runs,
        _runs(kinds, _END),
        sum(kinds.count(kind + _GAP + _GAP) for kind in _ALL if kind not in (_END, _GAP)),
        kinds.count(_OTHER),
    )


def _runs(kinds: bytes, kind: bytes) -> int:
    inside = sum(kinds.count(other + kind) for other in _ALL if other != kind)
    return inside + kinds.startswith(kind)


def cut_to_tokens(text: str, tokens: int) -> str:
    """The beginning of a text that is estimated at no more than so many tokens."""
    raw = text.encode("utf-8", "replace")
    if len(raw) * _MOST <= tokens or _estimate(raw) <= tokens:
        return text
    low, high = 0, len(raw)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _estimate(raw[:middle]) <= tokens else (low, middle - 1)
    return raw[:low].decode("utf-8", "ignore")
