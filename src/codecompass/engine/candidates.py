"""Hits with their records, for answers that show more than places."""

from collections.abc import Sequence
from dataclasses import dataclass

from codecompass.engine.views import View
from codecompass.model.search import Hit
from codecompass.model.symbol import PlacedSymbol, Symbol
from codecompass.search.search import Found


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit and what it is."""

    hit: Hit
    symbol: Symbol | None  # None: the whole file
    language: str
    line_count: int  # of the file

    @property
    def placed(self) -> PlacedSymbol | None:
        """The definition at its place; None for a file and for what is no definition."""
        if self.symbol is None or self.symbol.is_statement:
            return None
        return PlacedSymbol(self.hit.path, self.language, self.symbol)


def candidates(view: View, found: Found, hits: Sequence[Hit]) -> list[Candidate]:
    """The hits with their records."""
    reader = view.reader
    missing = [hit.place for hit in hits if hit.place not in found.records]
    records = {**found.records, **reader.records_at(missing)}
    made = []
    for hit in hits:
        info = reader.version(hit.place.version_id)
        made.append(Candidate(hit, records.get(hit.place), info.language, info.line_count))
    return made
