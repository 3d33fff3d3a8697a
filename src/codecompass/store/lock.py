"""One writer per store: a file lock that the system drops when its holder dies."""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from codecompass.errors import StoreBusy, StoreError
from codecompass.store.layout import make_private

_POLL_S = 0.05


class WriterLock:
    """Held while a process writes; waiting for one that gets nowhere is bounded."""

    def __init__(
        self, path: Path, timeout_s: float, on_wait: Callable[[], None] = lambda: None
    ) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._on_wait = on_wait
        self._descriptor = -1

    def __enter__(self) -> "WriterLock":
        """Wait for the lock, no longer than allowed without a beat of its holder."""
        self._descriptor = _open(self._path)
        try:
            self._wait()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def _wait(self) -> None:
        heard, deadline = 0, 0.0
        while not self._is_locked():
            beat = os.fstat(self._descriptor).st_mtime_ns
            if beat != heard:
                heard, deadline = beat, time.monotonic() + self._timeout_s
            if time.monotonic() >= deadline:
                raise StoreBusy(f"another process has been writing to {self._path.parent.name}")
            self._on_wait()
            time.sleep(_POLL_S)

    def _is_locked(self) -> bool:
        """Whether the lock is ours; one of a file that was removed meanwhile is nobody's."""
        if not _try_lock(self._descriptor):
            return False
        try:
            is_same = os.path.samestat(os.fstat(self._descriptor), self._path.stat())
        except FileNotFoundError:
            is_same = False
        if not is_same:
            os.close(self._descriptor)
            self._descriptor = _open(self._path)
            return self._is_locked()
        return True

    def beat(self) -> None:
        """Let those who wait know that the work goes on."""
        with contextlib.suppress(FileNotFoundError):
            os.utime(self._path)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the next writer in."""
        os.close(self._descriptor)


def is_writer_alive(path: Path) -> bool:
    """Whether some process holds the lock just now."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False  # never written, or by nobody whom we could meet
    try:
        return not _try_lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        make_private(path.parent)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(
            f"{path.parent}: {error.strerror}",
            remediation="make it a writable folder, or set CODECOMPASS_HOME to another one",
        ) from error


if os.name == "nt":  # pragma: no cover  # not run on our machines
    import msvcrt

    def _try_lock(descriptor: int, *, shared: bool = False) -> bool:  # noqa: ARG001  # there is but one kind
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]  # only there on Windows
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int, *, shared: bool = False) -> bool:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
