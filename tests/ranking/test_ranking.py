"""Golden rankings over small projects: a change of ranking shows its whole effect in the diff.

`pytest tests/ranking --update-golden` rewrites `golden/` and `rank_stats.txt`; read the diff.
"""

import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.model.answer import SearchAnswer

HERE = Path(__file__).parent
CORPUS = HERE.parent / "corpus"
QUERIES: dict[str, dict[str, str]] = tomllib.loads((HERE / "queries.toml").read_text("utf-8"))
CASES = [(project, query) for project, queries in QUERIES.items() for query in queries]
SHOWN = 5


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Engine]]:
    """One engine for each project; away from this repository's ignore rules and settings."""
    folder = tmp_path_factory.mktemp("projects")
    patch = pytest.MonkeyPatch()
    patch.setenv("CODECOMPASS_HOME", str(folder / "home"))
    opened = {}
    for project in QUERIES:
        shutil.copytree(CORPUS / project, folder / project)
        opened[project] = Engine.open(folder / project, {"freshness.recheck_after_s": 3600.0})
        opened[project].index()
    yield opened
    for engine in opened.values():
        engine.__exit__(None, None, None)
    patch.undo()


def rank_of(answer: SearchAnswer, wanted: str) -> int | None:
    """The place of the first result that is the file, and the definition if one is named."""
    path, _, name = wanted.partition(" > ")
    for position, result in enumerate(answer.results, 1):
        if result.path == path and name in {"", result.name}:
            return position
    return None


def render(answer: SearchAnswer, wanted: str) -> str:
    lines = [f"wanted: {wanted}, rank {rank_of(answer, wanted)}"]
    lines += [
        f"{result.path}:{result.start_line}-{result.end_line} {result.kind} {result.name}"
        for result in answer.results[:SHOWN]
    ]
    return "\n".join(lines) + "\n"


def golden_path(project: str, query: str) -> Path:
    slug = re.sub(r"\W+", "-", query).strip("-").lower()
    return HERE / "golden" / project / f"{slug}.txt"


@pytest.mark.parametrize(("project", "query"), CASES)
def test_ranking(
    project: str, query: str, engines: dict[str, Engine], request: pytest.FixtureRequest
) -> None:
    wanted = QUERIES[project][query]
    said = render(engines[project].search(query), wanted)
    path = golden_path(project, query)
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said, "utf-8")
    assert said == path.read_text("utf-8")
    assert "rank None" not in said.split("\n", 1)[0]


def test_rank_stats(engines: dict[str, Engine], request: pytest.FixtureRequest) -> None:
    lines = []
    for project, queries in QUERIES.items():
        ranks = [rank_of(engines[project].search(q), wanted) for q, wanted in queries.items()]
        first = sum(rank == 1 for rank in ranks) / len(ranks)
        five = sum(rank is not None and rank <= SHOWN for rank in ranks) / len(ranks)
        mrr = sum(1 / rank for rank in ranks if rank) / len(ranks)
        lines.append(f"{project:8} n={len(ranks):2} recall@1 {first:.3f} recall@5 {five:.3f}"
                     f" MRR {mrr:.3f}")  # fmt: skip
    said = "\n".join(lines) + "\n"
    path = HERE / "rank_stats.txt"
    if request.config.getoption("--update-golden"):
        path.write_text(said, "utf-8")
    assert said == path.read_text("utf-8")


def test_every_golden_text_belongs_to_a_query() -> None:
    known = {golden_path(project, query) for project, query in CASES}
    assert set((HERE / "golden").rglob("*.txt")) == known
