"""A ceiling for memory in, how the work is divided under it out."""

from typing import NamedTuple

from codecompass.config.settings import IndexSettings
from codecompass.source.memory import used_mib

# Files sent to a worker at once: enough to make sending cheap, little enough to keep all of
# them busy to the end.
BATCH_FILES = 24
_MAX_WORKERS = 8
# What the process that writes takes, and what a worker takes at the least (measured).
_WRITER_MIB = 220
_WORKER_MIB = 140
_ROOM = 0.85  # of its share a process fills before it forgets
# Of the ceiling for the text index, which writes a segment when it has collected so much.
_SEGMENT_SHARE = 0.08
_SEGMENT_MIB = 16


class Shares(NamedTuple):
    """How many workers there are, and what each process may take."""

    workers: int  # parsers that parse, beside the process that writes
    worker_mib: int


def share_memory(settings: IndexSettings, cpus: int) -> Shares:
    """Divide the ceiling of a run."""
    ceiling = settings.memory_mib
    room = ceiling - _WRITER_MIB
    workers = max(1, min(settings.workers or cpus, _MAX_WORKERS, room // _WORKER_MIB))
    return Shares(workers, max(1, room // workers))


def segment_mib(settings: IndexSettings) -> int:
    """What the text index may collect."""
    return max(_SEGMENT_MIB, int(settings.memory_mib * _SEGMENT_SHARE))


def is_near(mib: int) -> bool:
    """Whether this process has filled its share."""
    return used_mib() > mib * _ROOM
