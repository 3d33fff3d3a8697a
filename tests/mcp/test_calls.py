"""Calls without a transport: caps, formats, the log, secrets; any arguments at all."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecompass.engine.operations import KINDS
from codecompass.mcp.tools import TOOLS
from tests.conftest import Repo
from tests.mcp.caller import CAP, Caller
from tests.mcp.project import FILES, MANY


def test_handles_are_taken_as_they_are_printed(caller: Caller, repo: Repo) -> None:
    repo.write({"gone.py": "def soon_gone():\n    return 1\n"})
    handle = caller("locate_symbol", name="soon_gone")[0].rpartition("[")[2][:13]
    asked = [
        ("locate_symbol", "name"), ("find_references", "symbol"), ("get_call_graph", "symbol"),
        ("get_code_context", "query"), ("search_code", "query"),
    ]  # fmt: skip
    for tool, argument in asked:
        for text in (handle, f"[{handle}]"):
            answer, is_error = caller(tool, **{argument: text})
            assert not is_error
            assert "soon_gone" in answer
    (repo.root / "gone.py").unlink()
    for tool, argument in asked:
        answer, is_error = caller(tool, **{argument: handle})
        assert is_error, tool
        assert answer.startswith("handle_gone: ")


def test_a_broken_store_is_built_anew(caller: Caller, home: Path) -> None:
    assert not caller("locate_symbol", name="Cart")[1]
    (store,) = (home / "repositories").glob("*/facts.db")
    for log in store.parent.glob("facts.db-*"):
        log.unlink()
    with store.open("r+b") as stream:
        stream.seek(0)
        stream.write(b"\xff" * 40_000)
    for _ in range(3):
        text, is_error = caller("locate_symbol", name="Cart")
    assert not is_error, text
    assert "class Cart" in text


def test_what_needs_no_index_builds_none(caller: Caller, repo: Repo) -> None:
    repo.git("branch", "feat")
    assert "now mean feat" in caller("switch_ref", ref="feat")[0]
    assert "branch feat" in caller("list_refs")[0]
    assert "now mean live" in caller("switch_ref", ref="live")[0]
    assert caller("search_code", query="x", nonsense=True)[1]
    assert caller.calls._building.active(repo.root) is None
    assert "not_indexed" in caller("index_status")[0]


def test_two_refs_as_git_writes_them(caller: Caller, repo: Repo) -> None:
    repo.git("checkout", "--quiet", "-b", "feat")
    repo.commit({"new.py": "def new_one():\n    return 1\n"})
    text, is_error = caller("diff_context", ref="main..feat")
    assert not is_error
    assert "new_one" in text


def test_waiting_for_an_engine_can_be_cancelled(caller: Caller, repo: Repo) -> None:
    engines = caller.calls._engines
    with engines.lease(repo.root), engines.lease(repo.root):
        content, is_error = caller.calls.answer(
            TOOLS["locate_symbol"], {"name": "Cart"}, is_cancelled=lambda: True
        )
        assert (content, is_error) == ([], False)
        assert "not_indexed" in caller("index_status")[0]


@pytest.mark.parametrize(
    "arguments",
    [
        {"workspace": "a\0b"},
        {"workspace": "~nobody-of-this-name/x"},
        {"cursor": "Wz" + "Fbb" * 2_000},
        {"query": "\ud800"},
    ],
)
def test_odd_texts_are_bad_input(caller: Caller, arguments: dict[str, object]) -> None:
    text, is_error = caller("search_code", **{"query": "x", **arguments})
    assert "internal: " not in text
    assert is_error or "nothing found" in text


def test_a_cursor_of_another_tool_is_refused(caller: Caller, repo: Repo) -> None:
    repo.write(MANY)
    text, _ = caller("find_references", symbol="Priced > price", limit=5)
    cursor = text.rpartition("cursor=")[2].split()[0]
    text, is_error = caller("get_call_graph", symbol="Priced > price", limit=5, cursor=cursor)
    assert is_error
    assert text.startswith("cursor_expired: ")


def test_answers_are_capped(caller: Caller, repo: Repo) -> None:
    repo.write(MANY)
    repo.write({"long.py": "\n".join(f"def a_{n}(): return '{'x' * 60}'" for n in range(3_000))})
    asked: list[tuple[str, dict[str, object]]] = [
        ("find_references", {"symbol": "Priced > price", "limit": 1000, "include_context": True}),
        ("find_references", {"symbol": "Priced > price", "limit": 1000}),
        ("get_call_graph", {"symbol": "Priced > price", "limit": 1000, "depth": 3}),
        ("get_code_context", {"query": "use thing price", "max_tokens": 32_000}),
        ("get_code_context", {"query": "a_1 a_2", "max_tokens": 32_000, "strategy": "depth"}),
        ("search_code", {"query": "thing", "top_k": 100, "detail_level": "context"}),
        ("search_code", {"query": "/./", "top_k": 100, "exhaustive": True}),
        ("search_with_context", {"query": "use", "max_clusters": 20, "expand": ["all"]}),
        ("find_related_symbols", {"symbol": "Priced", "limit": 1000}),
        ("get_file_outline", {"path": "long.py"}),
        ("get_file_outline", {"path": "."}),
        ("diff_context", {"scope": "all", "detail_level": "context", "limit": 10_000}),
        ("locate_symbol", {"name": "price", "detail_level": "context"}),
    ]
    lengths: list[int] = []
    for tool, arguments in asked:
        for form in ("text", "json"):
            text, is_error = caller(tool, format=form, **arguments)
            assert not is_error, (tool, text)
            lengths.append(len(text))
            if form == "json":
                json.loads(text)
    assert sum(length > CAP * 2 // 3 for length in lengths) >= 8


def test_a_truncated_answer_goes_on_by_its_cursor(caller: Caller, repo: Repo) -> None:
    repo.write(MANY)
    cursor, names, pages = "", set[str](), 0
    while pages == 0 or cursor:
        text, is_error = caller(
            "find_references", symbol="Priced > price", limit=1000, include_context=True,
            **({"cursor": cursor} if cursor else {}),
        )  # fmt: skip
        assert not is_error
        names |= {line.split()[0] for line in text.splitlines() if line.startswith("many/")}
        last = text.splitlines()
        cursor = next((x.partition("cursor=")[2] for x in last if x.startswith("more:")), "")
        pages += 1
    assert len(names) == len(MANY)
    assert 1 < pages < 10


def test_secrets_are_masked(caller: Caller, repo: Repo) -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    repo.write({"keys.py": f'def connect():\n    return open_it("{key}")\n'})
    for tool, arguments in (
        ("search_code", {"query": "open_it"}),
        ("get_code_context", {"query": "symbol = connect"}),
        ("locate_symbol", {"name": "connect", "detail_level": "context"}),
        ("find_references", {"symbol": "connect", "include_context": True}),
        ("diff_context", {"detail_level": "context"}),
    ):
        for form in ("text", "json"):
            text, is_error = caller(tool, format=form, **arguments)
            assert not is_error
            assert key not in text


def test_every_call_is_in_the_log_without_its_contents(caller: Caller, home: Path) -> None:
    caller("search_code", query="very private words")
    caller("locate_symbol", name="Cart", unknown_thing="x")
    caller("get_file_outline", path="../up")
    text = (home / "logs/calls.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["tool"] for line in lines] == [
        "search_code", "locate_symbol", "get_file_outline",
    ]  # fmt: skip
    assert [line["outcome"] for line in lines] == [
        "ok", "invalid_argument", "path_outside_workspace",
    ]  # fmt: skip
    assert lines[0]["arguments"] == ["query"]
    assert lines[0]["workspace"]
    assert "private" not in text
    assert (home / "logs/calls.jsonl").stat().st_mode & 0o777 == 0o600


def test_the_log_can_be_switched_off(
    repo: Repo, home: Path, callers: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(FILES)
    monkeypatch.setenv("CODECOMPASS_SERVER_AUDIT", "false")
    callers.append(Caller(repo.root))
    assert not callers[0]("locate_symbol", name="Cart")[1]
    assert not (home / "logs").exists()


def test_a_ref_is_indexed_when_it_is_asked_for(caller: Caller, repo: Repo) -> None:
    assert not caller("locate_symbol", name="Cart")[1]
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"shop/feature.py": "def only_on_feature():\n    return 1\n"})
    repo.git("checkout", "--quiet", "main")
    assert "no definition" in caller("locate_symbol", name="only_on_feature")[0]
    text, is_error = caller("locate_symbol", name="only_on_feature", ref="feature")
    assert not is_error
    assert "shop/feature.py" in text
    assert "feature" in text.splitlines()[0]
    text, is_error = caller("locate_symbol", name="x", ref="no-such-branch")
    assert is_error
    assert text.startswith("ref_not_found: ")


def test_who_is_told_why_an_answer_is_stale_gets_no_other_advice(
    caller: Caller, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECOMPASS_FRESHNESS_RECHECK_AFTER_S", "3600")
    repo.commit({"met.py": "def met():\n    return 'a needle'\n"})
    assert "met.py" in caller("search_code", query='"a needle"')[0]
    repo.write({"met.py": "def met():\n    return 'a needle', 1\n"})
    text = caller("search_code", query='"a needle"')[0]
    assert "index stale (met.py has just changed: ask again)" in text
    assert "index_status" not in text
    assert "'a needle', 1" in caller("search_code", query='"a needle"')[0]


def test_many_changes_are_read_behind_the_answer(
    caller: Caller, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not caller("locate_symbol", name="Cart")[1]
    repo.commit({f"bulk/f{n}.py": f"def bulk_{n}():\n    return {n}\n" for n in range(250)})
    text, is_error = caller("locate_symbol", name="bulk_7")
    assert not is_error
    head = repo.git("rev-parse", "--short=10", "HEAD~1").strip()
    assert text.startswith(f"index stale @{head}")
    assert "index_status" in text.splitlines()[-1]
    caller("index_status", wait=True)
    deadline = time.monotonic() + 20
    while "bulk/f7.py" not in caller("locate_symbol", name="bulk_7")[0]:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_long_work_in_a_call_is_told_and_can_be_ended(caller: Caller, repo: Repo) -> None:
    """The base of a difference is indexed in the call that asks for it."""
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.commit({path: f"{text}\n\nX = 1\n" for path, text in {**FILES, **MANY}.items()})
    assert not caller("locate_symbol", name="Cart")[1]
    told: list[tuple[float, str]] = []
    tool, arguments = TOOLS["diff_context"], {"base": "main"}
    content, is_error = caller.calls.answer(
        tool, arguments, tell=lambda done, total, text: told.append((done, text)),
        is_cancelled=lambda: bool(told),
    )  # fmt: skip
    assert (content, is_error) == ([], False)
    assert told
    seen: list[float] = []
    content, is_error = caller.calls.answer(
        tool, arguments, tell=lambda done, total, text: seen.append(done)
    )
    assert not is_error
    assert "against main" in content[0]["text"]
    assert seen == sorted(set(seen))


_WORDS = st.sampled_from(["price", "Cart > total", "shop", "", "/a.*b/", '"x', "../..", "\0", "é"])
_ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 2_000)
    | st.floats()
    | st.text(max_size=30)
    | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
_SAFE = sorted(set(TOOLS) - {"index_repo", "sync_repo", "switch_ref"})


def _arguments(tool: str) -> st.SearchStrategy[dict[str, object]]:
    properties = {**TOOLS[tool].properties, **TOOLS[tool].rare}

    def value(name: str) -> st.SearchStrategy[object]:
        schema = properties[name]
        if name in {"wait", "timeout_s", "workspace"}:
            return st.sampled_from([False, None, "x"])
        if "enum" in schema:
            return st.sampled_from(schema["enum"]) | _ANYTHING
        if name == "kind":
            return st.sampled_from(KINDS) | _ANYTHING
        likely = {"integer": st.integers(1, 300), "boolean": st.booleans()}
        return likely.get(schema["type"], _WORDS) | _ANYTHING

    required = dict.fromkeys(TOOLS[tool].required, _WORDS | _ANYTHING)
    optional = {name: value(name) for name in properties if name not in required}
    return st.fixed_dictionaries(required, optional=optional)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A server that lives through all examples."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CODECOMPASS_HOME", str(tmp_path_factory.mktemp("data")))
        repo = Repo(tmp_path_factory.mktemp("many"))
        repo.commit({**FILES, **MANY})
        caller = Caller(repo.root)
        assert not caller("search_code", query="price")[1]
        yield caller
        caller.calls.close()


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_arguments_have_an_answer_under_the_cap(many: Caller, data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(_SAFE))
    arguments = data.draw(_arguments(tool))
    content, is_error = many.calls.answer(TOOLS[tool], arguments)
    text = "".join(item["text"] for item in content)
    assert 0 < len(text) <= CAP
    assert text.endswith("\n")
    if is_error:
        assert "internal: " not in text, text
        assert "\nworks: " in text
    json.dumps(content)
