"""Models in folders: made here, as small as they come, and read as users' models are."""

import json
from pathlib import Path

import numpy as np
import pytest

from codecompass.config.settings import SemanticSettings
from codecompass.embed.embedder import load_embedder
from codecompass.engine.engine import Engine
from codecompass.errors import BadInput
from codecompass.model.search import SearchMode, SearchOptions
from tests.conftest import Repo

WORDS = ["[UNK]", "page", "website", "save", "document", "fetch", "text", "get", "a"]
FILES = {
    "store.py": "def save(document, text):\n    document.text = text\n",
    "net.py": "def fetch(page):\n    return page.text\n",
}


def _tokenizer(folder: Path) -> None:
    folder.mkdir()
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, "[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


def _table() -> np.ndarray:
    table = np.eye(len(WORDS), dtype=np.float32)
    table[WORDS.index("website")] = table[WORDS.index("page")]
    table[0] = 0
    return table


@pytest.fixture
def model2vec(tmp_path: Path) -> Path:
    folder = tmp_path / "potion"
    _tokenizer(folder)
    data = _table().tobytes()
    head = json.dumps(
        {"embeddings": {"dtype": "F32", "shape": [9, 9], "data_offsets": [0, len(data)]}}
    ).encode()
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    return folder


@pytest.fixture
def onnx_model(tmp_path: Path) -> Path:
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    folder = tmp_path / "transformer"
    _tokenizer(folder)
    helper, kinds = onnx.helper, onnx.TensorProto
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "look-up",
        [helper.make_tensor_value_info("input_ids", kinds.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("last_hidden_state", kinds.FLOAT, None)],
        [onnx.numpy_helper.from_array(_table(), "table")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 9
    onnx.save(made, folder / "model.onnx")
    return folder


@pytest.mark.parametrize("kind", ["model2vec", "onnx_model"])
def test_a_folder_is_searched_with(repo: Repo, kind: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(kind)
    repo.commit(FILES)
    with Engine.open(repo.root, flags={"semantic.model": str(folder)}) as engine:
        engine.index()
        answer = engine.search("get a website", options=SearchOptions(SearchMode.SEMANTIC))
    assert answer.results[0].path == "net.py"
    assert folder.name in (answer.meta.embedding_model_version or "")


def test_vectors_of_two_models_are_never_mixed(repo: Repo, model2vec: Path) -> None:
    repo.commit(FILES)
    with Engine.open(repo.root) as engine:
        engine.index()
        ours = engine.search("save a document").meta.embedding_model_version
    with Engine.open(repo.root, flags={"semantic.model": str(model2vec)}) as engine:
        engine.index()
        theirs = engine.search("save a document").meta
    assert theirs.semantic_triggered
    assert theirs.embedding_model_version != ours


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no folder with a model"):
        load_embedder(SemanticSettings(model=str(tmp_path)))


def test_a_question_survives_a_wrong_folder(repo: Repo, tmp_path: Path) -> None:
    repo.commit(FILES)
    with Engine.open(repo.root, flags={"semantic.model": str(tmp_path / "none")}) as engine:
        answer = engine.search("save a document")
    assert answer.results[0].path == "store.py"
    assert "no folder" in (answer.meta.semantic_skipped_reason or "")
