"""The laws over real code: the standard library, and repositories named in CODECOMPASS_CORPORA.

`CODECOMPASS_CORPORA=/path/one:/path/two pytest -m slow`
"""

import os
import sysconfig
from collections import Counter
from pathlib import Path

import pytest

from codecompass.parse.detect import detect_language
from codecompass.source.read import decode_text
from codecompass.source.walk import list_workspace
from tests.parse.laws import check_laws

# Read before the fixtures clear our variables.
CORPORA = [
    Path(item) for item in os.environ.get("CODECOMPASS_CORPORA", "").split(os.pathsep) if item
]
_MAX_BYTES = 1_048_576


def check_all(files: list[Path]) -> Counter[str]:
    checked: Counter[str] = Counter()
    for path in files:
        raw = path.read_bytes()
        text = decode_text(raw) if len(raw) <= _MAX_BYTES else None
        if text is None or max(map(len, text.split(b"\n"))) > 20_000:
            continue
        language = detect_language(path.name, text)
        facts, _ = check_laws(str(path), language, text)
        checked[language.name] += 1
        checked["symbols"] += len(facts.symbols)
    return checked


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_the_standard_library_obeys_the_laws(capsys: pytest.CaptureFixture[str]) -> None:
    library = Path(sysconfig.get_path("stdlib"))
    files = [path for path in sorted(library.rglob("*.py")) if "site-packages" not in path.parts]
    checked = check_all(files)
    with capsys.disabled():
        print(f"\nstandard library: {dict(checked)}")
    assert checked["python"] > 500


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("root", CORPORA, ids=lambda path: path.name)
def test_a_repository_obeys_the_laws(
    root: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [root / file.path for file in list_workspace(root.resolve(), home).files]
    checked = check_all(files)
    with capsys.disabled():
        print(f"\n{root.name}: {dict(checked)}")
    assert sum(checked.values()) > 0
