"""A server holds memory for long: it gets the allocator that gives freed memory back.

Python's own gives a mebibyte back when nothing is left in it at all. What stays of every
published change is little, but lies in between, and a server that publishes all day grows
(docs/decisions/014-freshness.md). The C library's gives back every free page, if all threads
share one heap: it would give each its own, and what stays would lie all over them.
"""

import os
import sys

_SETTING = "PYTHONMALLOC"
_HEAPS = ("MALLOC_ARENA_MAX", "1")  # read when a process starts, before it has threads


def choose_allocator() -> None:
    """Start this process anew with the C library's allocator, where that is the one of Linux.

    Not if the setting is given already, by us or by the user. It is for this process alone:
    those that it starts do their work and end.
    """
    is_chosen = os.environ.pop(_SETTING, None) is not None
    name, value = _HEAPS
    if is_chosen or not can_give_back():
        if os.environ.get(name) == value:
            del os.environ[name]
        return
    arguments = [sys.executable, *sys.orig_argv[1:]]
    chosen = {name: value, **os.environ, _SETTING: "malloc"}
    try:
        os.execve(sys.executable, arguments, chosen)  # noqa: S606  # the very same command
    except OSError:
        return  # as it is will do


def can_give_back() -> bool:
    """Whether this is the C library that can, under a Python that has the choice."""
    try:
        is_glibc = bool(os.confstr("CS_GNU_LIBC_VERSION"))
    except (AttributeError, OSError, ValueError):
        is_glibc = False
    return is_glibc and "t" not in sys.abiflags  # without its lock, Python has but one
