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
    """What became of every indexed file, by path.

    A file that came is one that went under another name if their contents are equal, or
    if they have most lines in common.
    """
    old = {path: entry for path, entry in before.items() if entry.version_id is not None}
    new = {path: entry for path, entry in after.items() if entry.version_id is not None}
    gone = [path for path in sorted(old) if path not in new]
    come = [path for path in sorted(new) if path not in old]
    changes = [
        FileChange(ChangeKind.MODIFIED, path)
        for path in new
        if path in old and old[path].blob_id != new[path].blob_id
    ]
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
    if len(gone) * len(come) > _MAX_COMPARED:
        return {}
    old = {path: lines for path in gone if (lines := old_lines(path))}
    new = {path: lines for path in come if (lines := new_lines(path))} if old else {}
    rated = [
        (line_likeness(lines, others), path, was)
        for path, lines in new.items()
        for was, others in old.items()
    ]
    renamed: dict[str, str] = {}
    for likeness, path, was in sorted(rated, key=lambda item: (-item[0], item[1:])):
        if likeness >= _LIKENESS and path not in renamed and was not in renamed.values():
            renamed[path] = was
    return renamed


def _name(path: str) -> str:
    return path.rpartition("/")[2]
