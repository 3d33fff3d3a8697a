"""Fixtures every test may use: real folders, real git repositories, a store of their own."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from codecompass.engine.engine import Engine

# A busy machine is no reason to fail; how long things take is for `bench/` to say.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files")


REPORTS = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[REPORTS] = []
    os.environ["CODECOMPASS_WATCH_START"] = "false"  # or each server leaves a process


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the lines of a worker on to whoever prints them."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["reports"] = session.config.stash[REPORTS]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[REPORTS] += getattr(node, "workeroutput", {}).get("reports", [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in terminalreporter.config.stash[REPORTS]:
        terminalreporter.write_line(line)


@pytest.fixture
def reports(request: pytest.FixtureRequest) -> list[str]:
    """Lines that are printed at the end of the run."""
    return request.config.stash[REPORTS]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory for this test only; no setting of the machine reaches it."""
    folder = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith("CODECOMPASS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("CODECOMPASS_HOME", str(folder / "data"))
    monkeypatch.setenv("CODECOMPASS_WATCH_START", "false")
    return folder / "data"


class Repo:
    """A git repository in a temporary folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.email", "test@example.org")
        self.git("config", "user.name", "Test")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True
        )
        return done.stdout

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for path, content in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes]) -> None:
        self.write(files)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--message", "change")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


@pytest.fixture
def engine(repo: Repo) -> Iterator[Engine]:
    with Engine.open(repo.root) as opened:
        yield opened


@pytest.fixture
def forked_parsers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Parsers that parse with what a test has changed in this process."""
    from codecompass.indexing import parsers

    parsers.shared_parsers().rest()
    monkeypatch.setattr(parsers, "_can_fork", lambda: True)
    yield
    parsers.shared_parsers().rest()


def age(path: Path, seconds: int = 100) -> None:
    """Make a file old enough for its time to be trusted."""
    seen = path.stat()
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns - seconds * 1_000_000_000))


@contextmanager
def without_rights(*folders: Path) -> Iterator[None]:
    """Be a user who may only do what permissions allow; root sees through them.

    `folders` are those the user must be able to reach.
    """
    if os.geteuid() != 0:
        yield
        return
    config = Path(os.environ["XDG_CONFIG_HOME"])
    config.mkdir(exist_ok=True)
    for folder in [*folders, config]:
        for part in [folder, *folder.parents]:
            if part != Path("/") and part.stat().st_uid == 0:
                part.chmod(part.stat().st_mode | 0o055)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
