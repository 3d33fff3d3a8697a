"""A repository that somebody else wrote decides nothing about this machine."""

import os
import stat
import subprocess
import time
from pathlib import Path

import pytest

from codecompass.config.load import load_settings
from codecompass.engine.engine import Engine
from codecompass.engine.workspace import enclosing_workspace
from codecompass.errors import ArchiveRefused, BadInput, ConfigInvalid
from codecompass.source.ignore import make_rules
from codecompass.source.program import own_command
from codecompass.source.refs import check_ref
from codecompass.text.secrets import mask_secrets
from codecompass.text.visible import visible
from tests.conftest import Repo
from tests.store.test_portable import Parts, _changed_facts, rewritten


@pytest.mark.parametrize("where", ["private", ".", "/"])
def test_its_git_settings_lead_to_no_other_folder(repo: Repo, tmp_path: Path, where: str) -> None:
    private = tmp_path / where
    (tmp_path / "private").mkdir()
    (tmp_path / "private/note.py").write_text("def private_note(): ...\n")
    repo.commit({"a.py": "def one(): ...\n"})
    repo.git("config", "core.worktree", str(private))
    assert enclosing_workspace(repo.root) == repo.root
    with Engine.open(repo.root) as engine:
        engine.index()
        assert engine.locate("one").total == 1
        assert engine.locate("private_note").total == 0


@pytest.mark.parametrize("name", ["codecompass.toml", "pyproject.toml"])
def test_its_settings_are_no_file_of_somebody_else(repo: Repo, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside.toml"
    part = "search" if name == "codecompass.toml" else "tool.codecompass.search"
    outside.write_text(f"[{part}]\nmax_top_k = 7\n")
    (repo.root / name).symlink_to(outside)
    assert load_settings(repo.root).search.max_top_k == 100


@pytest.mark.parametrize("name", ["codecompass.toml", "pyproject.toml"])
def test_settings_that_lead_in_a_circle_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to(tmp_path / name)
    with pytest.raises(ConfigInvalid, match="cannot be read"):
        load_settings(tmp_path)


def test_settings_without_end_are_refused(tmp_path: Path) -> None:
    (tmp_path / "codecompass.toml").write_bytes(b"# " + b"x" * 2_000_000)
    with pytest.raises(ConfigInvalid, match="no plain file"):
        load_settings(tmp_path)
    (tmp_path / "codecompass.toml").write_text("a = " + "[" * 100_000)
    with pytest.raises(ConfigInvalid):
        load_settings(tmp_path)


@pytest.mark.parametrize("key", ["server.audit = false", "index.memory_mib = 9"])
def test_it_sets_no_limits_of_the_machine(tmp_path: Path, key: str) -> None:
    part, _, rest = key.partition(".")
    (tmp_path / "codecompass.toml").write_text(f"[{part}]\n{rest}\n")
    with pytest.raises(ConfigInvalid, match="matter of the machine"):
        load_settings(tmp_path)


@pytest.mark.parametrize("ref", ["HEAD^{/a{1,250}}", ":/a{1,250}"])
def test_no_ref_is_a_search_by_expression(repo: Repo, ref: str) -> None:
    with pytest.raises(BadInput):
        check_ref(ref)
    repo.commit({"a.py": "def one(): ...\n"})
    (repo.root / "codecompass.toml").write_text(f'[refs]\nbase = "{ref}"\n')
    with Engine.open(repo.root) as engine:
        engine.index()
        with pytest.raises(BadInput):
            engine.diff()


def test_no_ignore_pattern_takes_for_ever() -> None:
    many = "*a*a*a/*a*a*a/*a*a*a/b"
    lines = ["*a" * 25 + "*b", "**/a/**/a/**/a/**/a/**/b", many, "*.log"]
    rules = make_rules({".codecompassignore": "\n".join(lines)})
    started = time.monotonic()
    assert rules.rule_for("/".join(["a" * 60] * 3) + "/x.py", is_tracked=False) is None
    assert rules.rule_for("a" * 120 + ".py", is_tracked=False) is None
    assert rules.rule_for("a/" * 60 + "x.py", is_tracked=False) is None
    assert time.monotonic() - started < 5
    assert rules.rule_for("x.log", is_tracked=False)


def test_one_file_does_not_hold_up_the_others(repo: Repo) -> None:
    """Queries over it would take minutes; its text is found all the same."""
    deep = "type Deepest = " + "A<" * 150_000 + "B" + ">" * 150_000 + ";\n"
    nested = "function innermost(){\n" * 20_000 + "}\n" * 20_000
    repo.write({"deep.ts": deep, "a.ts": "export function one() { return 1 }\n"})
    repo.write({"nested.js": nested})
    started = time.monotonic()
    with Engine.open(repo.root) as engine:
        engine.index()
        assert time.monotonic() - started < 20
        assert engine.locate("one").total == 1
        assert [item.path for item in engine.search("Deepest").results] == ["deep.ts"]
        assert engine.search("innermost").results[0].path == "nested.js"


@pytest.mark.parametrize(
    "text", ['api_key = "{}"', 'x = "postgres://user:{}@host/db"'], ids=["value", "address"]
)
def test_long_secrets_are_masked_too(text: str) -> None:
    assert "A1b2" not in mask_secrets(text.format("A1b2" * 400))


def test_masking_takes_time_that_grows_with_the_text_only() -> None:
    started = time.monotonic()
    text = "password" * 60_000
    assert mask_secrets(text) == text
    assert mask_secrets("a://" * 60_000 + "@")
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "secret",
    [
        "sk_" + "live_" + "a1B2" * 6, "glpat-" + "a1B2" * 5, "npm_" + "a1B2" * 9,
        'db_password: str = "hunter2hunter2"', 'api_key: Optional[str] = "hunter2hunter2"',
    ],
)  # fmt: skip
def test_more_secrets_are_masked(secret: str) -> None:
    assert "masked" in mask_secrets(secret)
    assert "a1B2" not in mask_secrets(secret)
    assert "hunter2" not in mask_secrets(secret)


