"""How other processes are started that run this same program.

Python looks for modules in the current folder first, and that may be a repository which
somebody else wrote: a `json.py` in it would be run.
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

_SAFE_PATH = "PYTHONSAFEPATH"


def own_command(*arguments: str) -> list[str]:
    """The command that runs this program with some arguments."""
    return [*own_module("codecompass"), *arguments]


def own_module(name: str) -> list[str]:
    """The command that runs a module of this program."""
    return [sys.executable, "-P", "-m", name]


def trust_no_folder() -> None:
    """Have no process that this one starts, from any thread, look into its current folder."""
    os.environ[_SAFE_PATH] = "1"


@contextmanager
def safe_children() -> Generator[None]:
    """For processes whose command is not ours to write: those that Python starts inside.

    For one thread at a time; a process with several asks `trust_no_folder` once.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SAFE_PATH, None)
        else:
            os.environ[_SAFE_PATH] = before
