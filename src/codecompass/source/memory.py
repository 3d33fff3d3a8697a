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
    try:
        with open(_STATM, "rb") as file:  # noqa: PTH123  # asked after every few files
            pages = int(file.read().split()[1])
    except OSError:
        return 0
    return pages * mmap.PAGESIZE // _MIB


def give_back_memory() -> None:
    """Return what was freed to the system, where the C library keeps it."""
    gc.collect()
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not every C library has it
            ctypes.CDLL(None).malloc_trim(0)
