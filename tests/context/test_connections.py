"""Results and what is known of them in, the connection graph out; the exact layout."""

import json
from pathlib import Path
from typing import Any

import pytest

from codecompass.model.context import Connected, Link, Links
from codecompass.present.budget import Form, with_token_count
from codecompass.present.connections import TOKENS, connection_graph
from codecompass.text.tokens import estimate_tokens

CASES = Path(__file__).parent / "graphs"


def links(items: list[str]) -> Links:
    """`name path kind`, and for a name without a path the file of its class."""
    made = []
    for item in items:
        name, path, kind = [*item.split(" "), "", ""][:3]
        made.append(Link((path, hash(name)), name, path, kind or "method"))
    return Links(tuple(made), len(made))


def result(given: dict[str, Any]) -> Connected:
    """A result as a case writes it."""
    path, _, span = given["place"].partition(":")
    first, _, last = span.partition("-")
    groups = ("extends", "implements", "calls", "called_by", "used_by", "types_in", "types_out")
    return Connected(
        key=(path, hash(given["name"])),
        name=given["name"],
        path=path,
        start_line=int(first),
        end_line=int(last or first),
        kind=given["kind"],
        handle="0" * 13,
        score=1.0,
        modifiers=tuple(given.get("modifiers", ())),
        is_exported=given.get("exported"),
        files=given.get("files"),
        signature=given.get("signature", ""),
        members=tuple(given.get("members", ())),
        **{name: links(given.get(name, [])) for name in groups},
    )


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
def test_graph(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    results = [result(item) for item in case["results"]]
    forms = tuple(Form[name.upper()] for name in case.get("forms", ["whole"] * len(results)))
    text, count = with_token_count(connection_graph(case["query"], results, forms, 8000), TOKENS)
    assert text.split("\n") == [line.replace("TOKENS", f"{count:,}") for line in case["expected"]]
    assert count == estimate_tokens(text)
