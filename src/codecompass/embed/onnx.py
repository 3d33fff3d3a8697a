"""A transformer as an ONNX file beside its `tokenizer.json`, run on this machine's CPU."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from codecompass.embed.static import Vectors
from codecompass.embed.tokenizer import load_tokenizer
from codecompass.errors import ExtraMissing

_MAX_TOKENS = 512
_BATCH = 16


class OnnxModel:
    """The mean of the last layer's vectors over a text's tokens."""

    def __init__(self, folder: Path) -> None:
        try:
            import onnxruntime
        except ModuleNotFoundError as error:
            raise ExtraMissing(
                "this model needs the package onnxruntime",
                remediation="pip install 'codecompass[models]'",
            ) from error
        self._tokenizer = load_tokenizer(folder)
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        file = sorted(folder.glob("*.onnx"))[0]
        self._session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        self._inputs = {item.name for item in self._session.get_inputs()}
        digest = hashlib.blake2b(file.read_bytes(), digest_size=4).hexdigest()
        self.id = f"onnx-{folder.name}-{digest}"

    def embed_code(self, texts: Sequence[str]) -> Vectors:
        """The vectors of pieces of code."""
        parts = [self._embed(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, 1), np.float32)

    def embed_question(self, text: str) -> Vectors:
        """The vector of a question."""
        found: Vectors = self._embed([text])[0]
        return found

    def _embed(self, texts: Sequence[str]) -> Vectors:
        encoded = [self._tokenizer.encode(text or " ").ids for text in texts]
        width = max(map(len, encoded))
        ids = np.zeros((len(texts), width), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(encoded):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {name: value for name, value in given.items() if name in self._inputs}
        layer = np.asarray(self._session.run(None, feed)[0], np.float32)
        if layer.ndim == 3:
            weights = mask[:, :, None].astype(np.float32)
            layer = (layer * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        lengths = np.linalg.norm(layer, axis=1, keepdims=True)
        scaled: Vectors = layer / np.maximum(lengths, np.float32(1e-12))
        return scaled
