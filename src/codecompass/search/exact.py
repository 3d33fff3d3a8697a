"""A pattern in, the lines that match and the records around them out.

Which files can match is decided by their three-byte pieces; then their text is read
and searched, so no line is missed and none is made up.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codecompass.model.search import Place
from codecompass.model.snapshot import VersionId
from codecompass.search.line_pattern import LinePattern
from codecompass.store.reader import DefinitionLines, SnapshotReader

TextOf = Callable[[str], str | None]
"""A path's text; None if the file is no longer what was indexed."""


@dataclass(frozen=True, slots=True)
class LineMatches:
    """The lines of one file that match."""

    index: int  # of the file in the catalog
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LineSearch:
    """What a search through lines found, and how far it went."""

    matches: tuple[LineMatches, ...]
    is_complete: bool  # False: enough was found before all candidates were read
    unreadable: tuple[str, ...] = ()  # candidates that could not be read


def find_lines(
    reader: SnapshotReader,
    pattern: LinePattern,
    *,
    versions: Iterable[VersionId],
    files_of: Mapping[VersionId, Sequence[int]],
    text_of: TextOf,
    limits: "LineLimits",
) -> LineSearch:
    """Search the admitted files of some contents by path, those that are preferred first."""
    candidates = (index for version in versions for index in files_of.get(version, ()))
    paths = reader.catalog.paths
    indexes = sorted(candidates, key=lambda index: (-limits.preference(paths[index]), index))
    deadline_s = time.monotonic() + limits.time_s
    found: list[LineMatches] = []
    unreadable: list[str] = []
    count = read = 0
    for index in indexes:
        if (limits.lines and count >= limits.lines) or (limits.files and read >= limits.files):
            return LineSearch(tuple(found), is_complete=False, unreadable=tuple(unreadable))
        path = paths[index]
        text = text_of(path)
        read += 1
        if text is None:
            unreadable.append(path)
            continue
        lines = pattern.matching_lines(text, deadline_s=deadline_s)
        if lines:
            found.append(LineMatches(index, tuple(lines)))
            count += len(lines)
    return LineSearch(tuple(found), is_complete=True, unreadable=tuple(unreadable))


def _equal(path: str) -> float:  # noqa: ARG001  # the signature of a preference
    return 1.0


@dataclass(frozen=True, slots=True)
class LineLimits:
    """When a search through lines ends."""

    time_s: float
    lines: int = 0  # 0: only at the end
    files: int = 0  # that are read; 0: all
    preference: Callable[[str], float] = _equal


class PlaceLines(NamedTuple):
    """A place, the lines in it that match, and its name; a whole file has none."""

    place: Place
    lines: tuple[int, ...]
    name: str


def places_of_lines(
    reader: SnapshotReader,
    version_id: VersionId,
    lines: Sequence[int],
    admitted: frozenset[int] | None = None,
) -> list[PlaceLines]:
    """The innermost definition around each line; lines outside of all belong to the file.

    `lines` are in order; of definitions only those in `admitted` count, if it is given.
    """
    definitions = [
        item
        for item in reader.definition_lines(version_id)
        if admitted is None or item.ordinal in admitted
    ]
    found: dict[tuple[int | None, str], list[int]] = defaultdict(list)
    around: list[DefinitionLines] = []  # that have begun and may not be over, innermost last
    behind = 0
    for line in lines:
        while behind < len(definitions) and definitions[behind].start_line <= line:
            _close(around, definitions[behind].start_line)
            around.append(definitions[behind])
            behind += 1
        _close(around, line)
        inner = around[-1] if around else None
        found[(inner.ordinal, inner.name) if inner else (None, "")].append(line)
    return [
        PlaceLines(Place(version_id, ordinal), tuple(numbers), name)
        for (ordinal, name), numbers in found.items()
    ]


def _close(around: list[DefinitionLines], line: int) -> None:
    """Let go of the definitions that end before a line."""
    while around and around[-1].end_line < line:
        around.pop()
