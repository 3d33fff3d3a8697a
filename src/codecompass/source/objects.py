"""Names and ids of git objects in, what they are and hold out.

No checkout, no content filter, no text conversion: the bytes that were committed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from typing import IO, NamedTuple, TypeVar

from codecompass.errors import GitFailed
from codecompass.source.git import open_git, run_git

_CLOSE_TIMEOUT_S = 5.0
_FOUND_FORMAT = "%(objectname) %(objecttype)"
_KINDS = frozenset({"commit", "tree", "blob", "tag"})
# What waits in the pipes meanwhile must fit into them; answers repeat what was not found.
_BYTES_AT_ONCE = 2_000
_T = TypeVar("_T")


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


class Found(NamedTuple):
    """An object that git found by a name."""

    id: str
    kind: str  # commit, tree, blob, tag


class GitObjects:
    """Asks git about names and contents, by processes that live until this is closed.

    Starting git costs some milliseconds, a question to a running one some microseconds.
    Git reads refs anew for each question.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._finder = _Process(folder, [f"--batch-check={_FOUND_FORMAT}"])
        self._reader = _Process(folder, ["--batch"])

    def find(self, names: Sequence[str]) -> list[Found | None]:
        """What each name means now; None for names that mean nothing, or several things."""
        for _ in range(2):
            found = self._finder.ask(lambda streams: _find(streams, names))
            if found is not None:
                return found
            self._finder.close()
        raise GitFailed(f"git cat-file in {self.folder} does not answer")

    def read(self, blob_id: str) -> bytes | None:
        """A blob's content; None if the repository lacks it."""
        for _ in range(2):
            content = self._reader.ask(lambda streams: _read(streams, blob_id))
            if content is not None:
                return content
            self._reader.close()  # it may have died, or know an older state
        return None

    def close(self) -> None:
        """End the processes; the next question starts new ones."""
        self._finder.close()
        self._reader.close()


class _Streams(NamedTuple):
    """Where a process listens and where it answers."""

    ask: IO[bytes]
    answer: IO[bytes]


class _Process:
    """One `git cat-file`, started when it is first needed."""

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self._folder = folder
        self._arguments = arguments
        self._process: Popen[bytes] | None = None

    def ask(self, question: Callable[[_Streams], _T]) -> _T | None:
        """The answer to a question; None if the process has died over it."""
        if self._process is None:
            self._process = open_git(self._folder, ["cat-file", *self._arguments])
        process = self._process
        assert process.stdin is not None  # noqa: S101  # opened as pipes
        assert process.stdout is not None  # noqa: S101
        try:
            return question(_Streams(process.stdin, process.stdout))
        except (OSError, ValueError):
            self.close()
            return None
        except BaseException:
            self.close()  # half an answer in the pipe would be taken for the next one's
            raise

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):  # it has died with a question in the pipe
                    stream.close()
        try:
            process.wait(_CLOSE_TIMEOUT_S)
        except TimeoutExpired:
            process.kill()
            process.wait()


def _find(streams: _Streams, names: Sequence[str]) -> list[Found | None]:
    """Ask for some names at once: each exchange with another process costs a tenth of a ms."""
    found: list[Found | None] = []
    waiting = size_bytes = 0
    for name in names:
        # A name with a line end in it is none that git could be asked for.
        line = name.replace("\n", "\0").encode("utf-8", "surrogateescape") + b"\n"
        if waiting and size_bytes + len(line) > _BYTES_AT_ONCE:
            streams.ask.flush()
            found += [_found(streams.answer.readline()) for _ in range(waiting)]
            waiting = size_bytes = 0
        streams.ask.write(line)
        waiting += 1
        size_bytes += len(line)
    streams.ask.flush()
    return found + [_found(streams.answer.readline()) for _ in range(waiting)]


def _found(line: bytes) -> Found | None:
    if not line:
        raise BrokenPipeError
    said = line.decode("utf-8", "replace").split()
    return Found(*said) if len(said) == 2 and said[1] in _KINDS else None


def _read(streams: _Streams, blob_id: str) -> bytes | None:
    streams.ask.write(f"{blob_id}\n".encode())
    streams.ask.flush()
    said = streams.answer.readline().split()
    if len(said) != 3:
        return None
    if said[0] != blob_id.encode():
        raise BrokenPipeError
    size_bytes = int(said[2])
    content = streams.answer.read(size_bytes + 1)
    return content[:-1] if len(content) == size_bytes + 1 else None
