"""The text by which a chunk's meaning is found."""

import pytest

from codecompass.chunk.build import build_chunks
from codecompass.chunk.embed_text import MAX_TOKENS, embedding_text, first_paragraph
from codecompass.parse.extract import extract
from codecompass.parse.languages import BY_NAME
from codecompass.text.tokens import estimate_tokens

SOURCE = b"""import jwt from 'jsonwebtoken';
import { JwtPayload } from '../models/auth';
import { unused } from './unused';

export class TokenService {
  private secret: string;

  /**
   * Validates a token.
   *
   * More detail.
   */
  async validate(token: string): Promise<JwtPayload | null> {
    return jwt.verify(token, this.secret);
  }
}
"""


def test_the_preamble_says_what_a_reader_wants_to_know() -> None:
    facts = extract(BY_NAME["typescript"], SOURCE, with_reads=True)
    chunks = build_chunks("src/token.ts", SOURCE, facts)
    method = next(chunk for chunk in chunks if chunk.name == "validate")
    text = embedding_text("TypeScript", method, ["JwtPayload: interface JwtPayload"])
    assert text.split("---\n")[0] == (
        "[TypeScript] src/token.ts > TokenService > validate\n"
        "Purpose: Validates a token.\n"
        "Signature: async validate(token: string): Promise<JwtPayload | null>\n"
        "Dependencies: jsonwebtoken, ../models/auth\n"
        "Defines: method validate\n"
        "Referenced symbols:\n"
        "- JwtPayload: interface JwtPayload\n"
    )
    assert "jwt.verify" in text


def test_a_parent_shows_signatures_and_no_bodies() -> None:
    facts = extract(BY_NAME["typescript"], SOURCE, with_reads=True)
    parent = build_chunks("src/token.ts", SOURCE, facts)[3]
    assert parent.definitions == "class TokenService, property secret, method validate"
    assert "async validate(token: string)" in parent.text
    assert "jwt.verify" not in parent.text
    assert "jwt.verify" in parent.full_source
    assert [item.name for item in parent.relevant_imports] == ["JwtPayload"]


def test_a_chunk_of_data_is_cut_to_what_models_take() -> None:
    text = b"DATA = [" + b"'some words to fill it', " * 20_000 + b"]\n"
    chunk = build_chunks("x.py", text, extract(BY_NAME["python"], text))[0]
    assert estimate_tokens(embedding_text("Python", chunk)) <= MAX_TOKENS
    assert chunk.full_source.encode() in text


@pytest.mark.parametrize(
    ("doc", "paragraph"),
    [
        ('"""One line."""', "One line."),
        ("'''\n    First\n    line.\n\n    Second.\n    '''", "First line."),
        ("/** Does it.\n * Twice.\n *\n * @return x */", "Does it. Twice."),
        ("/// One.\n/// Two.", "One. Two."),
        ("# One.\n#\n# Two.", "One."),
        ("-- | Adds one.", "Adds one."),
        ("", ""),
    ],
)
def test_first_paragraph(doc: str, paragraph: str) -> None:
    assert first_paragraph(doc) == paragraph
