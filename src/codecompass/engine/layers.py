"""A commit in, what its work is based on out: the default branch, and where they parted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from codecompass.errors import BadInput, RefMissing
from codecompass.model.refs import ResolvedRef
from codecompass.model.snapshot import LIVE
from codecompass.source.objects import GitObjects
from codecompass.source.refs import (
    base_branches,
    current_branch,
    head_and_bases,
    is_ancestor,
    is_shallow,
    merge_base,
    resolve_ref,
    short_name,
)

_KEPT_BASES = 200
_KEPT_CONTENTS = 10_000


@dataclass(frozen=True, slots=True)
class Base:
    """The branch that something is based on, and the commit where they went apart."""

    ref: str
    merge_base: ResolvedRef


def find_base(
    objects: GitObjects, commit: str, names: Sequence[str], *, own: str | None, prefix: str
) -> Base | None:
    """The base of a commit; None if there is no other branch, or none with common history.

    Of the remote's default branch and the local one of that name, the one that the
    commit went apart from later. `own` is the branch that the commit was asked for by:
    it is not its own base where there is another.
    """
    found: Base | None = None
    for name in [name for name in names if name != own] or names:
        is_there = objects.find([f"{name}^{{commit}}"])[0] is not None
        base = _base_at(objects, commit, name, prefix=prefix) if is_there else None
        if base is None:
            continue
        if found is None or is_ancestor(
            objects.folder, found.merge_base.commit, base.merge_base.commit
        ):
            found = base
    return found


def base_named(objects: GitObjects, commit: str, name: str, *, prefix: str) -> Base:
    """The base that a caller names."""
    try:
        base = _base_at(objects, commit, name, prefix=prefix)
    except BadInput as error:
        message = error.message.replace("ref: ", "base: ", 1)
        raise RefMissing(message, remediation=error.remediation) from error
    if base is None:
        is_cut = is_shallow(objects.folder)
        hint = "git fetch --unshallow" if is_cut else "compare two refs by name"
        raise RefMissing(f"base: {name} has no commit in common with this ref", remediation=hint)
    return base


def _base_at(objects: GitObjects, commit: str, name: str, *, prefix: str) -> Base | None:
    resolved = resolve_ref(objects, name)
    common = merge_base(objects.folder, commit, resolved.commit)
    if common is None:
        return None
    at = resolve_ref(objects, common, prefix=prefix)
    return Base(short_name(name), at)


class Layers:
    """Tells which files are as in the base and which belong to the work on top of it."""

    def __init__(
        self, objects: GitObjects, git_dir: Path, *, prefix: str, configured: str
    ) -> None:
        self._objects = objects
        self._git_dir = git_dir
        self._prefix = prefix
        self._configured = configured
        self._names: tuple[str, ...] = ()
        self._state: tuple[str, ...] = ()
        self._seen: tuple[str, ...] | None = None  # where branches stand, for this question
        self._bases: dict[tuple[str, str | None], Base | None] = {}
        self._contents: dict[tuple[str, str], str] = {}  # ids by tree and path

    def begin(self) -> None:
        """Another question: branches may stand elsewhere by now."""
        self._seen = None

    def head(self) -> str | None:
        """The commit that is checked out; None if there is none.

        Where branches stand is asked in the same exchange, which costs as much as it all.
        """
        head, self._seen = head_and_bases(self._objects, self._names)
        return head or None

    def base_of(self, ref: str, commit: str) -> Base | None:
        """What a ref is based on; found once for each state of the branches."""
        own = ref.removeprefix("refs/heads/")
        if ref in {LIVE, "HEAD"}:
            own = current_branch(self._objects.folder, self._git_dir) or ""
        own = f"refs/heads/{own}"
        if self._seen is None:
            self.head()
        if self._seen != self._state or len(self._bases) > _KEPT_BASES:
            self._names = base_branches(self._objects, self._configured)
            _, self._state = head_and_bases(self._objects, self._names)
            self._seen = self._state
            self._bases.clear()
        key = (commit, own if own in self._names else None)
        if key not in self._bases:
            self._bases[key] = find_base(
                self._objects, commit, self._names, own=key[1], prefix=self._prefix
            )
        return self._bases[key]

    def contents(self, tree: str, paths: Iterable[str]) -> dict[str, str]:
        """The ids of the contents that these paths have in a tree; "" where they are not."""
        known = {path: self._contents.get((tree, path), "") for path in paths}
        unknown = [path for path, blob_id in known.items() if not blob_id]
        if unknown:  # or not there, or not there yet: a part of a clone may come later
            found = self._objects.find([f"{tree}:{path}" for path in unknown])
            new = {path: item.id for path, item in zip(unknown, found, strict=True) if item}
            if len(self._contents) + len(new) > _KEPT_CONTENTS:
                self._contents.clear()
            self._contents |= {(tree, path): blob_id for path, blob_id in new.items()}
            known |= new
        return known
