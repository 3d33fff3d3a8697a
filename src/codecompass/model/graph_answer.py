"""Answers about how symbols are connected."""

from dataclasses import dataclass, field

from codecompass.model.answer import Meta, SymbolResult
from codecompass.model.page import NOT_TOLD, Page


@dataclass(frozen=True, slots=True)
class RelationResult:
    """A symbol that is related to another, and where one sees it.

    `path` and the lines are those of the symbol; for what stands outside all definitions
    they are those of the evidence, and the kind is `file`.
    """

    path: str
    start_line: int
    end_line: int
    kind: str
    name: str
    handle: str
    relation: str
    confidence: str
    line: int | None = None  # of the evidence
    lines: tuple[int, ...] | None = None  # all of them, where there are several
    depth: int | None = None  # steps away, where that is more than one
    of: str | None = None  # handle of the symbol that it is related to, if not the one asked for
    cycle: bool | None = None  # was met before and not followed again
    context: str | None = None  # the text of the line
    source_layer: str | None = None  # said where it is not the base


@dataclass(frozen=True, slots=True)
class Completeness:
    """Whether everything is in a list, apart from its limit; if not, why."""

    complete: bool
    possible: int  # further places with the same name whose meaning is not known
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupedPlace:
    """A place with the text of its line."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class PlaceGroup:
    """Places where a name stands and that are the same to what is asked about."""

    group: str
    total: int
    lines: dict[str, tuple[int, ...]] | None  # all of them, by path
    places: tuple[GroupedPlace, ...]  # some with their text, the best guesses first


@dataclass(frozen=True, slots=True)
class FamilyUses:
    """A member that overrides or implements what is asked about, or the reverse, and its uses."""

    path: str
    start_line: int
    end_line: int
    kind: str
    name: str
    handle: str
    total: int
    lines: dict[str, tuple[int, ...]]  # of its uses, by path


@dataclass(frozen=True, slots=True)
class ReferencesAnswer:
    """Every use of a symbol, by file and line."""

    query: str
    definitions: tuple[SymbolResult, ...]
    total: int
    files: dict[str, int]  # uses by path, the most first
    roles: dict[str, int]  # uses by role
    results: tuple[RelationResult, ...]
    certainty: Completeness
    suggestions: tuple[str, ...]
    meta: Meta
    left_out: dict[str, int] | None = None  # uses by role that the filters do not admit
    family: tuple[FamilyUses, ...] | None = None
    groups: tuple[PlaceGroup, ...] | None = None  # every place where the name stands
    cursor: str | None = None  # for the results behind these
    page: Page | None = field(default=None, metadata=NOT_TOLD)


@dataclass(frozen=True, slots=True)
class CallsAnswer:
    """Who calls a symbol, and what it calls."""

    query: str
    direction: str
    depth: int
    definitions: tuple[SymbolResult, ...]
    total: int
    results: tuple[RelationResult, ...]
    certainty: Completeness
    suggestions: tuple[str, ...]
    meta: Meta
    unknown_calls: tuple[str, ...] | None = None  # names it calls whose meaning is not known
    family: tuple[FamilyUses, ...] | None = None
    groups: tuple[PlaceGroup, ...] | None = None  # places that may be further calls
    cursor: str | None = None  # for the results behind these
    page: Page | None = field(default=None, metadata=NOT_TOLD)


@dataclass(frozen=True, slots=True)
class FamilyAnswer:
    """The family or the neighbourhood of a symbol."""

    query: str
    definitions: tuple[SymbolResult, ...]
    total: int
    results: tuple[RelationResult, ...]
    suggestions: tuple[str, ...]
    meta: Meta
    cursor: str | None = None  # for the results behind these
    page: Page | None = field(default=None, metadata=NOT_TOLD)
