"""Commands that keep an index small and movable."""

import argparse

from codecompass.cli.commands import Progressing, print_either, show_answer
from codecompass.engine.engine import Engine, inspect_state
from codecompass.present.upkeep_text import render_state


def run_gc(parsed: argparse.Namespace) -> int:
    """Throw away what nothing needs any more."""
    with Engine.open(parsed.workspace) as engine:
        show_answer(parsed, engine, engine.gc())
    return 0


def run_migrate_index(parsed: argparse.Namespace) -> int:
    """Make an index of another version usable."""
    with Engine.open(parsed.workspace) as engine:
        with Progressing(parsed) as progress:
            answer = engine.migrate(progress=progress)
        if answer is None:
            print_either(parsed, {"migrated": False}, "nothing to do: the index is compatible")
        else:
            show_answer(parsed, engine, answer)
    return 0


def run_state(parsed: argparse.Namespace) -> int:
    """Export, import or inspect an archive."""
    if parsed.action == "inspect":
        answer = inspect_state(parsed.archive)
    else:
        with Engine.open(parsed.workspace) as engine:
            if parsed.action == "export":
                answer = engine.export_state(parsed.archive)
            else:
                answer = engine.import_state(
                    parsed.archive, force=parsed.force, sha256=parsed.sha256
                )
    print_either(parsed, answer, render_state(answer))
    return 0
