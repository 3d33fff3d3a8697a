"""The validation summary is printed by one command and is all green."""

import pytest

from tests.parse.summary import main


def test_the_summary_is_green(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    said = capsys.readouterr().out
    assert " 0 failed" in said
    assert "Coverage: 100 %" in said
    assert "Determinism: yes" in said
