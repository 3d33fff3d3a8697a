"""Text in, the terms it is searched by out: stems of words, and whole names.

The same analysis runs when a file is indexed and when a question is asked. Tantivy
takes no analyzer written in Python, and its own cannot split `HTTPResponse`: so words
are split here, stemmed by Tantivy's stemmer, and handed over separated by spaces.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import chain

import tantivy

from codecompass.text.identifiers import find_identifiers, split_identifier, split_name

# Distinct identifiers kept with their terms; a repository of a million lines has about 200,000.
_MAX_CACHED = 400_000
_MUCH = 2_000  # of them are forgotten when work is done; a server would grow by them


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of every identifier seen so far; makes those that are missing.

    A dictionary that fills itself, so that a text's terms are counted without one
    step of Python for each of its identifiers.
    """

    def __init__(self, stem: Callable[[str], str]) -> None:
        super().__init__()
        self._stem = stem

    def __missing__(self, identifier: str) -> tuple[str, ...]:
        words = split_identifier(identifier)
        terms = [self._stem(word) for word in words]
        if len(words) > 1:
            terms.append("".join(words))
        if len(self) >= _MAX_CACHED:
            self.clear()
        self[identifier] = found = tuple(terms)
        return found


class Analyzer:
    """Splits and stems; remembers every identifier it has seen."""

    def __init__(self) -> None:
        builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
        self._stemmer = builder.filter(tantivy.Filter.stemmer("english")).build()
        self._stems: dict[str, str] = {}
        self._terms = _Terms(self.stem)

    def forget(self) -> None:
        """Remember nothing, so that memory stays bounded."""
        self._stems.clear()
        self._terms.clear()

    @property
    def is_full(self) -> bool:
        """Whether what is remembered takes more memory than it is worth when work is done."""
        return len(self._terms) >= _MUCH

    def stem(self, word: str) -> str:
        """The stem of a word in lower case."""
        known = self._stems.get(word)
        if known is None:
            found = self._stemmer.analyze(word)
            if len(self._stems) >= _MAX_CACHED:
                self._stems.clear()
            known = self._stems[word] = found[0] if found else word
        return known

    def terms_of(self, identifier: str) -> tuple[str, ...]:
        """The stems of an identifier's words, then, of several, all of them as one word."""
        return self._terms[identifier]

    def name_terms(self, name: str) -> list[str]:
        """The terms of a name that may hold several identifiers, and all of it as one word."""
        found = [term for part in find_identifiers(name) for term in self.terms_of(part)]
        whole = "".join(split_name(name))
        return list(dict.fromkeys([*found, whole])) if whole else found

    def count_terms(self, text: str) -> Counter[str]:
        """How often each term stands in a text."""
        return Counter(chain.from_iterable(map(self._terms.__getitem__, find_identifiers(text))))


@cache
def shared_analyzer() -> Analyzer:
    """The analyzer of this process; its memory is worth keeping from file to file."""
    return Analyzer()
