"""The soak of bench/soak.py for some seconds: servers, a watcher, changes all the while."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Repo

SOAK = Path(__file__).parents[2] / "bench" / "soak.py"


@pytest.mark.timeout(180)
def test_a_short_soak_misses_nothing(repo: Repo, reports: list[str]) -> None:
    repo.commit({
        f"pkg/m{number}.py": f"import os\n\n\ndef f{number}(x):\n    return os.path.join(x)\n"
        for number in range(30)
    })  # fmt: skip
    command = [sys.executable, str(SOAK), str(repo.root), "--minutes", "0.2", "--clients", "2"]
    environment = {**os.environ, "CODECOMPASS_WATCH_START": "true"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "answers without the change 0," in done.stdout
    reports.append(done.stdout.splitlines()[0])
