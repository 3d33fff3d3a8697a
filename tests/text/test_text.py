"""Small pure functions over text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecompass.text.lines import LineTable
from codecompass.text.secrets import mask_secrets
from codecompass.text.similarity import most_alike
from codecompass.text.tokens import cut_to_tokens, estimate_tokens


@given(st.binary(max_size=200))
def test_every_byte_is_on_its_line(text: bytes) -> None:
    table = LineTable(text)
    for offset in range(len(text)):
        assert table.line_of(offset) == text[:offset].count(b"\n") + 1
    assert table.line_count == len(text.split(b"\n")) - (text.endswith(b"\n") or not text)


@given(st.text(max_size=300), st.integers(0, 50))
def test_a_cut_text_fits(text: str, tokens: int) -> None:
    assert estimate_tokens(cut_to_tokens(text, tokens)) <= tokens


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_texts_are_worth_no_more_than_both(one: str, other: str) -> None:
    whole = estimate_tokens(f"{one}\n{other}")
    assert whole <= estimate_tokens(one) + estimate_tokens(other) + 2
    assert whole >= estimate_tokens(one)


def test_an_estimate_is_near_what_tokenizers_count() -> None:
    code = (
        "def parse_config(path: Path) -> dict[str, str]:\n"
        "    return json.loads(path.read_text())\n"
    )
    counted = (21, 21, 29)  # by cl100k_base, o200k_base and an older one of Claude
    assert max(counted) <= estimate_tokens(code) <= 1.25 * max(counted)


@pytest.mark.parametrize(
    "secret",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        'password = "correct-horse-battery"',
        "-----BEGIN RSA PRIVATE KEY-----\nabcdefgh\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_secrets_are_masked(secret: str) -> None:
    masked = mask_secrets(f"before {secret} after")
    assert "masked" in masked
    assert masked.startswith("before ")
    assert masked.endswith(" after")


@pytest.mark.parametrize("harmless", ["password = get()", "def api_key(self): ...", "sk-short"])
def test_code_is_left_alone(harmless: str) -> None:
    assert mask_secrets(harmless) == harmless


def test_the_most_alike_come_first() -> None:
    names = ["parse_query", "parse_queries", "render", "query"]
    assert most_alike("parse_querys", names, limit=2) == ["parse_query", "parse_queries"]
