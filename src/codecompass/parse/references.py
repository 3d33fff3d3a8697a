"""Captures of uses in, references that are not local to their function out."""

import re
from collections.abc import Mapping, Sequence

from codecompass.model.reference import Reference, Role
from codecompass.parse.drafts import FUNCTION_LIKE, Draft
from codecompass.parse.ranges import ByteRange, innermost, outermost_first
from codecompass.text.lines import LineTable

# One name may match several patterns; a later role says more than an earlier one.
_ROLE_ORDER = (
    Role.READ, Role.WRITE, Role.TYPE, Role.CALL, Role.INHERIT, Role.DECORATE, Role.EXPORT,
)  # fmt: skip
# Matched against the text before a name turned back to front: anchored, so it never searches.
_RECEIVER = re.compile(rb"\s*(?:\.\??|::?|>-|\\)\s*([\w$@]+(?:(?:\.\??|::?|>-|\\)[\w$@]+)*)")
_MEMBER_MARK = re.compile(rb"\s*(?:\.(?!\.)|>-|::)")
_DOT = ord(".")
_SPACE = frozenset(b" \t\r\n")
_MAY_END_RECEIVER = frozenset(b".:>\\ \t\r\n")
# Longer receivers are whole expressions; nobody resolves them by their text.
_MAX_RECEIVER = 120


def collect_references(
    text: bytes,
    lines: LineTable,
    *,
    captures: Mapping[str, list[ByteRange]],
    drafts: Sequence[Draft],
    ordinals: Sequence[int],
    silent_names: frozenset[str],
) -> list[Reference]:
    """All uses in source order, without definitions' own names and imported names.

    `ordinals` are the drafts' numbers among the file's records.
    A plain name that the enclosing functions bind (a parameter, a local variable) is
    left out where the captures say what is bound, which they do with the reads. A name
    behind a receiver always counts.
    """
    uses = _uses_by_position(captures)
    outer = [(draft.start, draft.end) for draft in drafts]
    locals_of = _local_names(text, captures, drafts=drafts, outer=outer)
    found = []
    spans = _outside(sorted(uses), captures.get("import", ()), uses)
    for span, index in zip(spans, innermost(outer, spans), strict=True):
        start, end = span
        name = text[start:end].decode("utf-8", "replace")
        if name in silent_names:
            continue
        before = text[start - 1] if start else 0
        receiver = _receiver_before(text, start) if before in _MAY_END_RECEIVER else ""
        if not receiver and index >= 0 and name in locals_of[index]:
            continue
        role = uses[span]
        if role is Role.DECORATE:
            receiver = receiver.lstrip("@")
        elif role is Role.EXPORT:
            name = name.strip("\"'`")
        enclosing = ordinals[index] if index >= 0 else None
        found.append(Reference(name, role, lines.line_of(start), start, enclosing, receiver))
    return found


def _uses_by_position(captures: Mapping[str, list[ByteRange]]) -> dict[ByteRange, Role]:
    uses: dict[ByteRange, Role] = {}
    for role in _ROLE_ORDER:
        spans = captures.get(f"ref.{role}")
        if spans:
            uses.update(dict.fromkeys(spans, role))
    for other in ("name", "local", "local.type", "skip"):
        for span in captures.get(other, ()):
            uses.pop(span, None)
    names = {end: start for start, end in captures.get("name", ())}
    # The last part of `class A::B` is its name, as the whole is.
    return {span: role for span, role in uses.items() if span[0] <= names.get(span[1], span[0])}


def _outside(
    spans: list[ByteRange], imports: Sequence[ByteRange], uses: Mapping[ByteRange, Role]
) -> list[ByteRange]:
    """Leave out what stands inside import statements; the import records say it better."""
    if not imports:
        return spans
    around = innermost(sorted(imports, key=outermost_first), spans)
    pairs = zip(spans, around, strict=True)
    return [span for span, index in pairs if index < 0 or uses[span] is Role.EXPORT]


def _local_names(
    text: bytes,
    captures: Mapping[str, list[ByteRange]],
    *,
    drafts: Sequence[Draft],
    outer: Sequence[ByteRange],
) -> list[set[str]]:
    """The names each draft's functions bind, those of the functions around it included.

    A type parameter (`local.type`) is bound by any definition, a variable by functions.
    """
    own: list[set[str]] = [set() for _ in drafts]
    types = captures.get("local.type", ())
    for (start, end), index in zip(types, innermost(outer, types), strict=True):
        if index >= 0:
            own[index].add(text[start:end].decode("utf-8", "replace"))
    spans = captures.get("local", ())
    for (start, end), index in zip(spans, innermost(outer, spans), strict=True):
        while index >= 0 and drafts[index].kind not in FUNCTION_LIKE:
            index = drafts[index].parent
        if index >= 0:
            own[index].add(text[start:end].decode("utf-8", "replace"))
    for index, draft in enumerate(drafts):
        if draft.parent >= 0 and own[draft.parent]:
            own[index] = own[index] | own[draft.parent]
    return own


def _receiver_before(text: bytes, start: int) -> str:
    """What stands before the dot before a name: its text if it is a chain of names."""
    if text[start - 1] in _SPACE:
        # Only a dot is written with space around it; most names just follow a word.
        last = start - 2
        while last >= 0 and text[last] in _SPACE:
            last -= 1
        if last < 0 or text[last] != _DOT:
            return ""
    reversed_window = text[max(0, start - _MAX_RECEIVER) : start][::-1]
    match = _RECEIVER.match(reversed_window)
    if match:
        return match.group(1)[::-1].decode("utf-8", "replace")
    return "()" if _MEMBER_MARK.match(reversed_window) else ""
