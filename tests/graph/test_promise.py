"""The checker of `bench/complete.py` over whole repositories."""

import os
from pathlib import Path

import pytest

from bench.complete import check

_HERE = Path(__file__).parents[2]
_CORPORA = [Path(path) for path in os.environ.get("CODECOMPASS_CORPORA", "").split(os.pathsep)]


def test_nothing_is_missing_where_this_repository_is_said_to_be_complete(
    reports: list[str], home: Path
) -> None:
    del home
    found = check(_HERE, symbols=200, seed=1)
    reports.append(f"complete: {found.complete} of {found.asked} symbols of this repository")
    assert found.wrong == []
    assert found.asked == 200
    assert found.complete > 100  # else the check says little


@pytest.mark.slow
@pytest.mark.parametrize("folder", [path for path in _CORPORA if path.is_dir()], ids=str)
@pytest.mark.timeout(3_600)
def test_nothing_is_missing_in_a_repository(folder: Path, reports: list[str], home: Path) -> None:
    del home
    found = check(folder, symbols=250, seed=1)
    reports.append(f"complete: {folder.name} {found.complete} of {found.asked}")
    assert found.wrong == []
