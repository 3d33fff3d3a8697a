"""Changes in, results at the asked level of detail out; secrets are masked here."""

from collections.abc import Sequence
from difflib import unified_diff
from itertools import islice

from codecompass.model.answer import ChangeResult
from codecompass.model.change import ChangeKind, SymbolChange
from codecompass.model.query import DetailLevel
from codecompass.model.symbol import PlacedSymbol
from codecompass.text.masks import show_masks

_DIFF_CONTEXT = 2


def change_result(
    change: SymbolChange, level: DetailLevel, *, diff: str | None = None
) -> ChangeResult:
    """One result; `diff` is that of the text, where it is asked for."""
    shown, symbol = change.shown, change.shown.symbol
    before = change.before
    is_short = level is DetailLevel.LOCATION
    is_elsewhere = change.kind in {ChangeKind.MOVED, ChangeKind.RENAMED}
    old = before.symbol if before and change.after else None
    return ChangeResult(
        change=str(change.kind),
        path=shown.path,
        start_line=symbol.span.start_line,
        end_line=symbol.span.end_line,
        kind=str(symbol.kind),
        name=symbol.name,
        handle=shown.handle,
        qualified_name=symbol.qualified_name if symbol.scope else None,
        parts=change.parts or None,
        signature=None if is_short else show_masks(symbol.signature),
        before_signature=show_masks(old.signature)
        if old and not is_short and old.signature != symbol.signature
        else None,
        before_path=before.path if before and before.path != shown.path else None,
        before_name=_other_name(change.before, shown) if old else None,
        before_line=old.span.start_line if old and is_elsewhere else None,
        members=change.members or None,
        diff=diff,
    )


def text_diff(before: Sequence[str], after: Sequence[str], *, max_lines: int) -> str | None:
    """How two texts differ, in git's way; None if they do not."""
    lines = unified_diff(before, after, lineterm="", n=_DIFF_CONTEXT)
    shown = list(islice(lines, 2, None))  # without the two lines that name files
    if not shown:
        return None
    rest = len(shown) - max_lines
    more = [f"… {rest} more lines"] if rest > 0 else []
    return show_masks("\n".join([*shown[:max_lines], *more]))


def _other_name(before: PlacedSymbol | None, shown: PlacedSymbol) -> str | None:
    if before is None or before.symbol.qualified_name == shown.symbol.qualified_name:
        return None
    return before.symbol.qualified_name
