"""A path in, what it does to a score out: tests, copies, documents and data stand back."""

import re
from collections.abc import Mapping
from functools import lru_cache

from codecompass.text.identifiers import split_name


def preferences_for(table: Mapping[str, float], asked_words: frozenset[str]) -> "PathPreferences":
    """The table of the settings without the entries for what the question asks for."""
    return _prepared(tuple((e, f) for e, f in table.items() if not _words(e) & asked_words))


class PathPreferences:
    """A table of preferences, prepared for many paths; remembers those it has seen.

    An entry without `*` and `.` is a folder, compared as a whole segment; any other is
    a pattern for the file's own name.
    """

    def __init__(self, entries: tuple[tuple[str, float], ...]) -> None:
        self._folders = {e: f for e, f in entries if "*" not in e and "." not in e}
        by_factor: dict[float, list[str]] = {}
        for entry, factor in entries:
            if entry not in self._folders:
                by_factor.setdefault(factor, []).append(_expression(entry))
        self._patterns = [
            (factor, re.compile("|".join(expressions)))
            for factor, expressions in sorted(by_factor.items())
        ]
        self._known: dict[str, float] = {}

    def factor(self, path: str) -> float:
        """The strongest of all preferences that apply; 1 if none does."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._factor(path)
        return known

    def _factor(self, path: str) -> float:
        *folders, name = path.split("/")
        factors = [self._folders[folder] for folder in folders if folder in self._folders]
        factors += [factor for factor, pattern in self._patterns if pattern.fullmatch(name)]
        lowest = min(factors, default=1.0)
        return lowest if lowest < 1 else max(factors, default=1.0)


@lru_cache(maxsize=32)
def _prepared(entries: tuple[tuple[str, float], ...]) -> PathPreferences:
    return PathPreferences(entries)


@lru_cache(maxsize=1_024)
def _words(entry: str) -> frozenset[str]:
    words = split_name(entry)
    return frozenset({*words, *(word.rstrip("s") for word in words)})


def _expression(entry: str) -> str:
    return "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", entry))
