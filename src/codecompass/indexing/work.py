"""One file in, its rows out: read → parse → rows; runs in worker processes."""

import gc
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from codecompass.config.settings import IndexSettings
from codecompass.model.snapshot import VersionId, VersionKey
from codecompass.model.source import SkipReason, SourceText
from codecompass.parse.extract import extract, extractor_version
from codecompass.parse.languages import BY_NAME, detect_language
from codecompass.source.read import read_source
from codecompass.store.versions import VersionRows, encode_version


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A file to extract, and the id its version gets if its content is new."""

    path: str
    version_id: VersionId


@dataclass(frozen=True, slots=True)
class ExtractedFile:
    """What a worker says of one file: rows for the stores, or why there are none."""

    path: str
    size_bytes: int
    mtime_ns: int
    skip_reason: SkipReason | None = None
    rows: VersionRows | None = None


def start_worker() -> None:
    """Prepare a worker process: Ctrl-C is the parent's business, garbage is collected by us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Extraction makes millions of small objects and no cycles; looking for some took a
    # fifth of its time. What is loaded already is never looked at again.
    gc.freeze()
    gc.disable()


def extract_batch(
    root: str, items: Sequence[WorkItem], settings: IndexSettings
) -> list[ExtractedFile]:
    """Extract several files; one bad file is reported, never fatal."""
    return [extract_file(Path(root), item, settings) for item in items]


def extract_file(root: Path, item: WorkItem, settings: IndexSettings) -> ExtractedFile:
    """Read and extract one file."""
    source = read_source(
        root,
        item.path,
        max_bytes=settings.max_file_bytes,
        max_line_bytes=settings.max_line_bytes,
    )
    if isinstance(source, SkipReason):
        return ExtractedFile(item.path, *_size_and_time(root, item.path), skip_reason=source)
    key = version_key(item.path, source)
    facts = extract(BY_NAME[key.language], source.text)
    rows = encode_version(item.version_id, key, facts)
    return ExtractedFile(item.path, source.size_bytes, source.mtime_ns, rows=rows)


def version_key(path: str, source: SourceText) -> VersionKey:
    """By what a content at a path is known."""
    language = detect_language(path, source.text)
    return VersionKey(source.blob_id, language.name, current_extractor(language.name))


@cache
def current_extractor(language: str) -> str:
    """The version of a language's extraction rules in this process."""
    return extractor_version(BY_NAME[language])


def _size_and_time(root: Path, path: str) -> tuple[int, int]:
    try:
        seen = os.lstat(root / path)
    except OSError:
        return 0, 0
    return seen.st_size, seen.st_mtime_ns
