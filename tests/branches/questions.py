"""The questions that every state of a repository is asked; a new operation joins by one line."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from codecompass.engine.engine import Engine
from codecompass.engine.operations import call_operation
from codecompass.errors import CodeCompassError
from codecompass.present.meta import plain

Answer = Mapping[str, Any]


def _results(answer: Answer) -> object:
    return [_without(item, "source_layer") for item in answer["results"]]


def _uses(answer: Answer) -> object:
    parts = [answer.get(key) for key in ("total", "files", "certainty", "unknown_calls")]
    return [*parts, *(_without(item, "source_layer") for item in answer["results"])]


def _counts(answer: Answer) -> object:
    return answer["counts"]


def _changes(answer: Answer) -> object:
    return [answer.get(key) for key in ("base", "merge_base", "summary", "results", "files")]


def _explained(answer: Answer) -> object:
    return [answer.get(key) for key in ("rank", "score", "factors", "terms", "total")]


def _without(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != name}


@dataclass(frozen=True)
class Question:
    """One call, and what of its answer must be the same as that of a fresh index."""

    op: str
    arguments: dict[str, Any]
    part: Callable[[Answer], object] = _results


OF_ONE_STATE = (
    Question("search_code", {"query": "how is an order handled"}),
    Question("search_code", {"query": "total"}),
    Question("search_code", {"query": "cart price", "kind": ["function", "class"], "top_k": 5}),
    Question("search_code", {"query": "handle", "mode": "definition"}),
    Question("search_code", {"query": "purchase amount in the basket", "mode": "semantic"}),
    Question(
        "search_code",
        {"query": "", "mode": "similar", "code_snippet": "def handle(order, n=1): return order"},
    ),
    Question("search_similar_symbol", {"symbol": "pkg/cart.py > Cart > handle"}),
    Question("search_code", {"query": '"return order"', "exhaustive": True}),
    Question("search_code", {"query": r"/n=\d\)/", "exhaustive": True, "top_k": 50}),
    Question("search_code", {"query": "usages:handle", "exhaustive": True}),
    Question("search_code", {"query": "symbol = Cart"}),
    Question("explain_ranking", {"query": "handle order", "target": "orders.py"}, _explained),
    Question("locate_symbol", {"name": "handle", "detail_level": "context"}),
    Question("locate_symbol", {"name": "pkg/cart.py > Cart > handle"}),
    Question("locate_symbol", {"name": "totl"}, lambda answer: answer["suggestions"]),
    Question("get_file_outline", {"path": "orders.py"}),
    Question("get_file_outline", {"path": "lib/sum.h"}),
    Question("find_references", {"symbol": "handle"}, _uses),
    Question("find_references", {"symbol": "total", "role": "possible"}, _uses),
    Question("get_call_graph", {"symbol": "handle", "direction": "both", "depth": 2}, _uses),
    Question("get_symbol_hierarchy", {"symbol": "Cart"}),
    Question("find_related_symbols", {"symbol": "handle"}),
    Question("index_status", {}, _counts),
)
"""Asked of a working tree or a ref; compared with an index of nothing but those files."""

OF_HISTORY = (
    Question(
        "diff_context",
        {"scope": "all", "detail_level": "context", "include_callers": True},
        _changes,
    ),
    Question(
        "compare_symbol_between_commits",
        {"symbol": "orders.py > handle", "from_ref": "main", "to_ref": "HEAD"},
    ),
)
"""Asked of the repository; compared with a fresh index of the same repository."""


@dataclass
class Report:
    """What was done and compared, for the people who read the test run."""

    operations: Counter[str] = field(default_factory=Counter)
    comparisons: Counter[str] = field(default_factory=Counter)
    leaked: int = 0
    lost: int = 0

    def lines(self) -> list[str]:
        done = ", ".join(f"{name} {count}" for name, count in sorted(self.operations.items()))
        asked = ", ".join(f"{name} {count}" for name, count in sorted(self.comparisons.items()))
        return [
            f"{self.operations.total()} operations: {done}",
            f"{self.comparisons.total()} answers compared: {asked}",
            f"{self.leaked} leaked, {self.lost} lost",
        ]


def ask(engine: Engine, question: Question, *, ref: str | None = None) -> object:
    """The part of an answer that counts, or the code of the error."""
    try:
        answer = plain(call_operation(engine, question.op, question.arguments, ref=ref))
    except CodeCompassError as error:
        return ("error", error.code)
    assert isinstance(answer, dict)
    return question.part(answer)


def check(report: Report, question: Question, got: object, expected: object) -> None:
    """Count a comparison; where it fails, say what leaked and what was lost."""
    report.comparisons[question.op] += 1
    if got == expected:
        return
    ours = got if isinstance(got, list) else [got]
    theirs = expected if isinstance(expected, list) else [expected]
    report.leaked += sum(item not in theirs for item in ours)
    report.lost += sum(item not in ours for item in theirs)
    raise AssertionError(f"{question.op} {question.arguments}:\n got {got}\n not {expected}")
