"""Files to extract in, extracted files out, by worker processes or inline."""

import multiprocessing
import os
import sys
import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from codecompass.config.settings import IndexSettings
from codecompass.indexing.work import (
    ExtractedFile,
    WorkItem,
    extract_batch,
    extract_file,
    start_worker,
)
from codecompass.model.source import SkipReason

_MAX_WORKERS = 8
# Enough work to make sending it cheap, little enough to keep all workers busy to the end.
_BATCH_FILES = 24
# Batches waiting at the workers for each of them; bounds what lies in memory.
_QUEUED_PER_WORKER = 3


def extract_all(
    root: Path, items: Sequence[WorkItem], settings: IndexSettings
) -> Iterator[list[ExtractedFile]]:
    """Extract files, in no particular order, a batch at a time.

    Few files are done here and now: starting workers costs as much as some hundred
    files. A file that kills its worker is reported as such and the rest goes on.
    """
    if len(items) <= settings.inline_files:
        for item in items:
            yield [extract_file(root, item, settings)]
        return
    yield from _extract_in_workers(root, items, settings)


def _extract_in_workers(
    root: Path, items: Sequence[WorkItem], settings: IndexSettings
) -> Iterator[list[ExtractedFile]]:
    batches = [items[i : i + _BATCH_FILES] for i in range(0, len(items), _BATCH_FILES)]
    lost: list[Sequence[WorkItem]] = []
    yield from _run_pool(root, batches, settings, lost=lost)
    # A worker died and took its batch with it: find the file by doing them one by one.
    suspects = [[item] for batch in lost for item in batch]
    while suspects:
        lost = []
        yield from _run_pool(root, suspects, settings, lost=lost, workers=1)
        if not lost:
            return
        culprit = lost[0][0]
        yield [ExtractedFile(culprit.path, 0, 0, skip_reason=SkipReason.CRASHED)]
        suspects = [list(batch) for batch in lost[1:]]


def _run_pool(
    root: Path,
    batches: Sequence[Sequence[WorkItem]],
    settings: IndexSettings,
    *,
    lost: list[Sequence[WorkItem]],
    workers: int = 0,
) -> Generator[list[ExtractedFile]]:
    """Yield the results of the batches; those that a dead worker took along go to `lost`."""
    count = workers or settings.workers or min(os.cpu_count() or 1, _MAX_WORKERS)
    waiting = list(reversed(batches))
    running: dict[Future[list[ExtractedFile]], Sequence[WorkItem]] = {}
    pool = ProcessPoolExecutor(count, mp_context=_context(), initializer=start_worker)
    try:
        while waiting or running:
            while waiting and len(running) < count * _QUEUED_PER_WORKER:
                batch = waiting.pop()
                running[pool.submit(extract_batch, str(root), batch, settings)] = batch
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda item: running[item][0].path):
                batch = running[future]
                result = future.result()
                del running[future]
                yield result
                del batch, result
    except BrokenProcessPool:
        lost.extend([*running.values(), *reversed(waiting)])
        lost.sort(key=lambda batch: batch[0].path)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _context() -> multiprocessing.context.BaseContext:
    """Fork where it is safe and 35 times cheaper, spawn everywhere else."""
    is_safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if is_safe else "spawn")
