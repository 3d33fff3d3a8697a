"""Which snapshot a question sees: looks for changes, resolves refs, indexes what is missing."""

import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from codecompass.engine.layers import Base, Layers
from codecompass.engine.live import LiveTree
from codecompass.engine.semantics import Semantics
from codecompass.engine.workspace import Workspace
from codecompass.errors import (
    BadInput,
    GitFailed,
    IndexDamaged,
    IndexMissing,
    RefMissing,
    WorkspaceMissing,
)
from codecompass.indexing.job import Progress, SyncReport
from codecompass.indexing.trees import (
    absent_submodules,
    is_tree_current,
    lacked_blobs,
    sync_tree,
)
from codecompass.model.answer import Freshness, Seen
from codecompass.model.refs import ResolvedRef
from codecompass.model.snapshot import (
    LIVE,
    FileEntry,
    SnapshotName,
    live_name,
    tree_name,
)
from codecompass.parse.detect import detect_language
from codecompass.source.checkout import is_sparse_checkout
from codecompass.source.objects import GitObjects
from codecompass.source.read import (
    blob_id_on_disk,
    decode_text,
    read_text,
    read_unchanged,
    text_of_bytes,
)
from codecompass.source.refs import check_ref, resolve_ref
from codecompass.store.reader import SnapshotReader
from codecompass.store.repository import RepositoryStore
from codecompass.text.masks import masked_text

_MAX_CURRENT = 1_000


@dataclass(frozen=True, slots=True)
class Target:
    """A snapshot that is ready to be asked."""

    name: SnapshotName
    ref: str  # as the caller named it
    commit: str | None
    freshness: Freshness
    started: float  # monotonic; when the question came
    problem: str = ""  # what kept it from being brought up to date


class Lacking(NamedTuple):
    """What is part of a tree and not here."""

    contents: int  # of files, in a partial clone
    submodules: tuple[str, ...]  # that are not checked out


