"""Symbols and their uses in, whether an answer holds all of them out, and if not, what is left."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from codecompass.config.settings import IndexSettings
from codecompass.engine.views import View
from codecompass.indexing.parsers import shared_parsers
from codecompass.indexing.work import WorkItem
from codecompass.link.families import FAMILY_OF
from codecompass.model.graph_answer import Completeness, FamilyUses, GroupedPlace, PlaceGroup
from codecompass.model.occurrence import OPEN_GROUPS, Group, NamePlace, Occurrence
from codecompass.model.symbol import TYPE_KINDS, PlacedSymbol, SymbolKind
from codecompass.navigate.hierarchy import members, outside_bases
from codecompass.navigate.occurrences import Accounted, Accounting, Meant
from codecompass.navigate.overriding import SymbolKey, member_family, symbol_key
from codecompass.navigate.uses import Graph, Uses
from codecompass.navigate.visibility import may_be_local, reach_of
from codecompass.parse.stub_tables import built_in_names
from codecompass.text.masks import show_masks

_MAX_OTHERS = 3
_MAX_SHOWN = 50  # places of one group that are told with their text
_REQUIRED = re.compile(r"=\s*require\([^()]*\)(\.\w+)+;?$")
_BOUND = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})
# What Python calls by itself: `__getitem__`, `__enter__`.
_DUNDER = re.compile(r"__\w+__")
_CALLED = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_DATA = frozenset({SymbolKind.FIELD, SymbolKind.PROPERTY})
# Languages in which a lambda is a value of an interface.
_WITH_LAMBDAS = frozenset({"java", "kotlin"})
_SAID = {
    Group.NOT_RESOLVED: ("place that could not be resolved", "places that could not be resolved"),
    Group.OUTSIDE: ("member of a value from outside", "members of values from outside"),
    Group.STRING: ("string that spells the name", "strings that spell the name"),
    Group.NOT_ANALYSED: (
        "place in text that was not analysed",
        "places in text that was not analysed",
    ),
}


@dataclass(frozen=True, slots=True)
class Account:
    """What is known of all places where the names of some symbols stand."""

    certainty: Completeness
    groups: tuple[PlaceGroup, ...] = ()
    family: tuple[FamilyUses, ...] = ()
    places: Sequence[NamePlace] = ()


@dataclass(slots=True)
class _Family:
    """Members that stand for those asked about, with their uses."""

    members: dict[SymbolKey, Uses] = field(default_factory=dict)
    resembling: dict[SymbolKey, PlacedSymbol] = field(default_factory=dict)
    is_cut: bool = False

    def numbers(self) -> set[int]:
        """The numbers of all its declarations."""
        return {number for uses in self.members.values() for number in uses.numbers}


class Accountant:
    """Accounts for the names of symbols in one view."""

    def __init__(self, view: View, graph: Graph, settings: IndexSettings) -> None:
        self._view = view
        self._graph = graph
        self._settings = settings
        self._accounting = Accounting(
            view.reader,
            graph,
            text_of=view.whole_text,
            unread_text=view.unread_text,
            masked=view.masked,
            tokens_of=self._tokens,
        )

    def account(self, uses: Sequence[Uses], *, more: Sequence[PlacedSymbol] = ()) -> Account:
        """Account for the names of some symbols; `more` have the name and were left out."""
        family = self._family(uses)
        reasons = self._reasons(uses, more, family)
        by_name: dict[str, list[Uses]] = {}
        for item in uses:
            by_name.setdefault(item.symbol.symbol.name, []).append(item)
        places: list[NamePlace] = []
        for name, items in by_name.items():
            if any(item.is_resolved for item in items):
                found = self._accounting.account(self._meant(name, items, family))
                places += found.places
                reasons += _not_looked_at(found)
        counts = Counter(place.group for place in places)
        reasons += [
            f"{counts[group]:,} {_SAID[group][counts[group] > 1]}"
            for group in OPEN_GROUPS
            if counts[group]
        ]
        return Account(
            Completeness(not reasons, counts[Group.NOT_RESOLVED], tuple(reasons)),
            tuple(self._groups(places, uses)),
            tuple(self._family_uses(family)),
            places,
        )

    def _family(self, uses: Sequence[Uses]) -> _Family:
        found = _Family()
        own = {symbol_key(item.symbol) for item in uses}
        for item in uses:
            part = member_family(self._view.reader, self._graph, item.symbol)
            found.is_cut = found.is_cut or part.is_cut
            for member in part.members:
                key = symbol_key(member)
                if key not in own and key not in found.members:
                    found.members[key] = self._graph.uses_of(member)
            found.resembling |= {
                key: other for other in part.resembling if (key := symbol_key(other)) not in own
            }
        return found

    def _meant(self, name: str, items: Sequence[Uses], family: _Family) -> Meant:
        starts: dict[str, set[int]] = {}
        for item in items:
            for path in item.files:
                starts.setdefault(path, set()).update(row[0] for row in item.rows(path))
        first = items[0].symbol
        members = [uses.symbol for uses in family.members.values()]
        return Meant(
            name,
            first.path,
            first.language,
            starts,
            {(item.symbol.path, item.symbol.symbol.name_start) for item in items},
            family.numbers(),
            {(item.path, item.symbol.name_start) for item in members},
            is_built_in,
            reach_of(self._graph, (item.symbol for item in items), self._view.text),
            all(
                may_be_local(item.symbol, self._view.text(item.symbol.path) or "")
                for item in items
            ),
            any(item.symbol.symbol.kind in TYPE_KINDS for item in items),
            any(item.symbol.symbol.scope for item in items),
        )

    def _tokens(self, name: str, paths: Sequence[str]) -> Mapping[str, Sequence[Occurrence]]:
        """What each file alone says of a name; files are parsed for it, in another process."""
        files = self._view.reader.files()
        failed = self._view.reader.failures()
        by_version: dict[int, list[str]] = {}
        items = []
        for path in paths:
            entry = files[path]
            assert entry.version_id is not None  # noqa: S101  # it is in the catalog
            known = by_version.setdefault(entry.version_id, [])
            if not known:
                why = failed.get(entry.version_id, "")
                items.append(WorkItem(path, entry.version_id, entry.blob_id, failure=why))
            known.append(path)
        found: dict[str, Sequence[Occurrence]] = {}
        for batch in shared_parsers().names(self._view.root, items, self._settings, name):
            for answer in batch:
                for path in by_version[answer.version_id]:
                    found[path] = answer.occurrences or ()
        return found

    def _groups(self, places: Sequence[NamePlace], uses: Sequence[Uses]) -> Iterable[PlaceGroup]:
        near = {item.symbol.path for item in uses}
        by_group: dict[Group, list[NamePlace]] = {}
        for place in places:
            by_group.setdefault(place.group, []).append(place)
        for group in Group:
            found = by_group.get(group, [])
            if found:
                yield place_group(str(group), found, near)

    def _family_uses(self, family: _Family) -> Iterable[FamilyUses]:
        for uses in family.members.values():
            symbol = uses.symbol
            lines = {
                path: tuple(sorted({place.line for place in self._graph.places(uses, [path])}))
                for path in uses.files
            }
            yield FamilyUses(
                symbol.path,
                symbol.symbol.span.start_line,
                symbol.symbol.span.end_line,
                str(symbol.symbol.kind),
                symbol.symbol.qualified_name,
                symbol.handle,
                uses.total,
                lines,
            )

    def _reasons(
        self, uses: Sequence[Uses], more: Sequence[PlacedSymbol], family: _Family
    ) -> list[str]:
        """Why the answer is not complete, beside places that may mean something."""
        reasons: list[str] = []
        if more:
            places = ", ".join(
                f"{item.path}:{item.symbol.span.start_line}" for item in more[:_MAX_OTHERS]
            )
            verb = "definition has" if len(more) == 1 else "definitions have"
            reasons.append(
                f"{len(more)} more {verb} this name ({places}"
                f"{', …' if len(more) > _MAX_OTHERS else ''}): narrow by path or kind"
            )
        nameless = [item for item in uses if item.is_resolved and not item.has_node]
        if nameless:
            reasons.append(f"uses of {nameless[0].symbol.symbol.name} cannot be followed")
        borrowed = [item.symbol.symbol.name for item in uses if self._is_import(item.symbol)]
        if borrowed:
            reasons.append(f"{borrowed[0]} stands for what it imports: its uses are uses of that")
        languages = {item.symbol.language for item in uses if not item.is_resolved}
        if languages:
            reasons.append(f"uses are not resolved in {', '.join(sorted(languages))}")
        reasons += self._by_family(uses, family)
        seen = self._view.seen()
        if seen.not_fetched:
            reasons.append(f"{seen.not_fetched:,} files are not fetched")
        return reasons + self._by_no_name(uses)

    def _by_family(self, uses: Sequence[Uses], family: _Family) -> list[str]:
        """Why others may be meant by the name, or stand for it."""
        reasons: list[str] = []
        if family.is_cut:
            reasons.append("there are more overriding members than were followed")
        if family.resembling:
            shown = [
                f"{item.symbol.qualified_name} ({item.path}:{item.symbol.span.start_line})"
                for item in family.resembling.values()
            ]
            rest = f" and {len(shown) - _MAX_OTHERS} more" if len(shown) > _MAX_OTHERS else ""
            reasons.append(f"types may fit: {', '.join(shown[:_MAX_OTHERS])}{rest}")
        if any(self._is_functional(item.symbol) for item in uses):
            reasons.append("a lambda may implement it")
        kinds = {(item.symbol.path, item.symbol.symbol.scope): set[SymbolKind]() for item in uses}
        for item in uses:
            kinds[item.symbol.path, item.symbol.symbol.scope].add(item.symbol.symbol.kind)
        if any(len(found & _CALLED) and len(found & _DATA) for found in kinds.values()):
            reasons.append("a field and a method have this name: their uses are not told apart")
        return reasons

    def _is_functional(self, symbol: PlacedSymbol) -> bool:
        """Whether a method is the only one of an interface, so that a lambda can stand for it."""
        if symbol.language not in _WITH_LAMBDAS or symbol.symbol.body_start >= 0:
            return False
        owner = self._graph.owner_of(symbol)
        if owner is None or owner.symbol.kind is not SymbolKind.INTERFACE:
            return False
        inside = members(self._view.reader, owner)
        return (
            sum(item.symbol.kind in _CALLED and item.symbol.body_start < 0 for item in inside) == 1
        )

    def _is_import(self, symbol: PlacedSymbol) -> bool:
        """Whether a variable only names what is imported: `require("y")`, `require("y").x`."""
        entry = self._view.reader.file(symbol.path)
        if symbol.symbol.kind not in _BOUND or entry is None or entry.version_id is None:
            return False
        if _REQUIRED.search(symbol.symbol.signature):
            return True
        bound = self._view.reader.imports(entry.version_id)
        return any(item.start_byte == symbol.symbol.name_start for item in bound)

    def _by_no_name(self, uses: Sequence[Uses]) -> list[str]:
        """Why what nobody here names may be used all the same: by others, or by an operator."""
        unused = [
            item.symbol
            for item in uses
            if not item.files and item.symbol.symbol.kind in _CALLED and item.is_resolved
        ]
        if any(_DUNDER.fullmatch(item.symbol.name) for item in unused):
            return ["operators and built-in functions may call it"]
        reader = self._view.reader
        bases = [name for item in unused for name in outside_bases(reader, self._graph, item)]
        named = ", ".join(list(dict.fromkeys(bases))[:_MAX_OTHERS])
        return [f"whoever knows {named}, which is not in here, may call it"] if bases else []


def place_group(name: str, found: Sequence[NamePlace], near: Collection[str] = ()) -> PlaceGroup:
    """Places as a group of an answer: all lines, and the best guesses with their text."""
    lines: dict[str, list[int]] = {}
    for place in found:
        lines.setdefault(place.path, []).append(place.line)
    likely = sorted(found, key=lambda place: (place.path not in near, place.path, place.start))
    shown = {(place.path, place.line): place for place in likely}
    return PlaceGroup(
        name,
        len(found),
        {path: tuple(dict.fromkeys(numbers)) for path, numbers in lines.items()},
        tuple(
            GroupedPlace(place.path, place.line, show_masks(place.text))
            for place in list(shown.values())[:_MAX_SHOWN]
        ),
    )


def is_built_in(language: str, name: str) -> bool:
    """Whether values of the language itself have members of that name."""
    family = FAMILY_OF.get(language)
    return family is not None and name in built_in_names(family.name)


def _not_looked_at(found: Accounted) -> list[str]:
    reasons = []
    if found.unread:
        count = len(found.unread)
        verb = "file was" if count == 1 else "files were"
        reasons.append(f"{count} {verb} not read, such as {found.unread[0]}")
    if found.too_many:
        reasons.append(f"{found.too_many:,} more files hold this name and were not looked at")
    return reasons
