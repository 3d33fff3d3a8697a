"""What grammars stumble over, changed so that they do not; every change keeps each byte's place.

A repair that blanks text out is made for walkers only: no line may be lost to search.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

_BRANCH = re.compile(rb"(?m)^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b([^\n]*)")
_CLASS_MACRO = re.compile(
    rb"\b((?:class|struct)[ \t]+)([A-Z][A-Z0-9_]+(?:\([^()\n]*\))?)(?=[ \t]+\w+[ \t\n]*[:{])"
)
# What Clang's analysis of threads reads, with or without a prefix of the project's own.
_ANNOTATION = re.compile(
    rb"(?m)(^[ \t]*#[^\n]*)|(?<=[\w)\]])[ \t\n]+(?:[A-Z]+_)?(?:(?:PT_)?GUARDED_(?:BY|VAR)"
    rb"|ACQUIRED_(?:BEFORE|AFTER)|(?:EXCLUSIVE|SHARED)_LOCKS_REQUIRED|REQUIRES(?:_SHARED)?"
    rb"|LOCKS_EXCLUDED|EXCLUDES|ACQUIRE(?:_SHARED)?|RELEASE(?:_SHARED|_GENERIC)?"
    rb"|(?:EXCLUSIVE|SHARED)_(?:TRY)?LOCK_FUNCTION|UNLOCK_FUNCTION|LOCK_RETURNED"
    rb"|ASSERT_(?:EXCLUSIVE|SHARED)_LOCK|NO_THREAD_SAFETY_ANALYSIS)\b(?:\([^()\n]*\))?"
    rb"(?=\s*(?:[;={]|override|final))"
)
_NEVER = re.compile(rb"[ \t(]*0[ \t)]*(?:/|$)")


class Repair(NamedTuple):
    """A change of a text, and when to try it."""

    change: Callable[[bytes], bytes]
    blanks: bool = False
    needs_error: bool = True  # also where the grammar notices nothing, it may be misled
    is_rough: bool = False  # it costs text that is fine: only for what is lost otherwise


def _replaced(pattern: str, template: str) -> Callable[[bytes], bytes]:
    compiled, put = re.compile(pattern.encode()), template.encode()
    return lambda data: compiled.sub(put, data)


def _filled(pattern: str, character: str) -> Callable[[bytes], bytes]:
    compiled, put = re.compile(pattern.encode()), character.encode()
    return lambda data: compiled.sub(lambda found: _covered(found[0], put), data)


def _covered(data: bytes, character: bytes = b" ") -> bytes:
    return re.sub(rb"[^\n]", character, data)


def _without_class_macros(data: bytes) -> bytes:
    """`class EXPORT Name {` without the macro."""
    return _CLASS_MACRO.sub(lambda found: found[1] + _covered(found[2]), data)


def _without_annotations(data: bytes) -> bytes:
    """Declarations without what they say of locks; lines of the preprocessor as they are."""
    return _ANNOTATION.sub(lambda found: found[0] if found[1] else _covered(found[0]), data)


def _first_branches(data: bytes) -> bytes:
    """The first part of every `#if` that is not `#if 0`; the other parts blank."""
    parts: list[bytes] = []
    taken: list[bool] = []  # of every `#if` around: whether a part was kept
    kept: list[bool] = []  # whether the part that is being read is kept
    at = 0
    for match in _BRANCH.finditer(data):
        text = data[at : match.start()]
        parts.append(text if all(kept) else _covered(text))
        parts.append(_covered(match[0]))
        at = match.end()
        if match[1].startswith(b"if"):
            is_kept = not (match[1] == b"if" and _NEVER.match(match[2]))
            kept.append(is_kept)
            taken.append(is_kept)
        elif match[1] == b"endif":
            del kept[-1:], taken[-1:]
        elif kept:
            kept[-1] = not taken[-1]
            taken[-1] = True
    parts.append(data[at:])
    return b"".join(parts)


REPAIRS = {
    # A call signature of an interface, which ends before `<`.
    "call_signatures": Repair(_replaced(r"(?m)^([ \t]*)[ \t](?=<\s*[A-Za-z])", r"\1;")),
    # `import("module").Type<T>`, taken for a call and a comparison.
    "import_types": Repair(_filled(r"""\bimport\(\s*(["'])[^"'\n]*\1\s*\)(?=\.)""", "$")),
    "await_using": Repair(_replaced(r"\bawait using (?=[\w$]+\s*=)", "const       ")),
    "using": Repair(_replaced(r"\busing (?=[\w$]+\s*=)", "const ")),
    # `#ifdef __cplusplus extern "C" { #endif`, whose braces stand in parts of their own.
    "linkage": Repair(
        _filled(
            r"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t(]*)__cplusplus[ \t)]*\n"
            r"(?:[ \t]*extern[ \t]+\"C\"[ \t]*\{?|[ \t]*[{}])[^\n#]*\n[ \t{}]*\n?"
            r"[ \t]*#[ \t]*endif",
            " ",
        ),
        blanks=True,
    ),
    # `struct x { FIELDS };`: the macro reads like a type once a semicolon ends its line.
    "field_macros": Repair(_replaced(r"(?m)^([ \t]+[A-Z][A-Z0-9_]{2,})[A-Z0-9_]$", r"\1;")),
    "class_macros": Repair(_without_class_macros, needs_error=False),
    # `int count_ GUARDED_BY(mutex_);`
    "annotations": Repair(_without_annotations, needs_error=False),
    # `EXPORT int name();`, if it is one of very many.
    "attributes": Repair(
        _filled(r"(?m)^[ \t]*[A-Z][A-Z0-9_]*_(?:EXTERN|API|EXPORT|PUBLIC|INLINE)\b", " "),
        blanks=True,
        is_rough=True,
    ),
    "branches": Repair(_first_branches, blanks=True, is_rough=True),
}
"""By the names under which languages ask for them."""
