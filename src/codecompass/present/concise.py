"""Hits in, results as short as they can be out; secrets are masked here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codecompass.model.answer import SearchResult
from codecompass.model.query import DetailLevel
from codecompass.model.search import Hit
from codecompass.model.symbol import PlacedSymbol, Symbol
from codecompass.present.detail import symbol_result
from codecompass.present.preview import Preview, make_preview
from codecompass.text.masks import show_masks

_DEFINITIONS_CHARS = 80


@dataclass(frozen=True, slots=True)
class HitSource:
    """A hit with what is needed to show it."""

    hit: Hit
    language: str
    line_count: int
    symbol: Symbol | None  # None: the whole file
    members: Sequence[str]  # definitions inside, by kind and name
    text: str | None  # of the file; None if it has changed since


def concise_result(
    source: HitSource,
    level: DetailLevel,
    *,
    shares: Mapping[str, float],
    with_factors: bool,
) -> SearchResult:
    """One result at the asked level of detail."""
    hit, symbol = source.hit, source.symbol
    start, end = (
        (symbol.span.start_line, symbol.span.end_line)
        if symbol
        else (1, max(1, source.line_count))
    )
    placed = PlacedSymbol(hit.path, source.language, symbol) if symbol else None
    factors = {f.name: round(f.amount, 3) for f in hit.factors} if with_factors else None
    is_short = level is DetailLevel.LOCATION
    preview = None if is_short else _preview(source, start, end, shares)
    deep = None
    if level is DetailLevel.CONTEXT and placed:
        deep = symbol_result(placed, level, {hit.path: source.text})
    return SearchResult(
        path=hit.path,
        start_line=start,
        end_line=end,
        kind=str(symbol.kind) if symbol else "file",
        name=symbol.name if symbol else hit.path.rpartition("/")[2],
        score=round(hit.score, 3),
        handle=placed.handle if placed else hit.path,
        qualified_name=symbol.qualified_name if symbol and symbol.scope else None,
        match_lines=(preview.match_lines if preview else hit.match_lines) or None,
        factors=factors,
        language=None if is_short else source.language,
        definitions=None if is_short else _definitions(source),
        preview=preview.text if preview else None,
        doc=deep.doc if deep else None,
        parent=deep.parent if deep else None,
        body_preview=deep.body_preview if deep else None,
    )


def _preview(source: HitSource, start: int, end: int, shares: Mapping[str, float]) -> Preview:
    """The lines of a result that show why it matched."""
    return make_preview(
        _lines_of(source, start, end),
        start,
        signature=source.symbol.signature if source.symbol else "",
        shares=shares,
        known_matches=source.hit.match_lines,
    )


def _lines_of(source: HitSource, start: int, end: int) -> list[str]:
    """The lines of a place; found by its bytes where these are letters, not by counting."""
    text, symbol = source.text or "", source.symbol
    if symbol is None or not text.isascii():
        return text.split("\n", end)[start - 1 : end]
    first = text.rfind("\n", 0, symbol.span.start_byte) + 1
    last = text.find("\n", max(first, symbol.span.end_byte - 1))
    return text[first : last if last >= 0 else None].split("\n")


def _definitions(source: HitSource) -> str | None:
    """The definitions inside, by kind and name, as many as fit."""
    shown = ""
    for item in source.members:
        longer = f"{shown}, {item}" if shown else item
        if len(longer) > _DEFINITIONS_CHARS:
            return show_masks(f"{shown}, …" if shown else item[:_DEFINITIONS_CHARS])
        shown = longer
    return show_masks(shown) or None
