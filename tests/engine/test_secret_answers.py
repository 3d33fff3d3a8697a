"""No planted secret leaves by any operation, front or format; names and lines do."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.engine.operations import OPERATIONS
from codecompass.source.program import own_command
from tests.conftest import Repo
from tests.mcp.caller import Caller
from tests.text.planted import BODY, KEYS, PLANTED

SECRETS = [planted.secret for planted in PLANTED] + [line[:24] for line in BODY]


def plant(repo: Repo) -> None:
    files = {p.path: p.line.replace("@@", p.secret, 1) + "\n" for p in PLANTED}
    repo.commit({"a.py": "def alpha(): return 1\n"})
    repo.git("checkout", "--quiet", "-b", "secrets")
    repo.commit({**files, **KEYS})
    with Engine.open(repo.root) as engine:
        engine.index()
        engine.index(ref="secrets")


def leaked(text: str) -> set[str]:
    """What of the secrets is in a text, also where it stands as JSON."""
    plain = text.replace("\\/", "/")
    return {secret for secret in SECRETS if secret in plain}


def questions(path: str) -> list[tuple[str, dict[str, object]]]:
    """Calls that would show a file's lines."""
    return [
        ("get_file_outline", {"path": path, "depth": "all"}),
        ("search_code", {"query": f"path:{path} /./", "detail_level": "context"}),
        ("search_code", {"query": path, "detail_level": "context"}),
    ]


GENERAL: list[tuple[str, dict[str, object]]] = [
    ("search_code", {"query": "password", "limit": 100, "detail_level": "context"}),
    ("search_code", {"query": "token secret key", "limit": 100, "detail_level": "context"}),
    ("search_code", {"query": r"/secretline\d/", "limit": 100, "detail_level": "context"}),
    ("search_code", {"query": "use here", "limit": 100, "detail_level": "context"}),
    ("search_code", {"query": "KEY", "mode": "definition", "detail_level": "context"}),
    ("locate_symbol", {"name": "password", "detail_level": "context"}),
    ("locate_symbol", {"name": "KEY", "detail_level": "context"}),
    ("locate_symbol", {"name": "dbPassword", "detail_level": "context"}),
    ("find_references", {"symbol": "KEY", "with_context": True}),
    ("get_code_context", {"query": "where is the password of the database", "max_tokens": 8000}),
    ("get_code_context", {"query": "private key BEGIN", "max_tokens": 8000}),
    ("find_related_symbols", {"symbol": "KEY"}),
    ("search_similar_symbol", {"symbol": "KEY"}),
    ("diff_context", {"ref": "secrets", "base": "main", "limit": 100}),
    ("compare_symbol_between_commits", {"symbol": "KEY", "from_ref": "main", "to_ref": "secrets"}),
    ("index_status", {}),
]


@pytest.mark.parametrize("ref", [None, "secrets"], ids=["live", "ref"])
@pytest.mark.timeout(180)
def test_no_secret_comes_out_of_any_tool(repo: Repo, ref: str | None) -> None:
    plant(repo)
    if ref:
        repo.git("checkout", "--quiet", "main")
    caller = Caller(repo.root)
    found: dict[str, set[str]] = {}
    asked = GENERAL + [call for p in PLANTED for call in questions(p.path)]
    asked += [call for path in KEYS for call in questions(path)]
    seen = ""
    for tool, arguments in asked:
        takes = {item.name for item in OPERATIONS[tool].arguments}
        given = {name: value for name, value in arguments.items() if name in takes}
        if ref and "ref" in takes:
            given["ref"] = ref
        for form in ("text", "json"):
            text, is_error = caller(tool, **given, format=form)
            assert not is_error or "compare" in tool, (tool, given, text)
            seen += text
            if leaked(text):
                found[f"{tool} {given} {form}"] = leaked(text)
    caller.calls.close()
    assert not found
    assert "masked" in seen
    assert "DB_PASSWORD" in seen  # names stay


@pytest.mark.parametrize("ref", [(), ("--ref", "secrets")], ids=["live", "ref"])
def test_no_secret_comes_out_of_the_command_line(repo: Repo, ref: tuple[str, ...]) -> None:
    plant(repo)
    commands = [
        ("search", "password", "-k", "100", "--detail", "context", *ref),
        ("search", r"/secretline\d/", "-k", "100", *ref),
        ("search", "/./", "--all", *ref),
        ("context", "password of the database", "--max-tokens", "8000", *ref),
        ("symbol", "KEY", "--detail", "context", *ref),
        ("outline", ".env", *ref),
        ("outline", "conf.yml", *ref),
        ("diff", "secrets", "--base", "main"),
    ]
    for command in commands:
        for form in ((), ("--json",)):
            words = own_command(*command, *form, "--workspace", str(repo.root))
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            assert done.returncode in {0, 1}, (command, done.stderr)
            assert not leaked(done.stdout + done.stderr), command


def test_what_is_masked_is_not_searchable_by_a_tool(repo: Repo) -> None:
    plant(repo)
    caller = Caller(repo.root)
    for planted in PLANTED:
        query = "/" + re.escape(planted.secret).replace("/", r"\/") + "/"
        text, is_error = caller("search_code", query=query, format="json")
        assert not is_error, text
        assert json.loads(text)["results"] == [], planted.kind
    caller.calls.close()


def test_the_store_holds_no_secret(repo: Repo, engine: Engine) -> None:
    """So neither does an archive of it."""
    plant(repo)
    engine.index()
    engine.index(ref="secrets")
    for file in engine.workspace.layout.folder.rglob("*"):
        if file.is_file():
            raw = file.read_bytes()
            assert not [secret for secret in SECRETS if secret.encode() in raw], file.name


def test_a_person_at_a_terminal_may_see_secrets(repo: Repo) -> None:
    repo.commit({"conf.yml": "password: yamlsecret123\n"})
    words = own_command("search", "/password/", "--show-secrets", "--workspace", str(repo.root))
    piped = subprocess.run(words, capture_output=True, text=True, check=False)
    assert piped.returncode == 2
    assert "terminal only" in piped.stderr
    master, terminal = pty.openpty()
    process = subprocess.Popen(words, stdout=terminal, stderr=subprocess.PIPE)
    os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(master, 10_000)
        except OSError:
            break
        if not part:
            break
        shown += part
    process.communicate()
    os.close(master)
    assert b"yamlsecret123" in shown


def test_lines_found_while_the_index_is_built_are_masked(tmp_path: Path) -> None:
    from codecompass.mcp.building import _without_secrets
    from codecompass.source.grep import grep_words

    Repo(tmp_path).write({"conf.yml": "password: yamlsecret123\n", "b.yml": "x: password\n"})
    matches = grep_words(tmp_path, ["password"], 10)
    shown = [_without_secrets(tmp_path, match, ["password"]) for match in matches]
    assert sorted(match.text for match in shown if match) == ["password: masked", "x: password"]
    hidden = grep_words(tmp_path, ["yamlsecret123"], 10)
    assert [_without_secrets(tmp_path, match, ["yamlsecret123"]) for match in hidden] == [None]


def test_a_changed_secret_is_a_changed_file(repo: Repo) -> None:
    """The value is not told, that something has changed is."""
    repo.commit({"conf.yml": "user: joe\npassword: yamlsecret123\n"})
    repo.commit({"conf.yml": "user: joe\npassword: yamlsecret124\n"})
    command = own_command("diff", "main", "--base", "main~1", "--workspace", str(repo.root))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "conf.yml" in done.stdout
    assert "yamlsecret" not in done.stdout
