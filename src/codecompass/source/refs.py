"""Names of branches, tags and commits in, what git knows of them out."""

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from codecompass.errors import BadInput, GitFailed, RefMissing
from codecompass.model.refs import RefInfo, RefKind, ResolvedRef, WorktreeInfo
from codecompass.source.git import run_git, try_git
from codecompass.source.objects import GitObjects
from codecompass.text.similarity import most_alike

_END_OF_OPTIONS = "--end-of-options"  # nothing behind it is one
_MAX_REF_CHARS = 500
_MAX_SUGGESTIONS = 3
# Where the remote does not say which branch is its default.
_USUAL_BRANCHES = ("main", "master", "trunk", "develop")
_REMOTE = "refs/remotes/origin"
_SHA1_CHARS = 40
_FIELDS = ("refname", "objectname", "*objectname", "symref", "creatordate:iso-strict")
_FORMAT = "%00".join(f"%({field})" for field in _FIELDS)
_KINDS = (
    ("refs/heads/", RefKind.BRANCH),
    ("refs/remotes/", RefKind.REMOTE),
    ("refs/tags/", RefKind.TAG),
)


def resolve_ref(objects: GitObjects, ref: str, *, prefix: str = "") -> ResolvedRef:
    """The commit a ref means now, and its tree; below `prefix` if one is given.

    Everything git understands is a ref: `feat/x`, `v1.2`, `HEAD~3`, `main@{yesterday}`,
    the beginning of a commit's id. A folder that the commit lacks is an empty tree.
    """
    check_ref(ref)
    folder = prefix.removesuffix("/")
    asked = [f"{ref}^{{commit}}", f"{ref}^{{commit}}:{folder}"]
    commit, tree = objects.find(asked)
    if commit is None:
        objects.close()  # the repository may have been replaced behind its back
        commit, tree = objects.find(asked)
    if commit is None:
        raise _no_such_ref(objects.folder, ref)
    if len(commit.id) != _SHA1_CHARS:
        raise GitFailed(
            f"{objects.folder}: object names of this repository are not SHA-1",
            remediation="the working tree can be searched, other refs cannot",
        )
    is_there = tree is not None and tree.kind == "tree"
    return ResolvedRef(
        ref, commit.id, tree.id if tree and is_there else empty_tree(objects.folder)
    )


def check_ref(ref: str) -> None:
    """Refuse what cannot be a ref before git sees it."""
    is_odd = not ref.strip() or len(ref) > _MAX_REF_CHARS or not ref.isprintable()
    # A search for a message takes an expression, which can take git any time and memory.
    is_search = "^{/" in ref or ":/" in ref
    if is_odd or is_search or ref.startswith("-"):
        raise BadInput(
            f"ref: given {ref[:80]!r}; allowed: a branch, a tag, a commit, or live"
            " for the working tree"
        )


def empty_tree(folder: Path) -> str:
    """The id of a tree without files."""
    return run_git(folder, ["hash-object", "-t", "tree", "--stdin"]).decode().strip()


def merge_base(folder: Path, one: str, other: str) -> str | None:
    """The commit from which two commits went apart; None if they have none in common here."""
    return try_git(folder, ["merge-base", _END_OF_OPTIONS, one, other])


def is_ancestor(folder: Path, older: str, newer: str) -> bool:
    """Whether a commit is in the history of another, or is it."""
    return (
        try_git(folder, ["merge-base", "--is-ancestor", _END_OF_OPTIONS, older, newer]) is not None
    )


def is_shallow(folder: Path) -> bool:
    """Whether the history was cut off when the repository was cloned."""
    return try_git(folder, ["rev-parse", "--is-shallow-repository"]) == "true"


def list_refs(folder: Path) -> list[RefInfo]:
    """Branches, remote branches and tags, the newest commit first."""
    where = [prefix for prefix, _ in _KINDS]
    sort = "--sort=-creatordate"
    raw = run_git(folder, ["for-each-ref", sort, f"--format={_FORMAT}", *where])
    found = []
    for line in raw.decode("utf-8", "replace").strip("\n").split("\n"):
        if not line:
            continue
        name, object_id, peeled, symref, date = line.split("\0")
        prefix, kind = next(pair for pair in _KINDS if name.startswith(pair[0]))
        if not symref:  # origin/HEAD is only another name
            commit = peeled or object_id
            found.append(RefInfo(name[len(prefix) :], kind, commit, date))
    return found


