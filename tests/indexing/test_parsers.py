"""Files that kill a parser: the question is answered, the file is found as plain text."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from codecompass.config.settings import IndexSettings
from codecompass.engine.engine import Engine
from codecompass.indexing import parsers as parsers_module
from codecompass.indexing.parsers import ParserProcess, Parsers, shared_parsers
from codecompass.indexing.parsing import ParseTask, Wanted
from codecompass.indexing.work import WorkItem
from codecompass.model.snapshot import VersionId
from tests.conftest import Repo

# The scanner of tree-sitter-ruby 0.23.1 writes beyond its memory over a word of this length.
_DEADLY = "# needle\n<<" + "A" * 1019 + "\n"


def not_parsed(engine: Engine) -> dict[str, str]:
    counts = engine.status().counts
    assert counts is not None
    return counts.not_parsed or {}


def item(number: int, path: str) -> WorkItem:
    return WorkItem(path, VersionId(number))


def test_602_bytes_of_yaml_do_not_end_the_search(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "def alpha(): ...\n"})
    engine.index()
    repo.write({"values.yaml": "- " * 300 + "x\n"})
    assert [found.name for found in engine.search("alpha").results] == ["alpha"]
    assert not_parsed(engine) == {"values.yaml": "nested too deeply"}


def test_a_file_that_kills_the_parser_does_not_end_the_search(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "def alpha(): ...\n"})
    engine.index()
    repo.write({"values.rb": _DEADLY})
    assert [found.name for found in engine.search("alpha").results] == ["alpha"]
    assert engine.locate("alpha").total == 1
    assert [hit.path for hit in engine.search("needle").results] == ["values.rb"]
    assert not_parsed(engine).keys() == {"values.rb"}
    assert "parser crashed: SIG" in not_parsed(engine)["values.rb"]


def test_the_commands_that_died_over_a_file_answer_and_name_it(repo: Repo) -> None:
    repo.commit({"a.py": "def alpha(): ...\n", "values.rb": _DEADLY})

    def ask(*words: str) -> str:
        command = [sys.executable, "-m", "codecompass", *words]
        done = subprocess.run(command, cwd=repo.root, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), words
        return done.stdout

    assert "a.py:1" in ask("search", "alpha")
    assert "a.py:1" in ask("symbol", "alpha")
    ask("sync")
    ask("index", "--quiet", "--force")
    assert "a.py:1" in ask("search", "alpha", "--ref", "main")
    assert "values.rb (parser crashed: SIG" in ask("status")
    assert "values.rb (parser crashed: SIG" in ask("doctor")


def test_a_content_that_killed_the_parser_is_not_parsed_again(
    repo: Repo, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write({"a.py": "def alpha(): ...\n", "values.rb": _DEADLY})
    engine.index()
    asked = watch_asked(monkeypatch)
    repo.write({"copy/other.rb": _DEADLY, "b.py": "def beta(): ...\n"})
    assert engine.locate("beta").total == 1
    assert set(not_parsed(engine)) == {"values.rb", "copy/other.rb"}
    assert [item.path for item in asked] == ["b.py"]


def watch_asked(monkeypatch: pytest.MonkeyPatch) -> list[WorkItem]:
    """The items that parsers are asked for from now on."""
    asked: list[WorkItem] = []
    original = ParserProcess.ask

    def ask(parser: ParserProcess, task: ParseTask) -> object:
        asked.extend(task.items)
        return original(parser, task)

    monkeypatch.setattr(ParserProcess, "ask", ask)
    return asked


def test_it_is_parsed_again_when_the_grammar_changes(
    repo: Repo, engine: Engine, monkeypatch: pytest.MonkeyPatch, forked_parsers: None
) -> None:
    from codecompass.indexing import work
    from codecompass.parse import extract

    repo.write({"values.rb": _DEADLY})
    engine.index()
    shared_parsers().rest()
    monkeypatch.setattr(extract, "_wheel_version", lambda language: "99.0")
    work.current_extractor.cache_clear()
    asked = watch_asked(monkeypatch)
    try:
        engine.index()
    finally:
        monkeypatch.undo()
        work.current_extractor.cache_clear()
    assert next((found.path, found.failure) for found in asked) == ("values.rb", "")


def test_meaning_is_kept_for_a_file_that_is_not_parsed(repo: Repo, engine: Engine) -> None:
    repo.write({"values.rb": _DEADLY, "b.rb": "b = 1\n"})
    engine.index()
    database = engine.workspace.layout.database
    import sqlite3

    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM vectors").fetchone() == (2,)


@pytest.mark.parametrize("count", [3, 80])
def test_all_other_files_are_extracted(tmp_path: Path, count: int) -> None:
    """In one parser and in several, from its middle."""
    items = []
    for number in range(count):
        path = f"m{number}.rb"
        is_deadly = number in {1, count - 2}
        (tmp_path / path).write_text(_DEADLY if is_deadly else f"key{number} = 1\n")
        items.append(item(number, path))
    parsers = Parsers()
    found = [file for batch in parsers.extract(tmp_path, items, IndexSettings()) for file in batch]
    parsers.rest()
    assert sorted(file.path for file in found) == sorted(item.path for item in items)
    failures = {file.path: file.rows.failure for file in found if file.rows}
    assert len(failures) == count
    dead = {path for path, why in failures.items() if why}
    assert dead == {"m1.rb", f"m{count - 2}.rb"}


def test_a_parser_lives_on_between_runs_and_is_ended_at_rest(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    parsers = Parsers()
    pids = []
    for _ in range(2):
        list(parsers.extract(tmp_path, [item(1, "a.py")], IndexSettings()))
        pids.append(pid_of(parsers._idle[0]))
    assert pids[0] == pids[1]
    parsers.rest()
    assert not is_alive(pids[0])


def pid_of(parser: ParserProcess) -> int:
    process = parser._process
    assert process is not None
    return process.pid


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_parser_killed_at_fifty_random_moments_loses_nothing(repo: Repo) -> None:
    chance = random.Random(29)  # noqa: S311  # a test's dice
    paths = [f"m{number}.py" for number in range(40)]
    text = "".join(f"def f{line}(x):\n    return g{line}(x)\n" for line in range(60))
    parsers = Parsers()
    kills = 0
    for path in paths:
        (repo.root / path).write_text(text)
    items = [item(number, path) for number, path in enumerate(paths)]
    taken: list[ParserProcess] = []

    def strike(wait_s: float) -> None:
        nonlocal kills
        time.sleep(wait_s)
        for parser in taken:
            if parser.heard_at:
                parser.kill()
                kills += 1

    while kills < 50:
        taken = list(parsers._idle)
        thread = threading.Thread(target=strike, args=(chance.uniform(0.0, 0.15),))
        thread.start()
        found = [
            file for batch in parsers.extract(repo.root, items, IndexSettings()) for file in batch
        ]
        thread.join()
        assert [file.path for file in found] == paths
        assert all(file.rows and not file.rows.failure for file in found)
        assert all(file.rows and file.rows.definitions == 60 for file in found)
    parsers.rest()


def test_a_file_over_which_the_parser_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A parser that is silent is ended; the file becomes plain text in the end."""
    monkeypatch.setattr(parsers_module, "_SILENCE_S", 0.5)
    monkeypatch.setattr(parsers_module, "_LOOK_S", 0.1)
    monkeypatch.setattr(parsers_module, "_spawn", spawn_a_stuck_one)
    (tmp_path / "a.py").write_text("stuck = 1\n")
    (tmp_path / "b.py").write_text("def fine(): ...\n")
    parsers = Parsers()
    with background_thread():  # so that parsers are not forked
        found = [
            file
            for batch in parsers.extract(
                tmp_path, [item(1, "a.py"), item(2, "b.py")], IndexSettings()
            )
            for file in batch
        ]
    parsers.rest()
    reasons = {file.path: file.rows.failure for file in found if file.rows}
    assert reasons == {"a.py": "parser crashed: SIGKILL", "b.py": ""}


