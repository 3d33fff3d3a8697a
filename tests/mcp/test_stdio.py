"""A real server over pipes: both eras, progress, cancellation, a clean wire, a prompt end."""

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.mcp.client import serving
from tests.mcp.project import MANY


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.anyio
async def test_the_official_client_in_both_eras(root: Path, mode: str) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "codecompass", "serve-mcp", "--workspace", str(root), "--tools", "full"],
        env=dict(os.environ),
    )
    steps: list[float] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        assert total == 100
        assert message
        steps.append(done)

    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) == 21
        found = await client.call_tool("search_code", {"query": "price"}, progress_callback=note)
        assert not found.is_error
        assert found.structured_content is None
        assert found.content[0].text.startswith("index fresh")
        assert steps == sorted(set(steps))
        context = await client.call_tool("get_code_context", {"query": "symbol = Cart > total"})
        graph, code, *_ = context.content
        assert graph.annotations
        assert graph.annotations.priority == 1.0
        assert code.annotations
        assert code.annotations.audience == ["assistant"]
        assert "def total" in code.text
        wrong = await client.call_tool("search_code", {"query": "x", "top_k": "many"})
        assert wrong.is_error
        assert "top_k: given 'many'" in wrong.content[0].text


@pytest.mark.parametrize("is_modern", [True, False])
def test_every_tool_answers(root: Path, is_modern: bool) -> None:
    with serving(root, "--tools", "full", is_modern=is_modern) as client:
        handle = client.call("locate_symbol", name="Cart > total")[0].split("[")[1][:13]
        asked: list[tuple[str, dict[str, object], str]] = [
            ("search_code", {"query": "price"}, "shop/price.py"),
            ("get_code_context", {"query": "symbol = total"}, "def total"),
            ("locate_symbol", {"name": "Priced"}, "class Priced"),
            ("find_references", {"symbol": "Priced > price"}, "complete"),
            ("get_call_graph", {"symbol": handle}, "main"),
            ("get_file_outline", {"path": "shop/cart.py"}, "def total"),
            ("get_file_outline", {"path": "."}, "4 files"),
            ("diff_context", {}, "no difference"),
            ("index_status", {}, "fresh"),
            ("search_with_context", {"query": "total"}, "2 clusters"),
            ("expand_cluster_relationship",
             {"cluster_id": handle, "relationship_type": "callers"}, "main"),
            ("get_symbol_hierarchy", {"symbol": "Cart"}, "supertype"),
            ("find_related_symbols", {"symbol": "Cart"}, "relatives"),
            ("compare_symbol_between_commits",
             {"symbol": "total", "from_ref": "main", "to_ref": "live"}, "unchanged"),
            ("explain_ranking", {"query": "price", "target": "shop/price.py"}, "rank"),
            ("suggest_followup_queries", {"query": "price"}, "best score"),
            ("list_refs", {}, "branch main"),
            ("switch_ref", {"ref": "live"}, "now mean live"),
            ("health_check", {}, "ready"),
            ("sync_repo", {}, "fresh"),
            ("index_repo", {}, "fresh"),
        ]  # fmt: skip
        for tool, arguments, part in asked:
            text, is_error = client.call(tool, **arguments)
            assert not is_error, (tool, text)
            assert part in text, (tool, text)
            assert text.endswith("\n")
            text, is_error = client.call(tool, format="json", **arguments)
            assert not is_error, (tool, text)
            assert isinstance(json.loads(text), dict)


def test_both_eras_on_one_connection(root: Path) -> None:
    with serving(root, is_modern=False) as client:
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
        assert client.ask("initialize", params)["result"]["protocolVersion"] == "2025-06-18"
        client.notify("notifications/initialized", {})
        assert client.ask("ping")["result"] == {}
        client._is_modern = True
        assert client.ask("server/discover")["result"]["supportedVersions"] == ["2026-07-28"]
        assert not client.call("search_code", query="price")[1]


