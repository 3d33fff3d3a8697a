"""A snapshot's files in, what the names of each family may depend on out."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from codecompass.link.families import FAMILY_OF, Family, is_config
from codecompass.link.linker import Program
from codecompass.link.types import Place
from codecompass.model.module import ModuleFacts
from codecompass.model.snapshot import LIVE, FileEntry, SnapshotName, VersionId
from codecompass.parse.stub_tables import stub_tables
from codecompass.source.objects import read_blobs
from codecompass.source.read import decode_text
from codecompass.store.database import Database
from codecompass.store.modules import (
    KnownModules,
    ModuleInfo,
    read_shared,
    read_tables,
    read_uses,
)

Files = Mapping[str, VersionId]
"""The files of one family in a snapshot that have tables."""


class Programs:
    """Reads what the store knows of a snapshot's files."""

    def __init__(
        self, database: Database, root: Path, name: SnapshotName, modules: KnownModules
    ) -> None:
        self.database = database
        self.root = root
        self.name = name
        self._known = modules
        self._modules: Mapping[VersionId, ModuleInfo] = {}

    def read(self, entries: Iterable[FileEntry]) -> None:
        """Find out which of some files have tables; before anything else is asked of them."""
        self._modules = self._known.read(self.database, entries)

    def has_tables(self, version_id: VersionId) -> bool:
        """Whether the uses of a version can be resolved."""
        return version_id in self._modules

    def shares(self, version_id: VersionId) -> bool:
        """Whether a version has names that every file may know."""
        return self._modules[version_id].shares

    def family(self, version_id: VersionId | None) -> str:
        """The name of a version's family; "" if its uses are not resolved."""
        if version_id is None or version_id not in self._modules:
            return ""
        family = FAMILY_OF.get(self._modules[version_id].language)
        return family.name if family is not None else ""

    def versions_of(self, languages: Iterable[str]) -> set[VersionId]:
        """All versions in some languages."""
        wanted = set(languages)
        return {number for number, info in self._modules.items() if info.language in wanted}

    def files_of(self, family: Family, entries: Mapping[str, FileEntry]) -> dict[str, VersionId]:
        """A family's files, in the order of their paths."""
        versions = self.versions_of(family.languages)
        found = {
            path: entry.version_id
            for path, entry in entries.items()
            if entry.version_id is not None and entry.version_id in versions
        }
        return dict(sorted(found.items()))

    def program(self, family: Family, entries: Mapping[str, FileEntry], files: Files) -> Program:
        """Everything that the names of a family may depend on."""
        return Program(
            family=family,
            paths=list(files),
            configs=self.configs(family, entries),
            shared=lambda: self._shared(files),
            stubs=stub_tables(family.name),
            tables=lambda path: self.tables(files.get(path)),
            uses=lambda path: read_uses(self.database, files[path]),
        )

    def tables(self, version_id: VersionId | None) -> ModuleFacts | None:
        """The tables of a version."""
        return read_tables(self.database, version_id) if version_id is not None else None

    def configs(self, family: Family, entries: Mapping[str, FileEntry]) -> dict[str, str]:
        """The texts of the files that say what a family's module names mean."""
        if not family.config_names:
            return {}
        return self._texts(
            entry for path, entry in sorted(entries.items()) if is_config(family, path)
        )

    def _texts(self, entries: Iterable[FileEntry]) -> dict[str, str]:
        wanted = [entry for entry in entries if entry.version_id is not None]
        if self.name.ref != LIVE:
            blobs = read_blobs(self.root, [entry.blob_id for entry in wanted])
            raw = {entry.path: blobs.get(entry.blob_id) for entry in wanted}
        else:
            raw = {entry.path: _read(self.root / entry.path) for entry in wanted}
        texts = {path: decode_text(data) for path, data in raw.items() if data is not None}
        return {
            path: text.decode("utf-8", "replace")
            for path, text in texts.items()
            if text is not None
        }

    def _shared(self, files: Files) -> dict[str, list[Place]]:
        """The names that every file knows, with their declarations in the order of paths."""
        ids = {version_id for version_id in files.values() if self.shares(version_id)}
        by_version = read_shared(self.database, sorted(ids))
        found: dict[str, list[Place]] = {}
        for path, version_id in files.items():
            for name, numbers in by_version.get(version_id, {}).items():
                found.setdefault(name, []).extend((path, number) for number in numbers)
        return found


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
