r"""Held-out packages: question = doc, corpus = the package; MRR@10 of the model and of BM25.

    python training/mine.py ARCHIVES HELD --only DATA/heldout.txt
    python training/evaluate.py HELD MODEL

MODEL is the folder that ships; its vectors are compared as they are stored, as 8-bit
integers. BM25 (k1 1.2, b 0.75) is asked twice: by words (identifiers split, in lower
case, of more than one letter), and by the terms of our index (stems, and whole
identifiers beside their parts), which is stronger. Printed by language: packages with at
least 50 documented definitions, questions, the figures, and what the model gains over each.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from prepare import read_package

from codecompass.embed.static import StaticModel
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.vectors import small_integers
from codecompass.text.identifiers import split_name

_K1, _B = 1.2, 0.75
_LEAST = 50  # questions of one package and language
_MIXED = {"tsx": "typescript"}


def bm25_scores(questions: Sequence[Counter[str]], texts: Sequence[dict[str, int]]) -> np.ndarray:
    """Every question beside every text."""
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    lengths = np.array([sum(counts.values()) for counts in texts], float)
    for number, counts in enumerate(texts):
        for term, count in counts.items():
            postings[term].append((number, count))
    usual = _K1 * (1 - _B + _B * lengths / lengths.mean())
    scores = np.zeros((len(questions), len(texts)))
    for row, question in zip(scores, questions, strict=True):
        for term in question:
            found = postings.get(term, ())
            rarity = np.log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                row[number] += rarity * count * (_K1 + 1) / (count + usual[number])
    return scores


def reciprocal_ranks(scores: np.ndarray) -> np.ndarray:
    """1 / rank of each question's own text, 0 beyond the tenth; ties count against it."""
    own = scores.diagonal()[:, None]
    ranks = (scores >= own).sum(axis=1)
    return np.where(ranks <= 10, 1 / ranks, 0.0)


def _words(counts: dict[str, int]) -> dict[str, int]:
    return {word: count for word, count in counts.items() if len(word) > 1}


def main() -> None:
    """Evaluate."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("held", type=Path)
    parser.add_argument("model", type=Path)
    given = parser.parse_args()
    model = StaticModel(given.model)
    analyzer = shared_analyzer()
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for file in sorted(given.held.glob("*/*.jsonl.gz")):
        rows = [row for row in read_package(file) if row["d"] and row["n"]]
        if len(rows) < _LEAST:
            continue
        questions = [analyzer.count_terms(row["d"]) for row in rows]
        texts = [row["c"] for row in rows]
        words = [Counter(_words(Counter(split_name(row["d"])))) for row in rows]
        lexical = reciprocal_ranks(bm25_scores(words, [_words(row["w"]) for row in rows]))
        whole = reciprocal_ranks(bm25_scores(questions, texts))
        code = small_integers(model.embed_code(texts)).astype(np.float32)
        asked = np.array([model.embed_question(list(question)) for question in questions])
        alike = reciprocal_ranks(small_integers(asked).astype(np.float32) @ code.T)
        languages = np.array([_MIXED.get(row["l"], row["l"]) for row in rows])
        for language in set(languages):
            inside = languages == language
            if inside.sum() >= _LEAST:
                means = [float(worth[inside].mean()) for worth in (lexical, whole, alike)]
                found[language].append((*means, float(inside.sum())))
    print("| language | packages | questions | BM25, words | BM25, terms | model | gains |")
    print("|---|---|---|---|---|---|---|")
    for language, values in sorted(found.items()):
        table = np.array(values)
        plain, terms, model_, _ = table.mean(axis=0)
        counts = f"{len(values)} | {int(table[:, 3].sum())}"
        gains = f"{model_ / plain - 1:+.0%} / {model_ / terms - 1:+.0%}"
        figures = f"{plain:.3f} | {terms:.3f} | {model_:.3f} | {gains}"
        print(f"| {language} | {counts} | {figures} |")


if __name__ == "__main__":
    main()
