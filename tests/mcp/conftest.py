"""A small project, and servers without a transport that are closed when a test ends."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.mcp.caller import Caller
from tests.mcp.project import FILES


@pytest.fixture
def root(repo: Repo) -> Path:
    repo.commit(FILES)
    return repo.root


@pytest.fixture
def callers() -> Iterator[list[Caller]]:
    made: list[Caller] = []
    yield made
    for caller in made:
        caller.calls.close()


@pytest.fixture
def caller(repo: Repo, callers: list[Caller]) -> Caller:
    repo.commit(FILES)
    callers.append(Caller(repo.root))
    return callers[0]
