"""The working tree's snapshot: looks for what changed, and syncs as the settings say."""

import time

from codecompass.engine.freshness import Step, next_step
from codecompass.engine.semantics import Semantics
from codecompass.engine.watching import Told, Watching
from codecompass.engine.workspace import Workspace
from codecompass.errors import StoreBusy, StoreError
from codecompass.indexing.job import JobSettings, Progress, SyncReport
from codecompass.indexing.sync import (
    Look,
    look_at_paths,
    look_for_changes,
    real_changes,
    sync_workspace,
)
from codecompass.model.answer import Freshness
from codecompass.model.snapshot import FileDelta, live_name
from codecompass.store.repository import RepositoryStore

_SYNC_POLL_S = 0.02
_LOOK_REST = 10.0  # a look that took long is not made again for so many times as long


class LiveTree:
    """One working tree, for all questions of one engine."""

    def __init__(
        self,
        workspace: Workspace,
        store: RepositoryStore,
        semantics: Semantics,
        *,
        can_sync_behind: bool,
    ) -> None:
        self._workspace = workspace
        self._store = store
        self._semantics = semantics
        self._can_sync_behind = can_sync_behind
        self._root = workspace.root
        self.name = live_name(workspace.root)
        self.watching = Watching(workspace.layout.folder, workspace.root, workspace.settings.watch)
        self.listener: Progress | None = None  # hears of long work, whoever asked for it
        self._fresh_until = 0.0  # monotonic; until then no look at the files is needed
        self._looked_at = self._look_took_s = 0.0  # the last look at all files
        self._problem = ""  # what kept the last question from seeing what changed

    def job_settings(self) -> JobSettings:
        """What a run of the indexer may use."""
        settings = self._workspace.settings
        embedder = self._semantics.embedder()
        return JobSettings(settings.index, settings.refs, embedder, stays=self._can_sync_behind)

    def told(self, progress: Progress) -> Progress:
        """Progress for whoever asked, and for whoever listens to all of it."""
        listener = self.listener
        if listener is None:
            return progress

        def both(stage: str, done: int, total: int) -> None:
            progress(stage, done, total)
            listener(stage, done, total)

        return both

    def forget_look(self) -> None:
        """What was seen is of another folder."""
        self._fresh_until = self._looked_at = self._look_took_s = 0.0

    def make_fresh(self, progress: Progress) -> tuple[Freshness, str]:
        """Look for changes and sync if the settings say so; what kept it from that, if anything.

        A recent look may do.
        """
        started = time.monotonic()
        self._problem = ""
        if started < self._fresh_until:
            return Freshness.FRESH, ""
        found = self._look_and_sync(progress)
        if found is Freshness.FRESH:
            self._fresh_until = started + self._workspace.settings.freshness.recheck_after_s
        return found, self._problem

    def freshen(self, progress: Progress) -> SyncReport | None:
        """Bring the snapshot up to date by what the watcher says, if one runs."""
        look, told = self._look()
        if look is not None and look.delta.is_empty:
            self.watching.note_look(told, look.published)
            return None
        report = self.sync(progress, look=look)
        self.watching.note_look(told, report.state)
        return report

    def sync(
        self, progress: Progress, *, force: bool = False, look: Look | None = None
    ) -> SyncReport:
        """Publish the working tree, as it is or as a look has found it."""
        told = self.watching.ask() if look is None else None
        report = sync_workspace(
            self._store,
            self._root,
            scratch=self._workspace.scratch,
            settings=self.job_settings(),
            progress=self.told(progress),
            force=force,
            look=look,
        )
        self.watching.note_look(told, report.state)
        return report

    def look_again(self) -> None:
        """Look at all files, whatever the watcher says: one has changed without a sign."""
        settings = self._workspace.settings.index
        told = self.watching.ask()
        look = look_for_changes(
            self._store, self._root, scratch=self._workspace.scratch, settings=settings
        )
        self._sync_or_say(lambda *_: None, look, told, must_succeed=False)

    def real_delta(self) -> FileDelta:
        """What has really changed since the last publish."""
        settings = self._workspace.settings.index
        look = look_for_changes(
            self._store, self._root, scratch=self._workspace.scratch, settings=settings
        )
        if look is None or look.delta.is_empty:
            return FileDelta((), ())
        return real_changes(self._store, self._root, look.delta, settings)

    def _look(self) -> tuple[Look | None, Told | None]:
        """What changed since the last publish: as the watcher says, or by a look at all files."""
        scratch, settings = self._workspace.scratch, self._workspace.settings.index
        told = self.watching.ask()
        paths = told.since(self._store.state_of(self.name)) if told else None
        if paths is not None:
            look = look_at_paths(
                self._store, self._root, paths, scratch=scratch, settings=settings
            )
            if look is not None:
                return look, told if paths else None  # nothing new: nobody has to be told
        started = time.monotonic()
        look = look_for_changes(self._store, self._root, scratch=scratch, settings=settings)
        self._looked_at = time.monotonic()
        self._look_took_s = self._looked_at - started
        return look, told

    def _is_look_too_dear(self) -> bool:
        """Whether a look at all files is put off: the last one took long, and was just now."""
        settings = self._workspace.settings.freshness
        is_dear = self._look_took_s > settings.look_s > 0
        if not is_dear or settings.policy == "strict" or not self._can_sync_behind:
            return False
        rest_until = self._looked_at + self._look_took_s * _LOOK_REST
        return time.monotonic() < rest_until and self.watching.ask() is None

    def _look_and_sync(self, progress: Progress) -> Freshness:
        settings = self._workspace.settings.freshness
        if self._is_look_too_dear():
            ago, took = time.monotonic() - self._looked_at, self._look_took_s
            self._problem = f"all files were looked at {ago:.0f} s ago, in {took:.0f} s"
            return Freshness.STALE
        look, told = self._look()
        delta = look.delta if look else None
        step = next_step(delta, settings, can_sync_behind=self._can_sync_behind)
        if step is Step.ANSWER:
            if look is not None:
                self.watching.note_look(told, look.published)
            return Freshness.FRESH
        if step is Step.ANSWER_STALE:
            return Freshness.FRESH if self.real_delta().is_empty else Freshness.STALE
        must_wait = delta is None or settings.policy == "strict"
        if not must_wait and self._store.is_syncing(self.name):
            if self._is_still_syncing():
                return Freshness.SYNCING  # answer from what is published
            look = None  # what was published meanwhile is newer
        return self._sync_or_say(progress, look, told, must_succeed=must_wait)

    def _sync_or_say(
        self, progress: Progress, look: Look | None, told: Told | None, *, must_succeed: bool
    ) -> Freshness:
        """Sync; if that cannot be, the last published state has to do and is said to be old."""
        try:
            report = self.sync(progress, look=look)
        except StoreError as error:  # busy, a full disk, or one that cannot be written
            if must_succeed:
                raise
            if isinstance(error, StoreBusy):
                return Freshness.SYNCING
            if self.real_delta().is_empty:
                return Freshness.FRESH
            self._problem = f"{error.message}; {error.remediation}"
            return Freshness.STALE
        self.watching.note_look(told, report.state)
        return Freshness.FRESH

    def _is_still_syncing(self) -> bool:
        """Whether another process that does the same work is not done in a moment."""
        deadline = time.monotonic() + self._workspace.settings.freshness.wait_s
        while self._store.is_syncing(self.name):
            if time.monotonic() >= deadline:
                return True
            if self.listener is not None:
                self.listener("wait", 0, 0)
            time.sleep(_SYNC_POLL_S)
        return False