def list_worktrees(folder: Path) -> list[WorktreeInfo]:
    """All work trees of the repository, the main one first."""
    raw = run_git(folder, ["worktree", "list", "--porcelain"]).decode("utf-8", "surrogateescape")
    found = []
    for block in raw.strip().split("\n\n"):
        values = dict(line.partition(" ")[::2] for line in block.splitlines())
        if "worktree" not in values:
            continue
        found.append(
            WorktreeInfo(
                path=values["worktree"],
                commit=None if not values.get("HEAD", "").strip("0") else values["HEAD"],
                branch=values["branch"].removeprefix("refs/heads/")
                if "branch" in values
                else None,
                is_bare="bare" in values,
                is_gone="prunable" in values,
            )
        )
    return found


def current_branch(folder: Path, git_dir: Path) -> str | None:
    """The branch that is checked out; None if HEAD is detached."""
    try:
        head = (git_dir / "HEAD").read_text("utf-8", "replace").strip()
    except OSError:
        head = ""
    if head.startswith("ref: refs/heads/") and not head.endswith("/.invalid"):
        return head.removeprefix("ref: refs/heads/")
    if len(head) == _SHA1_CHARS:
        return None
    # Refs are kept in another format.
    return try_git(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"])


def base_branches(objects: GitObjects, configured: str) -> tuple[str, ...]:
    """The branch as configured, or the default branch: the remote's, then the local one.

    By their full names: a tag may be called like a branch.
    """
    if configured:
        check_ref(configured)
        return (configured,)
    default = try_git(objects.folder, ["symbolic-ref", "--quiet", f"{_REMOTE}/HEAD"])
    names = [default.removeprefix(f"{_REMOTE}/")] if default else _USUAL_BRANCHES
    for name in names:
        both = (f"{_REMOTE}/{name}", f"refs/heads/{name}")
        found = objects.find([f"{ref}^{{commit}}" for ref in both])
        if any(found):
            return tuple(ref for ref, commit in zip(both, found, strict=True) if commit)
    return ()


def short_name(ref: str) -> str:
    """A ref as people call it."""
    return ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")


def head_and_bases(objects: GitObjects, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The commit that is checked out, and what changes when one of these branches moves.

    Also when one comes that would be a base in their place; "" where there is no such commit.
    """
    asked = ["HEAD", *dict.fromkeys([*names, f"{_REMOTE}/HEAD", *_rivals(names)])]
    found = objects.find([f"{name}^{{commit}}" for name in asked])
    head, *bases = [item.id if item else "" for item in found]
    return head, tuple(bases)


def _rivals(names: Sequence[str]) -> list[str]:
    """The refs of which one that came to be would be a base branch beside or before these.

    Git takes up to 60 microseconds to find that there is no such ref: no others are asked for.
    """
    own = [name.removeprefix("refs/heads/").removeprefix(f"{_REMOTE}/") for name in names]
    before = takewhile(lambda name: name not in own, _USUAL_BRANCHES)
    return [f"{where}/{name}" for name in (*before, *own) for where in ("refs/heads", _REMOTE)]


def _no_such_ref(folder: Path, ref: str) -> RefMissing:
    names = [info.name for info in list_refs(folder)]
    near = most_alike(ref, names, limit=_MAX_SUGGESTIONS)
    shown = near or names[:_MAX_SUGGESTIONS]
    more = ", …" if len(names) > len(shown) and not near else ""
    hint = f"one of: {', '.join(shown)}{more}" if shown else "commit something first"
    if is_shallow(folder):
        hint += "; this clone is shallow: git fetch --unshallow brings the older commits"
    return RefMissing(f"ref: {ref} is not a commit of this repository", remediation=hint)
