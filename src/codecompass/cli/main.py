"""The `codecompass` command: arguments in, one engine call, the answer printed."""

import argparse
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from codecompass.cli.arguments import build_parser
from codecompass.errors import (
    ArchiveRefused,
    BadInput,
    CodeCompassError,
    ConfigInvalid,
    FileNotIndexed,
    IndexIncompatible,
    IndexMissing,
    WorkspaceMissing,
    WorkspaceUnreadable,
)

ANSWERED, NOTHING_FOUND, BAD_USAGE, NO_INDEX, INTERNAL = 0, 1, 2, 3, 4
Server = Callable[[argparse.Namespace], int]
_INTERRUPTED = 128 + signal.SIGINT
_USAGE_ERRORS = (ArchiveRefused, BadInput, ConfigInvalid, WorkspaceMissing, WorkspaceUnreadable)
_INDEX_ERRORS = (IndexMissing, IndexIncompatible, FileNotIndexed)


def main(arguments: Sequence[str], servers: Mapping[str, Server] | None = None) -> int:
    """Run one command; returns the exit status. `servers` are commands of other front ends."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    parsed = build_parser().parse_args(arguments)
    try:
        return _run_command(parsed, servers or {})
    except CodeCompassError as error:
        from codecompass.cli.terminal import print_error  # rarely needed

        print_error(error, as_json=parsed.json or parsed.command == "batch")
        return _exit_status(error)
    except KeyboardInterrupt:
        sys.stderr.write("\ncodecompass: interrupted; the index is as it was last published\n")
        return _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has seen enough
        return ANSWERED
    except Exception:  # noqa: BLE001  # the top of a front end
        traceback.print_exc()
        sys.stderr.write("codecompass: internal error; please report the lines above\n")
        return INTERNAL


def _run_command(parsed: argparse.Namespace, servers: Mapping[str, Server]) -> int:
    if parsed.command in servers:
        return servers[parsed.command](parsed)
    from codecompass.cli import commands, install, upkeep  # --help must not load the engine

    if parsed.workspace is None:
        parsed.workspace = commands.default_workspace(Path.cwd())
    name = f"run_{parsed.command.replace('-', '_')}"
    places = (commands, install, upkeep)
    handler = next(getattr(place, name) for place in places if hasattr(place, name))
    status: int = handler(parsed)
    return status


def _exit_status(error: CodeCompassError) -> int:
    if isinstance(error, _USAGE_ERRORS):
        return BAD_USAGE
    if isinstance(error, _INDEX_ERRORS):
        return NO_INDEX
    return INTERNAL
