"""Byte ranges and which of them lies in which."""

from collections.abc import Iterator, Sequence

ByteRange = tuple[int, int]


def outermost_first(span: ByteRange) -> tuple[int, int]:
    """Sort key: by start, the longer of two that start together first."""
    return span[0], -span[1]


def innermost(outer: Sequence[ByteRange], ranges: Sequence[ByteRange]) -> Iterator[int]:
    """For each range, in source order, the index of the smallest outer one around it, or -1.

    `outer` is sorted by `outermost_first`; its ranges nest or are apart.
    """
    open_ranges: list[int] = []
    upcoming, count = 0, len(outer)
    next_start = outer[0][0] if outer else -1
    for start, end in ranges:
        while upcoming < count and next_start <= start:
            while open_ranges and outer[open_ranges[-1]][1] <= next_start:
                open_ranges.pop()
            open_ranges.append(upcoming)
            upcoming += 1
            if upcoming < count:
                next_start = outer[upcoming][0]
        while open_ranges and outer[open_ranges[-1]][1] <= start:
            open_ranges.pop()
        if not open_ranges:
            yield -1
        elif outer[open_ranges[-1]][1] >= end:
            yield open_ranges[-1]
        else:
            yield next((i for i in reversed(open_ranges) if outer[i][1] >= end), -1)
