"""A Model2Vec folder: `tokenizer.json` and a table of vectors in `model.safetensors`."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from codecompass.embed.static import Vectors
from codecompass.embed.tokenizer import load_tokenizer
from codecompass.errors import BadInput

_TYPES = {"F32": np.float32, "F16": np.float16, "F64": np.float64, "I8": np.int8}
_HEAD_BYTES = 8
# Longer texts are cut: what comes first says what they are about.
_MAX_TOKENS = 2_048


class Model2VecModel:
    """Sums of token vectors, as the model's maker meant them: plain means."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = load_tokenizer(folder)
        tables, digest = _tensors(folder / "model.safetensors")
        table = tables.get("embeddings", tables.get("embedding.weight"))
        if table is None:
            raise BadInput(f"semantic.model: {folder} holds no table of embeddings")
        self._table: Any = table
        self._weights = tables.get("weights")
        self._mapping = tables.get("mapping")
        self.id = f"model2vec-{folder.name}-{digest}"

    def embed_code(self, texts: Sequence[str]) -> Vectors:
        """The vectors of pieces of code."""
        found = [self.embed_question(text) for text in texts]
        return np.array(found, np.float32).reshape(-1, self._table.shape[1])

    def embed_question(self, text: str) -> Vectors:
        """The vector of a text; questions are no different from code."""
        tokens = self._tokenizer.encode(text, add_special_tokens=False).ids[:_MAX_TOKENS]
        if not tokens:
            return np.zeros(self._table.shape[1], np.float32)
        rows = self._mapping[tokens] if self._mapping is not None else tokens
        vectors = self._table[rows].astype(np.float32)
        if self._weights is not None:
            vectors = vectors * self._weights[tokens].astype(np.float32)[:, None]
        mean: Vectors = vectors.mean(axis=0)
        return mean / np.float32(max(float(np.linalg.norm(mean)), 1e-12))


def _tensors(file: Path) -> tuple[dict[str, Any], str]:
    """The arrays of a safetensors file, mapped into memory, and a short name for its head."""
    with file.open("rb") as data:
        size = int.from_bytes(data.read(_HEAD_BYTES), "little")
        head = data.read(size)
    places = json.loads(head)
    places.pop("__metadata__", None)
    whole = np.memmap(file, np.uint8, "r")
    found = {}
    for name, place in places.items():
        start, end = (_HEAD_BYTES + size + offset for offset in place["data_offsets"])
        kind = np.int64 if place["dtype"] == "I64" else _TYPES.get(place["dtype"])
        if kind is not None:
            found[name] = whole[start:end].view(kind).reshape(place["shape"])
    sample = head + whole[:: max(1, len(whole) // 4_096)].tobytes()
    return found, hashlib.blake2b(sample, digest_size=4).hexdigest()
