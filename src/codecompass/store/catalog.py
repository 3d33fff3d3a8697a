"""The files of one snapshot in memory: paths, versions, languages, and the words of paths.

Built once for each published state and kept while it lasts. Paths are no part of a
content, so the text index does not know them; there are few of them and they are short.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from codecompass.model.query import SymbolFilters
from codecompass.model.snapshot import VersionId
from codecompass.store.analyzers import Analyzer
from codecompass.text.identifiers import split_name

# Made of the paths alone, when they are needed.
_OF_PATHS = frozenset({"by_name", "usual_depth", "words"})
# What a file is called that stands for its folder.
_FOLDER_FILES = frozenset({"__init__", "index", "init", "mod"})
# Shorter words begin too many others.
_MIN_PREFIX_CHARS = 4
_KEY_CHARS = 3


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """An indexed file of a snapshot."""

    path: str
    version_id: VersionId
    language: str


class PathWords:
    """Which paths hold a word, in the name of the file or in those of its folders.

    A file that stands for its folder (`routes/index.js`) is called like that too.
    """

    def __init__(self, paths: Sequence[str], analyzer: Analyzer) -> None:
        self.stems: list[tuple[str, ...]] = []
        self.folders: list[tuple[str, ...]] = []
        self._with_stem: dict[str, list[int]] = defaultdict(list)
        self._with_folder: dict[str, list[int]] = defaultdict(list)
        self._called: dict[str, list[int]] = defaultdict(list)
        known: dict[str, tuple[str, ...]] = {"": ()}
        for index, path in enumerate(paths):
            folder, _, name = path.rpartition("/")
            folder_terms = known.get(folder)
            if folder_terms is None:
                folder_terms = _folder_terms(folder, known, analyzer)
            own = name.lstrip(".").partition(".")[0] or name
            words = split_name(own)
            self._called["".join(words)].append(index)
            if own in _FOLDER_FILES:
                words = split_name(folder.rpartition("/")[2]) + words
            stem = tuple(map(analyzer.stem, words))
            self.stems.append(stem)
            self.folders.append(folder_terms)
            for term in set(stem):
                self._with_stem[term].append(index)
            for term in set(folder_terms):
                self._with_folder[term].append(index)
        self._by_key: dict[str, list[str]] = defaultdict(list)
        for term in {*self._with_stem, *self._with_folder}:
            self._by_key[term[:_KEY_CHARS]].append(term)

    def with_stem(self, term: str) -> Sequence[int]:
        """Files that have the word in their own name."""
        return self._with_stem.get(term, ())

    def with_folder(self, term: str) -> Sequence[int]:
        """Files that have the word in the name of a folder."""
        return self._with_folder.get(term, ())

    def called(self, whole: str) -> Sequence[int]:
        """Files whose own name, without suffix, is this; its words joined, in lower case."""
        return self._called.get(whole, ())

    def relatives(self, term: str) -> Iterator[tuple[str, float]]:
        """Words of paths that begin the term or begin with it, and how much they share."""
        for other in sorted(self._by_key.get(term[:_KEY_CHARS], ())):
            short, long = sorted((term, other), key=len)
            if other == term or not long.startswith(short):
                continue
            if len(short) >= _MIN_PREFIX_CHARS:
                yield other, len(short) / len(long)
            elif len(other) == len(short) == _KEY_CHARS:  # `req` for request
                yield other, len(short) / len(long) / 2


def _folder_terms(
    folder: str, known: dict[str, tuple[str, ...]], analyzer: Analyzer
) -> tuple[str, ...]:
    """The terms of a folder's path: those of the nearest known one above, and the rest's."""
    above = folder
    while above not in known:
        above = above.rpartition("/")[0]
    rest = split_name(folder.removeprefix(above))
    known[folder] = known[above] + tuple(map(analyzer.stem, rest))
    return known[folder]


class Catalog:
    """All indexed files of a snapshot, by path."""

    def __init__(
        self, files: Iterable[CatalogFile], analyzer: Analyzer, near: "Catalog | None" = None
    ) -> None:
        """`near` is of another state; what depends on paths alone is taken over if it can be."""
        self.files = sorted(files, key=attrgetter("path"))
        self._analyzer = analyzer
        by_version: dict[VersionId, list[int]] = defaultdict(list)
        for index, file in enumerate(self.files):
            by_version[file.version_id].append(index)
        self.by_version: Mapping[VersionId, Sequence[int]] = dict(by_version)
        self.paths = [file.path for file in self.files]
        self.versions = [file.version_id for file in self.files]
        if near is not None and near.paths == self.paths:
            for name in _OF_PATHS & vars(near).keys():
                vars(self)[name] = vars(near)[name]

    def updated(self, changed: Iterable[CatalogFile]) -> "Catalog":
        """The same paths, some of them with other contents of the same language."""
        found = copy(self)  # with all that was made of the paths
        vars(found).pop("by_path", None)
        found.files, found.versions = list(self.files), list(self.versions)
        by_version = dict(self.by_version)
        for file in changed:
            index = bisect_left(self.paths, file.path)
            old = found.versions[index]
            found.files[index], found.versions[index] = file, file.version_id
            left = [other for other in by_version.pop(old) if other != index]
            if left:
                by_version[old] = left
            by_version[file.version_id] = sorted([*by_version.get(file.version_id, ()), index])
        found.by_version = by_version
        return found

    @cached_property
    def by_path(self) -> Mapping[str, CatalogFile]:
        """The files by their paths."""
        return {file.path: file for file in self.files}

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[int]]:
        """The files by the last part of their paths."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, path in enumerate(self.paths):
            found[path.rpartition("/")[2]].append(index)
        return found

    @cached_property
    def usual_depth(self) -> int:
        """How many folders half of the files lie under."""
        depths = sorted(path.count("/") for path in self.paths)
        return depths[len(depths) // 2] if depths else 0

    @cached_property
    def words(self) -> PathWords:
        """The words of the paths."""
        return PathWords(self.paths, self._analyzer)

    def admitted(self, filters: SymbolFilters) -> list[int] | None:
        """The files that meet the conditions on files; None if there are no conditions."""
        if not filters.restricts_files:
            return None
        return [
            index
            for index, file in enumerate(self.files)
            if filters.admit_file(file.path, file.language)
        ]
