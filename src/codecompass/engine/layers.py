"""A commit in, what its work is based on out: the default branch, and where they parted."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from codecompass.errors import RefMissing
from codecompass.model.refs import ResolvedRef
from codecompass.model.snapshot import LIVE
from codecompass.source.refs import (
    BaseBranches,
    base_branches,
    is_ancestor,
    is_shallow,
    merge_base,
    resolve_ref,
)
from codecompass.source.trees import blobs_at


@dataclass(frozen=True, slots=True)
class Base:
    """The branch that something is based on, and the commit where they went apart."""

    ref: str
    commit: str
    merge_base: ResolvedRef


def find_base(
    folder: Path, commit: str, branches: BaseBranches, *, own: str | None, prefix: str
) -> Base | None:
    """The base of a commit; None if there is no other branch, or none with common history.

    Of the remote's default branch and the local one of that name, the one that the
    commit went apart from later. `own` is the branch that the commit was asked for by:
    it is not its own base where there is another.
    """
    others = [name for name in branches.names if name != own]
    found: Base | None = None
    for name in others or branches.names:
        base = _base_at(folder, commit, resolve_ref(folder, name), prefix=prefix)
        if base is None:
            continue
        is_later = found and is_ancestor(folder, found.merge_base.commit, base.merge_base.commit)
        if found is None or is_later:
            found = base
    return found


def base_named(folder: Path, commit: str, name: str, *, prefix: str) -> Base:
    """The base that a caller names."""
    resolved = resolve_ref(folder, name)
    base = _base_at(folder, commit, resolved, prefix=prefix)
    if base is None:
        hint = "git fetch --unshallow" if is_shallow(folder) else "compare two refs by name"
        raise RefMissing(f"base: {name} has no commit in common with this ref", remediation=hint)
    return base


def _base_at(folder: Path, commit: str, resolved: ResolvedRef, *, prefix: str) -> Base | None:
    common = merge_base(folder, commit, resolved.commit)
    if common is None:
        return None
    at = resolve_ref(folder, common, prefix=prefix)
    return Base(resolved.name, resolved.commit, at)


class Layers:
    """Tells which files are as in the base and which belong to the work on top of it."""

    def __init__(self, folder: Path, *, prefix: str, configured: str) -> None:
        self._folder = folder
        self._prefix = prefix
        self._configured = configured
        self._bases: dict[tuple[str, str | None, bytes], Base | None] = {}
        self._blobs: dict[tuple[str, str], str] = {}

    def base_of(self, ref: str, commit: str) -> Base | None:
        """What a ref is based on; found once for each state of the branches."""
        branches = base_branches(self._folder, self._configured)
        own = branches.checked_out if ref in {LIVE, "HEAD"} else ref.removeprefix("refs/heads/")
        own = own if own in branches.names else None
        state = (commit, own, branches.state)
        if state not in self._bases:
            self._bases[state] = find_base(
                self._folder, commit, branches, own=own, prefix=self._prefix
            )
        return self._bases[state]

    def contents(self, tree: str, paths: Iterable[str]) -> dict[str, str]:
        """The ids of the contents that these paths have in a tree; "" where they are not."""
        wanted = set(paths)
        missing = [path for path in wanted if (tree, path) not in self._blobs]
        found = blobs_at(self._folder, tree, missing)
        self._blobs |= {(tree, path): found.get(path, "") for path in missing}
        return {path: self._blobs[tree, path] for path in wanted}
