"""Definitions of a file in, the part of the file that shows them and what they use out.

The targets stand there in full, inside what they belong to, with exactly those imports,
constants, fields, types and functions of the same file that they use; everything else is
left out without a mark. Whole lines only, so that every line has the number it has in the
file; definitions that share a line with something else are never left out apart from it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from codecompass.model.context import CodeFile, Snapshot
from codecompass.model.source import Span
from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.text.code import bare_code, continued_lines, here_documents, words_of
from codecompass.text.secrets import mask_secrets

_FUNCTIONS = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.COMPONENT}
)
_DECLARED = frozenset(
    {SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.FIELD, SymbolKind.PROPERTY}
)
_END_MARKS = " \t,;"
_CLOSING = " \t,;})]"


def make_snapshot(file: CodeFile, targets: Collection[int]) -> Snapshot:
    """The part of a file that shows its targets and all they use of the file."""
    return Shown(file).snapshot(targets, with_calls=targets)


class Shown:
    """One file, of which several snapshots may be asked for."""

    def __init__(self, file: CodeFile) -> None:
        self.file = file
        self._lines = _Lines(file)

    def snapshot(self, targets: Collection[int], *, with_calls: Collection[int]) -> Snapshot:
        """The part that shows targets; of those `with_calls`, also the functions they call."""
        plan = _Plan(self.file, self._lines, targets, with_calls)
        ranges = tuple(_ranges(plan.lines()))
        syntax = self.file.syntax
        head = f"{syntax.comment} {self.file.path}:{_numbers(ranges)}"
        if syntax.comment in _CLOSED:
            head += f" {_CLOSED[syntax.comment]}"
        parts: list[str] = []
        before = 0
        for first, last in ranges:
            if before and self._lines.has_blank(before, first):
                parts.append("")
            parts += self._lines.source[first - 1 : last]
            before = last
        code = "\n".join(parts)
        return Snapshot(self.file.path, ranges, mask_secrets(f"{head}\n{code}\n"))


_CLOSED = {"<!--": "-->", "/*": "*/"}


def _numbers(ranges: Sequence[tuple[int, int]]) -> str:
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in ranges)


def _ranges(lines: Collection[int]) -> Iterator[tuple[int, int]]:
    start = before = 0
    for line in sorted(lines):
        if line != before + 1 or not start:
            if start:
                yield start, before
            start = line
        before = line
    if start:
        yield start, before


@dataclass(frozen=True, slots=True)
class _Part:
    """Some lines of a file, without comments and strings."""

    first: int
    bare: list[str]
    continued: set[int]  # lines of it that are inside strings which begin behind code


class _Lines:
    """The lines of a file, as they are and without comments and strings; records by number."""

    def __init__(self, file: CodeFile) -> None:
        self._file = file
        self.source = file.text.split("\n")
        self.records = {record.ordinal: record for record in file.records}
        self._parts: dict[int, _Part] = {}
        self.children: dict[int | None, list[int]] = {}
        for record in file.records:
            self.children.setdefault(record.chunk_parent, []).append(record.ordinal)

    @cached_property
    def raw(self) -> bytes:
        """The text as it is counted by spans."""
        return self._file.text.encode("utf-8", "replace")

    def bare(self, line: int) -> str:
        """A line without comments and strings."""
        part = self._part_of(line)
        return part.bare[line - part.first]

    def bare_text(self, lines: Iterable[int]) -> str:
        """Lines without comments and strings."""
        return "\n".join(map(self.bare, lines))

    def _part_of(self, line: int) -> "_Part":
        """The part of the file that a line is in; made when it is first asked for."""
        number = bisect_right(self._starts, line) - 1
        if number not in self._parts:
            first = self._starts[number]
            following = self._starts[number + 1 : number + 2] or [len(self.source) + 1]
            text = "\n".join(self.source[first - 1 : following[0] - 1])
            syntax = self._file.syntax
            self._parts[number] = _Part(
                first,
                bare_code(text, syntax.comment, quotes=syntax.quotes).split("\n"),
                continued_lines(text, syntax.comment, quotes=syntax.quotes),
            )
        return self._parts[number]

    @cached_property
    def _starts(self) -> list[int]:
        """Where parts begin: at every record, for none begins inside a comment or a string."""
        return sorted({1, *(record.span.start_line for record in self._file.records)})

    @cached_property
    def _documents(self) -> dict[int, int]:
        """In languages that have them, texts begun on one line and written below it."""
        return here_documents(self._file.text) if self._file.syntax.comment == "#" else {}

    def whole(self, ordinal: int) -> set[int]:
        """All lines of a record."""
        span = self.records[ordinal].span
        last = self._documents.get(span.end_line, span.end_line)
        return set(range(span.start_line, last + 1))

    @cached_property
    def together(self) -> dict[int, list[int]]:
        """Records that one statement declares, as `const a = 1, b = 2;` does on several lines."""
        found: dict[int, list[int]] = {}
        for around, siblings in self.children.items():
            chain: list[int] = []
            for ordinal in siblings:
                record = self.records[ordinal]
                if chain:
                    last = self.records[chain[-1]].span.end_byte
                    between = self.raw[last : record.span.start_byte].strip()
                    chain = chain if between == b"," else []
                chain = [*chain, ordinal] if record.kind in _DECLARED else []
                ends = (
                    self.raw[record.span.end_byte : record.span.end_byte + 200].lstrip()[:1]
                    == b";"
                )
                if len(chain) > 1 and (ends or around is None):
                    found.update(dict.fromkeys(chain, chain))
        return found

    def is_code(self, line: int) -> bool:
        """Whether more than a comment stands on a line."""
        if not self.source[line - 1].strip():
            return False
        part = self._part_of(line)
        return bool(self.bare(line).strip()) or line - part.first + 1 in part.continued

    def only_closes(self, line: int) -> bool:
        """Whether a line holds nothing but the end of a block."""
        return not self.bare(line).strip(_CLOSING)

    def are_its_own(self, ordinal: int) -> bool:
        """Whether nothing else stands on the lines where a record begins and ends."""
        span = self.records[ordinal].span
        before = self.raw[self.raw.rfind(b"\n", 0, span.start_byte) + 1 : span.start_byte]
        if before.strip():
            return False
        following = self.raw.find(b"\n", span.end_byte)
        rest = self.raw[span.end_byte : following if following >= 0 else len(self.raw)]
        if not rest.strip(_END_MARKS.encode()):
            return True
        last = max(span.start_byte, span.end_byte - 1)
        own = self.raw[self.raw.rfind(b"\n", 0, last) + 1 : span.end_byte]
        behind = self.bare(span.end_line)[len(own.decode("utf-8", "replace")) :]
        return not behind.strip(_END_MARKS)

    def comment_above(self, record: Symbol) -> list[int]:
        """The lines of the comment right above a record."""
        found: list[int] = []
        line = record.span.start_line - 1
        while line >= 1 and self.source[line - 1].strip() and not self.is_code(line):
            found.append(line)
            line -= 1
        return found

    def has_blank(self, last: int, first: int) -> bool:
        """Whether a blank line stands between two lines."""
        return any(not line.strip() for line in self.source[last : first - 1])


class _Plan:
    """Which records are shown in full, which only around others, and the lines of both."""

    def __init__(
        self, file: CodeFile, lines: _Lines, targets: Collection[int], with_calls: Collection[int]
    ) -> None:
        self._file = file
        self._lines = lines
        self._records = lines.records
        self._children = lines.children
        self._targets = [target for target in sorted(targets) if target in self._records]
        self._with_calls = with_calls
        self._full: set[int] = set()
        self._around: set[int] = set()
        self._unused: dict[int, set[int]] = {}  # lines of imports that nothing shown uses
        self._choose()

    # What is shown.

    def _choose(self) -> None:
        self._full.update(self._targets)
        pending = list(self._targets)
        while pending:
            ordinal = pending.pop()
            for used in self._used_by(ordinal):
                if self._is_shown(used) or used in self._ancestors(ordinal):
                    continue
                record = self._records[used]
                if self._is_function(record):
                    if ordinal in self._with_calls:
                        self._full.add(used)
                elif self._holds_bodies(used):
                    self._around.add(used)
                else:
                    self._full.add(used)
                    pending.append(used)
        self._full.update(self._imports())
        for ordinal in tuple(self._full):
            self._full.update(self._lines.together.get(ordinal, ()))
        for ordinal in (*self._full, *self._around):
            self._around.update(self._ancestors(ordinal))

    def _used_by(self, ordinal: int) -> list[int]:
        """The definitions of the file that a record uses."""
        span = self._records[ordinal].span
        uses = self._file.own_uses
        if uses is None:
            words = words_of(self._lines.bare_text(range(span.start_line, span.end_line + 1)))
            roots = (record for record in self._file.records if record.depth == 0)
            return [
                record.ordinal
                for record in roots
                if not record.is_statement and record.name in words and record.ordinal != ordinal
            ]
        first = bisect_left(uses, (span.start_byte, -1))
        last = bisect_left(uses, (span.end_byte, -1))
        found = dict.fromkeys(use.target for use in uses[first:last])
        return [target for target in found if target in self._records and target != ordinal]

    def _imports(self) -> Iterator[int]:
        """The imports whose names, or whose files, anything shown in full uses."""
        spans = [self._records[ordinal].span for ordinal in self._full]
        lines = {line for span in spans for line in range(span.start_line, span.end_line + 1)}
        words = words_of(self._lines.bare_text(sorted(lines)))
        files = (
            self._files_used(spans) if any(not i.bound_name for i in self._file.imports) else ()
        )
        used: dict[int, set[int]] = {}
        unused: dict[int, set[int]] = {}
        for item in self._file.imports:
            holder = self._root_at(item.start_byte)
            if holder is None or self._is_shown(holder):
                continue
            named = item.bound_name
            is_used = named in words if named else _names_any(item.module, files)
            (used if is_used else unused).setdefault(holder, set()).add(item.line)
        for holder, lines_used in used.items():
            span = self._records[holder].span
            if self._records[holder].kind is not SymbolKind.IMPORT:
                continue  # a block with several
            kept = lines_used | {span.start_line, span.end_line}
            self._unused[holder] = unused.get(holder, set()) - kept
        return iter(used)

    def _files_used(self, spans: Sequence[Span]) -> set[str]:
        """The other files that anything in these places is from, without their suffixes."""
        uses = self._file.other_uses
        found: set[str] = set()
        for span in spans:
            first = bisect_left(uses, (span.start_byte, ""))
            last = bisect_left(uses, (span.end_byte, ""))
            found.update(use.path.rpartition(".")[0] for use in uses[first:last])
        return found

    def _root_at(self, start: int) -> int | None:
        """The record at the top of the file that a byte is in."""
        roots = self._children.get(None, [])
        place = bisect_right(roots, start, key=lambda one: self._records[one].span.start_byte)
        if not place:
            return None
        span = self._records[roots[place - 1]].span
        return roots[place - 1] if start < max(span.end_byte, span.start_byte + 1) else None

    def _is_function(self, record: Symbol) -> bool:
        is_accessor = record.kind is SymbolKind.PROPERTY and record.has_body
        return record.kind in _FUNCTIONS or is_accessor

    def _holds_bodies(self, ordinal: int) -> bool:
        return any(
            self._records[child].has_body or self._holds_bodies(child)
            for child in self._children.get(ordinal, ())
        )

    def _ancestors(self, ordinal: int) -> list[int]:
        found: list[int] = []
        around = self._records[ordinal].chunk_parent
        while around is not None and around in self._records and around not in found:
            found.append(around)
            around = self._records[around].chunk_parent
        return found

    def _is_shown(self, ordinal: int) -> bool:
        return ordinal in self._full or any(up in self._full for up in self._ancestors(ordinal))

    # Which lines that makes.

    def lines(self) -> set[int]:
        """The numbers of all lines that are shown."""
        found: set[int] = set()
        for ordinal in self._children.get(None, ()):
            if ordinal in self._full or ordinal in self._around:
                found |= self._lines_of(ordinal)
        for ordinal in self._targets:
            found.update(self._lines.comment_above(self._records[ordinal]))
        opening = self._file.syntax.opening
        if opening and found:
            found.update(self._first_line_with(opening))
        return found

    def _first_line_with(self, opening: str) -> Iterable[int]:
        for number, line in enumerate(self._lines.source, 1):
            if opening in line:
                return [number]
        return []

    def _lines_of(self, ordinal: int) -> set[int]:
        every = self._lines.whole(ordinal)
        if ordinal in self._full:
            return every - self._unused.get(ordinal, set())
        inside: set[int] = set()
        dropped: set[int] = set()
        for child in self._children.get(ordinal, ()):
            lines = self._lines_of_child(child)
            if lines is None:
                dropped.update(self._lines.whole(child))
            else:
                inside |= lines
                dropped.update(self._lines.whole(child) - lines)
        own = {line for line in every - dropped if self._lines.is_code(line)}
        if self._file.syntax.is_never_empty and not self._has_inside(ordinal, own | inside):
            own |= self._something_inside(ordinal, every)
        return own | inside

    def _lines_of_child(self, child: int) -> set[int] | None:
        """The lines of a record inside one that is shown around others; None: it is left out."""
        if child in self._full or child in self._around:
            return self._lines_of(child)
        return None if self._lines.are_its_own(child) else self._lines.whole(child)

    def _has_inside(self, ordinal: int, lines: set[int]) -> bool:
        record = self._records[ordinal]
        if record.body_start < 0:
            return True
        first = self._lines.raw.count(b"\n", 0, record.body_start) + 1
        return any(
            line >= first and line > record.span.start_line and not self._lines.only_closes(line)
            for line in lines
        )

    def _something_inside(self, ordinal: int, every: set[int]) -> set[int]:
        """A block is never empty: its fields, or the shortest of what it holds."""
        children = self._children.get(ordinal, [])
        if not children:
            return every
        plain = [child for child in children if not self._records[child].has_body]
        if plain:
            return {line for child in plain for line in self._lines.whole(child)}
        return min((self._lines.whole(child) for child in children), key=lambda lines: len(lines))


def _names_any(module: str, files: Collection[str]) -> bool:
    """Whether a module without a name of its own is one of the files: `#include "a/b.h"`."""
    stem = module.strip("\"'<>").rpartition(".")[0] or module
    stem = stem.lstrip("./").replace("::", "/")
    return any(file == stem or file.endswith(f"/{stem}") for file in files)
