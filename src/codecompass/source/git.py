"""The `git` program: the only module that starts it.

Always a fixed argument list, never a shell; standard input is closed unless bytes are
handed over; hooks, prompts, file-system monitors and optional locks are off.
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codecompass.errors import GitFailed, GitMissing

_SAFE = (
    "--no-pager",
    "--no-optional-locks",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.untrackedCache=keep",
    "-c", "core.quotePath=false",
)  # fmt: skip
_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class GitPlace:
    """Where a folder stands in a git repository."""

    common_dir: Path  # shared by all worktrees
    top_level: Path


def run_git(folder: Path, arguments: Sequence[str], *, stdin: bytes | None = None) -> bytes:
    """The standard output of one git command run in `folder`."""
    done = _start(folder, arguments, stdin)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = said[0] if said else f"exit status {done.returncode}"
        raise GitFailed(f"git {arguments[0]} in {folder}: {reason}", remediation=_advice(reason))
    return done.stdout


def find_repository(folder: Path) -> GitPlace | None:
    """The repository a folder belongs to; None if it is not in a work tree of one."""
    done = _start(
        folder,
        ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel"],
        None,
    )
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace")
        if "dubious ownership" in said:
            reason = said.strip().splitlines()[0]
            raise GitFailed(f"{folder}: {reason}", remediation=_advice(reason))
        return None
    lines = done.stdout.decode("utf-8", "surrogateescape").splitlines()
    return GitPlace(common_dir=Path(lines[0]), top_level=Path(lines[1]))


def head_commit(folder: Path) -> str | None:
    """The commit that is checked out; None on an unborn branch or outside a repository."""
    done = _start(folder, ["rev-parse", "--verify", "--quiet", "HEAD"], None)
    return done.stdout.decode().strip() or None if done.returncode == 0 else None


def git_version(folder: Path) -> str:
    """The version of the git program."""
    return run_git(folder, ["version"]).decode().strip().removeprefix("git version ")


def _start(
    folder: Path, arguments: Sequence[str], stdin: bytes | None
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603  # a fixed program, no shell
            ["git", *_SAFE, *arguments],  # noqa: S607  # found on the PATH on purpose
            cwd=folder,
            env=_environment(),
            input=stdin or b"",  # never the terminal's
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitMissing("the git program was not found") from error
    except subprocess.TimeoutExpired as error:
        raise GitFailed(f"git {arguments[0]} in {folder}: no answer in {_TIMEOUT_S} s") from error


def _environment() -> dict[str, str]:
    """Ours, less what would point git elsewhere (set while a git hook runs us)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}


def _advice(reason: str) -> str:
    if "dubious ownership" in reason:
        return "git config --global --add safe.directory <the folder>, if you trust it"
    return "run the same git command by hand to see more"
