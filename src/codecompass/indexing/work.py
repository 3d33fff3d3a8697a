"""One file in, its rows out: read → parse → rows; runs in processes of its own (`parsing`)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from codecompass.config.settings import IndexSettings
from codecompass.indexing.views import VIEWS_VERSION, build_views, chunk_texts
from codecompass.link.families import LINK_VERSION
from codecompass.model.facts import FileFacts
from codecompass.model.occurrence import Occurrence
from codecompass.model.snapshot import VersionId, VersionKey
from codecompass.model.source import SkipReason, SourceText
from codecompass.parse.detect import detect_language, language_by_name
from codecompass.parse.extract import extract, extract_as_text, extractor_version, load_language
from codecompass.parse.language import Language
from codecompass.parse.languages import BY_NAME, LANGUAGES
from codecompass.parse.occurrences import Occurrences
from codecompass.source.memory import give_back_memory
from codecompass.source.objects import read_blobs
from codecompass.source.read import read_source, stamp_of, text_of_blob
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.grams import gram_slots, pack_grams, texts_in
from codecompass.store.vectors import VectorRows
from codecompass.store.versions import TextViews, VersionRows, encode_version
from codecompass.text.identifiers import split_name
from codecompass.text.masks import Secret, masked_text
from codecompass.text.secrets import HINTS, find_secrets
from codecompass.text.words import word_pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from codecompass.embed.static import StaticModel

# What is remembered of why a file could not be parsed.
_MAX_REASON = 200


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A file to extract, and the id its version gets if its content is new."""

    path: str
    version_id: VersionId
    blob_id: str = ""  # of a file in a commit; "" for one on the disk
    model: str = ""  # that says what its parts mean; "": none, or one that is asked later
    failure: str = ""  # why it is not to be parsed: it killed a parser


@dataclass(frozen=True, slots=True)
class ExtractedFile:
    """What a parser says of one file: rows for the stores, or why there are none."""

    path: str
    size_bytes: int
    stamp: int
    blob_id: str = ""
    skip_reason: SkipReason | None = None
    rows: VersionRows | None = None


@dataclass(frozen=True, slots=True)
class FileTexts:
    """What the parts of a known content say: as vectors of a model here, or as texts."""

    version_id: VersionId
    texts: tuple[tuple[int, str], ...] = ()
    vectors: VectorRows | None = None


@dataclass(frozen=True, slots=True)
class FileNames:
    """What a name is at each place of a content; None if that cannot be told."""

    version_id: VersionId
    occurrences: tuple[Occurrence, ...] | None = None


def load_grammars(items: Sequence[WorkItem]) -> None:
    """Load what parsing these files takes, for all the processes that are forked next."""
    for language in {language_by_name(item.path) for item in items}:
        if language is not None:
            load_language(language)


def load_for(items: Sequence[WorkItem]) -> None:
    """Load what extracting these files takes, for all the processes that are forked next.

    A text of ours is extracted: this process needs most of it too, to find out what names mean.
    """
    for language in {language_by_name(item.path) for item in items}:
        if language is not None and load_language(language):
            text, _, slots = _without_secrets(language, b"\n")
            build_views(text, extract(language, text), _model(items[0].model))
            pack_grams(slots)


def extract_files(
    root: Path, items: Sequence[WorkItem], settings: IndexSettings
) -> Iterator[ExtractedFile]:
    """Extract several files; one bad file is reported, never fatal."""
    blobs = read_blobs(root, [item.blob_id for item in items if item.blob_id])
    for item in items:
        if item.blob_id:
            yield _extract_blob(root, item, blobs.get(item.blob_id), settings)
        else:
            yield _extract_file(root, item, settings)


def texts_of_files(
    root: Path, items: Sequence[WorkItem], settings: IndexSettings
) -> Iterator[FileTexts]:
    """What the parts of known contents say; nothing of those that are gone."""
    for item in items:
        source = _known_source(root, item, settings)
        if source is None:
            yield FileTexts(item.version_id)
            continue
        language = detect_language(item.path, source.text)
        text = _without_secrets(language, source.text).text
        facts, _ = _facts_of(language, text, item.failure)
        model = _model(item.model)
        if model is not None:
            vectors = build_views(text, facts, model).vectors
            yield FileTexts(item.version_id, vectors=vectors)
        else:
            yield FileTexts(item.version_id, tuple(chunk_texts(text, facts)))


def names_of_files(
    root: Path, items: Sequence[WorkItem], settings: IndexSettings, name: str
) -> Iterator[FileNames]:
    """What a name is wherever it stands as a word; nothing of contents that are gone."""
    pattern = word_pattern(name)
    for item in items:
        source = _known_source(root, item, settings)
        if source is None or item.failure:
            yield FileNames(item.version_id)
            continue
        language = detect_language(item.path, source.text)
        text = _without_secrets(language, source.text).text
        places = [found.span() for found in pattern.finditer(text)]
        try:
            yield FileNames(item.version_id, tuple(_occurrences().find(language, text, places)))
        except Exception:  # noqa: BLE001  # the top of a worker: one bad file never fails a question
            yield FileNames(item.version_id)


@cache
def _occurrences() -> Occurrences:
    """Of this process: files that were parsed for one name need not be for the next."""
    return Occurrences()


def _known_source(root: Path, item: WorkItem, settings: IndexSettings) -> SourceText | None:
    """The very content of an id, from the disk or from git."""
    limit = settings.max_line_bytes
    found = read_source(root, item.path, max_bytes=settings.max_file_bytes, max_line_bytes=limit)
    if isinstance(found, SourceText) and found.blob_id == item.blob_id:
        return found
    raw = read_blobs(root, [item.blob_id]).get(item.blob_id)
    if raw is None:
        return None
    found = text_of_blob(raw, item.blob_id, item.path, max_line_bytes=limit)
    return None if isinstance(found, SkipReason) else found


