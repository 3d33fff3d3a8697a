"""One file of a workspace in, its text or the reason to leave it out."""

import hashlib
import os
import stat
import time
from dataclasses import replace
from pathlib import Path

from codecompass.model.snapshot import FileEntry
from codecompass.model.source import SkipReason, SourceText

# Git and grep look this far for a NUL byte to tell binary from text.
_BINARY_PROBE_BYTES = 8_000
# Some file systems count time in steps of two seconds: a file changed again within
# one step looks unchanged, so a file this fresh is not judged by its time.
_FRESH_NS = 2_000_000_000
_SPREAD, _STAMP_BITS = 3, (1 << 62) - 1  # two times as one number of 62 bits
_READ_ATTEMPTS = 3
# What stands in the place of a file that Git LFS keeps elsewhere.
_LFS, _MAX_LFS_BYTES = b"version https://git-lfs.github.com/spec/", 1_024
_MAX_HASHED_BYTES = 64 * 1024 * 1024
# Files that are code whatever is in them: long lines are tables, NUL bytes are in texts.
_CODE = (
    ".java", ".kt", ".scala", ".go", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".swift",
    ".py", ".rb", ".ex", ".hs", ".zig", ".ts", ".tsx",
)  # fmt: skip
# Python's stand-ins for bytes that are not UTF-8.
_AS_LATIN_1 = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
# Never through a link, never waiting for somebody to write into a pipe.
_READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


def read_source(
    root: Path, path: str, *, max_bytes: int, max_line_bytes: int
) -> SourceText | SkipReason:
    """Read a file once, whole: its bytes are hashed, checked and turned into UTF-8.

    A file that changes while it is read is read again; one that never rests is taken
    as it was, with a time that makes the next sync look at it again.
    """
    try:
        raw, seen, is_settled = _read_settled(root / path, max_bytes)
    except OSError:
        return SkipReason.UNREADABLE
    if raw is None:
        return SkipReason.TOO_LARGE if stat.S_ISREG(seen.st_mode) else SkipReason.NOT_A_FILE
    source = text_of_blob(raw, blob_id(raw), path, max_line_bytes=max_line_bytes)
    if isinstance(source, SkipReason) or not is_settled:
        return source
    return replace(source, stamp=stamp_of(seen))


def text_of_blob(
    raw: bytes, blob_id: str, path: str, *, max_line_bytes: int
) -> SourceText | SkipReason:
    """A content that was read, as text ready to parse; it has no time."""
    if raw.startswith(_LFS) and len(raw) < _MAX_LFS_BYTES:
        return SkipReason.LFS_POINTER
    is_code = path.endswith(_CODE)
    text = decode_text(raw)
    if text is None or (_is_binary(raw) and not (is_code and text is raw)):
        return SkipReason.BINARY
    if not is_code and _is_minified(text, max_line_bytes):
        return SkipReason.LONG_LINE
    return SourceText(blob_id, text, len(raw), 0)


def read_unchanged(root: Path, known: FileEntry) -> str | None:
    """The text of a file that still is what was indexed; None if it is not.

    Size and time decide, as they do when changes are looked for; where they differ or
    cannot be trusted, the content does.
    """
    try:
        # Joined as text: a search reads hundreds of files, and paths cost as much as reading.
        raw, seen, is_settled = _read_settled(f"{root}/{known.path}", known.size_bytes)
    except OSError:
        return None
    if raw is None or not is_settled:
        return None
    is_same = known.stamp and (seen.st_size, stamp_of(seen)) == (known.size_bytes, known.stamp)
    if not is_same and blob_id(raw) != known.blob_id:
        return None
    if raw.isascii():
        return raw.decode("ascii")
    text = decode_text(raw)
    return None if text is None else text.decode("utf-8", "replace")


def read_text(root: Path, path: str, max_bytes: int) -> str | None:
    """The text of a file as it is now, "" if it is binary; None if too large, or not there."""
    try:
        raw, _, _ = _read_settled(root / path, max_bytes)
    except OSError:
        return None
    return (text_of_bytes(raw) or "") if raw is not None else None


def text_of_bytes(raw: bytes) -> str | None:
    """A content as text; None if it is binary."""
    text = None if _is_binary(raw) else decode_text(raw)
    return text.decode("utf-8", "replace") if text is not None else None


def stamp_of(seen: os.stat_result, now_ns: int = 0) -> int:
    """A number that changes when a file is written to, whoever sets its time back afterwards.

    0 for a file so fresh that it could change again without a change of its times. The
    time of the last change of a file's data can be set; that of its inode cannot.
    """
    if (now_ns or time.time_ns()) - seen.st_mtime_ns < _FRESH_NS:
        return 0
    return (seen.st_mtime_ns + _SPREAD * seen.st_ctime_ns) & _STAMP_BITS


def blob_id_on_disk(root: Path, path: str) -> str | None:
    """The id of a file's content; None if there is no such file, "" if it is too large to tell."""
    try:
        raw, seen, _ = _read_settled(root / path, _MAX_HASHED_BYTES)
    except OSError:
        return None
    if raw is None:
        return "" if stat.S_ISREG(seen.st_mode) else None
    return blob_id(raw)


def blob_id(raw: bytes) -> str:
    """The id git gives to this content; the same on every ref, worktree and machine."""
    digest = hashlib.sha1(b"blob %d\0" % len(raw), usedforsecurity=False)
    digest.update(raw)
    return digest.hexdigest()


def decode_text(raw: bytes) -> bytes | None:
    """The content of a text as UTF-8 without byte order mark; None if it cannot be one.

    UTF-16 counts as text only with its mark. Bytes that are not UTF-8 are taken as
    Latin-1, in which every byte is a character; the rest of the text is not touched.
    """
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    elif raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return raw.decode("utf-16").encode("utf-8")
        except UnicodeError:
            return None
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "surrogateescape").translate(_AS_LATIN_1).encode("utf-8")
    return raw


def _is_binary(raw: bytes) -> bool:
    is_marked = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    return not is_marked and b"\0" in raw[:_BINARY_PROBE_BYTES]


def _read_settled(path: Path | str, max_bytes: int) -> tuple[bytes | None, os.stat_result, bool]:
    """Content, stat and whether both belong together; no content if it is too large."""
    for attempt in range(_READ_ATTEMPTS):
        file = os.open(path, _READ_FLAGS)
        try:
            before = os.fstat(file)
            is_plain = stat.S_ISREG(before.st_mode) or stat.S_ISDIR(before.st_mode)
            if before.st_size > max_bytes or not is_plain:
                return None, before, True
            # By its number: a file object costs as much as reading. One byte more tells that
            # it has grown; of a folder it fails.
            raw = os.read(file, before.st_size + 1)
            while len(raw) < before.st_size and (more := os.read(file, before.st_size)):
                raw += more  # some file systems hand over parts
            after = os.fstat(file)
        finally:
            os.close(file)
        if len(raw) > max_bytes:
            return None, after, True
        is_settled = _moment(before) == _moment(after)
        if (is_settled and len(raw) == after.st_size) or attempt == _READ_ATTEMPTS - 1:
            return raw, after, is_settled
    raise AssertionError


def _moment(seen: os.stat_result) -> tuple[int, int, int]:
    return seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _is_minified(text: bytes, max_line_bytes: int) -> bool:
    """Whether most of a text stands in lines that are too long; one table in code is fine."""
    if len(text) <= max_line_bytes:
        return False
    lengths = [len(line) for line in text.split(b"\n")]
    return 2 * sum(length for length in lengths if length > max_line_bytes) > len(text)
