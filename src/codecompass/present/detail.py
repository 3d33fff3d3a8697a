"""Symbols in, results at the asked level of detail out; secrets are masked here."""

from collections.abc import Mapping

from codecompass.model.answer import SymbolResult
from codecompass.model.query import DetailLevel
from codecompass.model.symbol import PlacedSymbol
from codecompass.text.masks import show_masks

_PREVIEW_LINES = 12


def symbol_result(
    placed: PlacedSymbol, level: DetailLevel, texts: Mapping[str, str | None] | None = None
) -> SymbolResult:
    """One result; `texts` maps paths to file texts for the `context` level's preview."""
    symbol = placed.symbol
    place = SymbolResult(
        path=placed.path,
        start_line=symbol.span.start_line,
        end_line=symbol.span.end_line,
        kind=str(symbol.kind),
        name=symbol.name,
        handle=placed.handle,
    )
    if level is DetailLevel.LOCATION:
        return place
    is_deep = level is DetailLevel.CONTEXT
    return SymbolResult(
        path=place.path,
        start_line=place.start_line,
        end_line=place.end_line,
        kind=place.kind,
        name=place.name,
        handle=place.handle,
        qualified_name=symbol.qualified_name,
        language=placed.language,
        signature=show_masks(symbol.signature),
        is_exported=symbol.is_exported,
        depth=symbol.depth,
        doc=show_masks(symbol.doc) if is_deep and symbol.doc else None,
        decorators=tuple(map(show_masks, symbol.decorators)) or None if is_deep else None,
        parent=" > ".join(symbol.scope) if is_deep and symbol.scope else None,
        body_preview=_preview(placed, texts or {}) if is_deep else None,
    )


def _preview(placed: PlacedSymbol, texts: Mapping[str, str | None]) -> str | None:
    text = texts.get(placed.path)
    if text is None:
        return None
    span = placed.symbol.span
    lines = text.split("\n")[span.start_line - 1 : span.end_line]
    shown = "\n".join(lines[:_PREVIEW_LINES])
    rest = len(lines) - _PREVIEW_LINES
    return show_masks(f"{shown}\n… {rest} more lines" if rest > 0 else shown)
