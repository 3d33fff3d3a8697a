"""A caller's word for a workspace in, the folder it may ask about out."""

import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from codecompass.config.settings import ServerSettings
from codecompass.engine.workspace import enclosing_workspace, open_workspace
from codecompass.errors import (
    CodeCompassError,
    TooManyJobs,
    WorkspaceForbidden,
    WorkspaceUnknown,
)
from codecompass.model.snapshot import LIVE, Compatibility
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
    ) -> None:
        self.workspaces = tuple(dict.fromkeys(workspaces))
        self.allowed_roots = tuple(allowed_roots)
        self.is_auto = is_auto
        self._settings = settings
        self._known = KnownWorkspaces(home)
        self._starts: deque[float] = deque()  # when folders began to be indexed on demand
        self._lock = Lock()

    @property
    def default(self) -> Path:
        """The workspace of questions that name none."""
        return self.workspaces[0]

    def find(self, name: str | None) -> Path:
        """The workspace that a caller names by path, or by the last part of it."""
        if name is None:
            return self.default
        for root in self.workspaces:
            if name == root.name:
                return root
        folder = resolve_workspace(name)
        for root in self.workspaces:
            if folder.is_relative_to(root):
                return root
        root = enclosing_workspace(folder)
        is_inside = any(root.is_relative_to(allowed) for allowed in self.allowed_roots)
        if self.allowed_roots and not is_inside:
            allowed = ", ".join(map(str, self.allowed_roots))
            raise WorkspaceForbidden(f"workspace: {root} is not below {allowed}")
        if _is_indexed(root):
            return root
        if not self.is_auto:
            known = ", ".join(map(str, self.workspaces))
            raise WorkspaceUnknown(f"workspace: {root} is none of {known} and has no index")
        return root

    def note_use(self, root: Path) -> None:
        """A workspace is asked about; of those found on demand only so many are remembered."""
        is_auto = root not in self.workspaces
        try:
            self._known.note_use(root, is_auto=is_auto)
            if is_auto:
                settings = self._settings
                self._known.forget_auto(
                    keep=settings.auto_workspaces, days=settings.auto_keep_days
                )
        except (CodeCompassError, OSError):
            return  # nothing but a memory is lost

    def warm(self) -> list[Path]:
        """The workspaces to open ahead of questions: the default, then those asked last."""
        most = self._settings.warm_workspaces
        try:
            recent = self._known.recent(most * 2)
        except (CodeCompassError, OSError):
            recent = []
        others = [root for root in recent if root in self.workspaces or self.is_auto]
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
            self._starts.append(now)


def _is_indexed(root: Path) -> bool:
    workspace = open_workspace(root)
    with RepositoryStore(workspace.layout, workspace.settings.store) as store:
        if store.compatibility() is not Compatibility.COMPATIBLE:
            return False
        return any(
            record.ref == LIVE and record.workspace == str(root) for record in store.snapshots()
        )
