"""A text in, the same text in which nothing is an order to a terminal or hides from a reader."""

# Marks that turn the direction of a line, or that nobody sees: what is shown would not be
# what is there.
_UNSEEN = (
    0x00AD, 0x061C, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070),
    0xFEFF, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080),
)  # fmt: skip
_CONTROLS = (*range(32), *range(127, 160))


def _escape(code: int) -> str:
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"


def _json_escape(code: int) -> str:
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


_SHOWN = {code: _escape(code) for code in (*_CONTROLS, *_UNSEEN) if chr(code) not in "\n\t"}
_JSON = {code: _json_escape(code) for code in (*_CONTROLS, *_UNSEEN) if code >= 127}


def visible(text: str) -> str:
    """A text whose controls and unseen marks are written out; lines and tabs stay."""
    return text.replace("\r\n", "\n").translate(_SHOWN)


def visible_json(text: str) -> str:
    """The same for JSON, which means the same afterwards."""
    return text if text.isascii() else text.translate(_JSON)
