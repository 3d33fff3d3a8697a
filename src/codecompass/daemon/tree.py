"""One working tree under watch: events in, what changed out."""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from codecompass.daemon.changes import Changes
from codecompass.errors import CodeCompassError
from codecompass.source.events import Event, FolderEvents, TooManyFolders
from codecompass.source.folders import list_folders, rule_files
from codecompass.source.git import GitPlace, find_repository, run_git
from codecompass.source.ignore import IGNORE_FILE
from codecompass.source.memory import give_back_memory
from codecompass.source.mounts import is_remote

_RULES = frozenset({".gitignore", IGNORE_FILE})
_INDEX = "index"  # the file of git's own folder that says what is tracked
_MAX_LISTS = 5  # folders may come while they are listed

Stamp = tuple[int, int, int]
"""By what is seen that a file or folder is another one: device, number, time."""


class WatchedTree:
    """Watches every folder of a working tree in which a file to index may be."""

    def __init__(
        self,
        root: Path,
        scratch: Path,
        events: FolderEvents | None,
        *,
        max_folders: int,
        is_shared: Callable[[str], bool],
        say: Callable[[str], None],
    ) -> None:
        """`is_shared` says whether another tree watches a folder too."""
        self.root = root
        self.changes = Changes()
        self.problem = ""  # why it cannot be watched; then it has to be looked at each time
        self.is_gone = False
        self._git_dir: Path | None = None  # of the repository that it was first seen in
        self._scratch = scratch
        self._events = events
        self._max_folders = max_folders
        self._is_shared = is_shared
        self._say = say
        self._place: GitPlace | None = None
        self._folders: frozenset[str] = frozenset()
        self._places: list[Stamp] = []  # which folders stand at the root and at git's own
        self._rules: dict[Path, Stamp] = {}  # files outside that say what is listed
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

    @property
    def has_left(self) -> bool:
        """Whether the folder is gone, or the repository whose working tree it was."""
        is_loose = self._git_dir is not None and not self._git_dir.exists()
        return is_loose or not self.root.is_dir()

    def take(self, event: Event) -> None:
        """Note what happened in one of the folders."""
        folder, name = Path(event.folder), event.name
        if not name:
            if event.folder == str(self.root):
                self.is_gone = not self.root.is_dir()
            self.note_other_folders()
        elif self._place is not None and folder == self._place.git_dir:
            self._has_other_index |= name == _INDEX
        elif event.is_folder or name in _RULES:
            self.note_other_folders()
        else:
            prefix = "" if folder == self.root else f"{folder.relative_to(self.root).as_posix()}/"
            self.changes.note(f"{prefix}{name}")

    def note_other_folders(self) -> None:
        """Any file may have changed, and any folder."""
        self._is_list_old = True
        self.changes.note_everything()

    def refresh(self) -> None:
        """Watch the folders that there are now, before anybody looks at what is in them."""
        if self.problem or self.is_gone or self._events is None:
            self.changes.note_everything()
            return
        try:
            if self._places != self._places_now() or self._rules != _stamps(self._rules):
                self.note_other_folders()
            if self._has_other_index:
                self._look_at_index()
            if self._is_list_old:
                self._watch_folders(self._events)
        except TooManyFolders as error:
            self._give_up(f"{error.message}; {error.remediation}")
        except CodeCompassError as error:  # git fails while it is being replaced
            self._say(f"{self.root}: {error.message}")
            self.note_other_folders()

    def _places_now(self) -> list[Stamp]:
        git_dir = [self._place.git_dir] if self._place is not None else []
        return [(*_stamp(folder)[:2], 0) for folder in [self.root, *git_dir]]

    def _look_at_index(self) -> None:
        """Git writes its index often; what it tracks changes seldom."""
        tracked = hashlib.sha256(run_git(self.root, ["ls-files", "-z", "--cached"])).digest()
        if tracked != self._tracked:
            self.note_other_folders()
        self._tracked, self._has_other_index = tracked, False

    def _watch_folders(self, events: FolderEvents) -> None:
        """Watch what is listed, until a list shows nothing that is not watched yet."""
        self._place = find_repository(self.root)
        if self._place is not None and self._git_dir is None:
            self._git_dir = self._place.git_dir
        self._places = self._places_now()
        self._rules = _stamps(rule_files(self.root, self._scratch, self._place))
        wanted: frozenset[str] = frozenset()
        for _ in range(_MAX_LISTS):
            before, wanted = wanted, self._wanted()
            if before == wanted:
                break
            self._watch_all(events, wanted)
        for folder in self._folders - wanted:
            self._forget(events, folder)
        self._folders = wanted
        self._is_list_old = False
        self.changes.note_everything()
        give_back_memory()

    def _wanted(self) -> frozenset[str]:
        listed = list_folders(self.root, self._scratch, most=self._max_folders)
        if len(listed) > self._max_folders:
            raise TooManyFolders(f"{len(listed):,} folders; allowed: {self._max_folders:,}")
        by_git = [str(self._place.git_dir)] if self._place is not None else []
        return frozenset({str(self.root), *(f"{self.root}/{path}" for path in listed), *by_git})

    def _watch_all(self, events: FolderEvents, folders: Iterable[str]) -> None:
        """Watch folders, also those known already: another one may stand there now."""
        added = []
        try:
            for folder in folders:
                events.watch(folder)
                added.append(folder)
        except TooManyFolders:
            for folder in added:
                self._forget(events, folder)
            raise

    def _forget(self, events: FolderEvents, folder: str) -> None:
        if not self._is_shared(folder):
            events.forget(folder)

    def _give_up(self, problem: str) -> None:
        self.problem = problem
        self._say(f"{self.root}: {problem}")
        self.release()
        self.changes.note_everything()

    def release(self) -> None:
        """Watch none of its folders any more."""
        folders, self._folders = self._folders, frozenset()
        for folder in folders:
            if self._events is not None:
                self._forget(self._events, folder)


def _stamps(paths: Iterable[Path]) -> dict[Path, Stamp]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> Stamp:
    try:
        seen = path.stat()
    except OSError:
        return (0, 0, 0)
    return seen.st_dev, seen.st_ino, seen.st_mtime_ns
