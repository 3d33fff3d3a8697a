"""A question and options in, what to look for and what it is worth out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from codecompass.config.settings import RankingSettings, SearchSettings
from codecompass.model.search import IntentGuess, Question, SearchMode, SearchOptions
from codecompass.search.preferences import PathPreferences, preferences_for
from codecompass.text.identifiers import find_identifiers, split_name

_STOP_WORDS = frozenset(
    """a an the and or of to in on at by for with from as is are was were be been being it its
    this that these those how what when where which who why does do did done can could should
    would will may might must not no if then else than into onto over under about via per each
    any all some such using used use uses between across within without their there they them
    you your we our i me my so but also only just more most other another through""".split()
)
# A pasted log has thousands; the first ones say what it is about.
_MAX_TERMS = 48


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides an answer, as plain values."""

    question: Question
    guess: IntentGuess
    options: SearchOptions
    terms: tuple[str, ...]
    ranking: RankingSettings
    search: SearchSettings
    preferences: PathPreferences  # without those for what the question asks for


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the question and its share of the whole, by how rare it is."""

    text: str
    share: float
    files: int  # that hold it


def make_plan(
    question: Question,
    guess: IntentGuess,
    options: SearchOptions,
    *,
    terms_of: Callable[[str], Sequence[str]],
    settings: tuple[SearchSettings, RankingSettings],
) -> Plan:
    """Decide the terms; `terms_of` is the analysis that the index was made with."""
    search, ranking = settings
    if options.mode is SearchMode.SIMILAR:
        ranking = _like_code(ranking)
    preferences = preferences_for(ranking.path_preferences, _asked_words(question))
    terms = content_terms(question, terms_of)
    return Plan(question, guess, options, terms, ranking, search, preferences)


def _asked_words(question: Question) -> frozenset[str]:
    """The question's words in lower case, those in the plural also without their s."""
    words = [word for name in question.words for word in split_name(name)]
    return frozenset({*words, *(word.rstrip("s") for word in words)})


def _like_code(ranking: RankingSettings) -> RankingSettings:
    """Code is like code by itself: where it stands says nothing, neighbours may be alike."""
    return replace(
        ranking,
        meaning=2.0,
        file_meaning=0.0,
        docs_meaning=0.0,
        path_meaning=0.0,
        coherence=0.0,
        depth=0.0,
        same_file=1.0,
    )


def content_terms(question: Question, terms_of: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """The terms that say something, each once; if all are common words, all of them."""
    identifiers = [
        identifier
        for word in (*question.words, *question.phrases)
        for identifier in find_identifiers(word)
    ]
    said = [name for name in identifiers if name.lower() not in _STOP_WORDS]
    found = [term for name in said or identifiers for term in terms_of(name)]
    return tuple(dict.fromkeys(found))[:_MAX_TERMS]


def weigh_terms(counts: Sequence[tuple[str, int]], total_files: int) -> list[Term]:
    """Terms with their shares: the rarer in this snapshot, the more."""
    rarity = [
        math.log(1 + (total_files - count + 0.5) / (count + 0.5)) if total_files else 0.0
        for _, count in counts
    ]
    whole = sum(rarity) or 1.0
    return [
        Term(text, weight / whole, count)
        for (text, count), weight in zip(counts, rarity, strict=True)
    ]
