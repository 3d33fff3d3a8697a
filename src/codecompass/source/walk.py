"""A workspace in, its candidate files with their stats out; what is ignored, with the rule.

Git lists the files, in repositories and in plain folders alike: nobody else gets nested
ignore files fully right. Symbolic links are never followed.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from codecompass.errors import StoreError
from codecompass.model.source import FileStat, IgnoredFile, SkipReason
from codecompass.source.git import find_repository, run_git, try_git
from codecompass.source.ignore import IGNORE_FILE, make_rules, may_be_text
from codecompass.source.read import stamp_of

# A folder of clones is fine, a clone in a clone in a clone is somebody's cache.
_MAX_NESTED_REPOSITORIES = 3
_MODULES = ".gitmodules"


@dataclass(frozen=True, slots=True)
class Listing:
    """What was found in a workspace."""

    files: tuple[FileStat, ...]  # sorted by path
    skipped: dict[str, SkipReason]  # found but not regular files of this workspace
    ignored: tuple[IgnoredFile, ...]  # left out by built-in rules and `.codecompassignore`

    def with_others(self, other: Listing) -> Listing:
        """What was found in two looks at different paths."""
        return Listing(
            (*self.files, *other.files),
            {**self.skipped, **other.skipped},
            (*self.ignored, *other.ignored),
        )


def list_workspace(root: Path, scratch: Path) -> Listing:
    """All files git would show in the workspace, less those our own rules leave out.

    `scratch` is a folder of ours where an empty repository may be made, by which git
    lists folders that are in no repository.
    """
    said = tuple(_list_with_git(root, scratch))
    chosen = _choose(said, tuple(_ignore_files(root, said)))
    files, skipped = _stat_all(root, chosen.kept)
    skipped |= _left_out(root, chosen)
    return Listing(tuple(files), skipped, chosen.ignored)


def _left_out(root: Path, chosen: _Chosen) -> dict[str, SkipReason]:
    """What is not indexed and told all the same: a name that is looked for may stand in it."""
    texts = [rule.path for rule in chosen.ignored if may_be_text(rule)]
    there = {stat.path for stat in _stat_all(root, texts)[0]}
    return dict.fromkeys(chosen.odd, SkipReason.ODD_NAME) | dict.fromkeys(
        sorted(there), SkipReason.IGNORED
    )


def list_kept(root: Path, scratch: Path) -> tuple[str, ...]:
    """The paths that `list_workspace` lists, without a look at the files."""
    said = tuple(_list_with_git(root, scratch))
    # Not kept: who watches asks seldom and stays small.
    return _choose.__wrapped__(said, tuple(_ignore_files(root, said))).kept


def list_repositories(root: Path, scratch: Path) -> list[Path]:
    """The repositories inside a workspace."""
    return [root / part.prefix for part in _list_with_git(root, scratch) if part.prefix]


def stat_paths(root: Path, paths: Sequence[str]) -> Listing:
    """What is there of some paths that were listed before."""
    files, skipped = _stat_all(root, paths)
    return Listing(tuple(files), skipped, ())


def list_paths(root: Path, scratch: Path, paths: Sequence[str]) -> Listing:
    """Those of some paths that `list_workspace` would list; not of repositories inside."""
    rules = [path for path in _ignore_files_above(paths) if (root / path).exists()]
    arguments = [*git_arguments(root, scratch), "--literal-pathspecs", "ls-files", "-z", "-t"]
    arguments += ["--deduplicate", "--cached", "--others", "--exclude-standard", "--"]
    said = (_Said("", run_git(root, [*arguments, *paths, *rules])),)
    # Not kept: it would take the place of a whole list.
    chosen = _choose.__wrapped__(said, tuple(_ignore_files(root, said)))
    extra = frozenset(rules) - frozenset(paths)
    files, skipped = _stat_all(root, [path for path in chosen.kept if path not in extra])
    skipped |= _left_out(root, chosen)
    return Listing(tuple(files), skipped, chosen.ignored)


def _ignore_files_above(paths: Iterable[str]) -> Iterator[str]:
    """The `.codecompassignore` files that may have a say about some paths."""
    folders = {folder.as_posix() for path in paths for folder in PurePosixPath(path).parents}
    for folder in sorted(folders):
        yield IGNORE_FILE if folder == "." else f"{folder}/{IGNORE_FILE}"


def list_ignored_by_git(root: Path, scratch: Path) -> list[IgnoredFile]:
    """What git's ignore files leave out, folders as a whole, with file, line and pattern."""
    where = git_arguments(root, scratch)
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


