"""A tree of a commit in, its files out, less those our own rules leave out; no checkout."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from codecompass.model.refs import TreeFile
from codecompass.model.source import SkipReason
from codecompass.source.git import run_git, try_git
from codecompass.source.ignore import IGNORE_FILE, IgnoreRules, make_rules, may_be_text
from codecompass.source.objects import read_blobs

_END_OF_OPTIONS = "--end-of-options"  # nothing behind it is one
_MAX_NESTED = 3  # submodules in submodules
_LINK, _SUBMODULE = "120000", "160000"


@dataclass(frozen=True, slots=True)
class TreeListing:
    """What was found in a tree."""

    files: tuple[TreeFile, ...]
    skipped: dict[str, SkipReason]
    missing: frozenset[str]  # contents that a partial clone lacks
    blobs: dict[str, str]  # ids of what is skipped, where it has one; of a submodule its commit


def list_tree(folder: Path, tree_id: str) -> TreeListing:
    """All regular files of a tree that would be indexed if it were checked out."""
    entries, absent = _entries(folder, tree_id, "", _MAX_NESTED)
    missing = missing_blobs(folder, tree_id)
    rules = _rules(folder, entries, missing)
    files: list[TreeFile] = []
    skipped: dict[str, SkipReason] = {}
    blobs = dict(absent)
    for entry in entries:
        if entry.path is None:
            skipped[entry.shown] = SkipReason.ODD_NAME
            continue
        rule = rules.rule_for(entry.path, is_tracked=True)
        if rule is not None:
            if may_be_text(rule) and entry.mode not in {_LINK, _SUBMODULE}:
                skipped[entry.path] = SkipReason.IGNORED
                blobs[entry.path] = entry.blob_id
        elif entry.mode == _SUBMODULE:
            if entry.path in absent:
                skipped[entry.path] = SkipReason.SUBMODULE
        elif entry.mode == _LINK:
            skipped[entry.path] = SkipReason.NOT_A_FILE
        else:
            files.append(TreeFile(entry.path, entry.mode, entry.blob_id))
    return TreeListing(tuple(files), skipped, missing, blobs)


def _entries(
    folder: Path, tree_id: str, prefix: str, depth: int
) -> tuple[list["_Entry"], dict[str, str]]:
    """All entries of a tree and of the submodules in it; those that are not here apart."""
    raw = run_git(folder, ["ls-tree", "-r", "-z", "--full-tree", _END_OF_OPTIONS, tree_id])
    entries = [_entry(line, prefix) for line in raw.split(b"\0") if line]
    modules = {
        entry.path: entry.blob_id
        for entry in entries
        if entry.mode == _SUBMODULE and entry.path is not None
    }
    absent: dict[str, str] = {}
    here = present_commits(folder, modules.values()) if depth else set()
    for path, commit in modules.items():
        if commit not in here:
            absent[path] = commit
            continue
        inner, lacking = _entries(folder, commit, f"{path}/", depth - 1)
        entries += inner
        absent |= lacking
    return entries, absent


def present_commits(folder: Path, ids: Iterable[str]) -> set[str]:
    """Those of some commits of submodules whose objects are here."""
    asked = "\n".join([*ids, ""]).encode()
    if not asked:
        return set()
    check = ["cat-file", "--batch-check=%(objectname) %(objecttype)"]
    lines = run_git(folder, check, stdin=asked).decode().splitlines()
    return {line.split(" ")[0] for line in lines if line.endswith(" commit")}


def missing_blobs(folder: Path, tree_id: str) -> frozenset[str]:
    """The contents of a tree that a partial clone lacks; git is kept from fetching them.

    Git gives up at the first missing content it is asked for, so it has to be known
    beforehand which to ask for.
    """
    if not try_git(folder, ["config", "--get-regexp", r"^remote\..*\.promisor$"]):
        return frozenset()
    raw = run_git(folder, ["rev-list", "--objects", "--missing=print", _END_OF_OPTIONS, tree_id])
    # Behind the ids of what is there stand names, which need not be text.
    return frozenset(line[1:].decode() for line in raw.split(b"\n") if line.startswith(b"?"))


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    blob_id: str
    path: str | None  # None: its bytes are not UTF-8
    shown: str


def _entry(line: bytes, prefix: str) -> _Entry:
    facts, _, name = line.partition(b"\t")
    mode, _, blob_id = facts.decode().split(" ")
    try:
        path = name.decode("utf-8")
    except UnicodeDecodeError:
        return _Entry(mode, blob_id, None, prefix + name.decode("utf-8", "replace"))
    return _Entry(mode, blob_id, prefix + path, prefix + path)


def _rules(folder: Path, entries: Iterable[_Entry], missing: Collection[str]) -> IgnoreRules:
    """The tree's own rules: every `.codecompassignore` in it that is a regular file."""
    found = {
        entry.path: entry.blob_id
        for entry in entries
        if entry.path is not None
        and entry.path.rpartition("/")[2] == IGNORE_FILE
        and entry.mode not in {_LINK, _SUBMODULE}
        and entry.blob_id not in missing
    }
    texts = read_blobs(folder, sorted(set(found.values())))
    return make_rules(
        {
            path: texts.get(blob_id, b"").decode("utf-8", "replace")
            for path, blob_id in found.items()
        }
    )
