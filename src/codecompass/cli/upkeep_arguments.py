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
        " in refs.keep_days or beyond refs.keep_snapshots, and all contents then in no use.",
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
