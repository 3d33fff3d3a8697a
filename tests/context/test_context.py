"""`get_code_context` from end to end: real repositories, budgets, bad input."""

from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.engine.operations import call_operation
from codecompass.errors import BadInput
from codecompass.model.query import ContextOptions, DetailLevel, Strategy
from codecompass.present.budget import Form, fitted
from codecompass.present.context_text import count_named, render_context
from codecompass.present.meta import plain
from codecompass.text.tokens import estimate_tokens
from tests.graph.world import write

FILES = {
    "shop/price.py": """
        from shop.tax import add_tax

        RATE = 2


        def price(item):
            '''The price of an item.'''
            return add_tax(item.cost * RATE)
    """,
    "shop/tax.py": """
        def add_tax(amount):
            return amount + 1
    """,
    "shop/cart.py": """
        from shop.price import price


        class Cart:
            def __init__(self):
                self.items = []

            def price_of_all(self):
                return sum(price(item) for item in self.items)

            def empty(self):
                self.items = []
    """,
}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    with Engine.open(write(tmp_path, FILES)) as opened:
        yield opened


def test_graph_then_code(engine: Engine) -> None:
    answer = engine.context("price of all items")
    text = render_context(answer)
    assert text.startswith('Search: "price of all items" | ')
    assert f"{answer.meta.estimated_tokens:,}/4,000 tokens" in text.split("\n")[0]
    assert estimate_tokens(text) == answer.meta.estimated_tokens
    assert "Calls: price ★" in text
    assert "# shop/cart.py:" in text
    assert "def empty" not in text


def test_one_symbol(engine: Engine) -> None:
    answer = engine.context("symbol = price")
    assert [item.shown for item in answer.results] == ["whole"]
    assert answer.graph.split("\n")[2:5] == [
        "price", " shop/price.py:6-8", " function | exported | refs: 1 file",
    ]  # fmt: skip
    assert answer.snapshots[0].ranges == ((1, 1), (3, 3), (6, 8))


def test_code_comes_before_headings_of_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"docs.md": "# Context\n\nWords.\n", "src.py": "class Context: ...\n"})
    with Engine.open(tmp_path) as opened:
        found = [item.kind for item in opened.context("symbol = Context").results]
    assert found == ["class", "section"]


@pytest.mark.parametrize("budget", [100, 150, 200, 300, 500, 1000])
@pytest.mark.parametrize("strategy", list(Strategy))
def test_a_budget_is_kept(engine: Engine, budget: int, strategy: Strategy) -> None:
    answer = engine.context("price of items", options=ContextOptions(budget, strategy))
    text = render_context(answer)
    assert estimate_tokens(text) == answer.meta.estimated_tokens <= budget
    dropped = [item for item in answer.results if item.shown == "dropped"]
    assert (answer.meta.result_completeness == "truncated") == bool(dropped)
    for item in dropped[: count_named(budget)]:
        assert item.handle in text


def test_less_is_shown_by_detail(engine: Engine) -> None:
    for level, shown in ((DetailLevel.LOCATION, "name"), (DetailLevel.SIGNATURE, "signature")):
        answer = engine.context("price", options=ContextOptions(detail_level=level))
        assert not answer.snapshots
        assert {item.shown for item in answer.results if item.kind != "file"} <= {shown, "name"}


def test_nothing_found(engine: Engine) -> None:
    answer = engine.context("symbol = prise")
    assert answer.results == ()
    assert answer.suggestions == ("price",)
    assert "not matches, but similar names: price" in render_context(answer)


def test_a_budget_that_cannot_be(engine: Engine) -> None:
    for budget in (0, 99, 1_000_000):
        with pytest.raises(BadInput, match="max_tokens"):
            engine.context("price", options=ContextOptions(budget))


def test_as_an_operation(engine: Engine) -> None:
    given = {"query": "symbol = price", "max_tokens": 500, "strategy": "depth"}
    answer = plain(call_operation(engine, "get_code_context", given))
    assert isinstance(answer, dict)
    assert answer["results"][0]["path"] == "shop/price.py"
    assert answer["snapshots"][0]["ranges"] == [[1, 1], [3, 3], [6, 8]]


def test_secrets_are_masked(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": 'KEY = "AKIAIOSFODNN7EXAMPLE"\n\n\ndef use():\n    return KEY\n'})
    with Engine.open(tmp_path) as engine:
        text = render_context(engine.context("symbol = use"))
    assert "AKIAIOSFODNN7EXAMPLE" not in text
    assert "masked" in text


def test_least_relevant_steps_down_first() -> None:
    worth = {Form.WHOLE: 100, Form.BODY: 80, Form.SIGNATURE: 20, Form.NAME: 5, Form.DROPPED: 0}

    def cost(forms: tuple[Form, ...]) -> int:
        return sum(worth[form] for form in forms)

    first = [Form.WHOLE] * 3
    assert fitted(first, cost, 300) == (Form.WHOLE, Form.WHOLE, Form.WHOLE)
    assert fitted(first, cost, 290) == (Form.WHOLE, Form.WHOLE, Form.BODY)
    assert fitted(first, cost, 200) == (Form.WHOLE, Form.BODY, Form.SIGNATURE)
    assert fitted(first, cost, 199) == (Form.BODY, Form.BODY, Form.SIGNATURE)
    assert fitted(first, cost, 95) == (Form.BODY, Form.NAME, Form.NAME)
    assert fitted(first, cost, 30) == (Form.SIGNATURE, Form.NAME, Form.NAME)
    assert fitted(first, cost, 4) == (Form.DROPPED, Form.DROPPED, Form.DROPPED)
    assert fitted(first, cost, 105, deep=True) == (Form.WHOLE, Form.NAME, Form.DROPPED)


@pytest.mark.parametrize("budget", [100, 120, 150, 200, 300])
@pytest.mark.parametrize("query", ["load config", "load " * 60, "設定を読み込む関数" * 20])
def test_small_budgets_and_long_questions(tmp_path: Path, budget: int, query: str) -> None:
    body = "".join(f"def load_config_{n}(path):\n    return path\n\n\n" for n in range(8))
    write(tmp_path, {"config.py": body})
    with Engine.open(tmp_path) as engine:
        answer = engine.context(query, options=ContextOptions(budget))
        text = render_context(answer)
    assert estimate_tokens(text) <= budget
    if query == "load config":
        assert answer.results[0].shown != "dropped"


def test_every_definition_of_a_name_is_told_or_counted(tmp_path: Path) -> None:
    write(tmp_path, {f"m{n}.py": "def same():\n    return 1\n" for n in range(50)})
    with Engine.open(tmp_path) as engine:
        answer = engine.context("symbol = same")
    assert answer.meta.result_completeness == "truncated"
    assert answer.notes == ("10 more definitions: give a path or a parent",)
