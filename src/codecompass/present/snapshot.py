"""Definitions of a file in, the part of the file that shows them and what they use out.

The targets stand there in full, inside what they belong to, with exactly those imports,
constants, fields, types and functions of the same file that they use; everything else is
left out without a mark. Whole lines only, so that every line has the number it has in the
file; definitions that share a line with something else are never left out apart from it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from codecompass.model.context import CodeFile, Snapshot
from codecompass.model.source import Span
from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.present.code_lines import CodeLines
from codecompass.text.code import words_of
from codecompass.text.masks import show_masks

_COUNTER = "= iota"  # of a group of constants in Go
_FUNCTIONS = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.COMPONENT}
)


def make_snapshot(file: CodeFile, targets: Collection[int]) -> Snapshot:
    """The part of a file that shows its targets and all they use of the file."""
    return Shown(file).snapshot(targets, with_calls=targets)


class Shown:
    """One file, of which several snapshots may be asked for."""

    def __init__(self, file: CodeFile) -> None:
        self.file = file
        self._lines = CodeLines(file)

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
            if before and self._lines.are_apart(before, first):
                parts.append("")
            parts += self._lines.source[first - 1 : last]
            before = last
        code = "\n".join(parts)
        return Snapshot(self.file.path, ranges, show_masks(f"{head}\n{code}\n"))


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


class _Plan:
    """Which records are shown in full, which only around others, and the lines of both."""

    def __init__(
        self,
        file: CodeFile,
        lines: CodeLines,
        targets: Collection[int],
        with_calls: Collection[int],
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
                        pending.append(used)
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
        self._full.update(set(self._on_shared_lines()) - self._around)

    def _on_shared_lines(self) -> Iterator[int]:
        """What stands at the top of the file and shares a line with something shown."""
        shown = self._full | self._around
        roots = self._children.get(None, [])
        for one, other in pairwise(roots):
            is_shared = self._records[other].span.start_line <= self._records[one].span.end_line
            if is_shared and not shown.isdisjoint((one, other)):
                yield from (one, other)

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
            if holder is None or self._is_shown(holder) or self._keeps(holder):
                continue
            named = item.bound_name
            is_used = named in words if named else _names_any(item.module, files)
            (used if is_used else unused).setdefault(holder, set()).add(item.line)
        for holder, lines_used in used.items():
            span = self._records[holder].span
            text = "".join(self._lines.source[span.start_line - 1 : span.end_line])
            is_list = text.count("{") + text.count("(") <= 1  # and not lists in lists
            if self._records[holder].kind is not SymbolKind.IMPORT or not is_list:
                continue
            kept = lines_used | {span.start_line, span.end_line}
            self._unused[holder] = unused.get(holder, set()) - kept
        return iter(used)

    def _keeps(self, ordinal: int) -> bool:
        """Whether what is imported inside, as in a module of tests, is known only there."""
        record = self._records[ordinal]
        return record.has_body and not record.is_statement

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
            if line.lstrip().startswith(opening) and "?>" not in line:
                return [number]
        return []

    def _lines_of(self, ordinal: int) -> set[int]:
        every = self._lines.whole(ordinal)
        if ordinal in self._full:
            return every - self._unused.get(ordinal, set())
        if self._is_one_piece(self._records[ordinal], every):
            return every
        inside: set[int] = set()
        dropped: set[int] = set()
        for child in self._children.get(ordinal, ()):
            lines = self._lines_of_child(child)
            if lines is None:
                dropped.update(self._lines.whole(child))
            else:
                inside |= lines
                dropped.update(self._lines.whole(child) - lines)
        own = self._own_lines(self._records[ordinal], every - dropped)
        if self._file.syntax.is_never_empty:
            own = self._whole_blocks(self._records[ordinal], own, inside)
            if not self._has_inside(ordinal, own | inside):
                own |= self._something_inside(ordinal, every)
        return own | inside

    def _is_one_piece(self, record: Symbol, lines: set[int]) -> bool:
        """Whether nothing can be left out: branches of `try:`, constants that count on."""
        is_block = record.is_statement and self._file.syntax.is_never_empty
        return is_block or any(_COUNTER in self._lines.source[line - 1] for line in lines)

    def _own_lines(self, record: Symbol, lines: set[int]) -> set[int]:
        """What is left of a record around others: of a function only where it begins and ends."""
        lines = {line for line in lines if self._lines.is_code(line)}
        if not self._is_function(record) or not record.has_body:
            return lines
        end = record.span.end_line
        if self._file.syntax.is_never_empty and not self._lines.is_braced(record):
            return lines & self._lines.head(record)
        is_closed = self._lines.is_braced(record) or self._lines.ends_with_word(end)
        if not is_closed or not self._lines.only_closes(end):
            return lines
        return lines & {*self._lines.head(record), end}

    def _whole_blocks(self, record: Symbol, own: set[int], inside: set[int]) -> set[int]:
        """Blocks around definitions, as `if TYPE_CHECKING:`, are shown whole or not at all."""
        head = self._lines.head(record) if record.has_body else {record.span.start_line}
        kept = set(own)
        done: set[int] = set()
        for line in sorted(own - head):
            if line in done or not self._lines.opens_block(line):
                continue
            block = {*self._lines.block(line, record.span.end_line)}
            done |= block
            kept -= block
            if block & inside:
                kept |= {one for one in block if self._lines.source[one - 1].strip()}
        return kept

    def _lines_of_child(self, child: int) -> set[int] | None:
        """The lines of a record inside one that is shown around others; None: it is left out."""
        if child in self._full or child in self._around:
            return self._lines_of(child)
        is_needed = self._records[child].kind is SymbolKind.ENUM_MEMBER
        is_free = self._lines.are_its_own(child) and not is_needed
        return None if is_free else self._lines.whole(child)

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
    stems = {stem.lstrip("./").replace("::", "/"), module.strip(".").replace(".", "/")}
    return any(file == one or file.endswith(f"/{one}") for file in files for one in stems)
