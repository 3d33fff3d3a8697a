"""Names of branches, tags and commits in, what git knows of them out."""

from dataclasses import dataclass
from pathlib import Path

from codecompass.errors import BadInput, GitFailed, RefMissing
from codecompass.model.refs import RefInfo, RefKind, ResolvedRef, WorktreeInfo
from codecompass.source.git import run_git, try_git
from codecompass.text.similarity import most_alike

_MAX_REF_CHARS = 500
_MAX_SUGGESTIONS = 3
# Where the remote does not say which branch is its default.
_USUAL_BRANCHES = ("main", "master", "trunk", "develop")
_SHA1_CHARS = 40
_FIELDS = ("refname", "objectname", "*objectname", "symref", "HEAD", "committerdate:iso-strict")
_FORMAT = "%00".join(f"%({field})" for field in _FIELDS)
_KINDS = (
    ("refs/heads/", RefKind.BRANCH),
    ("refs/remotes/", RefKind.REMOTE),
    ("refs/tags/", RefKind.TAG),
)


def resolve_ref(folder: Path, ref: str, *, prefix: str = "") -> ResolvedRef:
    """The commit a ref means now, and its tree; below `prefix` if one is given.

    Everything git understands is a ref: `feat/x`, `v1.2`, `HEAD~3`, `main@{yesterday}`,
    the beginning of a commit's id. A folder that the commit lacks is an empty tree.
    """
    check_ref(ref)
    asked = [f"{ref}^{{commit}}", f"{ref}^{{commit}}:{prefix}", f"{ref}^{{commit}}^{{tree}}"]
    check = ["cat-file", "--batch-check=%(objectname) %(objecttype)"]
    lines = run_git(folder, check, stdin="\n".join([*asked, ""]).encode()).decode().splitlines()
    commit, kind = _split(lines[0])
    if kind == "ambiguous":
        raise RefMissing(f"ref: {ref} may mean several commits", remediation="give more of its id")
    if kind != "commit":
        raise _no_such_ref(folder, ref)
    if len(commit) != _SHA1_CHARS:
        raise GitFailed(
            f"{folder}: object names of this repository are not SHA-1",
            remediation="the working tree can be searched, other refs cannot",
        )
    tree, kind = _split(lines[1])
    if prefix and kind != "tree":
        tree = empty_tree(folder)
    return ResolvedRef(ref, commit, tree)


def check_ref(ref: str) -> None:
    """Refuse what cannot be a ref before git sees it."""
    is_odd = not ref.strip() or len(ref) > _MAX_REF_CHARS or not ref.isprintable()
    if is_odd or ref.startswith("-"):
        raise BadInput(
            f"ref: given {ref[:80]!r}; allowed: a branch, a tag, a commit, or live"
            " for the working tree"
        )


def empty_tree(folder: Path) -> str:
    """The id of a tree without files."""
    return run_git(folder, ["hash-object", "-t", "tree", "--stdin"]).decode().strip()


def merge_base(folder: Path, one: str, other: str) -> str | None:
    """The commit from which two commits went apart; None if they have none in common here."""
    return try_git(folder, ["merge-base", one, other])


def is_ancestor(folder: Path, older: str, newer: str) -> bool:
    """Whether a commit is in the history of another, or is it."""
    return try_git(folder, ["merge-base", "--is-ancestor", older, newer]) is not None


def is_shallow(folder: Path) -> bool:
    """Whether the history was cut off when the repository was cloned."""
    return try_git(folder, ["rev-parse", "--is-shallow-repository"]) == "true"


def list_refs(folder: Path) -> list[RefInfo]:
    """Branches, remote branches and tags, the newest commit first."""
    where = [prefix for prefix, _ in _KINDS]
    sort = "--sort=-committerdate"
    raw = run_git(folder, ["for-each-ref", sort, f"--format={_FORMAT}", *where])
    found = []
    for line in raw.decode("utf-8", "replace").splitlines():
        name, object_id, peeled, symref, head, date = line.split("\0")
        prefix, kind = next(pair for pair in _KINDS if name.startswith(pair[0]))
        if not symref:  # origin/HEAD is only another name
            commit = peeled or object_id
            found.append(RefInfo(name[len(prefix) :], kind, commit, date, is_head=head == "*"))
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


@dataclass(frozen=True, slots=True)
class BaseBranches:
    """The branches that work here may be based on, as they stand now."""

    names: tuple[str, ...]  # the remote's first
    checked_out: str | None  # the one of them that is, if any
    state: bytes  # changes when one of them moves


def base_branches(folder: Path, configured: str) -> BaseBranches:
    """The branch as configured, or the default branch: the remote's and the local one."""
    if configured:
        state = resolve_ref(folder, configured).commit.encode()
        return BaseBranches((configured,), None, state)
    remote = "refs/remotes/origin"
    asked = [f"{where}/{name}" for where in ("refs/heads", remote) for name in _USUAL_BRANCHES]
    form = "--format=%(HEAD)%(refname) %(objectname) %(symref)"
    raw = run_git(folder, ["for-each-ref", form, f"{remote}/HEAD", *asked])
    rows = [line.split(" ") for line in raw.decode("utf-8", "replace").splitlines()]
    # `%(HEAD)` is a star or a blank.
    found = {row[-3].lstrip("*"): row for row in rows}
    default = found.get(f"{remote}/HEAD", [""])[-1].removeprefix(f"{remote}/")
    for name in [default] if default else _USUAL_BRANCHES:
        local, there = f"refs/heads/{name}", f"{remote}/{name}"
        # A default branch of another name was not among those asked for.
        names = [
            ref
            for ref in (there, local)
            if ref in found or (name not in _USUAL_BRANCHES and _exists(folder, ref))
        ]
        if names:
            is_here = [row for row in rows if row[-3] == f"*{local}"]
            short = tuple(ref.removeprefix("refs/heads/") for ref in names)
            short = tuple(ref.removeprefix("refs/remotes/") for ref in short)
            return BaseBranches(short, name if is_here else None, raw)
    return BaseBranches((), None, raw)


def _exists(folder: Path, name: str) -> bool:
    return try_git(folder, ["rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]) is not None


def _split(line: str) -> tuple[str, str]:
    name, _, kind = line.rpartition(" ")
    return name, kind


def _no_such_ref(folder: Path, ref: str) -> RefMissing:
    names = [info.name for info in list_refs(folder)]
    near = most_alike(ref, names, limit=_MAX_SUGGESTIONS)
    hint = f"one of: {', '.join(near)}" if near else "`codecompass refs-list` shows what there is"
    if is_shallow(folder):
        hint += "; this clone is shallow: git fetch --unshallow brings the older commits"
    return RefMissing(f"ref: {ref} is not a commit of this repository", remediation=hint)
