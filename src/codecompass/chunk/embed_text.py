"""A chunk in, the text by which its meaning is found out: a preamble and the code."""

import re
from collections.abc import Sequence

from codecompass.model.chunk import Chunk
from codecompass.text.tokens import cut_to_tokens

MAX_TOKENS = 32_000
"""What embedding models take at most; only data, never code, is that long."""

_COMMENT_MARKS = re.compile(r"^\s*(?:///?!?|/\*\*?|\*/?|#+|--+\s*\|?|;+|%+|<!--)\s?|\s*\*/\s*$")
_QUOTES = re.compile(r"^[rRbBuUfF]{0,2}(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")


def embedding_text(label: str, chunk: Chunk, quotes: Sequence[str] = ()) -> str:
    """The chunk's text behind what a reader would want to know first.

    `quotes` are `name: signature` lines of what the chunk refers to. The code is cut,
    never the preamble, where both together are longer than a model takes.
    """
    head = [f"[{label}] {chunk.breadcrumb}"]
    purpose = first_paragraph(chunk.doc)
    if purpose:
        head.append(f"Purpose: {purpose}")
    if chunk.signature:
        head.append(f"Signature: {chunk.signature}")
    modules = list(dict.fromkeys(item.module for item in chunk.relevant_imports if item.module))
    if modules:
        head.append(f"Dependencies: {', '.join(modules)}")
    if chunk.definitions:
        head.append(f"Defines: {chunk.definitions}")
    if quotes:
        head += ["Referenced symbols:", *(f"- {quote}" for quote in quotes)]
    preamble = "\n".join(head) + "\n---\n"
    return cut_to_tokens(preamble, MAX_TOKENS // 2) + cut_to_tokens(chunk.text, MAX_TOKENS // 2)


def first_paragraph(doc: str) -> str:
    """The first paragraph of a docstring or doc comment, without its marks, on one line."""
    words: list[str] = []
    for line in _QUOTES.sub("", doc.strip()).splitlines():
        plain = _COMMENT_MARKS.sub("", line).strip()
        if not plain and words:
            break
        words += plain.split()
    return " ".join(words)
