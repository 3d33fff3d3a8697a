"""How alike two names or two texts are."""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher


def most_alike(name: str, others: Iterable[str], *, limit: int, minimum: float = 0.6) -> list[str]:
    """The names most like this one, best first; equal ones by alphabet."""
    wanted = name.lower()
    rated = [(_likeness(wanted, other.lower()), other) for other in set(others)]
    best = sorted((pair for pair in rated if pair[0] >= minimum), key=lambda p: (-p[0], p[1]))
    return [other for _, other in best[:limit]]


def line_likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Which share of the lines two texts have in common, wherever they stand; 0 to 1."""
    common = sum((Counter(one) & Counter(other)).values())
    return 2 * common / max(1, len(one) + len(other))


def _likeness(first: str, second: str) -> float:
    ratio = SequenceMatcher(None, first, second, autojunk=False).ratio()
    # A name that holds the other whole is near, however much longer it is.
    return max(ratio, 0.7) if first in second or second in first else ratio
