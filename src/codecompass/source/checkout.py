"""A work tree in, the contents git already knows out: files that need not be read.

Git's index holds the id of each tracked file's content and tells which files have
changed since it looked. Line ends, encodings and content filters may make the file on
the disk another content than the one git stores: whoever uses an id from here compares
the sizes, and files with a filter or an encoding are left out.
"""

from pathlib import Path

from codecompass.source.git import run_git, try_git

_CONVERTED = ("filter", "working-tree-encoding")


def clean_blobs(root: Path) -> dict[str, str]:
    """The ids of the contents of tracked files that are as git knows them, by path."""
    raw = run_git(root, ["ls-files", "-z", "--stage"]).decode("utf-8", "surrogateescape")
    found = {}
    for line in raw.split("\0"):
        facts, _, path = line.partition("\t")
        if path:
            _, blob_id, stage = facts.split(" ")
            if stage == "0":
                found[path] = blob_id
    for path in _dirty(root) | _converted(root, found):
        found.pop(path, None)
    return found


def _dirty(root: Path) -> set[str]:
    """Tracked files that git cannot vouch for without reading them."""
    command = [*_without_filters(root), "diff-files", "-z", "--name-only", "--relative"]
    raw = run_git(root, [*command, "--ignore-submodules=all", "--no-ext-diff"])
    hidden = run_git(root, ["ls-files", "-z", "-v"]).decode("utf-8", "surrogateescape").split("\0")
    # A lower-case letter: git was told to assume that the file never changes.
    assumed = {line[2:] for line in hidden if line[:1].islower() or line[:1] == "S"}
    return set(raw.decode("utf-8", "surrogateescape").split("\0")) | assumed


def _without_filters(root: Path) -> list[str]:
    """Arguments that keep git from running the content filters of its configuration."""
    pattern = r"^filter\..*\.(clean|process|required)$"
    names = try_git(root, ["config", "--name-only", "--get-regexp", pattern]) or ""
    off = []
    for name in dict.fromkeys(names.splitlines()):
        off += ["-c", f"{name}={'false' if name.endswith('.required') else ''}"]
    return off


def _converted(root: Path, paths: dict[str, str]) -> set[str]:
    """Files whose content passes through a filter or another encoding."""
    asked = "\0".join(paths).encode("utf-8", "surrogateescape")
    if not asked:
        return set()
    raw = run_git(root, ["check-attr", "-z", "--stdin", *_CONVERTED], stdin=asked + b"\0")
    fields = raw.decode("utf-8", "surrogateescape").split("\0")
    records = zip(*(iter(fields),) * 3, strict=False)
    return {path for path, _, value in records if value not in {"unspecified", "unset"}}
