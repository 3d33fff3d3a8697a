"""Any ref without a checkout, one store for all; the acceptance points of branches."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.errors import BadInput, GitFailed, RefMissing
from codecompass.model.query import DetailLevel, DiffOptions, DiffScope
from tests.conftest import Repo, age

ONE = "def one(order):\n    return order\n"
TWO = "def two(order):\n    return order + 1\n"


def paths(engine: Engine, name: str, ref: str | None = None) -> list[str]:
    return [item.path for item in engine.locate(name, ref=ref).results]


def found(engine: Engine, query: str, ref: str | None = None) -> list[str]:
    return [item.path for item in engine.search(query, ref=ref).results]


def size(engine: Engine) -> int:
    """What the store takes on the disk; nobody has it open."""
    return sum(file.stat().st_size for file in engine.workspace.layout.folder.rglob("*"))


@pytest.fixture
def branched(repo: Repo) -> Repo:
    """`main` with a.py and gone.py; `feat` without gone.py, with b.py and another a.py."""
    repo.commit({"a.py": ONE, "gone.py": "def gone(): ...\n"})
    repo.git("checkout", "--quiet", "-b", "feat")
    repo.git("rm", "--quiet", "gone.py")
    repo.commit({"a.py": TWO, "b.py": "def fresh(): ...\n"})
    repo.git("checkout", "--quiet", "main")
    return repo


def test_the_same_question_on_two_refs_gives_each_its_own_answer(
    branched: Repo, engine: Engine
) -> None:
    assert (paths(engine, "one", "main"), paths(engine, "two", "main")) == (["a.py"], [])
    assert (paths(engine, "one", "feat"), paths(engine, "two", "feat")) == ([], ["a.py"])
    assert found(engine, "fresh", "feat") == ["b.py"]
    assert found(engine, "fresh", "main") == []
    assert found(engine, '"order + 1"', "feat") == ["a.py"]
    assert found(engine, '"order + 1"', "main") == []


def test_a_file_deleted_on_a_branch_is_found_on_main_only(branched: Repo, engine: Engine) -> None:
    assert paths(engine, "gone", "feat") == []
    assert paths(engine, "gone", "main") == ["gone.py"]
    assert paths(engine, "gone") == ["gone.py"]


def test_a_ref_that_is_not_checked_out_is_searched_outlined_and_diffed(
    branched: Repo, engine: Engine
) -> None:
    assert [item.name for item in engine.outline("b.py", ref="feat").results] == ["fresh"]
    changes = engine.diff(ref="feat").results or ()
    assert [(item.change, item.path, item.name) for item in changes] == [
        ("deleted", "a.py", "one"),
        ("added", "a.py", "two"),
        ("added", "b.py", "fresh"),
        ("deleted", "gone.py", "gone"),
    ]
    assert branched.git("status", "--porcelain") == ""


def test_every_way_to_name_a_commit(branched: Repo, engine: Engine) -> None:
    branched.git("tag", "v1", "feat")
    branched.git("tag", "-a", "-m", "notes", "v2", "feat")
    commit = branched.git("rev-parse", "feat").strip()
    for ref in ("feat", "refs/heads/feat", "v1", "v2", commit, commit[:8], "feat~0", "feat@{0}"):
        answer = engine.locate("two", ref=ref)
        assert answer.total == 1, ref
        assert (answer.meta.ref, answer.meta.commit) == (ref, commit[:10])
    assert engine.locate("two", ref="feat~1").total == 0
    branched.git("pack-refs", "--all")
    assert paths(engine, "two", "v1") == ["a.py"]


def test_rewritten_history_is_right_at_the_next_question(branched: Repo, engine: Engine) -> None:
    assert paths(engine, "two", "feat") == ["a.py"]
    branched.git("checkout", "--quiet", "feat")
    branched.git("reset", "--quiet", "--hard", "HEAD~1")
    assert paths(engine, "two") == paths(engine, "two", "feat") == []
    branched.commit({"c.py": "def three(): ...\n"})
    branched.git("commit", "--quiet", "--amend", "-m", "other words")
    assert paths(engine, "three") == paths(engine, "three", "feat") == ["c.py"]
    branched.git("checkout", "--quiet", "main")
    branched.commit({"d.py": "def four(): ...\n"})
    branched.git("rebase", "--quiet", "main", "feat")
    assert paths(engine, "four", "feat") == ["d.py"]
    branched.git("checkout", "--quiet", "main")
    branched.git("branch", "-f", "feat", "main")
    assert paths(engine, "three", "feat") == []


def test_only_contents_never_seen_are_extracted(branched: Repo, engine: Engine) -> None:
    engine.index()
    report = engine.index(ref="feat")
    assert (report.counts.extracted, report.counts.reused) == (2, 0)
    branched.git("branch", "same", "feat")
    assert not engine.index(ref="same").published
    branched.git("checkout", "--quiet", "feat")
    assert engine.index().counts.extracted == 0
    branched.git("checkout", "--quiet", "main")
    assert engine.index().counts.extracted == 0


def test_worktrees_never_show_each_others_content(
    branched: Repo, engine: Engine, tmp_path: Path
) -> None:
    second = tmp_path / "second"
    branched.git("worktree", "add", "--quiet", str(second), "feat")
    (second / "b.py").write_text("def only_here(): ...\n")
    (second / "new.py").write_text("def untracked(): ...\n")
    with Engine.open(second) as other:
        for _ in range(2):
            assert paths(other, "only_here") == ["b.py"]
            assert paths(engine, "only_here") == []
            assert paths(other, "gone") == []
            assert paths(engine, "gone") == ["gone.py"]
        assert paths(other, "untracked") == ["new.py"]
        assert paths(engine, "untracked", "feat") == []
        trees = {item.path: item for item in engine.list_refs().worktrees}
        assert trees[str(second)].is_indexed
        assert (trees[str(second)].branch, trees[str(second)].is_current) == ("feat", False)


def test_a_second_worktree_costs_next_to_nothing(
    repo: Repo, engine: Engine, tmp_path: Path
) -> None:
    lines = "\n".join(f"    value_{n} = order.handle({n})" for n in range(60))
    repo.commit({f"pkg/m{n}.py": f"def f{n}(order):\n{lines}\n" for n in range(300)})
    with Engine.open(repo.root) as first:
        first.index()
    before = size(engine)
    second = tmp_path / "second"
    repo.git("worktree", "add", "--quiet", "--detach", str(second))
    with Engine.open(second) as other:
        report = other.index()
        assert (report.counts.extracted, report.counts.hashed) == (0, 0)
        assert paths(other, "f7") == ["pkg/m7.py"]
    assert size(engine) - before <= before * 0.01


def test_converted_contents_are_read_and_not_taken_from_git(
    repo: Repo, engine: Engine, tmp_path: Path
) -> None:
    """Line ends and filters make the file another content than the blob."""
    files = {f"m{n}.py": f"def f{n}(): ...\n" for n in range(250)}
    repo.commit({**files, "x.upper": "def f(): ...\n", ".gitattributes": "*.upper filter=up\n"})
    engine.index()
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "filter.up.smudge", "tr a-z A-Z")
    repo.git("config", "filter.up.clean", "tr A-Z a-z")
    second = tmp_path / "second"
    repo.git("worktree", "add", "--quiet", "--detach", str(second))
    assert (second / "x.upper").read_bytes() == b"DEF F(): ...\r\n"
    with Engine.open(second) as other:
        assert other.index().counts.hashed == 252
        assert found(other, '"DEF F"') == ["x.upper"]
        assert found(other, '"DEF F"', "HEAD") == []
        assert paths(other, "f3") == ["m3.py"]


def test_no_filter_hook_or_program_of_the_repository_runs(
    repo: Repo, engine: Engine, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    files = {f"m{n}.py": f"def f{n}(): ...\n" for n in range(250)}
    repo.commit({**files, ".gitattributes": "*.py filter=evil diff=evil\n"})
    for name in ("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv"):
        repo.git("config", name, str(program))
    repo.git("config", "diff.external", str(program))
    repo.git("config", "core.fsmonitor", str(program))
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(program, repo.root / ".git" / "hooks" / hook)
    for n in range(250):
        os.utime(repo.root / f"m{n}.py")
    engine.index(ref="HEAD")
    engine.index()
    repo.write({"m1.py": "def changed(): ...\n"})
    assert paths(engine, "changed") == ["m1.py"]
    engine.diff(options=DiffOptions(scope=DiffScope.ALL))
    engine.list_refs()
    assert not marker.exists()


def test_layers_tell_what_is_not_as_in_the_base(branched: Repo, engine: Engine) -> None:
    answer = engine.search("order", ref="feat")
    assert {item.path: item.source_layer for item in answer.results} == {"a.py": "overlay"}
    assert answer.meta.source_layer == "overlay"
    assert engine.search("order", ref="main").meta.source_layer == "base"
    assert engine.locate("gone").meta.source_layer == "base"
    branched.write({"gone.py": "def gone(now): ...\n"})
    assert engine.locate("gone").results[0].source_layer == "overlay"
    assert engine.outline("gone.py").meta.source_layer == "overlay"
    assert engine.outline("a.py").meta.source_layer == "base"


def test_the_default_ref_is_kept_and_named(branched: Repo, engine: Engine) -> None:
    engine.index()
    assert engine.switch_ref("feat").before == "live"
    with Engine.open(branched.root) as another:
        answer = another.locate("two")
        assert (answer.total, answer.meta.ref) == (1, "feat")
        assert another.locate("one", ref="live").total == 1
        another.index(force=True, ref="live")
    with Engine.open(branched.root) as another:
        assert another.list_refs().default_ref == "feat"
        another.switch_ref("live")
        assert another.locate("one").meta.ref == "live"


def test_bad_refs_are_refused_with_what_there_is(branched: Repo, engine: Engine) -> None:
    with pytest.raises(RefMissing) as caught:
        engine.locate("one", ref="feats")
    assert "feat" in caught.value.remediation
    for ref in ("-x", "--output=x", "a\nb", "x" * 600, "", " ", "main:a.py", "..", "main..feat"):
        with pytest.raises(BadInput):
            engine.locate("one", ref=ref)
    for call in (
        lambda: engine.diff(ref=""),
        lambda: engine.diff(base=""),
        lambda: engine.compare("one", "", "live"),
    ):
        with pytest.raises(BadInput):
            call()
    with pytest.raises(RefMissing):
        engine.switch_ref("nothing")
    with pytest.raises(RefMissing):
        engine.diff(base="nothing")


def test_a_ref_like_no_other_is_refused_with_some_that_there_are(
    repo: Repo, engine: Engine
) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    repo.git("tag", "v1")
    with pytest.raises(RefMissing) as caught:
        engine.search("one", ref="zzzzzzzzzz")
    assert caught.value.remediation.startswith("one of: ")
    assert "v1" in caught.value.remediation


def test_a_plain_folder_has_no_refs(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ONE)
    with Engine.open(tmp_path) as engine:
        assert paths(engine, "one") == ["a.py"]
        with pytest.raises(RefMissing, match="not a git repository"):
            engine.locate("one", ref="main")
        with pytest.raises(RefMissing, match="not a git repository"):
            engine.diff()
        assert engine.list_refs().refs == ()


def test_an_unborn_branch(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": ONE})
    answer = engine.locate("one")
    assert (answer.total, answer.meta.commit) == (1, None)
    with pytest.raises(RefMissing):
        engine.locate("one", ref="HEAD")
    with pytest.raises(RefMissing, match="nothing has been committed"):
        engine.diff()
    assert engine.list_refs().worktrees[0].commit is None


def test_a_detached_head(branched: Repo, engine: Engine) -> None:
    branched.git("checkout", "--quiet", "--detach", "feat")
    assert paths(engine, "two") == ["a.py"]
    assert engine.list_refs().worktrees[0].branch is None
    assert engine.diff().base == "main"


def test_a_bare_repository_is_asked_about_its_head(branched: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    branched.git("clone", "--quiet", "--bare", str(branched.root), str(bare))
    with Engine.open(bare) as engine:
        answer = engine.locate("one")
        assert (answer.total, answer.meta.ref) == (1, "HEAD")
        assert engine.list_refs().base == "main"
        assert found(engine, '"order + 1"', "feat") == ["a.py"]
        assert engine.status().counts is not None
        assert len(engine.diff(ref="feat").results or ()) == 4
        with pytest.raises(BadInput):
            engine.locate("one", ref="live")


def test_a_worktree_of_a_bare_repository(branched: Repo, tmp_path: Path) -> None:
    bare, tree = tmp_path / "bare.git", tmp_path / "tree"
    branched.git("clone", "--quiet", "--bare", str(branched.root), str(bare))
    subprocess.run(["git", "worktree", "add", "--quiet", str(tree), "feat"], cwd=bare, check=True)
    with Engine.open(tree) as engine, Engine.open(bare) as of_bare:
        assert paths(engine, "two") == ["a.py"]
        assert of_bare.workspace.layout == engine.workspace.layout
        assert of_bare.index(ref="feat").counts.extracted == 0


def test_a_shallow_clone_says_what_it_lacks(branched: Repo, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    branched.git("checkout", "--quiet", "feat")
    url = f"file://{branched.root}"
    branched.git("clone", "--quiet", "--depth=1", "--no-single-branch", url, str(clone))
    with Engine.open(clone) as engine:
        assert paths(engine, "two") == ["a.py"]
        assert paths(engine, "gone", "origin/main") == ["gone.py"]
        with pytest.raises(RefMissing) as caught:
            engine.locate("one", ref="HEAD~1")
        assert "unshallow" in caught.value.remediation
        with pytest.raises(RefMissing) as caught:
            engine.diff(base="origin/main")
        assert "unshallow" in caught.value.remediation


def test_a_partial_clone_is_never_made_to_fetch(branched: Repo, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    branched.git("config", "uploadpack.allowFilter", "true")
    url = f"file://{branched.root}"
    branched.git("clone", "--quiet", "--filter=blob:none", url, str(clone))
    with Engine.open(clone) as engine:
        assert paths(engine, "one") == ["a.py"]
        answer = engine.locate("two", ref="origin/feat")
        assert (answer.total, answer.meta.result_completeness) == (0, "partial")
        counts = engine.status(ref="origin/feat").counts
        assert counts is not None
        assert counts.skipped == {"not_fetched": 2}
        subprocess.run(["git", "checkout", "--quiet", "feat"], cwd=clone, check=True)
        answer = engine.locate("two", ref="origin/feat")
        assert (answer.total, answer.meta.result_completeness) == (1, "complete")


def test_a_repository_of_somebody_else_is_refused_clearly(branched: Repo) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(branched.root, 12_345, 12_345)
    with pytest.raises(GitFailed, match="dubious ownership") as caught:
        Engine.open(branched.root)
    assert "safe.directory" in caught.value.remediation


def test_a_folder_inside_a_repository_sees_that_folder_of_a_ref(branched: Repo) -> None:
    branched.commit({"pkg/in.py": "def inside(): ...\n", ".codecompassignore": "pkg/in.py\n"})
    with Engine.open(branched.root / "pkg") as engine:
        assert paths(engine, "inside", "HEAD") == paths(engine, "inside") == ["in.py"]
        assert paths(engine, "one", "HEAD") == []
        assert engine.search("anything", ref="feat").results == ()
        answer = engine.list_refs()
        assert (answer.base, answer.worktrees[0].is_current) == ("main", True)
    with Engine.open(branched.root) as engine:
        assert paths(engine, "inside", "HEAD") == []


def test_ignore_rules_are_those_of_the_ref(branched: Repo, engine: Engine) -> None:
    branched.commit({".codecompassignore": "gone.py\n"})
    assert paths(engine, "gone") == paths(engine, "gone", "main") == []
    assert paths(engine, "gone", "main~1") == ["gone.py"]


def test_odd_files_of_a_commit(branched: Repo, engine: Engine) -> None:
    (branched.root / "link.py").symlink_to("a.py")
    huge = "x = 1\n" * 300_000
    branched.commit(
        {"huge.py": huge, "binary.py": b"\0\xff", "long.js": "x" * 30_000, "b.py": "(((("}
    )
    (branched.root / os.fsdecode(b"odd\xff.py")).write_text(ONE)
    branched.commit({})
    for ref in ("live", "HEAD"):
        engine.index(ref=ref)
        counts = engine.status(ref=ref).counts
        assert counts is not None
        assert counts.skipped == {
            "binary": 1, "long_line": 1, "name_not_utf8": 1, "not_a_file": 1, "too_large": 1,
        }  # fmt: skip
        assert counts.with_errors == 1
        assert len(counts.such_as) == 1


def test_worktrees_that_are_gone_and_refs_nobody_asks_for_are_collected(
    branched: Repo, engine: Engine, tmp_path: Path
) -> None:
    engine.index()
    engine.index(ref="feat")
    second = tmp_path / "second"
    branched.git("worktree", "add", "--quiet", str(second), "feat")
    with Engine.open(second) as other:
        other.index()
    shutil.rmtree(second)
    assert engine.gc().snapshots == 1
    with Engine.open(branched.root, {"refs.keep_days": 0}) as stern:
        time.sleep(1.1)  # times are kept in seconds
        collected = stern.gc()
    assert (collected.snapshots, collected.versions) == (1, 2)
    assert paths(engine, "one") == ["a.py"]
    assert paths(engine, "two", "feat") == ["a.py"]  # indexed again


def test_at_most_so_many_refs_are_kept(repo: Repo) -> None:
    for number in range(5):
        repo.commit({"a.py": f"def f{number}(): ...\n"})
    with Engine.open(repo.root, {"refs.keep_snapshots": 2}) as engine:
        for number in range(5):
            assert paths(engine, f"f{4 - number}", f"HEAD~{number}") == ["a.py"]
        assert engine.gc().snapshots == 0  # somebody may be in the middle of a question
        with sqlite3.connect(engine.workspace.layout.database) as database:
            database.execute("UPDATE snapshots SET used_at = '2026-01-01' || substr(used_at, 11)")
        database.close()
    flags = {"refs.keep_snapshots": 2, "refs.keep_days": 36_500}
    with Engine.open(repo.root, flags) as engine:
        assert engine.gc().snapshots == 3


WRITER = """
import json, sys
from pathlib import Path
from codecompass.engine.engine import Engine
root, mark = Path(sys.argv[1]), sys.argv[2]
wrong = 0
with Engine.open(root) as engine:
    for number in range(25):
        (root / "a.py").write_text(f"def {mark}{number}(): ...\\n")
        (root / f"{mark}{number}.py").write_text(f"def own_{mark}{number}(): ...\\n")
        names = [item.name for item in engine.locate(f"{mark}{number}").results]
        wrong += names != [f"{mark}{number}"]
        wrong += engine.locate(f"{mark}{number - 1}").total != 0
        wrong += engine.search("/def own_/").meta.freshness_status != "fresh"
        other = "y" if mark == "x" else "x"
        wrong += any(item.name.startswith(f"own_{other}") for item in
                     engine.search(f"own_{other}{number}").results)
