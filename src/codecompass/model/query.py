"""What a caller asks for, as plain values."""

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from codecompass.model.symbol import PlacedSymbol


class DetailLevel(StrEnum):
    """How much of each result is shown."""

    LOCATION = "location"
    SIGNATURE = "signature"
    CONTEXT = "context"


class OutlineDepth(StrEnum):
    """Which symbols of a file an outline shows."""

    TOP = "top"
    ALL = "all"


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

    def admit(self, placed: PlacedSymbol) -> bool:
        """Whether a symbol meets every condition."""
        if self.kind and placed.symbol.kind not in self.kind:
            return False
        if self.language and placed.language not in self.language:
            return False
        return self._admit_path(placed.path)

    def _admit_path(self, path: str) -> bool:
        if not path.startswith(self.path_prefix.removeprefix("./")):
            return False
        if self.paths and path not in self.paths:
            return False
        if self.path_glob and not fnmatchcase(path, self.path_glob):
            return False
        if any(part in path for part in self.path_not_contains):
            return False
        return all(part in path for part in self.path_contains)


@dataclass(frozen=True, slots=True)
class SymbolPath:
    """A symbol by name, what it belongs to, and the file it stands in, as far as given."""

    name: str
    scope: tuple[str, ...] = ()  # innermost last
    path: str = ""
