"""The files of two snapshots in, which came, went, changed or were renamed out."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from codecompass.model.change import ChangeKind, FileChange
from codecompass.model.snapshot import FileEntry
from codecompass.text.similarity import line_likeness

LinesOf = Callable[[str], Sequence[str] | None]
# What git takes for a renamed file.
_LIKENESS = 0.5
# Comparing each file that went with each that came is quadratic.
_MAX_COMPARED = 2_500


def compare_snapshots(
    before: Mapping[str, FileEntry],
    after: Mapping[str, FileEntry],
    *,
    old_lines: LinesOf,
    new_lines: LinesOf,
) -> list[FileChange]:
    """What became of every file, by path; of those that are not indexed, only that much.

    A file that came is one that went under another name if their contents are equal, or
    if they have most lines in common.
    """
    changes = [
        change
        for path in before.keys() & after.keys()
        if (change := _in_place(path, before[path], after[path]))
    ]
    changes += _unread(before, after)
    old = {path: entry for path, entry in before.items() if entry.version_id is not None}
    new = {path: entry for path, entry in after.items() if entry.version_id is not None}
    gone = [path for path in sorted(old) if path not in after]
    come = [path for path in sorted(new) if path not in before]
    renamed = _equal_contents(gone, come, old, new)
    renamed |= _alike_contents(
        [path for path in gone if path not in renamed.values()],
        [path for path in come if path not in renamed],
        old_lines=old_lines,
        new_lines=new_lines,
    )
    changes += [FileChange(ChangeKind.RENAMED, path, was) for path, was in renamed.items()]
    went = set(gone) - set(renamed.values())
    changes += [FileChange(ChangeKind.DELETED, path) for path in went]
    changes += [FileChange(ChangeKind.ADDED, path) for path in come if path not in renamed]
    return sorted(changes, key=lambda change: change.path)


def _in_place(path: str, old: FileEntry, new: FileEntry) -> FileChange | None:
    """What became of a file that is at its old path."""
    reason = old.skip_reason or new.skip_reason
    if reason is None:
        is_same = old.blob_id == new.blob_id
    elif old.skip_reason != new.skip_reason:
        is_same = False
    else:  # the content of what is not indexed is not always known
        is_known = old.blob_id and new.blob_id
        is_same = old.blob_id == new.blob_id if is_known else old.size_bytes == new.size_bytes
    if is_same:
        return None
    return FileChange(ChangeKind.MODIFIED, path, unread=str(reason) if reason else None)


def _unread(before: Mapping[str, FileEntry], after: Mapping[str, FileEntry]) -> list[FileChange]:
    """What is not indexed and came or went."""
    return [
        FileChange(kind, path, unread=str(entry.skip_reason))
        for kind, here, there in (
            (ChangeKind.DELETED, before, after),
            (ChangeKind.ADDED, after, before),
        )
        for path, entry in here.items()
        if entry.skip_reason and path not in there
    ]


def _equal_contents(
    gone: Iterable[str],
    come: Iterable[str],
    old: Mapping[str, FileEntry],
    new: Mapping[str, FileEntry],
) -> dict[str, str]:
    """New paths with the old path of the same content; of several the one named most alike."""
    by_content: dict[str, list[str]] = {}
    for path in gone:
        by_content.setdefault(old[path].blob_id, []).append(path)
    renamed = {}
    for path in come:
        candidates = by_content.get(new[path].blob_id, [])
        if candidates:
            best = min(candidates, key=lambda was: (_name(was) != _name(path), was))
            candidates.remove(best)
            renamed[path] = best
    return renamed


def _alike_contents(
    gone: Sequence[str], come: Sequence[str], *, old_lines: LinesOf, new_lines: LinesOf
) -> dict[str, str]:
    """New paths with the old path of a similar content.

    Where many files came and went, only those that kept their own name are compared.
    """
    only_named_alike = len(gone) * len(come) > _MAX_COMPARED
    names = {_name(path) for path in gone} & {_name(path) for path in come}
    if only_named_alike:
        gone = [path for path in gone if _name(path) in names]
        come = [path for path in come if _name(path) in names]
    old = {path: lines for path in gone if (lines := old_lines(path))}
    new = {path: lines for path in come if (lines := new_lines(path))} if old else {}
    rated = [
        (line_likeness(lines, others), path, was)
        for path, lines in new.items()
        for was, others in old.items()
        if not only_named_alike or _name(path) == _name(was)
    ]
    renamed: dict[str, str] = {}
    for likeness, path, was in sorted(rated, key=lambda item: (-item[0], item[1:])):
        if likeness >= _LIKENESS and path not in renamed and was not in renamed.values():
            renamed[path] = was
    return renamed


def _name(path: str) -> str:
    return path.rpartition("/")[2]
