"""A workspace in, its candidate files with their stats out; what is ignored, with the rule.

Git lists the files, in repositories and in plain folders alike: nobody else gets nested
ignore files fully right. Symbolic links are never followed.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from codecompass.errors import StoreError
from codecompass.model.source import FileStat, IgnoredFile, SkipReason
from codecompass.source.git import find_repository, run_git
from codecompass.source.ignore import IGNORE_FILE, IgnoreRules, make_rules

# A folder of clones is fine, a clone in a clone in a clone is somebody's cache.
_MAX_NESTED_REPOSITORIES = 3


@dataclass(frozen=True, slots=True)
class Listing:
    """What was found in a workspace."""

    files: tuple[FileStat, ...]  # sorted by path
    skipped: dict[str, SkipReason]  # found but not regular files of this workspace
    ignored: tuple[IgnoredFile, ...]  # left out by built-in rules and `.codecompassignore`


@dataclass(frozen=True, slots=True)
class _Listed:
    path: str
    is_tracked: bool


def list_workspace(root: Path, scratch: Path) -> Listing:
    """All files git would show in the workspace, less those our own rules leave out.

    `scratch` is a folder of ours where an empty repository may be made, by which git
    lists folders that are in no repository.
    """
    listed = _list_with_git(root, scratch, depth=0)
    rules = load_rules(root, (item.path for item in listed))
    ignored: list[IgnoredFile] = []
    kept: list[str] = []
    odd = [item.path for item in listed if not _is_utf8(item.path)]
    for item in listed:
        if odd and not _is_utf8(item.path):
            continue
        rule = rules.rule_for(item.path, is_tracked=item.is_tracked)
        if rule is None:
            kept.append(item.path)
        else:
            ignored.append(rule)
    files, skipped = _stat_all(root, kept)
    skipped |= {_printable(path): SkipReason.ODD_NAME for path in odd}
    return Listing(tuple(files), skipped, tuple(ignored))


def list_ignored_by_git(root: Path, scratch: Path) -> list[IgnoredFile]:
    """What git's ignore files leave out, folders as a whole, with file, line and pattern."""
    where = _git_arguments(root, scratch)
    listing = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]
    found = run_git(root, [*where, *listing])
    if not found:
        return []
    check = [*where, "check-ignore", "-z", "--verbose", "--no-index", "--stdin"]
    fields = run_git(root, check, stdin=found).decode("utf-8", "surrogateescape").split("\0")
    records = zip(*(iter(fields),) * 4, strict=False)
    return [
        IgnoredFile(path, source, int(line or 0), pattern)
        for source, line, pattern, path in records
    ]


def load_rules(root: Path, paths: Iterable[str]) -> IgnoreRules:
    """The workspace's own rules: every `.codecompassignore` among its files."""
    texts = {}
    for path in paths:
        if path.rsplit("/", 1)[-1] == IGNORE_FILE and not (root / path).is_symlink():
            try:
                texts[path] = (root / path).read_text("utf-8", "replace")
            except OSError:
                continue
    return make_rules(texts)


def _list_with_git(root: Path, scratch: Path, *, depth: int) -> list[_Listed]:
    arguments = [*_git_arguments(root, scratch), "ls-files", "-z", "-t", "--deduplicate"]
    raw = run_git(root, [*arguments, "--cached", "--others", "--exclude-standard"])
    listed = []
    for entry in raw.decode("utf-8", "surrogateescape").split("\0"):
        tag, _, path = entry.partition(" ")
        if not path:
            continue
        if path.endswith("/"):
            listed += _list_nested(root, scratch, path, depth=depth)
        else:
            listed.append(_Listed(path, is_tracked=tag != "?"))
    return listed


def _list_nested(root: Path, scratch: Path, path: str, *, depth: int) -> list[_Listed]:
    """The files of a repository inside the workspace, which git shows as one folder."""
    inner = root / path
    if depth >= _MAX_NESTED_REPOSITORIES or inner.is_symlink() or not (inner / ".git").exists():
        return []
    outer, nested = find_repository(root), find_repository(inner)
    if outer and nested and outer.common_dir == nested.common_dir:
        return []  # another worktree of this repository: another branch's files
    listed = _list_with_git(inner, scratch, depth=depth + 1)
    return [_Listed(f"{path}{item.path}", item.is_tracked) for item in listed]


def _git_arguments(root: Path, scratch: Path) -> list[str]:
    """Nothing inside a repository; elsewhere, an empty repository laid over the folder."""
    if find_repository(root) is not None:
        return []
    empty = scratch / "empty.git"
    if not (empty / "HEAD").exists():
        try:
            scratch.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{scratch}: {error.strerror}") from error
        run_git(scratch, ["init", "--quiet", "--bare", "--template=", str(empty)])
    return [f"--git-dir={empty}", f"--work-tree={root}"]


def _is_utf8(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _printable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _stat_all(root: Path, paths: Sequence[str]) -> tuple[list[FileStat], dict[str, SkipReason]]:
    files: list[FileStat] = []
    skipped: dict[str, SkipReason] = {}
    real_folders = {"": True}
    for path in sorted(set(paths)):
        folder = path.rpartition("/")[0]
        found: FileStat | SkipReason | None = SkipReason.OUTSIDE
        if _is_real_folder(root, folder, real_folders):
            found = _stat(root, path)
        if isinstance(found, FileStat):
            files.append(found)
        elif found is not None:
            skipped[path] = found
    return files, skipped


def _is_real_folder(root: Path, folder: str, known: dict[str, bool]) -> bool:
    """Whether a folder is really where it seems to be: no part of it is a link."""
    if folder not in known:
        parent = folder.rpartition("/")[0]
        is_link = (root / folder).is_symlink()
        known[folder] = _is_real_folder(root, parent, known) and not is_link
    return known[folder]


def _stat(root: Path, path: str) -> FileStat | SkipReason | None:
    """The stat of a regular file; None if it is gone (deleted, but still in git's index)."""
    try:
        seen = os.lstat(f"{root}/{path}")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return SkipReason.UNREADABLE
    if stat.S_ISREG(seen.st_mode):
        return FileStat(path, seen.st_size, seen.st_mtime_ns)
    if stat.S_ISDIR(seen.st_mode):
        return SkipReason.SUBMODULE  # git lists no other folder by its bare name
    is_link = stat.S_ISLNK(seen.st_mode)
    return SkipReason.OUTSIDE if is_link and _leads_out(root, path) else SkipReason.NOT_A_FILE


def _leads_out(root: Path, path: str) -> bool:
    return not Path(os.path.realpath(root / path)).is_relative_to(root)
