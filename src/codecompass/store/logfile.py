"""Lines that several processes append to one file, which begins anew when it is large."""

import os
from pathlib import Path
from threading import Lock

from codecompass.store.layout import make_private

_MAX_BYTES = 5_000_000  # then a new file begins; one old file is kept


class LogFile:
    """Each line is written at once; that one cannot be written is no reason to stop."""

    def __init__(self, path: Path, *, max_bytes: int = _MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._file = -1
        self._lock = Lock()

    def append(self, line: str) -> None:
        """Add a line."""
        try:
            with self._lock:
                self._append(line.encode("utf-8", "replace") + b"\n")
        except OSError:
            return

    def _append(self, line: bytes) -> None:
        if self._file < 0:
            make_private(self._path.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self._file = os.open(self._path, flags, 0o600)
        os.write(self._file, line)
        if os.fstat(self._file).st_size > self._max_bytes:
            os.close(self._file)
            self._file = -1
            if self._path.stat().st_size > self._max_bytes:  # not yet put away by another one
                self._path.replace(self._path.with_name(f"{self._path.name}.1"))
