"""The lines of a file, as they are and without comments and strings; records by number."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from codecompass.model.context import CodeFile
from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.text.code import bare_code, continued_lines, here_documents

_DECLARED = frozenset(
    {SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.FIELD, SymbolKind.PROPERTY}
)
_END_MARKS = " \t\r,;"
_CLOSING = " \t\r,;})]"
_WORDS_THAT_CLOSE = frozenset({"end", "fi", "done", "esac"})
_OPENING = ("if ", "if(", "try:", "with ", "for ", "while ", "match ")
_GOING_ON = ("else", "elif ", "elif(", "except", "finally", ")", "]")


@dataclass(frozen=True, slots=True)
class _Part:
    """Some lines of a file, without comments and strings."""

    first: int
    bare: list[str]
    continued: set[int]  # lines of it that are inside strings which begin behind code


class CodeLines:
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
        if "/*" in self.source[last - 1] and self._file.syntax.comment == "//":
            last = self._end_of_comment(last)
        return set(range(span.start_line, last + 1))

    def _end_of_comment(self, line: int) -> int:
        """The last line of a comment that begins behind the code of a line and goes on below."""
        text = self.source[line - 1]
        start = text.rfind("/*")
        if "*/" in text[start:] or text[start:] in self.bare(line):
            return line
        while line < len(self.source) and "*/" not in self.source[line]:
            line += 1
        return min(line + 1, len(self.source))

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
        text = self.bare(line).strip()
        left = text.strip(_CLOSING)
        return bool(text) and (not left or left in _WORDS_THAT_CLOSE)

    def ends_with_word(self, line: int) -> bool:
        """Whether a line is one of those words that end a block."""
        return self.bare(line).strip(_CLOSING) in _WORDS_THAT_CLOSE

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

    def are_apart(self, last: int, first: int) -> bool:
        """Whether a blank line between two lines helps: not where a block begins or ends."""
        if self.only_closes(first) or self.bare(last).rstrip().endswith(("{", "(", ":")):
            return False
        return any(not line.strip() for line in self.source[last : first - 1])

    def head(self, record: Symbol) -> set[int]:
        """The lines of a record before its body."""
        first = self.raw.count(b"\n", 0, record.body_start) + 1
        last = first if self.is_braced(record) or first == record.span.start_line else first - 1
        return {line for line in range(record.span.start_line, last + 1) if self.is_code(line)}

    def is_braced(self, record: Symbol) -> bool:
        """Whether the body of a record stands between braces."""
        return self.raw[record.body_start : record.body_start + 1] == b"{"

    def block(self, line: int, last: int) -> range:
        """The lines of the statement that opens a block by indentation, its branches included."""
        indent = self._indent(line)
        end = line + 1
        while end <= last:
            text = self.source[end - 1].strip()
            is_inside = not text or self._indent(end) > indent
            if not is_inside and not (self._indent(end) == indent and text.startswith(_GOING_ON)):
                break
            end += 1
        return range(line, end)

    def opens_block(self, line: int) -> bool:
        """Whether a statement with a block begins on a line."""
        return self.bare(line).strip().startswith(_OPENING)

    def _indent(self, line: int) -> int:
        text = self.source[line - 1]
        return len(text) - len(text.lstrip())
