"""Hits in, results as short as they can be out; secrets are masked here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from codecompass.model.answer import SearchResult
from codecompass.model.query import DetailLevel
from codecompass.model.search import Hit
from codecompass.model.symbol import PlacedSymbol, Symbol
from codecompass.present.detail import symbol_result
from codecompass.present.preview import make_preview
from codecompass.text.secrets import mask_secrets

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
        (symbol.span.start_line, symbol.span.end_line) if symbol else (1, source.line_count)
    )
    placed = PlacedSymbol(hit.path, source.language, symbol) if symbol else None
    factors = {f.name: round(f.amount, 3) for f in hit.factors} if with_factors else None
    place = SearchResult(
        path=hit.path,
        start_line=start,
        end_line=end,
        kind=str(symbol.kind) if symbol else "file",
        name=symbol.name if symbol else hit.path.rpartition("/")[2],
        score=round(hit.score, 3),
        handle=placed.handle if placed else hit.path,
        qualified_name=symbol.qualified_name if symbol and symbol.scope else None,
        match_lines=hit.match_lines or None,
        factors=factors,
    )
    if level is DetailLevel.LOCATION:
        return place
    lines = source.text.split("\n", end)[start - 1 : end] if source.text else []
    preview = make_preview(
        lines,
        start,
        signature=symbol.signature if symbol else "",
        shares=shares,
        known_matches=hit.match_lines,
    )
    deep = None
    if level is DetailLevel.CONTEXT and placed:
        texts = {hit.path: source.text}
        deep = symbol_result(placed, level, texts)
    return replace(
        place,
        language=source.language,
        definitions=_definitions(source),
        preview=preview.text,
        match_lines=preview.match_lines or None,
        doc=deep.doc if deep else None,
        parent=deep.parent if deep else None,
        body_preview=deep.body_preview if deep else None,
    )


def _definitions(source: HitSource) -> str | None:
    """The definitions inside, by kind and name, as many as fit."""
    shown = ""
    for item in source.members:
        longer = f"{shown}, {item}" if shown else item
        if len(longer) > _DEFINITIONS_CHARS:
            return mask_secrets(f"{shown}, …" if shown else item[:_DEFINITIONS_CHARS])
        shown = longer
    return mask_secrets(shown) or None
