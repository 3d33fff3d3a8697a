"""A workspace in, the folders in which a file to index may appear out; and who decides that."""

import os
from pathlib import Path

from codecompass.errors import GitFailed
from codecompass.source.git import GitPlace, run_git, try_git
from codecompass.source.ignore import is_ignored_folder
from codecompass.source.walk import git_arguments, list_kept, list_repositories


def list_folders(root: Path, scratch: Path, *, most: int) -> set[str]:
    """All folders of a workspace but those that git or a built-in rule leaves out as a whole.

    Folders that hold tracked files are always among them. Listing ends soon after `most`.
    """
    found: set[str] = set()
    for path in list_kept(root, scratch):
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    ignored = _ignored_by_git(root, scratch)
    waiting = [""]
    while waiting and len(found) <= most:
        above = waiting.pop()
        for name in _subfolders(root / above):
            folder = f"{above}/{name}" if above else name
            if folder in found or not (is_ignored_folder(name) or folder in ignored):
                found.add(folder)
                waiting.append(folder)
    return found


def rule_files(root: Path, scratch: Path, place: GitPlace | None) -> list[Path]:
    """Files that decide what is listed and are in no folder of the workspace that is listed."""
    found = _files_of_user(root)
    if place is not None:
        found += [place.common_dir / "info" / "exclude", place.common_dir / "config"]
        found += [place.git_dir / "config.worktree"]
        above = root
        while above not in (place.top_level, above.parent):
            above = above.parent
            found.append(above / ".gitignore")
    for inner in list_repositories(root, scratch):
        found += [inner / ".git", inner / ".git" / "index", inner / ".git" / "info" / "exclude"]
    return found


def _files_of_user(root: Path) -> list[Path]:
    """Git's settings for this user and machine, and the ignore file that they name."""
    home = Path.home()
    base = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    named = try_git(root, ["config", "--type=path", "--get", "core.excludesFile"])
    excludes = Path(named) if named else base / "ignore"
    return [excludes, base / "config", home / ".gitconfig", Path("/etc/gitconfig")]


def _ignored_by_git(root: Path, scratch: Path) -> frozenset[str]:
    """Folders that a rule of git leaves out; others merely hold nothing else just now."""
    where = git_arguments(root, scratch)
    asked = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]
    paths = run_git(root, [*where, *asked]).split(b"\0")
    folders = b"\0".join(path for path in paths if path.endswith(b"/"))
    if not folders:
        return frozenset()
    try:
        raw = run_git(root, [*where, "check-ignore", "-z", "--stdin"], stdin=folders)
    except GitFailed:  # it says no, for none of them
        return frozenset()
    ruled = raw.decode("utf-8", "surrogateescape").split("\0")
    return frozenset(path.rstrip("/") for path in ruled if path)


def _subfolders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [item.name for item in entries if item.is_dir(follow_symlinks=False)]
    except OSError:
        return []
