"""A commit's tree in, its snapshot published, without a checkout."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from codecompass.config.settings import IndexSettings
from codecompass.indexing.bounds import segment_mib
from codecompass.indexing.job import Job, JobSettings, Progress, SyncReport
from codecompass.indexing.plan import Plan, Unknown, skipped_entry
from codecompass.indexing.sync import listed_entries, stale_languages
from codecompass.indexing.work import admission_rules, key_by_name, version_key
from codecompass.model.refs import ResolvedRef, TreeFile
from codecompass.model.snapshot import FileEntry, VersionKey, tree_name
from codecompass.model.source import FileStat, SkipReason
from codecompass.source.objects import blob_sizes, read_blobs
from codecompass.source.read import text_of_blob
from codecompass.source.trees import list_tree, missing_blobs, present_commits
from codecompass.store.reader import SnapshotReader
from codecompass.store.repository import RepositoryStore
from codecompass.store.snapshots import find_snapshot, has_other_rules, snapshot_files
from codecompass.store.versions import has_versions, known_versions
from codecompass.store.writing import WriteSession

# Contents held in memory at once while languages are told apart; each has at most 1 MiB.
_READ_FILES = 50


def is_tree_current(reader: SnapshotReader, folder: Path, settings: IndexSettings) -> bool:
    """Whether a tree's snapshot says what indexing it anew would say.

    A tree never changes. The rules may have, and contents that a partial clone lacked
    may have come.
    """
    if reader.record.rules != admission_rules(settings) or stale_languages(reader.extractors()):
        return False
    absent = absent_submodules(reader.files())
    if absent and present_commits(folder, filter(None, absent.values())):
        return False
    lacked = lacked_blobs(reader.files())
    return not lacked or lacked <= missing_blobs(folder, reader.record.ref)


def lacked_blobs(files: Mapping[str, FileEntry]) -> set[str]:
    """The contents of a snapshot that the repository lacked when it was made."""
    entries = files.values()
    return {item.blob_id for item in entries if item.skip_reason is SkipReason.NOT_FETCHED}


def absent_submodules(files: Mapping[str, FileEntry]) -> dict[str, str]:
    """The submodules that were not here when a snapshot was made, with their commits."""
    return {
        path: item.blob_id
        for path, item in files.items()
        if item.skip_reason is SkipReason.SUBMODULE
    }


def sync_tree(
    store: RepositoryStore,
    folder: Path,
    resolved: ResolvedRef,
    *,
    settings: JobSettings,
    progress: Progress,
    force: bool = False,
) -> SyncReport:
    """Publish the snapshot of a tree; only contents never seen before are extracted."""
    progress("scan", 0, 0)
    memory_mib = segment_mib(settings.index)

    def wait() -> None:
        progress("wait", 0, 0)

    with store.writing(force=force, on_wait=wait, memory_mib=memory_mib) as session:
        job = Job(session, folder, settings=settings, progress=progress)
        return job.run(_plan(session, folder, resolved, settings.index))


def _plan(
    session: WriteSession, folder: Path, resolved: ResolvedRef, settings: IndexSettings
) -> Plan:
    listing = list_tree(folder, resolved.tree)
    name = tree_name(resolved.tree)
    previous = find_snapshot(session.database, name)
    known = snapshot_files(session.database, previous, session.lists) if previous else {}
    rules = admission_rules(settings)
    plan = Plan(name, resolved.commit, rules, known, scanned=len(listing.files))
    for path, reason in listing.skipped.items():
        plan.files[path] = skipped_entry(path, reason, None, listing.blobs.get(path, ""))
    left: Sequence[TreeFile] = listing.files
    by_name: dict[str, VersionKey | None] = {}
    if not has_other_rules(session.database, rules):  # else it may have been too large
        listed = listed_entries(session, {file.path: file.blob_id for file in left})
        plan.files.update(listed)
        left = [file for file in left if file.path not in listed]
        by_name = {file.path: key_by_name(file.path, file.blob_id) for file in left}
        left = _take_known(session, plan, left, by_name)
    wanted = dict.fromkeys(file.blob_id for file in left)
    sizes = blob_sizes(folder, [blob for blob in wanted if blob not in listing.missing])
    left = _admitted(plan, left, sizes, settings)
    if has_versions(session.database):
        # The language of some is known only after a look inside.
        unclear = [file for file in left if by_name.get(file.path) is None]
        left = _take_known(session, plan, left, _keys_by_content(folder, unclear, settings))
    plan.extract = [Unknown(file.path, file.blob_id) for file in left]
    return plan


def _take_known(
    session: WriteSession,
    plan: Plan,
    files: Sequence[TreeFile],
    keys: Mapping[str, VersionKey | None],
) -> list[TreeFile]:
    """Settle files whose contents were extracted before; the others come back."""
    versions = known_versions(session.database, (key for key in keys.values() if key))
    left = []
    for file in files:
        key = keys.get(file.path)
        version = versions.get(key) if key else None
        if version is None:
            left.append(file)
            continue
        plan.files[file.path] = FileEntry(
            file.path, version.id, None, file.blob_id, version.size_bytes, 0
        )
    return left


def _admitted(
    plan: Plan, files: Sequence[TreeFile], sizes: Mapping[str, int], settings: IndexSettings
) -> list[TreeFile]:
    """The files whose contents are there and not too large; the others are skipped."""
    admitted = []
    for file in files:
        size_bytes = sizes.get(file.blob_id)
        if size_bytes is not None and size_bytes <= settings.max_file_bytes:
            admitted.append(file)
            continue
        reason = SkipReason.NOT_FETCHED if size_bytes is None else SkipReason.TOO_LARGE
        stat = FileStat(file.path, size_bytes or 0, 0)
        plan.files[file.path] = skipped_entry(file.path, reason, stat, file.blob_id)
    return admitted


def _keys_by_content(
    folder: Path, files: Sequence[TreeFile], settings: IndexSettings
) -> dict[str, VersionKey | None]:
    """By what files are known whose names do not tell their language."""
    keys: dict[str, VersionKey | None] = {}
    for start in range(0, len(files), _READ_FILES):
        part = files[start : start + _READ_FILES]
        contents = read_blobs(folder, [file.blob_id for file in part])
        for file in part:
            raw = contents.get(file.blob_id)
            if raw is None:
                continue
            source = text_of_blob(
                raw, file.blob_id, file.path, max_line_bytes=settings.max_line_bytes
            )
            if not isinstance(source, SkipReason):
                keys[file.path] = version_key(file.path, source)
    return keys
