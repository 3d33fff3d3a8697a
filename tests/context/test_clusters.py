"""Clusters: what matches with what belongs to it; budgets, states, expansion, cache."""

import json
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from codecompass.cli.batch import lines_when_ready
from codecompass.config.load import load_settings
from codecompass.engine.engine import Engine
from codecompass.engine.operations import call_operation
from codecompass.errors import BadInput, HandleGone
from codecompass.model.answer import OutlineAnswer
from codecompass.model.cluster import ClusterOptions, ExpansionState, MatchType, Relationship
from codecompass.present.cluster_text import render_clusters, render_expansion
from codecompass.present.clusters import cluster_lines, match_type
from codecompass.present.text import render_outline
from codecompass.text.tokens import estimate_tokens
from tests.graph.world import write

CALLS = "\n".join(f"def user{n}():\n    return price({n})\n\n" for n in range(40))
FILES = {
    "shop/price.py": """
        from shop.tax import add_tax

        RATE = 2


        def price(item):
            '''The price of an item, with tax.'''
            return add_tax(item.cost * RATE)


        def discount(item):
            return 1
    """,
    "shop/tax.py": "def add_tax(amount):\n    return amount + 1\n",
    "shop/users.py": "from shop.price import price\n\n\n" + CALLS,
    "shop/shapes.py": """
        class Shape:
            def area(self):
                return 0

            def name(self):
                return "shape"


        class Square(Shape):
            def area(self):
                return 1
    """,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def test_cheap_relationships_are_loaded_and_the_others_counted(root: Path) -> None:
    with Engine.open(root) as engine:
        cluster = engine.clusters("price").clusters[0]
        seed = cluster.seeds[0]
        assert (seed.name, seed.match_type) == ("price", MatchType.EXACT)
        assert seed.preview is not None
        assert "add_tax(item.cost * RATE)" in seed.preview
        states = {name: (part.state, part.total_count) for name, part in cluster.related.items()}
        assert states[Relationship.CALLERS] == (ExpansionState.NOT_LOADED, 40)
        assert states[Relationship.CALLEES] == (ExpansionState.NOT_LOADED, 1)
        assert states[Relationship.COLOCATED] == (ExpansionState.LOADED, 2)
        assert cluster.metadata.entry_point == "shop/price.py:6"
        assert cluster.metadata.cluster_type == "function-chain"


def test_what_is_asked_for_is_loaded_inside_its_budget(root: Path) -> None:
    with Engine.open(root) as engine:
        answer = engine.clusters("price", options=ClusterOptions(expand=("all",)))
        callers = answer.clusters[0].related[Relationship.CALLERS]
        assert callers.state is ExpansionState.TRUNCATED
        assert callers.total_count == 40
        assert 0 < len(callers.data) < 40
        assert {item.relation for item in callers.data} == {"called-by"}
        hints = answer.expansion_hints.truncated_relationships
        assert (hints[0].relationship, hints[0].available_count) == ("callers", 40)
        for number, cluster in enumerate(answer.clusters, 1):
            tokens = estimate_tokens("\n".join(cluster_lines(cluster, number)))
            assert cluster.metadata.token_estimate <= tokens + 1 <= 2_000
        assert answer.token_usage.per_cluster[0] == answer.clusters[0].metadata.token_estimate


def test_a_family(root: Path) -> None:
    with Engine.open(root) as engine:
        shape = engine.clusters("class:Shape", options=ClusterOptions(expand=("type_family",)))
        family = shape.clusters[0].related[Relationship.TYPE_FAMILY]
        assert [(item.name, item.relation) for item in family.data] == [("Square", "extended-by")]
        found = engine.clusters("symbol = Square > area", options=ClusterOptions(expand=("all",)))
        over = found.clusters[0].related[Relationship.TYPE_FAMILY]
        assert [(item.name, item.relation) for item in over.data] == [("Shape.area", "overrides")]


def test_members_of_one_class_are_one_cluster(root: Path) -> None:
    with Engine.open(root) as engine:
        answer = engine.clusters("shape area name")
        paths = [(c.seeds[0].path, len(c.seeds)) for c in answer.clusters]
        assert len({name for c in answer.clusters for name in [c.cluster_id]}) == len(paths)
        text = render_clusters(answer)
        assert text.count("colocated") <= len({path for path, _ in paths})


def test_expansion_works_in_another_process(root: Path) -> None:
    with Engine.open(root) as engine:
        identity = engine.clusters("price").clusters[0].cluster_id
    call = {"op": "expand_cluster_relationship", "args": {"cluster_id": identity}}
    call["args"] |= {"relationship_type": "callers", "limit": 3}
    done = subprocess.run(
        [sys.executable, "-m", "codecompass", "batch", "--quiet", "--workspace", str(root)],
        input=json.dumps(call).encode(), capture_output=True, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)["answer"]
    assert [item["name"] for item in answer["results"]] == ["user0", "user1", "user2"]
    assert (answer["state"], answer["total_count"]) == ("truncated", 40)


def test_a_handle_whose_symbol_is_gone_says_so(root: Path) -> None:
    with Engine.open(root) as engine:
        identity = engine.clusters("price").clusters[0].cluster_id
        assert "1 of 1 callees of price" in render_expansion(
            engine.expand_cluster(identity, "callees")
        )
        (root / "shop/price.py").write_text("def cost(item):\n    return 1\n")
        with pytest.raises(HandleGone, match=identity):
            engine.expand_cluster(identity, "callees")


def test_the_same_question_is_answered_from_memory_until_something_changes(root: Path) -> None:
    with Engine.open(root) as engine:
        first = engine.clusters("price")
        again = engine.clusters("price")
        assert again.clusters is first.clusters
        (root / "shop/tax.py").write_text("def add_tax(amount):\n    return price(amount)\n")
        assert engine.clusters("price").clusters is not first.clusters
        other = engine.clusters("price", options=ClusterOptions(max_clusters=1))
        assert len(other.clusters) == 1


def test_idle_time_is_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(root) as engine:
        assert not engine.use_idle_time()  # nothing is indexed
        engine.index()
        count = 0
        while engine.use_idle_time():
            count += 1
        assert count >= 2
        assert engine._clusters.get(("price", ClusterOptions(), None, *engine._clusters.state))  # type: ignore[misc]
    monkeypatch.setenv("CODECOMPASS_DISABLE_PRECOMPUTE", "true")
    with Engine.open(root) as engine:
        engine.index()
        assert not engine.use_idle_time()


def test_switches_in_the_environment() -> None:
    def precompute(environment: dict[str, str]) -> bool:
        return load_settings(None, environment).answers.precompute

    assert precompute({})
    assert not precompute({"CODECOMPASS_DISABLE_PRECOMPUTE": "1"})
    assert precompute({"CODECOMPASS_DISABLE_PRECOMPUTE": "0"})
    assert not precompute({"CODECOMPASS_ANSWERS_PRECOMPUTE": "false"})


def test_lines_come_through_whatever_is_done_in_between() -> None:
    done: list[int] = []
    lines = [b"a\n", b"b\n"]
    assert list(lines_when_ready(lines, lambda: bool(done.append(1)))) == lines


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("price", ["price"], "exact"),
        ("price", ["shop.price"], "exact"),
        ("priceOf", ["price"], "prefix"),
        ("getPrice", ["price"], "contains"),
        ("render_pr", ["pr"], "fuzzy"),
        ("cost", ["price"], "semantic"),
    ],
)
def test_match_types(name: str, words: list[str], expected: str) -> None:
    assert match_type(name, words) == expected


