"""Killed at any moment, the index opens, shows nothing half-done, and the next sync goes on."""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.errors import IndexIncompatible, StoreBusy
from codecompass.model.answer import IndexingStatus
from codecompass.store.lock import WriterLock
from tests.conftest import Repo

_FILES = 160
_KILLS = 50


def files(generation: int) -> dict[str, str]:
    return {
        f"pkg{number % 7}/module{number}.py": "".join(
            f"def function_{number}_{line}_{generation}(x):\n    return call_{line}(x)\n"
            for line in range(12)
        )
        for number in range(_FILES)
    }


def start_index(root: Path) -> "subprocess.Popen[bytes]":
    code = (
        "from codecompass.cli.main import main\n"
        "import sys\n"
        f"sys.exit(main(['index', '--workspace', {str(root)!r}]))\n"
    )
    environment = os.environ | {"CODECOMPASS_INDEX_COMMIT_FILES": "30"}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill the indexer and its workers, as a reboot would."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.timeout(280)
def test_killed_fifty_times_at_random_moments(repo: Repo) -> None:
    chance = random.Random(20261115)  # noqa: S311  # a test's dice
    generation = 0
    repo.write(files(generation))
    started = time.monotonic()
    done = start_index(repo.root)
    assert done.wait() == 0
    duration_s = time.monotonic() - started
    published = interrupted = 0
    for _ in range(_KILLS):
        generation += 1
        repo.write(files(generation))
        process = start_index(repo.root)
        time.sleep(chance.uniform(0.0, duration_s * 1.1))
        kill(process)
        published = _check_whole(repo.root, published, generation)
        interrupted += published < generation
    assert interrupted >= _KILLS // 4, "the kills came too late to test anything"
    with Engine.open(repo.root) as engine:
        engine.sync()
        assert engine.locate(f"function_5_3_{generation}").total == 1
        assert engine.locate(f"function_5_3_{published - 1}").total == 0
        status = engine.status()
        assert status.counts is not None
        assert status.counts.files == _FILES
        assert status.counts.symbols == _FILES * 12
        assert status.recovery is None


def _check_whole(root: Path, before: int, now: int) -> int:
    """Every file shows one and the same generation, no older than what was published."""
    with Engine.open(root, {"freshness.policy": "best_effort"}) as engine:
        status = engine.status()
        assert status.counts is not None
        assert status.counts.files == _FILES
        assert status.counts.symbols == _FILES * 12
        seen = {
            int(item.name.rsplit("_", 1)[1])
            for number in (0, 57, _FILES - 1)
            for item in engine.outline(f"pkg{number % 7}/module{number}.py").results
        }
    assert len(seen) == 1
    generation = seen.pop()
    assert before <= generation <= now
    return generation


def test_when_only_the_indexer_is_killed_its_workers_let_go(repo: Repo) -> None:
    repo.write(files(0) | {f"more/m{i}.py": f"x{i} = 1\n" * 40 for i in range(1500)})
    process = start_index(repo.root)
    time.sleep(0.6)
    process.kill()
    process.wait()
    with Engine.open(repo.root) as engine:
        engine.index()
        assert engine.locate("function_5_3_0").total == 1


def test_an_interrupted_first_run_says_so_until_the_next_good_one(repo: Repo) -> None:
    repo.write(files(0))
    process = start_index(repo.root)
    deadline = time.monotonic() + 20
    with Engine.open(repo.root) as engine:
        while engine.status().indexing_status is IndexingStatus.NOT_INDEXED:
            assert time.monotonic() < deadline
        kill(process)
        status = engine.status()
        while status.indexing_status is IndexingStatus.INDEXING:
            assert time.monotonic() < deadline  # a killed worker lets go of the lock in a moment
            status = engine.status()
        if status.counts is None:
            assert status.indexing_status is IndexingStatus.FAILED
            assert status.recovery is not None
            assert status.recovery.error_code == "interrupted"
        engine.index()
        assert engine.status().recovery is None


def test_ctrl_c_leaves_the_published_index(repo: Repo) -> None:
    repo.write(files(0))
    with Engine.open(repo.root) as engine:
        engine.index()
    repo.write(files(1))
    process = start_index(repo.root)
    time.sleep(0.4)
    process.send_signal(signal.SIGINT)
    # Where Python was just making a dataclass, whose code is a text that it runs, it ends
    # itself by the signal although the command has handled it: the same 130 to a shell.
    assert process.wait() in {0, 130, -signal.SIGINT}
    assert _check_whole(repo.root, 0, 1) in {0, 1}


def test_a_second_process_reads_while_one_writes(repo: Repo, engine: Engine) -> None:
    repo.write(files(0))
    engine.index()
    repo.write(files(1))
    process = start_index(repo.root)
    with Engine.open(repo.root, {"freshness.policy": "best_effort"}) as reader:
        while process.poll() is None:
            assert reader.locate("function_5_3_0").total + reader.locate("function_5_3_1").total
    assert process.wait() == 0


def test_a_question_while_another_process_writes_is_answered(repo: Repo, engine: Engine) -> None:
    repo.write(files(0))
    engine.index()
    repo.write({"new.py": "def new(): ...\n"})
    with WriterLock(engine.workspace.layout.lock, 1):
        answer = engine.locate("function_5_3_0")
    assert answer.total == 1
    assert answer.meta.freshness_status == "syncing"


def test_two_writers_at_once_both_succeed(repo: Repo) -> None:
    repo.write(files(0))
    first, second = start_index(repo.root), start_index(repo.root)
    assert (first.wait(), second.wait()) == (0, 0)


