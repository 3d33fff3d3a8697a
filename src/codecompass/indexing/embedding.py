"""Vectors for contents that have none: a model new to the index, or one that reads texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codecompass.embed.static import StaticModel
from codecompass.errors import ProviderFailed
from codecompass.indexing.views import build_views, chunk_texts
from codecompass.model.source import SkipReason, SourceText
from codecompass.parse.detect import detect_language
from codecompass.parse.extract import extract
from codecompass.source.objects import read_blobs
from codecompass.source.read import read_source, text_of_blob
from codecompass.store.vectors import VectorRows, pack_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from codecompass.config.settings import IndexSettings
    from codecompass.embed.embedder import Embedder
    from codecompass.model.snapshot import FileEntry, VersionId
    from codecompass.store.repository import WriteSession

# Made durable after so many files: a provider may take minutes, or fail.
_BATCH_FILES = 100


class VectorFill:
    """Embeds what a snapshot's files lack; a provider that fails leaves the rest for later."""

    def __init__(
        self, session: WriteSession, root: Path, embedder: Embedder, settings: IndexSettings
    ) -> None:
        self._session = session
        self._root = root
        self._embedder = embedder
        self._settings = settings
        self.problem = ""

    def missing(self, entries: Iterable[FileEntry]) -> list[FileEntry]:
        """One file for each content that has no vectors of this model."""
        if self._session.vectors.has_all(self._embedder.id):
            return []
        by_version = {entry.version_id: entry for entry in entries if entry.version_id is not None}
        return [
            by_version[version_id]
            for version_id in self._session.vectors.missing(self._embedder.id, by_version)
        ]

    def run(self, entries: Sequence[FileEntry], tell: Callable[[int, int], None]) -> None:
        """Embed these files, some at a time."""
        for start in range(0, len(entries), _BATCH_FILES):
            tell(start, len(entries))
            try:
                with self._session.database.transaction("add vectors"):
                    for version_id, rows in self._embedded(entries[start : start + _BATCH_FILES]):
                        self._session.vectors.add(version_id, rows)
                    self._session.vectors.commit()
            except ProviderFailed as error:
                self._session.vectors.drop()
                self.problem = str(error)
                return

    def _embedded(self, entries: Sequence[FileEntry]) -> Iterable[tuple[VersionId, VectorRows]]:
        for entry in entries:
            source = self._source(entry)
            if source is None or entry.version_id is None:
                continue
            facts = extract(detect_language(entry.path, source.text), source.text)
            if isinstance(self._embedder, StaticModel):
                rows = build_views(source.text, facts, self._embedder).vectors
                if rows is not None:
                    yield entry.version_id, rows
                continue
            texts = chunk_texts(source.text, facts)
            vectors = self._embedder.embed_code([text for _, text in texts])
            ordinals = [ordinal for ordinal, _ in texts]
            yield entry.version_id, pack_vectors(self._embedder.id, ordinals, vectors)

    def _source(self, entry: FileEntry) -> SourceText | None:
        """The very content of an entry, from the disk or from git."""
        found = read_source(
            self._root,
            entry.path,
            max_bytes=self._settings.max_file_bytes,
            max_line_bytes=self._settings.max_line_bytes,
        )
        if isinstance(found, SourceText) and found.blob_id == entry.blob_id:
            return found
        raw = read_blobs(self._root, [entry.blob_id]).get(entry.blob_id)
        if raw is None:
            return None
        limit = self._settings.max_line_bytes
        found = text_of_blob(raw, entry.blob_id, entry.path, max_line_bytes=limit)
        return None if isinstance(found, SkipReason) else found
