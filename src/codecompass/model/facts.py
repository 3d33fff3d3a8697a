"""Everything that extraction says of one file's content; knows neither path nor ref."""

from dataclasses import dataclass

from codecompass.model.module import ModuleFacts
from codecompass.model.reference import Import, Reference
from codecompass.model.symbol import Symbol


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The records of one content in one language: same bytes, same facts, always."""

    language: str
    line_count: int
    has_errors: bool
    symbols: tuple[Symbol, ...]  # definitions and root statements, in source order
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    module: ModuleFacts | None = None  # what names mean in it, where the language is known well
    is_windowed: bool = False  # no grammar: the statements are plain line windows
