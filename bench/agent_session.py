"""Plays an agent with five navigation tasks over stdio and prints what it saw as Markdown.

    python bench/agent_session.py CLONE_OF_SCRAPY > docs/agent-session.md

Every step is taken from the answer before it: no file is read, nothing is searched
otherwise. A task that cannot be solved so ends the session with an error.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from codecompass.text.tokens import estimate_tokens

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
_HANDLE = re.compile(r"\[([0-9a-f]{13})\]")
_CURSOR = re.compile(r"cursor=([\w-]+)")
_MOST_LINES = 22


class Agent:
    """Asks a server, and notes what it asked and what it got."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._last = 0
        self.calls = 0
        self.tokens = 0

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """One request and its result."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("no pipes")
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method}
        self._process.stdin.write(json.dumps({**message, "params": {**params, "_meta": _META}}))
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())["result"]

    def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool; the call and its answer are printed."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(block["text"] for block in result["content"])
        if result["isError"]:
            raise RuntimeError(text)
        tokens = estimate_tokens(text)
        self.calls += 1
        self.tokens += tokens
        told = ", ".join(f"{name}={json.dumps(value)}" for name, value in arguments.items())
        lines = text.rstrip("\n").split("\n")
        rest = len(lines) - _MOST_LINES
        shown = lines if rest <= 3 else [*lines[:_MOST_LINES], f"[{rest} more lines]"]
        print(f"`{tool}` {told} → {tokens} tokens\n\n```text")
        print("\n".join(line[:160].replace("```", "'''") for line in shown))
        print("```\n")
        return text


def find_where(agent: Agent) -> str:
    """Where something is handled."""
    print("## 1. Where are redirects followed, and what stops a redirect loop?\n")
    text = agent.call("search_code", query="where are redirects followed and limited", top_k=5)
    handle = _found(_HANDLE, text)
    text = agent.call("get_code_context", query=f"symbol = {handle}", max_tokens=1500)
    place = _found(re.compile(r"^# (\S+:[\d,-]+)", re.MULTILINE), text)
    limit = _found(re.compile(r"(max_redirect_times|redirect_max_times)"), text)
    return f"{place}; `{limit}` stops it"


def all_callers(agent: Agent) -> str:
    """Everything that a change of a signature touches."""
    print("## 2. The signature of `load_object` shall change: who calls it?\n")
    text = agent.call("locate_symbol", name="load_object")
    handle = _found(_HANDLE, text)
    text = agent.call("get_call_graph", symbol=handle, limit=200)
    count = int(_found(re.compile(r"(\d+) callers"), text))
    files = [line for line in text.splitlines() if re.fullmatch(r"\S+\.py", line)]
    word = "complete" if "\ncomplete" in text else "not complete"
    return f"{count} callers in {len(files)} files; the answer says it is {word}"


def what_changed(agent: Agent) -> str:
    """What a branch did."""
    print("## 3. What did the last 20 commits change in the code, and who calls that?\n")
    text = agent.call(
        "diff_context",
        base="HEAD~20",
        ref="HEAD",
        path_prefix="scrapy/",
        include_callers=True,
    )
    counts = _found(re.compile(r"files · (.*?) · \d+ tokens"), text)
    name = _found(re.compile(r"^  [~+] \S+ \w+ (\S+) \[", re.MULTILINE), text)
    return f"{counts}; first of them `{name}`"


def outline_then_read(agent: Agent) -> str:
    """From a file to the one function that matters."""
    print("## 4. How does the scheduler decide that a request is a duplicate?\n")
    text = agent.call("search_code", query="where are duplicate requests filtered", top_k=4)
    path = _found(re.compile(r"^(scrapy/\S*dupe\S*?\.py)", re.MULTILINE), text)
    text = agent.call("get_file_outline", path=path)
    name = _found(re.compile(r"def (request_seen)\("), text)
    text = agent.call("get_code_context", query=f"symbol = {path} > {name}", max_tokens=1200)
    line = _found(re.compile(r"(if fp in self\.fingerprints|fp in self\.fingerprints)"), text)
    return f"`{name}` in {path}: `{line}`"


def follow_cursor(agent: Agent) -> str:
    """An answer that does not fit."""
    print("## 5. Every use of `Settings`, to the last\n")
    text = agent.call("find_references", symbol="scrapy/settings/__init__.py > Settings", limit=60)
    total = int(_found(re.compile(r"(\d+) uses in"), text))
    pages, seen = 1, _uses(text)
    while cursor := _CURSOR.search(text):
        text = agent.call(
            "find_references",
            symbol="scrapy/settings/__init__.py > Settings",
            limit=60,
            cursor=cursor[1],
        )
        pages += 1
        seen += _uses(text)
    if seen != total:
        raise RuntimeError(f"{seen} of {total} uses")
    return f"{seen} of {total} uses on {pages} pages"


def _uses(text: str) -> int:
    """How many uses the lines of an answer tell."""
    count = 0
    for line in text.splitlines():
        if not re.match(r"  \d", line):
            continue
        for part in line.strip().split(" in ")[0].split("; "):
            for item in part.split(" ")[0].split(","):
                first, _, last = item.partition("-")
                count += int(last or first) - int(first) + 1
    return count


def _found(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    if match is None:
        raise RuntimeError(f"{pattern.pattern} is not in\n{text}")
    return match[1]


@contextmanager
def session(root: Path) -> Iterator[Agent]:
    """A server for one agent."""
    process = subprocess.Popen(
        [sys.executable, "-m", "codecompass", "serve-mcp", "--workspace", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Agent(process)
    finally:
        process.communicate()


def main() -> None:
    """Solve all tasks, print the transcript."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    given = parser.parse_args()
    root = given.repository.resolve()
    print("# An agent's session\n")
    print(
        "Five tasks in a clone of scrapy, solved over stdio with nothing but the answers of the"
        " tools; made by `python bench/agent_session.py`. Long answers are cut here, not on the"
        " wire; tokens are those of the whole answer.\n"
    )
    rows = []
    with session(root) as agent:
        standing = agent.ask("server/discover", {})["instructions"]
        tools = json.dumps(agent.ask("tools/list", {})["tools"], separators=(",", ":"))
        agent.ask("tools/call", {"name": "search_code", "arguments": {"query": "warm up"}})
        agent.ask("tools/call", {"name": "index_status", "arguments": {"wait": True}})
        for task in (find_where, all_callers, what_changed, outline_then_read, follow_cursor):
            calls, tokens = agent.calls, agent.tokens
            answer = task(agent)
            print(f"**Answer:** {answer}.\n")
            rows.append((task.__doc__, agent.calls - calls, agent.tokens - tokens))
    print("## Cost\n\n| task | calls | tokens |\n|---|---|---|")
    for name, calls, tokens in rows:
        print(f"| {str(name).rstrip('.')} | {calls} | {tokens:,} |")
    fixed = estimate_tokens(standing + tools)
    print(f"| all five | {agent.calls} | {agent.tokens:,} |")
    print(f"| tools and instructions, once | – | {fixed:,} |")


if __name__ == "__main__":
    main()
