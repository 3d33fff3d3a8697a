"""Starts a watcher as a process that outlives this one; loads nothing else of it."""

import subprocess
import sys
from pathlib import Path


def start_watcher(root: Path, *, idle_exit_s: float) -> "subprocess.Popen[bytes]":
    """A watcher for the repository of a folder; where one runs already, it ends at once."""
    command = [sys.executable, "-m", "codecompass", "watch", "--quiet", "--workspace"]
    command += [str(root), "--idle-exit", str(idle_exit_s)]
    return subprocess.Popen(  # noqa: S603  # our own program, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
