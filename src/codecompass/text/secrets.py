"""A whole text in, the places of what looks like a secret in it out.

Expressions are compiled when a text needs them: most files need few.
"""

import re
from collections.abc import Container, Iterable, Iterator
from functools import cache

from codecompass.text.masks import Secret, SecretStyle, masked_text, show_masks
from codecompass.text.secret_rules import (
    AFTER_NAME,
    BARE_VALUE,
    BLOCK_VALUE,
    CODE_LIKE,
    HARMLESS,
    NAMES,
    PROSE,
    QUOTED_VALUE,
    RANDOM,
    REFERENCE,
    SHORT_NAMES,
    SPACED_LINE,
    SPACED_VALUE,
    TOKENS,
)

HINTS = (*dict.fromkeys([*(hint for rule in TOKENS for hint in rule.hints), *NAMES]),)
"""What a text has to hold, in any case of letters, to hold a secret that is not a key's body."""

# Of a longer line only so much around a hint is looked at: it may be a whole file.
_MAX_LINE = 6_000
_LEAST = 3  # characters of a value
_BLOCK = (
    rb"-----BEGIN (?P<kind>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----(?P<body>[\s\S]{0,20000}?)"
    rb"-----END (?P=kind)-----"
)
_OPEN_BLOCK = (
    rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rb"(?P<body>(?:(?:\\[rn]|[\s\"'+,\\])*[A-Za-z0-9+/=]{24,})+)"
)
_BODY_WORD = rb"(?<!\\)[A-Za-z0-9+/=_.:-]+|(?<=\\[nr])[A-Za-z0-9+/=_.:-]+"
_CODE = rb"[(){};]|\s=\s"
_SEALED_LINE = (
    rb"(?m)^(?P<head>[ \t]*(?:export[ \t]+)?[\w.@:/-]{1,200}?[ \t]*[=:][ \t]*)?(?P<v>[^\r\n]+)"
)
_SEALED_WORD = rb"[^\s]+"
_KEPT_WORDS = frozenset(
    b"machine login password account default macdef host user identityfile port".split()
)
_FRAME = rb"-----(?:BEGIN|END) [A-Z0-9 ]+-----|\[[\w .-]+\]"


def find_secrets(
    text: bytes,
    style: SecretStyle = SecretStyle.CODE,
    may_hold: Container[bytes] | None = None,
) -> list[Secret]:
    """The places of secrets in order, none of them touching another.

    `may_hold` has those of `HINTS` that the text may hold, where somebody knows.
    """
    if style is SecretStyle.SEALED:
        return _merged([*_tokens(text, None), *_blocks(text), *_sealed(text)])
    return _merged([*_tokens(text, may_hold), *_blocks(text), *_named(text, style, may_hold)])


def mask_secrets(text: str) -> str:
    """The same for a text of unknown origin: secrets in it are masked first."""
    raw = text.encode("utf-8", "surrogatepass")
    found = find_secrets(raw)
    if found:
        text = masked_text(raw, found).decode("utf-8", "surrogatepass")
    return show_masks(text)


@cache
def _compiled(form: bytes) -> re.Pattern[bytes]:
    return re.compile(form)


def _merged(found: Iterable[Secret]) -> list[Secret]:
    merged: list[Secret] = []
    for secret in sorted(found):
        if merged and secret.start <= merged[-1].end:
            merged[-1] = Secret(merged[-1].start, max(merged[-1].end, secret.end))
        elif secret.end > secret.start:
            merged.append(secret)
    return merged


def _line_around(text: bytes, at: int) -> tuple[int, int]:
    start = text.rfind(b"\n", max(0, at - _MAX_LINE), at) + 1
    end = text.find(b"\n", at, at + _MAX_LINE)
    return start or max(0, at - _MAX_LINE), end if end >= 0 else min(len(text), at + _MAX_LINE)


