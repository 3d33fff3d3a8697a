"""Where the parts of one repository's store lie."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORIES = "repositories"
"""The folder of all stores in the user's data directory."""

SPARED = frozenset({"writer.lock", "watch.lock", "watch.json"})
"""Files of a store that processes hold; they outlive what is in it."""


REBUILDING = "rebuilding"
"""A folder of a store in which the next one is made."""


def make_private(folder: Path) -> None:
    """Make a folder that only its user can look into, and those above that are missing."""
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    for part in reversed(missing):
        part.mkdir(mode=0o700, exist_ok=True)


@dataclass(frozen=True, slots=True)
class StoreLayout:
    """The folder of one repository in the user's data directory."""

    folder: Path
    origin: Path = Path()  # what it is the store of: a git common directory, or a plain folder

    @property
    def database(self) -> Path:
        """SQLite: everything structured."""
        return self.folder / "facts.db"

    @property
    def lexical(self) -> Path:
        """Tantivy: text."""
        return self.folder / "lexical"

    @property
    def vectors(self) -> Path:
        """Arrays that are mapped into memory: what chunks mean."""
        return self.folder / "vectors"

    @property
    def lock(self) -> Path:
        """Held by the one process that writes."""
        return self.folder / "writer.lock"


def layout_for(home: Path, identity: Path) -> StoreLayout:
    """The store of the repository with this git common directory, or of this plain folder."""
    digest = hashlib.sha256(str(identity).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    name = identity.parent.name if identity.name == ".git" else identity.name
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:40] or "root"
    return StoreLayout(home / REPOSITORIES / f"{readable}-{digest}", identity)
