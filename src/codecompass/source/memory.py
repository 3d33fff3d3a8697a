"""The memory of this process, as the system sees it."""

import contextlib
import ctypes
import gc
import mmap
import sys

_STATM = "/proc/self/statm"
_MIB = 1024 * 1024


def used_mib() -> int:
    """What this process has in memory; 0 where the system does not say so quickly."""
    return _pages()[0] * mmap.PAGESIZE // _MIB


def own_mib() -> int:
    """What of it is no file's, so that it takes room of others; 0 likewise."""
    resident, shared = _pages()
    return (resident - shared) * mmap.PAGESIZE // _MIB


def _pages() -> tuple[int, int]:
    """How many pages are in memory, and how many of them are parts of files."""
    try:
        with open(_STATM, "rb") as file:  # noqa: PTH123  # asked after every few files
            fields = file.read().split()
    except OSError:
        return 0, 0
    return int(fields[1]), int(fields[2])


def give_back_memory(*, with_cycles: bool = True) -> None:
    """Return what was freed to the system, where the C library keeps it."""
    if with_cycles:
        gc.collect()
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not every C library has it
            ctypes.CDLL(None).malloc_trim(0)
