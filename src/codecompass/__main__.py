"""`codecompass` and `python -m codecompass`: where the front ends meet."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` takes as long to load as Python itself, and a server starts twice
if TYPE_CHECKING:
    import argparse


def run() -> None:
    """Entry point of the installed command."""
    if sys.argv[1:2] == ["serve-mcp"]:
        from codecompass.mcp.allocator import choose_allocator  # before all that takes memory

        choose_allocator()
    from codecompass.cli.main import main

    sys.exit(main(sys.argv[1:], {"serve-mcp": _serve_mcp, "watch": _watch}))


def _serve_mcp(parsed: argparse.Namespace) -> int:
    from codecompass.mcp.serve import run_serve_mcp  # answers before the engine is loaded

    return run_serve_mcp(parsed)


def _watch(parsed: argparse.Namespace) -> int:
    from codecompass.daemon.lifecycle import run_watch  # a small process: no engine in it

    return run_watch(parsed)


if __name__ == "__main__":
    run()
