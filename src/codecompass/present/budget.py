"""What is to be shown and a budget in, how much of each fits out.

Whole units only: each is shown in one of its forms, and where all do not fit, the least
relevant step down first. Every answer with a budget goes through here.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum

from codecompass.text.tokens import estimate_tokens


class Form(IntEnum):
    """How much of a unit is shown, most first."""

    WHOLE = 0  # its text, and what it calls in the same file
    BODY = 1  # its text
    SIGNATURE = 2
    NAME = 3
    DROPPED = 4  # told apart, with its handle


Forms = tuple[Form, ...]
Cost = Callable[[Forms], int]


def fitted(
    first: Sequence[Form],
    cost: Cost,
    budget: int,
    *,
    deep: bool = False,
    least: Form = Form.DROPPED,
) -> Forms:
    """The largest forms that fit; `first` are those to begin with, the most relevant unit first.

    In breadth all units step down to a form before any steps further; `deep` keeps the
    most relevant as they are as long as something less relevant can still go. No unit
    steps below `least`: then, and only then, the result may cost more than the budget.
    """
    steps = _steps(first, least, deep=deep)
    low, high = 0, len(steps)
    while low < high:
        middle = (low + high) // 2
        if cost(_after(first, steps[:middle])) <= budget:
            high = middle
        else:
            low = middle + 1
    return _after(first, steps[:low])


def _steps(first: Sequence[Form], least: Form, *, deep: bool) -> list[int]:
    """Which unit steps down, one after the other."""
    last_first = range(len(first) - 1, -1, -1)
    if deep:
        return [unit for unit in last_first for _ in range(least - first[unit])]
    return [unit for form in range(least) for unit in last_first if first[unit] <= form]


def _after(first: Sequence[Form], steps: Sequence[int]) -> Forms:
    forms = list(first)
    for unit in steps:
        forms[unit] = Form(forms[unit] + 1)
    return tuple(forms)


def with_token_count(text: str, mark: str) -> tuple[str, int]:
    """A text with its own token count put where the mark stands."""
    count = 0
    filled = text.replace(mark, "0", 1)
    for _ in range(4):
        real = estimate_tokens(filled)
        if real == count:
            break
        count = real
        filled = text.replace(mark, f"{count:,}", 1)
    return filled, count
