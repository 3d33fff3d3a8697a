"""The arguments of commands that keep an index true, small and movable."""

import argparse


def add_upkeep_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Add them."""
    commands.add_parser(
        "gc",
        parents=[common],
        help="throw away what no ref or work tree in use needs any more",
        description="Drops working trees whose folders are gone, refs that nobody has asked for"
        " in refs.keep_days or beyond refs.keep_snapshots, and all contents then in no use; whole"
        " indexes of repositories that are gone, and those beyond store.disk_mib.",
    )
    commands.add_parser(
        "migrate-index",
        parents=[common],
        help="make an index of another version usable",
        description="Does nothing to an index of this version but add what is missing; one that"
        " this version cannot read is built anew, and keeps what switch-ref chose.",
    )
    state = commands.add_parser(
        "state",
        parents=[common],
        help="take an index to another machine or path",
        description="One archive, checksummed and without paths of this machine. Whoever imports"
        " it reads only what is different there.",
    )
    state.add_argument("action", choices=("export", "import", "inspect"))
    state.add_argument("archive", metavar="FILE", help="such as index.tar.gz")
    state.add_argument("--force", action="store_true", help="import: replace the index there is")
    state.add_argument(
        "--sha256", default="", metavar="HEX", help="import: refuse a file of another checksum"
    )
    watch = commands.add_parser(
        "watch",
        parents=[common],
        help="keep the index true while files change",
        description="One process for each repository, whoever starts it: questions ask it what"
        " changed instead of looking at all files. Servers start one by themselves"
        " (watch.start).",
    )
    what = watch.add_mutually_exclusive_group()
    what.add_argument("--background", action="store_true", help="start it and come back")
    what.add_argument("--status", action="store_true", help="what it does; exit 1: none runs")
    what.add_argument("--stop", action="store_true", help="end it")
    watch.add_argument(
        "--idle-exit",
        type=float,
        default=0.0,
        metavar="S",
        help="end when nobody asked for so long (default: never)",
    )