def test_a_writer_that_waits_too_long_says_who_is_busy(repo: Repo) -> None:
    repo.write({"a.py": ""})
    with (
        Engine.open(repo.root, {"store.busy_timeout_s": 0.2}) as engine,
        WriterLock(engine.workspace.layout.lock, 1),
        pytest.raises(StoreBusy, match="another process"),
    ):
        engine.index()


def test_a_file_that_extraction_fails_on_is_plain_text(
    repo: Repo, engine: Engine, monkeypatch: pytest.MonkeyPatch, forked_parsers: None
) -> None:
    from codecompass.indexing import work

    original = work.extract

    def failing(language: object, text: bytes) -> object:
        if b"poison" in text:
            raise RecursionError("too much")
        return original(language, text)  # type: ignore[arg-type]

    monkeypatch.setattr(work, "extract", failing)
    repo.write({"a.py": "def fine(): ...\n", "b.py": "poison = 1\n"})
    engine.index()
    assert engine.locate("fine").total == 1
    assert [hit.path for hit in engine.search("poison").results] == ["b.py"]
    status = engine.status()
    assert status.counts is not None
    assert status.counts.not_parsed == {"b.py": "RecursionError: too much"}


def test_the_text_of_deleted_versions_is_deleted(repo: Repo, engine: Engine) -> None:
    from codecompass.model.snapshot import VersionId
    from codecompass.store.lexical import LexicalIndex

    repo.write({"a.py": "def one(): ...\ndef two(): ...\n", "b.py": "def three(): ...\n"})
    engine.index()
    index = LexicalIndex(engine.workspace.layout.lexical)
    assert index.view().size() == 5  # two files, three definitions
    with index.writer(16) as writer:
        writer.delete([VersionId(1)])
        writer.commit()
    assert index.view().size() == 2


def test_a_killed_run_leaves_no_text_behind(repo: Repo, engine: Engine) -> None:
    """Text committed under reserved ids whose versions never came is removed."""
    from codecompass.model.snapshot import live_name
    from codecompass.store.jobs import start_job
    from codecompass.store.lexical import Document, LexicalIndex
    from codecompass.store.repository import RepositoryStore
    from codecompass.store.versions import reserve_ids

    repo.write({"a.py": "def one(): ...\n"})
    engine.index()
    workspace = engine.workspace
    with RepositoryStore(workspace.layout, workspace.settings.store) as store:
        with store.writing() as session:
            first = reserve_ids(session.database, 1)
            start_job(
                session.database,
                live_name(repo.root),
                mode="full",
                first_version=first,
                count=1,
            )
            session.lexical.add(first, "blob", [Document(0, ("orphan",))])
            session.lexical.commit()
        assert LexicalIndex(workspace.layout.lexical).view().size() == 3
        with store.writing():
            pass
    assert LexicalIndex(workspace.layout.lexical).view().size() == 2


def test_a_store_emptied_by_another_process_is_opened_anew(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    assert engine.locate("one").total == 1
    with Engine.open(repo.root) as other:
        other.index(force=True)
    repo.write({"a.py": "def two(): ...\n"})
    assert engine.locate("two").total == 1


def test_a_missing_text_index_is_not_silently_replaced(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    engine.index()
    shutil.rmtree(engine.workspace.layout.lexical)
    with Engine.open(repo.root) as fresh, pytest.raises(IndexIncompatible):
        fresh.search("one")


def test_a_good_sync_ends_the_recovery_report_even_if_nothing_changed(
    repo: Repo, engine: Engine
) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    engine.index()
    with sqlite3.connect(engine.workspace.layout.database) as database:
        database.execute("UPDATE jobs SET status = 'failed', error_code = 'interrupted'")
    database.close()
    assert engine.status().recovery is not None
    engine.sync()
    assert engine.status().recovery is None


def test_a_full_disk_is_a_clear_error_and_loses_nothing(repo: Repo) -> None:
    """A limit on file sizes makes writing fail as a full disk does."""
    repo.write(files(0))
    with Engine.open(repo.root) as engine:
        engine.index()
    repo.write(files(1))
    code = (
        "import resource, signal, sys\n"
        "from codecompass.cli.main import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        f"sys.exit(main(['sync', '--workspace', {str(repo.root)!r}]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    assert "codecompass: " in done.stderr
    assert _check_whole(repo.root, 0, 0) == 0
    with Engine.open(repo.root) as engine:
        assert engine.locate("function_5_3_1").total == 1


def test_a_corrupt_database_is_named_and_the_next_run_mends_it(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    engine.index()
    engine.workspace.layout.database.write_bytes(b"this is no database" * 100)
    with Engine.open(repo.root) as fresh:
        assert fresh.status().compatibility == "corrupt_manifest"
        with pytest.raises(IndexIncompatible) as caught:
            fresh.locate("one")
        assert "codecompass index" in caught.value.remediation
        assert "damaged" in str(fresh.index().note)
        assert fresh.locate("one").total == 1


def test_another_schema_version_asks_for_a_new_index(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    engine.index()
    with sqlite3.connect(engine.workspace.layout.database) as database:
        database.execute("UPDATE meta SET value = '999' WHERE key = 'schema_version'")
    database.close()
    with Engine.open(repo.root) as fresh:
        assert fresh.status().compatibility == "reindex_required"
        with pytest.raises(IndexIncompatible):
            fresh.sync()
