"""Tantivy: the only module that opens it; one document per chunk and one per file.

A document is known by version and ordinal and never names a path or a ref: which of
them belong to a snapshot is decided by the version ids that the snapshot names.

How often a term stands in a document is kept as a level (`model.search`), one field
for each level, and Tantivy only says which fields hold a term. What a match is worth
is thus decided by us, from the snapshot's own numbers: what other branches hold in
the same index changes no score.
"""

import tempfile
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import tantivy

from codecompass.errors import CodeCompassError, IndexDamaged, StoreError, StoreFull
from codecompass.model.search import CHUNK_LEVELS, FILE_LEVELS, NAME_EVIDENCE
from codecompass.model.snapshot import VersionId
from codecompass.store.database import is_writable

# Tantivy drops longer tokens with only a log line; a base64 blob is one such token.
_MAX_NAME_BYTES = 1_000
_GRAM = 3
_ORDINAL_BITS = 20
FILE_ORDINAL = (1 << _ORDINAL_BITS) - 1
"""The ordinal of the document that stands for a whole file."""

CHUNK_FIELDS = tuple(f"chunk_{level + 1}" for level in range(len(CHUNK_LEVELS)))
FILE_FIELDS = tuple(f"file_{level + 1}" for level in range(len(FILE_LEVELS)))
NAME_FIELD = "name"
_FACTS_FIELD = "facts"
_TIE_FIELD = "tie"
# So few are looked up one by one in half the time that a set takes, which goes through all.
_FEW_VALUES = 300
_EVIDENCE_BITS = 3
# A 32-bit score holds whole numbers of 24 bits exactly: so many terms fit into one score.
_TERMS_PER_SCORE = 24 // _EVIDENCE_BITS


class Document(NamedTuple):
    """A chunk or a file as terms; plain values, cheap to send between processes."""

    ordinal: int
    levels: tuple[str, ...]  # terms by space; one text for each level that is reached
    name: str = ""  # terms of a definition's name
    facts: str = ""  # what filters ask for
    new_name: str = ""  # the name, on the first definition of a file that has it


class LexicalHit(NamedTuple):
    """A document that matched."""

    version_id: VersionId
    ordinal: int
    score: float


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents may match: by version, and by facts of which each group needs one."""

    only: frozenset[VersionId] | None = None
    without: frozenset[VersionId] = frozenset()
    facts: tuple[tuple[str, ...], ...] = ()
    keys: frozenset[tuple[VersionId, int]] | None = None


class Clause(NamedTuple):
    """A term in a field, and what it is worth there."""

    field: str
    term: str
    weight: float = 1.0


@contextmanager
def native_errors(action: str) -> Generator[None]:
    """Turn Tantivy's errors, which are all ValueErrors, into ours and keep the cause."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, CodeCompassError) or not _is_native(error):
            raise
        text = str(error)
        if type(error).__name__ == _PANIC or any(sign in text for sign in _DAMAGE):
            raise IndexDamaged(f"{action}: the text index is damaged: {text}") from error
        if "No space left" in text or "StorageFull" in text:
            raise StoreFull(f"{action}: no space left on the disk") from error
        raise StoreError(f"{action}: {text}") from error


_PANIC = "PanicException"
# What Tantivy says where files are gone, cut or not as it wrote them.
_DAMAGE = (
    "DoesNotExist",
    "does not exist",
    "orrupt",
    "UnexpectedEof",
    "EOF",
    "footer",
    "too small",
)


def _is_native(error: BaseException) -> bool:
    """Whether Tantivy raised it; a panic of it is no `Exception`."""
    return isinstance(error, ValueError | OSError) or type(error).__name__ == _PANIC