@dataclass(frozen=True, slots=True)
class _Said:
    """What git said of one repository: its folder in the workspace, and the list as it came."""

    prefix: str
    raw: bytes

    def paths(self) -> Iterator[tuple[str, str]]:
        """Each path in the workspace with git's tag for it."""
        for entry in self.raw.decode("utf-8", "surrogateescape").split("\0"):
            if entry:
                yield f"{self.prefix}{entry[2:]}", entry[0]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What is left of a list by our own rules."""

    kept: tuple[str, ...]  # sorted
    ignored: tuple[IgnoredFile, ...]
    odd: tuple[str, ...]  # names that are no text


@lru_cache(maxsize=4)
def _choose(said: tuple[_Said, ...], ignore_files: tuple[tuple[str, str], ...]) -> _Chosen:
    """Apply our own rules; most looks at a workspace find the same list as the last one."""
    rules = make_rules(dict(ignore_files))
    inner = {part.prefix.rstrip("/") for part in said}  # a submodule is listed by its name too
    ignored: list[IgnoredFile] = []
    kept: set[str] = set()
    odd: list[str] = []
    for part in said:
        for path, tag in part.paths():
            if path.endswith("/") or path in inner:
                continue
            if not path.isascii() and not _is_utf8(path):
                odd.append(_printable(path))
                continue
            rule = rules.rule_for(path, is_tracked=tag != "?")
            if rule is None:
                kept.add(path)
            else:
                ignored.append(rule)
    return _Chosen(tuple(sorted(kept)), tuple(ignored), tuple(odd))


def _ignore_files(root: Path, said: Iterable[_Said]) -> Iterator[tuple[str, str]]:
    """The workspace's own rules: every `.codecompassignore` among its files, with its text."""
    marked = IGNORE_FILE.encode()
    for part in said:
        if marked not in part.raw:
            continue
        for path, _ in part.paths():
            if path.rsplit("/", 1)[-1] == IGNORE_FILE and not (root / path).is_symlink():
                with suppress(OSError):
                    yield path, (root / path).read_text("utf-8", "replace")


def _list_with_git(root: Path, scratch: Path, prefix: str = "", depth: int = 0) -> list[_Said]:
    """What git lists, of the repository at a folder and of those inside it."""
    folder = root / prefix
    arguments = [*git_arguments(folder, scratch), "ls-files", "-z", "-t", "--deduplicate"]
    raw = run_git(folder, [*arguments, "--cached", "--others", "--exclude-standard"])
    found = [_Said(prefix, raw)]
    for path in _checked_out_submodules(root, found[0]):
        found += _list_nested(root, scratch, f"{path}/", depth=depth)
    if b"/\0" in raw:  # git shows a repository inside as one folder
        for path, _ in found[0].paths():
            if path.endswith("/"):
                found += _list_nested(root, scratch, path, depth=depth)
    return found


def _checked_out_submodules(root: Path, said: _Said) -> list[str]:
    """The submodules of a repository that are there, as paths in the workspace."""
    if _MODULES.encode() not in said.raw:
        return []
    folder = root / said.prefix
    asked = ["config", "-z", "--file", _MODULES, "--get-regexp", r"^submodule\..*\.path$"]
    records = (try_git(folder, asked) or "").split("\0")
    named = {f"{said.prefix}{record.partition(chr(10))[2].rstrip('/')}" for record in records}
    listed = {path for path, _ in said.paths()}
    return sorted(path for path in named & listed if (root / path / ".git").exists())


def _list_nested(root: Path, scratch: Path, path: str, *, depth: int) -> list[_Said]:
    """The files of a repository inside the workspace."""
    inner = root / path
    if depth >= _MAX_NESTED_REPOSITORIES or inner.is_symlink() or not (inner / ".git").exists():
        return []
    outer, nested = find_repository(inner.parent), find_repository(inner)
    if outer and nested and outer.common_dir == nested.common_dir:
        return []  # another worktree of this repository: another branch's files
    return _list_with_git(root, scratch, path, depth + 1)


def git_arguments(root: Path, scratch: Path) -> list[str]:
    """What tells git which repository a folder is of; elsewhere, an empty one laid over it."""
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
    """The stats of regular files, and why others are skipped; those that are gone are neither.

    Every look without a watcher comes through here for every file.
    """
    files: list[FileStat] = []
    skipped: dict[str, SkipReason] = {}
    real_folders = {"": True}
    top = f"{root}/"
    lstat, is_regular = os.lstat, stat.S_ISREG
    now_ns = time.time_ns()
    for path in paths:
        folder = path.rpartition("/")[0]
        is_real = real_folders.get(folder)
        if is_real is None:
            is_real = _is_real_folder(top, folder, real_folders)
        if not is_real:
            skipped[path] = SkipReason.OUTSIDE
            continue
        try:
            seen = lstat(top + path)
        except (FileNotFoundError, NotADirectoryError):
            continue  # deleted, but still in git's index
        except OSError:
            skipped[path] = SkipReason.UNREADABLE
            continue
        if is_regular(seen.st_mode):
            files.append(FileStat(path, seen.st_size, stamp_of(seen, now_ns)))
        else:
            skipped[path] = _why_no_file(root, path, seen.st_mode)
    return files, skipped


def _is_real_folder(top: str, folder: str, known: dict[str, bool]) -> bool:
    """Whether a folder is really where it seems to be: no part of it is a link."""
    parent = folder.rpartition("/")[0]
    is_real = known.get(parent)
    if is_real is None:
        is_real = _is_real_folder(top, parent, known)
    known[folder] = is_real = is_real and not _is_link(top + folder)
    return is_real


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return False


def _why_no_file(root: Path, path: str, mode: int) -> SkipReason:
    if stat.S_ISDIR(mode):
        return SkipReason.SUBMODULE  # git lists no other folder by its bare name
    is_link = stat.S_ISLNK(mode)
    return SkipReason.OUTSIDE if is_link and _leads_out(root, path) else SkipReason.NOT_A_FILE


def _leads_out(root: Path, path: str) -> bool:
    return not Path(os.path.realpath(root / path)).is_relative_to(root)
