"""Paths from outside in, paths that stay inside the workspace out."""

import os
from pathlib import Path, PurePosixPath

from codecompass.errors import PathOutside, WorkspaceMissing, WorkspaceUnreadable


def resolve_workspace(folder: str | Path) -> Path:
    """The real path of a folder that exists and can be listed."""
    if not str(folder):
        raise WorkspaceMissing("the workspace is an empty text")
    try:
        path = Path(folder).expanduser()
        real = Path(os.path.realpath(path, strict=True))
    except (OSError, ValueError, RuntimeError) as error:  # no such user; a name with a NUL
        raise WorkspaceMissing(f"{str(folder)!r:.200}: no such folder") from error
    if not real.is_dir():
        raise WorkspaceMissing(f"{path}: not a folder")
    try:
        str(real).encode("utf-8")
    except UnicodeEncodeError as error:
        raise WorkspaceUnreadable(
            f"{str(real)!r}: the name of the folder is no Unicode text",
            remediation="rename the folder",
        ) from error
    try:
        with os.scandir(real) as entries:
            next(entries, None)
    except OSError as error:
        raise WorkspaceUnreadable(f"{path}: {error.strerror}") from error
    return real


def inside_workspace(root: Path, path: str) -> str:
    """A caller's path as a workspace path with `/`; it need not exist.

    Accepts absolute paths below the root. Refuses `..`, other absolute paths and
    symbolic links that lead out.
    """
    if "\0" in path:
        raise PathOutside(f"{path!r}: not a path")
    given = Path(path)
    if given.is_absolute():  # the caller may have come by a link (macOS: /tmp)
        given = Path(os.path.realpath(given.parent)) / given.name
    lexical = Path(os.path.normpath(root / given))
    if not lexical.is_relative_to(root):
        raise PathOutside(f"{path}: outside the workspace {root}")
    real = Path(os.path.realpath(lexical))
    if not real.is_relative_to(root):
        raise PathOutside(f"{path}: leads out of the workspace {root}")
    return PurePosixPath(lexical.relative_to(root).as_posix()).as_posix()
