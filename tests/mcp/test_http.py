"""A real server over HTTP: both eras, the guard, the token, limits, many calls at once."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from mcp import Client

from tests.mcp.project import MANY


class HttpServer:
    """A server process on a free port."""

    def __init__(self, root: Path, *options: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [sys.executable, "-m", "codecompass", "serve-mcp", "--transport", "http"]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--workspace", str(root), *options],
            stderr=subprocess.PIPE,
        )
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        deadline = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)
        raise AssertionError(self.stop())

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        found = response.status, response.read().decode()
        connection.close()
        return found

    def post(self, body: bytes, **headers: str) -> int:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        kinds = {"Content-Type": "application/json", "Accept": "application/json"}
        connection.request("POST", "/mcp", body, {**kinds, **headers})
        status = connection.getresponse().status
        connection.close()
        return status

    def stop(self) -> str:
        self.process.terminate()
        _, said = self.process.communicate(timeout=10)
        return said.decode()


@contextlib.contextmanager
def serving(root: Path, *options: str) -> Iterator[HttpServer]:
    server = HttpServer(root, *options)
    try:
        yield server
    finally:
        said = server.stop()
        assert "Traceback" not in said, said


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.anyio
async def test_the_official_client_in_both_eras(root: Path, mode: str) -> None:
    with serving(root) as server:
        async with Client(server.url, mode=mode) as client:
            assert len((await client.list_tools()).tools) == 8
            found = await client.call_tool("search_code", {"query": "price"})
            assert found.content[0].text.startswith("index fresh")
            assert (await client.list_resources()).resources == []
            wrong = await client.call_tool("locate_symbol", {"name": ""})
            assert wrong.is_error
            with pytest.raises(Exception, match="Unknown tool: nothing"):
                await client.call_tool("nothing", {})


@pytest.mark.anyio
async def test_progress_of_a_first_index(root: Path) -> None:
    for path, text in MANY.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    steps: list[float] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        steps.append(done)

    with serving(root) as server:
        async with Client(server.url) as client:
            found = await client.call_tool(
                "search_code", {"query": "use_000"}, progress_callback=note
            )
            assert "many/user_000.py" in found.content[0].text
    assert steps == sorted(set(steps))


@pytest.mark.anyio
async def test_two_hundred_calls_at_once(root: Path) -> None:
    for path, text in MANY.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    with serving(root) as server:
        async with Client(server.url) as client:
            await client.call_tool("index_status", {"wait": True})
            await client.call_tool("search_code", {"query": "use"})

            async def ask(number: int) -> None:
                name = f"use_{number % 60:03}_{number % 6}"
                found = await client.call_tool("locate_symbol", {"name": name})
                text = found.content[0].text
                assert not found.is_error, text
                assert f"many/user_{number % 60:03}.py" in text
                assert "1 of 1 definitions" in text

            await asyncio.gather(*(ask(number) for number in range(200)))
        resident = Path(f"/proc/{server.process.pid}/status").read_text()
        kib = int(resident.split("VmRSS:")[1].split()[0])
        assert kib < 250_000


def test_host_and_origin_are_checked_everywhere(root: Path) -> None:
    with serving(root) as server:
        status, text = server.get("/health")
        assert status == 200
        assert '"status":"ready"' in text or '"status":"warming"' in text
        assert server.get("/health", Host=f"localhost:{server.port}")[0] == 200
        for path in ("/health", "/mcp", "/anything"):
            assert server.get(path, Host="evil.example")[0] == 421
            assert server.get(path, Host=f"127.0.0.1.evil.example:{server.port}")[0] == 421
            assert server.get(path, Origin="http://evil.example")[0] == 403
            assert server.get(path, Origin="null")[0] == 403
            assert server.get(path, Origin="http://localhost:3000")[0] == 403
            assert server.get(path, Origin="http://localhost")[0] == 403
        own = server.get("/health", Origin=f"http://127.0.0.1:{server.port}")
        assert own[0] == 200
        assert server.get("/anything")[0] == 404


def test_hostile_bodies(root: Path) -> None:
    with serving(root) as server:
        assert server.post(b"x" * 2_000_000) == 413
        for body in (b"", b"nonsense", b"[]", b"{}", b"[" * 50_000, b"\xff"):
            assert server.post(body) in {400, 404, 406, 422}
        assert server.get("/health")[0] == 200


def test_a_token(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODECOMPASS_TOKEN", "long-and-random")
    with serving(root) as server:
        assert server.get("/health")[0] == 401
        assert server.get("/health", Authorization="Bearer wrong")[0] == 401
        assert server.get("/health", Authorization="Basic long-and-random")[0] == 401
        assert server.get("/health", Authorization="Bearer long-and-random")[0] == 200


def test_other_addresses_need_a_token(root: Path) -> None:
    command = [sys.executable, "-m", "codecompass", "serve-mcp", "--transport", "http"]
    done = subprocess.run(
        [*command, "--host", "0.0.0.0", "--port", "0", "--workspace", str(root)],  # noqa: S104
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2
    assert "needs a token" in done.stderr
    assert "CODECOMPASS_TOKEN" in done.stderr


def test_it_stops_gracefully(root: Path) -> None:
    server = HttpServer(root)
    assert server.get("/health")[0] == 200
    started = time.monotonic()
    said = server.stop()
    assert time.monotonic() - started < 4
    assert "Traceback" not in said
    assert server.process.returncode == 0


def test_a_taken_port(root: Path) -> None:
    with serving(root) as server:
        command = [sys.executable, "-m", "codecompass", "serve-mcp", "--transport", "http"]
        done = subprocess.run(
            [*command, "--port", str(server.port), "--workspace", str(root)],
            capture_output=True,
            text=True,
            timeout=30,
            env=dict(os.environ),
        )
        assert done.returncode == 2
        assert "address already in use" in done.stderr
        assert "Traceback" not in done.stderr
