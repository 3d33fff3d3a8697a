"""One frame of JSON-RPC in, what is to be done out: pure, without state, for both eras.

Clients of 2026 open with `server/discover` and name the version in every request; earlier
ones shake hands by `initialize`. Either may come at any time on one connection: a client
may try the one, lose patience and go on with the other.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from codecompass.mcp.tools import INSTRUCTIONS, SERVER_NAME, Tool

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18")
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = (
    -32700, -32600, -32601, -32602, -32603,
)  # fmt: skip
UNSUPPORTED_VERSION = -32022
MAX_FRAME_BYTES = 4 * 1024 * 1024
_PREFIX = "io.modelcontextprotocol/"
_VERSION_KEY, _CAPABILITIES_KEY = f"{_PREFIX}protocolVersion", f"{_PREFIX}clientCapabilities"
_SERVER_KEY = f"{_PREFIX}serverInfo"
EMPTY_LISTS = {
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
LIST_TTL_MS = 300_000  # the list does not change while a server runs
Id = str | int
Message = dict[str, Any]


class ServerFacts(NamedTuple):
    """What a client is told about this server."""

    version: str
    tools: Mapping[str, Tool]
    listed: list[dict[str, Any]]


class Reply(NamedTuple):
    """An answer that is ready."""

    message: Message
    is_list: bool = False  # with it a client knows all it needs to begin


class ToolCall(NamedTuple):
    """A call that takes work."""

    id: Id
    tool: Tool
    arguments: Mapping[str, object]
    is_modern: bool
    progress_token: Id | None
    client: str  # its name, if it says so


class Cancel(NamedTuple):
    """A call is not wanted any more."""

    id: Id


class _Refused(Exception):
    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def read_frame(frame: bytes, facts: ServerFacts) -> Reply | ToolCall | Cancel | None:
    """What a frame asks for; None if it wants nothing."""
    if len(frame) > MAX_FRAME_BYTES:
        return Reply(too_large())
    try:
        message = json.loads(frame, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return Reply(error_message(None, PARSE_ERROR, "Parse error: a frame is one line of JSON"))
    identity = _identity(message)
    try:
        return _read(message, identity, facts)
    except _Refused as refused:
        return Reply(error_message(identity, refused.code, refused.message, refused.data))


def too_large() -> Message:
    """What is said of a frame that nobody reads."""
    most = f"{MAX_FRAME_BYTES:,} bytes"
    return error_message(None, INVALID_REQUEST, f"Invalid request: a frame holds at most {most}")


def error_message(identity: Id | None, code: int, text: str, data: object = None) -> Message:
    """A protocol error."""
    error: Message = {"code": code, "message": text}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": identity, "error": error}


def result_message(
    call: ToolCall, content: list[dict[str, Any]], facts: ServerFacts, *, is_error: bool
) -> Message:
    """The answer to a call of a tool."""
    result: Message = {"content": content, "isError": is_error}
    return _answer(call.id, result, facts, is_modern=call.is_modern)


def progress_message(token: Id, done: float, total: float, text: str) -> Message:
    """How far a call is."""
    params = {"progressToken": token, "progress": done, "total": total, "message": text}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def _read(
    message: object, identity: Id | None, facts: ServerFacts
) -> Reply | ToolCall | Cancel | None:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise _Refused(INVALID_REQUEST, 'Invalid request: an object with "jsonrpc": "2.0"')
    method, params = message.get("method"), message.get("params", {})
    if method is None and ("result" in message or "error" in message):
        return None  # we ask nothing, so this answers nothing
    if not isinstance(method, str):
        raise _Refused(INVALID_REQUEST, "Invalid request: method is a text")
    if "id" not in message:
        return _notification(method, params)
    if identity is None:
        raise _Refused(INVALID_REQUEST, "Invalid request: id is a text or a whole number")
    if not isinstance(params, dict):
        raise _Refused(INVALID_PARAMS, "Invalid params: an object")
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise _Refused(INVALID_PARAMS, "Invalid params: _meta is an object")
    is_modern = method == "server/discover" or _VERSION_KEY in meta
    if is_modern:
        _check_envelope(meta)
    return _request(method, params, identity, facts, is_modern=is_modern)


def _notification(method: str, params: object) -> Cancel | None:
    if method != "notifications/cancelled" or not isinstance(params, dict):
        return None
    wanted = _as_id(params.get("requestId"))
    return Cancel(wanted) if wanted is not None else None


def _check_envelope(meta: Mapping[str, object]) -> None:
    missing = [key for key in (_VERSION_KEY, _CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise _Refused(INVALID_PARAMS, f"Invalid params: _meta lacks {', '.join(missing)}")
    version = meta[_VERSION_KEY]
    if not isinstance(version, str):
        raise _Refused(INVALID_PARAMS, f"Invalid params: {_VERSION_KEY} is a text")
    if not isinstance(meta[_CAPABILITIES_KEY], dict):
        raise _Refused(INVALID_PARAMS, f"Invalid params: {_CAPABILITIES_KEY} is an object")
    if version != MODERN:
        supported = {"supported": [MODERN], "requested": version}
        raise _Refused(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)


def _request(
    method: str, params: Message, identity: Id, facts: ServerFacts, *, is_modern: bool
) -> Reply | ToolCall:
    if method == "tools/call":
        return _tool_call(params, identity, facts, is_modern=is_modern)
    if method == "tools/list":
        if params.get("cursor") is not None:
            raise _Refused(INVALID_PARAMS, "Invalid params: cursor: the list has one page")
        result: Message = {"tools": facts.listed}
        if is_modern:
            result |= {"ttlMs": LIST_TTL_MS, "cacheScope": "private"}
        return Reply(_answer(identity, result, facts, is_modern=is_modern), is_list=True)
    if method in EMPTY_LISTS:  # not offered, but a client that asks gets a straight answer
        nothing: Message = {EMPTY_LISTS[method]: []}
        if is_modern:
            nothing |= {"ttlMs": LIST_TTL_MS, "cacheScope": "private"}
        return Reply(_answer(identity, nothing, facts, is_modern=is_modern))
    if method == "server/discover":
        return Reply(_answer(identity, _discovered(), facts, is_modern=True))
    if method == "initialize" and not is_modern:
        return Reply(_answer(identity, _initialized(params, facts), facts, is_modern=False))
    if method == "ping" and not is_modern:
        return Reply(_answer(identity, {}, facts, is_modern=False))
    raise _Refused(NO_METHOD, f"Method not found: {method[:100]}")


def _discovered() -> Message:
    return {
        "supportedVersions": [MODERN],
        "capabilities": {"tools": {}},
        "instructions": INSTRUCTIONS,
        "ttlMs": LIST_TTL_MS,
        "cacheScope": "private",
    }


def _initialized(params: Message, facts: ServerFacts) -> Message:
    wanted = params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise _Refused(INVALID_PARAMS, "Invalid params: protocolVersion is a text")
    return {
        "protocolVersion": wanted if wanted in LEGACY else LEGACY[0],
        "capabilities": {"tools": {}},
        "serverInfo": _server(facts),
        "instructions": INSTRUCTIONS,
    }


def _tool_call(params: Message, identity: Id, facts: ServerFacts, *, is_modern: bool) -> ToolCall:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise _Refused(INVALID_PARAMS, "Invalid params: name is a text")
    if arguments is not None and not isinstance(arguments, dict):
        raise _Refused(INVALID_PARAMS, "Invalid params: arguments is an object")
    tool = facts.tools.get(name)
    if tool is None:
        known = ", ".join(facts.tools)
        raise _Refused(INVALID_PARAMS, f"Unknown tool: {name[:100]}; known: {known}")
    meta = params.get("_meta", {})
    client = meta.get(f"{_PREFIX}clientInfo")
    named = client.get("name") if isinstance(client, dict) else None
    return ToolCall(
        identity,
        tool,
        arguments or {},
        is_modern,
        _as_id(meta.get("progressToken")),
        named[:60] if isinstance(named, str) else "",
    )


def _answer(identity: Id, result: Message, facts: ServerFacts, *, is_modern: bool) -> Message:
    if is_modern:
        result = {**result, "resultType": "complete", "_meta": {_SERVER_KEY: _server(facts)}}
    return {"jsonrpc": "2.0", "id": identity, "result": result}


def _server(facts: ServerFacts) -> dict[str, str]:
    return {"name": SERVER_NAME, "version": facts.version}


def _identity(message: object) -> Id | None:
    return _as_id(message.get("id")) if isinstance(message, dict) else None


def _as_id(value: object) -> Id | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
