"""How a run behaves among other programs, and among its own garbage."""

import gc
import os
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_garbage_collection() -> Generator[None]:
    """Do not look for cycles while rows by the hundred thousand pass through; there are none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def lower_priority(steps: int) -> None:
    """Let other programs come first, from now on and with all that is started."""
    if steps > 0 and hasattr(os, "nice"):
        os.nice(steps)