print(json.dumps(wrong))
"""


def test_two_processes_write_for_two_worktrees_at_the_same_time(
    repo: Repo, engine: Engine, tmp_path: Path
) -> None:
    repo.commit({"a.py": ONE, "b.py": TWO})
    second = tmp_path / "second"
    repo.git("worktree", "add", "--quiet", "-b", "other", str(second))
    script = tmp_path / "writer.py"
    script.write_text(WRITER)
    started = [
        subprocess.Popen(
            [sys.executable, str(script), str(root), mark], stdout=subprocess.PIPE, text=True
        )
        for root, mark in ((repo.root, "x"), (second, "y"))
    ]
    said = [process.communicate(timeout=50)[0] for process in started]
    assert [json.loads(text) for text in said] == [0, 0]
    for root in (repo.root, second):
        flags = {"store.home": tmp_path / f"home-{root.name}"}
        with Engine.open(root) as ours, Engine.open(root, flags) as fresh:
            for query in ("own", "two", '"def "'):
                expected = [(item.path, item.name) for item in fresh.search(query).results]
                assert [(i.path, i.name) for i in ours.search(query).results] == expected
            assert ours.status().counts == fresh.status().counts


def test_times_are_kept_for_every_worktree(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": ONE, "b.py": TWO})
    for name in ("a.py", "b.py"):
        age(repo.root / name)
    engine.index()
    assert engine.index().counts.hashed == 0
    os.utime(repo.root / "a.py", (1_000_000_000, 1_000_000_000))
    assert engine.index().counts.hashed == 1
    assert engine.index().counts.hashed == 0


def test_worktrees_inside_the_workspace_are_not_its_files(branched: Repo, engine: Engine) -> None:
    branched.git("worktree", "add", "--quiet", str(branched.root / ".trees" / "x"), "feat")
    assert paths(engine, "two") == []
    assert paths(engine, "one") == ["a.py"]
    with Engine.open(branched.root / ".trees" / "x") as inner:
        assert paths(inner, "two") == ["a.py"]


def test_a_tag_called_like_the_base_is_not_the_base(branched: Repo, engine: Engine) -> None:
    branched.git("tag", "main", "feat")
    assert engine.diff(ref="refs/heads/feat").affected_files == 3
    assert engine.search("order", ref="refs/heads/feat").meta.source_layer == "overlay"


def test_a_default_branch_of_another_name(repo: Repo, engine: Engine) -> None:
    repo.git("checkout", "--quiet", "-b", "stable")
    repo.commit({"a.py": ONE})
    repo.git("update-ref", "refs/remotes/origin/stable", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/stable")
    repo.commit({"b.py": TWO})
    answer = engine.diff()
    assert (answer.base, answer.summary) == ("origin/stable", {"added": 1})
    repo.git("checkout", "--quiet", "-b", "feat")
    repo.commit({"c.py": "def three(): ...\n"})
    assert engine.diff().summary == {"added": 1}
    repo.git("branch", "-f", "stable", "feat")
    assert engine.diff().summary == {}


def test_a_branch_that_comes_later_is_the_base(repo: Repo, engine: Engine) -> None:
    repo.git("checkout", "--quiet", "-b", "develop")
    repo.commit({"a.py": ONE})
    repo.git("branch", "other")
    repo.commit({"a.py": TWO})
    repo.git("checkout", "--quiet", "-b", "feat")
    assert engine.locate("two").meta.source_layer == "base"
    repo.git("branch", "main", "other")  # before `develop` among the usual names
    assert engine.locate("two").meta.source_layer == "overlay"
    repo.git("update-ref", "refs/remotes/origin/main", "feat")
    assert engine.locate("two").meta.source_layer == "base"
    repo.git("update-ref", "-d", "refs/remotes/origin/main")
    repo.git("branch", "-D", "main")
    assert engine.locate("two").meta.source_layer == "base"


def test_a_base_that_is_head_moves_with_it(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "-b", "work")
    repo.commit({"a.py": ONE})
    repo.git("checkout", "--quiet", "-b", "feat")
    repo.commit({"a.py": TWO})
    repo.git("checkout", "--quiet", "work")
    with Engine.open(repo.root, {"refs.base": "HEAD"}) as engine:
        assert engine.locate("two", ref="feat").meta.source_layer == "overlay"
        repo.git("merge", "--quiet", "--ff-only", "feat")
        assert engine.locate("two", ref="feat").meta.source_layer == "base"


def test_a_base_that_does_not_exist_here_breaks_only_the_diff(branched: Repo) -> None:
    with Engine.open(branched.root, {"refs.base": "nothing"}) as engine:
        assert paths(engine, "one") == ["a.py"]
        assert engine.list_refs().base is None
        with pytest.raises(RefMissing, match=r"refs\.base"):
            engine.diff()
        assert engine.diff(ref="feat", base="main").affected_files == 3


def test_a_chosen_ref_that_is_gone_is_named(branched: Repo, engine: Engine) -> None:
    engine.index()
    engine.switch_ref("feat")
    branched.git("branch", "-D", "feat")
    with pytest.raises(RefMissing, match="switch-ref chose") as caught:
        engine.locate("one")
    assert "switch-ref live" in caught.value.remediation
    engine.switch_ref("live")
    assert paths(engine, "one") == ["a.py"]


def test_lists_that_nobody_needs_are_dropped(repo: Repo, engine: Engine) -> None:
    files = {f"m{n}.py": f"def f{n}(): ...\n" for n in range(40)}
    repo.commit(files)
    for round_ in range(6):
        repo.write({f"m{n}.py": f"def g{n}_{round_}(): ...\n" for n in range(12)})
        engine.index()
    engine.gc()
    with sqlite3.connect(engine.workspace.layout.database) as database:
        lists = database.execute("SELECT COUNT(*) FROM lists").fetchone()[0]
        versions = database.execute("SELECT COUNT(*) FROM versions").fetchone()[0]
    database.close()
    assert (lists, versions) == (1, 40)


def test_git_may_die_behind_an_open_engine(branched: Repo, engine: Engine) -> None:
    assert found(engine, '"order + 1"', "feat") == ["a.py"]
    objects = engine._views.objects
    for process in (objects._finder._process, objects._reader._process):
        assert process is not None
        process.kill()
        process.wait()
    assert found(engine, '"order + 1"', "feat") == ["a.py"]


def test_an_interrupted_read_does_not_shift_the_next_one(branched: Repo, engine: Engine) -> None:
    branched.commit({"a.py": "def a(): ...\n", "b.py": "def b(): ...\n"})
    branched.commit({"a.py": "def x(): ...\n", "b.py": "def y(): ...\n"})
    engine.index(ref="HEAD~1")
    objects = engine._views.objects
    reader = objects._reader
    blob = branched.git("rev-parse", "HEAD~1:a.py").strip()

    def interrupted(streams: object) -> bytes:
        streams.ask.write(f"{blob}\n".encode())  # type: ignore[attr-defined]
        streams.ask.flush()  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reader.ask(interrupted)
    shown = engine.locate("b", ref="HEAD~1", detail_level=DetailLevel.CONTEXT).results[0]
    assert shown.body_preview == "def b(): ..."


def test_a_filter_with_an_odd_name_is_not_run_either(
    repo: Repo, engine: Engine, tmp_path: Path
) -> None:
    files = {f"m{n}.py": f"def f{n}(): ...\n" for n in range(250)}
    repo.commit({**files, ".gitattributes": "*.py filter=a=b\n"})
    engine.index()
    marker = tmp_path / "ran"
    repo.git("config", "filter.a=b.clean", f"touch {marker}; cat")
    second = tmp_path / "second"
    repo.git("worktree", "add", "--quiet", "--detach", str(second))
    for n in range(250):
        (second / f"m{n}.py").write_text(files[f"m{n}.py"])
    with Engine.open(second) as other:
        other.index()
    assert not marker.exists()


def test_replaced_objects_do_not_count(branched: Repo, engine: Engine) -> None:
    old, new = (branched.git("rev-parse", f"{ref}:a.py").strip() for ref in ("main", "feat"))
    branched.git("replace", old, new)
    assert paths(engine, "one", "main") == ["a.py"]
    assert paths(engine, "one") == ["a.py"]


def test_a_binary_file_that_grows_is_noted_once(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": ONE, "data": b"\0\1"})
    for name in ("a.py", "data"):
        age(repo.root / name)
    engine.index()
    repo.write({"data": b"\0\1\2\3"})
    age(repo.root / "data")
    engine.index()
    assert engine.index().counts.hashed == 0
    assert engine.status().freshness_status == "fresh"


def test_other_limits_that_change_nothing_are_noted(branched: Repo, engine: Engine) -> None:
    for name in ("a.py", "gone.py"):
        age(branched.root / name)
    engine.index()
    engine.index(ref="feat")
    with Engine.open(branched.root, {"index.max_file_bytes": 900_000}) as other:
        other.index()
        assert other.index().counts.hashed == 0
        other.locate("two", ref="feat")
        before = other._store.snapshots()
        other.locate("two", ref="feat")
        assert other._store.snapshots() == before


def test_a_store_made_anew_is_not_taken_for_the_old_one(branched: Repo, engine: Engine) -> None:
    assert paths(engine, "two", "feat") == ["a.py"]
    flags = {"index.max_file_bytes": 20}
    with Engine.open(branched.root, flags) as small:
        small.index(force=True, ref="feat")
        assert paths(small, "two", "feat") == []
    assert paths(engine, "two", "feat") == ["a.py"]


def test_a_writer_that_makes_progress_is_waited_for(repo: Repo, tmp_path: Path) -> None:
    from codecompass.store.lock import WriterLock

    repo.commit({"a.py": ONE})
    script = (
        "import sys, time\nfrom pathlib import Path\n"
        "from codecompass.store.lock import WriterLock\n"
        "with WriterLock(Path(sys.argv[1]), 1.0, lambda: None) as lock:\n"
        "    print('held', flush=True)\n"
        "    for _ in range(8):\n        time.sleep(0.2)\n        lock.beat()\n"
    )
    path = tmp_path / "writer.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    waited: list[int] = []
    with WriterLock(path, 0.5, lambda: waited.append(1)):
        assert holder.wait(5) == 0
    assert waited
    holder.stdout.close()
