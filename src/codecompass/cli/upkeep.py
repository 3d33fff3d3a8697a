"""Commands that show whether all is well, and keep an index small and movable."""

import argparse
from pathlib import Path

from codecompass.cli.commands import Progressing, print_either, show_answer
from codecompass.cli.terminal import print_note
from codecompass.config.load import load_settings, unknown_variables
from codecompass.engine.engine import Engine, inspect_state
from codecompass.present.upkeep_text import render_state
from codecompass.source.guard import resolve_workspace

_UNWELL = 1


def run_config(parsed: argparse.Namespace) -> int:
    """Each setting with its value and origin."""
    rows = load_settings(resolve_workspace(parsed.workspace)).items()
    width = max(len(key) for key, _, _ in rows)
    lines = [f"{key:<{width}}  {value}  ({origin})" for key, value, origin in rows]
    values = {
        key: {"value": str(value) if isinstance(value, Path) else value, "origin": origin}
        for key, value, origin in rows
    }
    print_either(parsed, values, "\n".join(lines))
    for name in unknown_variables():
        print_note(f"{name} is no setting and is ignored")
    return 0


def run_doctor(parsed: argparse.Namespace) -> int:
    """Check the installation and the index."""
    with Engine.open(parsed.workspace) as engine:
        answer = engine.doctor()
        show_answer(parsed, engine, answer)
    return 0 if all(check.ok for check in answer.checks) else _UNWELL


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
