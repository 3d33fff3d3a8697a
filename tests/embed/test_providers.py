"""Providers of vectors and scores, spoken to over real HTTP, served by this very process."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from codecompass.engine.engine import Engine
from codecompass.errors import ConfigInvalid
from codecompass.model.search import SearchMode, SearchOptions
from tests.conftest import Repo

DIMS = 8
FILES = {
    "store.py": "def save_document(path, text):\n    path.write_text(text)\n",
    "net.py": "def fetch_page(address):\n    return urlopen(address).read()\n",
}


class Fake:
    """A provider that behaves as it is told."""

    def __init__(self) -> None:
        self.behaviour = "good"
        self.requests: list[tuple[str, dict[str, Any], str]] = []

    def answer(self, path: str, payload: dict[str, Any]) -> tuple[int, bytes]:
        said, self.behaviour = self.behaviour, self.behaviour.removesuffix(" once")
        if said == "busy once":
            self.behaviour = "good"
            return 429, b"{}"
        if said == "slow":
            time.sleep(0.8)
        if said in ("429", "500"):
            return int(said), b"{}"
        if said == "no json":
            return 200, b"<html>"
        dims = 3 if said == "other dimensions" else DIMS
        body = json.dumps(_good(path, payload, dims))
        return 200, (body.replace("0.01", "NaN") if said == "no numbers" else body).encode()


def _good(path: str, payload: dict[str, Any], dims: int) -> dict[str, Any]:
    if "rerank" in path:
        rows = [
            {"index": index, "relevance_score": float("fetch" in text)}
            for index, text in enumerate(payload["documents"])
        ]
        return {"data": rows, "results": rows}
    vectors = [_vector(text, dims) for text in payload.get("input") or payload["texts"]]
    rows = [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return {"data": rows[::-1], "embeddings": {"float": vectors}}


def _vector(text: str, dims: int) -> list[float]:
    """Texts that speak of pages or addresses are like each other, all others by chance."""
    if "page" in text or "website" in text:
        return [1.0] + [0.01] * (dims - 1)
    digest = hashlib.sha256(text.encode()).digest()
    return [0.0] + [byte / 255 - 0.5 for byte in digest[1:dims]]


@pytest.fixture
def fake() -> Iterator[Fake]:
    told = Fake()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.requests.append((self.path, payload, self.headers.get("Authorization", "")))
            status, body = told.answer(self.path, payload)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that did not wait

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    told.address = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    yield told
    server.shutdown()
    server.server_close()
    thread.join()


def _flags(fake: Fake, **more: object) -> dict[str, object]:
    return {
        "semantic.model": "voyage:code",
        "semantic.endpoint": fake.address,  # type: ignore[attr-defined]
        "semantic.external_provider_enabled": True,
        "semantic.allow_code_payload_to_external": True,
        "semantic.timeout_s": 0.5,
        "semantic.retries": 1,
        **more,
    }


MEANT = SearchOptions(SearchMode.SEMANTIC)


@pytest.mark.parametrize("provider", ["voyage", "openai", "cohere"])
def test_vectors_come_from_the_provider(
    repo: Repo, fake: Fake, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "secret-key")
    repo.commit(FILES)
    with Engine.open(repo.root, flags=_flags(fake, **{"semantic.model": f"{provider}:x"})) as e:
        e.index()
        answer = e.search("get a website", options=MEANT)
    assert [result.path for result in answer.results][:1] == ["net.py"]
    assert answer.meta.semantic_triggered
    assert answer.meta.embedding_model_version.startswith(f"{provider}-x-")
    assert {key for _, _, key in fake.requests} == {"Bearer secret-key"}
    assert "secret-key" not in json.dumps([payload for _, payload, _ in fake.requests])


def test_the_version_may_stand_in_the_address(repo: Repo, fake: Fake) -> None:
    repo.commit(FILES)
    address = f"{fake.address}/v1/"  # type: ignore[attr-defined]
    with Engine.open(repo.root, flags=_flags(fake, **{"semantic.endpoint": address})) as engine:
        engine.index()
        assert engine.search("get a website", options=MEANT).meta.semantic_triggered
    assert {path for path, *_ in fake.requests} == {"/v1/embeddings"}


def test_texts_are_sent_in_batches(repo: Repo, fake: Fake) -> None:
    many = "\n\n".join(f"def name_{i}(value):\n    return value + {i}" for i in range(10))
    repo.commit({"many.py": many + "\n"})
    with Engine.open(repo.root, flags=_flags(fake, **{"semantic.batch": 4})) as engine:
        engine.index()
    sizes = [len(payload["input"]) for _, payload, _ in fake.requests]
    assert max(sizes) == 4
    assert sum(sizes) == 11  # and the file itself


def test_only_new_contents_are_sent(repo: Repo, fake: Fake) -> None:
    repo.commit(FILES)
    with Engine.open(repo.root, flags=_flags(fake)) as engine:
        engine.index()
        before = len(fake.requests)
        engine.index()
        assert len(fake.requests) == before
        repo.write({"third.py": "def third(page):\n    return page\n"})
        engine.index()
    sent = json.dumps([payload for _, payload, _ in fake.requests[before:]])
    assert "third" in sent
    assert "save_document" not in sent


def test_one_refusal_is_tried_again(repo: Repo, fake: Fake) -> None:
    repo.commit(FILES)
    with Engine.open(repo.root, flags=_flags(fake)) as engine:
        engine.index()
        fake.behaviour = "busy once"
        answer = engine.search("get a website", options=MEANT)
    assert answer.meta.semantic_triggered


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("slow", "in time"),
        ("429", "HTTP 429"),
        ("500", "HTTP 500"),
        ("no json", "no JSON"),
        ("other dimensions", "wrong dimensions"),
        ("no numbers", "numbers that are none"),
    ],
)
def test_a_question_is_answered_by_words_when_the_provider_fails(
    repo: Repo, fake: Fake, behaviour: str, reason: str
) -> None:
    repo.commit(FILES)
    with Engine.open(repo.root, flags=_flags(fake)) as engine:
        engine.index()
    fake.behaviour = behaviour
    with Engine.open(repo.root, flags=_flags(fake)) as engine:
        answer = engine.search("fetch the page of an address")
        meant = engine.search("fetch the page of an address", options=MEANT)
    for found in (answer, meant):
        assert found.results[0].path == "net.py"
        assert found.meta.semantic_triggered is False
        assert reason in (found.meta.semantic_skipped_reason or "")
        assert any(reason in note for note in found.notes or ())


def test_an_index_is_built_without_the_provider_and_filled_later(repo: Repo, fake: Fake) -> None:
    repo.commit(FILES)
    fake.behaviour = "500"
    with Engine.open(repo.root, flags=_flags(fake)) as engine:
        assert "HTTP 500" in (engine.index().note or "")
        answer = engine.search("fetch the page of an address")
        assert answer.results[0].path == "net.py"
        assert answer.meta.semantic_skipped_reason.startswith("no_vectors")
        fake.behaviour = "good"
        engine.index()
        assert engine.search("get a website", options=MEANT).meta.semantic_triggered


@pytest.mark.parametrize(
    "gate", ["semantic.external_provider_enabled", "semantic.allow_code_payload_to_external"]
)
def test_nothing_is_sent_while_a_gate_is_closed(repo: Repo, fake: Fake, gate: str) -> None:
    repo.commit(FILES)
    flags = _flags(fake, **{gate: False, "semantic.rerank": "voyage:rank"})
    with Engine.open(repo.root, flags=flags) as engine:
        engine.index()
        answer = engine.search("fetch the page of an address")
    assert answer.results[0].path == "net.py"
    assert answer.meta.external_provider_blocked
    assert gate in (answer.meta.semantic_skipped_reason or "")
    assert fake.requests == []


def test_a_project_cannot_open_the_gates(repo: Repo) -> None:
    repo.commit({**FILES, "codecompass.toml": "[semantic]\nexternal_provider_enabled = true\n"})
    with pytest.raises(ConfigInvalid, match="not of a project"), Engine.open(repo.root):
        pass


@pytest.mark.parametrize("provider", ["voyage", "cohere"])
def test_the_best_are_ranked_once_more(repo: Repo, fake: Fake, provider: str) -> None:
    repo.commit(FILES)
    flags = _flags(fake, **{"semantic.model": "builtin", "semantic.rerank": f"{provider}:rank"})
    with Engine.open(repo.root, flags=flags) as engine:
        engine.index()
        answer = engine.search("save the document text at a path, read an address")
    assert answer.results[0].path == "net.py"  # whatever the words say
    assert fake.requests[0][0].endswith("/rerank")


def test_a_failed_rerank_leaves_the_order(repo: Repo, fake: Fake) -> None:
    repo.commit(FILES)
    flags = _flags(fake, **{"semantic.model": "builtin", "semantic.rerank": "cohere:rank"})
    fake.behaviour = "500"
    with Engine.open(repo.root, flags=flags) as engine:
        engine.index()
        answer = engine.search("save document text")
    assert answer.results[0].path == "store.py"
    assert any("not reranked" in note for note in answer.notes or ())
