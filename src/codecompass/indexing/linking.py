"""A snapshot's files in, what their uses mean out; only what a difference reaches is done anew.

What a file's uses mean rests on its own tables and on what it asked of other files. So
from the links of a snapshot that is near, those are kept whose file is the same and that
rest on nothing that changed.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from codecompass.indexing.bounds import is_near
from codecompass.indexing.programs import Files, Programs
from codecompass.indexing.resolving import (
    LOOK_FILES,
    Task,
    batch_size,
    resolve_apart,
    resolve_here,
)
from codecompass.link.digests import digests
from codecompass.link.families import FAMILIES, Family, is_config
from codecompass.link.linker import Program
from codecompass.model.edge import LinkedFile
from codecompass.model.snapshot import FileEntry, VersionId
from codecompass.source.memory import give_back_memory, used_mib
from codecompass.store.links import (
    LinkId,
    NodeNumbers,
    insert_links,
    resting_on,
    snapshot_links,
)
from codecompass.store.modules import read_imported
from codecompass.store.snapshots import SnapshotRecord, all_snapshots, snapshot_files
from codecompass.store.writing import WriteSession

# After so many, what they took is given back before something that stays lies in between.
_TIDY_FILES = 10
# A process that stays has more than so many resolved by another: starting one takes as long
# as resolving twenty.
_APART_FILES = 60
# Snapshots looked at for one that is near.
_MAX_BASES = 6
# A nearer snapshot than one with so few differences is not looked for.
_NEAR_FILES = 20

_NO_KEYS: set[str] = set()


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
        programs: Programs,
        *,
        memory_mib: int,
        stays: bool,
        progress: Callable[[int, int], None],
    ) -> None:
        """`stays`: this process goes on for long after the run."""
        self._session = session
        self._memory_mib = memory_mib
        self._database = session.database
        self._programs = programs
        self._stays = stays
        self._progress = progress

    def run(self, entries: Mapping[str, FileEntry]) -> LinkReport:
        """The links of a snapshot with these files; must not run inside a transaction."""
        self._session.modules.tidy(len(entries))
        self._programs.read(entries.values())
        base = self._nearest(entries)
        touched = self._touched(base, entries) if base else FAMILIES
        found = self._untouched(base, touched) if base else {}
        resolved = 0
        for family in touched:
            files = self._programs.files_of(family, entries)
            if not files:
                continue
            step = _FamilyLinking(self._programs, family, entries, files)
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
            self._programs.family(_version(files, path))
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
        ours = self._programs.versions_of(languages)
        entries = base.entries
        return {
            path: link_id
            for path, link_id in base.links.items()
            if entries[path].version_id not in ours
        }

    def _resolve(self, step: "_FamilyLinking", paths: Sequence[str]) -> dict[str, LinkId]:
        found: dict[str, LinkId] = {}
        if not paths:
            return found
        numbers = NodeNumbers(self._database)
        size = batch_size(len(paths))
        linked: list[tuple[LinkedFile, VersionId]] = []
        for number, file in enumerate(self._resolved(step, paths), start=1):
            linked.append((file, step.files[file.path]))
            is_full = number % LOOK_FILES == 0 and is_near(self._memory_mib)
            if is_full or len(linked) == size or number == len(paths):
                with self._database.transaction("store links"):
                    found |= insert_links(self._database, linked, numbers)
                linked = []
            if is_full:
                numbers.forget()
        self._progress(len(paths), len(paths))
        return found

    def _resolved(self, step: "_FamilyLinking", paths: Sequence[str]) -> Iterator[LinkedFile]:
        """Resolve files in their order; what another process left undone is done here."""
        done = 0
        if self._stays and len(paths) > _APART_FILES:
            self._progress(0, len(paths))
            room = max(1, self._memory_mib - used_mib())  # the ceiling is for both processes
            for file in resolve_apart(step.task(paths, room)):
                done += 1
                yield file
                self._progress(done, len(paths))
        if done < len(paths):
            yield from resolve_here(
                step.program(),
                paths[done:],
                self._memory_mib,
                lambda more: self._progress(done + more, len(paths)),
            )

    def _nearest(self, entries: Mapping[str, FileEntry]) -> _Base | None:
        """The snapshot with the fewest differences; its own state before is looked at first."""
        records = all_snapshots(self._database)
        records.sort(
            key=lambda record: (record.ref, record.workspace) != tuple(self._programs.name)
        )
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
        self._programs.read(before.values())
        links = dict(zip(self.linked_paths(before), ids, strict=True))
        return _Base(before, links, _difference(before, entries))

    def linked_paths(self, entries: Mapping[str, FileEntry]) -> list[str]:
        """The paths of a snapshot that have links, in the order in which they are stored."""
        return sorted(
            path
            for path, entry in entries.items()
            if entry.version_id is not None and self._programs.has_tables(entry.version_id)
        )


class _FamilyLinking:
    """One family's files of the snapshot, and what changed in them since another."""

    def __init__(
        self,
        programs: Programs,
        family: Family,
        entries: Mapping[str, FileEntry],
        files: Files,
    ) -> None:
        self._programs = programs
        self._family = family
        self._entries = entries
        self.files = files

    def program(self) -> Program:
        """Everything that the names of this family may depend on."""
        return self._programs.program(self._family, self._entries, self.files)

    def task(self, paths: Sequence[str], memory_mib: int) -> Task:
        """The same for another process."""
        programs = self._programs
        return Task(
            programs.database.path,
            programs.root,
            programs.name,
            self._family.name,
            self._entries,
            paths,
            memory_mib,
        )

    def split(self, base: _Base) -> tuple[dict[str, LinkId], list[str]]:
        """The links that stay as they are, and the files that have to be resolved anew."""
        before = self._programs.files_of(self._family, base.entries)
        if any(is_config(self._family, path) for path in base.difference):
            return {}, list(self.files)
        changed = self._changed(before)
        affected = resting_on(self._programs.database, changed)
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
            texts = self._programs.configs(self._family, self._entries)
            units = self._family.modules([*self.files, *before], texts)
        for path in before.keys() | self.files.keys():
            if before.get(path) != self.files.get(path):
                old = digests(self._programs.tables(before.get(path)))
                new = digests(self._programs.tables(self.files.get(path)))
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
        if any(item is not None and self._programs.shares(item) for item in versions):
            known = found.setdefault("", set())
            if known is not None:
                known |= keys

    def _add_moved(
        self, found: dict[str, set[str] | None], before: Files, moved: Iterable[str]
    ) -> None:
        """Files came or went: imports may mean other files than before."""
        texts = self._programs.configs(self._family, self._entries)
        old = self._family.modules(list(before), texts)
        new = self._family.modules(list(self.files), texts)
        for path in moved:
            for owner, name in [*old.owners(path), *new.owners(path)]:
                known = found.setdefault(owner, set())
                if known is not None:
                    known.add(name)
        both = [path for path in self.files if path in before]
        imported = read_imported(self._programs.database, [self.files[path] for path in both])
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
