"""Frames in, what is to be done out: both eras, and whatever else may come over the wire."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from codecompass.mcp.protocol import (
    MAX_FRAME_BYTES,
    Cancel,
    Reply,
    ServerFacts,
    ToolCall,
    read_frame,
)
from codecompass.mcp.serve import server_facts
from tests.mcp.client import MODERN

FACTS: ServerFacts = server_facts("core")


def read(**message: Any) -> Reply | ToolCall | Cancel | None:
    return read_frame(json.dumps({"jsonrpc": "2.0", **message}).encode(), FACTS)


def reply(**message: Any) -> dict[str, Any]:
    found = read(**message)
    assert isinstance(found, Reply)
    return found.message


def error(**message: Any) -> tuple[int, str]:
    found = reply(**message)["error"]
    return found["code"], found["message"]


def test_modern_clients_discover() -> None:
    result = reply(id=1, method="server/discover", params={"_meta": MODERN})["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["capabilities"] == {"tools": {}}
    assert result["instructions"]
    assert result["resultType"] == "complete"
    assert isinstance(result["ttlMs"], int)
    server = result["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert server["name"] == "codecompass"


def test_legacy_clients_shake_hands() -> None:
    def version(wanted: str) -> str:
        params = {"protocolVersion": wanted, "capabilities": {}, "clientInfo": {}}
        result = reply(id="a", method="initialize", params=params)["result"]
        assert "resultType" not in result
        assert result["serverInfo"]["name"] == "codecompass"
        found: str = result["protocolVersion"]
        return found

    assert version("2025-06-18") == "2025-06-18"
    assert version("2025-11-25") == "2025-11-25"
    assert version("1999-01-01") == "2025-11-25"


def test_tools_are_listed_in_both_eras() -> None:
    modern = reply(id=1, method="tools/list", params={"_meta": MODERN})["result"]
    legacy = reply(id=1, method="tools/list")["result"]
    assert modern["tools"] == legacy["tools"] == FACTS.listed
    assert set(legacy) == {"tools"}
    assert {"ttlMs", "cacheScope", "resultType"} < set(modern)
    assert error(id=1, method="tools/list", params={"cursor": "x"})[0] == -32602


def test_ping_is_of_the_legacy_era() -> None:
    assert reply(id=1, method="ping")["result"] == {}
    assert error(id=1, method="ping", params={"_meta": MODERN})[0] == -32601


def test_what_is_not_offered_is_empty() -> None:
    for method, key in (("resources/list", "resources"), ("prompts/list", "prompts")):
        assert reply(id=1, method=method)["result"] == {key: []}
    assert error(id=1, method="resources/read", params={"uri": "x"})[0] == -32601


def test_another_version_is_refused_with_those_that_work() -> None:
    meta = {**MODERN, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    found = reply(id=1, method="tools/list", params={"_meta": meta})["error"]
    assert found["code"] == -32022
    assert found["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}


def test_an_envelope_must_be_whole() -> None:
    for key in MODERN:
        meta = {name: value for name, value in MODERN.items() if name != key}
        assert error(id=1, method="server/discover", params={"_meta": meta})[0] == -32602
    assert error(id=1, method="server/discover")[0] == -32602


def test_calls() -> None:
    call = read(
        id=7,
        method="tools/call",
        params={
            "name": "search_code",
            "arguments": {"query": "x"},
            "_meta": {**MODERN, "progressToken": "step"},
        },
    )
    assert isinstance(call, ToolCall)
    assert (call.id, call.tool.name, call.arguments) == (7, "search_code", {"query": "x"})
    assert call.is_modern
    assert call.progress_token == "step"  # noqa: S105  # no secret


def test_malformed_calls_are_protocol_errors() -> None:
    for params in ({}, {"name": 1}, {"name": "search_code", "arguments": []}, {"name": "nothing"}):
        code, _ = error(id=1, method="tools/call", params=params)
        assert code == -32602
    _, message = error(id=1, method="tools/call", params={"name": "grep"})
    assert "known: search_code" in message
    # A tool of another set is not there.
    assert error(id=1, method="tools/call", params={"name": "list_refs"})[0] == -32602


def test_malformed_messages() -> None:
    assert error(id=True, method="ping")[0] == -32600
    assert error(id=None, method="ping")[0] == -32600
    assert error(id=1.5, method="ping")[0] == -32600
    assert error(id=1, method=3)[0] == -32600
    assert error(id=1, method="tools/list", params=[1])[0] == -32602
    assert error(id=1, method="tools/list", params={"_meta": 3})[0] == -32602
    for frame in (b"{", b"nonsense", b"[1]", b'"x"', b"NaN", b"[" * 100_000, b"\xff\xfe"):
        found = read_frame(frame, FACTS)
        assert isinstance(found, Reply)
        assert found.message["error"]["code"] in {-32700, -32600}
        assert found.message["id"] is None
    large = read_frame(b" " * (MAX_FRAME_BYTES + 1), FACTS)
    assert isinstance(large, Reply)
    assert large.message["error"]["code"] == -32600


def test_notifications_are_never_answered() -> None:
    assert read(method="notifications/initialized") is None
    assert read(method="notifications/anything", params=[1]) is None
    assert read(method="notifications/cancelled", params={"requestId": [1]}) is None
    assert read(id=3, result={}) is None
    assert read(method="notifications/cancelled", params={"requestId": 4}) == Cancel(4)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
_METHODS = st.sampled_from(
    [
        "initialize",
        "server/discover",
        "tools/list",
        "tools/call",
        "ping",
        "notifications/cancelled",
    ]
)
_PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from([*FACTS.tools, "nothing"]) | _JSON,
        "arguments": _JSON,
        "_meta": st.just(MODERN) | _JSON,
        "protocolVersion": _JSON,
        "cursor": _JSON,
        "requestId": _JSON,
    },
)


@given(st.binary(max_size=200))
def test_any_bytes_have_an_answer(frame: bytes) -> None:
    found = read_frame(frame, FACTS)
    assert found is None or isinstance(found, Reply | Cancel)


@given(_METHODS | _JSON, _PARAMS | _JSON, _JSON)
def test_any_message_has_an_answer(method: object, params: object, identity: object) -> None:
    found = read(method=method, params=params, id=identity)
    if isinstance(found, Reply):
        assert ("error" in found.message) != ("result" in found.message)
        json.dumps(found.message)