def spawn_a_stuck_one() -> "subprocess.Popen[bytes]":
    """A parser that hangs in extraction where a text says `stuck`."""
    code = (
        "import os, sys, time\n"
        "from codecompass.indexing import parsing, work\n"
        "real = work.extract\n"
        "def extract(language, text):\n"
        "    while b'stuck' in text: time.sleep(1)\n"
        "    return real(language, text)\n"
        "work.extract = extract\n"
        "parsing.serve_tasks(sys.stdin.buffer, sys.stdout.buffer)\n"
    )
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@contextlib.contextmanager
def background_thread() -> "contextlib.Iterator[None]":
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_parser_that_does_not_start_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codecompass.errors import StoreError

    def broken() -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", "raise SystemExit(3)"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    monkeypatch.setattr(parsers_module, "_spawn", broken)
    (tmp_path / "a.py").write_text("a = 1\n")
    with background_thread(), pytest.raises(StoreError, match="does not start"):
        list(Parsers().extract(tmp_path, [item(1, "a.py")], IndexSettings()))


def test_whoever_stops_listening_leaves_no_process_and_no_half_answer(tmp_path: Path) -> None:
    for number in range(120):
        (tmp_path / f"m{number}.py").write_text("def f(): ...\n" * 50)
    items = [item(number, f"m{number}.py") for number in range(120)]
    parsers = Parsers()
    batches = parsers.extract(tmp_path, items, IndexSettings())
    next(iter(batches))
    batches.close()  # type: ignore[attr-defined]
    assert all(parser._process is None for parser in parsers._idle)
    again = [f for batch in parsers.extract(tmp_path, items[:2], IndexSettings()) for f in batch]
    assert [file.path for file in again] == ["m0.py", "m1.py"]
    parsers.rest()


