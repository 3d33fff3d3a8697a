"""A folder in, the workspace it stands for out: its root, its repository, its settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codecompass.config.load import load_settings
from codecompass.config.settings import Settings
from codecompass.source.git import find_repository
from codecompass.source.guard import resolve_workspace
from codecompass.store.layout import StoreLayout, layout_for


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder the user works in, and the store of the repository behind it."""

    root: Path
    settings: Settings
    layout: StoreLayout
    is_git: bool
    is_bare: bool = False  # a repository without a working tree
    prefix: str = ""  # of the folder in its repository, with a slash at the end
    git_dir: Path = Path()  # of this worktree
    top: Path = Path()  # of this worktree
    is_main_worktree: bool = False

    @property
    def scratch(self) -> Path:
        """A folder of ours for odds and ends."""
        return self.settings.store.home


def open_workspace(folder: str | Path, flags: Mapping[str, object] | None = None) -> Workspace:
    """The workspace at exactly this folder; worktrees of one repository share its store."""
    root = resolve_workspace(folder)
    settings = load_settings(root, flags=flags)
    place = find_repository(root)
    identity = place.common_dir if place else root
    layout = layout_for(settings.store.home, identity)
    if place is None:
        return Workspace(root, settings, layout, is_git=False)
    return Workspace(
        root,
        settings,
        layout,
        is_git=True,
        is_bare=place.is_bare,
        prefix=place.prefix,
        git_dir=place.git_dir,
        top=place.top_level,
        is_main_worktree=place.git_dir == place.common_dir,
    )


def enclosing_workspace(folder: Path) -> Path:
    """The top of the repository around a folder, or the folder itself."""
    place = find_repository(resolve_workspace(folder))
    return place.top_level if place else folder
