"""Root nodes and drafts in, the root statements that are chunks of their own out."""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from codecompass.model.symbol import SymbolKind
from codecompass.parse.drafts import Draft
from codecompass.parse.parser import RootNode
from codecompass.parse.ranges import ByteRange
from codecompass.text.lines import LineTable

_PUNCTUATION = b" \t\r\n\f\v;,"


@dataclass(frozen=True, slots=True)
class Statement:
    """A root statement: its range and whether it imports, exports or does something."""

    start: int
    end: int
    kind: SymbolKind


def root_statements(
    text: bytes,
    lines: LineTable,
    *,
    roots: Sequence[RootNode],
    drafts: Sequence[Draft],
    captures: Mapping[str, list[ByteRange]],
) -> list[Statement]:
    """One statement for each root node that is not wholly made of definitions.

    Comments are no statements. Text that the grammar gave up on, between the nodes,
    becomes statements too, so that no line of code is lost.
    """
    tops = [_covered(draft) for draft in drafts if _is_top(draft, drafts)]
    starts = [start for start, _ in tops]
    kinds = dict.fromkeys(captures.get("statement.import", ()), SymbolKind.IMPORT)
    kinds.update(dict.fromkeys(captures.get("import", ()), SymbolKind.IMPORT))
    kinds.update(dict.fromkeys(captures.get("statement.export", ()), SymbolKind.EXPORT))
    comments = set(captures.get("comment", ()))
    comments.update((node.start_byte, node.end_byte) for node in roots if node.is_comment)
    found: list[Statement] = []
    for node in roots:
        span = (node.start_byte, node.end_byte)
        if not node.is_named or span in comments:
            continue
        if not _is_made_of(text, span, tops=tops, starts=starts):
            start, end = _clipped(span, tops=tops, starts=starts)
            if text[start:end].strip():
                found.append(Statement(start, end, kinds.get(span, SymbolKind.EXPRESSION)))
    code = [*tops, *((item.start, item.end) for item in found)]
    gaps = _gaps(text, lines, code=code, comments=comments)
    return sorted([*found, *gaps], key=lambda item: item.start) if gaps else found


def _gaps(
    text: bytes, lines: LineTable, *, code: Sequence[ByteRange], comments: Collection[ByteRange]
) -> list[Statement]:
    """Statements for what lies between the covered ranges and is not just punctuation.

    Punctuation counts where no code shares its line.
    """
    found: list[ByteRange] = []
    position = 0
    code_lines: set[int] = set()
    for start, end in [*sorted([*code, *comments]), (len(text), len(text))]:
        gap = text[position:start]
        if start > position and not gap.isspace():
            if not code_lines:
                code_lines = {line for span in code for line in _first_and_last(lines, span)}
            if gap.strip(_PUNCTUATION):
                found.append((position, start))
            else:
                found += _lone_lines(lines, (position, start), code_lines)
        position = max(position, end)
    return [
        Statement(*_stripped(text, span), SymbolKind.EXPRESSION)
        for span in found
        if text[slice(*span)].strip()
    ]


def _lone_lines(lines: LineTable, span: ByteRange, taken: Collection[int]) -> list[ByteRange]:
    """The lines of a range, as ranges, on which nothing else stands."""
    start, end = span
    first, last = _first_and_last(lines, span)
    return [
        (max(start, lines.start_of(line)), min(end, lines.end_of(line)))
        for line in range(first, last + 1)
        if line not in taken
    ]


def _stripped(text: bytes, span: ByteRange) -> ByteRange:
    inner = text[slice(*span)]
    return span[0] + len(inner) - len(inner.lstrip()), span[0] + len(inner.rstrip())


def _first_and_last(lines: LineTable, span: ByteRange) -> tuple[int, int]:
    return lines.line_of(span[0]), lines.last_line_of(*span)


def _is_top(draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether a draft stands at the root, or in a namespace that is just the rest of the file."""
    return draft.parent < 0 or drafts[draft.parent].is_stretched


def _covered(draft: Draft) -> ByteRange:
    return draft.inner if draft.is_stretched else (draft.start, draft.end)


def _clipped(span: ByteRange, *, tops: Sequence[ByteRange], starts: Sequence[int]) -> ByteRange:
    """The part of a node that no definition across its border takes (broken syntax does that)."""
    start, end = span
    before = bisect_right(starts, start) - 1
    if before >= 0 and tops[before][0] < start < tops[before][1] < end:
        start = tops[before][1]
    last = bisect_right(starts, end - 1) - 1
    if last >= 0 and start < tops[last][0] < end < tops[last][1]:
        end = tops[last][0]
    return start, end


def _is_made_of(
    text: bytes, span: ByteRange, *, tops: Sequence[ByteRange], starts: Sequence[int]
) -> bool:
    """Whether nothing but punctuation remains of a node when its definitions are taken out."""
    position, end = span
    index = max(0, bisect_right(starts, position) - 1)
    while index < len(tops) and tops[index][0] < end:
        start, stop = tops[index]
        if stop > position:
            if text[position:start].strip(_PUNCTUATION):
                return False
            position = max(position, stop)
        index += 1
    return not text[position:end].strip(_PUNCTUATION)