class View:
    """One snapshot open for one question, with the texts behind it."""

    def __init__(self, views: "Views", target: Target, reader: SnapshotReader) -> None:
        self._views = views
        self.target = target
        self.reader = reader
        self.changed = ""  # a file that is not what was indexed, though nobody said so

    def seen(self, *, is_overlay: bool = False) -> Seen:
        """What is to be said of the state that was asked."""
        target = self.target
        freshness, problem = target.freshness, target.problem
        if self.changed and freshness is Freshness.FRESH:
            freshness, problem = Freshness.STALE, f"{self.changed} has just changed: ask again"
        is_behind = freshness is not Freshness.FRESH
        commit = self.reader.record.head if is_behind else target.commit
        is_sparse = target.ref == LIVE and self._views.is_sparse()
        lacking = self._views.lacking(self.reader)
        return Seen(
            target.ref,
            commit,
            freshness,
            lacking.contents,
            is_overlay,
            problem,
            is_sparse,
            lacking.submodules,
        )

    def elapsed_ms(self) -> int:
        """How long the question has taken, from before its snapshot was made ready."""
        return round((time.monotonic() - self.target.started) * 1000)

    def beside(self, target: Target) -> "View":
        """Another snapshot in the same state of the store."""
        reader = self.reader.beside(target.name)
        if reader is None:
            raise IndexMissing(f"{target.ref} is not indexed any more", remediation="ask again")
        return View(self._views, target, reader)

    def text(self, path: str) -> str | None:
        """A file's text as it was indexed; None if it has changed since or cannot be read."""
        text = self.whole_text(path)
        return None if text is None else self.masked(path, text)

    def whole_text(self, path: str) -> str | None:
        """The same with its secrets, to look in and not to be shown; see `masked`."""
        entry = self.reader.file(path)
        if entry is None:
            return None
        if self.target.name.ref != LIVE:
            text = self._views.text_of_blob(entry)
        else:
            text = read_unchanged(self._views.root, entry)
            if text is None and entry.version_id is not None:
                self.changed = path
        return text

    def unread_text(self, path: str, max_bytes: int) -> str | None:
        """The text of a file that is not indexed, secrets and all; see `masked`.

        "" if it is binary, None if it is too large or cannot be read.
        """
        entry = self.reader.file(path)
        if entry is None:
            return None
        if self.target.name.ref != LIVE:
            raw = self._views.objects.read(entry.blob_id) if entry.blob_id else None
            if raw is None or len(raw) > max_bytes:
                return None
            return text_of_bytes(raw) or ""
        return read_text(self._views.root, path, max_bytes)

    def masked(self, path: str, text: str) -> str:
        """A file's text without its secrets, as it is shown."""
        entry = self.reader.file(path)
        return text if entry is None or self._views.shows_secrets else self._masked(entry, text)

    def _masked(self, entry: FileEntry, text: str) -> str:
        """A text without its secrets; every byte stays in its place."""
        if entry.version_id is not None:
            masks = self.reader.masks(entry.version_id)
        else:
            from codecompass.text.secrets import (
                find_secrets,
            )  # only for files that are not indexed

            raw = text.encode()
            masks = list(find_secrets(raw, detect_language(entry.path, raw).secrets))
        if not masks:
            return text
        return masked_text(text.encode(), masks).decode("utf-8", "replace")

    @property
    def root(self) -> Path:
        """The folder of the workspace."""
        return self._views.root

    def content_id(self, path: str) -> str | None:
        """The id of the content at a path, indexed or not; None if there is no file."""
        if self.target.name.ref == LIVE:
            return blob_id_on_disk(self._views.root, path)
        found = self._views.objects.find([f"{self.target.name.ref}:{path}"])[0]
        return found.id if found is not None and found.kind == "blob" else None

    def overlay(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths whose contents are not the base's."""
        base = self._views.base_of(self.target.ref, self.target.commit)
        if base is None:
            return frozenset()
        theirs = self._views.layers.contents(base.merge_base.tree, paths)
        ours = {path: self.reader.file(path) for path in theirs}
        return frozenset(
            path
            for path, blob_id in theirs.items()
            if (entry := ours[path]) is not None and entry.blob_id != blob_id
        )


class Views:
    """Opens views; the one place that decides whether something is indexed first."""

    def __init__(
        self, workspace: Workspace, store: RepositoryStore, *, can_sync_behind: bool
    ) -> None:
        self._workspace = workspace
        self._store = store
        self.semantics = Semantics(workspace.settings.semantic)
        self.live = LiveTree(workspace, store, self.semantics, can_sync_behind=can_sync_behind)
        self.root = workspace.root
        self.shows_secrets = False  # for a person at a terminal who asked for them
        self.objects = GitObjects(workspace.root)
        self.layers = self._make_layers()
        self._identity: tuple[int, ...] | None = None  # of the folder and the repository
        self._current: set[tuple[SnapshotName, int]] = set()  # trees that need no other look
        self._on_disk: Mapping[str, FileEntry] = {}
        self._lacked: tuple[object, Lacking] = (None, Lacking(0, ()))

    def close(self) -> None:
        """End the processes that were started."""
        self.objects.close()

    def rest(self) -> None:
        """Let go of what is only kept to be quick."""
        self.objects.close()
        self.semantics.rest()
        self._on_disk, self._lacked = {}, (None, Lacking(0, ()))

    def open(self, ref: str | None, progress: Progress) -> AbstractContextManager[View]:
        """The snapshot of a ref, or of the working tree, as it is now."""
        return self.open_target(self.prepare(ref, progress))

    @contextmanager
    def open_target(self, target: Target) -> Generator[View]:
        """A snapshot that was prepared just before; closed, the writer can tidy up behind it."""
        if target.name.ref != LIVE and not self._workspace.is_bare:
            self._on_disk = self._store.files(live_name(self.root)) or {}
        reader = self._store.reader(target.name)
        if reader is None:
            raise IndexMissing(f"{self.root} has not been indexed yet")
        with reader, self._noting_damage():
            view = View(self, target, reader)
            yield view
        if view.changed and target.freshness is Freshness.FRESH:
            self.live.look_again()  # for the next question

    @contextmanager
    def _noting_damage(self) -> Generator[None]:
        """Have the next run look for damage where a question has met some."""
        try:
            with self._store.guarded():
                yield
        except IndexDamaged:
            self._store.note_damage()
            raise

    def prepare(self, ref: str | None, progress: Progress) -> Target:
        """Bring the snapshot of a ref up to date; None means what `switch_ref` chose."""
        with self._noting_damage():
            return self._prepare(ref, progress)

    def _prepare(self, ref: str | None, progress: Progress) -> Target:
        started = time.monotonic()
        self._meet_again()
        self.layers.begin()
        ref = self.meant(ref)
        if ref != LIVE:
            return self._prepare_tree(self.resolve(ref), progress)
        freshness, problem = self.live.make_fresh(progress)
        return Target(self.live.name, LIVE, self.head(), freshness, started, problem)

    def _meet_again(self) -> None:
        """See whether another repository stands here now; what was kept is of the old one."""
        identity = _identity(self.root, self._workspace)
        if identity == self._identity:
            return
        if self._identity is not None:
            self.objects.close()
            self.layers = self._make_layers()
            self._current.clear()
            self.live.forget_look()
        self._identity = identity

    def _make_layers(self) -> Layers:
        return Layers(
            self.objects,
            self._workspace.git_dir,
            prefix=self._workspace.prefix,
            configured=self._workspace.settings.refs.base,
        )

    def head(self) -> str | None:
        """The commit that is checked out; None if there is none."""
        return self.layers.head() if self._workspace.is_git else None

    def name_of(self, ref: str) -> SnapshotName:
        """The name of a ref's snapshot, which need not exist."""
        return live_name(self.root) if ref == LIVE else tree_name(self.resolve(ref).tree)

    def meant(self, ref: str | None) -> str:
        """The ref a caller means by naming none."""
        if ref == LIVE and self._workspace.is_bare:
            raise RefMissing(
                f"ref: {self.root} is a bare repository and has no working tree",
                remediation="give a branch, or leave ref out for HEAD",
            )
        if ref is not None:
            check_ref(ref)
            return ref
        chosen = self._store.default_ref(str(self.root))
        if chosen is None:
            return "HEAD" if self._workspace.is_bare else LIVE
        if not self.objects.find([f"{chosen}^{{commit}}"])[0]:
            raise RefMissing(
                f"ref: {chosen}, which switch-ref chose, is gone",
                remediation="codecompass switch-ref live takes it back",
            )
        return chosen

    def resolve(self, ref: str) -> ResolvedRef:
        """The commit that a ref means now."""
        check_ref(ref)
        if not self._workspace.is_git:
            raise RefMissing(
                f"ref: {ref} means nothing here: {self.root} is not a git repository",
                remediation="leave ref out, or give live",
            )
        return resolve_ref(self.objects, ref, prefix=self._workspace.prefix)

    def base_of(self, ref: str, commit: str | None) -> Base | None:
        """What a ref is based on; None where that cannot be found out."""
        try:
            return self.layers.base_of(ref, commit) if commit else None
        except (BadInput, GitFailed):
            return None

    def prepare_commit(self, commit: str, progress: Progress) -> Target:
        """Bring the snapshot of a commit up to date."""
        return self._prepare_tree(self.resolve(commit), progress)

    def _prepare_tree(self, resolved: ResolvedRef, progress: Progress) -> Target:
        name, started = tree_name(resolved.tree), time.monotonic()
        target = Target(name, resolved.name, resolved.commit, Freshness.FRESH, started)
        if not self._is_ready(target.name):
            self.sync_tree(resolved, progress)
        self._store.note_use(target.name)
        return target

    def lacking(self, reader: SnapshotReader) -> Lacking:
        """What a snapshot lacks; looked for once in each of its states."""
        state = (reader.record.id, reader.record.generation)
        if self._lacked[0] != state:
            files = reader.files()
            found = Lacking(len(lacked_blobs(files)), tuple(sorted(absent_submodules(files))))
            self._lacked = (state, found)
        return self._lacked[1]

    def is_sparse(self) -> bool:
        """Whether only a part of the working tree is checked out."""
        return self._workspace.is_git and is_sparse_checkout(self.root, self._workspace.git_dir)

    def is_ready(self, ref: str) -> bool:
        """Whether a ref can be asked without building its snapshot first."""
        if ref != LIVE:
            return self._is_ready(self.name_of(ref))
        reader = self._store.reader(live_name(self.root))
        if reader is None:
            return False
        with reader:
            return True

    def _is_ready(self, name: SnapshotName) -> bool:
        reader = self._store.reader(name)
        if reader is None:
            return False
        with reader:
            state = (name, reader.record.generation)
            if state in self._current:
                return True
            is_current = is_tree_current(reader, self.root, self._workspace.settings.index)
            if is_current and self.lacking(reader) == Lacking(0, ()):
                if len(self._current) >= _MAX_CURRENT:
                    self._current.clear()
                self._current.add(state)
            return is_current

    def sync_tree(
        self, resolved: ResolvedRef, progress: Progress, *, force: bool = False
    ) -> SyncReport:
        """Publish the snapshot of a commit's tree."""
        return sync_tree(
            self._store,
            self.root,
            resolved,
            settings=self.live.job_settings(),
            progress=self.live.told(progress),
            force=force,
        )

    def text_of_blob(self, entry: FileEntry) -> str | None:
        """The text of a file in a commit: from the disk if it is the same there, else from git."""
        here = self._on_disk.get(entry.path)
        if here is not None and here.blob_id == entry.blob_id:
            text = read_unchanged(self.root, here)
            if text is not None:
                return text
        raw = self.objects.read(entry.blob_id)
        text_bytes = decode_text(raw) if raw is not None else None
        return text_bytes.decode("utf-8", "replace") if text_bytes is not None else None


def _identity(root: Path, workspace: Workspace) -> tuple[int, ...]:
    """Which folder and which repository stand at their paths now."""
    found: list[int] = []
    for folder in (root, workspace.git_dir) if workspace.is_git else (root,):
        try:
            seen = folder.stat()
        except OSError as error:
            raise WorkspaceMissing(
                f"{folder} is gone", remediation="give another workspace, or bring it back"
            ) from error
        found += (seen.st_dev, seen.st_ino)
    return tuple(found)
