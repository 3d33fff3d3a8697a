"""What happens in folders, as the system tells it: Linux's inotify, by the C library.

One watch for each folder, and folders come and go while it runs. `read` never waits: what
was written before the call is among what it returns, so whoever has read knows all.
"""

import ctypes
import errno
import os
import struct
import sys
from pathlib import Path
from typing import NamedTuple

from codecompass.errors import StoreError

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_OVERFLOW, _IGNORED = 0x4000, 0x8000
_ONLY_FOLDERS, _NO_LINKS, _IS_FOLDER = 0x01000000, 0x02000000, 0x40000000
_WATCHED = (
    _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
    | _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS | _NO_LINKS
)  # fmt: skip
_HEAD = struct.Struct("iIII")
_READ_BYTES = 1 << 16
_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")


class Event(NamedTuple):
    """Something happened to an entry of a folder, or to the folder itself (no name)."""

    folder: str
    name: str = ""
    is_folder: bool = False
    is_write: bool = False  # the entry was there before and has other contents or attributes


LOST = Event("")
"""So much happened that the system lost some of it."""


class TooManyFolders(StoreError):
    """The system admits no more watches."""

    code = "too_many_watches"
    remediation = "raise fs.inotify.max_user_watches, or leave folders out by .codecompassignore"


def can_watch() -> bool:
    """Whether this system tells what happens in folders."""
    return sys.platform == "linux"


def watch_limit() -> int:
    """How many folders one user may watch; 0 if that is not known."""
    try:
        return int(_LIMIT.read_text())
    except (OSError, ValueError):
        return 0


class FolderEvents:
    """Watches folders, each by itself and not what is below it."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise TooManyFolders(f"inotify: {os.strerror(ctypes.get_errno())}")
        self._folders: dict[int, str] = {}
        self._numbers: dict[str, int] = {}

    def fileno(self) -> int:
        """What to wait on."""
        return int(self._descriptor)

    def close(self) -> None:
        """Watch nothing any more."""
        os.close(self._descriptor)

    @property
    def folders(self) -> frozenset[str]:
        """What is watched."""
        return frozenset(self._numbers)

    def watch(self, folder: str) -> bool:
        """Watch a folder from now on; whether it is there."""
        number = self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), _WATCHED)
        if number < 0:
            problem = ctypes.get_errno()
            if problem == errno.ENOSPC:
                raise TooManyFolders(f"{len(self._numbers):,} folders are watched, no more can be")
            self.forget(folder)
            return False
        if self._numbers.get(folder) != number:
            self.forget(folder)  # another folder stood there before
            self._forget_number(number)  # this one stood elsewhere before
            self._folders[number], self._numbers[folder] = folder, number
        return True

    def forget(self, folder: str) -> None:
        """Do not watch a folder any more."""
        number = self._numbers.get(folder)
        if number is not None:
            self._libc.inotify_rm_watch(self._descriptor, number)
            self._forget_number(number)

    def _forget_number(self, number: int) -> None:
        folder = self._folders.pop(number, None)
        if folder is not None:
            del self._numbers[folder]

    def read(self) -> list[Event]:
        """All that happened and was not told yet."""
        found: dict[Event, None] = {}
        while True:
            try:
                data = os.read(self._descriptor, _READ_BYTES)
            except BlockingIOError:
                return list(found)
            start = 0
            while start < len(data):
                number, mask, _, size = _HEAD.unpack_from(data, start)
                start += _HEAD.size
                name = os.fsdecode(data[start : start + size].rstrip(b"\0"))
                start += size
                event = self._event(number, mask, name)
                if event is not None:
                    found[event] = None

    def _event(self, number: int, mask: int, name: str) -> Event | None:
        if mask & _OVERFLOW:
            return LOST
        folder = self._folders.get(number)
        if mask & _IGNORED:  # the folder is gone, or it was forgotten
            self._forget_number(number)
            return None
        if folder is None:
            return None
        is_write = not mask & (_MOVED_FROM | _MOVED_TO | _CREATE | _DELETE)
        return Event(folder, name, bool(mask & _IS_FOLDER), is_write)