class LexicalIndex:
    """An open index; any number of processes may read while one writes."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self._borrowed: tempfile.TemporaryDirectory[str] | None = None
        if create:
            folder.mkdir(parents=True, exist_ok=True)
        elif not folder.is_dir() or not tantivy.Index.exists(str(folder)):
            raise IndexDamaged(f"the text index in {folder} is missing")
        else:
            folder = self._own_locks(folder)
        try:
            self._index = tantivy.Index(_schema(), path=str(folder))
        except ValueError as error:
            raise IndexDamaged(f"open the text index: {error}") from error
        grams = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(_GRAM, _GRAM, False))
        self._index.register_tokenizer("grams", grams.filter(tantivy.Filter.lowercase()).build())
        terms = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
        self._index.register_tokenizer("terms", terms.build())
        # `view` says what is seen; a reload by itself at every commit would be for nothing.
        self._index.config_reader(reload_policy="manual")

    def close(self) -> None:
        """Remove what was only made to read."""
        if self._borrowed is not None:
            self._borrowed.cleanup()

    def _own_locks(self, folder: Path) -> Path:
        """The folder; one of links to its files if no lock can be made in it."""
        if is_writable(folder):
            return folder
        self._borrowed = tempfile.TemporaryDirectory(prefix="codecompass-")
        for file in folder.iterdir():
            if not file.name.endswith(".lock"):
                (Path(self._borrowed.name) / file.name).symlink_to(file)
        return Path(self._borrowed.name)

    def writer(self, memory_mib: int) -> "LexicalWriter":
        """Open for writing; one writer at a time."""
        with native_errors("open the text index for writing"):
            native = self._index.writer(heap_size=memory_mib * 1024 * 1024, num_threads=1)
        return LexicalWriter(native, self._index.schema)

    def view(self) -> "LexicalView":
        """The index as it is now; what is committed later stays unseen."""
        with native_errors("read the text index"):
            self._index.reload()
            return LexicalView(self._index.searcher(), self._index.schema)


class LexicalView:
    """One state of the index, for one question."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        self._searcher = searcher
        self._schema = schema

    def size(self) -> int:
        """How many documents there are, of all versions."""
        return int(self._searcher.num_docs)

    def best(self, clauses: Sequence[Clause], scope: Scope, *, limit: int) -> list[LexicalHit]:
        """The documents with the highest sums of weights; any one clause is enough.

        Of equal ones those that their contents say, not those indexed first.
        """
        if not clauses or limit < 1:
            return []
        conditions = [self._any(clauses), *self._restrict(scope)]
        return self._search(conditions, limit, weight_by_field=_TIE_FIELD)

    def every(self, groups: Sequence[Sequence[Clause]], scope: Scope) -> list[LexicalHit]:
        """All documents that match one clause of each group."""
        if not groups:
            return []
        must = [self._any(group) for group in groups]
        return self._search([*must, *self._restrict(scope)], max(self.size(), 1))

    def count(self, clause: Clause, scope: Scope) -> int:
        """How many documents hold a term."""
        with native_errors("count documents"):
            term = tantivy.Query.term_query(self._schema, clause.field, clause.term)
            query = tantivy.Query.boolean_query(
                [(tantivy.Occur.Must, term), *self._restrict(scope)]
            )
            found = self._searcher.search(query, limit=1, count=True)
            return int(found.count or 0)  # type: ignore[attr-defined]  # the stub forgot it

    def evidence(
        self, fields: Sequence[str], terms: Sequence[str], places: Iterable[tuple[VersionId, int]]
    ) -> dict[tuple[VersionId, int], tuple[int, ...]]:
        """For each document and term, how many of the fields hold it.

        A match in the name field counts `NAME_EVIDENCE`. The counts of several terms
        travel in one score, which holds whole numbers exactly.
        """
        keys = frozenset(places)
        found: dict[tuple[VersionId, int], tuple[int, ...]] = dict.fromkeys(keys, ())
        for start in range(0, len(terms), _TERMS_PER_SCORE):
            part = terms[start : start + _TERMS_PER_SCORE]
            clauses = [
                Clause(field, term, float(_worth(field) << (_EVIDENCE_BITS * place)))
                for place, term in enumerate(part)
                for field in fields
            ]
            conditions = [self._any(clauses), *self._restrict(Scope(keys=keys))]
            hits = self._search(conditions, max(1, len(keys)))
            scores = {(version, ordinal): int(score) for version, ordinal, score in hits}
            for key, levels in found.items():
                found[key] = levels + _unpack(scores.get(key, 0), len(part))
        return found

    def similar_names(self, name: str, *, limit: int, scope: Scope) -> list[LexicalHit]:
        """Definitions whose names share the most three-letter pieces with this one."""
        return self.best([Clause("grams", gram) for gram in _grams_of(name)], scope, limit=limit)

    def _search(
        self,
        clauses: list[tuple[tantivy.Occur, tantivy.Query]],
        limit: int,
        *,
        weight_by_field: str | None = None,
    ) -> list[LexicalHit]:
        with native_errors("search the text index"):
            query = tantivy.Query.boolean_query(clauses)
            hits = self._searcher.search(
                query, limit=limit, count=False, weight_by_field=weight_by_field
            ).hits
            keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        return [
            LexicalHit(VersionId(key >> _ORDINAL_BITS), key & FILE_ORDINAL, score)
            for (score, _), key in zip(hits, map(int, keys), strict=True)  # type: ignore[arg-type]  # every document has a key
        ]

    def _any(self, clauses: Iterable[Clause]) -> tuple[tantivy.Occur, tantivy.Query]:
        """One clause must match; each that does adds its weight."""
        terms = (
            (tantivy.Query.term_query(self._schema, clause.field, clause.term), clause.weight)
            for clause in clauses
        )
        should = [
            (tantivy.Occur.Should, tantivy.Query.const_score_query(term, weight))
            for term, weight in terms
        ]
        return tantivy.Occur.Must, tantivy.Query.boolean_query(should)

    def _restrict(self, scope: Scope) -> Iterator[tuple[tantivy.Occur, tantivy.Query]]:
        """Conditions that select and add nothing to a score."""
        if scope.only is not None:
            yield tantivy.Occur.Must, self._set("version", sorted(scope.only))
        if scope.without:
            yield tantivy.Occur.MustNot, self._set("version", sorted(scope.without))
        if scope.keys is not None:
            keys = sorted(_key(version_id, ordinal) for version_id, ordinal in scope.keys)
            yield tantivy.Occur.Must, self._set("key", keys)
        for group in scope.facts:
            yield tantivy.Occur.Must, self._set(_FACTS_FIELD, group)

    def _set(self, field: str, values: Sequence[object]) -> tantivy.Query:
        if len(values) > _FEW_VALUES:
            terms = tantivy.Query.term_set_query(self._schema, field, values)
        else:
            each = [tantivy.Query.term_query(self._schema, field, value) for value in values]
            terms = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in each])
        return tantivy.Query.const_score_query(terms, 0.0)


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

    def add(self, version_id: VersionId, blob_id: str, documents: Iterable[Document]) -> None:
        """Add the documents of one version; `blob_id` is the id of its content."""
        with native_errors("add to the text index"):
            for document in documents:
                native = _native_document(version_id, document)
                native.add_float(_TIE_FIELD, _tie(blob_id, document.ordinal))
                self._native.add_document(native)

    def delete(self, versions: Iterable[VersionId]) -> None:
        """Delete all documents of these versions."""
        with native_errors("delete from the text index"):
            for version_id in versions:
                # Not delete_documents_by_term: it takes the number for another type.
                query = tantivy.Query.term_query(self._schema, "version", version_id)
                self._native.delete_documents_by_query(query)

    def commit(self) -> None:
        """Make everything so far durable and visible to readers that reload."""
        with native_errors("commit the text index"):
            self._native.commit()


