"""Captures in, a nested list of definition drafts out: one containment sweep per capture.

A draft is the byte ranges of a definition; texts and ids come later. The rules:

- `symbol.<kind>` is a definition; one node captured under several kinds takes the
  first of them in `_KIND_ORDER`.
- `name`, `body`, `owner`, `decorator`, `doc` belong to the innermost draft around them.
- a `decorator` that stands right before a definition is part of it.
- `wrapper` is a statement around definitions (`export`, `const a = 1, b = 2`, a
  decorated definition) and `wrapped` the node inside it: the first definition of a
  wrapper takes its head, the last one its tail, so that nothing is lost or shared.
- `unnamed` marks a definition that is called `default` for want of a name; any other
  definition without a name is dropped.
- `body_after` is what the body follows when the grammar has no node for the body.
- `equation` marks definitions that are one if they follow each other under one name.
- `extends_to_end` is a definition that lasts until the next one of its kind or the
  end of its parent (`namespace X;`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codecompass.model.symbol import SymbolKind
from codecompass.parse.ranges import ByteRange, innermost, outermost_first

K = SymbolKind

# One node may match several patterns; what says more stands first.
_KIND_ORDER = (
    K.COMPONENT, K.CONSTRUCTOR, K.METHOD, K.FUNCTION, K.MACRO, K.INTERFACE, K.TRAIT, K.PROTOCOL,
    K.STRUCT, K.ENUM, K.CLASS, K.ENUM_MEMBER, K.IMPL, K.TYPE, K.NAMESPACE, K.MODULE,
    K.PROPERTY, K.CONSTANT, K.FIELD, K.VARIABLE, K.SECTION, K.KEY,
)  # fmt: skip

FUNCTION_LIKE = frozenset({K.FUNCTION, K.METHOD, K.CONSTRUCTOR, K.COMPONENT, K.MACRO})
TYPE_LIKE = frozenset(
    {K.CLASS, K.INTERFACE, K.TRAIT, K.PROTOCOL, K.STRUCT, K.ENUM, K.IMPL, K.COMPONENT}
)
_VALUES = frozenset({K.CONSTANT, K.VARIABLE, K.PROPERTY, K.FIELD})
_HOLDERS = TYPE_LIKE | _VALUES | {K.NAMESPACE, K.MODULE, K.TYPE, K.ENUM_MEMBER}


@dataclass(slots=True)
class Draft:
    """A definition in the making; `start`/`end` include its wrapper, `inner` does not."""

    start: int
    end: int
    inner: ByteRange
    kind: SymbolKind
    statement: ByteRange | None = None  # the innermost wrapper
    shared: "SharedHead | None" = None  # set if its wrapper holds other definitions too
    parent: int = -1
    name: ByteRange | None = None
    body: ByteRange | None = None
    owner: ByteRange | None = None
    decorators: list[ByteRange] = field(default_factory=list)
    doc: ByteRange | None = None
    is_stretched: bool = False
    is_promoted: bool = False  # a parameter of a constructor that is a member of its class


@dataclass(frozen=True, slots=True)
class SharedHead:
    """What stands before the first of several definitions in one statement."""

    start: int
    first_statement: int  # where the first one's own wrapper begins
    first_inner: int  # where the first one itself begins


def collect_drafts(captures: Mapping[str, list[ByteRange]], text: bytes) -> list[Draft]:
    """All definitions of a file in source order, parents before children.

    Local variables are no definitions; a method that nothing holds is none either.
    """
    drafts = _unique_drafts(captures)
    if not drafts:
        return []
    _set_parents(drafts)
    _take_leading(drafts, captures.get("decorator", ()), text)
    _apply_wrappers(drafts, captures, text)
    _stretch_to_end(drafts, captures.get("extends_to_end", ()), len(text))
    drafts.sort(key=_outermost_first)
    _set_parents(drafts)
    _attach_parts(drafts, captures)
    unnamed = set(captures.get("unnamed", ()))
    promoted = set(captures.get("promoted", ()))
    for draft in drafts if promoted else ():
        draft.is_promoted = draft.inner in promoted
    if "equation" in captures:
        drafts = _merge_equations(drafts, set(captures["equation"]), text)
    kept = [
        draft
        for draft in drafts
        if (draft.name or draft.inner in unnamed) and _is_definition(draft, drafts)
    ]
    if len(kept) < len(drafts):
        _set_parents(kept)
    return kept


def _unique_drafts(captures: Mapping[str, list[ByteRange]]) -> list[Draft]:
    kinds: dict[ByteRange, SymbolKind] = {}
    for kind in _KIND_ORDER:
        for span in captures.get(f"symbol.{kind}", ()):
            kinds.setdefault(span, kind)
    return sorted(
        (Draft(start, end, (start, end), kind) for (start, end), kind in kinds.items()),
        key=_outermost_first,
    )


def _outermost_first(draft: Draft) -> tuple[int, int]:
    return draft.start, -draft.end


def _take_leading(drafts: list[Draft], decorators: Sequence[ByteRange], text: bytes) -> None:
    """Let a definition begin at the first decorator of those right before it."""
    by_start: dict[int, Draft] = {}
    for draft in drafts:
        by_start.setdefault(draft.start, draft)
    holders = list(innermost([draft.inner for draft in drafts], decorators))
    for (start, end), holder in zip(reversed(decorators), reversed(holders), strict=True):
        while end < len(text) and text[end] in b" \t\r\n":
            end += 1
        following = by_start.get(end)
        if following is not None and start < following.start and holder == following.parent:
            following.start = start
            by_start[start] = following


def _apply_wrappers(
    drafts: list[Draft], captures: Mapping[str, list[ByteRange]], text: bytes
) -> None:
    shells = sorted(captures.get("wrapper", ()), key=outermost_first)
    held: dict[ByteRange, list[Draft]] = {draft.inner: [draft] for draft in drafts}
    inside: list[list[ByteRange]] = [[] for _ in shells]
    wrapped = captures.get("wrapped", ())
    around = innermost([draft.inner for draft in drafts], wrapped)
    for span, shell, index in zip(wrapped, innermost(shells, wrapped), around, strict=True):
        if index >= 0 and drafts[index].inner == span:
            index = drafts[index].parent
        holder = drafts[index].inner if index >= 0 else None
        while shell >= 0 and not _wraps(shells[shell], span, holder):
            shell -= 1
        if shell >= 0:
            inside[shell].append(span)
    for index in range(len(shells) - 1, -1, -1):
        members = [draft for span in inside[index] for draft in held.get(span, ())]
        if not members:
            continue
        start, end = shells[index]
        for draft in members:
            draft.statement = draft.statement or shells[index]
        if len(members) > 1:
            _share(members, start, text)
        if _is_group(text[start : members[0].start]):
            continue  # `const (` has lines of its own: the members keep theirs
        members[0].start = min(members[0].start, start)
        members[-1].end = max(members[-1].end, end)
        held[shells[index]] = members


def _is_group(head: bytes) -> bool:
    """Whether a bracket opens at the end of a line before the first definition."""
    return b"\n" in head and head.split(b"\n", 1)[0].rstrip().endswith((b"(", b"{"))


def _share(members: Sequence[Draft], start: int, text: bytes) -> None:
    """Divide a statement among its definitions so that no text between them is lost."""
    first = members[0]
    statement = first.statement or first.inner
    head = SharedHead(start, statement[0], first.inner[0])
    for index, draft in enumerate(members):
        draft.shared = head
        gap = text[members[index - 1].end : draft.start].lstrip(b" \t\r\n;,") if index else b""
        if gap and gap[:1] not in b"/#-":  # a comment belongs to what it documents
            draft.start -= len(gap)


def _wraps(shell: ByteRange, span: ByteRange, holder: ByteRange | None) -> bool:
    """Whether the shell is around the span, larger than it, and inside what holds the span."""
    if shell == span or shell[0] > span[0] or shell[1] < span[1]:
        return False
    return holder is None or (shell != holder and holder[0] <= shell[0] and shell[1] <= holder[1])


def _stretch_to_end(drafts: list[Draft], marks: Sequence[ByteRange], size_bytes: int) -> None:
    marked = set(marks)
    stretched = [draft for draft in drafts if draft.inner in marked] if marked else []
    for index, draft in enumerate(stretched):
        is_last = index + 1 == len(stretched)
        draft.end = size_bytes if is_last else stretched[index + 1].start
        draft.body = (draft.inner[1], draft.end)
        draft.is_stretched = True


def _set_parents(drafts: list[Draft]) -> None:
    open_drafts: list[int] = []
    for index, draft in enumerate(drafts):
        while open_drafts and drafts[open_drafts[-1]].end < draft.end:
            open_drafts.pop()
        while open_drafts and drafts[open_drafts[-1]].end <= draft.start:
            open_drafts.pop()
        draft.parent = open_drafts[-1] if open_drafts else -1
        open_drafts.append(index)


def _attach_parts(drafts: list[Draft], captures: Mapping[str, list[ByteRange]]) -> None:
    outer = [(draft.start, draft.end) for draft in drafts]
    for part in ("name", "owner", "doc"):
        spans = captures.get(part, ())
        for span, index in zip(spans, innermost(outer, spans), strict=True):
            if index >= 0 and getattr(drafts[index], part) is None:
                setattr(drafts[index], part, span)
    bodies = captures.get("body", ())
    for span, index in zip(bodies, innermost(outer, bodies), strict=True):
        is_all = index >= 0 and span in (drafts[index].inner, outer[index])
        holder = drafts[index].parent if is_all else index  # the only member of a class
        if holder >= 0 and drafts[holder].body is None:
            drafts[holder].body = span
    heads = captures.get("body_after", ())
    for span, index in zip(heads, innermost(outer, heads), strict=True):
        if index >= 0 and span[1] < drafts[index].end:
            drafts[index].body = (span[1], drafts[index].end)
    decorators = captures.get("decorator", ())
    for span, index in zip(decorators, innermost(outer, decorators), strict=True):
        name = drafts[index].name if index >= 0 else None
        if name and span[0] < name[0]:
            drafts[index].decorators.append(span)


def _merge_equations(drafts: list[Draft], marked: set[ByteRange], text: bytes) -> list[Draft]:
    """Join neighbours of one name: a type signature and the equations after it."""
    merged: list[Draft] = []
    last_of_parent: dict[int, Draft] = {}
    for draft in drafts:
        previous = last_of_parent.get(draft.parent)
        if previous and _continues(previous, draft, marked, text):
            body_start = previous.body[0] if previous.body else draft.start
            previous.body = (body_start, draft.end)
            previous.end = draft.end
            continue
        last_of_parent[draft.parent] = draft
        merged.append(draft)
    _set_parents(merged)
    return merged


def _continues(previous: Draft, draft: Draft, marked: set[ByteRange], text: bytes) -> bool:
    if previous.inner not in marked or draft.inner not in marked:
        return False
    if not previous.name or not draft.name:
        return False
    first, second = text[slice(*previous.name)], text[slice(*draft.name)]
    return first.strip(b"()") == second.strip(b"()")


def _is_definition(draft: Draft, drafts: list[Draft]) -> bool:
    parent = drafts[draft.parent].kind if draft.parent >= 0 else None
    if draft.is_promoted:
        return parent in FUNCTION_LIKE and drafts[draft.parent].parent >= 0
    if draft.kind in _VALUES or draft.kind == K.KEY:
        return parent not in FUNCTION_LIKE or (parent == K.COMPONENT and draft.kind in _VALUES)
    if draft.kind == K.METHOD and draft.owner is None:
        return parent in _HOLDERS
    return True
