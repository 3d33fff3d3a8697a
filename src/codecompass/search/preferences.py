"""A path in, what it does to a score out: tests, copies, documents and data stand back."""

import re
from collections.abc import Mapping

from codecompass.text.identifiers import split_name


class PathPreferences:
    """The table of the settings, prepared for many paths.

    An entry without `*` and `.` is a folder, compared as a whole segment; any other is
    a pattern for the file's own name.
    """

    def __init__(self, table: Mapping[str, float], asked_words: frozenset[str]) -> None:
        wanted = {
            entry: factor
            for entry, factor in table.items()
            if not _words(entry) & asked_words  # the question asks for such files
        }
        self._folders = {e: f for e, f in wanted.items() if "*" not in e and "." not in e}
        by_factor: dict[float, list[str]] = {}
        for entry, factor in wanted.items():
            if entry not in self._folders:
                by_factor.setdefault(factor, []).append(_expression(entry))
        self._patterns = [
            (factor, re.compile("|".join(expressions)))
            for factor, expressions in sorted(by_factor.items())
        ]

    def factor(self, path: str) -> float:
        """The strongest of all preferences that apply; 1 if none does."""
        *folders, name = path.split("/")
        factors = [self._folders[folder] for folder in folders if folder in self._folders]
        factors += [factor for factor, pattern in self._patterns if pattern.fullmatch(name)][:1]
        lowest = min(factors, default=1.0)
        return lowest if lowest < 1 else max(factors, default=1.0)


def _words(entry: str) -> set[str]:
    words = split_name(entry)
    return {*words, *(word.rstrip("s") for word in words)}


def _expression(entry: str) -> str:
    return "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", entry))
