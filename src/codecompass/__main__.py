"""`codecompass` and `python -m codecompass`: where the front ends meet."""

import argparse
import sys

from codecompass.cli.main import main


def run() -> None:
    """Entry point of the installed command."""
    sys.exit(main(sys.argv[1:], {"serve-mcp": _serve_mcp, "watch": _watch}))


def _serve_mcp(parsed: argparse.Namespace) -> int:
    from codecompass.mcp.serve import run_serve_mcp  # answers before the engine is loaded

    return run_serve_mcp(parsed)


def _watch(parsed: argparse.Namespace) -> int:
    from codecompass.daemon.lifecycle import run_watch  # a small process: no engine in it

    return run_watch(parsed)


if __name__ == "__main__":
    run()
