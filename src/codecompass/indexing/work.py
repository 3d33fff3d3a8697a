"""One file in, its rows out: read → parse → rows; runs in worker processes."""

from __future__ import annotations

import gc
import hashlib
import os
import signal
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from codecompass.config.settings import IndexSettings
from codecompass.indexing.bounds import is_near
from codecompass.indexing.views import VIEWS_VERSION, build_views
from codecompass.link.families import LINK_VERSION
from codecompass.model.snapshot import VersionId, VersionKey
from codecompass.model.source import SkipReason, SourceText
from codecompass.parse.detect import detect_language, language_by_name
from codecompass.parse.extract import extract, extractor_version
from codecompass.parse.languages import BY_NAME, LANGUAGES
from codecompass.source.memory import give_back_memory
from codecompass.source.objects import read_blobs
from codecompass.source.read import is_too_fresh, read_source, text_of_blob
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.grams import gram_bits
from codecompass.store.versions import TextViews, VersionRows, encode_version
from codecompass.text.identifiers import split_name

if TYPE_CHECKING:
    from codecompass.embed.static import StaticModel

_PARENT_POLL_S = 0.25


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A file to extract, and the id its version gets if its content is new."""

    path: str
    version_id: VersionId
    blob_id: str = ""  # of a file in a commit; "" for one on the disk
    model: str = ""  # that says what its parts mean; "": none, or one that is asked later


@dataclass(frozen=True, slots=True)
class ExtractedFile:
    """What a worker says of one file: rows for the stores, or why there are none."""

    path: str
    size_bytes: int
    mtime_ns: int
    blob_id: str = ""
    skip_reason: SkipReason | None = None
    rows: VersionRows | None = None


def start_worker() -> None:
    """Prepare a worker process: Ctrl-C is the parent's business, garbage is collected by us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    # Extraction makes millions of small objects and no cycles; looking for some took a
    # fifth of its time. What is loaded already is never looked at again.
    gc.freeze()
    gc.disable()


def _end_with_parent(parent: int) -> None:
    """End this process soon after its parent: a forked worker holds its writer lock too."""
    while os.getppid() == parent:
        time.sleep(_PARENT_POLL_S)
    os._exit(1)


def extract_batch(
    root: str, items: Sequence[WorkItem], settings: IndexSettings, memory_mib: int
) -> list[ExtractedFile]:
    """Extract several files; one bad file is reported, never fatal.

    What is remembered from file to file is forgotten where memory comes near its limit.
    """
    blobs = read_blobs(Path(root), [item.blob_id for item in items if item.blob_id])
    found = [
        _extract_blob(Path(root), item, blobs.get(item.blob_id), settings)
        if item.blob_id
        else extract_file(Path(root), item, settings)
        for item in items
    ]
    if is_near(memory_mib) and items:
        forget_words(items[0].model)
    return found


def forget_words(model: str) -> None:
    """Remember no guesses from file to file, and no words where they have become many."""
    known = _model(model)
    if known is not None:
        known.forget()
    if shared_analyzer().is_full:
        shared_analyzer().forget()
        split_name.cache_clear()
        give_back_memory()


def extract_file(root: Path, item: WorkItem, settings: IndexSettings) -> ExtractedFile:
    """Read and extract one file of the disk."""
    source = read_source(
        root,
        item.path,
        max_bytes=settings.max_file_bytes,
        max_line_bytes=settings.max_line_bytes,
    )
    if isinstance(source, SkipReason):
        size_bytes, mtime_ns = _size_and_time(root, item.path)
        if source is SkipReason.UNREADABLE or is_too_fresh(mtime_ns):
            mtime_ns = 0  # look again: it may have been away for a moment only
        return ExtractedFile(item.path, size_bytes, mtime_ns, skip_reason=source)
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
    try:
        key = version_key(item.path, source)
        facts = extract(BY_NAME[key.language], source.text)
        views = build_views(source.text, facts, _model(item.model))
        texts = TextViews(gram_bits(source.text), views.documents, views.vectors)
    except Exception:  # noqa: BLE001  # the top of a worker: one bad file never fails a run
        traceback.print_exc()
        return crashed_file(root, item)
    size_bytes = source.size_bytes
    rows = encode_version(item.version_id, key, facts, size_bytes=size_bytes, views=texts)
    return ExtractedFile(item.path, size_bytes, source.mtime_ns, source.blob_id, rows=rows)


def _model(name: str) -> StaticModel | None:
    """The model of a name, loaded when the first file needs it."""
    if not name:
        return None
    from codecompass.embed.static import load_static  # with it numpy and a table of 17 MB

    return load_static(name)


def crashed_file(root: Path, item: WorkItem) -> ExtractedFile:
    """The report on a file that extraction cannot survive; not tried again until it changes."""
    size_bytes, mtime_ns = (0, 0) if item.blob_id else _size_and_time(root, item.path)
    crashed = SkipReason.CRASHED
    return ExtractedFile(item.path, size_bytes, mtime_ns, item.blob_id, skip_reason=crashed)


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
    return seen.st_size, seen.st_mtime_ns