def test_the_first_reply_needs_little_cpu(root: Path) -> None:
    """As much as a few starts of Python: the engine, or the SDK, would take many times that."""
    used = []
    for _ in range(3):  # others may be at work on this machine
        with serving(root, "--tools", "full") as client:
            client.ask("server/discover")
            assert len(client.ask("tools/list")["result"]["tools"]) == 21
            used.append(client.cpu_ms() / _start_of_python_ms())
    assert min(used) <= 7


@pytest.mark.slow
def test_the_first_reply_keeps_its_bar(root: Path) -> None:
    """In milliseconds, for a machine that does nothing else."""
    with serving(root, "--tools", "full") as client:
        client.ask("server/discover")
        client.ask("tools/list")
        assert client.cpu_ms() <= 150


def _start_of_python_ms() -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-P", "-c", "import argparse, json"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def test_errors_say_what_works(root: Path) -> None:
    with serving(root) as client:
        text, is_error = client.call("get_file_outline", path="../../etc/passwd")
        assert is_error
        assert text.startswith("path_outside_workspace: ")
        assert 'works: get_file_outline {"path": "src"}' in text
        assert "Traceback" not in text
        text, is_error = client.call("find_references", symbol="price", limit=0)
        assert is_error
        assert "limit: given 0; allowed: 1 to" in text
        text, is_error = client.call("search_code", query="price", nonsense=1)
        assert is_error
        assert "unknown argument 'nonsense'" in text
        text, is_error = client.call("search_code", query="nothing_like_this_anywhere")
        assert not is_error
        assert "nothing found" in text


def test_what_is_wrong_with_a_workspace_is_said_to_the_call(root: Path) -> None:
    (root / "codecompass.toml").write_text("[index]\nnonsense = 1\n")
    with serving(root) as client:
        client.ask("tools/list")
        text, is_error = client.call("search_code", query="price")
        assert is_error
        assert text.startswith("config_invalid: ")
        (root / "codecompass.toml").unlink()
        assert not client.call("search_code", query="price")[1]
    with serving(root, "--workspace", str(root / "nothing")) as client:
        nothing = str(root / "nothing")
        text, is_error = client.call("search_code", query="price", workspace=nothing)
        assert is_error
        assert text.startswith("workspace_not_found: ")
        assert not client.call("search_code", query="price")[1]
    assert b"nothing': no such folder; left out" in client.said


def test_hostile_frames_do_not_stop_it(root: Path) -> None:
    with serving(root) as client:
        client.write(b"not json\n\n   \n[1,2]\n" + b"{" * 5_000 + b"\n\xff\xfe\xfd\n")
        assert [client.wait(None)["error"]["code"] for _ in range(4)] == [
            -32700, -32600, -32700, -32700,
        ]  # fmt: skip
        client.write(b"x" * (9 * 1024 * 1024) + b"\n")
        assert client.wait(None)["error"]["code"] == -32600
        deep = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"search_code"'
        client.write(deep + b',"arguments":{"query":' + b"[" * 900 + b"]" * 900 + b"}}}\n")
        answer = client.wait(9)
        assert answer["result"]["isError"]
        twice = b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":'
        twice += b'{"name":"index_status","arguments":{"wait":true,"timeout_s":1}}}\n'
        client.write(twice * 2)
        assert {client.wait("a").keys() >= {"error"}, client.wait("a").keys() >= {"error"}}
        assert not client.call("search_code", query="price")[1]


