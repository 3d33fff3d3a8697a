"""The log of calls in, how long tools took and how much they said out."""

import json
from pathlib import Path

from codecompass.model.answer import CallMetrics

CALLS_LOG = Path("logs") / "calls.jsonl"
_READ_BYTES = 500_000  # of the end: some thousand calls


def call_metrics(home: Path, workspace: str) -> tuple[CallMetrics, ...]:
    """What the last calls about a workspace took, by tool; the one called most first."""
    durations: dict[str, list[int]] = {}
    tokens: dict[str, list[int]] = {}
    errors: dict[str, int] = {}
    for line in _last_lines(home / CALLS_LOG):
        try:
            said = json.loads(line)
            if said["workspace"] != workspace:
                continue
            tool = str(said["tool"])
            durations.setdefault(tool, []).append(int(said["duration_ms"]))
            tokens.setdefault(tool, []).append(int(said.get("tokens", 0)))
            errors[tool] = errors.get(tool, 0) + (said["outcome"] not in ("ok", "cancelled"))
        except (ValueError, KeyError, TypeError):
            continue
    found = [
        CallMetrics(
            tool,
            len(times),
            errors[tool],
            _part(times, 0.5),
            _part(times, 0.95),
            _part(tokens[tool], 0.5),
        )
        for tool, times in durations.items()
    ]
    return tuple(sorted(found, key=lambda item: (-item.calls, item.tool)))


def _last_lines(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as log:
            size = path.stat().st_size
            log.seek(max(0, size - _READ_BYTES))
            lines = log.read().splitlines()
    except OSError:
        return []
    return lines[1:] if size > _READ_BYTES else lines


def _part(values: list[int], share: float) -> int:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
