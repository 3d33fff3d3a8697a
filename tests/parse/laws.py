"""The laws of extraction (spec 3), checked on one file; used by cases, hypothesis and corpora."""

from collections import defaultdict
from itertools import pairwise

from codecompass.chunk.build import build_chunks
from codecompass.chunk.embed_text import MAX_TOKENS, embedding_text
from codecompass.model.chunk import Chunk
from codecompass.model.facts import FileFacts
from codecompass.parse.extract import extract
from codecompass.parse.language import Language
from codecompass.parse.parser import Grammar, load_grammar
from codecompass.text.tokens import estimate_tokens


def check_laws(path: str, language: Language, text: bytes) -> tuple[FileFacts, list[Chunk]]:
    """Raise AssertionError with the number of the law that does not hold."""
    facts = extract(language, text, with_reads=True)
    chunks = build_chunks(path, text, facts)
    assert not uncovered_lines(language, text, chunks), f"law 1: {path}"
    _check_siblings(path, chunks)
    for chunk in chunks:
        exact = text[chunk.span.start_byte : chunk.span.end_byte].decode("utf-8", "replace")
        assert chunk.full_source == exact, f"law 3: {path} {chunk.name}"
        embedded = embedding_text(language.label, chunk)
        assert estimate_tokens(embedded) <= MAX_TOKENS, f"law 5: {path} {chunk.name}"
    _check_hierarchy(path, chunks)
    _check_collapsing(path, text, facts, chunks)
    again = build_chunks(path, text, extract(language, text, with_reads=True))
    assert [chunk.id for chunk in chunks] == [chunk.id for chunk in again], f"law 8: {path}"
    _check_imports(path, facts, chunks)
    return facts, chunks


def uncovered_lines(language: Language, text: bytes, chunks: list[Chunk]) -> list[int]:
    """Law 1: non-blank lines outside every chunk that no comment explains."""
    covered = bytearray(text.count(b"\n") + 2)
    for chunk in chunks:
        for line in range(chunk.span.start_line, chunk.span.end_line + 1):
            covered[line] = 1
    rest = [
        number
        for number, line in enumerate(text.split(b"\n"), start=1)
        if line.strip() and not covered[number]
    ]
    comments = _comment_lines(language, text) if rest else set()
    return [number for number in rest if number not in comments]


def _comment_lines(language: Language, text: bytes) -> set[int]:
    """The lines on which nothing but a comment begins or goes on, as the grammar sees it."""
    assert language.grammar is not None
    grammar = Grammar(*language.grammar, language.queries, ("symbols",))
    lines: set[int] = set()
    pending = [load_grammar(grammar).parser.parse(text).root_node]
    while pending:
        node = pending.pop()
        if "comment" in node.type or node.type in {"haddock", "marginalia", "pragma"}:
            lines.update(range(node.start_point[0] + 1, node.end_point[0] + 2))
        else:
            pending += node.children
    return lines


def _check_siblings(path: str, chunks: list[Chunk]) -> None:
    siblings = defaultdict(list)
    for chunk in chunks:
        siblings[chunk.parent_id].append(chunk.span)
    for spans in siblings.values():
        spans.sort(key=lambda span: span.start_byte)
        for before, after in pairwise(spans):
            assert before.end_byte <= after.start_byte, f"law 2: {path}:{after.start_line}"


def _check_hierarchy(path: str, chunks: list[Chunk]) -> None:
    by_id = {chunk.id: chunk for chunk in chunks}
    assert len(by_id) == len(chunks), f"law 8: {path}: ids repeat"
    for chunk in chunks:
        expected = f"{path} > {chunk.name}"
        if chunk.parent_id is not None:
            parent = by_id[chunk.parent_id]
            assert chunk.id in parent.child_ids, f"law 4: {path} {chunk.name}"
            assert parent.span.contains(chunk.span), f"law 4: {path} {chunk.name}"
            expected = f"{parent.breadcrumb} > {chunk.name}"
        assert chunk.breadcrumb == expected, f"law 7: {path} {chunk.name}"
        for child in chunk.child_ids:
            assert by_id[child].parent_id == chunk.id, f"law 4: {path} {chunk.name}"


def _check_collapsing(path: str, text: bytes, facts: FileFacts, chunks: list[Chunk]) -> None:
    """Law 6: a chunk's text is its source less the bodies of what it holds."""
    for chunk in chunks:
        span = chunk.span
        bodies = [
            (inner.body_start, inner.body_end)
            for inner in facts.symbols[chunk.ordinal + 1 :]
            if inner.has_body and span.contains(inner.span)
        ]
        hidden = bytearray(span.end_byte - span.start_byte)
        for start, end in bodies:
            hidden[start - span.start_byte : end - span.start_byte] = b"\1" * (end - start)
        source = text[span.start_byte : span.end_byte]
        kept = bytes(byte for byte, gone in zip(source, hidden, strict=True) if not gone)
        shown = "".join(chunk.text.split())
        assert shown == "".join(kept.decode("utf-8", "replace").split()), f"law 6: {path}"


def _check_imports(path: str, facts: FileFacts, chunks: list[Chunk]) -> None:
    """Law 10: an import is relevant exactly if one of its names stands in the chunk's text."""
    for chunk in chunks:
        for item in chunk.relevant_imports:
            assert item.bound_name in chunk.text, f"law 10: {path} {chunk.name} {item}"
