"""A piece of one file that is indexed and returned as a whole."""

from dataclasses import dataclass

from codecompass.model.reference import Import
from codecompass.model.source import Span
from codecompass.model.symbol import SymbolKind


@dataclass(frozen=True, slots=True)
class Chunk:
    """One symbol or root statement with its body-bearing children collapsed.

    `text` is what is searched and embedded; `full_source` is the exact text of the span.
    """

    id: str
    parent_id: str | None
    child_ids: tuple[str, ...]
    ordinal: int
    kind: SymbolKind
    name: str
    breadcrumb: str
    depth: int
    span: Span
    signature: str
    doc: str
    full_source: str
    text: str
    definitions: str
    relevant_imports: tuple[Import, ...]
    has_collapsed_children: bool
