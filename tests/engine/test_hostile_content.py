"""What stands in a repository, or in an argument, does no harm (issue 29)."""

import os
import subprocess
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.errors import BadInput
from codecompass.source.program import own_command
from codecompass.text.visible import visible, visible_json
from tests.conftest import Repo, age
from tests.mcp.caller import Caller

HIDDEN = "\u202e\u2066\u200b\u200d\ufeff\u061c\U000e0041\x9b"


def run(root: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = own_command(*words, "--workspace", str(root))
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_marks_that_turn_a_line_are_written_out_everywhere(repo: Repo) -> None:
    repo.commit({"a.py": f'def access(level="user{HIDDEN} admin"): ...\n'})
    for words in (("search", "access"), ("symbol", "access"), ("search", "/access/")):
        for form in ((), ("--json",)):
            said = run(repo.root, *words, *form)
            assert said.returncode == 0, said.stderr
            assert not set(HIDDEN) & set(said.stdout), words
            assert "u202e" in said.stdout
    caller = Caller(repo.root)
    for form in ("text", "json"):
        text, _ = caller("search_code", query="access", format=form)
        assert not set(HIDDEN) & set(text)
        assert "u202e" in text
    caller.calls.close()


def test_written_out_json_means_the_same() -> None:
    import json

    value = f"a{HIDDEN}b\n"
    assert json.loads(visible_json(json.dumps(value, ensure_ascii=False))) == value
    assert visible("a\u202eb\U000e0041") == "a\\u202eb\\U000e0041"


@pytest.mark.parametrize("ref", ["-x", "--output=/tmp/x", "main\0", "--upload-pack=touch x", " "])
@pytest.mark.parametrize("tool", ["index_repo", "sync_repo", "search_code", "index_status"])
def test_a_ref_that_is_an_option_or_holds_nul_is_refused(repo: Repo, tool: str, ref: str) -> None:
    repo.commit({"a.py": "a = 1\n"})
    caller = Caller(repo.root)
    given = {"query": "a"} if tool == "search_code" else {}
    text, is_error = caller(tool, ref=ref, **given)
    caller.calls.close()
    assert is_error
    assert "invalid_argument" in text
    assert "allowed: a branch" in text
    with Engine.open(repo.root) as engine, pytest.raises(BadInput):
        engine.index(ref=ref)


def test_a_partial_clone_with_a_name_that_is_no_text_answers_for_refs(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    (Path(os.fsdecode(os.fsencode(repo.root) + b"/odd\xff.py"))).write_bytes(b"odd = 1\n")
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "one")
    repo.commit({"b.py": "def two(): ...\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    source = f"file://{repo.root}"
    repo.git("clone", "--quiet", "--filter=blob:none", source, str(clone))
    for words in (
        ("symbol", "one", "--ref", "HEAD~1"),
        ("diff", "HEAD", "--base", "HEAD~1"),
        ("search", "one", "--ref", "HEAD~1"),
    ):
        said = run(clone, *words)
        assert said.returncode in {0, 1}, said.stderr
        assert "Traceback" not in said.stderr
    assert "a.py:1" in run(clone, "symbol", "one", "--ref", "HEAD").stdout


@pytest.mark.skipif(os.name == "nt", reason="the markers are shell scripts")
def test_the_configuration_of_a_repository_runs_nothing(repo: Repo, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    program = tmp_path / "evil.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {marker}\ncat 2>/dev/null\n')
    program.chmod(0o755)
    repo.commit({"a.py": "def one(): ...\n", ".gitattributes": "*.py filter=evil diff=evil\n"})
    repo.commit({"a.py": "def one(x): ...\n"})
    for key in (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external",
        "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge",
        "filter.evil.process", "credential.helper", "gpg.program", "alias.cat-file", "pager.log",
        "log.showSignature", "core.askPass", "sequence.editor", "merge.evil.driver",
    ):  # fmt: skip
        repo.git("config", key, str(program))
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor"):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    repo.git("config", "core.hooksPath", str(hooks))
    repo.git("config", "remote.origin.url", f"ext::{program}")
    repo.git("config", "remote.origin.promisor", "true")
    marker.unlink(missing_ok=True)
    for words in (
        ("index",),
        ("search", "one", "--ref", "HEAD~1"),
        ("symbol", "one", "--ref", "HEAD"),
        ("diff", "HEAD", "--base", "HEAD~1"),
        ("diff",),
        ("compare", "one", "HEAD~1", "HEAD"),
        ("refs", "one"),
        ("context", "one"),
        ("refs-list",),
        ("status",),
        ("doctor",),
        ("gc",),
    ):
        said = run(repo.root, *words)
        assert "Traceback" not in said.stderr, words
        assert not marker.exists(), (words, marker.read_text())


@pytest.mark.parametrize("restored", [True, False], ids=["time set back", "time as it was"])
def test_an_edit_that_keeps_size_and_time_is_seen(
    repo: Repo, engine: Engine, restored: bool
) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    age(repo.root / "a.py")
    assert engine.locate("one").total == 1
    before = (repo.root / "a.py").stat()
    if restored:
        (repo.root / "a.py").write_text("def two(): ...\n")
    else:
        other = repo.root / "other"
        other.write_text("def two(): ...\n")
        other.replace(repo.root / "a.py")
    os.utime(repo.root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    after = (repo.root / "a.py").stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert engine.locate("two").total == 1
    assert engine.locate("one").total == 0


def test_a_sparse_checkout_is_said(repo: Repo) -> None:
    repo.commit({"in/a.py": "def inside(): ...\n", "out/b.py": "def outside(): ...\n"})
    assert "sparse" not in run(repo.root, "search", "inside").stdout
    repo.git("sparse-checkout", "set", "in")
    assert (
        "sparse checkout, only its files were searched"
        in run(repo.root, "symbol", "outside").stdout
    )
    assert "only a part of the tree is checked out" in run(repo.root, "status").stdout
    with Engine.open(repo.root) as engine:
        answer = engine.search("inside")
        assert answer.meta.result_completeness == "partial"
        assert engine.locate("outside", ref="HEAD").total == 1
        assert engine.locate("outside", ref="HEAD").meta.is_sparse is None


def test_a_pointer_of_git_lfs_is_called_one(repo: Repo, engine: Engine) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 1234567\n"
    repo.commit({"model.py": pointer, "a.py": "def one(): ...\n"})
    engine.index()
    for ref in (None, "HEAD"):
        engine.index(ref=ref)
        counts = engine.status(ref=ref).counts
        assert counts is not None
        assert counts.skipped == {"lfs_pointer": 1}
    assert "lfs_pointer 1" in run(repo.root, "status").stdout


def test_tools_that_change_what_others_see_do_not_claim_to_only_read() -> None:
    from codecompass.mcp.tools import TOOLS

    writing = {
        name for name, tool in TOOLS.items() if not tool.listed()["annotations"]["readOnlyHint"]
    }
    assert writing == {"index_repo", "switch_ref"}
