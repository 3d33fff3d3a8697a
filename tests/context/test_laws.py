"""What holds of every snapshot: it parses, shows its target, and is made of the file's lines."""

from pathlib import Path

import pytest

from codecompass import present
from codecompass.engine.code_files import code_file
from codecompass.engine.engine import Engine
from codecompass.model.context import CodeFile, CodeSyntax, Snapshot
from codecompass.model.symbol import Symbol
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
        assert shown == [line for line in told if line.strip()] or "masked" in found.text
        assert set(range(record.span.start_line, record.span.end_line + 1)) <= {*_numbers(found)}
        if not facts.has_errors and language.name not in UNSURE:
            again = extract(language, found.text.encode())
            assert not again.has_errors, f"{record.qualified_name}\n{found.text}"


def _numbers(snapshot: Snapshot) -> list[int]:
    return [n for first, last in snapshot.ranges for n in range(first, last + 1)]


PYTHON = Path(present.__file__).parent


@pytest.mark.parametrize("name", sorted(path.name for path in PYTHON.glob("[a-z]*.py")))
def test_all_that_is_used_is_shown_and_nothing_else(tmp_path: Path, name: str) -> None:
    """Every definition of our own `present/`, resolved for real."""
    for path in PYTHON.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    with Engine.open(tmp_path) as engine, engine._views.open(None, lambda *_: None) as view:
        file = code_file(view, name)
    assert file is not None
    assert file.own_uses is not None
    records = {record.ordinal: record for record in file.records}
    for target in file.records:
        shown = {*_numbers(make_snapshot(file, {target.ordinal}))}
        used = _used(file, target)
        for ordinal in used:
            assert records[ordinal].span.start_line in shown, (target.name, records[ordinal].name)
        seen, pending = {target.ordinal}, [target]
        while pending:
            record = pending.pop()
            seen.add(record.ordinal)
            pending += [records[o] for o in _used(file, record) if o not in seen]
        reached = {line for ordinal in seen for line in _lines(records[ordinal])}
        for record in file.records:
            if record.parent is None and not record.is_statement and _lines(record) <= shown:
                assert _lines(record) & reached, f"{record.name} is shown for {target.name}"


def _lines(record: Symbol) -> set[int]:
    return set(range(record.span.start_line, record.span.end_line + 1))


def _used(file: CodeFile, record: Symbol) -> set[int]:
    span = record.span
    uses = file.own_uses or ()
    return {use.target for use in uses if span.start_byte <= use.start < span.end_byte}
