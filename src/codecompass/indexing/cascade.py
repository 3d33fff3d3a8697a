"""A sync's changes in, the chunks elsewhere whose text quotes a changed signature out.

Nothing has to be rewritten for them: a chunk's text is built when it is needed and
quotes what is current. What was made from the old text (a vector) is out of date.
"""

from collections.abc import Iterable, Mapping
from functools import cache, partial

from codecompass.link.modules import import_words
from codecompass.link.quotes import (
    ChangedFiles,
    Importer,
    changed_signatures,
    quoting_chunks,
)
from codecompass.model.snapshot import FileEntry, VersionId
from codecompass.store.database import Database
from codecompass.store.references import (
    imports_of,
    imports_with,
    signatures_of,
    uses_of,
)

ChunkPlace = tuple[str, int]
"""A path and the ordinal of a chunk in it."""


def find_requoted(
    database: Database,
    *,
    known: Mapping[str, FileEntry],
    put: Iterable[FileEntry],
    dropped: Iterable[str],
) -> list[ChunkPlace]:
    """The chunks of unchanged files that quote a signature which changed, came or went.

    `known` is the snapshot before the sync.
    """
    after = {entry.path: entry for entry in put}
    touched = {*after, *dropped}
    changed = {}
    for path in touched:
        names = changed_signatures(
            _signatures(database, known.get(path)), _signatures(database, after.get(path))
        )
        if names:
            changed[path] = names
    if not changed:
        return []
    files = ChangedFiles(changed, [*known, *(path for path in after if path not in known)])
    words = {word for path in changed for word in import_words(path)}
    importers: dict[str, VersionId] = {}
    relevant: set[tuple[str, str, str]] = set()
    paths: dict[VersionId, list[str]] = {}
    rows = imports_with(database, words)
    importing = {row.version_id for row in rows}
    for path, entry in known.items():
        # A file that changed itself is left out: all of its chunks are new.
        if entry.version_id in importing and path not in touched:
            paths.setdefault(entry.version_id, []).append(path)
    for row in rows:
        for path in paths.get(row.version_id, ()):
            if files.may_be_meant(row.module, row.name, path):
                importers[path] = row.version_id
                relevant.add((path, row.module, row.name))
    found: list[ChunkPlace] = []
    for path, version_id in sorted(importers.items()):
        imports = imports_of(database, version_id)
        kept = tuple(item for item in imports if (path, item.module, item.name) in relevant)
        importer = Importer(path, kept, cache(partial(uses_of, database, version_id)))
        found += [(path, ordinal) for ordinal in sorted(quoting_chunks(importer, files))]
    return found


def _signatures(database: Database, entry: FileEntry | None) -> dict[str, str]:
    if entry is None or entry.version_id is None:
        return {}
    return signatures_of(database, entry.version_id)
