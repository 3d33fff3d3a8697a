"""Calls without a transport, for tests of what is behind every one."""

from pathlib import Path
from typing import Any

from codecompass.mcp.calls import Calls, ServeOptions
from codecompass.mcp.tools import TOOLS
from tests.conftest import Repo

CAP = 18_000


class Caller:
    """Calls tools of one server."""

    def __init__(self, *workspaces: Path, **options: Any) -> None:
        self.calls = Calls(ServeOptions(workspaces=list(map(str, workspaces)), **options))

    def __call__(self, tool: str, **arguments: object) -> tuple[str, bool]:
        content, is_error = self.calls.answer(TOOLS[tool], arguments)
        text = "".join(item["text"] for item in content)
        assert len(text) <= CAP
        return text, is_error


def other_project(folder: Path) -> Path:
    repo = Repo(folder)
    repo.commit({"b.py": "def only_here():\n    return 1\n"})
    return repo.root
