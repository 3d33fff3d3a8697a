"""Byte offsets ↔ line numbers of one text."""

from bisect import bisect_right
from itertools import accumulate


class LineTable:
    """Where the lines of a text begin; lines are 1-based and end with a line feed."""

    __slots__ = ("_starts", "size_bytes")

    def __init__(self, text: bytes) -> None:
        lengths = [len(line) + 1 for line in text.split(b"\n")]
        lengths.pop()
        self._starts = list(accumulate(lengths, initial=0))
        self.size_bytes = len(text)

    @property
    def line_count(self) -> int:
        """Number of lines; a final line break does not open another one."""
        if self.size_bytes == 0:
            return 0
        return len(self._starts) - (self._starts[-1] == self.size_bytes)

    def line_of(self, byte: int) -> int:
        """The line on which the byte at this offset stands."""
        return bisect_right(self._starts, byte)

    def start_of(self, line: int) -> int:
        """The offset of the first byte of a line."""
        return self._starts[line - 1]

    def end_of(self, line: int) -> int:
        """The offset behind a line, its line feed included."""
        return self._starts[line] if line < len(self._starts) else self.size_bytes

    def last_line_of(self, start_byte: int, end_byte: int) -> int:
        """The line of the last byte of a half-open range, not counting a final line break."""
        return self.line_of(max(start_byte, end_byte - 1))
