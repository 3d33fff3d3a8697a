"""A question's meaning beside that of chunks, files and paths; asks the store's vectors."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from codecompass.embed.embedder import Embedder
from codecompass.embed.static import StaticModel, Vectors
from codecompass.errors import ProviderFailed
from codecompass.model.search import Intent, Place, SearchMode, SemanticUse
from codecompass.model.snapshot import VersionId
from codecompass.search.plan import Plan
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.likeness import Likeness
from codecompass.store.reader import SnapshotReader

NO_VECTORS = "no_vectors: codecompass index makes them"
# A name or a path that is surely meant as one is found by its letters, or is not there.
_SURE = 0.9
_LITERAL = frozenset({Intent.SYMBOL, Intent.PATH})


class Meaning:
    """One question, understood by one model."""

    def __init__(self, embedder: Embedder, question: Vectors, likeness: Likeness) -> None:
        self._embedder = embedder
        self._question = question
        self._likeness = likeness
        self.finds = True  # or only judges what words have found

    def best(
        self, limit: int, admitted: Callable[[VersionId], bool] | None, *, least: float
    ) -> list[Place]:
        """The chunks most like the question, of those that are at least so much like it."""
        return self._likeness.best(limit, admitted, least=least)

    def best_inside(self, versions: Sequence[VersionId], *, least: float) -> list[Place]:
        """Of each content the chunk most like the question, if it is so much like it."""
        return self._likeness.best_inside(versions, least=least)

    def at(self, places: Iterable[Place]) -> dict[Place, float]:
        """How much chunks and whole files are like the question."""
        return self._likeness.at(places)

    def of_paths(self, paths: Sequence[Sequence[str]]) -> list[float]:
        """How much the words of paths are like the question; only our own model reads words."""
        if not isinstance(self._embedder, StaticModel):
            return [0.0] * len(paths)
        found: list[float] = (self._embedder.embed_paths(paths) @ self._question).tolist()
        return found


def understand(
    reader: SnapshotReader, plan: Plan, embedder: Embedder, is_found: Callable[[], bool]
) -> tuple[Meaning | None, SemanticUse]:
    """What a question means to a model; without a meaning, why it was not asked.

    A name is not asked about if `is_found` says that something is called so.
    """
    use = SemanticUse(embedder.id)
    is_name = plan.guess.intent in _LITERAL
    is_hybrid = plan.options.mode is SearchMode.HYBRID
    if is_hybrid and is_name and (plan.guess.confidence >= _SURE or is_found()):
        return None, replace(use, skipped_reason="lexical_match")
    vectors = reader.vectors(embedder.id)
    if vectors is None or not len(vectors):
        return None, replace(use, skipped_reason=NO_VECTORS)
    try:
        question = _vector(plan, embedder)
    except ProviderFailed as error:
        return None, replace(use, skipped_reason=f"provider_failed: {error}")
    if len(question) != vectors.dims:
        return None, replace(use, skipped_reason="provider_failed: vectors of wrong dimensions")
    if not question.any() or not _is_known(plan, embedder):
        return None, replace(use, skipped_reason="unknown_words")
    ratio = plan.ranking.name_meaning if is_name else 1.0
    meaning = Meaning(embedder, question, Likeness(vectors, question))
    return meaning, replace(use, ratio=ratio)


def _is_known(plan: Plan, embedder: Embedder) -> bool:
    """Whether at least one word of a question is more than guessed."""
    if not isinstance(embedder, StaticModel) or plan.options.code_snippet:
        return True
    return any(term in embedder.words for term in plan.terms)


def _vector(plan: Plan, embedder: Embedder) -> Vectors:
    """The vector of a question, or of the code that more is wanted of."""
    snippet = plan.options.code_snippet
    if isinstance(embedder, StaticModel):
        if snippet:
            counts = shared_analyzer().count_terms(snippet)
            found: Vectors = embedder.embed_code([counts])[0]
            return found
        return embedder.embed_question(plan.terms)
    if snippet:
        first: Vectors = embedder.embed_code([snippet])[0]
        return first
    return embedder.embed_question(plan.question.text)
