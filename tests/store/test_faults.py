"""What goes wrong with disks, clocks and folders is seen, said and mended; no wrong answer."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.errors import IndexDamaged, IndexIncompatible, StoreError, WorkspaceMissing
from codecompass.present.meta import state_line
from tests.conftest import Repo, age, without_rights

FILES = {f"pkg/m{number}.py": f"def f{number}(): return {number}\n" for number in range(20)}


@pytest.fixture
def indexed(repo: Repo, engine: Engine) -> Repo:
    repo.commit(FILES)
    for path in FILES:
        age(repo.root / path)
    engine.index()
    return repo


def check(engine: Engine, name: str) -> tuple[bool, str]:
    found = next(item for item in engine.doctor().checks if item.name == name)
    return found.ok, found.detail


# ---- full disk


def test_a_full_disk_is_said_and_the_last_state_answers(indexed: Repo) -> None:
    indexed.write({"pkg/m1.py": "def changed(): ...\n" * 500})
    code = (
        "import resource, signal, sys\n"
        "from codecompass.cli.main import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
        f"sys.exit(main(['symbol', 'f2', '--workspace', {str(indexed.root)!r}]))\n"
    )
    environment = {**os.environ, "CODECOMPASS_FRESHNESS_POLICY": "balanced"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "index stale (" in done.stdout
    assert "pkg/m2.py" in done.stdout
    with Engine.open(indexed.root) as engine:  # room again
        assert engine.locate("changed").total == 500
        assert check(engine, "integrity")[0]


def test_the_doctor_tells_of_a_full_disk(indexed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(indexed.root) as engine:
        assert check(engine, "index")[0]
        full = shutil.disk_usage(indexed.root)._replace(free=1_000_000)
        monkeypatch.setattr(shutil, "disk_usage", lambda _folder: full)
        is_well, detail = check(engine, "index")
    assert not is_well
    assert detail.startswith("1.0 MiB are free")


# ---- a home that cannot be written


@contextmanager
def read_only(home: Path, root: Path) -> Iterator[None]:
    """Be the owner of a repository who may read the data directory and not write it."""
    parts = [home, *home.rglob("*")]
    for path in parts:
        path.chmod(0o555 if path.is_dir() else 0o444)
    own = [root, *root.rglob("*")]
    for path in own if os.geteuid() == 0 else ():
        os.lchown(path, 65_534, 65_534)
    try:
        with without_rights(home, root):
            yield
    finally:
        for path in parts:
            path.chmod(0o755 if path.is_dir() else 0o644)
        for path in own if os.geteuid() == 0 else ():
            os.lchown(path, 0, 0)


def test_a_read_only_home_answers_from_what_is_there(indexed: Repo, home: Path) -> None:
    with Engine.open(indexed.root) as engine:
        engine.locate("f1")
    with read_only(home, indexed.root), Engine.open(indexed.root) as engine:
        assert engine.locate("f1").meta.freshness_status == "fresh"
        assert engine.search("return 7").results[0].path == "pkg/m7.py"
        assert engine.find_references("f3").meta
    indexed.write({"pkg/m1.py": "def changed(): ...\n"})
    with read_only(home, indexed.root), Engine.open(indexed.root) as engine:
        answer = engine.locate("f1")  # still as it was, and said to be
        assert answer.meta.freshness_status == "stale"
        assert "Permission denied" in state_line(answer.meta)
        with pytest.raises(StoreError):
            engine.index()
    with Engine.open(indexed.root) as engine:
        assert engine.locate("changed").total == 1


def test_a_home_where_nothing_can_be_made_is_a_clear_error(repo: Repo, home: Path) -> None:
    repo.write(FILES)
    with Engine.open(repo.root, {"store.home": str(home.parent / "other")}) as engine:
        engine.locate("f1")  # loads what somebody without rights could not
    home.mkdir(parents=True, exist_ok=True)
    with read_only(home, repo.root), Engine.open(repo.root) as engine:
        with pytest.raises(StoreError) as caught:
            engine.locate("f1")
        assert "CODECOMPASS_HOME" in caught.value.remediation


# ---- damaged files


def test_a_damaged_database_is_seen_and_rebuilt(indexed: Repo) -> None:
    with Engine.open(indexed.root) as engine:
        database = engine.workspace.layout.database
        data = bytearray(database.read_bytes())
        for place in range(8_192, len(data), 4_096):  # every page but the first two
            data[place : place + 200] = b"\xff" * 200
        database.write_bytes(bytes(data))
        for beside in ("-wal", "-shm"):
            database.with_name(database.name + beside).unlink(missing_ok=True)
    with Engine.open(indexed.root) as engine:
        with pytest.raises(IndexIncompatible) as caught:
            engine.search("return 7")
        assert "codecompass index" in caught.value.remediation
        checks = {item.name: item.ok for item in engine.doctor().checks}
        assert not all(checks.values())
        assert checks["git"]  # the rest is told all the same
        engine.index(force=True)
        assert engine.search("return 7").results[0].path == "pkg/m7.py"


@pytest.mark.parametrize("missing", ["*.term", "meta.json"])
def test_a_missing_file_of_the_text_index_is_seen(indexed: Repo, missing: str) -> None:
    with Engine.open(indexed.root) as engine:
        folder = engine.workspace.layout.lexical
    for file in folder.glob(missing):
        file.unlink()
    with Engine.open(indexed.root) as engine:
        assert not check(engine, "integrity")[0]
        with pytest.raises(IndexDamaged):
            engine.search("return 7")
        assert "damaged" in str(engine.index().note)
        assert check(engine, "integrity")[0]


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_a_damaged_segment_is_seen_and_rebuilt(indexed: Repo, damage: str) -> None:
    with Engine.open(indexed.root) as engine:
        folder = engine.workspace.layout.lexical
    for file in folder.glob("*.idx"):
        data = bytearray(file.read_bytes())
        data[len(data) // 3] ^= 0xFF
        kept = {"cut": data[:-20], "flipped": data, "empty": b""}[damage]
        file.write_bytes(bytes(kept))
    with Engine.open(indexed.root) as engine:
        with pytest.raises(IndexIncompatible, match="damaged"):
            engine.search("return 7")
        is_well, detail = check(engine, "integrity")
        assert not is_well
        assert "text: " in detail
        engine.index()  # nothing has changed, and yet all is not well
        assert check(engine, "integrity")[0]
        assert engine.search("return 7").results[0].path == "pkg/m7.py"


def test_vectors_cut_short_while_they_are_in_use(indexed: Repo) -> None:
    """A map behind the end of its file would end the whole process."""
    with Engine.open(indexed.root) as engine:
        assert engine.search("give back a number").meta.semantic_triggered
        (file,) = engine.workspace.layout.vectors.glob("*.i8")
        os.truncate(file, 100)
        answer = engine.search("give back a number")
        assert answer.meta.semantic_skipped_reason
        assert not check(engine, "integrity")[0]
        engine.index()
        assert engine.search("give back a number").meta.semantic_triggered


# ---- clocks


def test_a_clock_that_goes_backwards_hides_no_change(indexed: Repo) -> None:
    path = indexed.root / "pkg/m1.py"
    with Engine.open(indexed.root) as engine:
        for name, shift in (("aa", 3_600), ("bb", -3_600), ("cc", -7_200), ("dd", 0)):
            path.write_text(f"def {name}(): ...\n")
            when = time.time_ns() + shift * 1_000_000_000
            os.utime(path, ns=(when, when))
            assert engine.locate(name).total == 1, (name, shift)
    with Engine.open(indexed.root) as engine:
        assert engine.locate("dd").total == 1


def test_times_of_the_future_in_the_store(indexed: Repo) -> None:
    """As a clock leaves them that was set back."""
    with Engine.open(indexed.root) as engine:
        engine.search("f1", ref="main")
        with engine._store.writing() as session:
            session.database.run("UPDATE snapshots SET used_at = '2999-01-01T00:00:00+00:00'")
            session.database.run("UPDATE jobs SET created_at = '2999-01-01T00:00:00+00:00'")
        indexed.write({"pkg/m1.py": "def changed(): ...\n"})
        assert engine.locate("changed").total == 1
        assert engine.locate("f1", ref="main").total == 1
        engine.gc()
        assert engine.locate("f1", ref="main").total == 1


# ---- writers that die


def test_a_stopped_writer_is_taken_over(indexed: Repo) -> None:
    indexed.write({f"more/n{number}.py": f"def n{number}(): ...\n" for number in range(400)})
    command = [sys.executable, "-m", "codecompass", "index", "--workspace", str(indexed.root)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Engine.open(indexed.root) as engine:
        while not engine._store.is_being_written() and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert engine.locate("n399").total == 1
        assert engine.status().recovery is None
        assert check(engine, "integrity")[0]


# ---- folders that go and come back


def test_a_workspace_that_is_deleted(indexed: Repo) -> None:
    with Engine.open(indexed.root) as engine:
        assert engine.locate("f1").total == 1
        shutil.rmtree(indexed.root)
        with pytest.raises(WorkspaceMissing):
            engine.locate("f1")
        with pytest.raises(WorkspaceMissing):
            engine.search("f1", ref="main")


def test_a_repository_whose_git_is_gone(indexed: Repo) -> None:
    with Engine.open(indexed.root) as engine:
        assert engine.locate("f1").total == 1
        shutil.rmtree(indexed.root / ".git")
        with pytest.raises(WorkspaceMissing, match="gone"):
            engine.locate("f1")
    with Engine.open(indexed.root) as engine:  # a plain folder now
        assert engine.locate("f1").total == 1


def test_another_repository_at_the_same_path(indexed: Repo, tmp_path: Path) -> None:
    with Engine.open(indexed.root) as engine:
        assert engine.locate("f1", ref="main").total == 1
        old = engine._views.head()
        shutil.rmtree(indexed.root)
        other = Repo(indexed.root)
        other.commit({"new.py": "def brand_new(): ...\n", "pkg/m1.py": "def f1(): ...\n"})
        assert engine.locate("f2").total == 0
        assert engine.locate("f2", ref="main").total == 0
        assert engine.locate("brand_new", ref="main").total == 1
        answer = engine.locate("brand_new")
        assert answer.total == 1
        assert engine._views.head() not in (old, None)
        assert answer.meta.commit
