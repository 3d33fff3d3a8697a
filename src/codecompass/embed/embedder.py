"""What turns texts into vectors: one protocol, and the settings' choice among its kinds."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from codecompass.config.settings import SemanticSettings
from codecompass.embed.static import BUILTIN, StaticModel, load_static
from codecompass.errors import BadInput, ProviderBlocked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codecompass.embed.providers import ProviderReranker
    from codecompass.embed.static import Vectors


class TextEmbedder(Protocol):
    """A model that reads texts, on this machine or elsewhere; its vectors have the length 1."""

    id: str

    def embed_code(self, texts: "Sequence[str]") -> "Vectors":
        """The vectors of pieces of code."""
        ...

    def embed_question(self, text: str) -> "Vectors":
        """The vector of a question."""
        ...


Embedder = StaticModel | TextEmbedder
"""Ours counts terms, which the index has at hand; all others read texts."""


def load_embedder(settings: SemanticSettings) -> Embedder | None:
    """The model that the settings name; None if they want none."""
    if settings.mode == "off":
        return None
    if settings.model == BUILTIN:
        return load_static(BUILTIN)
    provider, _, name = settings.model.partition(":")
    if name and provider in PROVIDERS:
        check_gate(settings, settings.model)
        from codecompass.embed.providers import ProviderEmbedder  # opens connections

        return ProviderEmbedder(provider, name, settings)
    return _from_folder(Path(settings.model).expanduser())


def load_reranker(settings: SemanticSettings) -> "ProviderReranker":
    """The provider that ranks once more."""
    provider, _, name = settings.rerank.partition(":")
    if provider not in RERANKERS or not name:
        raise BadInput(
            f"semantic.rerank: given {settings.rerank}",
            remediation=f"give local or one of {', '.join(f'{p}:MODEL' for p in RERANKERS)}",
        )
    check_gate(settings, settings.rerank)
    from codecompass.embed.providers import ProviderReranker

    return ProviderReranker(provider, name, settings)


PROVIDERS = ("voyage", "openai", "cohere")
"""Whom code may be sent to, if the user allows it."""
RERANKERS = ("voyage", "cohere")


def check_gate(settings: SemanticSettings, model: str) -> None:
    """Refuse to send anything anywhere unless both settings allow it."""
    closed = [
        f"semantic.{name}"
        for name in ("external_provider_enabled", "allow_code_payload_to_external")
        if not getattr(settings, name)
    ]
    if closed:
        raise ProviderBlocked(
            f"{model} would get code from this machine; {' and '.join(closed)} forbid it",
            remediation=f"set {' and '.join(closed)} to true, or semantic.model to {BUILTIN}",
        )


def _from_folder(folder: Path) -> Embedder:
    """A model in a folder: one of ours, a Model2Vec one, or an ONNX one."""
    if (folder / "table.npy").exists():
        return load_static(str(folder))
    if (folder / "model.safetensors").exists():
        from codecompass.embed.model2vec import Model2VecModel

        return Model2VecModel(folder)
    if any(folder.glob("*.onnx")):
        from codecompass.embed.onnx import OnnxModel

        return OnnxModel(folder)
    raise BadInput(
        f"semantic.model: {folder} is no folder with a model",
        remediation=f"give {BUILTIN}, a folder with table.npy, model.safetensors or a .onnx"
        f" file, or one of {', '.join(f'{name}:MODEL' for name in PROVIDERS)}",
    )
