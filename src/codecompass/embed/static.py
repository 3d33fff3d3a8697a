"""Terms in, a vector out: the sum of what a table says of each term.

The table that ships with the package was trained by us (`training/`, docs/model.md): a
row of 256 small integers for each word, rows for the n-grams of words it does not know,
and how much each says in code and in a question. Nothing is downloaded, nothing but
numpy runs; the table is mapped into memory, so processes share it.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from codecompass.embed.ngrams import MAX_WORD_CHARS, ngram_buckets

BUILTIN = "builtin"
"""The name of the model that ships with the package."""

Vectors = NDArray[np.float32]
# Unknown words whose vectors are remembered, of a kilobyte each.
_MAX_GUESSED = 20_000
# Paths whose vectors are remembered: most questions meet the same.
_MAX_PATHS = 8_000
_LAYER = ("inward", "bias", "outward")


class Layer:
    """Moves vectors of one side towards those of the other: one hidden layer, added to each."""

    def __init__(self, inward: Vectors, bias: Vectors, outward: Vectors) -> None:
        self._inward, self._bias, self._outward = inward, bias, outward

    def __call__(self, vectors: Vectors) -> Vectors:
        """The moved vectors, of the length 1; 0 stays 0."""
        hidden = vectors @ self._inward + self._bias
        moved = vectors + np.maximum(hidden, 0, out=hidden) @ self._outward
        lengths = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        lengths[~vectors.any(axis=1)] = np.inf
        result: Vectors = moved / lengths[:, np.newaxis]
        return result


class StaticModel:
    """A table of words; the vectors it makes have the length 1, or 0 if it knows no word."""

    def __init__(self, folder: Path, name: str = "") -> None:
        """`name` is what `load_static` knows the folder by, here and in other processes."""
        self.name = name or str(folder)
        card = json.loads((folder / "card.json").read_text("utf-8"))
        words = (folder / "words.txt").read_text("utf-8").splitlines()
        self.id: str = card["id"]
        self._buckets: int = card["buckets"]
        # Mapped, and no longer a memmap: the subclass would cost more than the look-up.
        self._table: NDArray[np.int8] = np.asarray(np.load(folder / "table.npy", mmap_mode="r"))
        self.dims: int = self._table.shape[1]
        self._in_code, self._in_question = np.load(folder / "weights.npy").astype(np.float32)
        self._code_layer, self._question_layer = _load_layers(folder)
        self._rows = {word: number for number, word in enumerate(words)}
        self._guessed: dict[tuple[str, bool], Vectors | None] = {}
        self._paths: dict[tuple[str, ...], Vectors] = {}

    @property
    def words(self) -> Set[str]:
        """The words that have a row of their own."""
        return self._rows.keys()

    def embed_code(self, texts: Iterable[Mapping[str, int]]) -> Vectors:
        """The vectors of pieces of code, each given by how often terms stand in it."""
        # One product for each: with one for all of them together it takes five times as long.
        found = [self._embed(counts, self._in_code) for counts in texts]
        sums = np.array(found, np.float32).reshape(-1, self.dims)
        return self._code_layer(sums) if self._code_layer else sums

    def embed_paths(self, paths: Sequence[Sequence[str]]) -> Vectors:
        """The vectors of paths, each given by its words."""
        if len(self._paths) + len(paths) > _MAX_PATHS:
            self._paths = {}  # others may be reading the old ones
        known = self._paths
        keys = [tuple(words) for words in paths]
        fresh = [key for key in dict.fromkeys(keys) if key not in known]
        vectors = self.embed_code([dict.fromkeys(key, 1) for key in fresh])
        known.update(zip(fresh, vectors, strict=True))
        return np.array([known[key] for key in keys], np.float32).reshape(-1, self.dims)

    def embed_question(self, terms: Sequence[str]) -> Vectors:
        """The vector of a question; how often it says a word does not matter."""
        found = self._embed(dict.fromkeys(terms, 1), self._in_question)
        layer = self._question_layer
        return layer(found[np.newaxis])[0] if layer else found

    def _embed(self, counts: Mapping[str, int], weights: Vectors) -> Vectors:
        rows: list[int] = []
        times: list[int] = []
        unknown: list[tuple[str, int]] = []
        known = self._rows
        for term, count in counts.items():
            row = known.get(term)
            if row is not None:
                rows.append(row)
                times.append(count)
            elif len(term) <= MAX_WORD_CHARS:
                unknown.append((term, count))
        vector = np.zeros(self.dims, np.float32)
        if rows:
            amounts = np.log1p(np.array(times, np.float32)) * weights[rows]
            vector += amounts @ self._table[rows].astype(np.float32)
        for term, count in unknown:
            guess = self._guess(term, weights)
            if guess is not None:
                vector += guess * np.float32(math.log1p(count))
        length = math.sqrt(float(vector @ vector))
        return vector / np.float32(length) if length else vector

    def forget(self) -> None:
        """Keep no vectors of words that have no row of their own."""
        self._guessed.clear()

    def _guess(self, term: str, weights: Vectors) -> Vectors | None:
        """The vector of a word that has no row of its own: the mean of its n-grams."""
        key = (term, weights is self._in_code)
        if key in self._guessed:
            return self._guessed[key]
        if len(self._guessed) >= _MAX_GUESSED:
            self._guessed.clear()
        numbers = ngram_buckets(term, self._buckets)
        found: Vectors | None = None
        if numbers:
            rows = [len(self._rows) + number for number in numbers]
            found = (weights[rows] @ self._table[rows].astype(np.float32)) / np.float32(len(rows))
        self._guessed[key] = found
        return found


def _load_layers(folder: Path) -> tuple[Layer | None, Layer | None]:
    """How vectors of code and of questions are moved; a model may do without."""
    file = folder / "layers.npz"
    if not file.exists():
        return None, None
    with np.load(file) as arrays:
        code, question = (
            Layer(*(arrays[f"{side}_{part}"].astype(np.float32) for part in _LAYER))
            for side in ("code", "question")
        )
    return code, question


@cache
def load_static(name: str) -> StaticModel:
    """The model that ships with the package, or one of ours in a folder."""
    if name != BUILTIN:
        return StaticModel(Path(name), name)
    with as_file(files("codecompass.embed").joinpath(BUILTIN)) as folder:
        return StaticModel(folder, name)
