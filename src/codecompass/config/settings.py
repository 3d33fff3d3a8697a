"""Every tunable number, in small frozen parts, one for each consumer."""

from dataclasses import dataclass, field, fields
from pathlib import Path


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What is read and how the work is divided."""

    max_file_bytes: int = 1_048_576  # larger files are data; skipped and counted
    max_line_bytes: int = 20_000  # longer lines are minified code; skipped and counted
    workers: int = 0  # processes that extract; 0: one for each CPU, at most 8
    inline_files: int = 50  # up to so many files are extracted without starting workers
    commit_files: int = 2_000  # after so many files what was extracted is made durable


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where indexes live and how the engines are tuned."""

    home: Path = Path()  # filled in by `load`: the user's data directory or CODECOMPASS_HOME
    busy_timeout_s: float = 10.0  # how long a writer waits for another one
    cache_mib: int = 32  # SQLite page cache
    writer_memory_mib: int = 64  # what Tantivy collects before it writes a segment


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """What a query does when files have changed since the last sync."""

    policy: str = "balanced"  # strict | balanced | best_effort
    sync_files: int = 200  # balanced: up to so many changed files are synced before answering


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How much an answer holds."""

    max_results: int = 50  # matches in one answer; more are counted and said to be left out
    max_suggestions: int = 5  # similar names told when nothing was found


@dataclass(frozen=True, slots=True)
class Settings:
    """All parts, and for each value that is not a default, where it comes from."""

    index: IndexSettings = field(default_factory=IndexSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    freshness: FreshnessSettings = field(default_factory=FreshnessSettings)
    answers: AnswerSettings = field(default_factory=AnswerSettings)
    origins: dict[str, str] = field(default_factory=dict)  # "index.workers" → "CODECOMPASS_…"

    def items(self) -> list[tuple[str, object, str]]:
        """Each setting with its value and origin, in the order they are declared."""
        rows: list[tuple[str, object, str]] = []
        for part_name in PARTS:
            part = getattr(self, part_name)
            for item in fields(part):
                key = f"{part_name}.{item.name}"
                origin = self.origins.get(key, "default")
                rows.append((key, getattr(part, item.name), origin))
        return rows


PARTS = {
    "index": IndexSettings,
    "store": StoreSettings,
    "freshness": FreshnessSettings,
    "answers": AnswerSettings,
}
"""The parts by the name they have in configuration files."""
