"""The command line's grammar; knows nothing of the engine, so that --help is quick."""

import argparse
from importlib.metadata import version

_EXAMPLES = """examples:
  codecompass index                            index the repository around this folder
  codecompass symbol "Engine > Run"            where is it defined
  codecompass outline src/app.py               what is in a file
  codecompass status --json                    the state of the index
  codecompass index --show-ignored             what is left out, and by which rule
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="codecompass",
        description="Local-first code search and navigation for AI coding agents.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=version("codecompass"))
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    common = _common()
    _add_index_commands(commands, common)
    _add_question_commands(commands, common)
    _add_report_commands(commands, common)
    return parser


def _common() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--workspace",
        metavar="DIR",
        help="folder to work in (default: the repository around the current folder)",
    )
    common.add_argument("--json", action="store_true", help="print one JSON object")
    common.add_argument(
        "--quiet", action="store_true", help="no progress; exit status 1 if nothing was found"
    )
    return common


def _add_index_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    commands.add_parser(
        "init", parents=[common], help="write a commented codecompass.toml into the workspace"
    )
    index = commands.add_parser(
        "index", parents=[common], help="build the index, or bring it up to date"
    )
    index.add_argument("--force", action="store_true", help="throw the index away first")
    index.add_argument(
        "--show-ignored",
        action="store_true",
        help="index nothing; list what is left out, each with file, line and rule",
    )
    commands.add_parser("sync", parents=[common], help="bring an existing index up to date")


def _add_question_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    outline = commands.add_parser(
        "outline", parents=[common], help="the definitions of a file, with signatures"
    )
    outline.add_argument("path", help="file, relative to the workspace")
    outline.add_argument("--depth", choices=("top", "all"), default="all", help="default: all")
    symbol = commands.add_parser(
        "symbol",
        parents=[common],
        help="definitions by exact name, `A > B`, `path > A > B` or handle",
    )
    symbol.add_argument("name", help="a name, a symbol path or a handle")
    symbol.add_argument("--kind", action="append", default=[], help="repeatable: class, method, …")
    symbol.add_argument("--lang", action="append", default=[], help="repeatable: python, go, …")
    symbol.add_argument("--path-prefix", default="", help="only paths that begin like this")
    for name, meaning in (("contains", "all of"), ("not-contains", "none of")):
        symbol.add_argument(
            f"--path-{name}", action="append", default=[], help=f"repeatable: {meaning} these"
        )
    symbol.add_argument(
        "--path-glob", default="", help="only paths that match, such as '*_test.go'"
    )
    symbol.add_argument(
        "--detail",
        choices=("location", "signature", "context"),
        default="signature",
        help="default: signature",
    )
    commands.add_parser(
        "batch",
        parents=[common],
        help="one JSON call per line in, one answer per line out",
        description='Reads lines like {"id": 1, "op": "locate_symbol", "args": {"name": "main"}}.'
        " Syncs first. A bad line is answered with an error and does not stop the rest.",
    )


def _add_report_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    status = commands.add_parser("status", parents=[common], help="the state of the index")
    status.add_argument("--wait", action="store_true", help="wait until a running job has ended")
    status.add_argument("--timeout", type=float, default=60.0, metavar="S", help="default: 60")
    config = commands.add_parser("config", parents=[common], help="the settings in force")
    config.add_argument("action", choices=("show",), nargs="?", default="show")
    commands.add_parser("doctor", parents=[common], help="what is right and wrong, what to do")
