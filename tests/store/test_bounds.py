"""Disk, log and looks at files are bounded."""

import json
import os
import shutil
import time
from pathlib import Path

from codecompass.engine.engine import Engine
from codecompass.engine.workspace import open_workspace
from codecompass.store.disk import all_stores, evict
from codecompass.store.lock import WriterLock
from codecompass.store.logfile import LogFile
from tests.conftest import Repo
from tests.mcp.caller import Caller


def indexed(folder: Path, used_days_ago: int) -> Path:
    repo = Repo(folder)
    repo.commit({"a.py": "def one(): ...\n"})
    with Engine.open(folder) as engine:
        engine.index()
        assert engine.locate("one").total == 1
        store = engine.workspace.layout.folder
    when = time.time() - used_days_ago * 86_400
    os.utime(store / "used", (when, when))
    return store


def test_the_index_nobody_asked_for_the_longest_goes_first(tmp_path: Path, home: Path) -> None:
    old, busy, newer, own = (
        indexed(tmp_path / name, days)
        for name, days in (("old", 30), ("busy", 20), ("newer", 10), ("own", 40))
    )
    assert [item.folder for item in all_stores(home)] == [own, old, busy, newer]
    with WriterLock(busy / "writer.lock", 1):
        assert evict(home, 1_000, own) == []
        gone = evict(home, 0, own)
    assert [item.folder for item in gone] == [old, newer]
    assert own.is_dir()
    assert busy.is_dir()
    assert not old.exists()
    with Engine.open(tmp_path / "old") as engine:  # and it is made anew when it is asked for
        assert engine.locate("one").total == 1


def test_gc_keeps_the_budget_of_the_disk(tmp_path: Path) -> None:
    other = indexed(tmp_path / "other", 1)
    own = indexed(tmp_path / "own", 0)
    with Engine.open(tmp_path / "own", {"store.disk_mib": 0}) as engine:
        assert engine.gc().evicted_stores == 1
        assert engine.locate("one").total == 1
    assert own.is_dir()
    assert not other.exists()


def test_gc_drops_indexes_of_what_is_gone(tmp_path: Path) -> None:
    gone, own = indexed(tmp_path / "gone", 0), indexed(tmp_path / "own", 0)
    shutil.rmtree(tmp_path / "gone")
    with Engine.open(tmp_path / "own") as engine:
        assert engine.gc().evicted_stores == 1
    assert own.is_dir()
    assert not gone.exists()


def test_a_log_begins_anew(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "logs" / "x.jsonl", max_bytes=1_000)
    for number in range(97):
        log.append(f"line {number:04} {'x' * 40}")
    lines = (tmp_path / "logs" / "x.jsonl").read_text().splitlines()
    before = (tmp_path / "logs" / "x.jsonl.1").read_text().splitlines()
    assert len(lines) < 25
    assert 0 < len(before) < 25
    assert lines[-1].startswith("line 0096") if lines else before[-1].startswith("line 0096")


def test_status_tells_what_calls_took(repo: Repo, home: Path) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    caller = Caller(repo.root)
    for _ in range(3):
        caller("locate_symbol", name="one")
    caller("search_code", query="one")
    caller("locate_symbol", name="")
    with (home / "logs" / "calls.jsonl").open("a") as log:
        log.write("no JSON\n")
        log.write(json.dumps({"workspace": "/elsewhere", "tool": "x"}) + "\n")
    text, is_error = caller("index_status")
    assert not is_error
    assert "locate_symbol 4, 1 errors: " in text
    with Engine.open(repo.root) as engine:
        found = {item.tool: item for item in engine.status().calls or ()}
    assert found["locate_symbol"].calls == 4
    assert found["search_code"].p50_tokens > 5
    assert found["search_code"].p95_ms >= found["search_code"].p50_ms >= 0
    assert "x" not in found
    caller.calls.close()


def test_a_look_that_takes_long_is_not_made_before_every_question(repo: Repo) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    flags = {"freshness.look_s": 0.000_001}
    with Engine(open_workspace(repo.root, flags), can_sync_behind=True) as engine:
        engine.index()
        assert engine.locate("one").total == 1
        repo.write({"a.py": "def two(): ...\n"})
        engine._views.live._look_took_s = 60.0  # as on a million files
        answer = engine.locate("two")
        assert answer.meta.freshness_status == "stale"
        assert "looked at" in (answer.meta.stale_reason or "")
        engine._views.live._looked_at -= 601
        assert engine.locate("two").total == 1
