"""What became of a symbol or a file between two states of the code."""

from dataclasses import dataclass
from enum import StrEnum

from codecompass.model.symbol import PlacedSymbol, Symbol


class ChangeKind(StrEnum):
    """What became of something."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    MOVED = "moved"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class FileSide:
    """One state of a file; the text is None where it could not be read."""

    path: str
    language: str
    text: bytes | None
    symbols: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class FileChange:
    """What became of a file; `before` is another path where it was renamed."""

    kind: ChangeKind
    path: str
    before: str | None = None
    unread: str | None = None  # why its symbols cannot be told: one side is not indexed


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """What became of a symbol, and which of its parts are other than before."""

    kind: ChangeKind
    before: PlacedSymbol | None
    after: PlacedSymbol | None
    parts: tuple[str, ...] = ()  # of: kind, signature, modifiers, decorators, doc, body, members
    is_inner: bool = False  # came or went with the symbol around it
    around: int = -1  # where that symbol starts, or this one if nothing is around it
    members: int = 0  # how many came or went inside it

    @property
    def shown(self) -> PlacedSymbol:
        """The symbol as it is now, or was last."""
        found = self.after or self.before
        assert found is not None  # noqa: S101  # one of them always is
        return found