def _native_document(version_id: VersionId, document: Document) -> tantivy.Document:
    native = tantivy.Document()
    native.add_unsigned("version", version_id)
    native.add_unsigned("key", _key(version_id, document.ordinal))
    fields = FILE_FIELDS if document.ordinal == FILE_ORDINAL else CHUNK_FIELDS
    for field, terms in zip(fields, document.levels, strict=False):
        native.add_text(field, terms)
    if document.name:
        native.add_text(NAME_FIELD, document.name)
    if document.facts:
        native.add_text(_FACTS_FIELD, document.facts)
    if document.new_name:
        native.add_text("grams", document.new_name[:_MAX_NAME_BYTES])
    return native


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("version", indexed=True)
    builder.add_unsigned_field("key", indexed=True, fast=True)
    builder.add_float_field(_TIE_FIELD, fast=True)
    for field in (*FILE_FIELDS, *CHUNK_FIELDS, NAME_FIELD, _FACTS_FIELD):
        builder.add_text_field(field, tokenizer_name="terms", index_option="basic")
    builder.add_text_field("grams", tokenizer_name="grams", index_option="basic")
    return builder.build()


def _tie(blob_id: str, ordinal: int) -> float:
    """A small number that depends on the content alone.

    Tantivy multiplies a score by the binary logarithm of 2 plus it: at most 0.07 % more,
    which orders equal scores and hardly any others.
    """
    return zlib.crc32(f"{blob_id}{ordinal}".encode()) / 2**32 / 1000


def _key(version_id: VersionId, ordinal: int) -> int:
    return version_id << _ORDINAL_BITS | ordinal


def _worth(field: str) -> int:
    return NAME_EVIDENCE if field == NAME_FIELD else 1


@lru_cache(maxsize=4_096)
def _unpack(score: int, count: int) -> tuple[int, ...]:
    mask = (1 << _EVIDENCE_BITS) - 1
    return tuple(score >> (_EVIDENCE_BITS * place) & mask for place in range(count))


def _grams_of(name: str) -> Sequence[str]:
    lower = name.lower()
    return sorted({lower[i : i + _GRAM] for i in range(len(lower) - _GRAM + 1)})
