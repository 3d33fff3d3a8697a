"""Incremental sync: only what changed is parsed, and the result is that of a full index."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecompass.engine.engine import Engine
from codecompass.errors import IndexMissing
from codecompass.model.answer import SyncAnswer
from codecompass.store.checksums import checksum_of, seal
from codecompass.store.database import Database
from codecompass.store.snapshots import all_snapshots
from tests.conftest import Repo, age


def names(engine: Engine, path: str) -> list[str]:
    return [item.name for item in engine.outline(path).results]


def age_all(repo: Repo) -> None:
    for path in repo.root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            age(path)


def counts(answer: SyncAnswer) -> tuple[int, int, int, int]:
    done = answer.counts
    return done.extracted, done.reused, done.deleted, done.hashed


def test_the_first_run_extracts_everything(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n", "b.py": "def two(): ...\n"})
    answer = engine.index()
    assert answer.published
    assert counts(answer)[:3] == (2, 0, 0)
    assert names(engine, "a.py") == ["one"]


def test_a_second_run_reads_nothing(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    age_all(repo)
    engine.index()
    answer = engine.sync()
    assert not answer.published
    assert counts(answer) == (0, 0, 0, 0)


def test_a_touched_file_costs_a_hash(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n", "b.py": "x = 1\n"})
    age_all(repo)
    engine.index()
    age(repo.root / "a.py", 50)
    touched = engine.sync()
    assert not touched.published
    assert counts(touched) == (0, 0, 0, 1)
    assert counts(engine.sync()) == (0, 0, 0, 0)


def test_a_changed_file_is_parsed_alone(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n", "b.py": "def two(): ...\n"})
    age_all(repo)
    engine.index()
    repo.write({"a.py": "def uno(): ...\n"})
    answer = engine.sync()
    assert counts(answer)[:3] == (1, 0, 0)
    assert names(engine, "a.py") == ["uno"]
    assert engine.locate("one").total == 0


def test_same_size_and_time_but_other_content_is_found(repo: Repo, engine: Engine) -> None:
    """A file written twice within one tick of the clock must not keep its first content."""
    repo.write({"a.py": "def one(): ...\n"})
    engine.index()
    seen = (repo.root / "a.py").stat()
    repo.write({"a.py": "def two(): ...\n"})
    os.utime(repo.root / "a.py", ns=(seen.st_atime_ns, seen.st_mtime_ns))
    engine.sync()
    assert names(engine, "a.py") == ["two"]


def test_a_renamed_file_is_not_parsed_again(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    engine.index()
    (repo.root / "a.py").rename(repo.root / "b.py")
    answer = engine.sync()
    assert counts(answer)[:3] == (0, 1, 1)
    assert [item.path for item in engine.locate("one").results] == ["b.py"]


def test_equal_contents_are_stored_once_and_found_at_both_paths(
    repo: Repo, engine: Engine
) -> None:
    repo.commit({"a.py": "def one(): ...\n", "b.py": "def one(): ...\n", "c.js": "def one(): .\n"})
    assert engine.index().counts.extracted == 2
    found = engine.locate("one").results
    assert [item.path for item in found] == ["a.py", "b.py"]
    assert len({item.handle for item in found}) == 2


def test_a_deleted_file_is_gone_at_the_next_question(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n", "b.py": "def two(): ...\n"})
    engine.index()
    (repo.root / "a.py").unlink()
    assert engine.locate("one").total == 0
    assert engine.locate("two").total == 1


def test_an_edit_of_an_ignore_file_takes_effect(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "def one(): ...\n", "gen/b.py": "def two(): ...\n"})
    engine.index()
    repo.write({".gitignore": "gen/\n"})
    assert engine.locate("two").total == 0
    repo.write({".gitignore": "", ".codecompassignore": "a.py\n"})
    assert engine.locate("two").total == 1
    assert engine.locate("one").total == 0


def test_a_branch_switch_reuses_what_was_seen(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def on_main(): ...\n"})
    engine.index()
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"a.py": "def on_feature(): ...\n"})
    assert engine.locate("on_feature").total == 1
    assert engine.locate("on_main").total == 0
    repo.git("checkout", "--quiet", "main")
    assert counts(engine.sync())[:2] == (0, 1)
    assert engine.locate("on_feature").total == 0
    assert engine.locate("on_main").total == 1


def test_a_file_that_becomes_unreadable_is_skipped_and_comes_back(
    repo: Repo, engine: Engine
) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    engine.index()
    repo.write({"a.py": b"\0\xffbinary"})
    engine.sync()
    status = engine.status()
    assert status.counts is not None
    assert status.counts.skipped == {"binary": 1}
    repo.write({"a.py": "def back(): ...\n"})
    assert engine.locate("back").total == 1


def test_a_commit_without_edits_is_noted(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    engine.index()
    assert engine.status().head is None
    repo.commit({})
    engine.sync()
    assert engine.status().head == repo.git("rev-parse", "HEAD").strip()


def test_another_limit_reads_the_files_again(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    with Engine.open(repo.root, {"index.max_file_bytes": 5}) as small:
        assert small.locate("one").total == 0
    assert engine.locate("one").total == 1


def test_a_deleted_worktree_does_not_keep_others_stale(
    repo: Repo, engine: Engine, tmp_path: Path
) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    age_all(repo)
    engine.index()
    repo.git("worktree", "add", "--quiet", str(tmp_path / "second"), "-b", "other")
    with Engine.open(tmp_path / "second") as second:
        second.index()
    path = engine.workspace.layout.database
    with Database(path, busy_timeout_s=5, cache_mib=1) as database:
        row = (99, "0" * 40, "python", "old", 1, 1, 0, 0, 0, 0, "")
        marks = ", ".join("?" * 12)
        database.run(f"INSERT INTO versions VALUES ({marks})", (*row, checksum_of(row, [[]] * 6)))  # noqa: S608
        database.run(
            "INSERT INTO snapshot_files SELECT id, 'a.py', 99, NULL, NULL, NULL"
            " FROM snapshots WHERE workspace LIKE '%second'"
        )
        for snapshot in all_snapshots(database):
            seal(database, "snapshots", snapshot.id)
    shutil.rmtree(tmp_path / "second")
    assert counts(engine.sync()) == (0, 0, 0, 0)


def test_sync_needs_an_index(engine: Engine, repo: Repo) -> None:
    with pytest.raises(IndexMissing):
        engine.sync()


def test_two_worktrees_share_the_store(repo: Repo, engine: Engine, tmp_path: Path) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    engine.index()
    repo.git("worktree", "add", "--quiet", str(tmp_path / "second"), "-b", "other")
    with Engine.open(tmp_path / "second") as second:
        assert second.workspace.layout == engine.workspace.layout
        answer = second.index()
        assert (answer.counts.extracted, answer.counts.reused) == (0, 1)
        (tmp_path / "second" / "a.py").write_text("def changed(): ...\n")
        assert second.locate("changed").total == 1
        assert engine.locate("changed").total == 0


def test_changed_extraction_rules_extract_again(
    repo: Repo, engine: Engine, monkeypatch: pytest.MonkeyPatch, forked_parsers: None
) -> None:
    repo.commit({"a.py": "def one(): ...\n", "b.go": "package b\n"})
    age_all(repo)
    engine.index()
    from codecompass.indexing import work
    from codecompass.indexing.parsers import shared_parsers
    from codecompass.parse import extract

    shared_parsers().rest()
    monkeypatch.setattr(extract, "_RULES_VERSION", 999)
    work.current_extractor.cache_clear()
    try:
        assert engine.sync().counts.extracted == 2
    finally:
        monkeypatch.undo()
        work.current_extractor.cache_clear()


_FILE_NAMES = ("a.py", "b.py", "sub/c.py", "sub/d.go")
_CONTENTS = (
    "def alpha(): ...\n",
    "class Beta:\n    def gamma(self): ...\n",
    "package p\n\nfunc Delta() {}\n",
    "",
    "broken(((\n",
)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(_FILE_NAMES), st.sampled_from([*_CONTENTS, None])),
        min_size=1,
        max_size=8,
    )
)
def test_incremental_equals_full(
    steps: list[tuple[str, str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A law: after any edits, the synced index answers as a fresh one does."""
    root = tmp_path_factory.mktemp("law")
    with Engine.open(root) as engine:
        engine.index()
        for path, content in steps:
            target = root / path
            if content is None:
                target.unlink(missing_ok=True)
            else:
                target.parent.mkdir(exist_ok=True)
                target.write_text(content)
            engine.sync()
        incremental = _everything(engine)
    copy = tmp_path_factory.mktemp("fresh")
    shutil.copytree(root, copy, dirs_exist_ok=True)
    with Engine.open(copy) as engine:
        engine.index()
        assert incremental == _everything(engine)


def _everything(engine: Engine) -> list[tuple[str, str, str, int]]:
    found = [
        item for name in ("alpha", "Beta", "gamma", "Delta") for item in _located(engine, name)
    ]
    status = engine.status()
    assert status.counts is not None
    return [*found, ("counts", str(status.counts), "", 0)]


def _located(engine: Engine, name: str) -> list[tuple[str, str, str, int]]:
    results = engine.locate(name).results
    return [(item.path, item.name, item.handle, item.start_line) for item in results]