def forget_words(model: str) -> None:
    """Remember no guesses from file to file, and no words where they have become many."""
    known = _model(model)
    if known is not None:
        known.forget()
    if shared_analyzer().is_full:
        shared_analyzer().forget()
        split_name.cache_clear()
        give_back_memory()


def _extract_file(root: Path, item: WorkItem, settings: IndexSettings) -> ExtractedFile:
    """Read and extract one file of the disk."""
    source = read_source(
        root,
        item.path,
        max_bytes=settings.max_file_bytes,
        max_line_bytes=settings.max_line_bytes,
    )
    if isinstance(source, SkipReason):
        size_bytes, stamp = _size_and_time(root, item.path)
        if source is SkipReason.UNREADABLE:
            stamp = 0  # look again: it may have been away for a moment only
        return ExtractedFile(item.path, size_bytes, stamp, skip_reason=source)
    return _extract_source(root, item, source)


def _extract_blob(
    root: Path, item: WorkItem, raw: bytes | None, settings: IndexSettings
) -> ExtractedFile:
    """Extract one file of a commit."""
    if raw is None:
        return ExtractedFile(item.path, 0, 0, item.blob_id, skip_reason=SkipReason.NOT_FETCHED)
    source = text_of_blob(raw, item.blob_id, item.path, max_line_bytes=settings.max_line_bytes)
    if isinstance(source, SkipReason):
        return ExtractedFile(item.path, len(raw), 0, item.blob_id, skip_reason=source)
    return _extract_source(root, item, source)


def _extract_source(root: Path, item: WorkItem, source: SourceText) -> ExtractedFile:
    key = version_key(item.path, source)
    try:
        language = BY_NAME[key.language]
        text, masks, slots = _without_secrets(language, source.text)
        facts, failure = _facts_of(language, text, item.failure)
        views = build_views(text, facts, _model(item.model))
        texts = TextViews(pack_grams(slots), views.documents, views.vectors, masks)
    except Exception:  # noqa: BLE001  # the top of a worker: one bad file never fails a run
        return given_up(root, item)
    size_bytes = source.size_bytes
    rows = encode_version(
        item.version_id, key, facts, size_bytes=size_bytes, views=texts, failure=failure
    )
    return ExtractedFile(item.path, size_bytes, source.stamp, source.blob_id, rows=rows)


class _Masked(NamedTuple):
    """A text as it is indexed: no secret of a file gets into the store, or to a provider."""

    text: bytes
    masks: tuple[Secret, ...]
    slots: NDArray[np.bool_]  # the pieces of the text


def _without_secrets(language: Language, text: bytes) -> _Masked:
    slots = gram_slots(text)
    masks = tuple(find_secrets(text, language.secrets, texts_in(slots, HINTS)))
    if masks:
        text = masked_text(text, masks)
        slots = gram_slots(text)
    return _Masked(text, masks, slots)


def _facts_of(language: Language, text: bytes, failure: str) -> tuple[FileFacts, str]:
    """What a text states, and why it was not parsed if it was not: then it is plain text."""
    if not failure:
        try:
            facts = extract(language, text)
        except Exception as error:  # noqa: BLE001  # a fault of ours must not hide the file
            failure = f"{type(error).__name__}: {error}"[:_MAX_REASON]
        else:
            is_plain = facts.is_windowed and facts.has_errors
            return facts, "nested too deeply" if is_plain else ""
    return extract_as_text(language, text), failure


def _model(name: str) -> StaticModel | None:
    """The model of a name, loaded when the first file needs it."""
    if not name:
        return None
    from codecompass.embed.static import load_static  # with it numpy and a table of 17 MB

    return load_static(name)


def given_up(root: Path, item: WorkItem) -> ExtractedFile:
    """The report on a file of which not even the text can be indexed; not tried again as it is."""
    size_bytes, stamp = (0, 0) if item.blob_id else _size_and_time(root, item.path)
    crashed = SkipReason.CRASHED
    return ExtractedFile(item.path, size_bytes, stamp, item.blob_id, skip_reason=crashed)


def version_key(path: str, source: SourceText) -> VersionKey:
    """By what a content at a path is known."""
    language = detect_language(path, source.text)
    return VersionKey(source.blob_id, language.name, current_extractor(language.name))


def key_by_name(path: str, blob_id: str) -> VersionKey | None:
    """By what a content at a path is known, if the path alone decides on the language."""
    language = language_by_name(path)
    if language is None:
        return None
    return VersionKey(blob_id, language.name, current_extractor(language.name))


@cache
def admission_rules(settings: IndexSettings) -> str:
    """A text that changes when other files would be read, or in another language."""
    limits = f"{settings.max_file_bytes}|{settings.max_line_bytes}"
    table = [(row.name, row.suffixes, row.filenames, row.interpreters) for row in LANGUAGES]
    rules = f"{limits}|{table}|{LINK_VERSION}"
    return hashlib.blake2b(rules.encode(), digest_size=6).hexdigest()


@cache
def current_extractor(language: str) -> str:
    """The version of a language's extraction rules in this process."""
    return f"{extractor_version(BY_NAME[language])}.{VIEWS_VERSION}.{_model_digest()}"


@cache
def _model_digest() -> str:
    """A part of every version's key: another model that ships means other vectors."""
    card = files("codecompass.embed").joinpath("builtin", "card.json").read_bytes()
    return hashlib.blake2b(card, digest_size=3).hexdigest()


def _size_and_time(root: Path, path: str) -> tuple[int, int]:
    try:
        seen = os.lstat(root / path)
    except OSError:
        return 0, 0
    return seen.st_size, stamp_of(seen)
