"""Secrets are found from the whole text; names, separators and lines stay."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecompass.parse.detect import detect_language
from codecompass.store.grams import gram_slots, texts_in
from codecompass.text.masks import SecretStyle, masked_text, show_masks
from codecompass.text.secrets import HINTS, find_secrets, mask_secrets
from tests.text.planted import BODY, KEYS, PLANTED, Planted


def masked(path: str, text: str) -> str:
    raw = text.encode()
    hints = texts_in(gram_slots(raw), HINTS)
    style = detect_language(path, raw).secrets
    return masked_text(raw, find_secrets(raw, style, hints)).decode()


@pytest.mark.parametrize("planted", PLANTED, ids=[planted.kind for planted in PLANTED])
def test_at_most_the_value_is_masked(planted: Planted) -> None:
    before, after = planted.line.split("@@", 1)
    text = f"first line\n{planted.line.replace('@@', planted.secret, 1)}\nlast line\n"
    found = masked(planted.path, text)
    assert len(found) == len(text)
    assert planted.secret not in found
    assert planted.secret[:6] not in found or planted.secret[:6] in planted.line
    if detect_language(planted.path, b"").secrets is SecretStyle.SEALED:
        return  # such a file has nothing to show but names
    lines = found.split("\n")
    assert (lines[0], lines[2]) == ("first line", "last line")
    assert lines[1].startswith(before)
    assert lines[1].endswith(after.lstrip("="))
    assert "masked" in show_masks(lines[1])


@pytest.mark.parametrize("path", KEYS)
def test_the_body_of_a_private_key_is_masked(path: str) -> None:
    found = masked(path, KEYS[path])
    assert not [line for line in BODY if line[:16] in found]
    assert found.count("\n") == KEYS[path].count("\n")
    if "BEGIN" in KEYS[path]:
        assert "PRIVATE KEY" in found


def test_names_of_secret_files_stay() -> None:
    text = "# staging\nexport DB_PASSWORD=one two\nHOST=h.example\n\n[section]\n"
    found = show_masks(masked(".env", text))
    assert found.split("\n")[1] == "export DB_PASSWORD=masked"
    assert found.split("\n")[2:] == ["HOST=masked", "", "[section]", ""]


@pytest.mark.parametrize(
    "line",
    [
        'password = getpass("Password: ")',
        "password = os.environ['DB_PASSWORD']",
        'password: str = "", second = 1',
        "self.password = password",
        'label = "Password"',
        'help="Enter your password"',
        "password: ${DB_PASSWORD}",
        "password: {{ vault.password }}",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        'token = "identifier"',
        "secret: true",
        "passwordField: email",
        "password: string",
        "const TOKEN = Symbol('TOKEN');",
        'throw new Error("password: invalid")',
        "see https://example.org/a?b=c#d",
        "    def api_key(self): ...",
        "sk-short",
        'BEGIN = "-----BEGIN PRIVATE KEY-----"\nEND = "-----END PRIVATE KEY-----"',
    ],
)
@pytest.mark.parametrize("path", ["a.py", "a.yml", "a.md"])
def test_code_is_left_alone(path: str, line: str) -> None:
    assert masked(path, line + "\n") == line + "\n"


@given(st.text(max_size=400), st.sampled_from(list(SecretStyle)))
def test_any_text_keeps_its_length_and_lines(text: str, style: SecretStyle) -> None:
    raw = text.encode("utf-8", "ignore")
    found = find_secrets(raw, style)
    hidden = masked_text(raw, found)
    assert len(hidden) == len(raw)
    assert hidden.count(b"\n") == raw.count(b"\n")
    assert all(one.end < other.start for one, other in pairwise(found))


@pytest.mark.parametrize("planted", PLANTED[:30], ids=[planted.kind for planted in PLANTED[:30]])
def test_what_a_text_may_hold_changes_nothing(planted: Planted) -> None:
    """The filter of grams leaves no secret out."""
    raw = planted.line.replace("@@", planted.secret, 1).encode()
    style = detect_language(planted.path, raw).secrets
    assert find_secrets(raw, style, texts_in(gram_slots(raw), HINTS)) == find_secrets(raw, style)


def test_a_text_of_unknown_origin_is_masked_for_showing() -> None:
    assert mask_secrets('password = "hunter2hunter2"') == 'password = "masked"'
    assert mask_secrets("masked______ and masked_array") == "masked and masked_array"
