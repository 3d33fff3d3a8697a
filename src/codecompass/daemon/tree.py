"""One working tree under watch: events in, what changed out."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from codecompass.daemon.changes import Changes
from codecompass.errors import CodeCompassError
from codecompass.source.events import Event, FolderEvents, TooManyFolders
from codecompass.source.git import GitPlace, find_repository, run_git
from codecompass.source.ignore import IGNORE_FILE
from codecompass.source.memory import give_back_memory
from codecompass.source.mounts import is_remote
from codecompass.source.walk import list_folders

_RULES = frozenset({".gitignore", IGNORE_FILE})
_INDEX, _EXCLUDE = "index", "exclude"  # files of git's own folder that say what is listed


class WatchedTree:
    """Watches the folders of a working tree that hold files to index, and those above them."""

    def __init__(
        self,
        root: Path,
        scratch: Path,
        events: FolderEvents | None,
        *,
        max_folders: int,
        say: Callable[[str], None],
    ) -> None:
        self.root = root
        self.changes = Changes()
        self.problem = ""  # why it cannot be watched; then it has to be looked at each time
        self.is_gone = False
        self._scratch = scratch
        self._events = events
        self._max_folders = max_folders
        self._say = say
        self._place: GitPlace | None = find_repository(root)
        self._folders: frozenset[str] = frozenset()
        self._is_list_old = True  # whether folders came or went
        self._has_other_index = False
        self._tracked = b""
        if events is None:
            self.problem = "this system does not tell what happens in folders"
        elif is_remote(root):
            self.problem = f"{root} is on a network file system, where others change files unseen"

    @property
    def folders(self) -> frozenset[str]:
        """The folders that are watched for this tree."""
        return self._folders

    def take(self, event: Event) -> None:
        """Note what happened in one of the folders."""
        folder, name = Path(event.folder), event.name
        if not name:
            if event.folder == str(self.root):
                self.is_gone = not self.root.is_dir()
            self._note_other_folders()
        elif self._place is not None and folder in (self._place.git_dir, self._info(self._place)):
            self._has_other_index |= name == _INDEX
            if name == _EXCLUDE:
                self._note_other_folders()
        elif event.is_folder:
            if not event.is_write:
                self._note_other_folders()
        elif name in _RULES:
            self._note_other_folders()
        else:
            prefix = "" if folder == self.root else f"{folder.relative_to(self.root).as_posix()}/"
            self.changes.note(f"{prefix}{name}")

    def _note_other_folders(self) -> None:
        self._is_list_old = True
        self.changes.note_everything()

    def refresh(self) -> None:
        """Watch the folders that there are now, before anybody looks at what is in them."""
        if self.problem or self.is_gone or self._events is None:
            self.changes.note_everything()
            return
        try:
            if self._has_other_index:
                self._look_at_index()
            if self._is_list_old:
                self._watch_folders(self._events)
        except TooManyFolders as error:
            self._give_up(f"{error.message}; {error.remediation}")
        except CodeCompassError as error:  # git fails while it is being replaced
            self._say(f"{self.root}: {error.message}")
            self.changes.note_everything()

    def _look_at_index(self) -> None:
        """Git writes its index often; what it tracks changes seldom."""
        tracked = hashlib.sha256(run_git(self.root, ["ls-files", "-z", "--cached"])).digest()
        if tracked != self._tracked:
            self._note_other_folders()
        self._tracked, self._has_other_index = tracked, False

    def _watch_folders(self, events: FolderEvents) -> None:
        self._is_list_old = False
        listed = {str(self.root / folder) for folder in list_folders(self.root, self._scratch)}
        if len(listed) > self._max_folders:
            raise TooManyFolders(f"{len(listed):,} folders; allowed: {self._max_folders:,}")
        wanted = frozenset({str(self.root), *listed, *self._folders_of_git()})
        for folder in self._folders - wanted:
            events.forget(folder)
        self._folders = frozenset(folder for folder in wanted if events.watch(folder))
        self.changes.note_everything()
        give_back_memory()

    def _folders_of_git(self) -> list[str]:
        if self._place is None:
            return []
        return [str(self._place.git_dir), str(self._info(self._place))]

    def _info(self, place: GitPlace) -> Path:
        return place.common_dir / "info"

    def _give_up(self, problem: str) -> None:
        self.problem = problem
        self._say(f"{self.root}: {problem}")
        self.release()
        self.changes.note_everything()

    def release(self) -> None:
        """Watch none of its folders any more."""
        for folder in self._folders:
            if self._events is not None:
                self._events.forget(folder)
        self._folders = frozenset()
