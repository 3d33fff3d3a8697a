"""What the watcher of a repository says of a working tree, for whoever is about to look."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codecompass.config.settings import WatchSettings
from codecompass.source.watch import ask_watcher


@dataclass(frozen=True, slots=True)
class Told:
    """What changed since a state was published; `paths` is None where anything may have."""

    watcher: str
    moment: int
    base: str
    paths: tuple[str, ...] | None

    def since(self, state: str) -> tuple[str, ...] | None:
        """The paths that changed since a state; None if that is not known."""
        return self.paths if self.base == state else None


class Watching:
    """Asks the watcher of a store; where there is none, nothing is known."""

    def __init__(self, store: Path, root: Path, settings: WatchSettings) -> None:
        self._store = store
        self._root = root
        self._timeout_s = settings.timeout_s

    def ask(self) -> Told | None:
        """What changed up to now."""
        said = self._ask({"op": "look", "root": str(self._root)})
        if said is None or "watcher" not in said:
            return None
        try:
            paths = said["paths"]
            told = None if paths is None else tuple(str(path) for path in paths)
            return Told(str(said["watcher"]), int(said["moment"]), str(said["base"]), told)
        except (KeyError, TypeError, ValueError):
            return None

    def note_look(self, told: Told | None, state: str) -> None:
        """All that was told has been looked at; this state is published."""
        if told is not None:
            look = {"op": "seen", "root": str(self._root), "watcher": told.watcher}
            self._ask({**look, "moment": told.moment, "base": state})

    def status(self) -> dict[str, Any] | None:
        """What the watcher does; None if there is none."""
        found = self._ask({"op": "status"})
        return found if found and "error" not in found else None

    def in_words(self) -> str | None:
        """Who watches this workspace, and how; None if nobody does."""
        found = self.status()
        trees = found["trees"] if found else []
        tree = next((item for item in trees if item["root"] == str(self._root)), None)
        if found is None or tree is None:
            return None
        how = tree["problem"] or f"{tree['folders']:,} folders"
        return f"process {found['process']}, {how}"

    def _ask(self, question: dict[str, object]) -> dict[str, Any] | None:
        return ask_watcher(self._store, question, timeout_s=self._timeout_s)
