"""The terms of a question and the words of paths in, how well each path fits out."""

from collections import defaultdict
from collections.abc import Container, Sequence
from itertools import islice

from codecompass.search.evidence import PathMatch
from codecompass.search.plan import Term
from codecompass.store.catalog import PathWords

# How much the share of the path's words that are asked for matters, and the share of
# the question that the path answers.
_PRECISION, _RECALL = 0.7, 0.3
# How many paths are looked at for each that is kept.
_LOOK_AT = 4


class PathFit:
    """How well the paths of a snapshot fit one question; computed for those that are asked."""

    def __init__(self, words: PathWords, terms: Sequence[Term], relatives: float) -> None:
        self._words = words
        self._shares = {term.text: term.share for term in terms}
        self._known: dict[int, PathMatch] = {}
        self._meanings: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for term in terms:
            self._meanings[term.text].append((term.text, 1.0))
            for word, alike in words.relatives(term.text):
                self._meanings[word].append((term.text, relatives * alike))

    def candidates(self, limit: int, admitted: Container[int] | None) -> list[int]:
        """The files whose own names fit best; if those are few, also by their folders."""
        found: set[int] = set()
        for holders in (self._words.with_stem, self._words.with_folder):
            lists = [holders(word) for word in sorted(self._meanings)]
            for indexes in sorted(lists, key=len):  # a word of many paths says little of any
                room = limit * _LOOK_AT - len(found)
                fitting = (i for i in indexes if admitted is None or i in admitted)
                found.update(islice(fitting, max(0, room)))
            if len(found) >= limit:
                break
        return sorted(sorted(found), key=lambda index: -self.match(index).worth)[:limit]

    def match(self, index: int) -> PathMatch:
        """How well one file's path fits."""
        if index not in self._known:
            stem, folders = self._words.stems[index], self._words.folders[index]
            self._known[index] = PathMatch(self._fit(stem), self._fit(folders))
        return self._known[index]

    def terms_in(self, index: int) -> frozenset[str]:
        """The terms of the question that stand in a path."""
        words = (*self._words.stems[index], *self._words.folders[index])
        return frozenset(word for word in words if word in self._shares)

    def _fit(self, own_words: Sequence[str]) -> float:
        found: dict[str, float] = {}
        for word in own_words:
            for term, worth in self._meanings.get(word, ()):
                found[term] = max(worth, found.get(term, 0.0))
        if not found:
            return 0.0
        answered = sum([self._shares[term] * worth for term, worth in found.items()])
        asked_for = min(1.0, sum(found.values()) / len(set(own_words)))
        return float(asked_for**_PRECISION * answered**_RECALL)
