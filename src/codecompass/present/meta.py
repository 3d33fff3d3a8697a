"""What is known about an answer in, its metadata out; answers as plain JSON values."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from codecompass.model.answer import OVERLAY, Completeness, IndexingStatus, Meta, Seen
from codecompass.model.refs import short_commit
from codecompass.model.search import IntentGuess, SemanticUse
from codecompass.model.snapshot import SnapshotCounts
from codecompass.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_SHOWN_SUBMODULES = 3


def make_meta(
    seen: Seen,
    *,
    shown: int,
    total: int,
    elapsed_ms: int,
    content: object,
    searched: SnapshotCounts | None,
) -> Meta:
    """Metadata of an answer from a ready index; `searched` is given when nothing was found."""
    is_cut = shown < total
    is_partial = bool(seen.not_fetched or seen.is_sparse or seen.submodules)
    completeness = Completeness.TRUNCATED if is_cut else Completeness.COMPLETE
    return Meta(
        freshness_status=seen.freshness,
        indexing_status=IndexingStatus.READY,
        result_completeness=Completeness.PARTIAL if is_partial else completeness,
        not_fetched_files=seen.not_fetched or None,
        is_sparse=seen.is_sparse or None,
        absent_submodules=seen.submodules or None,
        stale_reason=seen.problem or None,
        ref=seen.ref,
        commit=short_commit(seen.commit) if seen.commit else None,
        source_layer=OVERLAY if seen.is_overlay else "base",
        elapsed_ms=elapsed_ms,
        estimated_tokens=estimate_tokens(str(plain(content))),
        safety_limit_applied=is_cut,
        searched_files=searched.files if searched else None,
        searched_symbols=searched.symbols if searched else None,
    )


def state_line(meta: Meta) -> str:
    """Which state of the code an answer is about, for the first line of a text."""
    at = f" @{meta.commit}" if meta.commit else ""
    why = f" ({meta.stale_reason})" if meta.stale_reason else ""
    return f"index {meta.freshness_status}{why}{at} · {meta.ref}{lacking(meta)}"


def lacking(meta: Meta) -> str:
    """What an answer lacks, to stand behind something else; "" if nothing."""
    count = meta.not_fetched_files
    fetched = f" · partial: {count:,} files not fetched" if count else ""
    sparse = " · partial: sparse checkout, only its files were searched" if meta.is_sparse else ""
    names = meta.absent_submodules or ()
    shown = ", ".join(names[:_SHOWN_SUBMODULES]) + (
        ", …" if len(names) > _SHOWN_SUBMODULES else ""
    )
    modules = f" · partial: submodules not checked out: {shown}" if names else ""
    return fetched + sparse + modules


def about_search(
    meta: Meta,
    guess: IntentGuess,
    *,
    semantic: SemanticUse,
    suppressed: int = 0,
    is_partial: bool = False,
) -> Meta:
    """The same metadata with what only a search knows."""
    completeness = Completeness.PARTIAL if is_partial else meta.result_completeness
    return replace(
        meta,
        query_intent=str(guess.intent),
        query_intent_confidence=guess.confidence,
        suppressed_duplicate_count=suppressed,
        result_completeness=completeness,
        semantic_triggered=bool(semantic.ratio),
        semantic_skipped_reason=semantic.skipped_reason or None,
        semantic_ratio_used=semantic.ratio or None,
        embedding_model_version=semantic.model or None,
        external_provider_blocked=semantic.is_blocked or None,
    )


def plain(value: object) -> object:
    """An answer as dicts, lists and scalars for JSON; fields that say nothing are left out."""
    if value is None or (isinstance(value, str | int | float) and not isinstance(value, Enum)):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((name, getattr(value, name)) for name in _told(type(value)))
        return {name: plain(content) for name, content in pairs if content is not None}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(content) for key, content in value.items()}
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    return value


@cache
def _told(kind: type["DataclassInstance"]) -> tuple[str, ...]:
    """The fields of an answer that are told."""
    return tuple(item.name for item in fields(kind) if item.metadata.get("is_told", True))
