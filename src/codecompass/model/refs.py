"""Branches, tags, commits and work trees, as git names them."""

from dataclasses import dataclass
from enum import StrEnum

_SHORT_CHARS = 10


def short_commit(commit: str) -> str:
    """As much of a commit's id as answers tell."""
    return commit[:_SHORT_CHARS]


@dataclass(frozen=True, slots=True)
class ResolvedRef:
    """What a ref means at this moment."""

    name: str  # as it was asked for
    commit: str
    tree: str  # of the workspace's folder in that commit


class RefKind(StrEnum):
    """Where a ref stands."""

    BRANCH = "branch"
    REMOTE = "remote"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class RefInfo:
    """A ref of the repository."""

    name: str
    kind: RefKind
    commit: str
    date: str  # when it was committed or tagged


@dataclass(frozen=True, slots=True)
class WorktreeInfo:
    """A work tree of the repository."""

    path: str
    commit: str | None  # None: nothing committed yet, or bare
    branch: str | None  # None: detached
    is_bare: bool
    is_gone: bool  # its folder was deleted


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a commit."""

    path: str
    mode: str  # as git writes it: 100644, 120000 for a link, 160000 for a submodule
    blob_id: str
