"""The command line's grammar; knows nothing of the engine, so that --help is quick."""

import argparse

from codecompass import __version__
from codecompass.cli.upkeep_arguments import add_upkeep_commands
from codecompass.model.reference import ROLE_CHOICES

_EXAMPLES = """examples:
  codecompass index                            index the repository around this folder
  codecompass search "how are routes matched"  find the code that answers a question
  codecompass context "how are routes matched" the code itself, and how it hangs together
  codecompass symbol "Engine > Run"            where is it defined
  codecompass outline src/app.py               what is in a file
  codecompass search parse --ref origin/main   the same for a branch, without a checkout
  codecompass diff                             what this branch changes, by symbols
  codecompass status --json                    the state of the index
  codecompass index --show-ignored             what is left out, and by which rule
"""

_SEARCH_EXAMPLES = """examples:
  codecompass search "how are routes registered"
  codecompass search parseConfig                     a name
  codecompass search '"is not callable"'             this very text
  codecompass search '/def \\w+_view\\(/' --all        every line that matches
  codecompass search "class:Router in:src lang:ts"   filters inside the question
  codecompass search "usages:parseConfig"            who uses a name
"""

_DIFF_EXAMPLES = """examples:
  codecompass diff                      what the working tree changes since it left main
  codecompass diff feat/login           what a branch changes, without a checkout
  codecompass diff HEAD --base HEAD~3   what the last three commits changed
  codecompass diff --scope files        only which files
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="codecompass",
        description="Local-first code search and navigation for AI coding agents.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    common = _common()
    with_ref = _with_ref(common)
    _add_index_commands(commands, common, with_ref)
    _add_question_commands(commands, with_ref)
    _add_graph_commands(commands, with_ref)
    _add_branch_commands(commands, common, with_ref)
    _add_report_commands(commands, common, with_ref)
    add_upkeep_commands(commands, common)
    _add_serve_commands(commands)
    _add_install_commands(commands, common)
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
    common.add_argument(
        "--show-secrets",
        action="store_true",
        help="on a terminal: show the lines of files with their keys and passwords",
    )
    return common


def _with_ref(common: argparse.ArgumentParser) -> argparse.ArgumentParser:
    with_ref = argparse.ArgumentParser(add_help=False, parents=[common])
    with_ref.add_argument(
        "--ref",
        metavar="REF",
        help="branch, tag or commit to ask, without a checkout; live: the working tree"
        " (default: what switch-ref chose, at first live)",
    )
    return with_ref


def _add_index_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
    with_ref: argparse.ArgumentParser,
) -> None:
    commands.add_parser(
        "init", parents=[common], help="write a commented codecompass.toml into the workspace"
    )
    index = commands.add_parser(
        "index", parents=[with_ref], help="build the index, or bring it up to date"
    )
    index.add_argument("--force", action="store_true", help="throw the index away first")
    index.add_argument(
        "--changed",
        action="store_true",
        help="look only at what a watcher saw change, where one runs",
    )
    index.add_argument(
        "--show-ignored",
        action="store_true",
        help="index nothing; list what is left out, each with file, line and rule",
    )
    sync = commands.add_parser(
        "sync", parents=[with_ref], help="bring an existing index up to date"
    )
    for parser in (index, sync):
        parser.add_argument(
            "--progress-json",
            action="store_true",
            help="progress as JSON lines on standard error",
        )


def _add_question_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    outline = commands.add_parser(
        "outline", parents=[common], help="the definitions of a file, or the files of a folder"
    )
    outline.add_argument("path", help="file or folder, relative to the workspace")
    outline.add_argument("--depth", choices=("top", "all"), default="all", help="default: all")
    _add_search_commands(commands, common)
    _add_context_commands(commands, common)
    symbol = commands.add_parser(
        "symbol",
        parents=[common],
        help="definitions by exact name, `A > B`, `path > A > B` or handle",
    )
    symbol.add_argument("name", help="a name, a symbol path or a handle")
    _add_filters(symbol)
    _add_paging(symbol)
    _add_detail(symbol)
    commands.add_parser(
        "batch",
        parents=[common],
        help="one JSON call per line in, one answer per line out",
        description='Reads lines like {"id": 1, "op": "locate_symbol", "args": {"name": "main"}}.'
        " Syncs first. A bad line is answered with an error and does not stop the rest.",
    )


def _add_graph_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    refs = commands.add_parser(
        "refs",
        parents=[common],
        help="every use of a symbol, by file and role",
        description="Imports, scopes, members and types are followed to what each use means;"
        " places that only share the name are counted apart and shown by --role possible.",
    )
    refs.add_argument("symbol", help="a name, a symbol path or a handle")
    refs.add_argument(
        "--role", action="append", default=[], choices=ROLE_CHOICES, help="repeatable"
    )
    refs.add_argument("--context", action="store_true", help="show the text of each line")
    _add_paging(refs, limit=50)
    _add_filters(refs)
    calls = commands.add_parser(
        "calls", parents=[common], help="who calls a symbol; --callees: what it calls"
    )
    calls.add_argument("symbol", help="a name, a symbol path or a handle")
    way = calls.add_mutually_exclusive_group()
    way.add_argument("--callees", action="store_true", help="what it calls")
    way.add_argument("--both", action="store_true", help="callers and callees")
    calls.add_argument("--depth", type=int, default=1, metavar="N", help="steps (default: 1)")
    _add_paging(calls, limit=50)
    for name, meaning in (
        ("hierarchy", "what a symbol is part of, its types up and down, its members"),
        ("related", "callers, callees, types, family, neighbours and namesakes of a symbol"),
        ("similar", "definitions that are like a symbol"),
    ):
        parser = commands.add_parser(name, parents=[common], help=meaning)
        parser.add_argument("symbol", help="a name, a symbol path or a handle")
        _add_paging(parser, limit=50)


def _add_search_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    search = commands.add_parser(
        "search",
        parents=[common],
        help="places that answer a question",
        epilog=_SEARCH_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    search.add_argument("query", help='words, a name, a path, "a phrase" or /an expression/')
    _add_search_options(search)
    search.add_argument(
        "-k", "--top-k", type=int, default=10, metavar="N", help="results (default: 10)"
    )
    _add_paging(search)
    search.add_argument("--min-score", type=float, default=0.0, metavar="S", help="0 to 1")
    search.add_argument(
        "--all",
        action="store_true",
        help="every match with its count, by path; --top-k at a time",
    )
    search.add_argument("--compact", action="store_true", help="places and scores only")
    search.add_argument(
        "--explain", choices=("off", "basic", "full"), default="off", help="say why (default: off)"
    )
    _add_filters(search)
    _add_detail(search)
    explain = commands.add_parser(
        "explain", parents=[common], help="why a hit ranks where it does"
    )
    explain.add_argument("query", help="the question")
    explain.add_argument("target", help="the hit: its handle, its path or path:line")
    followups = commands.add_parser(
        "followups", parents=[common], help="what to ask next, by how sure an answer is"
    )
    followups.add_argument("query", help="the question")
    _add_filters(followups)
    _add_search_options(explain)
    _add_filters(explain)


def _add_context_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    context = commands.add_parser(
        "context",
        parents=[common],
        help="how what answers a question hangs together, and its code, inside a token budget",
        epilog="example: codecompass context 'symbol = Engine > Run' --max-tokens 2000",
    )
    context.add_argument("query", help="a question as for search, or symbol = A > B")
    context.add_argument(
        "--max-tokens", type=int, metavar="N", help="default: answers.max_tokens, 4000"
    )
    context.add_argument(
        "--strategy",
        choices=("breadth", "depth"),
        default="breadth",
        help="many places with less of each, or few with all that fits (default: breadth)",
    )
    _add_filters(context)
    _add_detail(context, default="context")
    clusters = commands.add_parser(
        "clusters",
        parents=[common],
        help="what matches a question, each with its callers, callees, family and neighbours",
        description="The neighbours are shown at once, callers, callees and the type family are"
        " counted and shown on request: --expand. With --of, one relationship of a cluster from"
        " an earlier answer.",
        epilog="example: codecompass clusters --of 72ce4391e88ac --expand callers",
    )
    clusters.add_argument("query", nargs="?", default="", help="a question as for search")
    clusters.add_argument(
        "--expand",
        action="append",
        default=[],
        choices=("callers", "callees", "type_family", "colocated", "siblings", "all"),
        help="repeatable",
    )
    clusters.add_argument("--of", metavar="ID", default="", help="id of a cluster")
    clusters.add_argument("--max-clusters", type=int, default=5, metavar="N", help="default: 5")
    clusters.add_argument("--depth", type=int, metavar="N", help="steps (default: 2; with --of 1)")
    clusters.add_argument(
        "--limit", type=int, default=20, metavar="N", help="of --of; default: 20"
    )
    clusters.add_argument("--no-preview", action="store_true", help="signatures, no code")
    _add_filters(clusters)


def _add_search_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mode",
        choices=("hybrid", "semantic", "exact", "definition", "similar"),
        default="hybrid",
        help="ranked; by meaning alone; this very text; names of definitions; code like this"
        " snippet, - for standard input (default: hybrid)",
    )
    parser.add_argument(
        "--stage",
        choices=("discover", "refine"),
        default="discover",
        help="refine: every word must be in the file (default: discover)",
    )


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", action="append", default=[], help="repeatable: class, method, …")
    parser.add_argument("--lang", action="append", default=[], help="repeatable: python, go, …")
    parser.add_argument("--ext", action="append", default=[], help="repeatable: py, tsx, …")
    parser.add_argument("--path", action="append", default=[], help="repeatable: only these files")
    parser.add_argument("--path-prefix", default="", help="only paths that begin like this")
    for name, meaning in (("contains", "all of"), ("not-contains", "none of")):
        parser.add_argument(
            f"--path-{name}", action="append", default=[], help=f"repeatable: {meaning} these"
        )
    parser.add_argument(
        "--path-glob", default="", help="only paths that match, such as '*_test.go'"
    )
    parser.add_argument(
        "--exported", choices=("yes", "no"), help="only definitions that are, or are not"
    )
    parser.add_argument("--documented", choices=("yes", "no"), help="only with, or without, docs")
    parser.add_argument("--decorator", default="", help="only with a decorator that contains this")


def _add_paging(parser: argparse.ArgumentParser, *, limit: int | None = None) -> None:
    if limit is not None:
        parser.add_argument(
            "--limit", type=int, default=limit, metavar="N", help=f"default: {limit}"
        )
    parser.add_argument("--cursor", default="", help="go on behind an earlier answer")
    parser.add_argument(
        "--max-tokens",
        type=int,
        metavar="N",
        help="of the text that is printed (default: answers.max_tokens, 4000)",
    )


def _add_detail(parser: argparse.ArgumentParser, *, default: str = "signature") -> None:
    parser.add_argument(
        "--detail",
        choices=("location", "signature", "context"),
        default=default,
        help=f"default: {default}",
    )


def _add_branch_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
    with_ref: argparse.ArgumentParser,
) -> None:
    diff = commands.add_parser(
        "diff",
        parents=[with_ref],
        help="what a ref or the working tree changes against its base, by symbols",
        description="What changed since the ref left its base (their merge base), symbol by"
        " symbol. Marks: + added, - deleted, ~ modified (and what of it), > moved or renamed.",
        epilog=_DIFF_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    diff.add_argument("of", nargs="?", metavar="REF", help="the same as --ref; or BASE..REF")
    diff.add_argument(
        "--base",
        metavar="REF",
        help="compare with where it left this (default: refs.base, or the default branch)",
    )
    diff.add_argument("--path-prefix", default="", help="only files whose paths begin like this")
    diff.add_argument("--limit", type=int, metavar="N", help="symbols to tell (default: 100)")
    _add_paging(diff)
    diff.add_argument("--callers", action="store_true", help="say who calls what changed")
    diff.add_argument(
        "--scope",
        choices=("symbols", "files", "all"),
        default="symbols",
        help="default: symbols",
    )
    _add_detail(diff)
    compare = commands.add_parser(
        "compare",
        parents=[common],
        help="one symbol at two refs: signature, text, place, name",
        epilog="example: codecompass compare 'Engine > Run' v1.3.0 live",
    )
    compare.add_argument("symbol", help="a name, a symbol path or a handle")
    compare.add_argument("from_ref", metavar="FROM", help="branch, tag, commit or live")
    compare.add_argument("to_ref", metavar="TO", help="branch, tag, commit or live")
    refs = commands.add_parser(
        "refs-list", parents=[common], help="branches, tags and work trees; which are indexed"
    )
    refs.add_argument("--contains", default="", help="only names that contain this")
    refs.add_argument("--limit", type=int, default=20, metavar="N", help="default: 20")
    switch = commands.add_parser(
        "switch-ref",
        parents=[common],
        help="choose what questions without --ref mean",
        description="Stores the ref that questions of this workspace mean when they name none, for"
        " every process, until it is switched again. Nothing is checked out.",
    )
    switch.add_argument("to", metavar="REF", help="branch, tag, commit, or live")


def _add_report_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
    with_ref: argparse.ArgumentParser,
) -> None:
    status = commands.add_parser("status", parents=[with_ref], help="the state of the index")
    status.add_argument("--wait", action="store_true", help="wait until a running job has ended")
    status.add_argument("--timeout", type=float, default=60.0, metavar="S", help="default: 60")
    config = commands.add_parser("config", parents=[common], help="the settings in force")
    config.add_argument("action", choices=("show",), nargs="?", default="show")
    commands.add_parser("doctor", parents=[common], help="what is right and wrong, what to do")


def _add_serve_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> None:
    serve = commands.add_parser(
        "serve-mcp",
        help="serve agents by the Model Context Protocol",
        description="Over standard input and output, or HTTP on this machine. Indexes are built"
        " when they are first asked for. `codecompass install` tells agents about it.",
    )
    serve.set_defaults(json=False, quiet=False)
    serve.add_argument(
        "--workspace",
        action="append",
        default=[],
        metavar="DIR",
        help="repeatable; the first is meant where a call names none (default: the project that"
        " the agent works in)",
    )
    serve.add_argument(
        "--tools", default="core", metavar="SET", help="core, full, or names with commas between"
    )
    serve.add_argument("--transport", choices=("stdio", "http"), default="stdio")
    serve.add_argument("--host", default="127.0.0.1", help="of HTTP (default: this machine only)")
    serve.add_argument("--port", type=int, default=8801, metavar="N", help="of HTTP")
    serve.add_argument(
        "--auto-workspace",
        action="store_true",
        help="index folders below --allowed-root when they are asked about",
    )
    serve.add_argument(
        "--allowed-root", action="append", default=[], metavar="DIR", help="repeatable"
    )
    serve.add_argument("--no-prewarm", action="store_true", help="open nothing ahead of questions")


def _add_install_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    for name, meaning in (
        ("install", "tell the agents on this machine about the server"),
        ("uninstall", "take back what install wrote"),
    ):
        parser = commands.add_parser(
            name,
            parents=[common],
            help=meaning,
            description="Shows every change, keeps a backup beside each file, and can be run"
            " again at any time.",
            epilog=f"example: codecompass {name} --agent claude --scope project --dry-run",
        )
        parser.add_argument(
            "--agent",
            action="append",
            default=[],
            choices=("claude", "codex", "gemini", "copilot", "cursor", "vscode"),
            help="repeatable (default: those found)",
        )
        parser.add_argument(
            "--scope",
            choices=("user", "project"),
            default="user",
            help="for all projects of this user, or for this one (default: user)",
        )
        parser.add_argument("--dry-run", action="store_true", help="show, change nothing")
        if name == "install":
            parser.add_argument(
                "--instructions",
                action="store_true",
                help="also a short block in AGENTS.md, CLAUDE.md or GEMINI.md",
            )
            parser.add_argument("--skill", action="store_true", help="also a skill file")
