"""The agents we know, as data: where each keeps its servers, and in which form."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from codecompass.source.program import own_command

SERVER = "codecompass"
_FOLDER = "${workspaceFolder}"  # editors put the folder of the project there

Entry = dict[str, object]


@dataclass(frozen=True, slots=True)
class Launch:
    """How an agent starts the server."""

    command: str
    arguments: tuple[str, ...]

    def for_folder(self, folder: str) -> "Launch":
        """The same for one workspace."""
        return Launch(self.command, (*self.arguments, "--workspace", folder))


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent; paths are relative to the user's home or to the project."""

    name: str
    title: str
    user_file: str
    project_file: str
    section: str  # of the file, in which servers stand by name
    signs: tuple[str, ...]  # folders below the home that say it is used here
    program: str
    entry: Callable[[Launch], Entry]
    has_folder_variable: bool = False
    user_notes: str = ""  # where it reads what its user tells it
    project_notes: str = "AGENTS.md"
    skills: str = ".agents/skills"
    check: str = ""  # what shows whether it worked


def _plain(launch: Launch) -> Entry:
    return {"command": launch.command, "args": list(launch.arguments)}


def _typed(launch: Launch) -> Entry:
    return {"type": "stdio", **_plain(launch)}


def _for_copilot(launch: Launch) -> Entry:
    return {**_typed(launch), "tools": ["*"]}


def _for_codex(launch: Launch) -> Entry:
    return {**_plain(launch), "startup_timeout_sec": 20}


AGENTS: Mapping[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent(
            "claude", "Claude Code", ".claude.json", ".mcp.json", "mcpServers",
            (".claude", ".claude.json"), "claude", _typed,
            user_notes=".claude/CLAUDE.md", project_notes="CLAUDE.md", skills=".claude/skills",
            check="claude mcp list",
        ),
        Agent(
            "codex", "Codex", ".codex/config.toml", ".codex/config.toml", "mcp_servers",
            (".codex",), "codex", _for_codex,
            user_notes=".codex/AGENTS.md", check="codex mcp list",
        ),
        Agent(
            "gemini", "Gemini CLI", ".gemini/settings.json", ".gemini/settings.json",
            "mcpServers", (".gemini",), "gemini", _plain,
            user_notes=".gemini/GEMINI.md", project_notes="GEMINI.md", check="gemini mcp list",
        ),
        Agent(
            "copilot", "Copilot CLI", ".copilot/mcp-config.json", ".mcp.json", "mcpServers",
            (".copilot",), "copilot", _for_copilot,
            user_notes=".copilot/copilot-instructions.md", check="copilot mcp list",
        ),
        Agent(
            "cursor", "Cursor", ".cursor/mcp.json", ".cursor/mcp.json", "mcpServers",
            (".cursor",), "cursor", _typed, has_folder_variable=True,
        ),
        Agent(
            "vscode", "VS Code", "", ".vscode/mcp.json", "servers",
            (".vscode",), "code", _typed, has_folder_variable=True,
        ),
    )
}  # fmt: skip


def is_found(agent: Agent, home: Path) -> bool:
    """Whether an agent seems to be used on this machine."""
    has_sign = any((home / sign).exists() for sign in agent.signs)
    return has_sign or shutil.which(agent.program) is not None


def settings_file(agent: Agent, home: Path, root: Path | None) -> Path:
    """The file in which an agent looks for servers: of a project, or of its user."""
    if root is not None:
        return root / agent.project_file
    return home / agent.user_file if agent.user_file else _vscode_folder(home) / "mcp.json"


def entry_for(agent: Agent, launch: Launch, root: Path | None) -> Entry:
    """What is written there for our server."""
    if agent.has_folder_variable:
        return agent.entry(launch.for_folder(_FOLDER))
    if root is None:
        return agent.entry(launch)  # started in the project
    if agent.project_file == ".mcp.json":  # one file for several agents
        return _typed(launch.for_folder(str(root)))
    return agent.entry(launch.for_folder(str(root)))


def own_launch() -> Launch:
    """The installation that runs just now, by its absolute path."""
    name = "codecompass.exe" if os.name == "nt" else "codecompass"
    script = Path(sys.executable).with_name(name)
    if script.exists():
        return Launch(str(script), ("serve-mcp",))
    return Launch(sys.executable, tuple(own_command("serve-mcp")[1:]))


def _vscode_folder(home: Path) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or home / "AppData/Roaming") / "Code/User"
    if sys.platform == "darwin":
        return home / "Library/Application Support/Code/User"
    return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "Code/User"
