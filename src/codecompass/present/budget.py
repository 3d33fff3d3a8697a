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
_REFILLED = 2  # units that are tried again in a larger form
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

    In breadth all units step down to a form before any steps further, and only the most
    relevant keeps its text while the less relevant half still has names; `deep` keeps the
    most relevant as they are as long as something less relevant can still go. No unit
    steps below `least`: then, and only then, the result may cost more than the budget.
    """
    steps = _deep_steps(first, least) if deep else _broad_steps(first, least)
    low, high = 0, len(steps)
    while low < high:
        middle = (low + high) // 2
        if cost(_after(first, steps[:middle])) <= budget:
            high = middle
        else:
            low = middle + 1
    forms = _after(first, steps[:low])
    return _refilled(first, forms, cost, budget) if low else forms


def _deep_steps(first: Sequence[Form], least: Form) -> list[int]:
    """Which unit steps down, one after the other: the last one all the way."""
    last_first = range(len(first) - 1, -1, -1)
    return [unit for unit in last_first for _ in range(least - first[unit])]


def _broad_steps(first: Sequence[Form], least: Form) -> list[int]:
    """Which unit steps down, one after the other: the last one first, form by form."""
    half = max(1, len(first) // 2)
    others = range(len(first) - 1, 0, -1)
    plan = [
        (Form.WHOLE, range(len(first) - 1, -1, -1)),
        (Form.BODY, others),
        (Form.SIGNATURE, others),
        (Form.NAME, range(len(first) - 1, half - 1, -1)),
        (Form.BODY, range(1)),
        (Form.SIGNATURE, range(1)),
        (Form.NAME, range(half - 1, -1, -1)),
    ]
    return [
        unit
        for form, units in plan
        for unit in units
        if form < least and unit < len(first) and first[unit] <= form
    ]


def _refilled(first: Sequence[Form], forms: Forms, cost: Cost, budget: int) -> Forms:
    """What is left of the budget, for the names that are missing and then for the best texts."""
    missing = [unit for unit, form in enumerate(forms) if form is Form.DROPPED]
    low, high = 0, len(missing)
    while low < high:
        middle = (low + high + 1) // 2
        if cost(_with(forms, missing[:middle], Form.NAME)) <= budget:
            low = middle
        else:
            high = middle - 1
    forms = _with(forms, missing[:low], Form.NAME)
    for unit in [unit for unit, form in enumerate(forms) if form > first[unit]][:_REFILLED]:
        for form in (Form.WHOLE, Form.BODY, Form.SIGNATURE):
            if first[unit] <= form < forms[unit]:
                larger = _with(forms, [unit], form)
                if cost(larger) <= budget:
                    forms = larger
                    break
    return forms


def _with(forms: Forms, units: Sequence[int], form: Form) -> Forms:
    changed = list(forms)
    for unit in units:
        changed[unit] = form
    return tuple(changed)


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
