"""The files of a text index in, those that are not as they were written out.

Tantivy ends each file of a segment with the checksum of what stands before, and does not
look at it when it opens one.
"""

import json
import mmap
import struct
import zlib
from pathlib import Path

_TAIL = struct.Struct("<II")  # the length of what describes the file, and a mark
_MARK = 1337
_SUFFIXES = frozenset({".term", ".idx", ".pos", ".store", ".fast", ".fieldnorm"})
# Of more bytes only the ends are looked at when an index is opened: that takes 30 ms.
_QUICK_BYTES = 20_000_000


def damaged_files(
    folder: Path, whole: set[Path] | None = None, *, is_thorough: bool = False
) -> list[Path]:
    """Files that are cut off or were changed; of a large index only the former, unless asked.

    `whole` are files that were looked at before; those found whole are added to it.
    """
    whole = set() if whole is None else whole
    published = _published(folder)
    if is_thorough:
        missing = [file for file in _expected(folder, published) if not file.exists()]
        still = _published(folder)  # one may have been merged into another meanwhile
        missing = [file for file in missing if file.name.partition(".")[0] in still]
        if missing:
            return missing
    files = [
        file
        for file in sorted(folder.iterdir())
        if file.suffix in _SUFFIXES and file.name.partition(".")[0] in published
    ]
    left = [file for file in files if file not in whole]
    with_sums = is_thorough or sum(size_of_file(file) for file in left) <= _QUICK_BYTES
    damaged = [file for file in left if not _is_whole(file, with_sum=with_sums)]
    whole.intersection_update(files)
    whole.update(set(left).difference(damaged))
    return damaged


def _published(folder: Path) -> frozenset[str]:
    """The segments that are part of the index; others are being written, or were never done."""
    try:
        said = json.loads((folder / "meta.json").read_bytes())
        return frozenset(item["segment_id"].replace("-", "") for item in said["segments"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return frozenset()  # Tantivy itself says what is wrong with it


def _expected(folder: Path, segments: frozenset[str]) -> list[Path]:
    return [
        folder / f"{name}{suffix}" for name in sorted(segments) for suffix in sorted(_SUFFIXES)
    ]


def size_of_file(file: Path) -> int:
    """The size of a file in bytes; 0 if it is not there."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _is_whole(file: Path, *, with_sum: bool) -> bool:
    try:
        with file.open("rb") as source:
            return _has_right_end(source.fileno(), with_sum=with_sum)
    except FileNotFoundError:
        return True  # merged away meanwhile
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _has_right_end(descriptor: int, *, with_sum: bool) -> bool:
    with mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as data:
        length, mark = _TAIL.unpack(data[-_TAIL.size :])
        start = len(data) - _TAIL.size - length
        if mark != _MARK or start < 0:
            return False
        described = json.loads(data[start : -_TAIL.size])
        if not with_sum:
            return "crc" in described
        with memoryview(data) as view, view[:start] as body:
            return zlib.crc32(body) == int(described["crc"])
