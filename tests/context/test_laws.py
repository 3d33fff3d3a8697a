"""What holds of every snapshot: it parses, shows its target, and is made of the file's lines."""

from pathlib import Path

import pytest

from codecompass.model.context import CodeFile, CodeSyntax, Snapshot
from codecompass.parse.detect import detect_language
from codecompass.parse.extract import extract
from codecompass.present.snapshot import make_snapshot
from tests.parse.rendering import MARK

CASES = Path(__file__).parent.parent / "parse" / "cases"
FILES = sorted(CASES.rglob("*.case"))
# The grammar says that this text is right, and parts of it are not.
UNSURE = {"scala", "haskell", "json", "yaml", "toml", "html", "css", "sql"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_laws(path: Path) -> None:
    source = path.read_text("utf-8").partition(MARK)[0]
    language = detect_language(path.stem, source.encode())
    facts = extract(language, source.encode())
    syntax = CodeSyntax(
        language.comment, language.quotes, language.is_never_empty, language.opening
    )
    file = CodeFile(path.stem, source, facts.symbols, facts.imports, syntax, None)
    lines = source.split("\n")
    for record in facts.symbols:
        if record.name.startswith("#"):
            continue  # half of a pair of directives
        found = make_snapshot(file, {record.ordinal})
        assert _numbers(found)[0] >= 1
        shown = [line for line in found.text.rstrip("\n").split("\n")[1:] if line.strip()]
        told = [lines[number - 1] for number in _numbers(found)]
        assert shown == [line for line in told if line.strip()] or "[masked]" in found.text
        assert set(range(record.span.start_line, record.span.end_line + 1)) <= {*_numbers(found)}
        if not facts.has_errors and language.name not in UNSURE:
            again = extract(language, found.text.encode())
            assert not again.has_errors, f"{record.qualified_name}\n{found.text}"


def _numbers(snapshot: Snapshot) -> list[int]:
    return [n for first, last in snapshot.ranges for n in range(first, last + 1)]
