"""Ids of blobs in, their contents or sizes out; straight from git's objects.

No checkout, no content filter, no text conversion: the bytes that were committed.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from types import TracebackType

from codecompass.source.git import open_git, run_git

_CLOSE_TIMEOUT_S = 5.0


def read_blobs(folder: Path, ids: Sequence[str]) -> dict[str, bytes]:
    """The contents of blobs; those the repository lacks are left out."""
    if not ids:
        return {}
    raw = run_git(folder, ["cat-file", "--batch"], stdin="\n".join([*ids, ""]).encode())
    return dict(_contents(raw))


def _contents(raw: bytes) -> Iterator[tuple[str, bytes]]:
    place = 0
    while place < len(raw):
        end = raw.index(b"\n", place)
        blob_id, *said = raw[place:end].decode().split(" ")
        place = end + 1
        if len(said) == 2:  # else `missing`
            size_bytes = int(said[1])
            yield blob_id, raw[place : place + size_bytes]
            place += size_bytes + 1


def blob_sizes(folder: Path, ids: Iterable[str]) -> dict[str, int]:
    """The sizes of blobs; those the repository lacks are left out."""
    asked = "\n".join([*ids, ""]).encode()
    if asked == b"":
        return {}
    check = ["cat-file", "--batch-check=%(objectname) %(objectsize)"]
    lines = run_git(folder, check, stdin=asked).decode().splitlines()
    pairs = (line.split(" ") for line in lines)
    return {blob_id: int(size) for blob_id, size in pairs if size.isdigit()}


class BlobReader:
    """One git process that hands out blobs one by one, until it is closed."""

    def __init__(self, folder: Path) -> None:
        self._process: Popen[bytes] | None = open_git(folder, ["cat-file", "--batch"])

    def __enter__(self) -> "BlobReader":
        """Use as a context manager to be sure that the process ends."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        self.close()

    def read(self, blob_id: str) -> bytes | None:
        """A blob's content; None if the repository lacks it or git has died."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.write(f"{blob_id}\n".encode())
            process.stdin.flush()
            said = process.stdout.readline().decode().split(" ")
            if len(said) != 3:
                return None
            size_bytes = int(said[2])
            content = process.stdout.read(size_bytes + 1)
        except (OSError, ValueError):
            return None
        return content[:-1] if len(content) == size_bytes + 1 else None

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        try:
            process.wait(_CLOSE_TIMEOUT_S)
        except TimeoutExpired:
            process.kill()
            process.wait()
