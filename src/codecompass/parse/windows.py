"""Text without a grammar in, line windows out, so that every line is findable."""

from codecompass.text.lines import LineTable

# About a screenful: small enough to point at, large enough to be worth reading.
_WINDOW_LINES = 40


def line_windows(text: bytes, lines: LineTable) -> list[tuple[int, int]]:
    """Byte ranges of consecutive windows; windows of blank lines only are left out.

    A window ends early at a blank line in its second half, where a paragraph ends.
    """
    windows = []
    line, count = 1, lines.line_count
    while line <= count:
        last = min(line + _WINDOW_LINES - 1, count)
        if last < count:
            last = _paragraph_end(text, lines, line + _WINDOW_LINES // 2, last)
        start = lines.start_of(line)
        end = lines.start_of(last + 1) if last < count else len(text)
        if text[start:end].strip():
            windows.append((start, end))
        line = last + 1
    return windows


def _paragraph_end(text: bytes, lines: LineTable, first: int, last: int) -> int:
    for line in range(last, first, -1):
        if not text[lines.start_of(line) : lines.start_of(line + 1)].strip():
            return line
    return last
