"""Tantivy: the only module that opens it; one document per definition.

A document is known by version and ordinal and never names a path or a ref: which of
them belong to a snapshot is decided by the version ids that the snapshot names.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import tantivy

from codecompass.errors import IndexIncompatible, StoreError, StoreFull
from codecompass.model.snapshot import VersionId

# Tantivy drops longer tokens with only a log line; a base64 blob is one such token.
_MAX_NAME_BYTES = 1_000
_GRAM = 3


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A definition that matched."""

    version_id: VersionId
    ordinal: int
    score: float


@contextmanager
def native_errors(action: str) -> Generator[None]:
    """Turn Tantivy's errors, which are all ValueErrors, into ours and keep the cause."""
    try:
        yield
    except (ValueError, OSError) as error:
        text = str(error)
        if "No space left" in text or "StorageFull" in text:
            raise StoreFull(f"{action}: no space left on the disk") from error
        raise StoreError(f"{action}: {text}") from error


class LexicalIndex:
    """An open index; any number of processes may read while one writes."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        if create:
            folder.mkdir(parents=True, exist_ok=True)
        elif not folder.is_dir() or not tantivy.Index.exists(str(folder)):
            raise IndexIncompatible(f"the text index in {folder} is missing")
        try:
            self._index = tantivy.Index(_schema(), path=str(folder))
        except ValueError as error:
            raise IndexIncompatible(f"open the text index: {error}") from error
        grams = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(_GRAM, _GRAM, False))
        self._index.register_tokenizer("grams", grams.filter(tantivy.Filter.lowercase()).build())

    def writer(self, memory_mib: int) -> "LexicalWriter":
        """Open for writing; one writer at a time."""
        with native_errors("open the text index for writing"):
            native = self._index.writer(heap_size=memory_mib * 1024 * 1024, num_threads=1)
        return LexicalWriter(native, self._index.schema)

    def similar_names(self, name: str, limit: int) -> list[LexicalHit]:
        """Definitions whose names share the most three-letter pieces with this one."""
        grams = _grams_of(name)
        if not grams:
            return []
        with native_errors("search names"):
            self._index.reload()
            searcher = self._index.searcher()
            terms = [tantivy.Query.term_query(self._index.schema, "grams", g) for g in grams]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
            hits = searcher.search(query, limit=limit).hits
            places = [address for _, address in hits]
            versions = searcher.fast_field_values("version", places)
            ordinals = searcher.fast_field_values("ordinal", places)
        return [
            LexicalHit(VersionId(int(version or 0)), int(ordinal or 0), score)
            for (score, _), version, ordinal in zip(hits, versions, ordinals, strict=True)
        ]

    def count(self) -> int:
        """How many definitions the index holds, of all versions."""
        with native_errors("count definitions"):
            self._index.reload()
            return int(self._index.searcher().num_docs)


class LexicalWriter:
    """Adds and deletes; nothing is visible before `commit`."""

    def __init__(self, native: tantivy.IndexWriter, schema: tantivy.Schema) -> None:
        self._native = native
        self._schema = schema

    def __enter__(self) -> "LexicalWriter":
        """Use as a context manager to be sure that merges have ended."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Throw away what was not committed; wait for merges if all went well."""
        with native_errors("close the text index"):
            if kind is not None:
                self._native.rollback()
            self._native.wait_merging_threads()

    def add(self, version_id: VersionId, names: Iterable[tuple[int, str]]) -> None:
        """Add the definitions of one version by ordinal and name."""
        with native_errors("add to the text index"):
            for ordinal, name in names:
                document = tantivy.Document()
                document.add_unsigned("version", version_id)
                document.add_unsigned("ordinal", ordinal)
                document.add_text("grams", name[:_MAX_NAME_BYTES])
                self._native.add_document(document)

    def delete(self, versions: Iterable[VersionId]) -> None:
        """Delete all definitions of these versions."""
        with native_errors("delete from the text index"):
            for version_id in versions:
                # Not delete_documents_by_term: it takes the number for another type.
                query = tantivy.Query.term_query(self._schema, "version", version_id)
                self._native.delete_documents_by_query(query)

    def commit(self) -> None:
        """Make everything so far durable and visible to readers that reload."""
        with native_errors("commit the text index"):
            self._native.commit()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("version", indexed=True, fast=True)
    builder.add_unsigned_field("ordinal", fast=True)
    builder.add_text_field("grams", tokenizer_name="grams", index_option="basic")
    return builder.build()


def _grams_of(name: str) -> Sequence[str]:
    lower = name.lower()
    return sorted({lower[i : i + _GRAM] for i in range(len(lower) - _GRAM + 1)})