def test_no_call_goes_unanswered(root: Path) -> None:
    with serving(root) as client:
        client.call("locate_symbol", name="Cart")
        for _ in range(20):  # more than there are workers
            text, is_error = client.call("locate_symbol", name="Cart", **{"\ud800": 1})
            assert is_error
            assert "unknown argument" in text
        frame = b'{"jsonrpc":"2.0","id":"same","method":"tools/call","params":'
        frame += b'{"name":"locate_symbol","arguments":{"name":"Cart"}}}\n'
        for _ in range(200):
            client.write(frame)
            assert not client.wait("same")["result"]["isError"]
        # The last frame needs no line end.
        client.write(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
        assert client.process.stdin
        client.process.stdin.close()
        assert client.wait("last")["result"] == {}


def test_nobody_reads_what_it_complains_about(root: Path) -> None:
    (root / "codecompass.toml").write_text("[index]\nnonsense = 1\n")
    code = (
        "import os, subprocess, sys\n"
        "r, w = os.pipe()\n"
        "p = subprocess.Popen([sys.executable, '-m', 'codecompass', 'serve-mcp', '--workspace',"
        f" {str(root)!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=w)\n"
        "os.close(r); os.close(w)\n"
        'ask = b\'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":\'\n'
        'ask += b\'{"name":"index_status"}}\\n\'\n'
        "p.stdin.write(ask); p.stdin.flush()\n"
        "print(p.stdout.readline().decode())\n"
        "p.stdin.close(); p.wait(); p.stdout.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=30
    )
    assert "config_invalid" in done.stdout


def test_a_folder_that_is_gone(root: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "codecompass", "serve-mcp"],
        cwd=gone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    process.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.flush()
    process.stdout.readline()
    gone.rmdir()
    process.stdin.write(
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"index_status"}}\n'
    )
    process.stdin.flush()
    assert "workspace_not_found" in process.stdout.readline()
    process.communicate(timeout=10)


def test_a_cancelled_call_is_not_answered(root: Path) -> None:
    for path, text in MANY.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    with serving(root) as client:
        meta = {"progressToken": "far"}
        call = {"name": "index_status", "arguments": {"wait": True}, "_meta": meta}
        first = client.begin("tools/call", {"name": "search_code", "arguments": {"query": "use"}})
        second = client.begin("tools/call", call)
        client.notify("notifications/cancelled", {"requestId": first})
        client.notify("notifications/cancelled", {"requestId": second})
        client.notify("notifications/cancelled", {"requestId": 4711})
        assert not client.call("locate_symbol", name="use_000_0")[1]
        answered = {message.get("id") for message in client.notes}
        assert not {first, second} & answered


