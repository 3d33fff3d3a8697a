"""The best hits ranked once more by a provider, if the settings name one and allow it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from codecompass.errors import CodeCompassError
from codecompass.model.search import Factor
from codecompass.search.rank import order

if TYPE_CHECKING:
    from collections.abc import Callable

    from codecompass.config.settings import SemanticSettings
    from codecompass.model.search import Hit
    from codecompass.search.search import Found

LOCAL = "local"


def reranked(found: Found, settings: SemanticSettings, text_of: Callable[[Hit], str]) -> Found:
    """The hits with the provider's scores blended in; as they were, with a note, if it fails."""
    if settings.rerank == LOCAL or not found.hits:
        return found
    first = found.hits[: settings.rerank_candidates]
    try:
        scores = _scores(found.plan.question.text, [text_of(hit) for hit in first], settings)
    except CodeCompassError as error:
        return replace(found, notes=(*found.notes, f"not reranked: {error}"))
    share = settings.rerank_weight
    blended = [
        hit._replace(
            score=share * score + (1 - share) * hit.score,
            factors=(*hit.factors, Factor("rerank", share * (score - hit.score))),
        )
        for hit, score in zip(first, scores, strict=True)
    ]
    rest = found.hits[len(first) :]
    return replace(found, hits=(*sorted(blended, key=order), *rest))


def _scores(question: str, texts: list[str], settings: SemanticSettings) -> list[float]:
    from codecompass.embed.embedder import load_reranker  # opens connections

    return load_reranker(settings).scores(question, texts)
