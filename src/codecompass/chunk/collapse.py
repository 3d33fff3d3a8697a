"""A record's span with the bodies of what stands inside it taken out."""

from collections.abc import Iterator, Sequence

from codecompass.model.symbol import Symbol


def collapsed_texts(text: bytes, symbols: Sequence[Symbol]) -> Iterator[bytes]:
    """For each record in order, its text with body-bearing children as their signatures."""
    for index, symbol in enumerate(symbols):
        start, end = symbol.span.start_byte, symbol.span.end_byte
        cuts = body_cuts(symbols, index)
        if not cuts:
            yield text[start:end]
            continue
        parts = []
        for cut_start, cut_end in cuts:
            parts.append(text[start:cut_start].rstrip())
            start = cut_end
        parts.append(text[start:end])
        yield b"".join(parts)


def body_cuts(symbols: Sequence[Symbol], index: int) -> list[tuple[int, int]]:
    """The byte ranges of the outermost bodies inside a record, its own body not counted."""
    end = symbols[index].span.end_byte
    bodies: list[tuple[int, int]] = []
    is_sorted = True
    for inner in symbols[index + 1 :]:
        if inner.span.start_byte >= end:
            break
        if not inner.has_body:
            continue
        body = (inner.body_start, inner.body_end)
        if bodies and body[0] < bodies[-1][1]:
            if body[0] >= bodies[-1][0]:
                continue  # inside the body before it
            is_sorted = False  # a lambda in an initialiser before its constructor's body
        bodies.append(body)
    return bodies if is_sorted else _outermost(bodies)


def _outermost(bodies: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(bodies, key=lambda body: (body[0], -body[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept
