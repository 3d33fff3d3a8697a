"""Starts a watcher as a process that outlives this one; loads nothing else of it."""

import subprocess
from pathlib import Path

from codecompass.source.program import own_command


def start_watcher(root: Path, *, idle_exit_s: float) -> "subprocess.Popen[bytes]":
    """A watcher for the repository of a folder; where one runs already, it ends at once."""
    return subprocess.Popen(  # noqa: S603  # our own program, no shell
        own_command("watch", "--quiet", "--workspace", str(root), "--idle-exit", str(idle_exit_s)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
