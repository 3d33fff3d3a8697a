"""Nothing of a repository is ever run, whatever its files are called."""

import subprocess
import sys
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.source.program import own_command
from tests.conftest import Repo
from tests.daemon.conftest import status, until
from tests.mcp.client import serving

_NAMES = ("argparse", "json", "multiprocessing", "pickle", "sqlite3", "subprocess")


@pytest.fixture
def marks(repo: Repo, tmp_path: Path) -> Path:
    """A repository with files that Python would take for its own modules."""
    folder = tmp_path / "marks"
    folder.mkdir()
    for name in _NAMES:
        mark = str(folder / name)
        repo.write({f"{name}.py": f"open({mark!r}, 'w').close()\ndef marked_{name}(): ...\n"})
    return folder


def test_a_server_in_the_folder_runs_no_file_of_it(
    repo: Repo, marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the process that indexes nor the watcher does."""
    monkeypatch.setenv("CODECOMPASS_WATCH_START", "true")
    with serving(repo.root) as server, Engine.open(repo.root) as engine:
        answer, _ = server.call("search_code", query="marked_json")
        assert "function marked_json" in answer
        until(lambda: status(engine))
    subprocess.run(own_command("watch", "--stop", "--workspace", str(repo.root)), check=True)
    assert not list(marks.iterdir())


def test_workers_of_a_process_with_threads_run_no_file_of_it(
    repo: Repo, marks: Path, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import threading\n"
        "from codecompass import Engine\n"
        "def index():\n"
        "    with Engine.open('.', {'index.inline_files': 0}) as engine:\n"
        "        print(engine.index().counts.extracted)\n"
        "if __name__ == '__main__':\n"
        "    thread = threading.Thread(target=index)\n"
        "    thread.start()\n"
        "    thread.join()\n"
    )
    command = [sys.executable, str(program)]
    done = subprocess.run(command, cwd=repo.root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(len(_NAMES)), done.stderr
    assert not list(marks.iterdir())
