"""Evidence in, hits with their reasons out: pure, the same in and out every time."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from codecompass.model.search import NAME_EVIDENCE, Factor, Hit, Intent, Place, SearchMode, Stage
from codecompass.model.snapshot import VersionId
from codecompass.model.symbol import SymbolKind
from codecompass.search.evidence import Evidence, PathMatch
from codecompass.search.gains import chunk_gains, file_gains
from codecompass.search.plan import Plan
from codecompass.text.identifiers import split_name

_NO_PATH = PathMatch(0.0, 0.0)
# Definitions that are parts of others; seldom what a question in words is after.
_PARTS = frozenset(
    {
        SymbolKind.FIELD,
        SymbolKind.PROPERTY,
        SymbolKind.ENUM_MEMBER,
        SymbolKind.VARIABLE,
        SymbolKind.CONSTANT,
        SymbolKind.KEY,
    }
)
_PART = 0.5
# What its whole text says of a file that has no docs, beside what docs would.
_INSTEAD_OF_DOCS = 0.9
# Folders more or less than usual that count.
_DEPTHS = 3
# How many further chunks of a file speak for it.
_COHERENT = 3


def rank(evidence: Evidence, plan: Plan) -> list[Hit]:
    """Every candidate with its score and reasons; best first, then by path and place."""
    ranker = _Ranker(evidence, plan)
    hits: list[Hit] = []
    chunks_of = _chunks_by_file(evidence)
    for index in sorted(evidence.files):
        if plan.options.stage is Stage.REFINE and not ranker.holds_every_term(index):
            continue
        hits += ranker.hits_of(index, chunks_of.get(index, ()))
    return sorted(hits, key=order)


def order(hit: Hit) -> tuple[float, str, int]:
    """The order of hits: score, then path, then place."""
    return -hit.score, hit.path, hit.place.ordinal if hit.place.ordinal is not None else -1


def calibrated(total: float) -> float:
    """A sum of factors as a score between 0 and 1; half at 1."""
    return max(0.0, total) / (1 + max(0.0, total))


def _chunks_by_file(evidence: Evidence) -> dict[int, list[Place]]:
    found: dict[int, list[Place]] = defaultdict(list)
    by_version: dict[VersionId, list[int]] = defaultdict(list)
    for index in evidence.files:
        by_version[evidence.versions[index]].append(index)
    for place in evidence.chunks:
        for index in by_version[place.version_id]:
            found[index].append(place)
    return found


class _ChunkWords(NamedTuple):
    """What is found of the question's words in a chunk."""

    inside: float  # what they are worth
    in_name: int  # how many stand in its name
    named_share: float  # of the question


