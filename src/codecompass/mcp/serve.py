"""What the command line says in, a running server out."""

import argparse
import os
from typing import TYPE_CHECKING

from codecompass import __version__
from codecompass.errors import BadInput
from codecompass.mcp.protocol import ServerFacts
from codecompass.mcp.tools import SETS, chosen_tools, listed
from codecompass.source.program import trust_no_folder

if TYPE_CHECKING:
    from codecompass.mcp.calls import Calls

PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"


def run_serve_mcp(parsed: argparse.Namespace) -> int:
    """Serve agents until they go."""
    trust_no_folder()
    if parsed.auto_workspace and not parsed.allowed_root:
        raise BadInput(
            "--auto-workspace: needs an --allowed-root",
            remediation="name the folders below which workspaces may be found",
        )
    facts = server_facts(parsed.tools)
    if parsed.transport == "http":
        from codecompass.mcp.http import serve_http  # the SDK: heavy, and an extra

        return serve_http(facts, _open_calls(parsed), parsed)
    from codecompass.mcp.stdio import StdioServer  # not needed over HTTP

    return StdioServer(facts, lambda: _open_calls(parsed)).run()


def server_facts(names: str) -> ServerFacts:
    """What clients are told; a named choice is listed in full."""
    try:
        tools = chosen_tools(names)
    except ValueError as error:
        raise BadInput(str(error)) from error
    entries = listed(tools.values(), is_short=names == SETS[0])
    return ServerFacts(__version__, tools, entries)


def _open_calls(parsed: argparse.Namespace) -> "Calls":
    from codecompass.mcp.calls import Calls, ServeOptions  # the engine: heavy
    from codecompass.mcp.guard import is_loopback

    project = os.environ.get(PROJECT_VARIABLE, "")
    return Calls(
        ServeOptions(
            workspaces=parsed.workspace or ([project] if project else []),
            allowed_roots=parsed.allowed_root,
            is_auto=parsed.auto_workspace,
            is_prewarmed=not parsed.no_prewarm,
            transport=parsed.transport,
            is_local=parsed.transport == "stdio" or is_loopback(parsed.host),
        )
    )
