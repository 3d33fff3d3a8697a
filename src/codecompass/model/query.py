"""What a caller asks for, as plain values."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import translate
from functools import lru_cache

from codecompass.model.symbol import PlacedSymbol, Symbol


class DetailLevel(StrEnum):
    """How much of each result is shown."""

    LOCATION = "location"
    SIGNATURE = "signature"
    CONTEXT = "context"


class ExplainLevel(StrEnum):
    """How much of the ranking is told."""

    OFF = "off"
    BASIC = "basic"  # the factors of each result
    FULL = "full"  # and the terms with their shares


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """How much of each result is shown."""

    detail_level: DetailLevel = DetailLevel.SIGNATURE
    compact: bool = False  # identity, place and score only
    explain: ExplainLevel = ExplainLevel.OFF


class OutlineDepth(StrEnum):
    """Which symbols of a file an outline shows."""

    TOP = "top"
    ALL = "all"


class DiffScope(StrEnum):
    """What a difference between two states is told by."""

    SYMBOLS = "symbols"
    FILES = "files"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """How much of a difference is told."""

    scope: DiffScope = DiffScope.SYMBOLS
    detail_level: DetailLevel = DetailLevel.SIGNATURE
    path_prefix: str = ""
    limit: int | None = None  # of symbols; None: as the settings say
    include_callers: bool = False  # who calls what changed
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """How far connections are followed, and how many are told."""

    roles: tuple[str, ...] = ()  # of uses; none: all of them
    direction: str = "callers"  # callers, callees or both
    depth: int = 1
    limit: int = 50
    cursor: str = ""
    with_context: bool = False  # the text of each line


class Strategy(StrEnum):
    """How a budget is spent."""

    BREADTH = "breadth"  # many places, less of each
    DEPTH = "depth"  # few places, as much of each as fits


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """How much code in its context is shown."""

    max_tokens: int | None = None  # None: as the settings say
    strategy: Strategy = Strategy.BREADTH
    detail_level: DetailLevel = DetailLevel.CONTEXT


@dataclass(frozen=True, slots=True)
class SymbolFilters:
    """Conditions on a symbol and its path; empty ones let everything through."""

    kind: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    path_prefix: str = ""
    path_contains: tuple[str, ...] = ()  # all of them
    path_not_contains: tuple[str, ...] = ()  # none of them
    path_glob: str = ""
    paths: tuple[str, ...] = ()
    extension: tuple[str, ...] = ()  # with or without the dot
    is_exported: bool | None = None
    decorator_contains: str = ""
    has_doc: bool | None = None

    def admit(self, placed: PlacedSymbol) -> bool:
        """Whether a symbol and its file meet every condition."""
        return self.admit_symbol(placed.symbol) and self.admit_file(placed.path, placed.language)

    def admit_symbol(self, symbol: Symbol) -> bool:
        """Whether a symbol meets the conditions on symbols."""
        if self.kind and symbol.kind not in self.kind:
            return False
        if self.is_exported is not None and symbol.is_exported is not self.is_exported:
            return False
        if self.has_doc is not None and bool(symbol.doc) is not self.has_doc:
            return False
        return any(self.decorator_contains in text for text in symbol.decorators or ("",))

    def admit_file(self, path: str, language: str) -> bool:
        """Whether a file meets the conditions on files."""
        if self.language and language not in self.language:
            return False
        if self.extension and not path.endswith(
            tuple(f".{suffix.removeprefix('.')}" for suffix in self.extension)
        ):
            return False
        return self._admit_path(path)

    @property
    def restricts_files(self) -> bool:
        """Whether there are conditions on files."""
        by_path = (self.path_prefix, self.path_contains, self.path_not_contains, self.path_glob)
        return any((*by_path, self.paths, self.language, self.extension))

    @property
    def restricts_symbols(self) -> bool:
        """Whether there are conditions on symbols."""
        is_asked = self.is_exported is not None or self.has_doc is not None
        return bool(self.kind or self.decorator_contains) or is_asked

    def _admit_path(self, path: str) -> bool:
        if not path.startswith(self.path_prefix.removeprefix("./")):
            return False
        if self.paths and path not in self.paths:
            return False
        if self.path_glob and not _glob(self.path_glob).fullmatch(path):
            return False
        if any(part in path for part in self.path_not_contains):
            return False
        return all(part in path for part in self.path_contains)


@lru_cache(maxsize=64)
def _glob(pattern: str) -> re.Pattern[str]:
    """A pattern for paths: `*` goes across folders, and `**/` may stand for none."""
    parts = pattern.removeprefix("./").split("**/")
    inner = [re.sub(r"^\(\?s:|\)\\[zZ]$", "", translate(part)) for part in parts]
    return re.compile("(?s:" + "(?:.*/)?".join(inner) + ")")


@dataclass(frozen=True, slots=True)
class SymbolPath:
    """A symbol by name, what it belongs to, and the file it stands in, as far as given."""

    name: str
    scope: tuple[str, ...] = ()  # innermost last
    path: str = ""
