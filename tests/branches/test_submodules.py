"""Submodules are part of the tree that names them: on the disk and on every ref (issue 29)."""

from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from tests.conftest import Repo

ALLOW = ("-c", "protocol.file.allow=always")


@pytest.fixture
def outer(tmp_path: Path) -> Repo:
    """A repository with a submodule that has a submodule."""
    deep = Repo(tmp_path / "deep")
    deep.commit({"d.py": "def deepest():\n    return 1\n"})
    inner = Repo(tmp_path / "inner")
    inner.commit({"i.py": "def inside():\n    return 'inner text'\n"})
    inner.git(*ALLOW, "submodule", "--quiet", "add", str(deep.root), "libs/deep")
    inner.git("commit", "--quiet", "-m", "deep")
    found = Repo(tmp_path / "outer")
    found.commit({"o.py": "from inner.i import inside\n\n\ndef outside():\n    return inside()\n"})
    found.git(*ALLOW, "submodule", "--quiet", "add", str(inner.root), "inner")
    found.git(*ALLOW, "submodule", "--quiet", "update", "--init", "--recursive")
    found.git("commit", "--quiet", "-m", "inner")
    return found


def paths(engine: Engine, name: str, ref: str | None = None) -> list[str]:
    return [item.path for item in engine.locate(name, ref=ref).results]


@pytest.mark.parametrize("ref", [None, "HEAD"])
def test_what_a_submodule_defines_is_found(outer: Repo, ref: str | None) -> None:
    with Engine.open(outer.root) as engine:
        assert paths(engine, "inside", ref) == ["inner/i.py"]
        assert paths(engine, "deepest", ref) == ["inner/libs/deep/d.py"]
        assert engine.search("inner text", ref=ref).results[0].path == "inner/i.py"
        uses = engine.find_references("inside", ref=ref)
        assert uses.total == 2  # the import and the call
        answer = engine.locate("inside", ref=ref)
        assert answer.meta.result_completeness == "complete"
        assert "inner text" in str(engine.search("/inner text/", ref=ref).results)


def test_an_edit_in_a_submodule_is_seen(outer: Repo) -> None:
    with Engine.open(outer.root) as engine:
        assert paths(engine, "inside") == ["inner/i.py"]
        (outer.root / "inner" / "new.py").write_text("def brand_new(): ...\n")
        assert paths(engine, "brand_new") == ["inner/new.py"]
        assert paths(engine, "brand_new", "HEAD") == []


def test_each_ref_sees_the_commit_that_it_names(outer: Repo) -> None:
    inner = outer.root / "inner"
    (inner / "i.py").write_text("def renamed():\n    return 2\n")
    for folder in (inner, outer.root):
        outer.git("-C", str(folder), "-c", "user.email=a@b", "-c", "user.name=A",
                  "commit", "--quiet", "-am", "renamed")  # fmt: skip
    with Engine.open(outer.root) as engine:
        assert paths(engine, "renamed", "HEAD") == ["inner/i.py"]
        assert paths(engine, "inside", "HEAD") == []
        assert paths(engine, "inside", "HEAD~1") == ["inner/i.py"]
        changed = engine.diff(ref="HEAD", base="HEAD~1")
        assert "inner/i.py" in str(changed)


def test_a_submodule_that_is_not_checked_out_is_named(outer: Repo, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    outer.git("clone", "--quiet", str(outer.root), str(clone))
    with Engine.open(clone) as engine:
        for ref in (None, "HEAD"):
            answer = engine.locate("inside", ref=ref)
            assert answer.total == 0
            assert answer.meta.absent_submodules == ("inner",)
            assert answer.meta.result_completeness == "partial"
            counts = engine.status(ref=ref or "live").counts
            assert counts is not None
            assert counts.absent_submodules == ("inner",)
        outer.git("-C", str(clone), *ALLOW, "submodule", "--quiet", "update", "--init")
        for ref in (None, "HEAD"):  # it has come meanwhile
            assert paths(engine, "inside", ref) == ["inner/i.py"]
            assert engine.locate("inside", ref=ref).meta.absent_submodules == ("inner/libs/deep",)


def test_a_path_of_a_submodule_that_leads_out_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    secret = Repo(tmp_path / "secret")
    secret.commit({"s.py": "def hidden(): ...\n"})
    repo.commit({
        "a.py": "def one(): ...\n",
        ".gitmodules": '[submodule "x"]\n\tpath = ../secret\n\turl = ./x\n'
        f'[submodule "y"]\n\tpath = {tmp_path}/secret\n\turl = ./y\n'
        '[submodule "z"]\n\tpath = link\n\turl = ./z\n',
    })  # fmt: skip
    (repo.root / "link").symlink_to(tmp_path / "secret")
    with Engine.open(repo.root) as engine:
        assert paths(engine, "one") == ["a.py"]
        assert paths(engine, "hidden") == []


def test_a_bare_repository_says_what_it_lacks(outer: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    outer.git("clone", "--quiet", "--bare", str(outer.root), str(bare))
    with Engine.open(bare) as engine:
        assert engine.locate("outside").total == 1
        assert engine.locate("inside").meta.absent_submodules == ("inner",)
