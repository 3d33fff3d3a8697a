"""The same tools over HTTP, by the official SDK; both eras on one endpoint."""

import argparse
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

from codecompass.errors import BadInput
from codecompass.mcp.calls import Calls
from codecompass.mcp.complaints import say
from codecompass.mcp.guard import App, Guard, is_loopback
from codecompass.mcp.protocol import INVALID_PARAMS, LIST_TTL_MS, ServerFacts
from codecompass.mcp.tools import INSTRUCTIONS, SERVER_NAME

try:
    import anyio
    import anyio.from_thread
    import anyio.to_thread
    import uvicorn
    from mcp import types
    from mcp.server.caching import CacheableMethod, CacheHint
    from mcp.server.lowlevel import Server
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.shared.exceptions import MCPError
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route
except ImportError as error:
    raise BadInput(
        "--transport http: needs the extra packages of codecompass[http]",
        remediation="pip install 'codecompass[http]'",
    ) from error

TOKEN_VARIABLE = "CODECOMPASS_TOKEN"  # noqa: S105  # its name, not the token
_CACHED: tuple[CacheableMethod, ...] = (
    "server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list",
)  # fmt: skip
_THREADS = 16
_STOP_S = 2


def serve_http(facts: ServerFacts, calls: Calls, parsed: argparse.Namespace) -> int:
    """Serve until it is stopped."""
    token = os.environ.get(TOKEN_VARIABLE, "")
    if not is_loopback(parsed.host) and not token:
        raise BadInput(
            f"--host: {parsed.host} can be reached by others and needs a token",
            remediation=f"set {TOKEN_VARIABLE} to a long random text",
        )
    if not 0 <= parsed.port <= 65_535:
        raise BadInput(f"--port: given {parsed.port}; allowed: 0 to 65535")
    listener = _listen(parsed.host, parsed.port)
    app = make_app(facts, calls, host=parsed.host, token=token)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_STOP_S)
    server = _Uvicorn(config)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, server.handle_exit)
    host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
    say(f"codecompass: http://{host}:{listener.getsockname()[1]}/mcp\n")
    threading.Thread(target=calls.prewarm, daemon=True).start()
    try:
        server.run(sockets=[listener])
    finally:
        calls.close()
    sys.stderr.flush()
    os._exit(0)  # threads that still work do not keep the process


class _Uvicorn(uvicorn.Server):
    """Signals are ours: one that was obeyed is not raised again."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave the handlers as they are."""
        yield


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadInput(
            f"--port: {host}:{port}: {reason}", remediation="give another --port or --host"
        ) from error


def make_app(facts: ServerFacts, calls: Calls, *, host: str, token: str = "") -> App:
    """The whole app: `/mcp` and `/health` behind one guard."""
    settings = calls.settings.server

    async def health(request: Request) -> JSONResponse:
        del request
        return JSONResponse(await anyio.to_thread.run_sync(partial(_health, calls)))

    app = _server(facts, calls).streamable_http_app(
        host=host,
        max_request_body_size=settings.max_body_bytes,
        # The guard looks at Host and Origin, for every path.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[Route("/health", health, methods=["GET"])],
    )
    return Guard(app, host=host, token=token, max_requests=settings.max_requests)


def _server(facts: ServerFacts, calls: Calls) -> Server[Any]:
    tools = [types.Tool.model_validate(entry) for entry in facts.listed]
    threads = anyio.CapacityLimiter(_THREADS)

    async def list_tools(
        context: Any, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del context
        if params is not None and params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "Invalid params: cursor: the list has one page")
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = facts.tools.get(params.name)
        if tool is None:
            known = ", ".join(facts.tools)
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name[:100]}; known: {known}")
        cancelled = threading.Event()
        work = partial(
            calls.answer,
            tool,
            params.arguments or {},
            tell=_telling(context),
            is_cancelled=cancelled.is_set,
        )
        try:
            content, is_error = await anyio.to_thread.run_sync(
                work, abandon_on_cancel=True, limiter=threads
            )
        except anyio.get_cancelled_exc_class():
            cancelled.set()
            raise
        return types.CallToolResult.model_validate({"content": content, "isError": is_error})

    hint = CacheHint(ttl_ms=LIST_TTL_MS, scope="private")
    return Server(
        SERVER_NAME,
        version=facts.version,
        instructions=INSTRUCTIONS,
        cache_hints=dict.fromkeys(_CACHED, hint),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=_no_resources,
        on_list_resource_templates=_no_templates,
        on_read_resource=_no_resource,
        on_list_prompts=_no_prompts,
    )


async def _no_resources(context: Any, params: Any) -> types.ListResourcesResult:
    del context, params
    return types.ListResourcesResult(resources=[])


async def _no_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    del context, params
    return types.ListResourceTemplatesResult(resource_templates=[])


async def _no_resource(context: Any, params: types.ReadResourceRequestParams) -> Any:
    del context
    raise MCPError(INVALID_PARAMS, "Resource not found", data={"uri": str(params.uri)})


async def _no_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    del context, params
    return types.ListPromptsResult(prompts=[])


def _telling(context: Any) -> Callable[[float, float, str], None] | None:
    """How to tell a caller how far it is, if it asked for that."""
    meta = context.meta or {}
    if meta.get("progress_token") is None:
        return None

    def tell(done: float, total: float, text: str) -> None:
        anyio.from_thread.run(context.session.report_progress, done, total, text)

    return tell


def _health(calls: Calls) -> dict[str, object]:
    """The state of the server, in the form that watchers of services know."""
    found = calls.health()
    return {
        "status": found.status,
        "projects": [
            {
                "project_id": item.path.rpartition("/")[2],
                "repo_root": item.path,
                "index_status": item.status,
                "last_indexed_at": item.published_at,
                "ref": item.ref,
                "file_count": item.files,
            }
            for item in found.workspaces
        ],
        "version": found.version,
        "uptime_seconds": found.uptime_s,
    }
