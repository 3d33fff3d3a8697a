"""Ranked hits in, those that are worth showing out, and how many were left out as copies."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codecompass.model.search import Factor, Hit, Place, Stage
from codecompass.model.symbol import Symbol
from codecompass.search.plan import Plan
from codecompass.search.rank import calibrated, order


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown, best first, and what was held back."""

    hits: tuple[Hit, ...]
    suppressed: int = 0


def select(hits: Sequence[Hit], records: Mapping[Place, Symbol], plan: Plan) -> Selection:
    """Drop copies and what falls below the threshold, and let files take turns."""
    kept, suppressed = _without_copies(hits, records)
    if plan.options.stage is Stage.DISCOVER:
        kept = _take_turns(kept, plan.ranking.same_file)
    kept = [hit for hit in kept if hit.score >= plan.options.min_score]
    return Selection(tuple(kept), suppressed)


def _without_copies(hits: Sequence[Hit], records: Mapping[Place, Symbol]) -> tuple[list[Hit], int]:
    """Leave out the same definition at another path, and what only wraps a better hit."""
    kept: list[Hit] = []
    bodies: dict[tuple[str, str, str], str] = {}  # and the path that shows it
    wrapped: set[tuple[str, int]] = set()
    contents: set[Place] = set()
    for hit in hits:
        symbol = records.get(hit.place)
        body = None
        if symbol and symbol.has_body:
            body = (symbol.qualified_name, symbol.signature, symbol.body_hash)
        is_wrapper = symbol is not None and (hit.path, symbol.ordinal) in wrapped
        is_copy = hit.place in contents
        if body:
            is_copy = bodies.get(body, hit.path) != hit.path
        if is_wrapper or is_copy:
            continue
        kept.append(hit)
        contents.add(hit.place)
        if body:
            bodies[body] = hit.path
        if symbol and symbol.chunk_parent is not None:
            wrapped.add((hit.path, symbol.chunk_parent))
    return kept, len(hits) - len(kept)


def _take_turns(hits: Sequence[Hit], share: float) -> list[Hit]:
    """Lower each further hit of a file, so that others come in between."""
    seen: Counter[str] = Counter()
    lowered = []
    for hit in hits:
        times = seen[hit.path]
        seen[hit.path] += 1
        lowered.append(_lowered(hit, share**times) if times else hit)
    return sorted(lowered, key=order)


def _lowered(hit: Hit, share: float) -> Hit:
    total = hit.score / (1 - hit.score) if hit.score < 1 else 1e9
    factor = Factor("same_file", total * (share - 1))
    factors = (*hit.factors, factor)
    return Hit(hit.path, hit.place, calibrated(total * share), factors, hit.match_lines)
