"""A run stays under its ceiling by forgetting, and what it finds out is the same."""

import sys
from pathlib import Path

import pytest

from codecompass.config.settings import IndexSettings
from codecompass.engine.engine import Engine
from codecompass.engine.workspace import open_workspace
from codecompass.indexing.bounds import segment_mib, share_memory
from codecompass.link.dialects.python import modules_of
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.links import nodes_by_number, read_edges
from tests.conftest import Repo


@pytest.mark.parametrize(
    ("ceiling", "cpus", "workers"),
    [(700, 2, 2), (700, 16, 3), (4_000, 16, 8), (350, 16, 1), (10, 1, 1)],
)
def test_the_ceiling_is_divided(ceiling: int, cpus: int, workers: int) -> None:
    settings = IndexSettings(memory_mib=ceiling)
    found = share_memory(settings, cpus)
    assert found.workers == workers
    assert found.workers * found.worker_mib <= max(ceiling - 220, 1)  # the writer has the rest
    assert segment_mib(settings) >= 16  # what Tantivy needs at the least


def everything(repo: Repo, home: Path, flags: dict[str, object]) -> list[object]:
    with Engine.open(repo.root, {"store.home": str(home), **flags}) as engine:
        engine.index()
        with engine._views.open("live", lambda *_: None) as view:
            database = view.reader._database
            found: list[object] = [view.reader.counts()]
            for link_id, path in database.rows("SELECT id, path FROM links ORDER BY path"):
                edges = read_edges(database, link_id)
                nodes = nodes_by_number(database, (edge[4] for edge in edges))
                found.append((path, sorted((*edge[:4], nodes[edge[4]]) for edge in edges)))
            rows = "SELECT model, COUNT(*), SUM(LENGTH(ordinals)) FROM vectors GROUP BY model"
            return [*found, *database.rows(rows)]


def test_a_low_ceiling_gives_the_same_index(repo: Repo, tmp_path: Path) -> None:
    repo.write({
        f"pkg/m{number}.py": f"from pkg.m{max(0, number - 1)} import f{max(0, number - 1)}\n"
        f"class C{number}:\n    def g(self): return f{max(0, number - 1)}()\n"
        f"def f{number}(): return C{number}().g()\n"
        for number in range(120)
    })  # fmt: skip
    usual = everything(repo, tmp_path / "usual", {})
    low = everything(repo, tmp_path / "low", {"index.memory_mib": 1})
    assert len(usual) > 100
    assert low == usual


@pytest.mark.parametrize("last", ['exec "$REAL" "$@"', "exit 1", '"$REAL" "$@" | head -c 3000'])
def test_a_process_that_stays_has_many_files_resolved_by_another(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    """Also if that one cannot start, or dies in the middle: what is missing is done here."""
    repo.write({"hub.py": "def hub(): ...\n"})
    repo.write({f"m{n}.py": "from hub import hub\nhub()\n" for n in range(80)})
    home, started = tmp_path / "home", tmp_path / "started"
    flags = {"store.home": str(home)}
    with Engine.open(repo.root, flags) as engine:
        engine.index()
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\nREAL={sys.executable}\necho x >> {started}\n{last}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with Engine(open_workspace(repo.root, flags), can_sync_behind=True) as engine:
        repo.write({"hub.py": "x = 1\nclass hub: ...\n"})
        found = engine.find_references("hub")
        assert found.total == 160  # imported and called
        assert started.read_text() == "x\n"
        repo.write({"m1.py": "from hub import hub\nhub().hub\n"})
        assert engine.find_references("hub").total == 160
        assert started.read_text() == "x\n"  # for one file nobody is started


def test_a_process_that_stays_does_not_remember_every_word(repo: Repo) -> None:
    words = " ".join(f"word{number}" for number in range(12_000))
    repo.write({"a.txt": words.replace("0 ", "0\n"), "b.py": "def one(): ...\n"})
    with Engine.open(repo.root, {"index.memory_mib": 4_000}) as engine:  # not for want of memory
        engine.index()
        assert len(shared_analyzer()._terms) < 1_000
        assert engine.search("word11999").results


def test_the_modules_of_a_snapshot_keep_nothing_that_was_asked_of_them() -> None:
    paths = ("a/__init__.py", "a/b.py")
    assert modules_of(paths).resolve("a/b.py", "a") == "a/__init__.py"
    assert modules_of(paths)._resolved == {}
