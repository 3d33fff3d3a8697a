"""Whatever lies in a workspace: a clear answer, the rest indexed, nothing lost."""

import os
from pathlib import Path

import pytest

from codecompass import Engine
from codecompass.config.settings import IndexSettings
from codecompass.errors import CodeCompassError, WorkspaceMissing, WorkspaceUnreadable
from codecompass.indexing.parsers import shared_parsers
from codecompass.indexing.work import WorkItem, extract_files
from codecompass.model.snapshot import VersionId
from codecompass.parse.languages import LANGUAGES
from tests.conftest import Repo, without_rights


def skipped(engine: Engine) -> dict[str, int]:
    status = engine.status()
    assert status.counts is not None
    return status.counts.skipped


def test_binary_huge_and_minified_files_are_counted_with_their_reason(
    repo: Repo, engine: Engine
) -> None:
    repo.write(
        {
            "good.py": "def good(): ...\n",
            "nul.py": b"x = 1\n\0\0\xff",
            "huge.py": b"x = 1\n" * (50 * 1024 * 1024 // 6),
            "one_line.js": b"a" * (5 * 1024 * 1024),
            "minified.js": "var x=1;" * 5000,
            "latin.py": "def größe(): ...\n".encode("latin-1"),
            "bom.py": b"\xef\xbb\xbfdef marked(): ...\n",
            "wide.py": "def wide(): ...\n".encode("utf-16"),
            "invalid.py": b"def fine(): ...\n\xff\xfe\xfd\n",
        }
    )
    engine.index()
    assert skipped(engine) == {"binary": 1, "long_line": 1, "too_large": 2}
    for name in ("good", "größe", "marked", "wide", "fine"):
        assert engine.locate(name).total == 1, name


@pytest.mark.parametrize(
    "language", [item for item in LANGUAGES if item.suffixes], ids=lambda item: item.name
)
def test_broken_syntax_never_stops_the_index(language: object, repo: Repo, engine: Engine) -> None:
    suffix = language.suffixes[0]  # type: ignore[attr-defined]
    repo.write(
        {f"broken{suffix}": "((( {{{ [[[ \"'` <% def class func }\n" * 20, "a.py": "x = 1\n"}
    )
    engine.index()
    assert engine.locate("x").total == 1
    assert engine.outline(f"broken{suffix}").line_count == 20


def test_two_hundred_levels_of_nesting(repo: Repo, engine: Engine) -> None:
    repo.write({"deep.js": "function f() {" * 200 + "}" * 200})
    engine.index()
    assert engine.locate("f").total == 200


@pytest.mark.skipif(os.name == "nt", reason="permissions work otherwise on Windows")
def test_an_unreadable_file_is_skipped(
    repo: Repo, engine: Engine, home: Path, forked_parsers: None
) -> None:
    repo.write({"good.py": "def good(): ...\n", "secret.py": "def secret(): ...\n"})
    (repo.root / "secret.py").chmod(0)
    home.mkdir(mode=0o777, parents=True, exist_ok=True)
    home.chmod(0o777)
    repo.git("config", "--global", "--add", "safe.directory", "*")
    with Engine.open(repo.root, {"store.home": str(home / "root")}) as other:
        other.index()  # loads what this user may read and the other may not
    list(
        extract_files(
            repo.root, [WorkItem("good.py", VersionId(1), "", "builtin")], IndexSettings()
        )
    )
    shared_parsers().rest()
    with without_rights(repo.root, home):
        engine.index()
        assert skipped(engine) == {"unreadable": 1}
        assert engine.locate("good").total == 1


@pytest.mark.skipif(os.name == "nt", reason="permissions work otherwise on Windows")
def test_a_workspace_without_permission_is_a_clear_error(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0)
    with without_rights(tmp_path), pytest.raises(WorkspaceUnreadable):
        Engine.open(folder)


def test_a_missing_workspace_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceMissing):
        Engine.open(tmp_path / "none")


def test_an_empty_workspace_has_an_empty_index(tmp_path: Path) -> None:
    with Engine.open(tmp_path) as engine:
        assert engine.index().published
        assert engine.locate("anything").total == 0


def test_a_workspace_that_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def plain(): ...\n")
    with Engine.open(tmp_path) as engine:
        assert engine.locate("plain").total == 1
        assert engine.status().head is None


def test_a_subfolder_is_a_workspace_of_its_own(repo: Repo) -> None:
    repo.commit({"a/one.py": "def one(): ...\n", "b/two.py": "def two(): ...\n"})
    with Engine.open(repo.root / "a") as engine:
        assert [item.path for item in engine.locate("one").results] == ["one.py"]
        assert engine.locate("two").total == 0


def test_odd_file_names(repo: Repo, engine: Engine) -> None:
    odd = ["with space.py", "ünï.py", "quote'\".py", "-dash.py", "a\tb.py"]
    repo.write({name: f"def f{number}(): ...\n" for number, name in enumerate(odd)})
    engine.index()
    for number, name in enumerate(odd):
        assert [item.path for item in engine.locate(f"f{number}").results] == [name]


def test_a_store_that_cannot_be_written_is_a_clear_error(repo: Repo, home: Path) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    home.write_text("a file where the folder should be")
    repo.write({"a.py": ""})
    with Engine.open(repo.root) as engine, pytest.raises(CodeCompassError):
        engine.index()
