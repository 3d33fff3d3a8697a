"""One file's text and facts in, its documents for the text index and its vectors out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codecompass.chunk.collapse import collapsed_texts
from codecompass.model.facts import FileFacts
from codecompass.model.search import CHUNK_LEVELS, FILE_LEVELS
from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.store.analyzers import Analyzer, shared_analyzer
from codecompass.store.lexical import FILE_ORDINAL, Document
from codecompass.store.vectors import DOCS_ROW, FILE_ROW, VectorRows, pack_vectors

if TYPE_CHECKING:
    from codecompass.embed.static import StaticModel

VIEWS_VERSION = 4
"""Grows when the same text would give other documents; part of a version's key."""

# A term counts the less the longer its file: half as much at three times this length.
_USUAL_TERMS = 2_000
_LENGTH_SHARE = 0.5
_DOC_PROBE_CHARS = 60
# What docs say first says what things are for.
_DOC_CHARS = 400
_FILE_DOC_CHARS = 20_000
# A line or two, as about one member of many, do not say what a file is for.
_LEAST_DOC_CHARS = 60
_FILE_HEAD_BYTES = 4_000


@dataclass(frozen=True, slots=True)
class FileViews:
    """A file as the text index knows it, and what its parts mean to a model."""

    documents: list[Document]
    vectors: VectorRows | None = None


def build_views(text: bytes, facts: FileFacts, model: StaticModel | None) -> FileViews:
    """One document and one vector for the file, and for each chunk that is more than an import.

    A file without definitions is one document: it has no parts that bear a name. The
    terms of any other are those of its chunks, which together cover it: counting the
    text once more would cost as much again. Signatures inside signatures count twice.
    """
    analyzer = shared_analyzer()
    if all(symbol.is_statement for symbol in facts.symbols):
        whole = analyzer.count_terms(text.decode("utf-8", "replace"))
        return FileViews([_file_document(whole)], _vectors(model, [], whole))
    counted = _count_chunks(analyzer, text, facts)
    whole = Counter()
    for _, counts in counted:
        whole.update(counts)
    documents = [_file_document(whole), *_chunk_documents(analyzer, counted)]
    return FileViews(documents, _vectors(model, counted, whole))


def _vectors(
    model: StaticModel | None, counted: Sequence[tuple[Symbol, Counter[str]]], whole: Counter[str]
) -> VectorRows | None:
    """What the chunks mean, each with the names around it, and the file: its docs, all of it."""
    if model is None:
        return None
    analyzer = shared_analyzer()
    ordinals: list[int] = []
    texts: list[Mapping[str, int]] = []
    for symbol, counts in counted:
        if not is_searched(symbol):
            continue
        ordinals.append(symbol.ordinal)
        texts.append(_with_scope(counts, symbol.scope))
    docs = " ".join(symbol.doc[:_DOC_CHARS] for symbol, _ in counted if symbol.doc)
    if len(docs) >= _LEAST_DOC_CHARS:
        ordinals.append(DOCS_ROW)
        texts.append(analyzer.count_terms(docs[:_FILE_DOC_CHARS]))
    return pack_vectors(model.id, [*ordinals, FILE_ROW], model.embed_code([*texts, whole]))


def _with_scope(counts: Counter[str], scope: Sequence[str]) -> Mapping[str, int]:
    """The terms of a chunk and of the names of what it stands in."""
    if not scope:
        return counts
    merged = dict(counts)
    for name in scope:
        for term in shared_analyzer().name_terms(name):
            merged[term] = merged.get(term, 0) + 1
    return merged


def chunk_texts(text: bytes, facts: FileFacts) -> list[tuple[int, str]]:
    """What models that read texts are given: each chunk with its doc, and the file's head."""
    texts = collapsed_texts(text, facts.symbols)
    found = [
        (symbol.ordinal, _with_doc(content.decode("utf-8", "replace"), symbol))
        for symbol, content in zip(facts.symbols, texts, strict=True)
        if is_searched(symbol) and not symbol.is_statement
    ]
    return [*found, (FILE_ROW, text[:_FILE_HEAD_BYTES].decode("utf-8", "replace"))]


def is_searched(symbol: Symbol) -> bool:
    """Whether a record is a document of its own."""
    return symbol.kind is not SymbolKind.IMPORT and symbol.ordinal < FILE_ORDINAL


def _count_chunks(
    analyzer: Analyzer, text: bytes, facts: FileFacts
) -> list[tuple[Symbol, Counter[str]]]:
    """Every record with the terms of its text and its doc."""
    texts = collapsed_texts(text, facts.symbols)
    return [
        (symbol, analyzer.count_terms(_with_doc(content.decode("utf-8", "replace"), symbol)))
        for symbol, content in zip(facts.symbols, texts, strict=True)
    ]


def _file_document(counts: Counter[str]) -> Document:
    length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * counts.total() / _USUAL_TERMS
    levels = [" ".join(counts)]
    for least in FILE_LEVELS[1:]:
        often = [term for term, times in counts.items() if times >= least * length]
        levels.append(" ".join(often))
    return Document(FILE_ORDINAL, tuple(levels))


def _chunk_documents(
    analyzer: Analyzer, counted: Iterable[tuple[Symbol, Counter[str]]]
) -> Iterator[Document]:
    names: set[str] = set()
    for symbol, counts in counted:
        if not is_searched(symbol):
            continue
        levels = [" ".join(counts)]
        for least in CHUNK_LEVELS[1:]:
            often = [term for term, times in counts.items() if times >= least]
            if not often:
                break
            levels.append(" ".join(often))
        is_new = not symbol.is_statement and symbol.name not in names
        names.add(symbol.name)
        yield Document(
            symbol.ordinal,
            tuple(levels),
            name="" if symbol.is_statement else " ".join(analyzer.name_terms(symbol.name)),
            facts=_facts(symbol),
            new_name=symbol.name if is_new else "",
        )


def _with_doc(text: str, symbol: Symbol) -> str:
    """A chunk's text and its doc, which in most languages stands above it."""
    is_inside = symbol.doc[:_DOC_PROBE_CHARS].partition("\n")[0] in text
    return text if is_inside else f"{symbol.doc}\n{text}"


def _facts(symbol: Symbol) -> str:
    """What filters ask for, as words."""
    words = [f"kind:{symbol.kind}"]
    if symbol.is_exported is not None:
        words.append("exported:yes" if symbol.is_exported else "exported:no")
    words.append("doc:yes" if symbol.doc else "doc:no")
    return " ".join(words)
