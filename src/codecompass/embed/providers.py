"""Models behind an address: embeddings and rerank scores, with a time limit and a few tries.

Nothing here runs unless the user allows code to leave the machine (`embedder.check_gate`).
Keys come from the environment and are never logged or shown.
"""

import hashlib
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import numpy as np

from codecompass.config.settings import SemanticSettings
from codecompass.embed.static import Vectors
from codecompass.errors import ProviderFailed

_MAX_ANSWER_BYTES = 64 << 20
_MAX_WAIT_S = 5.0
_FIRST_WAIT_S = 0.25
# So much of a chunk is sent; no model reads more of it than that.
_MAX_CHARS = 16_000


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider is, whose key it wants, and how it is spoken to."""

    address: str
    key_names: tuple[str, ...]
    embed_path: str
    embed_request: Callable[[str, Sequence[str], bool], dict[str, object]]
    embed_answer: Callable[[Any], list[list[float]]]
    rerank_path: str = ""
    rerank_field: str = ""  # of the answer, with the list of scores


def _listed(answer: Any) -> list[list[float]]:
    rows = sorted(answer["data"], key=lambda row: row["index"])
    return [row["embedding"] for row in rows]


_PROVIDERS = {
    "voyage": Provider(
        "https://api.voyageai.com",
        ("VOYAGE_API_KEY",),
        "/v1/embeddings",
        lambda model, texts, is_query: {
            "model": model,
            "input": list(texts),
            "input_type": "query" if is_query else "document",
        },
        _listed,
        "/v1/rerank",
        "data",
    ),
    "openai": Provider(
        "https://api.openai.com",
        ("OPENAI_API_KEY",),
        "/v1/embeddings",
        lambda model, texts, _: {"model": model, "input": list(texts)},
        _listed,
    ),
    "cohere": Provider(
        "https://api.cohere.com",
        ("COHERE_API_KEY", "CO_API_KEY"),
        "/v2/embed",
        lambda model, texts, is_query: {
            "model": model,
            "texts": list(texts),
            "input_type": "search_query" if is_query else "search_document",
            "embedding_types": ["float"],
        },
        lambda answer: answer["embeddings"]["float"],
        "/v2/rerank",
        "results",
    ),
}


class Client:
    """Asks one provider; tries again where that may help, and says plainly when it did not."""

    def __init__(self, name: str, settings: SemanticSettings) -> None:
        self.name = name
        self.provider = _PROVIDERS[name]
        self._settings = settings
        version = self.provider.embed_path.split("/")[1]  # many write it into the address
        address = (settings.endpoint or self.provider.address).rstrip("/")
        self._address = address.removesuffix(f"/{version}")

    def ask(self, path: str, payload: dict[str, object]) -> Any:
        """The answer to one request."""
        body = json.dumps(payload).encode()
        wait_s, problem = _FIRST_WAIT_S, ""
        deadline = time.monotonic() + self._settings.timeout_s
        for attempt in range(self._settings.retries + 1):
            left_s = deadline - time.monotonic()
            if attempt and left_s <= wait_s:
                break
            if attempt:
                time.sleep(wait_s)
                wait_s = min(_MAX_WAIT_S, wait_s * 2)
            try:
                return self._ask_once(path, body, max(0.1, deadline - time.monotonic()))
            except urllib.error.HTTPError as error:
                problem = f"HTTP {error.code}"
                if error.code != HTTPStatus.TOO_MANY_REQUESTS and error.code < 500:
                    break
                wait_s = max(wait_s, _retry_after(error))
            except (TimeoutError, urllib.error.URLError, OSError) as error:
                reason = getattr(error, "reason", error)
                is_late = isinstance(reason, TimeoutError)
                problem = "no answer in time" if is_late else f"not reachable ({reason})"
            except ValueError:
                problem = "an answer that is no JSON"
                break
        raise ProviderFailed(f"{self.name}: {problem or 'no answer in time'}")

    def _ask_once(self, path: str, body: bytes, timeout_s: float) -> Any:
        headers = {"Content-Type": "application/json"}
        key = next(filter(None, map(os.environ.get, self.provider.key_names)), None)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(  # noqa: S310  # the address is the user's setting
            self._address + path, data=body, headers=headers, method="POST"
        )
        with urllib.request.urlopen(request, timeout=timeout_s) as answer:  # noqa: S310
            return json.loads(answer.read(_MAX_ANSWER_BYTES))


def _retry_after(error: urllib.error.HTTPError) -> float:
    """What the provider asks for, within reason."""
    said = error.headers.get("Retry-After", "")
    return min(_MAX_WAIT_S, float(said)) if said.replace(".", "", 1).isdigit() else 0.0


class ProviderEmbedder:
    """Vectors from a provider."""

    def __init__(self, name: str, model: str, settings: SemanticSettings) -> None:
        self._client = Client(name, settings)
        self._model = model
        self._batch = settings.batch
        place = hashlib.blake2b(settings.endpoint.encode(), digest_size=3).hexdigest()
        readable = "".join(char if char.isalnum() else "-" for char in model)
        self.id = f"{name}-{readable}-{place}"
        self._dims = 0

    def embed_code(self, texts: Sequence[str]) -> Vectors:
        """The vectors of pieces of code, asked for in batches."""
        parts = [
            self._embed(texts[start : start + self._batch], is_query=False)
            for start in range(0, len(texts), self._batch)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self._dims), np.float32)

    def embed_question(self, text: str) -> Vectors:
        """The vector of a question."""
        found: Vectors = self._embed([text], is_query=True)[0]
        return found

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        provider = self._client.provider
        cut = [text[:_MAX_CHARS] or " " for text in texts]
        answer = self._client.ask(
            provider.embed_path, provider.embed_request(self._model, cut, is_query)
        )
        try:
            vectors: Vectors = np.array(provider.embed_answer(answer), np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise ProviderFailed(f"{self._client.name}: an answer without vectors") from error
        dims = vectors.shape[1] if vectors.ndim == 2 else 0
        if len(vectors) != len(texts) or not dims or dims != (self._dims or dims):
            raise ProviderFailed(f"{self._client.name}: vectors of wrong dimensions")
        if not np.isfinite(vectors).all():
            raise ProviderFailed(f"{self._client.name}: vectors with numbers that are none")
        self._dims = dims
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        scaled: Vectors = vectors / np.maximum(lengths, np.float32(1e-12))
        return scaled


class ProviderReranker:
    """Scores of texts for a question from a provider, between 0 and 1."""

    def __init__(self, name: str, model: str, settings: SemanticSettings) -> None:
        self._client = Client(name, settings)
        self._model = model

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question."""
        provider = self._client.provider
        payload: dict[str, object] = {
            "model": self._model,
            "query": question,
            "documents": [text[:_MAX_CHARS] or " " for text in texts],
        }
        answer = self._client.ask(provider.rerank_path, payload)
        try:
            found = {row["index"]: float(row["relevance_score"])
                     for row in answer[provider.rerank_field]}  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            raise ProviderFailed(f"{self._client.name}: an answer without scores") from error
        if set(found) != set(range(len(texts))):
            raise ProviderFailed(f"{self._client.name}: scores for other texts than were sent")
        return [min(1.0, max(0.0, found[index])) for index in range(len(texts))]
