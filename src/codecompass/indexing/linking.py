"""A snapshot's files in, what their uses mean out; only what a difference reaches is done anew.

What a file's uses mean rests on its own tables and on what it asked of other files. So
from the links of a snapshot that is near, those are kept whose file is the same and that
rest on nothing that changed.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codecompass.indexing.bounds import is_near
from codecompass.link.digests import digests
from codecompass.link.families import FAMILIES, FAMILY_OF, Family, is_config
from codecompass.link.linker import Linker, Program
from codecompass.link.types import Place
from codecompass.model.edge import LinkedFile
from codecompass.model.module import ModuleFacts
from codecompass.model.snapshot import LIVE, FileEntry, SnapshotName, VersionId
from codecompass.parse.stub_tables import stub_tables
from codecompass.source.memory import give_back_memory
from codecompass.source.objects import read_blobs
from codecompass.source.read import decode_text
from codecompass.store.database import Database
from codecompass.store.links import (
    LinkId,
    NodeNumbers,
    insert_links,
    resting_on,
    snapshot_links,
)
from codecompass.store.modules import (
    ModuleInfo,
    read_imported,
    read_shared,
    read_tables,
    read_uses,
)
from codecompass.store.repository import WriteSession
from codecompass.store.snapshots import SnapshotRecord, all_snapshots, snapshot_files

# So many files are resolved before what was worked out for them is forgotten. Where a few
# have changed it is forgotten sooner: servers do that all day, and memory stays with them.
_BATCH_FILES, _SMALL_BATCH_FILES = 400, 40
# After so many, what they took is given back before something that stays lies in between.
_TIDY_FILES = 10
# After so many it is seen whether memory comes near its limit.
_LOOK_FILES = 10
# Snapshots looked at for one that is near.
_MAX_BASES = 6
# A nearer snapshot than one with so few differences is not looked for.
_NEAR_FILES = 20

_NO_KEYS: set[str] = set()

Files = Mapping[str, VersionId]
"""The files of one family in a snapshot that have tables."""


@dataclass(frozen=True, slots=True)
class _Base:
    """A snapshot whose links are known."""

    entries: Mapping[str, FileEntry]
    links: Mapping[str, LinkId]
    difference: Collection[str]  # paths that mean another content in what is linked now


@dataclass(frozen=True, slots=True)
class LinkReport:
    """The links of a snapshot, and how many of them are new."""

    links: Mapping[str, LinkId]
    resolved: int


class Linking:
    """Resolves one snapshot, inside the writer's run."""

    def __init__(
        self,
        session: WriteSession,
        root: Path,
        name: SnapshotName,
        *,
        memory_mib: int,
        progress: Callable[[int, int], None],
    ) -> None:
        self._session = session
        self._memory_mib = memory_mib
        self._database = session.database
        self._root = root
        self._name = name
        self._progress = progress
        self._modules: Mapping[VersionId, ModuleInfo] = {}

    def run(self, entries: Mapping[str, FileEntry]) -> LinkReport:
        """The links of a snapshot with these files; must not run inside a transaction."""
        self._session.modules.tidy(len(entries))
        self._modules = self._session.modules.read(self._database, entries.values())
        base = self._nearest(entries)
        touched = self._touched(base, entries) if base else FAMILIES
        found = self._untouched(base, touched) if base else {}
        resolved = 0
        for family in touched:
            files = self._files_of(family, entries)
            if not files:
                continue
            step = _FamilyLinking(self, family, entries, files)
            kept, todo = step.split(base) if base else ({}, list(files))
            found |= kept
            found |= self._resolve(step, todo)
            resolved += len(todo)
            if len(todo) > _TIDY_FILES:
                give_back_memory()
        return LinkReport(found, resolved)

    def _touched(self, base: _Base, entries: Mapping[str, FileEntry]) -> Sequence[Family]:
        """The families that a difference can reach: of its files, or of their settings."""
        found = {
            self._family(_version(files, path))
            for path in base.difference
            for files in (entries, base.entries)
        }
        return [
            family
            for family in FAMILIES
            if family.name in found or any(is_config(family, path) for path in base.difference)
        ]

    def _untouched(self, base: _Base, touched: Sequence[Family]) -> dict[str, LinkId]:
        """The links of all other families, as they are."""
        languages = {language for family in touched for language in family.languages}
        ours = {
            version_id
            for version_id, module in self._modules.items()
            if module.language in languages
        }
        entries = base.entries
        return {
            path: link_id
            for path, link_id in base.links.items()
            if entries[path].version_id not in ours
        }

    def _family(self, version_id: VersionId | None) -> str:
        """The name of a version's family; "" if its uses are not resolved."""
        if version_id is None or version_id not in self._modules:
            return ""
        family = FAMILY_OF.get(self._modules[version_id].language)
        return family.name if family is not None else ""

    def _resolve(self, step: "_FamilyLinking", paths: Sequence[str]) -> dict[str, LinkId]:
        found: dict[str, LinkId] = {}
        if not paths:
            return found
        linker = Linker(step.program(step.entries, step.files))
        numbers = NodeNumbers(self._database)
        batch = _BATCH_FILES if len(paths) > _BATCH_FILES else _SMALL_BATCH_FILES
        linked: list[tuple[LinkedFile, VersionId]] = []
        for number, path in enumerate(paths, start=1):
            self._progress(number - 1, len(paths))  # one file may take seconds
            linked.append((linker.link(path), step.files[path]))
            is_full = number % _LOOK_FILES == 0 and is_near(self._memory_mib)
            if is_full or len(linked) == batch or number == len(paths):
                with self._database.transaction("store links"):
                    found |= insert_links(self._database, linked, numbers)
                linked = []
                linker.forget()
                if is_full:
                    numbers.forget()
                    give_back_memory()
        self._progress(len(paths), len(paths))
        return found

    def _files_of(self, family: Family, entries: Mapping[str, FileEntry]) -> dict[str, VersionId]:
        versions = {
            version_id
            for version_id, module in self._modules.items()
            if module.language in family.languages
        }
        found = {
            path: entry.version_id
            for path, entry in entries.items()
            if entry.version_id is not None and entry.version_id in versions
        }
        return dict(sorted(found.items()))

    def _nearest(self, entries: Mapping[str, FileEntry]) -> _Base | None:
        """The snapshot with the fewest differences; its own state before is looked at first."""
        records = all_snapshots(self._database)
        records.sort(key=lambda record: (record.ref, record.workspace) != tuple(self._name))
        best: _Base | None = None
        for record in records[:_MAX_BASES]:
            base = self._base(record, entries)
            if base is None:
                continue
            if best is None or len(base.difference) < len(best.difference):
                best = base
            if len(best.difference) <= _NEAR_FILES:
                break
        return best

    def _base(self, record: SnapshotRecord, entries: Mapping[str, FileEntry]) -> _Base | None:
        ids = snapshot_links(self._database, record.id)
        if ids is None:
            return None
        before = snapshot_files(self._database, record, self._session.lists)
        self._modules = self._session.modules.read(self._database, before.values())
        links = dict(zip(self.linked_paths(before), ids, strict=True))
        return _Base(before, links, _difference(before, entries))

    def linked_paths(self, entries: Mapping[str, FileEntry]) -> list[str]:
        """The paths of a snapshot that have links, in the order in which they are stored."""
        return sorted(
            path
            for path, entry in entries.items()
            if entry.version_id is not None and entry.version_id in self._modules
        )

    def tables(self, version_id: VersionId | None) -> ModuleFacts | None:
        """The tables of a version."""
        return read_tables(self._database, version_id) if version_id is not None else None

    def shares(self, version_id: VersionId) -> bool:
        """Whether a version has names that every file may know."""
        return self._modules[version_id].shares

    @property
    def database(self) -> Database:
        """The store that is written."""
        return self._database

    def texts(self, entries: Iterable[FileEntry]) -> dict[str, str]:
        """The texts of a few files of this snapshot."""
        wanted = [entry for entry in entries if entry.version_id is not None]
        if self._name.ref != LIVE:
            blobs = read_blobs(self._root, [entry.blob_id for entry in wanted])
            raw = {entry.path: blobs.get(entry.blob_id) for entry in wanted}
        else:
            raw = {entry.path: _read(self._root / entry.path) for entry in wanted}
        texts = {path: decode_text(data) for path, data in raw.items() if data is not None}
        return {
            path: text.decode("utf-8", "replace")
            for path, text in texts.items()
            if text is not None
        }


