"""Answers in, what a client gets out: blocks of text under a cap, without secrets."""

from typing import Any

from codecompass.errors import CodeCompassError
from codecompass.mcp.tools import Tool
from codecompass.model.context_answer import ContextAnswer
from codecompass.present.context_text import context_parts
from codecompass.present.render import Budget, as_json, rendered, rendered_json
from codecompass.text.secrets import mask_secrets
from codecompass.text.visible import visible

Block = dict[str, Any]
_ERROR_CHARS = 2_000
_COMMANDS = {
    "codecompass refs-list": "list_refs",
    "codecompass switch-ref live": 'switch_ref {"ref": "live"}',
    "codecompass index --force": 'index_repo {"force": true}',
    "codecompass status": "index_status",
    "codecompass sync": "sync_repo",
}
_NO_TOKENS = 1_000_000  # JSON is bounded by its characters


def blocks(answer: object, budget: Budget, *, is_json: bool = False) -> list[Block]:
    """An answer as text, the most important block first."""
    if is_json:
        return [block(rendered_json(answer, Budget(_NO_TOKENS, budget.characters)))]
    if not isinstance(answer, ContextAnswer):
        return [block(rendered(answer, budget))]
    graph, *others = context_parts(answer)
    priorities = [item.priority for item in answer.snapshots]
    lower = min(priorities, default=0.0)
    ranks = [1.0, *priorities, *[lower] * (len(others) - len(priorities))]
    falling = [min(ranks[: place + 1]) for place in range(len(ranks))]
    return [
        {**block(text), "annotations": {"audience": ["assistant"], "priority": priority}}
        for text, priority in zip([graph, *others], falling, strict=True)
    ]


def block(text: str) -> Block:
    """A block of text; some clients put blocks together without a line end."""
    plain = text.encode("utf-8", "replace").decode()  # names of files may be no text
    return {"type": "text", "text": visible(mask_secrets(plain)).rstrip("\n") + "\n"}


def length(content: list[Block]) -> int:
    """How many characters a client counts."""
    return sum(len(item["text"]) for item in content)


def capped(content: list[Block], most: int) -> list[Block]:
    """What is left under the cap, whole lines only; it says so where that is not all."""
    if length(content) <= most:
        return content
    said = "cut: the answer is longer than clients take; ask for less, or narrow the question\n"
    kept: list[Block] = []
    room = most - len(said)
    for item in content:
        text = item["text"][:room]
        if len(text) < len(item["text"]):
            text = text[: text.rfind("\n") + 1]
        room -= len(text)
        if text:
            kept.append({**item, "text": text})
    return [*kept, block(said)]


def error_content(error: CodeCompassError, tool: Tool) -> list[Block]:
    """What went wrong, why, what is allowed, and a call that works."""
    lines = [f"{error.code}: {_short(error.message)}"]
    if error.remediation:
        lines.append(f"try: {_short(_as_tools(error.remediation))}")
    lines.append(f"works: {tool.name} {as_json(dict(tool.example))}")
    return [block("\n".join(lines))]


def _short(text: str) -> str:
    return text if len(text) <= _ERROR_CHARS else f"{text[:_ERROR_CHARS]} …"


def _as_tools(remediation: str) -> str:
    """Advice that names commands, as the tools that do the same."""
    for command, tool in _COMMANDS.items():
        remediation = remediation.replace(f"`{command}`", tool).replace(command, tool)
    return remediation
