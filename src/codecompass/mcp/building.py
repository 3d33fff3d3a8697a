"""A folder in, an index that is there or on its way out; waiting never holds an engine."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from codecompass.config.settings import ServerSettings
from codecompass.engine.operations import call_operation
from codecompass.engine.registry import Registry
from codecompass.errors import Cancelled, CodeCompassError, IndexMissing, TooManyJobs
from codecompass.mcp.engines import Engines
from codecompass.mcp.indexer import Indexer, Run, Tell, in_words, percent
from codecompass.mcp.tools import Tool
from codecompass.model.answer import IndexingStatus
from codecompass.model.snapshot import LIVE, Compatibility
from codecompass.source.grep import TextMatch, grep_words

_POLL_S = 0.2
_MAX_WAIT_S = 600.0
_WORD = re.compile(r"[^\W\d]\w{2,}")
_WORDS, _LINES = 6, 12
_QUESTIONS = ("query", "name", "symbol")
_COMMON = frozenset("how what where which when why does the and are for with from that".split())


@dataclass(frozen=True, slots=True)
class Asked:
    """One call while it is answered."""

    tool: Tool
    arguments: Mapping[str, object]  # those of the operation
    root: Path
    is_json: bool
    tell: Tell | None
    is_cancelled: Callable[[], bool]

    @property
    def ref(self) -> str | None:
        """The ref that is asked about, if one is named."""
        given = self.arguments.get("ref")
        return given if isinstance(given, str) else None


class Listener:
    """Hears how far the work for one call is, tells its caller, and ends it if he is gone."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._told = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Tell, if it is more than before."""
        if self._asked.is_cancelled():
            raise Cancelled("cancelled")
        far = percent(stage, done, total)
        if self._asked.tell is not None and far >= self._told + 1:
            self._told = far
            self._asked.tell(far, 100, in_words(stage, done, total))


@dataclass(frozen=True, slots=True)
class Partial:
    """What can be said before there is an index: how far it is, and lines that git finds."""

    progress: str
    percent: float
    results: tuple[TextMatch, ...]
    indexing_status: str = "indexing"
    result_completeness: str = "partial"

    @property
    def text(self) -> str:
        """As it is read."""
        found = f"{len(self.results)} lines of text below" if self.results else "no answer yet"
        return "\n".join(
            [
                f"index being built · partial: {self.progress} ({self.percent:g} %) · {found}",
                *(f"{match.path}:{match.line} {match.text}" for match in self.results),
                'next: ask again, or index_status {"wait": true}',
            ]
        )


class Building:
    """Builds indexes where they are missing and knows how far they are."""

    def __init__(self, engines: Engines, registry: Registry, settings: ServerSettings) -> None:
        self._engines = engines
        self._registry = registry
        self._settings = settings
        self._indexer = Indexer()
        self._ready: set[Path] = set()  # workspaces that have an index

    def close(self) -> None:
        """End what runs."""
        self._indexer.close()

    def active(self, root: Path) -> Run | None:
        """The run for a workspace that is under way."""
        return self._indexer.active(root)

    def forget(self, root: Path) -> None:
        """The index of a workspace is gone."""
        self._ready.discard(root)

    def sync_behind(self, root: Path) -> None:
        """Bring an index up to date behind an answer."""
        self._indexer.ensure(root)

    def make_ready(self, asked: Asked) -> Partial | None:
        """Build an index where there is none; what there is to say if it is not done in time."""
        is_live = asked.ref in (None, LIVE)
        if is_live and asked.root in self._ready:
            return None
        with self._engines.lease(asked.root) as engine:
            state = engine.readiness(asked.ref)
        if state is not Compatibility.COMPATIBLE:
            force = state is not Compatibility.NOT_INDEXED  # made by another version, or broken
            run = self._indexer.active(asked.root) or self._start(asked, force=force)
            patient = self._settings.progress_wait_s
            if not self._wait(run, asked, patient if asked.tell else self._settings.first_wait_s):
                return _so_far(run, asked)
        if is_live:
            self._ready.add(asked.root)
        return None

    def index(self, asked: Asked) -> object:
        """Build or refresh an index; its state afterwards, or how far it is."""
        force = asked.arguments.get("force", False)
        if not isinstance(force, bool) or asked.arguments.keys() - {"force", "ref"}:
            with self._engines.lease(asked.root) as engine:
                call_operation(engine, asked.tool.name, asked.arguments)  # says what is wrong
        if asked.tool.name == "sync_repo":
            with self._engines.lease(asked.root) as engine:
                if engine.readiness() is Compatibility.NOT_INDEXED:
                    said = f"{asked.root} has not been indexed yet"
                    raise IndexMissing(said, remediation="index_repo builds it")
        run = self._start(asked, force=force is True)
        if not self._wait(run, asked, self._settings.progress_wait_s):
            return _so_far(run, asked)
        self._ready.add(asked.root)
        with self._engines.lease(asked.root) as engine:
            return call_operation(engine, "index_status", {"ref": asked.ref})

    def wait(self, asked: Asked) -> None:
        """Wait until no run is under way, here or in another process."""
        given = asked.arguments.get("timeout_s", 60.0)
        limit = float(given) if isinstance(given, int | float) else 0.0
        deadline = time.monotonic() + min(limit, _MAX_WAIT_S)
        while (left := deadline - time.monotonic()) > 0 and not asked.is_cancelled():
            run = self._indexer.active(asked.root)
            if run is not None:
                self._indexer.wait(run, left, tell=asked.tell, is_cancelled=asked.is_cancelled)
                continue
            with self._engines.lease(asked.root) as engine:
                state = engine.status(ref=asked.ref).indexing_status
            if state is not IndexingStatus.INDEXING:
                return
            time.sleep(_POLL_S)

    def _start(self, asked: Asked, *, force: bool) -> Run:
        if self._indexer.active(asked.root) is None:
            self._registry.check_rate(asked.root)
            most = self._settings.jobs_at_once
            if self._indexer.count() >= most:
                raise TooManyJobs(f"workspace: {most} folders are being indexed now")
        return self._indexer.ensure(asked.root, ref=asked.ref or "", force=force)

    def _wait(self, run: Run, asked: Asked, timeout_s: float) -> bool:
        """Whether a run has ended well by then."""
        is_over = self._indexer.wait(
            run, timeout_s, tell=asked.tell, is_cancelled=asked.is_cancelled
        )
        if asked.is_cancelled():
            raise Cancelled("cancelled")
        failure = run.failure
        if failure is not None:
            error = CodeCompassError(failure.message, remediation=failure.remediation)
            error.code = failure.code
            raise error
        return is_over


def _so_far(run: Run, asked: Asked) -> Partial:
    """How far a run is, and lines that git finds meanwhile."""
    given = next((asked.arguments[key] for key in _QUESTIONS if key in asked.arguments), "")
    words = [word for word in _WORD.findall(str(given)) if word.lower() not in _COMMON]
    matches = grep_words(asked.root, words[:_WORDS], _LINES)
    return Partial(run.said, run.percent, tuple(matches))
