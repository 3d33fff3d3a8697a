"""Settings: later sources win, every value knows its origin, wrong ones are named."""

from pathlib import Path

import pytest

from codecompass.config.load import load_settings, unknown_variables
from codecompass.errors import ConfigInvalid


def test_sources_win_in_order(tmp_path: Path) -> None:
    user = tmp_path / "config" / "codecompass"
    user.mkdir(parents=True)
    (user / "config.toml").write_text(
        "[index]\nworkers = 1\ncommit_files = 11\ninline_files = 1\n"
    )
    (tmp_path / "pyproject.toml").write_text("[tool.codecompass.index]\nworkers = 2\n")
    (tmp_path / "codecompass.toml").write_text("[index]\nworkers = 3\ninline_files = 3\n")
    environment = {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "CODECOMPASS_INDEX_WORKERS": "4",
        "CODECOMPASS_HOME": "/somewhere",
    }
    settings = load_settings(tmp_path, environment)
    assert settings.index.workers == 4
    assert settings.index.inline_files == 3
    assert settings.index.commit_files == 11
    assert settings.store.home == Path("/somewhere")
    origins = {key: origin for key, _, origin in settings.items()}
    assert origins["index.workers"] == "CODECOMPASS_INDEX_WORKERS"
    assert origins["index.inline_files"] == str(tmp_path / "codecompass.toml")
    assert origins["index.max_file_bytes"] == "default"
    assert load_settings(tmp_path, environment, {"index.workers": 5}).index.workers == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[index]\nworkers = 'many'\n", "index.workers = 'many', but it must be a int"),
        ("[index]\nworkers = -1\n", "zero or more"),
        ("[index]\nnonsense = 1\n", "unknown setting index.nonsense"),
        ("[nonsense]\nx = 1\n", "unknown setting nonsense.x"),
        ("index = 1\n", "must be a table"),
        ("[freshness]\npolicy = 'sometimes'\n", "one of strict, balanced, best_effort"),
        ("not toml at all", "codecompass.toml"),
        ("[store]\nhome = '/tmp/elsewhere'\n", "a matter of the machine"),
    ],
)
def test_wrong_values_are_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "codecompass.toml").write_text(text)
    with pytest.raises(ConfigInvalid) as caught:
        load_settings(tmp_path, {"HOME": str(tmp_path)})
    assert said in caught.value.message


def test_a_broken_pyproject_is_its_owners_business(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("not toml at all")
    assert load_settings(tmp_path, {"HOME": str(tmp_path)}).index.workers == 0


def test_variables_that_are_no_settings_are_named() -> None:
    environment = {
        "CODECOMPASS_SEARCH_TOPK": "3",
        "CODECOMPASS_SEARCH_MAX_TOP_K": "3",
        "CODECOMPASS_HOME": "/somewhere",
        "CODECOMPASS_TOKEN": "word",
        "HOME": "/root",
    }
    assert unknown_variables(environment) == ["CODECOMPASS_SEARCH_TOPK"]