def test_bad_input(root: Path) -> None:
    with Engine.open(root) as engine:
        for options in (ClusterOptions(max_clusters=0), ClusterOptions(expansion_depth=99)):
            with pytest.raises(BadInput):
                engine.clusters("price", options=options)
        with pytest.raises(BadInput, match="expand"):
            engine.clusters("price", options=ClusterOptions(expand=("cousins",)))
        with pytest.raises(BadInput, match="relationship_type"):
            engine.expand_cluster("0" * 13, "cousins")
        with pytest.raises(HandleGone):
            engine.expand_cluster("0" * 13, "callers")
        assert "nothing found" in render_clusters(engine.clusters("zzqqxx"))


def test_followups(root: Path) -> None:
    with Engine.open(root) as engine:
        found = engine.suggest_followups("price")
        assert found.calls[0].op == "get_code_context"
        callers = [call for call in found.calls if call.args.get("direction") == "callers"]
        assert callers[0].reason == "40 callers of price"
        for call in (*found.calls, *engine.suggest_followups("prise").calls):
            call_operation(engine, call.op, call.args)
        nothing = engine.suggest_followups("symbol = prise")
        assert nothing.confidence == 0
        assert nothing.calls[0].args == {"name": "price"}


def test_a_folder(root: Path) -> None:
    with Engine.open(root) as engine:
        answer = call_operation(engine, "get_file_outline", {"path": "shop", "depth": "top"})
        names = [file.path for file in answer.files]  # type: ignore[attr-defined]
        assert names == ["shop/price.py", "shop/shapes.py", "shop/tax.py", "shop/users.py"]
        top = call_operation(engine, "get_file_outline", {"path": ".", "depth": "top"})
        assert top.folders == {"shop/": 4}  # type: ignore[attr-defined]
    done = subprocess.run(
        [sys.executable, "-m", "codecompass", "outline", "shop", "--workspace", str(root)],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    lines = textwrap.dedent(done.stdout).split("\n")
    assert lines[1] == "  price.py 12 lines: RATE, price, discount"


def test_an_outline_keeps_to_the_budget(tmp_path: Path) -> None:
    methods = "".join(f"    def method_{n}(self):\n        return {n}\n\n" for n in range(900))
    write(tmp_path, {"big.py": f"class Big:\n{methods}\n\ndef last():\n    return 1\n"})
    with Engine.open(tmp_path) as engine:
        answer = engine.outline("big.py")
    assert isinstance(answer, OutlineAnswer)
    assert estimate_tokens(render_outline(answer)) == answer.meta.estimated_tokens <= 4_000
    assert answer.total == 902
    assert answer.meta.result_completeness == "truncated"
    assert [item.name for item in answer.results if item.depth == 0] == ["Big", "last"]


def test_a_batch_outlives_what_goes_wrong_while_it_waits(root: Path) -> None:
    repo = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"], ["branch", "feat"]):
        subprocess.run([*repo, *words], check=True, capture_output=True)
    with Engine.open(root) as engine:
        engine.switch_ref("feat")
    subprocess.run([*repo, "branch", "-qD", "feat"], check=True)
    batch = subprocess.Popen(
        [sys.executable, "-m", "codecompass", "batch", "--quiet", "--ref", "HEAD",
         "--workspace", str(root)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert batch.stdin is not None
    assert batch.stdout is not None
    assert batch.stderr is not None
    for _ in range(2):
        batch.stdin.write(b'{"op": "locate_symbol", "args": {"name": "price"}}\n')
        batch.stdin.flush()
        assert json.loads(batch.stdout.readline())["ok"]
        time.sleep(0.3)
    batch.send_signal(signal.SIGINT)
    assert batch.wait(10) == 128 + signal.SIGINT
    assert b"Fatal" not in batch.stderr.read()
    batch.stdin.close()
    batch.stdout.close()
    batch.stderr.close()
