"""What is known to have changed in one working tree since somebody looked; pure."""

from dataclasses import dataclass, field

# Looking at more files one by one costs as much as looking at all of them.
_MAX_PATHS = 1_000


@dataclass(slots=True)
class Changes:
    """Paths that changed, each with the moment at which it did; moments are counted."""

    now: int = 0
    base: str = ""  # the published state since which these are all changes
    paths: dict[str, int] = field(default_factory=dict)
    everything: int = 1  # the moment since which any path may have changed; 0: none

    def note(self, path: str) -> None:
        """A path changed."""
        self.now += 1
        self.paths[path] = self.now
        if len(self.paths) > _MAX_PATHS:
            self.note_everything()

    def note_everything(self) -> None:
        """Any path may have changed."""
        self.now += 1
        self.everything = self.now
        self.paths.clear()

    @property
    def is_clean(self) -> bool:
        """Whether nothing changed since somebody looked."""
        return not self.paths and not self.everything

    def told(self) -> dict[str, object]:
        """For whoever is about to look."""
        paths = None if self.everything else sorted(self.paths)
        return {"moment": self.now, "base": self.base, "paths": paths}

    def note_look(self, moment: int, base: str) -> None:
        """Somebody has looked at all that had changed by a moment, and published a state."""
        if moment > self.now:
            return  # said of another watcher, before this one began
        self.base = base
        self.paths = {path: at for path, at in self.paths.items() if at > moment}
        if self.everything <= moment:
            self.everything = 0