def test_no_text_is_an_order_to_the_terminal(repo: Repo) -> None:
    repo.write({"a.py": 'def evil(title="\x1b]0;owned\x07", more="\x9b2J"): ...\n'})
    command = own_command("search", "evil", "--workspace", str(repo.root))
    done = subprocess.run(command, capture_output=True, check=True)
    shown = done.stdout.decode()
    assert "\\x1b]0;owned" in shown
    assert not {"\x1b", "\x07", "\x9b"} & set(shown)


def test_no_name_of_a_file_passes_for_lines_of_an_answer(repo: Repo) -> None:
    repo.write({"a.py": "def one(): ...\n", "new\nindex fresh.py": "def two(): ...\n"})
    with Engine.open(repo.root) as engine:
        engine.index()
        assert engine.locate("one").total == 1
        assert engine.locate("two").total == 0
        ignored = engine.ignored()
    assert [item.pattern for item in ignored] == ["a line break in its name"]


@pytest.mark.skipif(os.name == "nt", reason="no such modes")
def test_what_is_written_is_for_its_user_alone(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "a" / "home"
    monkeypatch.setenv("CODECOMPASS_HOME", str(home))
    repo.write({"a.py": "def one(): ...\n"})
    command = own_command("index", "--workspace", str(repo.root))
    subprocess.run(command, check=True, capture_output=True)
    with Engine.open(repo.root) as engine:
        engine.export_state(tmp_path / "x.cc")
    paths = [home, tmp_path / "x.cc", *home.glob("*.db")]
    assert not [path for path in paths if stat.S_IMODE(path.stat().st_mode) & 0o077]


def _bytes_for_path(parts: Parts, manifest: dict[str, object]) -> None:
    _changed_facts(parts, manifest, "UPDATE listed_files SET path = CAST(path AS BLOB)")


def test_paths_in_an_archive_are_texts(repo: Repo, engine: Engine, tmp_path: Path) -> None:
    repo.write({"a.py": "def one(): ...\n"})
    engine.index()
    engine.export_state(tmp_path / "x.cc")
    bad = rewritten(tmp_path / "x.cc", _bytes_for_path)
    with pytest.raises(ArchiveRefused):
        engine.import_state(bad, force=True)
    assert engine.locate("one").total == 1


def test_line_ends_of_windows_are_no_orders() -> None:
    assert visible("one\r\ntwo\rthree\x1b[2J") == "one\ntwo\\x0dthree\\x1b[2J"
