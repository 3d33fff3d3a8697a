"""`install` and `uninstall`: tell agents about the server, show every change, keep what was."""

import argparse
import datetime
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path

from codecompass.cli.agents import (
    AGENTS,
    SERVER,
    Agent,
    entry_for,
    is_found,
    own_launch,
    settings_file,
)
from codecompass.cli.config_files import (
    with_block,
    with_json_entry,
    with_toml_entry,
    without_block,
    without_json_entry,
    without_toml_entry,
)
from codecompass.cli.terminal import print_error, print_json, print_text
from codecompass.engine.workspace import enclosing_workspace
from codecompass.errors import BadInput, ConfigInvalid
from codecompass.source.guard import resolve_workspace
from codecompass.text.secrets import mask_secrets

_FAILED = 2
_SKILL_FILE = "SKILL.md"
_BLOCK = """\
## Finding code

Use the codecompass MCP tools before grep or reading whole files, in sub-agents too: search_code
(where is something done), get_code_context (code with all it needs), find_references and
get_call_graph (before a change), diff_context (what this branch changed). Without them the same
is `codecompass search|context|refs|calls|diff` in a shell.
"""
_SKILL = """\
---
name: codecompass
description: Finds code by meaning, name or use in this repository. Use it instead of grep or \
reading files to find where something is done, every caller before a change, or what a branch \
changed, on any branch without a checkout.
---

Ask the codecompass MCP tools; where they are missing, the same in a shell:

| question | tool | command |
|---|---|---|
| where is it done | search_code | `codecompass search "how are requests retried"` |
| the code with all it needs | get_code_context | `codecompass context "symbol = Client > send"` |
| where is it defined | locate_symbol | `codecompass symbol "Client > send"` |
| every use, every caller | find_references, get_call_graph | `codecompass refs X`, `calls X` |
| what is in a file or folder | get_file_outline | `codecompass outline src` |
| what this branch changed | diff_context | `codecompass diff --callers` |

Answers give path:lines and a [handle] that any of them takes. "complete" means there are no
others. If more is left, repeat the call with the cursor. `ref` asks another branch.
"""


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file."""

    agents: tuple[str, ...]
    path: Path
    before: str | None  # None: it is not there
    after: str  # "": it goes
    own: str = ""  # what install writes where nothing is: then nothing else is lost with it

    @property
    def action(self) -> str:
        """In one word."""
        if self.before == self.after or (not self.before and not self.after):
            return "unchanged"
        if not self.before:
            return "created"
        return "changed" if self.after else "removed"

    @property
    def diff(self) -> str:
        """What is other than before; secrets of others that stand beside it are masked."""
        old, new = (self.before or "").splitlines(), self.after.splitlines()
        lines = list(unified_diff(old, new, lineterm="", n=2))
        return mask_secrets("\n".join(lines[2:]))


def run_install(parsed: argparse.Namespace) -> int:
    """Write the entry of our server, and on request what tells agents to use it."""
    return _run(parsed, is_installing=True)


def run_uninstall(parsed: argparse.Namespace) -> int:
    """Take back what was written."""
    return _run(parsed, is_installing=False)


def _run(parsed: argparse.Namespace, *, is_installing: bool) -> int:
    home = Path.home()
    root = None
    if parsed.scope == "project":
        root = enclosing_workspace(resolve_workspace(parsed.workspace))
    agents = _chosen(parsed.agent, home, is_installing=is_installing)
    plan = _Plan(home, root, is_installing=is_installing)
    for agent in agents:
        plan.try_add(agent, _entry_change)
        if not is_installing or parsed.instructions:
            plan.try_add(agent, _block_change)
        if not is_installing or parsed.skill:
            plan.try_add(agent, _skill_change)
    changes = plan.changes()
    backups: dict[Path, Path | None] = {}
    for item in [] if parsed.dry_run else changes:
        try:
            backups[item.path] = _apply(item)
        except ConfigInvalid as error:
            plan.failures.append(error)
    done = [item for item in changes if parsed.dry_run or item.path in backups]
    _report(parsed, agents, done, backups, is_installing=is_installing)
    for failure in plan.failures:
        print_error(failure, as_json=False)
    return _FAILED if plan.failures else 0


class _Plan:
    """What becomes of all files; one that cannot be changed does not stop the others."""

    def __init__(self, home: Path, root: Path | None, *, is_installing: bool) -> None:
        self.home = home
        self.root = root
        self.is_installing = is_installing
        self.failures: list[ConfigInvalid] = []
        self._found: dict[Path, Change] = {}

    def try_add(self, agent: Agent, make: Callable[[Agent, "_Plan"], Change | None]) -> None:
        """Add what becomes of one file; agents that share it are named together."""
        try:
            change = make(agent, self)
        except ConfigInvalid as error:
            self.failures.append(error)
            return
        if change is None:
            return
        if self.root is not None and not _is_inside(change.path, self.root):
            self.failures.append(ConfigInvalid(f"{change.path}: leads out of the project"))
            return
        known = self._found.get(change.path)
        names = (*known.agents, *change.agents) if known else change.agents
        self._found[change.path] = replace(change, agents=names)

    def changes(self) -> list[Change]:
        """One for each file; of those that are not there nothing is taken back."""
        found = self._found.values()
        return [item for item in found if self.is_installing or item.action != "unchanged"]


def _chosen(names: Sequence[str], home: Path, *, is_installing: bool) -> list[Agent]:
    if names:
        return [AGENTS[name] for name in dict.fromkeys(names)]
    if not is_installing:
        return list(AGENTS.values())
    found = [agent for agent in AGENTS.values() if is_found(agent, home)]
    if not found:
        raise BadInput(
            "install: no agent was found on this machine",
            remediation=f"name one with --agent: {', '.join(AGENTS)}",
        )
    return found


def _entry_change(agent: Agent, plan: _Plan) -> Change | None:
    path = settings_file(agent, plan.home, plan.root)
    before = _read(path)
    text, section = before or "", agent.section
    if not plan.is_installing and SERVER not in text:
        return None
    is_toml = path.suffix == ".toml"
    put = with_toml_entry if is_toml else with_json_entry
    take = without_toml_entry if is_toml else without_json_entry
    entry = entry_for(agent, own_launch(), plan.root)
    own = put("", section, SERVER, entry)
    try:
        after = (
            put(text, section, SERVER, entry)
            if plan.is_installing
            else take(text, section, SERVER)
        )
    except ConfigInvalid as error:
        by_hand = (
            f"add by hand: {' '.join(own.split())}" if plan.is_installing else "do it by hand"
        )
        raise ConfigInvalid(
            f"{path}: {error.message}; nothing was changed in it", remediation=by_hand
        ) from error
    return Change((agent.name,), path, before, after, own)


def _block_change(agent: Agent, plan: _Plan) -> Change | None:
    name = agent.project_notes if plan.root is not None else agent.user_notes
    if not name:
        return None
    path = (plan.root or plan.home) / name
    before = _read(path)
    text = before or ""
    after = with_block(text, _BLOCK) if plan.is_installing else without_block(text)
    return Change((agent.name,), path, before, after, with_block("", _BLOCK))


def _skill_change(agent: Agent, plan: _Plan) -> Change:
    path = (plan.root or plan.home) / agent.skills / SERVER / _SKILL_FILE
    after = _SKILL if plan.is_installing else ""
    return Change((agent.name,), path, _read(path), after, _SKILL)


def _read(path: Path) -> str | None:
    """The text of a file with the line ends it has."""
    try:
        return path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        said = f"{path}: cannot be read: {error}"
        raise ConfigInvalid(said, remediation="look at the file; nothing was changed") from error


def _is_inside(path: Path, root: Path) -> bool:
    """Whether a project's file is where it seems to be: somebody else may have made the links."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _apply(change: Change) -> Path | None:
    """Write a file as a whole; the backup of what was there before."""
    if change.action == "unchanged":
        return None
    target = Path(os.path.realpath(change.path))  # people keep such files elsewhere and link them
    try:
        backup = None
        if change.before is not None and change.before != change.own:
            now = datetime.datetime.now(datetime.UTC)
            backup = target.with_name(f"{target.name}.{now:%Y%m%d-%H%M%S-%f}.bak")
            _write(backup, change.before, like=target)
        if change.after:
            draft = target.with_name(f"{target.name}.{os.getpid()}.new")
            _write(draft, change.after, like=target)
            draft.replace(target)
        else:
            target.unlink(missing_ok=True)
            if change.path.name == _SKILL_FILE:
                with suppress(OSError):  # something else is in it
                    target.parent.rmdir()
    except OSError as error:
        said = f"{change.path}: cannot be written: {error.strerror}"
        raise ConfigInvalid(said, remediation="look at the folder and its permissions") from error
    return backup


