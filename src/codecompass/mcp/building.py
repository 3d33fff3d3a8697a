"""A folder in, an index that is there or on its way out; waiting never holds an engine."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codecompass.config.settings import ServerSettings
from codecompass.engine.registry import Registry
from codecompass.errors import Cancelled, CodeCompassError, IndexMissing, TooManyJobs
from codecompass.mcp.engines import Engines
from codecompass.mcp.indexer import Indexer, Run, Tell, in_words, percent
from codecompass.mcp.tools import Tool
from codecompass.model.answer import IndexingStatus
from codecompass.model.snapshot import LIVE, Compatibility
from codecompass.model.source import SourceText
from codecompass.parse.detect import detect_language
from codecompass.source.grep import TextMatch, grep_words
from codecompass.source.read import read_source
from codecompass.text.masks import masked_text, show_masks
from codecompass.text.secrets import find_secrets

_POLL_S = 0.2
_MAX_WAIT_S = 600.0
_WORD = re.compile(r"[^\W\d]\w{2,}")
_WORDS, _LINES = 6, 12
_QUESTIONS = ("query", "name", "symbol")
_MAX_BYTES, _MAX_CHARS = 1_000_000, 160
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


def rising(tell: Tell) -> Tell:
    """Tell only what is more than before: a call may wait for several things."""
    told = 0.0

    def tell_more(done: float, total: float, text: str) -> None:
        nonlocal told
        if done >= told + 1:
            told = done
            tell(done, total, text)

    return tell_more


class Listener:
    """Hears how far the work for one call is, tells its caller, and ends it if he is gone."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Tell, if it is more than before."""
        if self._asked.is_cancelled():
            raise Cancelled("cancelled")
        if self._asked.tell is not None:
            self._asked.tell(percent(stage, done, total), 100, in_words(stage, done, total))


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
        self._ready: set[tuple[Path, str]] = set()  # workspaces and refs that have an index

    def close(self) -> None:
        """End what runs."""
        self._indexer.close()

    def active(self, root: Path) -> Run | None:
        """The run for a workspace that is under way."""
        return self._indexer.active(root)

    def forget(self, root: Path) -> None:
        """The index of a workspace is gone."""
        self._ready = {key for key in self._ready if key[0] != root}

    def sync_behind(self, root: Path) -> None:
        """Bring an index up to date behind an answer; that it fails is seen by the next one."""
        if not self._indexer.failed_lately(root, ""):
            with suppress(OSError):
                self._indexer.start(root, "", most=self._settings.jobs_at_once)

    def make_ready(self, asked: Asked, *, is_broken: bool = False) -> Partial | None:
        """Build an index where there is none; what there is to say if it is not done in time."""
        ref = asked.ref or ""
        if ".." in ref:  # two of them, as git writes it: made ready by the question itself
            ref = ""
        key = (asked.root, ref)
        if key in self._ready:
            return None
        state = Compatibility.CORRUPT if is_broken else self._readiness(asked, ref)
        if state is not Compatibility.COMPATIBLE:
            force = state is not Compatibility.NOT_INDEXED  # made by another version, or broken
            run = self._start(asked, ref, force=force)
            patient = self._settings.progress_wait_s
            if not self._wait(run, asked, patient if asked.tell else self._settings.first_wait_s):
                return _so_far(run, asked)
        if ref in ("", LIVE):  # a branch moves, and is looked at each time
            self._ready.add(key)
        return None

    def _readiness(self, asked: Asked, ref: str) -> Compatibility:
        with self._engines.lease(asked.root, is_cancelled=asked.is_cancelled) as engine:
            return engine.readiness(ref or None)

    def index(self, asked: Asked) -> object:
        """Build or refresh an index; its state afterwards, or how far it is."""
        is_missing = self._readiness(asked, "") is Compatibility.NOT_INDEXED
        if asked.tool.name == "sync_repo" and is_missing:
            said = f"{asked.root} has not been indexed yet"
            raise IndexMissing(said, remediation="index_repo builds it")
        run = self._start(asked, asked.ref or "", force=asked.arguments.get("force") is True)
        if not self._wait(run, asked, self._settings.progress_wait_s):
            return _so_far(run, asked)
        with self._engines.lease(asked.root, extra=1) as engine:
            return engine.status(ref=asked.ref)

    def wait(self, asked: Asked) -> None:
        """Wait until no run is under way, here or in another process."""
        given = asked.arguments.get("timeout_s", 60.0)
        limit = min(given, _MAX_WAIT_S) if isinstance(given, int | float) else 0.0
        deadline = time.monotonic() + limit
        while (left := deadline - time.monotonic()) > 0 and not asked.is_cancelled():
            run = self._indexer.active(asked.root)
            if run is not None:
                self._indexer.wait(run, left, tell=asked.tell, is_cancelled=asked.is_cancelled)
                continue
            with self._engines.lease(asked.root, extra=1) as engine:
                state = engine.status(ref=asked.ref).indexing_status
            if state is not IndexingStatus.INDEXING:
                return
            time.sleep(_POLL_S)

    def _start(self, asked: Asked, ref: str, *, force: bool) -> Run:
        is_new = self._indexer.active(asked.root, ref) is None
        if is_new:
            self._registry.check_rate(asked.root)
        most = self._settings.jobs_at_once
        run = self._indexer.start(asked.root, ref, force=force, most=most)
        if run is None:
            raise TooManyJobs(f"workspace: {most} indexes are being built now")
        if is_new:
            self._registry.note_start(asked.root)
        return run

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
    shown = (_without_secrets(asked.root, match, words) for match in matches)
    return Partial(run.said, run.percent, tuple(match for match in shown if match))


def _without_secrets(root: Path, match: TextMatch, words: Sequence[str]) -> TextMatch | None:
    """A line as it may be shown; None if what was asked for is what may not."""
    source = read_source(root, match.path, max_bytes=_MAX_BYTES, max_line_bytes=_MAX_BYTES)
    if not isinstance(source, SourceText):
        return None
    style = detect_language(match.path, source.text).secrets
    text = masked_text(source.text, find_secrets(source.text, style))
    lines = text.split(b"\n")[match.line - 1 : match.line]
    line = show_masks(lines[0].decode("utf-8", "replace")) if lines else ""
    if not any(word.lower() in line.lower() for word in words):
        return None
    return TextMatch(match.path, match.line, line.strip()[:_MAX_CHARS])
