"""A work tree in, the contents git already knows out: files that need not be read.

Git's index holds the id of each tracked file's content and tells which files have
changed since it looked. Line ends, encodings and content filters may make the file on
the disk another content than the one git stores: whoever uses an id from here compares
the sizes, and files with a filter or an encoding are left out.
"""

from dataclasses import dataclass
from pathlib import Path

from codecompass.source.git import run_git, try_git

_CONVERTED = ("filter", "working-tree-encoding")


@dataclass(frozen=True, slots=True)
class CheckoutState:
    """What git's index says of a work tree."""

    clean: dict[str, str]  # files that are as git knows them, and what git stores of them
    absent: frozenset[str]  # left out of the work tree on purpose


def checkout_state(root: Path) -> CheckoutState:
    """Which tracked files git vouches for, without reading them."""
    raw = run_git(root, ["ls-files", "-z", "--stage", "-t", "-v"])
    clean: dict[str, str] = {}
    absent = set()
    for line in raw.decode("utf-8", "surrogateescape").split("\0"):
        facts, _, path = line.partition("\t")
        if not path:
            continue
        tag, _, blob_id, stage = facts.split(" ")
        if tag in "Ss":
            absent.add(path)
        elif stage == "0" and tag.isupper():  # lower case: assumed never to change
            clean[path] = blob_id
    command = ["diff-files", "-z", "--name-only", "--relative", "--ignore-submodules=all"]
    dirty = run_git(root, [*command, "--no-ext-diff"], config=_without_filters(root))
    for path in dirty.decode("utf-8", "surrogateescape").split("\0"):
        clean.pop(path, None)
    return CheckoutState(clean, frozenset(absent))


def clean_blobs(root: Path) -> dict[str, str]:
    """The ids of the contents of tracked files that are as git knows them, by path."""
    found = checkout_state(root).clean
    for path in _converted(root, found):
        found.pop(path, None)
    return found


def is_sparse_checkout(root: Path, git_dir: Path) -> bool:
    """Whether git was told to check out a part of the tree only."""
    if not (git_dir / "info" / "sparse-checkout").exists():
        return False
    return try_git(root, ["config", "--type=bool", "--get", "core.sparseCheckout"]) == "true"


def _without_filters(root: Path) -> dict[str, str]:
    """Configuration that keeps git from running the content filters of its own."""
    pattern = r"^filter\..*\.(clean|process|required)$"
    names = try_git(root, ["config", "-z", "--name-only", "--get-regexp", pattern]) or ""
    found = (name for name in names.split("\0") if name)
    return {name: "false" if name.endswith(".required") else "" for name in found}


def _converted(root: Path, paths: dict[str, str]) -> set[str]:
    """Files whose content passes through a filter or another encoding."""
    asked = "\0".join(paths).encode("utf-8", "surrogateescape")
    if not asked:
        return set()
    raw = run_git(root, ["check-attr", "-z", "--stdin", *_CONVERTED], stdin=asked + b"\0")
    fields = raw.decode("utf-8", "surrogateescape").split("\0")
    records = zip(*(iter(fields),) * 3, strict=False)
    return {path for path, _, value in records if value not in {"unspecified", "unset"}}
