"""Files to extract in, extracted files out, by processes that end with the work."""

import multiprocessing
import os
import sys
import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from codecompass.config.settings import IndexSettings
from codecompass.errors import StoreError
from codecompass.indexing.bounds import BATCH_FILES, share_memory
from codecompass.indexing.work import (
    ExtractedFile,
    WorkItem,
    crashed_file,
    extract_batch,
    start_worker,
)
from codecompass.source.program import safe_children

# Batches waiting at the workers for each of them; bounds what lies in memory.
_QUEUED_PER_WORKER = 3
# So many files do not all kill their worker: something else is wrong.
_MAX_CRASHES = 20


def extract_in_workers(
    root: Path, items: Sequence[WorkItem], settings: IndexSettings
) -> Iterator[list[ExtractedFile]]:
    """Extract many files, in no particular order, a batch at a time.

    A file that kills its worker is reported as such and the rest goes on.
    """
    batches = [items[i : i + BATCH_FILES] for i in range(0, len(items), BATCH_FILES)]
    crashes = 0
    while batches:
        left = _Unfinished()
        yield from _run_pool(root, batches, settings, left=left)
        batches = left.waiting
        # A worker died and took along what it worked on: find the file one by one.
        suspects = [[item] for batch in left.running for item in batch]
        while suspects:
            alone = _Unfinished()
            yield from _run_pool(root, suspects, settings, left=alone, workers=1)
            if not alone.running:
                break
            crashes += 1
            if crashes > _MAX_CRASHES:
                raise StoreError(f"{crashes} worker processes died; giving up")
            culprit = alone.running[0][0]
            yield [crashed_file(root, culprit)]
            suspects = [list(batch) for batch in [*alone.running[1:], *alone.waiting]]


class _Unfinished:
    """What a pool had not finished when a worker died."""

    def __init__(self) -> None:
        self.running: list[Sequence[WorkItem]] = []
        self.waiting: list[Sequence[WorkItem]] = []


def _run_pool(
    root: Path,
    batches: Sequence[Sequence[WorkItem]],
    settings: IndexSettings,
    *,
    left: _Unfinished,
    workers: int = 0,
) -> Generator[list[ExtractedFile]]:
    """Yield the results of the batches; if a worker dies, say in `left` what is not done."""
    shares = share_memory(settings, os.cpu_count() or 1)
    count = workers or shares.workers
    waiting = list(reversed(batches))
    running: dict[Future[list[ExtractedFile]], Sequence[WorkItem]] = {}
    with safe_children():  # one that keeps count of the others
        pool = ProcessPoolExecutor(count, mp_context=_context(), initializer=start_worker)
    try:
        while waiting or running:
            while waiting and len(running) < count * _QUEUED_PER_WORKER:
                part, limit = waiting.pop(), shares.worker_mib
                with safe_children():  # the first ones start them
                    future = pool.submit(extract_batch, str(root), part, settings, limit)
                running[future] = part
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda item: running[item][0].path):
                result = future.result()
                del running[future]
                yield result
    except BrokenProcessPool:
        left.running = sorted(running.values(), key=lambda batch: batch[0].path)
        left.waiting = list(reversed(waiting))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _context() -> multiprocessing.context.BaseContext:
    """Fork where it is safe and 35 times cheaper, spawn everywhere else."""
    is_safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if is_safe else "spawn")
