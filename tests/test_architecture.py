"""Limits and promises that no linter checks. The limits are the style guide's."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from codecompass.parse.languages import LANGUAGES

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src" / "codecompass"
FILES = sorted(SRC.rglob("*.py"))
FORBIDDEN_NAMES = {"utils.py", "helpers.py", "common.py", "base.py", "manager.py"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SRC)))
def test_file_and_function_length(path: Path) -> None:
    text = path.read_text("utf-8")
    assert path.name not in FORBIDDEN_NAMES
    assert len(text.splitlines()) <= 500
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


def test_only_parse_branches_on_a_language_name() -> None:
    names = {language.name for language in LANGUAGES} - {"text"}
    for path in FILES:
        if path.is_relative_to(SRC / "parse"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Compare):
                for side in [node.left, *node.comparators]:
                    is_name = isinstance(side, ast.Constant) and side.value in names
                    assert not is_name, f"{path}:{node.lineno}"


def test_help_does_not_load_the_engine() -> None:
    code = (
        "import sys\n"
        "from codecompass.cli.arguments import build_parser\n"
        "build_parser().format_help()\n"
        "heavy = {'tree_sitter', 'tantivy', 'sqlite3', 'pathspec'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_command_and_setting_stands_in_the_docs() -> None:
    from codecompass.cli.arguments import build_parser
    from codecompass.config.load import load_settings

    commands = build_parser()._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    manual = (ROOT / "docs" / "cli.md").read_text("utf-8")
    for command in commands:
        assert f"## `codecompass {command}`" in manual, command
    settings = (ROOT / "docs" / "settings.md").read_text("utf-8")
    for key, value, _ in load_settings(None, {}).items():
        if isinstance(value, dict):
            assert all(f"`{entry}`" in settings for entry in value), key
        elif key != "store.home":
            shown = value if value != "" else '""'
            assert f"| `{key}` | `{shown}` |" in settings, key


def test_every_operation_stands_in_the_docs() -> None:
    from codecompass.engine.operations import OPERATIONS

    manual = (ROOT / "docs" / "batch.md").read_text("utf-8")
    for operation in OPERATIONS.values():
        assert f"### `{operation.name}`" in manual, operation.name
        for argument in operation.arguments:
            assert f"`{argument.name}`" in manual, argument.name


def test_the_readme_opens_with_two_commands_and_ci_runs_the_second() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    blocks = readme.split("```")
    test_command = blocks[3].removeprefix("sh\n").strip()
    assert test_command in (ROOT / ".ci" / "run").read_text("utf-8")


def test_points_of_nodes_can_be_read() -> None:
    """tree-sitter 0.26.0 segfaults here; the pin keeps it out."""
    import tree_sitter_python
    from tree_sitter import Language, Parser

    tree = Parser(Language(tree_sitter_python.language())).parse(b"x = 1\n" * 1000)
    rows = [node.start_point.row + node.end_point.column for node in tree.root_node.children]
    assert len(rows) == 1000
