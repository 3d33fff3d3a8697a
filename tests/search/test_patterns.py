"""Expressions: no line is missed, none is made up, and none takes for ever."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecompass.errors import BadInput, PatternTooSlow
from codecompass.model.snapshot import VersionId
from codecompass.search.line_pattern import compile_expression, compile_literal
from codecompass.store.grams import GramIndex, gram_bits
from codecompass.text.patterns import NOTHING, Needed, needed_by_pattern


def gram_index(rows: list[tuple[VersionId, bytes]]) -> GramIndex:
    index = GramIndex()
    index.add(rows)
    return index


def lines(pattern: str, text: str, flags: str = "") -> list[int]:
    return compile_expression(pattern, flags).matching_lines(text, deadline_s=_soon())


def _soon() -> float:
    return time.monotonic() + 10


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("foobar", Needed(literal=b"foobar")),
        ("FooBar", Needed(literal=b"foobar")),
        ("foo.*bar", Needed(all_of=(Needed(literal=b"foo"), Needed(literal=b"bar")))),
        ("foo|bar", Needed(any_of=(Needed(literal=b"foo"), Needed(literal=b"bar")))),
        ("foo|.", NOTHING),
        ("(foo)?", NOTHING),
        ("ab*c", Needed(all_of=(Needed(literal=b"a"), Needed(literal=b"c")))),
        ("ab+c", Needed(all_of=(Needed(literal=b"ab"), Needed(literal=b"bc")))),
        (r"a\.b", Needed(literal=b"a.b")),
        (r"foo\b_x", Needed(literal=b"foo_x")),
        (r"[abc]def", Needed(literal=b"def")),
        (r"[]x]def", Needed(literal=b"def")),
        (r"x{0,3}yes", Needed(literal=b"yes")),
        (r"(?:abc){2}", Needed(literal=b"abc")),
        (r"(?=abc)def", Needed(literal=b"def")),
        (r"(?!abc)def", Needed(literal=b"def")),
        (r"(?P<n>abc)", Needed(literal=b"abc")),
        (r"(?i)straße", Needed(all_of=(Needed(literal=b"stra"), Needed(literal=b"e")))),
        (r"(?x) a b c", NOTHING),
        (r"\x41bc", Needed(literal=b"abc")),
        (r"\p{Greek}abc", Needed(literal=b"abc")),
        (r"a{b", Needed(literal=b"a{b")),
        (r"\b?foo", Needed(literal=b"foo")),
        (r"^*foo", Needed(literal=b"foo")),
        (r"\pLtanbul", Needed(literal=b"tanbul")),
        (r"(foo)\1bar", Needed(all_of=(Needed(literal=b"foo"), Needed(literal=b"bar")))),
        (r"(?P<n>foo)\g<n>bar", Needed(all_of=(Needed(literal=b"foo"), Needed(literal=b"bar")))),
    ],
)
def test_what_a_pattern_needs(pattern: str, needed: Needed) -> None:
    assert needed_by_pattern(pattern) == needed


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    """Expressions of growing nastiness, all of which both engines understand."""
    if depth == 0:
        return draw(
            st.sampled_from(
                ["a", "b", "ab", "abc", "bca", ".", r"\w", r"\s", "[ab]", "[^a]", r"\.", "é", "S"]
            )
        )
    inner = expressions(depth - 1)
    form = draw(st.sampled_from(["{0}{1}", "{0}|{1}", "(?:{0}){2}", "({0}){1}", "{0}", "^{0}"]))
    repeat = draw(st.sampled_from(["*", "+", "?", "{2}", "{0,1}", "+?", "{1,}"]))
    return form.format(draw(inner), draw(inner), repeat)


TEXTS = st.text(alphabet="abcABCSsé .\nſK", max_size=40)


@given(pattern=expressions(), text=TEXTS, ignore_case=st.booleans())
def test_every_text_that_matches_is_a_candidate(
    pattern: str, text: str, ignore_case: bool
) -> None:
    compiled = compile_expression(pattern, "i" if ignore_case else "")
    index = gram_index([(VersionId(1), gram_bits(text.encode()))])
    if compiled.matching_lines(text, deadline_s=_soon()):
        assert index.candidates(compiled.needed) == [VersionId(1)]


@given(pattern=expressions(), text=TEXTS)
def test_lines_match_as_if_each_stood_alone(pattern: str, text: str) -> None:
    alone = re.compile(pattern, re.MULTILINE)
    rows = text.split("\n")
    if rows and not rows[-1]:
        rows.pop()  # a final line break opens no line
    wanted = [number for number, row in enumerate(rows, 1) if alone.search(row)]
    assert lines(pattern, text) == wanted


def test_a_match_never_spans_two_lines() -> None:
    assert lines(r"foo\s+bar", "foo\nbar\nfoo bar\n") == [3]
    assert lines(r"[^x]+", "a\nb\n") == [1, 2]


def test_words_edges_as_ripgrep_writes_them() -> None:
    assert lines(r"\<cat\>", "cat\nconcat\n") == [1]
    assert lines(r"\b{start}cat", "concat\ncat\n") == [2]


def test_letters_of_other_alphabets_are_letters() -> None:
    assert lines(r"^\w+$", "größe\na-b\n") == [1]


def test_case_is_ignored_on_request_only() -> None:
    assert lines("abc", "ABC\nabc\n") == [2]
    assert lines("abc", "ABC\nabc\n", "i") == [1, 2]
    assert lines("ss", "ß\nSS\n", "i") == [2]


def test_folding_inside_an_expression_goes_letter_by_letter() -> None:
    assert lines("(?i)ss", "ß\nSS\n") == [2]


def test_characters_by_number() -> None:
    assert lines(r"\x{41}bc|\u{1F600}", "Abc\nxyz\n😀\n") == [1, 3]


@pytest.mark.parametrize("pattern", [r"(?R)x$", "foo{e<=1}", "foo{d}", "(?1)"])
def test_what_ripgrep_does_not_know_is_refused(pattern: str) -> None:
    with pytest.raises(BadInput, match="recursion or fuzzy"):
        compile_expression(pattern)


def test_a_literal_is_taken_literally() -> None:
    found = compile_literal("a.b(").matching_lines("a.b(\naxb(\n", deadline_s=_soon())
    assert found == [1]


def test_a_pattern_that_explodes_is_stopped() -> None:
    started = time.monotonic()
    with pytest.raises(PatternTooSlow, match="takes too long"):
        compile_expression(r"^(a|aa)+$").matching_lines("a" * 60 + "!", deadline_s=started + 0.3)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("pattern", ["(", "a)", "[a", "*a", "a{2", r"\p{Nonsense}", "(?P<n"])
def test_a_broken_pattern_is_explained_or_taken_literally(pattern: str) -> None:
    try:
        compile_expression(pattern)
    except BadInput as error:
        assert "query: given the expression" in error.message  # noqa: PT017


def test_an_unknown_flag_is_refused() -> None:
    with pytest.raises(BadInput, match="given the flag 'q'"):
        compile_expression("a", "q")


@given(text=st.binary(max_size=400), start=st.integers(0, 400), length=st.integers(3, 20))
def test_bits_never_deny_a_piece_of_the_text(text: bytes, start: int, length: int) -> None:
    piece = text[start : start + length]
    index = gram_index([(VersionId(7), gram_bits(text))])
    assert index.candidates(Needed(literal=piece.lower())) == [VersionId(7)]


def test_bits_deny_most_other_texts() -> None:
    texts = [f"def function_{n}(argument): return argument * {n}\n".encode() for n in range(500)]
    index = gram_index([(VersionId(n), gram_bits(text)) for n, text in enumerate(texts)])
    assert len(index.candidates(Needed(literal=b"function_123("))) < 10