def test_a_forked_parser_holds_no_lock_of_the_process_that_asks(repo: Repo) -> None:
    """One that lives on must not keep another writer waiting."""
    repo.write({"a.py": "def alpha(): ...\n"})
    code = (
        "import sys, subprocess\n"
        "from codecompass import Engine\n"
        f"with Engine.open({str(repo.root)!r}) as engine:\n"
        "    engine.index()\n"
        f"    open({str(repo.root / 'b.py')!r}, 'w').write('def beta(): ...')\n"
        "    command = [sys.executable, '-m', 'codecompass', 'index', '--quiet']\n"
        f"    sys.exit(subprocess.run(command, cwd={str(repo.root)!r}, timeout=20).returncode)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_parsers_end_with_the_process_that_asks(repo: Repo) -> None:
    repo.write({"a.py": "def alpha(): ...\n"})
    code = (
        "import os, time\n"
        "from codecompass import Engine\n"
        "from codecompass.indexing.parsers import shared_parsers\n"
        f"with Engine.open({str(repo.root)!r}) as engine:\n"
        "    engine.index()\n"
        "    print(shared_parsers()._idle[0]._process.pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    assert is_alive(pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 20
    while is_alive(pid) and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_task_is_answered_in_order() -> None:
    parser = ParserProcess()
    task = ParseTask(Wanted.ROWS, "/nowhere", (item(1, "x"), item(2, "y")), IndexSettings(), 100)
    assert [found.path for found in parser.ask(task)] == ["x", "y"]  # type: ignore[union-attr]
    parser.close()


def test_one_parser_serves_all_engines_of_a_process(repo: Repo, tmp_path: Path) -> None:
    shared_parsers().rest()
    repo.write({"a.py": "a = 1\n"})
    pids = set()
    for name in ("one", "two"):
        with Engine.open(repo.root, {"store.home": str(tmp_path / name)}) as engine:
            engine.index()
        pids.add(pid_of(shared_parsers()._idle[0]))
    assert len(pids) == 1