def _lines_with(text: bytes, hints: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """The lines that hold one of some texts, each once for each of them."""
    for hint in hints:
        at = text.find(hint)
        while at >= 0:
            start, end = _line_around(text, at)
            yield start, end
            at = text.find(hint, max(end, at + 1))


def _tokens(text: bytes, may_hold: Container[bytes] | None) -> Iterator[Secret]:
    for rule in TOKENS:
        for hint in rule.hints:
            if (may_hold is not None and hint not in may_hold) or hint not in text:
                continue
            for start, end in _lines_with(text, (hint,)):
                for match in _compiled(rule.form).finditer(text, start, end):
                    yield Secret(*match.span("v"))


def _blocks(text: bytes) -> Iterator[Secret]:
    """The bodies of private keys, whatever stands around them."""
    if b"PRIVATE KEY" not in text:
        return
    for pattern in (_BLOCK, _OPEN_BLOCK):
        for match in _compiled(pattern).finditer(text):
            if pattern is _BLOCK and _compiled(_CODE).search(match["body"]):
                continue  # two constants, with code between them
            for word in _compiled(_BODY_WORD).finditer(text, *match.span("body")):
                yield Secret(*word.span())


def _named(text: bytes, style: SecretStyle, may_hold: Container[bytes] | None) -> Iterator[Secret]:
    """Values whose names say that they are secret."""
    names = [name for name in NAMES if may_hold is None or name in may_hold]
    lowered = text.lower() if names else b""
    for name in names:
        at = lowered.find(name)
        while at >= 0:
            after = at + len(name)
            if _begins_word(text, at) or name not in SHORT_NAMES:
                yield from _values_behind(text, after, style, is_token=name == b"token")
            at = lowered.find(name, after)


def _begins_word(text: bytes, at: int) -> bool:
    """Whether a word begins here: after no letter, or with a capital after a small one."""
    before = text[at - 1 : at]
    if not before.isalnum():
        return True
    return text[at : at + 1].isupper() and not before.isupper()


def _values_behind(
    text: bytes, at: int, style: SecretStyle, *, is_token: bool
) -> Iterator[Secret]:
    """The value of a name that ends here, or nearly."""
    end_of_name = _compiled(AFTER_NAME).match(text, at)
    at = end_of_name.end() if end_of_name else at
    if text[at : at + 1].isalnum() or text[at : at + 1] == b"_":
        return
    start, end = _line_around(text, at)
    quoted = _compiled(QUOTED_VALUE).match(text, at, end)
    if quoted is not None:
        must_be_random = is_token or quoted["by"] == b","
        if _is_secret(quoted["v"], must_be_random=must_be_random):
            yield Secret(*quoted.span("v"))
        return
    if style is SecretStyle.CODE:
        return
    if style is SecretStyle.SETTINGS and _compiled(BLOCK_VALUE).match(text, at, end):
        yield from _indented_behind(text, at)
        return
    bare = _compiled(BARE_VALUE).match(text, at, end)
    if (
        bare is None
        and style is SecretStyle.SETTINGS
        and _compiled(SPACED_LINE).match(text, start, at)
    ):
        bare = _compiled(SPACED_VALUE).match(text, at, end)
    is_prose = style is SecretStyle.PROSE
    if bare is not None and _is_secret(bare["v"], must_be_random=is_prose):
        yield Secret(*bare.span("v"))


def _is_secret(value: bytes, *, must_be_random: bool) -> bool:
    value = value.strip()
    if len(value) < _LEAST or _compiled(HARMLESS).fullmatch(value):
        return False
    if _compiled(REFERENCE).search(value) or _compiled(PROSE).fullmatch(value):
        return False
    if b"{{" in value or b"${" in value or b"%s" in value or b"#{" in value:
        return False
    if must_be_random:
        return _compiled(RANDOM).fullmatch(value) is not None
    has_digit = any(48 <= byte <= 57 for byte in value)
    return has_digit or not _compiled(CODE_LIKE).fullmatch(value)


def _indented_behind(text: bytes, at: int) -> Iterator[Secret]:
    """The lines of a YAML block that belongs to the key on this line."""
    start = text.rfind(b"\n", 0, at) + 1
    line = text[start:at]
    indent = len(line) - len(line.lstrip(b" -"))
    place = text.find(b"\n", at) + 1
    while 0 < place < len(text):
        end = text.find(b"\n", place)
        end = end if end >= 0 else len(text)
        line = text[place:end]
        if line.strip():
            depth = len(line) - len(line.lstrip(b" "))
            if depth <= indent:
                return
            yield Secret(place + depth, place + len(line.rstrip()))
        place = end + 1


def _sealed(text: bytes) -> Iterator[Secret]:
    """Every value of a file that is a secret: names, separators and frames stay."""
    for line in _compiled(_SEALED_LINE).finditer(text):
        start, end = line.span("v")
        if line["head"]:
            yield Secret(start, start + len(line["v"].rstrip()))
            continue
        for word in _compiled(_SEALED_WORD).finditer(text, start, end):
            if not _compiled(_FRAME).search(line["v"]) and word[0].lower() not in _KEPT_WORDS:
                yield Secret(*word.span())
