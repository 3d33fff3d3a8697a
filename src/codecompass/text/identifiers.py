"""Text in, its identifiers and the words they are made of out."""

import re
from functools import lru_cache

_IDENTIFIER = re.compile(r"[^\W\d]\w*|\d+")
_ASCII_IDENTIFIER = re.compile(r"[A-Za-z_]\w*|\d+", re.ASCII)  # the same, in half the time
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
# A longer "identifier" is data (a key, a hash, a base64 block), unless it is made of words.
_MAX_CHARS = 80
_WORD_CHARS = 3


def find_identifiers(text: str) -> list[str]:
    """Every identifier and number of a text, in order, as often as it stands there."""
    pattern = _ASCII_IDENTIFIER if text.isascii() else _IDENTIFIER
    return pattern.findall(text)


def split_identifier(identifier: str) -> list[str]:
    """The words of one name in lower case: `getHTTPResponse_v2` → get, http, response, v, 2."""
    parts = [part.lower() for part in _PART.findall(identifier)]
    is_data = len(identifier) > _MAX_CHARS and len(parts) * _WORD_CHARS > len(identifier)
    return [] if is_data or max(map(len, parts), default=0) > _MAX_CHARS else parts


@lru_cache(maxsize=50_000)
def split_name(name: str) -> tuple[str, ...]:
    """The words of a name or path whatever joins them: `kebab-case`, `a.b`, `a/b`."""
    return tuple(word for part in _IDENTIFIER.findall(name) for word in split_identifier(part))
