"""A server that is asked nothing gives memory back, and is quick to wake up."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from codecompass.embed.static import load_static
from codecompass.engine.engine import Engine
from codecompass.mcp.allocator import can_give_back
from codecompass.mcp.engines import Engines
from codecompass.mcp.resting import Resting
from codecompass.source.memory import own_mib
from codecompass.text.identifiers import split_name
from tests.conftest import Repo
from tests.mcp.client import serving


def test_it_rests_once_after_the_last_call() -> None:
    rested = threading.Semaphore(0)
    resting = Resting(rested.release, 0.1)
    with resting.awake():
        time.sleep(0.25)
        assert not rested.acquire(blocking=False)  # not in the middle of a call
    assert rested.acquire(timeout=5)
    assert not rested.acquire(timeout=0.3)  # and not again
    with resting.awake():
        pass
    assert rested.acquire(timeout=5)
    resting.close()


def test_it_rests_between_calls_where_memory_has_grown() -> None:
    rested: list[int] = []
    resting = Resting(lambda: rested.append(1), 0.0, memory_mib=1)
    with resting.awake():
        pass
    ballast = [b"x" * 1_000_000 for _ in range(own_mib())]
    resting._tidy_at = 0.0
    with resting.awake():
        pass
    assert not rested  # it is not known yet what is usual
    ballast += [b"x" * 1_000_000 for _ in range(own_mib())]
    resting._tidy_at = resting._settled_at = 0.0
    with resting.awake():
        pass
    assert rested == [1]
    for _ in range(2):  # more work needs more memory: not thrown away again and again
        resting._tidy_at = resting._settled_at = 0.0
        with resting.awake():
            pass
        ballast += [b"x" * 1_000_000 for _ in range(own_mib())]
    assert rested == [1]
    del ballast


def test_what_was_open_is_closed_and_answers_again(repo: Repo) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    engines = Engines(for_each=2, workspaces=2)
    with engines.lease(repo.root) as first, engines.lease(repo.root) as second:
        assert first.search("one").results
        assert second.search("one").results
    engines.rest()
    with engines.lease(repo.root) as engine:
        assert engine._store._database is None
        assert engine._store._lexical is None
        assert engine._searcher._last_found is None
        assert not split_name.cache_info().currsize
        assert not load_static.cache_info().currsize
        repo.write({"a.py": "def two(): ...\n"})
        assert [item.name for item in engine.search("two").results] == ["two"]
    engines.close()


def test_questions_load_nothing_that_only_some_need(repo: Repo) -> None:
    """What is loaded once stays, also while a server rests."""
    repo.write({"a.py": "def one(): ...\n"})
    with Engine.open(repo.root) as engine:
        engine.index()
    code = (
        "import sys\n"
        "from codecompass import Engine\n"
        f"with Engine.open({str(repo.root)!r}) as engine:\n"
        "    for question in ('where is one', '\"def one\"', 'lang:python one'):\n"
        "        assert engine.search(question).results, question\n"
        "print(' '.join(sys.modules))\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "numpy" in found
    rare = {"numpy.ma", "numpy.random", "multiprocessing", "concurrent.futures"}
    assert not rare & set(found)


def test_the_first_question_waits_for_the_engine_that_is_made_ready(repo: Repo) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    engines = Engines(for_each=2, workspaces=2)
    found = []

    def ask() -> None:
        with engines.lease(repo.root) as engine:
            found.append(engine)

    with engines.warming(repo.root) as warm:
        asking = threading.Thread(target=ask)
        asking.start()
        time.sleep(0.2)
        assert not found
    asking.join(5)
    assert found == [warm]
    engines.close()


@pytest.mark.skipif(not can_give_back(), reason="another C library")
@pytest.mark.parametrize(("given", "chosen"), [(None, "malloc"), ("pymalloc", "pymalloc")])
def test_a_server_has_the_allocator_that_gives_back(
    root: Path, monkeypatch: pytest.MonkeyPatch, given: str | None, chosen: str
) -> None:
    monkeypatch.delenv("PYTHONMALLOC", raising=False)
    if given:
        monkeypatch.setenv("PYTHONMALLOC", given)
    with serving(root) as client:
        assert not client.call("index_status")[1]
        raw = Path(f"/proc/{client.process.pid}/environ").read_bytes()
    settings = raw.split(b"\0")
    assert f"PYTHONMALLOC={chosen}".encode() in settings
    assert (b"MALLOC_ARENA_MAX=1" in settings) == (chosen == "malloc")
