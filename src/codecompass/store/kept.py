"""What is kept in memory between questions; read again when a snapshot has changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codecompass.model.snapshot import FileEntry, SnapshotCounts, SnapshotId, VersionId
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.catalog import Catalog, CatalogFile
from codecompass.store.database import Database
from codecompass.store.grams import GramIndex
from codecompass.store.graph import LinkMap
from codecompass.store.lists import FileLists
from codecompass.store.modules import KnownModules, most_kept
from codecompass.store.snapshots import (
    Extraction,
    SnapshotRecord,
    extractions_of,
    snapshot_files,
    version_extractions,
)

if TYPE_CHECKING:
    from codecompass.store.likeness import SnapshotVectors

# A question on a ref and one on the working tree by turns, twice over.
_KEPT_SNAPSHOTS = 4
# So many contents are read at once.
_BATCH = 900

_Versions = tuple[int, int]
"""How many versions there are and the highest id; no two states have the same."""
_Extractions = Mapping[VersionId, Extraction]


class KeptSnapshot:
    """One published state of one snapshot."""

    def __init__(
        self,
        record: SnapshotRecord,
        files: Mapping[str, FileEntry],
        extractions: _Extractions,
        before: KeptSnapshot | None = None,
    ) -> None:
        """`before` is an older state, of which most is taken over."""
        self._record_id = record.id
        self._links: LinkMap | None = None
        self.vectors: tuple[object, SnapshotVectors | None] | None = None  # and of which state
        self.counts: SnapshotCounts | None = None  # when they were asked for
        self.generation = record.generation
        self.revision = record.revision
        self.files = files
        self._versions: _Versions = (-1, -1)
        self._seen: tuple[int, int] | None = None  # the state of the store they are of
        self._others: frozenset[VersionId] = frozenset()
        few = _few_changes(before, files, extractions) if before else None
        if before is not None and few is not None:
            self.extractors: Sequence[Extraction] = before.extractors
            self.catalog: Catalog = before.catalog.updated(few)
        else:
            used = {entry.version_id for entry in files.values() if entry.version_id is not None}
            self.extractors = sorted({extractions[version_id] for version_id in used})
            near = before.catalog if before else None
            self.catalog = Catalog(_indexed(files, extractions, near), shared_analyzer(), near)

    def links(self, database: Database, modules: KnownModules) -> LinkMap:
        """Which link each path has."""
        if self._links is None:
            self._links = LinkMap(database, self._record_id, self.files, modules)
        return self._links

    def others(self, database: Database) -> frozenset[VersionId]:
        """The versions of the store that are not this snapshot's."""
        state = database.state()
        if state == self._seen:
            return self._others
        self._seen = state
        row = database.row("SELECT COUNT(*), MAX(id) FROM versions")
        versions = (row[0], row[1] or 0) if row else (0, 0)
        if versions != self._versions:
            ours = self.catalog.by_version
            rows = database.rows("SELECT id FROM versions") if versions[0] != len(ours) else []
            self._others = frozenset(VersionId(row[0]) for row in rows if row[0] not in ours)
            self._versions = versions
        return self._others


def _indexed(
    files: Mapping[str, FileEntry], extractions: _Extractions, near: Catalog | None
) -> list[CatalogFile]:
    """Those of the files that are indexed; what is known of them is taken over."""
    known: Mapping[str, CatalogFile] = near.by_path if near else {}
    found: list[CatalogFile] = []
    for path, entry in files.items():
        old = known.get(path)
        if old is not None and old.version_id == entry.version_id:
            found.append(old)
        elif entry.version_id is not None:
            language = extractions[entry.version_id].language
            found.append(CatalogFile(path, entry.version_id, language))
    return found


def _few_changes(
    before: KeptSnapshot, files: Mapping[str, FileEntry], extractions: _Extractions
) -> list[CatalogFile] | None:
    """The files that have another content than before; None if more than contents changed."""
    if len(files) != len(before.files):
        return None
    found: list[CatalogFile] = []
    for path, entry in files.items():
        old = before.files.get(path)
        if old is entry:
            continue
        if old is None or old.version_id is None or entry.version_id is None:
            return None
        if old.version_id != entry.version_id:
            language = extractions[entry.version_id].language
            if extractions.get(old.version_id) != extractions[entry.version_id]:
                return None
            found.append(CatalogFile(path, entry.version_id, language))
    return found


class Kept:
    """The last few snapshots, the lists behind them, and the bits of all their contents."""

    def __init__(self, vectors: Path) -> None:
        self.lists = FileLists()
        self.modules = KnownModules()
        self._vectors = vectors
        self._snapshots: OrderedDict[SnapshotId, KeptSnapshot] = OrderedDict()
        self._grams = GramIndex()
        self._extractions: _Extractions = {}  # of the last snapshot that was read

    def snapshot(self, database: Database, record: SnapshotRecord) -> KeptSnapshot:
        """A snapshot's state; what is kept of an older one is replaced."""
        found = self._snapshots.get(record.id)
        if found is None or found.generation != record.generation:
            files = snapshot_files(database, record, self.lists)
            self._extractions = _extractions_of(database, record, files, self._extractions)
            found = KeptSnapshot(record, files, self._extractions, found)
            self._snapshots[record.id] = found
        elif found.revision != record.revision:  # other times, the same contents
            found.files = snapshot_files(database, record, self.lists)
            found.revision = record.revision
        self._snapshots.move_to_end(record.id)
        while len(self._snapshots) > _KEPT_SNAPSHOTS:
            self._snapshots.popitem(last=False)
        return found

    def vectors(
        self, database: Database, snapshot: KeptSnapshot, model: str
    ) -> SnapshotVectors | None:
        """The vectors of a snapshot; None if the model has none, or they are damaged."""
        row = database.row("SELECT file, row_count FROM vector_files WHERE model = ?", (model,))
        # Rows may be added to the same snapshot; a file cut short must not be read.
        size = _size(self._vectors / row[0]) if row else 0
        state = (model, *row, size) if row else (model,)
        if snapshot.vectors is None or snapshot.vectors[0] != state:
            from codecompass.store.likeness import open_vectors  # with it numpy

            order = {v: places[0] for v, places in snapshot.catalog.by_version.items()}
            snapshot.vectors = (state, open_vectors(database, self._vectors, model, order))
        return snapshot.vectors[1]

    def grams(self, database: Database, catalog: Catalog) -> GramIndex:
        """The bits of at least these contents; those not yet known are read."""
        if self._grams.covered is catalog.by_version:
            return self._grams
        if len(self._grams.known) > most_kept(len(catalog.by_version)):  # contents long gone
            self._grams = GramIndex()
        missing = sorted(catalog.by_version.keys() - self._grams.known)
        for start in range(0, len(missing), _BATCH):
            sql = "SELECT version_id, bits FROM grams WHERE version_id IN (*)"
            rows = database.rows_among(sql, missing[start : start + _BATCH])
            self._grams.add((VersionId(row[0]), row[1]) for row in rows)
        self._grams.covered = catalog.by_version
        return self._grams


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return -1


def _extractions_of(
    database: Database,
    record: SnapshotRecord,
    files: Mapping[str, FileEntry],
    known: _Extractions,
) -> _Extractions:
    """How all versions of a snapshot were extracted; only of a few others is asked."""
    used = {entry.version_id for entry in files.values() if entry.version_id is not None}
    missing = used - known.keys()
    if len(missing) > _BATCH or len(known) > most_kept(len(used)):
        return version_extractions(database, record)
    return {**known, **extractions_of(database, sorted(missing))} if missing else known
