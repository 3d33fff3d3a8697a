"""Words in, lines of the working tree that have them out: git looks, no index is needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codecompass.source.git import try_git

_LINES_OF_A_FILE = 3
_MAX_CHARS = 160


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A line."""

    path: str
    line: int
    text: str


def grep_words(root: Path, words: Sequence[str], limit: int) -> list[TextMatch]:
    """The best line of each of the files that have the most of the words."""
    if not words:
        return []
    options = ["--no-index", "--exclude-standard", "--no-textconv", "-z", "-n", "-I", "-i", "-F"]
    asked = [part for word in words for part in ("-e", word)]
    printed = try_git(root, ["grep", *options, f"--max-count={_LINES_OF_A_FILE}", *asked])
    files: dict[str, list[TextMatch]] = {}
    for row in (printed or "").split("\n"):
        path, _, rest = row.partition("\0")
        number, _, text = rest.partition("\0")
        if number.isdigit():
            match = TextMatch(path, int(number), text.strip()[:_MAX_CHARS])
            files.setdefault(path, []).append(match)
    lowered = [word.lower() for word in words]

    def lacking(path: str) -> tuple[int, str]:
        told = " ".join([path, *(match.text for match in files[path])]).lower()
        return sum(word not in told for word in lowered), path

    def count(match: TextMatch) -> int:
        return sum(word in match.text.lower() for word in lowered)

    ranked = sorted(files, key=lacking)[:limit]
    return [max(files[path], key=count) for path in ranked]
