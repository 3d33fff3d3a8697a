"""A file's facts and text in, its chunks out: one per symbol and per root statement."""

import hashlib
import re
from collections.abc import Sequence

from codecompass.chunk.collapse import body_cuts, collapsed_texts
from codecompass.model.chunk import Chunk
from codecompass.model.facts import FileFacts
from codecompass.model.reference import Import
from codecompass.model.symbol import Symbol

_RECEIVER_HEAD = re.compile(r"[\w$@]+")


def build_chunks(path: str, text: bytes, facts: FileFacts) -> list[Chunk]:
    """Cut a file into one chunk per record, body-bearing children as signatures.

    Chunks come in source order. `relevant_imports` are right only for facts that were
    extracted with reads.
    """
    symbols = facts.symbols
    ids = [_chunk_id(path, symbol) for symbol in symbols]
    children: list[list[int]] = [[] for _ in symbols]
    for symbol in symbols:
        if symbol.chunk_parent is not None:
            children[symbol.chunk_parent].append(symbol.ordinal)
    depths: list[int] = []
    chunks = []
    for index, (symbol, collapsed) in enumerate(
        zip(symbols, collapsed_texts(text, symbols), strict=True)
    ):
        parent = symbol.chunk_parent
        depths.append(0 if parent is None else depths[parent] + 1)
        cuts = body_cuts(symbols, index)
        chunks.append(
            Chunk(
                id=ids[index],
                parent_id=None if parent is None else ids[parent],
                child_ids=tuple(ids[child] for child in children[index]),
                ordinal=symbol.ordinal,
                kind=symbol.kind,
                name=symbol.name,
                breadcrumb=" > ".join([path, *_ancestors(symbols, symbol), symbol.name]),
                depth=depths[index],
                span=symbol.span,
                signature=symbol.signature,
                doc=symbol.doc,
                full_source=_slice(text, symbol.span.start_byte, symbol.span.end_byte),
                text=collapsed.decode("utf-8", "replace"),
                definitions=_definitions(symbols, symbol, children[index]),
                relevant_imports=_relevant_imports(facts, symbol, cuts),
                has_collapsed_children=bool(cuts),
            )
        )
    return chunks


def _chunk_id(path: str, symbol: Symbol) -> str:
    plain = f"{path}|{symbol.stable_id}".encode()
    return hashlib.blake2b(plain, digest_size=8).hexdigest()


def _slice(text: bytes, start: int, end: int) -> str:
    return text[start:end].decode("utf-8", "replace")


def _ancestors(symbols: Sequence[Symbol], symbol: Symbol) -> list[str]:
    """The names of the chunks around a record, outermost first."""
    names: list[str] = []
    parent = symbol.chunk_parent
    while parent is not None:
        names.append(symbols[parent].name)
        parent = symbols[parent].chunk_parent
    return names[::-1]


def _definitions(symbols: Sequence[Symbol], symbol: Symbol, children: Sequence[int]) -> str:
    inside = [symbol, *(symbols[child] for child in children)]
    return ", ".join(f"{item.kind} {item.name}" for item in inside if not item.is_statement)


def _relevant_imports(
    facts: FileFacts, symbol: Symbol, cuts: Sequence[tuple[int, int]]
) -> tuple[Import, ...]:
    """The imports of which the chunk's own text, children's bodies aside, uses a name."""
    if not facts.imports:
        return ()
    span = symbol.span
    used: set[str] = set()
    for use in facts.references:
        if use.start_byte >= span.end_byte:
            break
        if use.start_byte < span.start_byte or _is_inside(use.start_byte, cuts):
            continue
        used.add(use.name)
        head = _RECEIVER_HEAD.match(use.receiver)
        if head and use.start_byte - len(use.receiver.encode()) > span.start_byte:
            used.add(head.group())
    return tuple(item for item in facts.imports if item.bound_name in used)


def _is_inside(position: int, cuts: Sequence[tuple[int, int]]) -> bool:
    return any(start <= position < end for start, end in cuts)
