"""One working tree under watch: events in, what changed out."""

import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
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
_MAX_LISTS = 5  # folders may come while they are listed
# Folders without a file to index that are looked at in every question; of more, the rest is
# watched like others.
_MAX_QUIET = 100
# The time of a folder that changed less than two seconds ago may not tell of the next change.
_SETTLED_NS = 2_000_000_000

Stamp = tuple[int, int, int]
"""By what is seen that a file or folder is another one: device, number, time."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """How each folder is kept an eye on."""

    watched: frozenset[str] = frozenset()
    quiet: dict[Path, Stamp] = field(default_factory=dict)  # not watched: looked at when asked


class WatchedTree:
    """Watches every folder of a working tree in which a file to index is.

    Those in which there is none have no watch: whoever asks has their times compared.
    """

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
        self._scratch = scratch
        self._events = events
        self._max_folders = max_folders
        self._is_shared = is_shared
        self._say = say
        self._place: GitPlace | None = None
        self._folders: frozenset[str] = frozenset()
        self._places: list[Stamp] = []  # which folders stand at the root and at git's own
        self._rules: dict[Path, Stamp] = {}  # files outside that say what is listed
        self._quiet: dict[Path, Stamp] = {}  # folders that are not watched
        self._index: dict[Path, Stamp] = {}  # git's file that says what is tracked
        self._is_list_old = True  # whether folders came or went
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
            self.note_other_folders()
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
            if self._places != self._places_now() or self._is_other_outside():
                self.note_other_folders()
            if self._index != _stamps(self._index):
                self._look_at_index()
            if self._is_list_old:
                self._watch_folders(self._events)
        except TooManyFolders as error:
            self._give_up(f"{error.message}; {error.remediation}")
        except CodeCompassError as error:  # git fails while it is being replaced
            self._say(f"{self.root}: {error.message}")
            self.note_other_folders()

    def _is_other_outside(self) -> bool:
        """Whether something has changed in what is not watched."""
        return self._rules != _stamps(self._rules) or self._quiet != _stamps(self._quiet)

    def _places_now(self) -> list[Stamp]:
        git_dir = [self._place.git_dir] if self._place is not None else []
        return [(*_stamp(folder)[:2], 0) for folder in [self.root, *git_dir]]

    def _look_at_index(self) -> None:
        """Git writes its index often; what it tracks changes seldom."""
        self._index = _stamps(self._index)
        tracked = hashlib.sha256(run_git(self.root, ["ls-files", "-z", "--cached"])).digest()
        if tracked != self._tracked:
            self.note_other_folders()
        self._tracked = tracked

    def _watch_folders(self, events: FolderEvents) -> None:
        """Watch what is listed, until a list shows nothing that is not watched yet."""
        self._place = find_repository(self.root)
        self._places = self._places_now()
        self._rules = _stamps(rule_files(self.root, self._scratch, self._place))
        self._index = _stamps([self._place.git_dir / "index"] if self._place else ())
        before, wanted = _Wanted(), self._wanted()
        for _ in range(_MAX_LISTS):
            if before == wanted:
                break
            self._watch_all(events, wanted.watched)
            before, wanted = wanted, self._wanted()
        for folder in self._folders - wanted.watched:
            self._forget(events, folder)
        self._folders, self._quiet = wanted.watched, before.quiet
        self._is_list_old = before != wanted  # what came meanwhile may not be watched yet
        self.changes.note_everything()
        give_back_memory()

    def _wanted(self) -> _Wanted:
        listed = list_folders(self.root, self._scratch, most=self._max_folders)
        if len(listed) > self._max_folders:
            raise TooManyFolders(f"{len(listed):,} folders; allowed: {self._max_folders:,}")
        now = time.time_ns()
        empty = sorted(listed.empty)
        stamps = _stamps(self.root / path for path in empty[:_MAX_QUIET])
        quiet = {path: stamp for path, stamp in stamps.items() if now - stamp[2] > _SETTLED_NS}
        watched = {f"{self.root}/{path}" for path in (*listed.holding, *empty)}
        return _Wanted(frozenset({str(self.root), *watched} - set(map(str, quiet))), quiet)

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
    # Not the time of the last change to its content, which tar and rsync set back.
    return seen.st_dev, seen.st_ino, seen.st_ctime_ns
