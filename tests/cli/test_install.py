"""`install` and `uninstall`: the files of agents, as their documents say they look."""

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecompass.cli.agents import AGENTS
from codecompass.cli.config_files import (
    with_block,
    with_json_entry,
    with_toml_entry,
    without_block,
    without_json_entry,
    without_toml_entry,
)
from codecompass.cli.main import main
from tests.conftest import Repo

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def user(home: Path) -> Path:
    """The folder of the user."""
    return home.parent


@pytest.fixture
def run(repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    repo.commit({"a.py": "def a():\n    pass\n"})
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    def call(command: str, *options: str, status: int = 0) -> dict[str, Any]:
        capsys.readouterr()
        assert main([command, "--workspace", str(repo.root), "--json", *options]) == status
        printed = capsys.readouterr()
        found: dict[str, Any] = json.loads(printed.out)
        return {**found, "said": printed.err}

    return call


def load(path: Path) -> dict[str, Any]:
    text = path.read_text()
    found: dict[str, Any] = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    return found


USER_FILES = {
    "claude": (".claude.json", "mcpServers"),
    "codex": (".codex/config.toml", "mcp_servers"),
    "gemini": (".gemini/settings.json", "mcpServers"),
    "copilot": (".copilot/mcp-config.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": ("config/Code/User/mcp.json", "servers"),
}
PROJECT_FILES = {
    "claude": (".mcp.json", "mcpServers"),
    "codex": (".codex/config.toml", "mcp_servers"),
    "gemini": (".gemini/settings.json", "mcpServers"),
    "copilot": (".mcp.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": (".vscode/mcp.json", "servers"),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_user_scope(run: Run, user: Path, agent: str) -> None:
    name, section = USER_FILES[agent]
    run("install", "--agent", agent)
    entry = load(user / name)[section]["codecompass"]
    assert Path(entry["command"]).is_absolute()
    assert Path(entry["command"]).exists()
    assert "serve-mcp" in entry["args"]
    assert ("${workspaceFolder}" in entry["args"]) == (agent in {"cursor", "vscode"})
    assert run("install", "--agent", agent)["changes"][0]["action"] == "unchanged"
    run("uninstall", "--agent", agent)
    assert not (user / name).exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_project_scope(run: Run, repo: Repo, agent: str) -> None:
    name, section = PROJECT_FILES[agent]
    run("install", "--agent", agent, "--scope", "project")
    entry = load(repo.root / name)[section]["codecompass"]
    folder = "${workspaceFolder}" if agent in {"cursor", "vscode"} else str(repo.root)
    assert entry["args"][-2:] == ["--workspace", folder]
    run("uninstall", "--agent", agent, "--scope", "project")
    assert repo.git("status", "--short") == ""


def test_what_else_is_in_a_file_stays(run: Run, user: Path) -> None:
    before = '{\n    "theme": "dark",\n    "mcpServers": {"other": {"command": "x"}}\n}'
    (user / ".gemini").mkdir()
    path = user / ".gemini/settings.json"
    path.write_text(before)
    path.chmod(0o600)
    change = run("install", "--agent", "gemini")["changes"][0]
    assert load(path)["theme"] == "dark"
    assert set(load(path)["mcpServers"]) == {"other", "codecompass"}
    assert path.read_text().startswith('{\n    "theme"')
    assert path.stat().st_mode & 0o777 == 0o600
    assert Path(change["backup"]).read_text() == before
    run("uninstall", "--agent", "gemini")
    assert load(path) == json.loads(before)


def test_what_its_owner_gave_the_entry_stays(run: Run, user: Path) -> None:
    run("install", "--agent", "claude")
    path = user / ".claude.json"
    content = load(path)
    entry = content["mcpServers"]["codecompass"]
    entry["args"] += ["--tools", "full"]
    entry["env"] = {"CODECOMPASS_HOME": "/data"}
    path.write_text(json.dumps(content))
    assert run("install", "--agent", "claude")["changes"][0]["action"] == "unchanged"
    entry["command"] = "/elsewhere/codecompass"
    path.write_text(json.dumps(content))
    run("install", "--agent", "claude")
    found = load(path)["mcpServers"]["codecompass"]
    assert found["env"] == {"CODECOMPASS_HOME": "/data"}
    assert found["command"] != "/elsewhere/codecompass"


def test_a_block_that_lost_its_end(run: Run, user: Path) -> None:
    path = user / ".codex/AGENTS.md"
    path.parent.mkdir()
    path.write_text("# x\n<!-- codecompass: begin -->\nfoo\nmine\n")
    for command in (("install", "--instructions"), ("install", "--instructions"), ("uninstall",)):
        run(*command, "--agent", "codex")
        assert "mine" in path.read_text()


def test_comments_and_order_of_toml_stay(run: Run, user: Path) -> None:
    before = (
        '# mine\nmodel = "x"\n\n[mcp_servers.codecompass]\ncommand = "old"\n'
        '[mcp_servers.codecompass.env]\nA = "b"\n\n[mcp_servers.other] # keep\ncommand = "y"\n'
    )
    (user / ".codex").mkdir()
    path = user / ".codex/config.toml"
    path.write_text(before)
    run("install", "--agent", "codex")
    text = path.read_text()
    assert "# mine" in text
    assert "# keep" in text
    assert "old" not in text
    assert load(path)["mcp_servers"]["codecompass"]["args"] == ["serve-mcp"]
    run("uninstall", "--agent", "codex")
    assert load(path) == {"model": "x", "mcp_servers": {"other": {"command": "y"}}}


def test_a_dry_run_changes_nothing(run: Run, user: Path, repo: Repo) -> None:
    before = sorted(user.rglob("*"))
    found = run("install", "--agent", "claude", "--dry-run", "--instructions", "--skill")
    assert found["is_dry_run"]
    assert [item["action"] for item in found["changes"]] == ["created"] * 3
    assert '+    "codecompass": {' in found["changes"][0]["diff"]
    assert sorted(user.rglob("*")) == before


def test_agents_on_this_machine_are_found(run: Run, user: Path) -> None:
    (user / ".cursor").mkdir()
    (user / ".codex").mkdir()
    agents = [item["agents"] for item in run("install")["changes"]]
    assert agents == [["codex"], ["cursor"]]


def test_no_agent_at_all(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nothing")
    assert main(["install", "--scope", "user", "--workspace", str(repo.root)]) == 2
    assert "no agent was found" in capsys.readouterr().err


def test_instructions_and_skills(run: Run, repo: Repo) -> None:
    repo.commit({"AGENTS.md": "# Rules\n\nBe kind.\n"})
    options = ("--agent", "claude", "--agent", "codex", "--scope", "project")
    run("install", *options, "--instructions", "--skill")
    text = (repo.root / "AGENTS.md").read_text()
    assert text.startswith("# Rules\n\nBe kind.\n\n<!-- codecompass: begin -->")
    assert "search_code" in text
    assert "search_code" in (repo.root / "CLAUDE.md").read_text()
    for folder in (".claude", ".agents"):
        skill = (repo.root / folder / "skills/codecompass/SKILL.md").read_text()
        assert skill.startswith("---\nname: codecompass\n")
        assert len(skill.split("description: ")[1].split("\n")[0]) <= 1024
    run("install", *options, "--instructions", "--skill")
    assert (repo.root / "AGENTS.md").read_text() == text
    for backup in repo.root.rglob("*.bak"):
        backup.unlink()
    run("uninstall", *options)
    for backup in repo.root.rglob("*.bak"):
        backup.unlink()
    assert repo.git("status", "--short") == ""


@pytest.mark.parametrize(
    ("agent", "name", "text"),
    [
        ("claude", ".claude.json", '{"a": 1, // comment\n}'),
        ("claude", ".claude.json", "[1]"),
        ("claude", ".claude.json", '{"mcpServers": 3}'),
        ("codex", ".codex/config.toml", "a = ["),
        ("codex", ".codex/config.toml", "[[mcp_servers]]\na = 1\n"),
        ("codex", ".codex/config.toml", '[mcp_servers."codecompass"]\ncommand = "x"\n'),
        ("codex", ".codex/config.toml", "mcp_servers = {codecompass = {command = 'x'}}\n"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone(
    run: Run, user: Path, agent: str, name: str, text: str
) -> None:
    path = user / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    said = run("install", "--agent", agent, "--agent", "gemini", status=2)["said"]
    assert "nothing was changed in it" in said
    assert "by hand" in said
    assert path.read_text() == text
    assert (user / ".gemini/settings.json").exists()


def test_bytes_of_others_stay(run: Run, user: Path) -> None:
    before = b'{\r\n\t"a": "\\ud83d",\r\n\t"b": "x"\r\n}\r\n'
    path = user / ".claude.json"
    path.write_bytes(before)
    backup = Path(run("install", "--agent", "claude")["changes"][0]["backup"])
    assert backup.read_bytes() == before
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")
    run("uninstall", "--agent", "claude")
    assert path.read_bytes() == before


def test_secrets_of_others_are_not_shown(run: Run, user: Path) -> None:
    token = "ghp_" + "a1" * 18
    servers = {"other": {"command": "x", "env": {"TOKEN": token}}}
    (user / ".claude.json").write_text(json.dumps({"mcpServers": servers}))
    (user / ".claude.json").chmod(0o600)
    found = run("install", "--agent", "claude")
    assert token not in json.dumps(found)
    assert token in (user / ".claude.json").read_text()
    assert Path(found["changes"][0]["backup"]).stat().st_mode & 0o777 == 0o600


def test_comments_behind_our_table_stay(run: Run, user: Path) -> None:
    (user / ".codex").mkdir()
    path = user / ".codex/config.toml"
    path.write_text("a = 1\n")
    run("install", "--agent", "codex")
    path.write_text(path.read_text() + "\n# about the other\n[other]\nb = 2\n")
    run("uninstall", "--agent", "codex")
    assert "# about the other\n[other]" in path.read_text()


def test_links_of_a_project_lead_to_no_file_of_the_user(
    run: Run, repo: Repo, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "claude.json").write_text("{}")
    (outside / "notes.md").write_text("mine\n")
    before = sorted(outside.rglob("*"))
    (repo.root / ".mcp.json").symlink_to(outside / "claude.json")
    (repo.root / "CLAUDE.md").symlink_to(outside / "notes.md")
    (repo.root / ".claude" / "skills").mkdir(parents=True)
    (repo.root / ".claude" / "skills" / "codecompass").symlink_to(outside)
    options = ("--agent", "claude", "--scope", "project")
    said = run("install", *options, "--instructions", "--skill", status=2)["said"]
    assert said.count("leads out of the project") == 3
    assert sorted(outside.rglob("*")) == before
    assert (outside / "notes.md").read_text() == "mine\n"
    run("uninstall", *options, status=2)
    assert sorted(outside.rglob("*")) == before
    (repo.root / "codecompass.toml").symlink_to(outside / "made.toml")
    assert main(["init", "--workspace", str(repo.root)]) == 2
    assert sorted(outside.rglob("*")) == before


def test_a_project_with_our_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = Repo(tmp_path / "codecompass").root
    options = ["--workspace", str(root), "--scope", "project", "--agent", "claude"]
    assert main(["install", *options, "--instructions", "--skill"]) == 0
    assert main(["uninstall", *options]) == 0
    assert sorted(path.name for path in root.iterdir()) == [".claude", ".git"]


def test_what_a_user_wrote_into_a_skill_is_kept(run: Run, user: Path) -> None:
    run("install", "--agent", "claude", "--skill")
    skill = user / ".claude/skills/codecompass/SKILL.md"
    skill.write_text(skill.read_text() + "mine\n")
    changes = run("uninstall", "--agent", "claude")["changes"]
    assert not skill.exists()
    assert any("mine" in Path(item["backup"]).read_text() for item in changes if item["backup"])


def test_links_are_followed(run: Run, user: Path) -> None:
    (user / "dotfiles").mkdir()
    (user / "dotfiles/claude.json").write_text("{}\n")
    (user / ".claude.json").symlink_to(user / "dotfiles/claude.json")
    run("install", "--agent", "claude")
    assert (user / ".claude.json").is_symlink()
    assert "codecompass" in (user / "dotfiles/claude.json").read_text()


def test_the_entry_starts_the_server(run: Run, user: Path) -> None:
    run("install", "--agent", "claude")
    entry = load(user / ".claude.json")["mcpServers"]["codecompass"]
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = subprocess.run(
        [entry["command"], *entry["args"]], input=ping, capture_output=True, timeout=30
    )
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


_VALUES = st.recursive(
    st.booleans() | st.integers(-99, 99) | st.text(st.characters(codec="ascii"), max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
_NAMES = st.text("abc_", min_size=1, max_size=5)


@given(st.dictionaries(_NAMES, _VALUES | st.dictionaries(_NAMES, _VALUES)))
def test_json_comes_back_as_it_was(content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=2)
    put = with_json_entry(text, "mcpServers", "codecompass", {"command": "x"})
    assert json.loads(put) == {**content, "mcpServers": {"codecompass": {"command": "x"}}}
    back = without_json_entry(put, "mcpServers", "codecompass")
    assert (json.loads(back) if back else {}) == content


@given(st.dictionaries(_NAMES, st.integers() | st.booleans()), st.booleans())
def test_toml_comes_back_as_it_was(content: dict[str, Any], has_table: bool) -> None:
    lines = [f"{key} = {json.dumps(value)}" for key, value in content.items()]
    lines += ["[mcp_servers.other]", "command = 'y'"] if has_table else []
    text = "\n".join(lines)
    entry = {"command": "x", "args": ["a", 'b "c"'], "startup_timeout_sec": 20}
    put = with_toml_entry(text, "mcp_servers", "codecompass", entry)
    assert tomllib.loads(put)["mcp_servers"]["codecompass"] == entry
    back = without_toml_entry(put, "mcp_servers", "codecompass")
    assert tomllib.loads(back) == tomllib.loads(text)


@given(st.text(st.sampled_from("ab #\n"), max_size=30))
def test_a_block_comes_and_goes(text: str) -> None:
    put = with_block(text, "use it")
    assert with_block(put, "use it") == put
    assert put.count("use it") == 1
    assert without_block(put).strip() == text.strip()
