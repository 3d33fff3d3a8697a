"""What is searched for, how, and what is found: plain values of the search pipeline."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from codecompass.model.query import SymbolFilters
from codecompass.model.snapshot import VersionId

FILE_LEVELS = (0.0, 1.0, 4.0, 16.0)
"""Where levels of a term's frequency in a file begin, length taken into account."""
CHUNK_LEVELS = (1, 2, 8)
"""Where levels of a term's frequency in a chunk begin."""

NAME_EVIDENCE = 4
"""What a term in a definition's name adds to the count of levels it reaches in the chunk."""


class SearchMode(StrEnum):
    """What kind of match is asked for."""

    HYBRID = "hybrid"  # words, names, paths and meaning, fused
    SEMANTIC = "semantic"  # meaning alone
    SIMILAR = "similar"  # code that is like a snippet
    EXACT = "exact"  # this text, or /this expression/
    DEFINITION = "definition"  # definitions by name


class Stage(StrEnum):
    """How a search casts its net."""

    DISCOVER = "discover"  # wide: any word may be missing, files take turns
    REFINE = "refine"  # strict: every word must be there, best first


class Intent(StrEnum):
    """What kind of thing a question seems to be after."""

    SYMBOL = "symbol"
    PATH = "path"
    ERROR = "error"
    STRUCTURAL = "structural"
    NATURAL_LANGUAGE = "natural_language"


@dataclass(frozen=True, slots=True)
class IntentGuess:
    """An intent and how sure the guess is."""

    intent: Intent
    confidence: float


@dataclass(frozen=True, slots=True)
class Question:
    """A query, taken apart."""

    text: str  # what is left when filters are taken out
    raw: str = ""  # as it was written
    words: tuple[str, ...] = ()  # as written, in order
    names: tuple[str, ...] = ()  # what looks like code: `parseConfig`, `A.b`
    phrases: tuple[str, ...] = ()  # between quotes
    expression: str = ""  # between slashes
    flags: str = ""
    symbol: str = ""  # behind `symbol =`
    usages_of: str = ""  # behind `usages:`
    line: int = 0  # behind a path
    filters: SymbolFilters = field(default_factory=SymbolFilters)
    notes: tuple[str, ...] = ()  # what the caller should know about how it was read
    otherwise: "Question | None" = None  # where no file has the line


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a question is to be answered."""

    mode: SearchMode = SearchMode.HYBRID
    stage: Stage = Stage.DISCOVER
    top_k: int = 10
    min_score: float = 0.0
    exhaustive: bool = False
    cursor: str = ""
    code_snippet: str = ""  # what `similar` looks for more of


MEANT_MODES = frozenset({SearchMode.HYBRID, SearchMode.SEMANTIC, SearchMode.SIMILAR})
"""The modes that ask a model."""


@dataclass(frozen=True, slots=True)
class SemanticUse:
    """Whether a model had a say in an answer, or why not."""

    model: str = ""
    ratio: float = 0.0  # of its weight that was given to it
    skipped_reason: str = ""
    is_blocked: bool = False  # the settings name a provider and forbid to send it code


NOT_ASKED = SemanticUse(skipped_reason="not_asked")
"""No model was asked, because the mode needs none."""


class Factor(NamedTuple):
    """A reason for a score, and how much it adds or takes away."""

    name: str
    amount: float


class Place(NamedTuple):
    """A chunk of a version; no ordinal means the whole file."""

    version_id: VersionId
    ordinal: int | None


class Hit(NamedTuple):
    """A ranked place with the reasons for its rank; hundreds are made for each question."""

    path: str
    place: Place
    score: float
    factors: tuple[Factor, ...] = ()
    match_lines: tuple[int, ...] = ()  # known already where lines were searched
