"""The installed command, as a user or a script runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Repo

FILES = {
    "app.py": "class App:\n    def run(self, x: int) -> None: ...\n",
    "lib/util.py": "X = 1\n",
}


def run(
    repo: Repo, *arguments: str, stdin: str = "", cwd: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "codecompass", *arguments],
        cwd=cwd or repo.root,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env=os.environ | {"PYTHONPATH": ""},
    )


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.commit(FILES)
    return repo


def test_a_question_about_a_folder_never_indexed_just_works(project: Repo) -> None:
    done = run(project, "symbol", "App > run")
    assert done.returncode == 0, done.stderr
    assert "app.py:2 method App.run" in done.stdout
    assert "def run(self, x: int) -> None" in done.stdout
    assert done.stderr == ""  # no progress bar where nobody looks


def test_from_a_subfolder_the_whole_repository_is_meant(project: Repo) -> None:
    done = run(project, "symbol", "App", cwd=project.root / "lib")
    assert "app.py:1-2 class App" in done.stdout


def test_json_is_one_object_with_results_and_meta(project: Repo) -> None:
    answer = json.loads(run(project, "symbol", "run", "--json").stdout)
    place = answer["results"][0]
    assert {key: place[key] for key in ("path", "start_line", "end_line", "kind", "name")} == {
        "path": "app.py",
        "start_line": 2,
        "end_line": 2,
        "kind": "method",
        "name": "run",
    }
    assert len(place["handle"]) == 13
    assert answer["meta"]["freshness_status"] == "fresh"
    assert answer["meta"]["codecompass_protocol_version"] == "1.0"


def test_outline_text(project: Repo) -> None:
    head, *rest = run(project, "outline", "app.py").stdout.splitlines()
    assert head.startswith("index fresh @")
    assert head.endswith(" · live · app.py · python · 2 lines")
    assert rest == ["1-2  class App", "  2    def run(self, x: int) -> None"]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("symbol", "nothing_like_it"), 0, "no definition named 'nothing_like_it'"),
        (("symbol", "nothing_like_it", "--quiet"), 1, "no definition"),
        (("symbol", "App", "--kind", "nonsense"), 2, "--kind: given 'nonsense'; allowed: module"),
        (("symbol", "App", "--lang", "Pyton"), 2, "language: given 'Pyton'; allowed: python"),
        (("symbol", "App", "--path-prefix", "none/"), 0, "none passes the filters"),
        (("index", "--workspace", ""), 2, "empty text"),
        (("outline", "../x.py"), 2, "outside the workspace"),
        (("outline", "none.py"), 3, "no such file: none.py"),
        (("sync",), 3, "has not been indexed yet"),
        (("status", "--workspace", "/does/not/exist"), 2, "no such folder"),
        (("nonsense",), 2, "invalid choice: 'nonsense'"),
        (("--help",), 0, "examples:"),
    ],
)
def test_exit_status_and_message(
    project: Repo, arguments: tuple[str, ...], status: int, said: str
) -> None:
    done = run(project, *arguments)
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == status


def test_errors_in_json_have_code_message_and_remediation(project: Repo) -> None:
    done = run(project, "outline", "none.py", "--json")
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "file_not_indexed"
    assert error["data"]["remediation"]


def test_index_then_sync_then_status(project: Repo) -> None:
    assert "2 files extracted, 3 symbols" in run(project, "index").stdout
    assert "up to date" in run(project, "sync").stdout
    status = run(project, "status").stdout
    assert "ready, fresh" in status
    assert "2 files, 3 lines, 3 symbols" in status


def test_show_ignored_names_file_and_rule(project: Repo) -> None:
    project.write({".gitignore": "*.log\n", "x.log": "", "app.min.js": "x"})
    said = run(project, "index", "--show-ignored").stdout.splitlines()
    assert said == ["app.min.js\tbuilt-in:0\t*.min.js", "x.log\t.gitignore:1\t*.log"]


def test_init_writes_a_file_that_loads(project: Repo) -> None:
    assert run(project, "init").returncode == 0
    text = (project.root / "codecompass.toml").read_text()
    assert "# max_file_bytes = 1048576" in text
    uncommented = text.replace("\n# ", "\n")
    (project.root / "codecompass.toml").write_text(uncommented)
    assert run(project, "config").returncode == 0
    again = run(project, "init")
    assert again.returncode == 2
    assert "exists already" in again.stderr


def test_config_shows_each_value_with_its_origin(project: Repo) -> None:
    project.write({"codecompass.toml": "[index]\nworkers = 3\n"})
    said = run(project, "config", "show").stdout
    assert f"3  ({project.root}/codecompass.toml)" in said
    assert "1048576  (default)" in said


def test_doctor(project: Repo) -> None:
    done = run(project, "doctor")
    assert done.returncode == 0, done.stdout
    assert "33 languages load" in done.stdout


def batch(repo: Repo, *lines: object) -> list[dict[str, object]]:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = run(repo, "batch", "--workspace", str(repo.root), stdin=text)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_batch_answers_in_order_and_survives_bad_lines(project: Repo) -> None:
    answers = batch(
        project,
        {"id": 1, "op": "locate_symbol", "args": {"name": "App > run"}},
        "this is not JSON",
        {"id": "x", "op": "get_file_outline", "args": {"path": "app.py", "depth": "top"}},
        {"id": 3, "op": "no_such_op"},
        {"id": 4, "op": "locate_symbol", "args": {"name": 7}},
        {"id": 5, "op": "locate_symbol", "args": {"name": "x", "nonsense": 1}},
        {"id": 6, "op": "locate_symbol"},
        {"id": 7, "op": "get_file_outline", "args": {"path": "../../etc/passwd"}},
        {"id": 8, "op": "locate_symbol", "args": {"name": "Apps"}},
        {"id": 9, "op": "index_status", "args": {"wait": True, "timeout_s": 1}},
        {"id": 10, "op": "sync_repo"},
        {"id": 11, "op": "index_repo", "args": {"force": True}},
        "[" * 30_000,
        {"id": 12, "op": "locate_symbol", "args": {"name": "run", "ref": "no/such"}},
        {"id": 13, "op": "locate_symbol", "args": {"name": "run", "kind": "method"}},
    )
    assert [answer["id"] for answer in answers] == [
        1, None, "x", 3, 4, 5, 6, 7, 8, 9, 10, 11, None, 12, 13,
    ]  # fmt: skip
    good = {answer["id"]: answer["answer"] for answer in answers if answer["ok"]}
    assert list(good) == [1, "x", 8, 9, 10, 11, 13]
    assert good[1]["results"][0]["qualified_name"] == "App.run"  # type: ignore[index]
    assert [item["name"] for item in good["x"]["results"]] == ["App"]  # type: ignore[index]
    assert good[8]["results"] == []  # type: ignore[index]
    assert good[8]["suggestions"] == ["App"]  # type: ignore[index]
    assert good[9]["indexing_status"] == "ready"  # type: ignore[index]
    assert good[11]["counts"]["extracted"] == 2  # type: ignore[index]
    errors = {answer["id"]: answer["error"] for answer in answers if not answer["ok"]}
    assert errors[3]["code"] == "unknown_operation"  # type: ignore[index]
    assert errors[7]["code"] == "path_outside_workspace"  # type: ignore[index]
    assert errors[12]["code"] == "ref_not_found"  # type: ignore[index]
    for error in errors.values():
        assert error["data"]["remediation"]  # type: ignore[index]
