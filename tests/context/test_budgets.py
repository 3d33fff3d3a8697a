"""Every text keeps its budget, and a cursor leads to what did not fit: nothing lost or twice."""

import json
import re
from collections.abc import Iterator, Mapping

import pytest

from codecompass.engine.engine import Engine
from codecompass.engine.operations import call_operation
from codecompass.errors import CursorExpired
from codecompass.model.query import GraphOptions
from codecompass.present.render import Budget, rendered, rendered_json
from codecompass.text.tokens import estimate_tokens
from tests.conftest import Repo

USERS = {
    f"app/user_{n:02}.py": "from lib.price import price\n\n\n"
    + "\n\n".join(f"def caller_{n:02}_{m}(item):\n    return price(item)\n" for m in range(3))
    for n in range(30)
}
FILES = {
    "lib/price.py": "class Priced:\n    pass\n\n\ndef price(item):\n    return item.cost\n",
    **USERS,
    **{f"kinds/k{n}.py": "from lib.price import Priced\n\n\n"
       f"class Kind{n}(Priced):\n    def same(self):\n        return {n}\n" for n in range(40)},
}  # fmt: skip
CURSOR = re.compile(r"cursor=([\w-]+)$", re.MULTILINE)
BUDGET = Budget(400, 1_600)
ASKED: list[tuple[str, Mapping[str, object], str]] = [
    ("find_references", {"symbol": "price", "limit": 1000, "include_context": True}, r"^  (\d+) "),
    ("find_references", {"symbol": "price", "limit": 1000}, r"in (caller_\w+)"),
    ("get_call_graph", {"symbol": "price", "limit": 1000}, r"(caller_\w+) \["),
    ("get_symbol_hierarchy", {"symbol": "Priced", "limit": 1000}, r"(Kind\d+) \["),
    ("locate_symbol", {"name": "same", "detail_level": "context"}, r"(Kind\d+\.same) \["),
    ("search_code", {"query": "same", "top_k": 100, "exhaustive": True}, r"\[(\w+)\]"),
    ("search_code", {"query": "caller", "top_k": 40, "detail_level": "context"}, r"\[(\w+)\]"),
    ("diff_context", {"detail_level": "context"}, r"~ \S+ function (caller_\w+)"),
]


@pytest.fixture
def engine(repo: Repo) -> Iterator[Engine]:
    repo.commit(FILES)
    repo.git("checkout", "--quiet", "-b", "other")
    changed = {
        path: text.replace("price(item)", "price(item) + 1") for path, text in USERS.items()
    }
    repo.commit(changed)
    with Engine.open(repo.root) as engine:
        yield engine


@pytest.mark.parametrize(("op", "args", "unit"), ASKED)
def test_pages_within_a_budget_hold_everything_once(
    engine: Engine, op: str, args: Mapping[str, object], unit: str
) -> None:
    wanted = list(pages(engine, op, args, Budget(1_000_000)))
    told = list(pages(engine, op, args, BUDGET))
    assert all(estimate_tokens(text) <= BUDGET.tokens for text in told)
    assert all(len(text) <= (BUDGET.characters or 0) for text in told)
    found = re.findall(unit, "\n".join(told), re.MULTILINE)
    assert len(found) >= 30
    assert sorted(found) == sorted(re.findall(unit, "\n".join(wanted), re.MULTILINE))
    assert len(told) > len(wanted)


def pages(engine: Engine, op: str, args: Mapping[str, object], budget: Budget) -> Iterator[str]:
    cursor: str | None = ""
    while cursor is not None:
        text = rendered(call_operation(engine, op, {**args, "cursor": cursor}), budget)
        yield text
        behind = CURSOR.search(text)
        cursor = behind[1] if behind else None


@pytest.mark.parametrize(("op", "args", "unit"), ASKED)
def test_json_within_a_budget_is_json_and_leads_on(
    engine: Engine, op: str, args: Mapping[str, object], unit: str
) -> None:
    text = rendered_json(call_operation(engine, op, args), Budget(1_000_000, 6_000))
    assert len(text) <= 6_000
    answer = json.loads(text)
    assert answer["results"]
    assert answer["cursor"]
    assert answer["meta"]["result_completeness"] == "truncated"
    assert "page" not in answer


def test_what_fits_is_not_touched(engine: Engine) -> None:
    answer = engine.locate("price")
    assert rendered(answer, Budget(4_000, 18_000)) == rendered(answer, Budget(1_000_000))


def test_files_that_do_not_fit_are_counted_by_folder(engine: Engine) -> None:
    answer = call_operation(engine, "diff_context", {"scope": "files"})
    text = rendered(answer, Budget(120))
    assert estimate_tokens(text) <= 120
    assert re.search(r"\d+ more files changed: app/ \d+; narrow by path_prefix", text)


def test_refs_that_do_not_fit_are_counted(engine: Engine, repo: Repo) -> None:
    for number in range(60):
        repo.git("branch", f"topic-{number:02}")
    text = rendered(engine.list_refs(limit=100), Budget(200))
    assert estimate_tokens(text) <= 200
    assert re.search(r"\d+ more: narrow by contains", text)


def test_a_cursor_ends_with_the_state_it_was_made_for(engine: Engine, repo: Repo) -> None:
    first = engine.call_graph("price", options=GraphOptions(limit=5))
    assert first.cursor
    repo.write({"app/user_00.py": "from lib.price import price\n\nprice(1)\n"})
    with pytest.raises(CursorExpired):
        engine.call_graph("price", options=GraphOptions(limit=5, cursor=first.cursor))


@pytest.mark.parametrize(("op", "args"), [asked[:2] for asked in ASKED])
def test_the_best_is_named_however_small_the_budget(
    engine: Engine, op: str, args: Mapping[str, object]
) -> None:
    """Nothing at all would read as if nothing was found, and lead on to the same page."""
    answer = call_operation(engine, op, args)
    text = rendered(answer, Budget(10))
    assert re.search(r"\w/\w+\.py", text), text
    assert json.loads(rendered_json(answer, Budget(10)))["results"]
