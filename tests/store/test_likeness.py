"""Vectors of a snapshot beside a question's, few and so many that another thread compares them."""

import numpy as np
import pytest

from codecompass.model.search import Place
from codecompass.model.snapshot import VersionId
from codecompass.store.likeness import Likeness, SnapshotVectors
from codecompass.store.vectors import ORDINAL

_DIMS = 16


@pytest.mark.parametrize("count", [50, 20_000])
def test_the_most_alike_are_those_of_the_largest_products(count: int) -> None:
    chance = np.random.default_rng(5)
    matrix = chance.integers(-127, 128, (count, _DIMS), np.int8)
    ordinals = np.arange(count, dtype=ORDINAL).tobytes()
    vectors = SnapshotVectors(matrix, [(VersionId(3), 0, ordinals)], {VersionId(3): 0})
    question = chance.normal(size=_DIMS).astype(np.float32)
    question /= np.linalg.norm(question)
    asked = np.rint(question * 127).astype(np.int64)
    products = matrix.astype(np.int64) @ asked

    alike = Likeness(vectors, question)

    best = [place.ordinal for place in alike.best(5, None)]
    assert [products[ordinal] for ordinal in best] == sorted(products)[: -5 - 1 : -1]
    some = [Place(VersionId(3), ordinal) for ordinal in (0, 7, count - 1)]
    assert alike.at(some) == {
        place: pytest.approx(products[place.ordinal] / 127**2) for place in some
    }