def _write(path: Path, text: str, *, like: Path) -> None:
    """A new file that only its owner can read, unless the one it stands for is more open."""
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = like.stat().st_mode & 0o777 if like.exists() else 0o666 & ~_umask()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(text.encode("utf-8"))
    path.chmod(mode)


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found


def _report(
    parsed: argparse.Namespace,
    agents: Sequence[Agent],
    changes: Sequence[Change],
    backups: dict[Path, Path | None],
    *,
    is_installing: bool,
) -> None:
    if parsed.json:
        told = [
            {
                "agents": item.agents,
                "path": str(item.path),
                "action": item.action,
                "diff": item.diff,
                "backup": str(backups[item.path]) if backups.get(item.path) else None,
            }
            for item in changes
        ]
        print_json({"changes": told, "is_dry_run": parsed.dry_run})
        return
    lines: list[str] = []
    for item in changes:
        action = item.action
        if parsed.dry_run and action != "unchanged":
            action = f"would be {action}"
        lines.append(f"{', '.join(item.agents)}: {item.path} {action}")
        lines += [f"    {line}" for line in item.diff.splitlines()]
        if backups.get(item.path):
            lines.append(f"    before: {backups[item.path]}")
    if not changes:
        lines.append("nothing to take back")
    checks = [agent.check for agent in agents if agent.check]
    if is_installing and not parsed.dry_run and checks:
        lines.append(f"next: start the agent anew; {' or '.join(checks)} shows the server")
    print_text("\n".join(lines))
