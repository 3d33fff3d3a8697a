"""The signature cascade: exactly the chunks that quote a changed signature."""

from pathlib import Path

import pytest

from codecompass import Engine
from codecompass.indexing.job import JobSettings
from codecompass.indexing.sync import sync_workspace
from codecompass.link.modules import PathIndex
from codecompass.store.repository import RepositoryStore
from tests.conftest import Repo

FILES = {
    "pkg/__init__.py": "",
    "pkg/tokens.py": "def validate(token): ...\ndef other(): ...\nclass Token: ...\n",
    "app/direct.py": (
        "from pkg.tokens import validate\n"
        "def uses(): return validate(1)\n"
        "def does_not(): return 2\n"
    ),
    "app/alias.py": "from pkg.tokens import validate as check\ndef uses(): check(1)\n",
    "app/module.py": "from pkg import tokens\ndef uses(): tokens.validate(1)\n",
    "app/star.py": "from pkg.tokens import *\ndef uses(): validate(1)\n",
    "app/unrelated.py": "from elsewhere import validate\ndef uses(): validate(1)\n",
    "app/same_name.py": "def validate(x): ...\ndef uses(): validate(1)\n",
    "app/other_only.py": "from pkg.tokens import other\ndef uses(): other()\n",
}


def requoted(engine: Engine) -> list[tuple[str, int]]:
    workspace = engine.workspace
    with RepositoryStore(workspace.layout, workspace.settings.store) as store:
        report = sync_workspace(
            store,
            workspace.root,
            scratch=workspace.scratch,
            settings=JobSettings(workspace.settings.index, workspace.settings.refs),
            progress=lambda stage, done, total: None,
        )
    assert report.counts.requoted == len(report.requoted)
    return list(report.requoted)


@pytest.fixture
def indexed(repo: Repo, engine: Engine) -> Engine:
    repo.commit(FILES)
    engine.index()
    return engine


def test_a_changed_signature_reaches_exactly_its_users(repo: Repo, indexed: Engine) -> None:
    changed = FILES["pkg/tokens.py"].replace("validate(token)", "validate(token, strict)")
    repo.write({"pkg/tokens.py": changed})
    assert requoted(indexed) == [
        ("app/alias.py", 1),
        ("app/direct.py", 1),
        ("app/module.py", 1),
        ("app/star.py", 1),
    ]


def test_a_changed_body_reaches_nobody(repo: Repo, indexed: Engine) -> None:
    repo.write({"pkg/tokens.py": FILES["pkg/tokens.py"].replace("...", "pass", 1)})
    assert requoted(indexed) == []


def test_a_deleted_file_reaches_its_users(repo: Repo, indexed: Engine) -> None:
    (repo.root / "pkg/tokens.py").unlink()
    assert len(requoted(indexed)) == 5


def test_a_file_that_changed_itself_is_not_reported(repo: Repo, indexed: Engine) -> None:
    repo.write(
        {
            "pkg/tokens.py": FILES["pkg/tokens.py"].replace("(token)", "(t)"),
            "app/direct.py": FILES["app/direct.py"] + "\nx = 1\n",
        }
    )
    assert "app/direct.py" not in {path for path, _ in requoted(indexed)}


PATHS = [
    "a/b.ts",
    "a/c/index.ts",
    "pkg/__init__.py",
    "pkg/m.py",
    "x/util.go",
    "y/util.py",
    "h/z.h",
]


@pytest.mark.parametrize(
    ("module", "importer", "found"),
    [
        ("./b", "a/x.ts", ["a/b.ts"]),
        ("./b.js", "a/x.ts", ["a/b.ts"]),
        ("../b", "a/c/x.ts", ["a/b.ts"]),
        ("./c", "a/x.ts", ["a/c/index.ts"]),
        (".m", "pkg/x.py", ["pkg/m.py"]),
        (".", "pkg/x.py", ["pkg/__init__.py"]),
        ("..m", "pkg/sub/x.py", ["pkg/m.py"]),
        ("pkg.m", "app.py", ["pkg/m.py"]),
        ("pkg", "app.py", ["pkg/__init__.py"]),
        ("util", "app.py", ["x/util.go", "y/util.py"]),
        ("z.h", "main.c", ["h/z.h"]),
        ("crate::pkg::m", "main.rs", ["pkg/m.py"]),
        ("none", "app.py", []),
    ],
)
def test_which_paths_a_module_text_may_mean(module: str, importer: str, found: list[str]) -> None:
    assert PathIndex(PATHS).meant(module, importer) == found


def test_the_report_is_in_the_answer(repo: Repo, indexed: Engine, tmp_path: Path) -> None:
    repo.write({"pkg/tokens.py": FILES["pkg/tokens.py"].replace("(token)", "(t)")})
    assert indexed.sync().counts.requoted == 4
