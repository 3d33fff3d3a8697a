"""The memory of this process, as the system sees it."""

import contextlib
import ctypes
import gc
import sys


def give_back_memory() -> None:
    """Return what was freed to the system, where the C library keeps it."""
    gc.collect()
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not every C library has it
            ctypes.CDLL(None).malloc_trim(0)