class _FamilyLinking:
    """One family's files of the snapshot, and what changed in them since another."""

    def __init__(
        self,
        linking: Linking,
        family: Family,
        entries: Mapping[str, FileEntry],
        files: Files,
    ) -> None:
        self._linking = linking
        self._family = family
        self.entries = entries
        self.files = files

    def program(self, entries: Mapping[str, FileEntry], files: Files) -> Program:
        """Everything that the names of this family may depend on."""
        database = self._linking.database
        return Program(
            family=self._family,
            paths=list(files),
            configs=self._linking.texts(self._configs(entries)),
            shared=lambda: self._shared(files),
            stubs=stub_tables(self._family.name),
            tables=lambda path: self._linking.tables(files.get(path)),
            uses=lambda path: read_uses(database, files[path]),
        )

    def _configs(self, entries: Mapping[str, FileEntry]) -> list[FileEntry]:
        if not self._family.config_names:
            return []
        return [entry for path, entry in sorted(entries.items()) if is_config(self._family, path)]

    def _shared(self, files: Files) -> dict[str, list[Place]]:
        """The names that every file knows, with their declarations in the order of paths."""
        ids = {version_id for version_id in files.values() if self._linking.shares(version_id)}
        by_version = read_shared(self._linking.database, sorted(ids))
        found: dict[str, list[Place]] = {}
        for path, version_id in files.items():
            for name, numbers in by_version.get(version_id, {}).items():
                found.setdefault(name, []).extend((path, number) for number in numbers)
        return found

    def split(self, base: _Base) -> tuple[dict[str, LinkId], list[str]]:
        """The links that stay as they are, and the files that have to be resolved anew."""
        before = self._linking._files_of(self._family, base.entries)
        if any(is_config(self._family, path) for path in base.difference):
            return {}, list(self.files)
        changed = self._changed(before)
        affected = resting_on(self._linking.database, changed)
        kept: dict[str, LinkId] = {}
        todo: list[str] = []
        for path, version_id in self.files.items():
            link_id = base.links.get(path)
            is_same = before.get(path) == version_id and changed.get(path, _NO_KEYS) is not None
            if link_id is not None and is_same and link_id not in affected:
                kept[path] = link_id
            else:
                todo.append(path)
        return kept, todo

    def _changed(self, before: Files) -> dict[str, set[str] | None]:
        """The names of each file that mean something else now; None stands for all of them."""
        found: dict[str, set[str] | None] = {}
        moved = before.keys() ^ self.files.keys()
        units = None
        if self._family.has_packages:
            texts = self._linking.texts(self._configs(self.entries))
            units = self._family.modules([*self.files, *before], texts)
        for path in before.keys() | self.files.keys():
            if before.get(path) != self.files.get(path):
                old = digests(self._linking.tables(before.get(path)))
                new = digests(self._linking.tables(self.files.get(path)))
                keys = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
                found[path] = keys
                self._add_shared(found, path, before, keys)
                for unit in units.units(path) if units is not None else ():
                    names = found.setdefault(unit, set())
                    if names is not None:
                        names |= keys | {".".join(key.split(".")[-2:]) for key in keys}
                        names |= {f".{key.rpartition('.')[2]}" for key in keys}
        if moved:
            self._add_moved(found, before, moved)
        return found

    def _add_shared(
        self, found: dict[str, set[str] | None], path: str, before: Files, keys: set[str]
    ) -> None:
        versions = (before.get(path), self.files.get(path))
        if any(item is not None and self._linking.shares(item) for item in versions):
            known = found.setdefault("", set())
            if known is not None:
                known |= keys

    def _add_moved(
        self, found: dict[str, set[str] | None], before: Files, moved: Iterable[str]
    ) -> None:
        """Files came or went: imports may mean other files than before."""
        database = self._linking.database
        texts = self._linking.texts(self._configs(self.entries))
        old = self._family.modules(list(before), texts)
        new = self._family.modules(list(self.files), texts)
        for path in moved:
            for owner, name in [*old.owners(path), *new.owners(path)]:
                known = found.setdefault(owner, set())
                if known is not None:
                    known.add(name)
        both = [path for path in self.files if path in before]
        imported = read_imported(database, [self.files[path] for path in both])
        for path in both:
            modules = imported.get(self.files[path], ())
            if any(old.resolve(path, name) != new.resolve(path, name) for name in modules):
                found[path] = None


def _difference(before: Mapping[str, FileEntry], after: Mapping[str, FileEntry]) -> list[str]:
    """The paths of which the content is not the same."""
    changed = [
        path
        for path, entry in after.items()
        if (old := before.get(path)) is not entry
        and (old is None or (old.version_id, old.blob_id) != (entry.version_id, entry.blob_id))
    ]
    return [*changed, *(path for path in before if path not in after)]


def _version(entries: Mapping[str, FileEntry], path: str) -> VersionId | None:
    entry = entries.get(path)
    return entry.version_id if entry is not None else None


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
