"""Text in, the same text with what looks like a secret masked out."""

import re

_MASK = "[masked]"
_PATTERNS = (
    re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
    ),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}\b"),
    re.compile(r"\bgithub_pat_[A-Za-z0-9_]{20,}\b"),
    re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}\b"),
    re.compile(r"\bsk-[A-Za-z0-9_-]{20,}\b"),
    re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}\b"),
)
# Literal values of variables that say what they hold.
_ASSIGNED = re.compile(
    r"""(?i)((?:password|passwd|secret|api_?key|auth_?token|access_?token)\w*["']?\s*[:=]\s*)"""
    r"""(["'])(?!\2)[^"'\s]{8,}\2"""
)


# Something of each of the above; most lines have nothing of any.
_HINT = re.compile(
    r"PRIVATE KEY|A[KS]IA|gh[pousr]_|github_pat_|xox|sk-|AIza|eyJ"
    r"|(?i:passw|secret|api_?key|token)"
)


def mask_secrets(text: str) -> str:
    """Replace keys, tokens and passwords, recognised by their form, by a mark."""
    if not _HINT.search(text):
        return text
    for pattern in _PATTERNS:
        text = pattern.sub(_MASK, text)
    return _ASSIGNED.sub(rf"\1\2{_MASK}\2", text)
