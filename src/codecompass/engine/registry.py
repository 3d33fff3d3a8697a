"""A caller's word for a workspace in, the folder it may ask about out."""

import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from codecompass.config.settings import ServerSettings
from codecompass.engine.workspace import enclosing_workspace, open_workspace
from codecompass.errors import (
    BadInput,
    CodeCompassError,
    TooManyJobs,
    WorkspaceForbidden,
    WorkspaceUnknown,
)
from codecompass.model.snapshot import LIVE, Compatibility
from codecompass.source.git import find_repository
from codecompass.source.guard import resolve_workspace
from codecompass.store.repository import RepositoryStore
from codecompass.store.workspaces import KnownWorkspaces

_MINUTE_S = 60.0


class Registry:
    """The workspaces of one server; those it was started for come first."""

    def __init__(
        self,
        workspaces: Sequence[Path],
        settings: ServerSettings,
        home: Path,
        *,
        allowed_roots: Sequence[Path] = (),
        is_auto: bool = False,
        serves_indexed: bool = True,
    ) -> None:
        self.workspaces = tuple(dict.fromkeys(workspaces))
        self.allowed_roots = tuple(allowed_roots)
        self.is_auto = is_auto
        self._serves_indexed = serves_indexed
        self._settings = settings
        self._known = KnownWorkspaces(home)
        self._starts: deque[float] = deque()  # when folders began to be indexed on demand
        self._lock = Lock()

    @property
    def default(self) -> Path:
        """The workspace of questions that name none."""
        return self.workspaces[0]

    def find(self, name: str | None) -> Path:
        """The workspace that a caller names by path, or by the last part of it.

        That is one the server was started for, or a worktree of its repository; one below
        an allowed root; and for callers on this machine, one that has an index already.
        """
        if name is None:
            return self.default
        named = [root for root in self.workspaces if name == root.name]
        if len(named) > 1:
            paths = ", ".join(map(str, named))
            raise BadInput(f"workspace: {name} may be {paths}", remediation="give the whole path")
        if named:
            return named[0]
        folder = resolve_workspace(name)
        top = enclosing_workspace(folder)
        inner_first = sorted(self.workspaces, key=lambda root: -len(root.parts))
        for root in inner_first:
            if folder.is_relative_to(root) and top == enclosing_workspace(root):
                return root
        if self._is_sibling(top):
            return top
        if (self.is_auto or self.allowed_roots) and not self._is_allowed(top):
            allowed = ", ".join(map(str, self.allowed_roots)) or "any allowed root"
            raise WorkspaceForbidden(f"workspace: {top} is not below {allowed}")
        is_open = self._serves_indexed or self._is_allowed(top)
        if not self.is_auto and not (is_open and _is_indexed(top)):
            known = ", ".join(map(str, self.workspaces))
            raise WorkspaceUnknown(f"workspace: {top} is none of {known} and has no index")
        return top

    def _is_allowed(self, root: Path) -> bool:
        return any(root.is_relative_to(allowed) for allowed in self.allowed_roots)

    def _is_sibling(self, root: Path) -> bool:
        """Whether it is a worktree of a repository that the server was started for."""
        place = find_repository(root)
        if place is None:
            return False
        own = (find_repository(known) for known in self.workspaces)
        return any(other is not None and other.common_dir == place.common_dir for other in own)

    def note_use(self, root: Path) -> list[Path]:
        """A workspace is asked about; those found on demand that are forgotten for it."""
        is_auto = root not in self.workspaces
        settings = self._settings
        try:
            self._known.note_use(root, is_auto=is_auto)
            return self._known.forget_auto(
                keep=settings.auto_workspaces, days=settings.auto_keep_days
            )
        except (CodeCompassError, OSError, ValueError):
            return []  # nothing but a memory is lost

    def warm(self) -> list[Path]:
        """The workspaces to open ahead of questions: the default, then those asked last."""
        most = self._settings.warm_workspaces
        try:
            recent = self._known.recent(most * 2)
        except (CodeCompassError, OSError, ValueError):
            recent = []
        others = [
            root
            for root in recent
            if root in self.workspaces or (self.is_auto and self._is_allowed(root))
        ]
        order = dict.fromkeys([self.default, *others])
        return [root for root in order if root.is_dir()][:most]

    def check_rate(self, root: Path) -> None:
        """Refuse to begin with one more folder where too many were begun on demand."""
        if root in self.workspaces:
            return
        with self._lock:
            now = time.monotonic()
            while self._starts and now - self._starts[0] > _MINUTE_S:
                self._starts.popleft()
            most = self._settings.jobs_per_minute
            if len(self._starts) >= most:
                raise TooManyJobs(f"workspace: {most} folders began to be indexed this minute")

    def note_start(self, root: Path) -> None:
        """A folder begins to be indexed on demand."""
        if root not in self.workspaces:
            with self._lock:
                self._starts.append(time.monotonic())


def _is_indexed(root: Path) -> bool:
    workspace = open_workspace(root)
    with RepositoryStore(workspace.layout, workspace.settings.store) as store:
        if store.compatibility() is not Compatibility.COMPATIBLE:
            return False
        return any(
            record.ref == LIVE and record.workspace == str(root) for record in store.snapshots()
        )
