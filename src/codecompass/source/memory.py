"""The memory of this process, as the system sees it."""

import contextlib
import ctypes
import gc
import mmap
import sys

_STATM = "/proc/self/statm"
_MIB = 1024 * 1024
_M_ARENA_MAX = -8
_ARENAS = 1


def used_mib() -> int:
    """What this process has in memory; 0 where the system does not say so quickly."""
    try:
        with open(_STATM, "rb") as file:  # noqa: PTH123  # asked after every few files
            pages = int(file.read().split()[1])
    except OSError:
        return 0
    return pages * mmap.PAGESIZE // _MIB


def give_back_memory(*, with_cycles: bool = True) -> None:
    """Return what was freed to the system, where the C library keeps it."""
    if with_cycles:
        gc.collect()
    _tell_allocator("malloc_trim", 0)


def share_arenas() -> None:
    """Let all threads allocate from one place, for a process that stays.

    The C library of Linux has one for each thread, up to eight for each CPU, and each of
    them keeps what its thread has freed.
    """
    _tell_allocator("mallopt", _M_ARENA_MAX, _ARENAS)


def _tell_allocator(name: str, *arguments: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not every C library has it
            getattr(ctypes.CDLL(None), name)(*arguments)
