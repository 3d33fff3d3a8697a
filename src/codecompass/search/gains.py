"""What a frequency is worth: level of a term in, share of its full worth out."""

import math
from collections.abc import Sequence
from functools import cache

# The frequency that stands for each level, length taken into account; see `model.search`.
_FILE_FREQUENCIES = (0.0, 0.5, 2.0, 8.0, 32.0)
_CHUNK_FREQUENCIES = (0.0, 1.0, 4.0, 16.0)
# A file of this size is believed as it is; ten times as large a fifth more, smaller ones less.
_USUAL_BYTES = 2_700
_SIZE_TRUST = 0.1


@cache
def file_gains(saturation: float) -> Sequence[float]:
    """For each level of a term in a file, 0 (absent) first."""
    return [frequency / (frequency + saturation) for frequency in _FILE_FREQUENCIES]


@cache
def chunk_gains(saturation: float) -> Sequence[float]:
    """For each level of a term in a chunk, 0 (absent) first."""
    return [frequency / (frequency + saturation) for frequency in _CHUNK_FREQUENCIES]


def trust_in(size_bytes: int) -> float:
    """How far to believe the vector of a file: a short one is like many questions by chance."""
    return min(1.8, max(0.3, 1 + _SIZE_TRUST * math.log((size_bytes + 1) / _USUAL_BYTES)))
