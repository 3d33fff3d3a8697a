"""What the caller writes, taken apart and guessed at."""

import pytest

from codecompass.errors import BadInput
from codecompass.model.query import SymbolFilters
from codecompass.model.search import Intent
from codecompass.search.intent import guess_intent
from codecompass.search.parse_query import MAX_QUERY_CHARS, parse_query


def test_plain_words_stay_words() -> None:
    question = parse_query("how are routes registered", SymbolFilters())
    assert question.words == ("how", "are", "routes", "registered")
    assert question.names == ()


def test_names_are_told_from_prose() -> None:
    question = parse_query("How does parseConfig use os.path and Router", SymbolFilters())
    assert question.names == ("parseConfig", "os.path", "Router")


def test_one_word_is_a_name() -> None:
    assert parse_query("router", SymbolFilters()).names == ("router",)


def test_filters_inside_the_question() -> None:
    question = parse_query('class:Router in:src lang:py ext:pyi kind:enum "a b"', SymbolFilters())
    assert question.names == ("Router",)
    assert question.phrases == ("a b",)
    assert question.filters.path_contains == ("src",)
    assert question.filters.language == ("python",)
    assert question.filters.extension == ("pyi",)
    assert {"class", "enum"} <= set(question.filters.kind)


def test_filters_inside_come_on_top_of_those_given() -> None:
    given = SymbolFilters(path_contains=("lib",))
    assert parse_query("x in:src", given).filters.path_contains == ("lib", "src")


def test_an_expression_may_hold_blanks_and_slashes() -> None:
    question = parse_query("/a b\\/c/i lang:go", SymbolFilters())
    assert (question.expression, question.flags) == ("a b\\/c", "i")
    assert question.filters.language == ("go",)


@pytest.mark.parametrize(
    "query",
    [
        "/usr/lib",
        "/src/app/",
        "/src/x",
        "/api/users/my",
        "src/app/main.py",
        "w / height / 2",
        "//",
    ],
)
def test_a_path_or_a_division_is_no_expression(query: str) -> None:
    assert parse_query(query, SymbolFilters()).expression == ""


@pytest.mark.parametrize("expression", ["return ", " x", "a/b(c)", "\\.py$", "foo"])
def test_a_query_between_slashes_is_an_expression(expression: str) -> None:
    for flag in ("", "i"):
        question = parse_query(f"/{expression}/{flag}", SymbolFilters())
        assert (question.expression, question.flags) == (expression, flag)


def test_an_expression_ends_at_its_slash() -> None:
    question = parse_query("/foo/ in:src/", SymbolFilters())
    assert question.expression == "foo"
    assert question.filters.path_contains == ("src/",)
    assert parse_query("foo /Router/", SymbolFilters()).notes


@pytest.mark.parametrize(
    "query", ["in:", "router lang:", "symbol =", "symbol = >", "symbol = A >"]
)
def test_what_lacks_a_value_is_refused(query: str) -> None:
    with pytest.raises(BadInput, match="query: given"):
        parse_query(query, SymbolFilters())


def test_a_colon_in_prose_is_prose() -> None:
    question = parse_query("return type: string and methods: two", SymbolFilters())
    assert question.notes == ()
    assert question.filters == SymbolFilters()


def test_symbol_equals() -> None:
    assert parse_query("symbol = a.py > A > b", SymbolFilters()).symbol == "a.py > A > b"


@pytest.mark.parametrize("query", ["", "   ", "x" * (MAX_QUERY_CHARS + 1), "a\0b", "a\ud800"])
def test_what_cannot_be_a_query_is_refused(query: str) -> None:
    with pytest.raises(BadInput, match="query: given"):
        parse_query(query, SymbolFilters())


def test_a_misspelt_filter_is_refused_and_the_right_one_named() -> None:
    with pytest.raises(BadInput, match=r"unknown filter langage:.*did you mean language:"):
        parse_query("langage:py router", SymbolFilters())


def test_a_word_with_a_colon_that_is_no_filter_is_searched_and_said() -> None:
    question = parse_query("node:fs promises", SymbolFilters())
    assert question.words == ("node:fs", "promises")
    assert question.notes == ("node: is no filter, searched as text",)


def test_an_address_is_no_filter() -> None:
    assert parse_query("http://example.org std::mem", SymbolFilters()).notes == ()


def test_unknown_language_and_kind_are_refused() -> None:
    with pytest.raises(BadInput, match=r"language: given 'klingon'; allowed: .*python"):
        parse_query("lang:klingon", SymbolFilters())
    with pytest.raises(BadInput, match=r"kind: given 'klass'; allowed: .*class"):
        parse_query("kind:klass x", SymbolFilters())


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("parseConfig", Intent.SYMBOL),
        ("Router.add", Intent.SYMBOL),
        ("symbol = A > b", Intent.SYMBOL),
        ("src/app/main.py", Intent.PATH),
        ("main.py", Intent.PATH),
        ("TypeError: 'int' object is not callable", Intent.ERROR),
        ("how are errors handled in the router", Intent.NATURAL_LANGUAGE),
        ("/def \\w+/", Intent.STRUCTURAL),
        ("if (x == null) { return foo(); }", Intent.STRUCTURAL),
    ],
)
def test_intent(query: str, intent: Intent) -> None:
    guess = guess_intent(parse_query(query, SymbolFilters()))
    assert guess.intent is intent
    assert 0 < guess.confidence <= 1
