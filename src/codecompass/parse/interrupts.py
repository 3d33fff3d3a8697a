"""Ctrl-C, made to wait."""

import signal
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_interrupt() -> Generator[None]:
    """Let Ctrl-C wait: inside native code it comes out as some other error."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
