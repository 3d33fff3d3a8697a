"""One case file per construct: source above, `=== symbols` and what it must give below."""

from pathlib import Path

import pytest

from codecompass.parse.detect import detect_language
from codecompass.parse.extract import extract
from tests.parse.rendering import MARK, render_facts

CASES = Path(__file__).parent / "cases"
FILES = sorted(CASES.rglob("*.case"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_case(path: Path, request: pytest.FixtureRequest) -> None:
    source, _, expected = path.read_text("utf-8").partition(MARK)
    text = source.encode()
    facts = extract(detect_language(path.stem, text), text, with_reads=True)
    actual = render_facts(facts)
    if request.config.getoption("--update-golden"):
        path.write_text(source + MARK + actual, "utf-8")
        expected = actual
    assert actual == expected
