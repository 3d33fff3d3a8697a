"""The `git` program: the only module that starts it.

Always a fixed argument list, never a shell; standard input is closed unless bytes are
handed over; hooks, prompts, file-system monitors, optional locks and the network are
off. Nothing here runs external diff programs, text conversions or content filters.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codecompass.errors import CodeCompassError, GitFailed, GitMissing, WorkspaceMissing
from codecompass.source.submodules import object_folders

_SAFE = (
    "--no-pager",
    "--no-optional-locks",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.untrackedCache=keep",
    "-c", "core.quotePath=false",
)  # fmt: skip
# A partial clone would fetch what it lacks, one object at a time.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
# Contents are known by their ids; an id must always mean the same.
_LITERAL = {"GIT_NO_REPLACE_OBJECTS": "1"}
_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class GitPlace:
    """Where a folder stands in a git repository."""

    common_dir: Path  # shared by all worktrees
    git_dir: Path  # of this worktree
    top_level: Path  # of the work tree; the repository itself if it is bare
    prefix: str  # of the folder in the work tree: "" at its top, or with a slash at the end
    is_bare: bool


def run_git(
    folder: Path,
    arguments: Sequence[str],
    *,
    stdin: bytes | None = None,
    config: Mapping[str, str] | None = None,
) -> bytes:
    """The standard output of one git command run in `folder`; `config` overrules git's own."""
    done = _start(folder, arguments, stdin, config)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = said[0] if said else f"exit status {done.returncode}"
        name = next((word for word in arguments if not word.startswith("-")), "")
        raise GitFailed(f"git {name} in {folder}: {reason}", remediation=_advice(reason))
    return done.stdout


def try_git(folder: Path, arguments: Sequence[str]) -> str | None:
    """What a git command printed; None if it said no."""
    done = _start(folder, arguments, None)
    if done.returncode != 0:
        return None
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def open_git(folder: Path, arguments: Sequence[str]) -> "subprocess.Popen[bytes]":
    """A git command that answers as long as it is asked; whoever opens it closes it."""
    try:
        return subprocess.Popen(  # noqa: S603  # a fixed program, no shell
            ["git", *_SAFE, *arguments],  # noqa: S607  # found on the PATH on purpose
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise _not_found(folder) from error


def _not_found(folder: Path) -> CodeCompassError:
    if not folder.is_dir():
        return WorkspaceMissing(f"{folder}: no such folder any more")
    return GitMissing("the git program was not found")


def find_repository(folder: Path) -> GitPlace | None:
    """The repository a folder belongs to; None if it is neither in a work tree nor bare."""
    asked = ["--is-bare-repository", "--git-common-dir", "--git-dir"]
    asked += ["--show-prefix", "--show-toplevel"]
    done = _start(folder, ["rev-parse", "--path-format=absolute", *asked], None)
    said = done.stderr.decode("utf-8", "replace")
    if "dubious ownership" in said:
        reason = said.strip().splitlines()[0]
        raise GitFailed(f"{folder}: {reason}", remediation=_advice(reason))
    lines = done.stdout.decode("utf-8", "surrogateescape").split("\n")
    if done.returncode == 0:
        _, common, git_dir, prefix, top = lines[:5]
        if not _is_at_home(folder, top):
            return None  # its settings name files elsewhere: nobody asked for those
        return GitPlace(Path(common), Path(git_dir), Path(top), prefix, is_bare=False)
    # Without a work tree git stops at the last question.
    if lines[0] == "true" and Path(lines[1]) == folder:
        return GitPlace(folder, folder, folder, "", is_bare=True)
    return None


def _is_at_home(folder: Path, top: str) -> bool:
    """Whether a working tree is where git found the repository, and not where that says."""
    here = folder.resolve()
    nearest = next((place for place in (here, *here.parents) if (place / ".git").exists()), None)
    try:
        return nearest is not None and nearest.samefile(top)
    except OSError:
        return False


def head_commit(folder: Path) -> str | None:
    """The commit that is checked out; None on an unborn branch or outside a repository."""
    return try_git(folder, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) or None


def git_version(folder: Path) -> str:
    """The version of the git program."""
    return run_git(folder, ["version"]).decode().strip().removeprefix("git version ")


def _start(
    folder: Path,
    arguments: Sequence[str],
    stdin: bytes | None,
    config: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603  # a fixed program, no shell
            ["git", *_SAFE, *arguments],  # noqa: S607  # found on the PATH on purpose
            cwd=folder,
            env=_environment(folder) | _as_variables(config or {}),
            input=stdin or b"",  # never the terminal's
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise _not_found(folder) from error
    except subprocess.TimeoutExpired as error:
        raise GitFailed(f"git {arguments[0]} in {folder}: no answer in {_TIMEOUT_S} s") from error


def _environment(folder: Path) -> dict[str, str]:
    """Ours, less what would point git elsewhere (set while a git hook runs us)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"} | _OFFLINE | _LITERAL
    objects = object_folders(folder)
    if objects:  # contents of submodules are read by their ids, like all others
        kept["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = os.pathsep.join(objects)
    return kept


def _as_variables(config: Mapping[str, str]) -> dict[str, str]:
    """Configuration by environment: on the command line a name could not hold a `=`."""
    found = {"GIT_CONFIG_COUNT": str(len(config))}
    for number, (key, value) in enumerate(config.items()):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found


def _advice(reason: str) -> str:
    if "dubious ownership" in reason:
        return "git config --global --add safe.directory <the folder>, if you trust it"
    if "lazy fetching" in reason or "promisor" in reason:
        return "this partial clone lacks what is needed: git fetch --refetch brings it"
    return "run the same git command by hand to see more"