class _Ranker:
    """The tables and weights that every candidate is judged by."""

    def __init__(self, evidence: Evidence, plan: Plan) -> None:
        self._evidence = evidence
        self._plan = plan
        self._shares = [term.share for term in evidence.terms]
        trust = min(1.0, plan.ranking.path_terms / max(1, len(evidence.terms)))
        self._file_name = plan.ranking.file_name * trust
        self._folder_name = plan.ranking.folder_name * trust
        self._file_gains = file_gains(plan.ranking.file_saturation)
        self._chunk_gains = chunk_gains(plan.ranking.chunk_saturation)
        is_name = plan.guess.intent is Intent.SYMBOL and plan.options.mode is SearchMode.HYBRID
        self._trust = plan.ranking.name_meaning if is_name else 1.0
        self._known_words: dict[tuple[int, ...], _ChunkWords] = {}

    def holds_every_term(self, index: int) -> bool:
        """Whether a file has all terms, in its text or its path."""
        in_path = self._evidence.path_terms.get(index, frozenset())
        levels = self._evidence.files.get(index, ())
        return bool(levels) and all(
            level or term.text in in_path
            for term, level in zip(self._evidence.terms, levels, strict=True)
        )

    def hits_of(self, index: int, places: Sequence[Place]) -> list[Hit]:
        """One hit for each chunk of a file that matches, or one for the whole file."""
        evidence, weights = self._evidence, self._plan.ranking
        about_file = self._file_factors(index)
        about_chunks = [(place, *self._chunk_factors(place)) for place in places]
        further = _further([worth for _, _, worth in about_chunks])
        if further:
            about_file.append(Factor("coherence", weights.coherence * further))
        is_asked = index in evidence.asked_files
        if not evidence.needs_symbol and (is_asked or not about_chunks):
            whole = Place(evidence.versions[index], None)
            phrase = self._phrase_factor(whole)
            about_chunks = [(whole, phrase, _sum(phrase))]
        path = evidence.paths[index]
        preference = self._plan.preferences.factor(path) * self._centrality(path)
        worth_of_file = _sum(about_file)
        hits = []
        for place, own, worth in about_chunks:
            total = worth_of_file + worth
            factors = about_file + own
            if preference != 1.0:
                factors.append(Factor("path_preference", total * (preference - 1)))
            hits.append(Hit(path, place, calibrated(total * preference), tuple(factors)))
        return hits

    def _centrality(self, path: str) -> float:
        """What lies deeper than most is seldom the heart of the matter."""
        below = path.count("/") - self._evidence.usual_depth
        return math.exp(-self._plan.ranking.depth * min(_DEPTHS, max(-_DEPTHS, below)))

    def _file_factors(self, index: int) -> list[Factor]:
        evidence, weights = self._evidence, self._plan.ranking
        inside = self._inside(evidence.files.get(index, ()))
        match = evidence.path_matches.get(index, _NO_PATH)
        found = [Factor("file_words", weights.file_words * inside)] if inside else []
        if match.stem:
            found.append(Factor("file_name", self._file_name * match.stem))
        if match.folder:
            found.append(Factor("folder_name", self._folder_name * match.folder))
        found += self._meaning_of(index)
        if index in evidence.named_files:
            found.append(Factor("exact_file", weights.exact_file))
        if index in evidence.asked_files:
            found.append(Factor("exact_path", weights.exact_path))
        return found

    def _inside(self, levels: Sequence[int]) -> float:
        """What the words in a file are worth."""
        gains = self._file_gains
        pairs = zip(self._shares, levels, strict=False)  # none where no word was looked for
        return sum([share * gains[level] for share, level in pairs])

    def _meaning_of(self, index: int) -> list[Factor]:
        """What a file's meaning is worth: all of it, its docs, the words of its path."""
        alike = self._evidence.file_likeness.get(index)
        if alike is None:
            return []
        weights, trust = self._plan.ranking, self._trust
        whole, docs = weights.file_meaning, alike.docs
        if docs is None:  # the rest has to speak for them
            whole, docs = whole + _INSTEAD_OF_DOCS * weights.docs_meaning, 0.0
        amounts = (
            ("file_meaning", trust * whole * alike.trust * alike.whole),
            ("docs_meaning", trust * weights.docs_meaning * alike.trust * docs),
            ("path_meaning", trust * weights.path_meaning * alike.path),
        )
        return [Factor(name, worth) for name, worth in amounts if worth > 0]

    def _chunk_factors(self, place: Place) -> tuple[list[Factor], float]:
        """What speaks for a chunk, and what it is worth together."""
        evidence, weights = self._evidence, self._plan.ranking
        words = self._words(evidence.chunks[place])
        symbol = evidence.records.get(place)
        share = _PART if symbol is not None and symbol.kind in _PARTS else 1.0
        found = [Factor("chunk_words", weights.chunk_words * words.inside)] if words.inside else []
        likeness = evidence.chunk_likeness.get(place, 0.0)
        if likeness > 0:
            found.append(Factor("meaning", self._trust * weights.meaning * share * likeness))
        if words.in_name and symbol is not None:
            fit = _name_fit(symbol.name, words) * share
            found.append(Factor("definition_name", weights.definition_name * fit))
        if place in evidence.names:
            is_single = len(self._plan.question.words) == 1
            exact = weights.exact_name * (weights.single_name if is_single else 1.0)
            found.append(Factor("exact_name", exact * evidence.names[place]))
        found += self._phrase_factor(place)
        return found, _sum(found)

    def _words(self, levels: tuple[int, ...]) -> _ChunkWords:
        """What the words in a chunk are worth; many chunks have the same."""
        known = self._known_words.get(levels)
        if known is None:
            pairs = list(zip(self._shares, levels, strict=True))
            inside = [share * self._chunk_gains[level % NAME_EVIDENCE] for share, level in pairs]
            named = [share for share, level in pairs if level >= NAME_EVIDENCE]
            known = _ChunkWords(sum(inside), len(named), sum(named))
            self._known_words[levels] = known
        return known

    def _phrase_factor(self, place: Place) -> list[Factor]:
        if place not in self._evidence.phrases:
            return []
        return [Factor("phrase", self._plan.ranking.phrase * self._evidence.phrases[place])]


def _name_fit(name: str, words: _ChunkWords) -> float:
    """How much of the name the question covers, and of the question the name."""
    covered = min(1.0, words.in_name / max(1, len(set(split_name(name)))))
    return float(covered * words.named_share**0.5)


def _sum(factors: Sequence[Factor]) -> float:
    return sum([amount for _, amount in factors])


def _further(worth: Sequence[float]) -> float:
    """What the next best chunks of a file are worth, beside its best one."""
    if len(worth) < 2:  # as of most files
        return 0.0
    return sum(sorted(worth, reverse=True)[1 : 1 + _COHERENT]) / _COHERENT
