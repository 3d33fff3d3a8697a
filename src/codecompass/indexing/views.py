"""One file's text and facts in, its documents for the text index out."""

from collections import Counter
from collections.abc import Iterable, Iterator

from codecompass.chunk.collapse import collapsed_texts
from codecompass.model.facts import FileFacts
from codecompass.model.search import CHUNK_LEVELS, FILE_LEVELS
from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.store.analyzers import Analyzer, shared_analyzer
from codecompass.store.lexical import FILE_ORDINAL, Document

VIEWS_VERSION = 3
"""Grows when the same text would give other documents; part of a version's key."""

# A term counts the less the longer its file: half as much at three times this length.
_USUAL_TERMS = 2_000
_LENGTH_SHARE = 0.5
_DOC_PROBE_CHARS = 60


def build_documents(text: bytes, facts: FileFacts) -> list[Document]:
    """One document for the file, one for each chunk that is more than an import.

    A file without definitions is one document: it has no parts that bear a name. The
    terms of any other are those of its chunks, which together cover it: counting the
    text once more would cost as much again. Signatures inside signatures count twice.
    """
    analyzer = shared_analyzer()
    if all(symbol.is_statement for symbol in facts.symbols):
        return [_file_document(analyzer.count_terms(text.decode("utf-8", "replace")))]
    counted = _count_chunks(analyzer, text, facts)
    whole: Counter[str] = Counter()
    for _, counts in counted:
        whole.update(counts)
    return [_file_document(whole), *_chunk_documents(analyzer, counted)]


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
        if symbol.kind is SymbolKind.IMPORT or symbol.ordinal >= FILE_ORDINAL:
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
