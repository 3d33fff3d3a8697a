"""The model that ships: what its vectors are like, and that everything is in the package."""

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pytest

from codecompass.embed.ngrams import ngram_buckets
from codecompass.embed.static import BUILTIN, StaticModel, load_static
from codecompass.store.analyzers import shared_analyzer


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return load_static(BUILTIN)


def _question(model: StaticModel, text: str) -> np.ndarray:
    return model.embed_question(list(shared_analyzer().count_terms(text)))


def _code(model: StaticModel, text: str) -> np.ndarray:
    return model.embed_code([shared_analyzer().count_terms(text)])[0]


def test_vectors_have_the_length_one(model: StaticModel) -> None:
    vectors = model.embed_code([{"parse": 3, "json": 1}, {"socket": 1}])
    assert vectors.shape == (2, model.dims)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_a_text_without_words_is_nothing(model: StaticModel) -> None:
    assert not model.embed_code([{}])[0].any()
    assert not model.embed_question(["981273645", "_"]).any()
    assert model.embed_code([]).shape == (0, model.dims)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (
            "delete a file from disk",
            "def remove(path): os.unlink(path)",
            "def parse_json(text): return json.loads(text)",
        ),
        (
            "check whether the user may log in",
            "def authenticate(name, password): return verify(name, password)",
            "def draw(canvas, colour): canvas.fill(colour)",
        ),
        (
            "wait a while and try the request again",
            "for attempt in range(retries): sleep(backoff * attempt); send()",
            "class Matrix: def transpose(self): return Matrix(zip(*self.rows))",
        ),
    ],
)
def test_code_that_answers_is_nearer(
    model: StaticModel, question: str, right: str, wrong: str
) -> None:
    asked = _question(model, question)
    assert asked @ _code(model, right) > asked @ _code(model, wrong) + 0.1


def test_unknown_words_are_guessed_by_their_pieces(model: StaticModel) -> None:
    known, typo, other = "serializ", "serialzr", "qwzxv"
    assert typo not in model.words
    asked = model.embed_question([known])
    assert asked @ model.embed_question([typo]) > asked @ model.embed_question([other])


def test_pieces_are_of_words_only() -> None:
    assert ngram_buckets("a", 100) == []
    assert ngram_buckets("x86", 100) == []
    assert ngram_buckets("averyveryverylongidentifier", 100) == []
    assert len(ngram_buckets("retry", 100)) == 5 + 4 + 3


def test_the_order_of_terms_does_not_matter(model: StaticModel) -> None:
    one = model.embed_code([{"read": 1, "file": 2, "unknownwrd": 1}])
    two = model.embed_code([{"unknownwrd": 1, "file": 2, "read": 1}])
    assert np.allclose(one, two, atol=1e-6)


def test_the_package_holds_all_of_it_and_no_more_than_20_mb() -> None:
    folder = files("codecompass.embed").joinpath(BUILTIN)
    sizes = {item.name: len(item.read_bytes()) for item in folder.iterdir() if item.is_file()}
    assert sizes.keys() == {"card.json", "words.txt", "table.npy", "weights.npy", "layers.npz"}
    assert sum(sizes.values()) <= 20_000_000


def test_a_model_may_do_without_layers(model: StaticModel, tmp_path: Path) -> None:
    with as_file(files("codecompass.embed").joinpath(BUILTIN)) as folder:
        for name in ("card.json", "words.txt", "table.npy", "weights.npy"):
            shutil.copy(folder / name, tmp_path)
    plain = StaticModel(tmp_path)
    text = [{"remov": 1, "file": 1}, {}]
    for made, moved in [
        (plain.embed_code(text), model.embed_code(text)),
        (plain.embed_question(["remov"])[np.newaxis], model.embed_question(["remov"])[np.newaxis]),
    ]:
        assert np.linalg.norm(made[0]) == pytest.approx(1, abs=1e-5)
        assert 0 < made[0] @ moved[0] < 0.999
    assert not model.embed_code(text)[1].any()
