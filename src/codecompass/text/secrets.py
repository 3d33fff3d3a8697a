"""Text in, the same text with what looks like a secret masked out."""

import re

_MASK = "[masked]"
_PATTERNS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
        ),
    ),
    (("AKIA", "ASIA"), re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    (
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}\b"),
    ),
    (("github_pat_",), re.compile(r"\bgithub_pat_[A-Za-z0-9_]{20,}\b")),
    (("xox",), re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}\b")),
    (("sk-",), re.compile(r"\bsk-[A-Za-z0-9_-]{20,}\b")),
    (("_live_", "_test_"), re.compile(r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b")),
    (("glpat-",), re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}")),
    (("npm_",), re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    (("AIza",), re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b")),
    (
        ("eyJ",),
        re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}\b"),
    ),
)
"""Each with texts of which one is in everything it matches: most texts have none of them."""

_IN_ADDRESS = re.compile(r"""://[^\s:/@"']{1,200}:[^\s/@"']{3,2000}@""")
"""A user and password before the name of a host."""

# Literal values of variables that say what they hold. Every repeat is bounded: a line may be
# as long as a file, and its time would grow with the square.
_NAMES = ("password", "passwd", "secret", "api_?key", "auth_?token", "access_?token")
_NAMED = tuple(
    dict.fromkeys(s for name in _NAMES for s in (name.replace("_?", ""), name.replace("?", "")))
)
_ASSIGNED = re.compile(
    rf"""(?i)((?:{"|".join(_NAMES)})\w{{0,40}}["']?(?:\s{{0,9}}:\s{{0,9}}[\w.\[\]| ]{{1,40}})?"""
    rf"""\s{{0,9}}[:=]\s{{0,9}})(["'])(?!\2)[^"'\s]{{8,}}\2"""
)


def mask_secrets(text: str) -> str:
    """Replace keys, tokens and passwords, recognised by their form, by a mark."""
    for hints, pattern in _PATTERNS:
        if any(hint in text for hint in hints):
            text = pattern.sub(_MASK, text)
    if "://" in text and "@" in text:
        text = _IN_ADDRESS.sub(f"://{_MASK}@", text)
    lowered = text.lower()
    if any(name in lowered for name in _NAMED):
        text = _ASSIGNED.sub(rf"\1\2{_MASK}\2", text)
    return text
