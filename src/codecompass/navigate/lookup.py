"""A symbol's name, path or handle in, its definitions out: exact names only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from codecompass.errors import HandleGone
from codecompass.model.query import SymbolFilters, SymbolPath
from codecompass.model.symbol import PlacedSymbol, as_handle, handle_id_prefix
from codecompass.store.reader import SnapshotReader
from codecompass.text.similarity import most_alike

_STEP = re.compile(r"\s+>\s+|\s*›\s*")
_PREFIX = re.compile(r"^\s*symbol\s*=\s*")
_SEPARATORS = re.compile(r"::|[.\\#/:]")
# Names with most three-letter pieces in common; the finer measure picks from these.
_SUGGESTION_POOL = 60


@dataclass(frozen=True, slots=True)
class Lookup:
    """What was found; suggestions only if nothing was."""

    matches: tuple[PlacedSymbol, ...]
    suggestions: tuple[str, ...] = ()
    filtered_out: int = 0

    def check(self, text: str) -> None:
        """Say so if a handle of an earlier answer leads nowhere any more."""
        if not self.matches and not self.filtered_out and as_handle(text):
            raise HandleGone(f"{text.strip()}: the definition with this handle is not there")


def locate(
    reader: SnapshotReader, text: str, *, filters: SymbolFilters, max_suggestions: int
) -> Lookup:
    """Definitions for `name`, `A > name`, `path > A > name`, `A.name` or a handle.

    Names are matched exactly; several matches all come back, by path and position.
    """
    found = _by_handle(reader, text) or _by_names(reader, text)
    admitted = tuple(item for item in found if filters.admit(item))
    if found:
        return Lookup(admitted, filtered_out=len(found) - len(admitted))
    return Lookup((), tuple(_suggestions(reader, text, max_suggestions)))


def _by_names(reader: SnapshotReader, text: str) -> list[PlacedSymbol]:
    """By its own name, or by the name with all it belongs to: `class A::B` has both in one."""
    found = _by_path(reader, parse_symbol_path(text))
    if found and not _SEPARATORS.search(text):
        return found
    also = _by_qualified_name(reader, text.strip())
    each = {(item.path, item.symbol.ordinal): item for item in (*found, *also)}
    return [each[place] for place in sorted(each)]


def _suggestions(reader: SnapshotReader, text: str, limit: int) -> list[str]:
    """The same name elsewhere, if there is one; else names that look like it."""
    name = parse_symbol_path(text).name
    elsewhere = [
        " > ".join([item.path, *item.symbol.scope, item.symbol.name])
        for item in reader.symbols_named(name)[:limit]
    ]
    pool = reader.similar_names(name, _SUGGESTION_POOL) if not elsewhere else []
    return elsewhere or most_alike(name, pool, limit=limit)


def parse_symbol_path(text: str) -> SymbolPath:
    """Split `path > A > B` at its arrows; a first step with a slash or a suffix is a path."""
    steps = [step.strip() for step in _STEP.split(_PREFIX.sub("", text)) if step.strip()]
    if not steps:
        return SymbolPath(text.strip())
    *scope, name = steps
    if scope and _looks_like_path(scope[0]):
        return SymbolPath(name, tuple(scope[1:]), scope[0].removeprefix("./"))
    return SymbolPath(name, tuple(part for step in scope for part in _parts(step)))


def _looks_like_path(step: str) -> bool:
    """With a slash, or with a suffix as source files have: `Outer.Inner` is no path."""
    return "/" in step or re.search(r"\w\.[a-z][a-z0-9+]{0,5}$", step) is not None


def _parts(step: str) -> list[str]:
    return [part for part in re.split(r"::|\.", step) if part] or [step]


def _by_handle(reader: SnapshotReader, text: str) -> list[PlacedSymbol]:
    handle = as_handle(text)
    if handle is None:
        return []
    alike = reader.symbols_with_id(handle_id_prefix(handle))
    return [item for item in alike if item.handle == handle]


def _by_path(reader: SnapshotReader, wanted: SymbolPath) -> list[PlacedSymbol]:
    found = [item for item in reader.symbols_named(wanted.name) if _ends_with(item, wanted.scope)]
    if not wanted.path:
        return found
    paths = set(reader.paths_ending(wanted.path))
    return [item for item in found if item.path in paths]


def _by_qualified_name(reader: SnapshotReader, text: str) -> list[PlacedSymbol]:
    """`A.b`, `A::b`, `A#b`: the last part by name, the rest by the chain before it.

    `::A` belongs to nothing.
    """
    parts = [part for part in _SEPARATORS.split(text) if part]
    is_whole = text.startswith("::")
    if not parts or " " in text or (len(parts) < 2 and not is_whole):
        return []
    *scope, name = parts
    return [
        item
        for item in reader.symbols_named(name)
        if item.symbol.qualified_name == text
        or (item.symbol.scope == tuple(scope) if is_whole else _ends_with(item, scope))
    ]


def _ends_with(item: PlacedSymbol, scope: Sequence[str]) -> bool:
    """Whether the chain of what a symbol belongs to ends with these names."""
    return not scope or item.symbol.scope[-len(scope) :] == tuple(scope)
