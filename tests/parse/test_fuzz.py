"""Hostile files in every language: each is answered, whatever it does to the parser."""

import os
import random
from pathlib import Path

import pytest

from codecompass.config.settings import IndexSettings
from codecompass.indexing.parsers import Parsers
from codecompass.indexing.work import WorkItem
from codecompass.model.snapshot import VersionId
from codecompass.parse.extract import extract
from codecompass.parse.language import Language
from codecompass.parse.languages import BY_NAME, LANGUAGES
from tests.parse.fuzzing import fuzz, hostile_texts
from tests.parse.test_laws import SOURCES, language_of

GRAMMARS = [language for language in LANGUAGES if language.grammar]
# What the native parsers died of (issue 29); "": they must not any more.
DEADLY = {
    "yaml list": ("a.yaml", "- " * 254 + "x", "nested too deeply"),
    "yaml keys": ("a.yaml", "? " * 300 + "x", "nested too deeply"),
    "yaml staircase": (
        "a.yaml",
        "".join(f"{' ' * level}a:\n" for level in range(254)),
        "nested too deeply",
    ),
    "yaml list of keys": ("a.yaml", "- " * 253 + "a: x", "nested too deeply"),
    "yaml keys and lists": ("a.yaml", "? - " * 127 + "x", "nested too deeply"),
    "yaml stairs of lists": (
        "a.yaml",
        "".join(f"{' ' * (2 * level)}- a:\n" for level in range(127)),
        "nested too deeply",
    ),
    "python staircase": (
        "a.py",
        "".join(f"{' ' * level}if x:\n" for level in range(511)) + " " * 511 + '""',
        "nested too deeply",
    ),
    "python strings in strings": (
        "a.py",
        "".join(f"{' ' * level}if x:\n" for level in range(384)) + " " * 600 + 'f"{' * 255,
        "nested too deeply",
    ),
    "ruby long word": ("a.rb", "<<" + "A" * 1019 + "\n", "parser crashed: SIGSEGV"),
    "ruby strings in strings": ("a.rb", '"#{' * 203 + "<<AAAA\n", "parser crashed: SIGSEGV"),
    "kotlin annotation at the end": ("a.kt", "class A\n@B", ""),
    "kotlin call at the end": ("a.kt", "class A\n@B()", ""),
    "kotlin at sign at the end": ("a.kt", "val r::\n@", ""),
    "swift comments in comments": ("a.swift", "/*/*" * 2_000 + "x", "parser took too long"),
}


@pytest.mark.parametrize("name", DEADLY)
def test_a_file_that_ended_the_parser_is_answered(tmp_path: Path, name: str) -> None:
    path, text, failure = DEADLY[name]
    (tmp_path / path).write_text(text)
    (tmp_path / "next.py").write_text("def fine(): ...\n")
    items = [WorkItem(path, VersionId(1)), WorkItem("next.py", VersionId(2))]
    parsers = Parsers()
    found = [file for batch in parsers.extract(tmp_path, items, IndexSettings()) for file in batch]
    parsers.rest()
    first, second = (file.rows for file in found)
    assert first is not None
    assert second is not None
    assert first.failure.replace("SIGBUS", "SIGSEGV") == failure
    assert (second.failure, second.definitions) == ("", 1)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "type 1=t"),
        ("a.py", "type None=t"),
        ("a.php", "<?{class r{function d({new class{function _(private$e)};{}}"),
        ("a.js", "a && " * 2_000 + "b"),
    ],
)
def test_broken_code_that_extraction_failed_on_is_extracted(path: str, text: str) -> None:
    language = next(item for item in LANGUAGES if f".{path.partition('.')[2]}" in item.suffixes)
    assert extract(language, text.encode()).language == language.name


def test_deep_but_honest_indentation_is_parsed() -> None:
    """Long lines of blanks and of dashes are no levels."""
    picture = b"art: |\n" + b"".join(b" " * (130 + n % 3) + b"x\n" for n in range(400))
    assert not extract(BY_NAME["yaml"], picture).is_windowed
    table = b"# " + b"-" * 300 + b"\nkey: 1\n" + b"-" * 300 + b"\n"
    assert not extract(BY_NAME["yaml"], table).is_windowed
    call = b"f(\n" + b" " * 300 + b"1,\n" + b" " * 200 + b"2)\n"
    assert not extract(BY_NAME["python"], call).is_windowed
    nested = "".join(f"{'  ' * level}- a:\n" for level in range(100)).encode()
    assert not extract(BY_NAME["yaml"], nested).is_windowed


def _fuzz_for(seconds: float, language: Language, folder: Path, reports: list[str]) -> None:
    seed = int(os.environ.get("FUZZ_SEED", random.randrange(10**6)))  # noqa: S311
    own = [SOURCES[case] for case in SOURCES if language_of(case).name == language.name]
    depth = 1_000 if seconds < 30 else 20_000
    texts = hostile_texts(language, own or [b"a\n"], seed, depth=depth)
    found = fuzz(texts, language, folder, seconds)
    line = (
        f"fuzz {language.name}: seed {seed}, {found.inputs} inputs,"
        f" {len(found.crashes)} crashes survived, {len(found.slow)} too slow,"
        f" {len(found.faults)} faults of ours"
    )
    for text in [*found.crashes[:2], *found.slow[:2], *found.faults.values()]:
        line += f"\n  {text[:120]!r} ({len(text)} bytes)"
    for why in found.faults:
        line += f"\n  {why}"
    reports.append(line)
    assert found.inputs > 0
    assert found.unanswered == 0, line


@pytest.mark.timeout(120)
@pytest.mark.parametrize("language", GRAMMARS, ids=lambda language: language.name)
def test_hostile_files_for_five_seconds(
    language: Language, tmp_path: Path, reports: list[str]
) -> None:
    _fuzz_for(5, language, tmp_path, reports)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("language", GRAMMARS, ids=lambda language: language.name)
def test_hostile_files_for_two_minutes(
    language: Language, tmp_path: Path, reports: list[str]
) -> None:
    _fuzz_for(120, language, tmp_path, reports)
