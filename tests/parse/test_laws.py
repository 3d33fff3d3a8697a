"""The laws of extraction over case files, generated text and hostile input."""

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.parse.detect import detect_language
from codecompass.parse.extract import extract
from codecompass.parse.language import Language
from codecompass.parse.languages import BY_NAME, LANGUAGES
from tests.parse.laws import check_laws
from tests.parse.rendering import MARK
from tests.parse.test_cases import CASES, FILES

SOURCES = {
    str(path.relative_to(CASES)): path.read_text("utf-8").partition(MARK)[0].encode()
    for path in FILES
}
FULL_SUPPORT = [language for language in LANGUAGES if language.grammar and language.has_references]


def language_of(case: str) -> Language:
    return detect_language(case.removesuffix(".case"), SOURCES[case])


@pytest.mark.parametrize("case", SOURCES)
def test_every_case_obeys_the_laws(case: str) -> None:
    check_laws(case, language_of(case), SOURCES[case])


@settings(max_examples=150)
@given(
    case=st.sampled_from(sorted(SOURCES)),
    cut=st.floats(0, 1),
    junk=st.text(alphabet="(){}[]<>\"'`;:,.#/\\ \n\t@=*é𝔘", max_size=12),
    turn=st.booleans(),
)
def test_mangled_source_obeys_the_laws(case: str, cut: float, junk: str, turn: bool) -> None:
    """Whatever is cut out of a file or thrown into it, nothing crashes and no line is lost."""
    source = SOURCES[case]
    at = int(len(source) * cut)
    head, tail = source[:at], source[at:]
    mangled = tail + junk.encode() + head if turn else head + junk.encode() + tail[len(junk) :]
    text = mangled.decode("utf-8", "ignore").encode()
    check_laws(case, language_of(case), text)


@settings(max_examples=60)
@given(language=st.sampled_from(LANGUAGES), text=st.text(max_size=300))
def test_any_text_in_any_language_obeys_the_laws(language: Language, text: str) -> None:
    check_laws("any", language, text.encode("utf-8", "replace"))


@pytest.mark.parametrize("language", FULL_SUPPORT, ids=lambda language: language.name)
def test_every_language_has_enough_cases(language: Language) -> None:
    own = [case for case in SOURCES if language_of(case).name == language.name]
    assert len(own) >= (2 if language.name == "tsx" else 3 if language.name == "javascript" else 7)


@pytest.mark.parametrize("language", FULL_SUPPORT, ids=lambda language: language.name)
def test_broken_syntax_is_marked_and_extracted_around(language: Language) -> None:
    suffix = language.suffixes[0]
    case = next(case for case in SOURCES if language_of(case).name == language.name)
    text = SOURCES[case] + b"\n\x01)))(((}}}{{{ <<< \x02\n"
    facts, _ = check_laws(f"x{suffix}", language, text)
    assert facts.symbols


HOSTILE = {
    "crlf": b"def a():\r\n\treturn 1\r\n\r\nclass B:\r\n\tdef c(self): ...\r\n",
    "tabs": b"class A:\n\tdef b(self):\n\t\treturn 1\n",
    "nul": b"def a(): ...\n\x00\ndef b(): ...\n",
    "emoji": "def 名前(): ...\nx = '😀'\n".encode(),
    "blank": b"\n\n   \n",
    "nothing": b"",
    "no final line break": b"def a(): ...",
    "form feed": b"def a(): ...\n\x0c\ndef b(): ...\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_python(name: str) -> None:
    facts, _ = check_laws("x.py", BY_NAME["python"], HOSTILE[name])
    defined = HOSTILE[name].count(b"def ") + HOSTILE[name].count(b"class ")
    functions = [s for s in facts.symbols if s.kind in {"function", "method", "class"}]
    assert len(functions) == defined


def test_a_class_of_six_thousand_lines() -> None:
    methods = "".join(f"    def m{i}(self):\n        return {i}\n\n" for i in range(2000))
    facts, chunks = check_laws("x.py", BY_NAME["python"], f"class Big:\n{methods}".encode())
    assert len(facts.symbols) == 2001
    assert "return 1999" not in chunks[0].text
    assert "def m1999(self)" in chunks[0].text


def test_a_function_of_two_thousand_lines() -> None:
    body = "".join(f"    x{i} = call{i}(x)\n" for i in range(2000))
    facts, _ = check_laws("x.py", BY_NAME["python"], f"def big(x):\n{body}".encode())
    assert [s.name for s in facts.symbols] == ["big"]
    assert facts.symbols[0].span.end_line == 2001


@pytest.mark.parametrize(
    ("language", "opening", "closing"),
    [
        ("python", "".join(f"{' ' * i}def f{i}():\n" for i in range(200)) + " " * 200 + "x", ""),
        ("javascript", "function f() {" * 200, "}" * 200),
        ("typescript", "namespace n {" * 200, "}" * 200),
        ("java", "class A {" * 200, "}" * 200),
        ("c", "int f() {" + "{" * 200, "}" * 201),
        ("go", "package p\nfunc f() {" + "if x {" * 200, "}" * 201),
        ("json", '{"a":' * 200 + "1", "}" * 200),
        ("html", "<div id='x'>" * 200, "</div>" * 200),
    ],
)
def test_two_hundred_levels_deep(language: str, opening: str, closing: str) -> None:
    check_laws("deep", BY_NAME[language], (opening + closing + "\n").encode())


def test_one_line_of_five_megabytes_does_not_crash() -> None:
    """The indexer skips such a file; extraction must survive it all the same."""
    text = b"x=" + b"1+" * 2_500_000 + b"1\n"
    facts = extract(BY_NAME["text"], text)
    assert facts.line_count == 1
    assert extract(BY_NAME["json"], b"[" + b"1," * 100_000 + b"1]").line_count == 1


def test_a_grammar_that_is_not_installed_leaves_line_windows() -> None:
    """Not every wheel exists for every platform; no line may be lost for that."""
    absent = replace(BY_NAME["python"], grammar=("tree_sitter_not_installed", "language"))
    facts = extract(absent, b"def one(): ...\n" * 50)
    assert facts.is_windowed
    assert facts.line_count == 50
    assert facts.symbols[-1].span.end_line == 50


def test_ids_are_the_same_in_another_process() -> None:
    case = "python/classes.py.case"
    code = (
        "import sys\n"
        "from codecompass.parse.extract import extract\n"
        "from codecompass.parse.languages import BY_NAME\n"
        "facts = extract(BY_NAME['python'], sys.stdin.buffer.read())\n"
        "print([symbol.stable_id for symbol in facts.symbols])\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], input=SOURCES[case], capture_output=True, check=True
    )
    here = [symbol.stable_id for symbol in extract(BY_NAME["python"], SOURCES[case]).symbols]
    assert said.stdout.decode().strip() == str(here)


def test_a_moved_symbol_keeps_its_id_and_a_changed_signature_does_not() -> None:
    def stable_id(text: str) -> str:
        return extract(BY_NAME["python"], text.encode()).symbols[-1].stable_id

    assert stable_id("def f(a): ...\n") == stable_id("\n\n\nx = 1\ndef f(a): return 2\n")
    assert stable_id("def f(a): ...\n") != stable_id("def f(a, b): ...\n")
