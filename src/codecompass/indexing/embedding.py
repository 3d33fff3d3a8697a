"""Vectors for contents that have none: a model new to the index, or one that reads texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codecompass.embed.static import StaticModel
from codecompass.errors import ProviderFailed
from codecompass.indexing.parsers import shared_parsers
from codecompass.indexing.work import WorkItem
from codecompass.store.vectors import VectorRows, pack_vectors
from codecompass.store.versions import failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from codecompass.config.settings import IndexSettings
    from codecompass.embed.embedder import Embedder
    from codecompass.model.snapshot import FileEntry, VersionId
    from codecompass.store.writing import WriteSession

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
        failed = failures(self._session.database)
        items = [
            WorkItem(
                entry.path,
                entry.version_id,
                entry.blob_id,
                self._embedder.name if isinstance(self._embedder, StaticModel) else "",
                failed.get(entry.version_id, ""),
            )
            for entry in entries
            if entry.version_id is not None
        ]
        for batch in shared_parsers().texts(self._root, items, self._settings):
            for found in batch:
                if found.vectors is not None:
                    yield found.version_id, found.vectors
                elif found.texts and not isinstance(self._embedder, StaticModel):
                    vectors = self._embedder.embed_code([text for _, text in found.texts])
                    ordinals = [ordinal for ordinal, _ in found.texts]
                    rows = pack_vectors(self._embedder.id, ordinals, vectors)
                    yield found.version_id, rows
