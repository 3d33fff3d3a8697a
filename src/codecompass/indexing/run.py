"""Files to extract in, extracted files out, by worker processes or inline."""

import gc
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from codecompass.config.settings import IndexSettings
from codecompass.indexing.bounds import BATCH_FILES, share_memory
from codecompass.indexing.work import ExtractedFile, WorkItem, extract_batch


@contextmanager
def no_garbage_collection() -> Generator[None]:
    """Do not look for cycles while rows by the hundred thousand pass through; there are none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def lower_priority(steps: int) -> None:
    """Let other programs come first, from now on and with all that is started."""
    if steps > 0 and hasattr(os, "nice"):
        os.nice(steps)


def extract_all(
    root: Path, items: Sequence[WorkItem], settings: IndexSettings
) -> Iterator[list[ExtractedFile]]:
    """Extract files, in no particular order, a batch at a time.

    Few files are done here and now: starting workers costs as much as some hundred
    files. A file that kills its worker is reported as such and the rest goes on.
    """
    shares = share_memory(settings, os.cpu_count() or 1)
    if len(items) <= settings.inline_files or not shares.workers:
        for start in range(0, len(items), BATCH_FILES):
            part = items[start : start + BATCH_FILES]
            yield extract_batch(str(root), part, settings, shares.writer_mib)
        return
    from codecompass.indexing.pool import extract_in_workers  # not needed for a few files

    yield from extract_in_workers(root, items, settings)
