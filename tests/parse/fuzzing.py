"""Hostile files for a language: nested, truncated, mutated, spliced, random."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from codecompass.config.settings import IndexSettings
from codecompass.indexing.parsers import ParserProcess
from codecompass.indexing.parsing import ParseTask, Wanted
from codecompass.indexing.work import ExtractedFile, WorkItem
from codecompass.model.snapshot import VersionId
from codecompass.parse.language import Language

_BATCH = 12
_PAIRS = (
    ("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"), ("- ", ""), ("? ", ""), ("> ", ""), ("* ", ""),
    ("a: ", ""), ("<a>", "</a>"), ('f"{', '}"'), ("`${", "}`"), ('"#{', '}"'), ("/*", "*/"),
    ("if x:\n", ""), ("begin ", " end"), ("#if A\n", "#endif\n"), ("<<A\n", "A\n"), ("@(", ")"),
    ('r#"', '"#'), ("[=[", "]=]"), ("case x of y -> ", ""), ("a && ", ""), ("fn a() {", "}"),
    ("class A {", "}"), ("def a\n", "end\n"), ("$(call a,", ")"), ("struct{", "}a;"), ("!", ""),
    ("-", ""), ("a.b(", ")"), ("| a ", "|"), ("'''", "'''"), ("x ? ", " : y"), ("\\", "\n"),
)  # fmt: skip
_JUNK = [
    *"(){}[]<>\"'`;:,.#/\\ \n\t@=*&|!?-+$%^~",
    "\r\n", "\0", "\ufeff", "é", "𝔘", "\u202e", "'''", '"""', "/*", "<!--", "]]>", "@", "=>", "::",
]  # fmt: skip


def hostile_texts(
    language: Language, sources: list[bytes], seed: int, *, depth: int
) -> Iterator[bytes]:
    """Texts without end, the same for the same seed."""
    dice = random.Random(f"{language.name}{seed}")  # noqa: S311  # a test's dice
    makers = (_nested, _staircase, _truncated, _mutated, _spliced, _random_bytes)
    while True:
        yield dice.choice(makers)(dice, sources, depth)


def _nested(dice: random.Random, sources: list[bytes], depth: int) -> bytes:
    before, after = dice.choice(_PAIRS)
    count = dice.choice([100, 253, 254, 300, 511, 600, depth])
    tail = after * count if dice.random() < 0.5 else ""
    head = dice.choice(sources)[: dice.choice([0, 200])]
    return head + f"{before * count}x{tail}\n".encode()


def _staircase(dice: random.Random, _sources: list[bytes], _depth: int) -> bytes:
    line = dice.choice(["a:\n", "- a:\n", "if x:\n", "- \n", "? \n", "def f():\n", "x where\n"])
    step = dice.choice([" ", "  ", "\t"])
    count = dice.choice([50, 127, 240, 254, 300, 511])
    return "".join(step * level + line for level in range(count)).encode() + b"x\n"


def _truncated(dice: random.Random, sources: list[bytes], _depth: int) -> bytes:
    source = dice.choice(sources)
    return source[: dice.randrange(len(source) + 1)]


def _mutated(dice: random.Random, sources: list[bytes], _depth: int) -> bytes:
    source = dice.choice(sources)
    for _ in range(dice.randrange(1, 12)):
        at = dice.randrange(len(source) + 1)
        junk = dice.choice(_JUNK).encode() * dice.choice([1, 1, 2, 40])
        source = source[:at] + junk + source[at + dice.choice([0, 1, 5, 30]) :]
    return source


def _spliced(dice: random.Random, sources: list[bytes], _depth: int) -> bytes:
    parts = []
    for _ in range(dice.randrange(2, 6)):
        source = dice.choice(sources)
        start = dice.randrange(len(source) + 1)
        parts.append(source[start : start + dice.randrange(1, 400)])
    return b"".join(parts) * dice.choice([1, 1, 30])


def _random_bytes(dice: random.Random, _sources: list[bytes], _depth: int) -> bytes:
    size = dice.randrange(1, 2_000)
    if dice.random() < 0.5:
        return dice.randbytes(size)
    return "".join(dice.choice(_JUNK) for _ in range(size)).encode()


@dataclass
class Found:
    """What became of the texts."""

    inputs: int = 0
    unanswered: int = 0
    crashes: list[bytes] = field(default_factory=list)  # of the native parser
    slow: list[bytes] = field(default_factory=list)
    faults: dict[str, bytes] = field(default_factory=dict)  # of our own code
    outcomes: Counter[str] = field(default_factory=Counter)


def fuzz(texts: Iterator[bytes], language: Language, folder: Path, seconds: float) -> Found:
    """Have texts extracted for so long, by a process as the product has it."""
    found = Found()
    parser = ParserProcess()
    settings = IndexSettings()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        batch = [next(texts) for _ in range(_BATCH)]
        items = [
            WorkItem(_write(folder, language, number, text), VersionId(number + 1))
            for number, text in enumerate(batch)
        ]
        answers = _answers(parser, items, folder, settings)
        for text, answer in zip(batch, answers, strict=True):
            _note(found, text, answer)
    parser.close()
    return found


def _write(folder: Path, language: Language, number: int, text: bytes) -> str:
    name = f"f{number}{language.suffixes[0]}" if language.suffixes else ""
    path = name or f"f{number}/{language.filenames[0]}"
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_bytes(text)
    return path


def _answers(
    parser: ParserProcess, items: list[WorkItem], folder: Path, settings: IndexSettings
) -> list[ExtractedFile | None]:
    from codecompass.indexing.parsers import answers_to

    task = ParseTask(Wanted.ROWS, str(folder), tuple(items), settings, 300)
    found = answers_to(task, parser, lambda: False)
    by_path = {answer.path: answer for answer in found if isinstance(answer, ExtractedFile)}
    return [by_path.get(item.path) for item in items]


def _note(found: Found, text: bytes, answer: ExtractedFile | None) -> None:
    found.inputs += 1
    if answer is None or (answer.rows is None and answer.skip_reason == "crashed"):
        found.unanswered += 1
        return
    why = answer.rows.failure if answer.rows else f"skipped: {answer.skip_reason}"
    found.outcomes[why] += 1
    if why.startswith("parser crashed"):
        found.crashes.append(text)
    elif why.startswith("parser took"):
        found.slow.append(text)
    elif why and answer.rows and not why.startswith("nested"):
        found.faults[why] = text
