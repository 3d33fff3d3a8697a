"""A repository in, its submodules out: where they are checked out, where their objects lie.

A submodule is a repository of its own: the tree of the outer one names a commit of it. Its
objects lie under the outer repository, and git is told to look there as well, so that a
content is read by its id wherever it is.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_GIT_FILE, _NAMES_DIR = ".git", "gitdir: "
_MAX_DEPTH = 6  # of folders under `modules`: the name of a submodule may have slashes
_MAX_MODULES = 200


def object_folders(folder: Path) -> tuple[str, ...]:
    """The object folders of all submodules of the repository around a folder."""
    roots = _module_folders(folder)
    if not roots:
        return ()
    return _objects_below(tuple((str(root), root.stat().st_mtime_ns) for root in roots))


def _module_folders(folder: Path) -> list[Path]:
    """Where git keeps the submodules of a repository, and those of one of its worktrees."""
    git_dir = _git_dir(folder)
    if git_dir is None:
        return []
    places = {git_dir, _common_dir(git_dir)}
    return sorted(place / "modules" for place in places if (place / "modules").is_dir())


def _git_dir(folder: Path) -> Path | None:
    for place in (folder, *folder.parents):
        found = place / _GIT_FILE
        if found.is_dir():
            return found
        if found.is_file():
            return _named_by(found)
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            return place  # a bare repository
    return None


def _named_by(file: Path) -> Path | None:
    """The folder that the `.git` file of a worktree or submodule names."""
    try:
        text = file.read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return None
    if not text.startswith(_NAMES_DIR):
        return None
    return Path(os.path.normpath(file.parent / text.removeprefix(_NAMES_DIR)))


def _common_dir(git_dir: Path) -> Path:
    try:
        named = (git_dir / "commondir").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return git_dir
    return Path(os.path.normpath(git_dir / named))


@lru_cache(maxsize=16)
def _objects_below(roots: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    """Kept while no submodule is added: git starts ask for it."""
    found: list[str] = []
    for root, _ in roots:
        for place in _repositories(Path(root), _MAX_DEPTH):
            found.append(str(place / "objects"))
            if len(found) >= _MAX_MODULES:
                return tuple(found)
    return tuple(found)


def _repositories(folder: Path, depth: int) -> Iterator[Path]:
    if not depth:
        return
    try:
        with os.scandir(folder) as entries:
            below = sorted(item.name for item in entries if item.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in below:
        place = folder / name
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            yield place
            yield from _repositories(place / "modules", depth - 1)
        else:
            yield from _repositories(place, depth - 1)