def test_a_first_question_waits_for_its_index_and_tells_how_far_it_is(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, text in MANY.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    monkeypatch.setenv("CODECOMPASS_SERVER_FIRST_WAIT_S", "0.01")
    with serving(root) as client:
        text, is_error = client.call("search_code", query="use")
        assert not is_error
        assert text.startswith("index being built · partial: ")
        assert "many/user_000.py:4 def use_000_0(thing: Priced) -> int:" in text
        assert text.endswith('next: ask again, or index_status {"wait": true}\n')
        params = {
            "name": "search_code",
            "arguments": {"query": "use"},
            "_meta": {"progressToken": 5},
        }
        found = client.ask("tools/call", params)["result"]["content"][0]["text"]
        assert "many/user_" in found
        told = [note["params"] for note in client.notes]
        assert all(note["progressToken"] == 5 and note["total"] == 100 for note in told)
        amounts = [note["progress"] for note in told]
        assert amounts == sorted(set(amounts))


def test_what_changed_is_in_the_next_answer(root: Path) -> None:
    with serving(root) as client:
        assert "no definition" in client.call("locate_symbol", name="fresh_name")[0]
        (root / "shop/new.py").write_text("def fresh_name():\n    return 1\n")
        assert "shop/new.py:1-2" in client.call("locate_symbol", name="fresh_name")[0]


def test_an_index_that_is_thrown_away_is_built_again(root: Path, home: Path) -> None:
    import shutil

    with serving(root) as client:
        assert not client.call("locate_symbol", name="Cart")[1]
        shutil.rmtree(home / "repositories")
        text, is_error = client.call("locate_symbol", name="Cart")
        assert not is_error
        assert "class Cart" in text


def test_only_frames_are_on_the_wire(root: Path, tmp_path: Path) -> None:
    """Whatever prints, by Python, by a file descriptor or from another program."""
    noise = tmp_path / "noise"
    noise.mkdir()
    (noise / "sitecustomize.py").write_text(
        textwrap.dedent("""
        import os, subprocess, sys, threading
        def noise():
            import time
            for _ in range(50):
                print("noise")
                sys.stdout.flush()
                os.write(1, b"noise")
                subprocess.run([sys.executable, "-S", "-E", "-c", "print('noise')"])
                time.sleep(0.02)
        if "serve-mcp" in " ".join(sys.orig_argv):
            import codecompass.mcp.stdio as stdio
            begin = stdio.StdioServer.run
            def run(self):
                threading.Thread(target=noise, daemon=True).start()
                return begin(self)
            stdio.StdioServer.run = run
        """)
    )
    os.environ["PYTHONPATH"] = str(noise)
    try:
        with serving(root) as client:
            for _ in range(5):
                assert not client.call("search_code", query="price")[1]
            client.stop()
            assert b"noise" in client.said
    finally:
        del os.environ["PYTHONPATH"]


def test_it_ends_when_its_input_does(root: Path) -> None:
    with serving(root) as client:
        client.ask("tools/list")
        client.call("search_code", query="price")
        assert client.leave() <= 1.0
        assert client.process.returncode == 0


def test_it_ends_in_the_middle_of_a_call(root: Path) -> None:
    with serving(root) as client:
        client.call("search_code", query="price")
        lock = subprocess.Popen(
            [sys.executable, "-c", _HOLD_LOCK, str(root)],
            stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert lock.stdout
        assert lock.stdout.readline() == "held\n"
        client.begin("tools/call", {"name": "index_repo", "arguments": {}})
        time.sleep(1.0)
        assert client.leave() <= 1.0
        lock.communicate()


_HOLD_LOCK = """
import sys
from pathlib import Path
from codecompass.engine.workspace import open_workspace
from codecompass.store.lock import WriterLock
with WriterLock(open_workspace(sys.argv[1]).layout.lock, 5):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_it_is_told_to(root: Path, number: int) -> None:
    with serving(root) as client:
        client.ask("tools/list")
        started = time.monotonic()
        client.process.send_signal(number)
        client.process.wait(5)
        assert time.monotonic() - started <= 1.0
        assert b"Traceback" not in client.said


def test_it_ends_with_its_parent(root: Path) -> None:
    """Even if somebody else keeps its input open."""
    code = f"""
import os, subprocess, sys
read, write = os.pipe()
os.set_inheritable(write, True)
server = subprocess.Popen(
    [sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", {str(root)!r}],
    stdin=read, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, close_fds=False)
keeper = subprocess.Popen(
    ["sleep", "20"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False)
os.write(write, b'{{"jsonrpc":"2.0","id":1,"method":"ping"}}\\n')
server.stdout.readline()
print(server.pid, keeper.pid, flush=True)
os._exit(0)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=20
    )
    server, keeper = map(int, done.stdout.split())
    try:
        deadline = time.monotonic() + 3
        while Path(f"/proc/{server}").exists() and time.monotonic() < deadline:
            state = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[0]
            if state == "Z":
                break
            time.sleep(0.05)
        else:
            assert not Path(f"/proc/{server}").exists()
    finally:
        os.kill(keeper, signal.SIGKILL)


def test_four_servers_on_one_repository(root: Path) -> None:
    with serving(root) as one, serving(root) as two, serving(root) as three, serving(root) as four:
        clients = [one, two, three, four]
        for turn in range(4):
            (root / f"shop/turn_{turn}.py").write_text(f"def turn_{turn}():\n    return {turn}\n")
            calls = [
                client.begin(
                    "tools/call", {"name": "locate_symbol", "arguments": {"name": f"turn_{turn}"}}
                )
                for client in clients
            ]
            for client, call in zip(clients, calls, strict=True):
                result = client.wait(call)["result"]
                text = result["content"][0]["text"]
                assert not result["isError"], text
                assert f"shop/turn_{turn}.py" in text
