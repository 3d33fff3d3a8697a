"""A tool and its arguments in, blocks of text out: the one way from every transport to engines."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codecompass.config.load import load_settings
from codecompass.config.settings import Settings
from codecompass.engine.engine import Engine
from codecompass.engine.health import limits, whole_health, workspace_health
from codecompass.engine.operations import call_operation, check_arguments
from codecompass.engine.registry import Registry
from codecompass.engine.workspace import enclosing_workspace
from codecompass.errors import (
    BadInput,
    Cancelled,
    CodeCompassError,
    IndexIncompatible,
    IndexMissing,
)
from codecompass.mcp.audit import AuditLog, Entry
from codecompass.mcp.building import Asked, Building, Listener, Partial, rising
from codecompass.mcp.complaints import complain, say
from codecompass.mcp.content import Block, block, blocks, capped, error_content, length
from codecompass.mcp.engines import Engines
from codecompass.mcp.indexer import Tell
from codecompass.mcp.resting import Resting
from codecompass.mcp.tools import Tool
from codecompass.mcp.watchers import Watchers
from codecompass.model.answer import Freshness, Meta
from codecompass.model.context_answer import ContextAnswer
from codecompass.model.health import HealthAnswer, WorkspaceHealth
from codecompass.model.snapshot import Compatibility
from codecompass.present.render import Budget, as_json
from codecompass.source.guard import resolve_workspace
from codecompass.source.refs import check_ref
from codecompass.text.tokens import estimate_tokens

_JSON = "json"
_REFS = ("ref", "base", "from_ref", "to_ref")
_FORMATS = ("text", _JSON)
_INDEXING = frozenset({"index_repo", "sync_repo"})
_WITHOUT_INDEX = frozenset({"list_refs", "switch_ref"})
_ATTEMPTS = 4
_STALE = 'many files changed since and are being read: index_status {"wait": true}, then ask again'


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What a server was started with."""

    workspaces: Sequence[str] = ()
    allowed_roots: Sequence[str] = ()
    is_auto: bool = False
    is_prewarmed: bool = True
    transport: str = "stdio"
    is_local: bool = True  # nobody from elsewhere can ask


class Calls:
    """Answers calls of tools, from any thread."""

    def __init__(self, options: ServeOptions) -> None:
        first, *others = options.workspaces or (str(enclosing_workspace(resolve_workspace("."))),)
        roots = [resolve_workspace(first), *_existing(others)]
        self._settings: Settings = load_settings(roots[0])
        server = self._settings.server
        self._registry = Registry(
            roots,
            server,
            self._settings.store.home,
            allowed_roots=_existing(options.allowed_roots),
            is_auto=options.is_auto,
            serves_indexed=options.is_local,
        )
        self._engines = Engines(for_each=server.engines, workspaces=server.warm_workspaces)
        self._building = Building(self._engines, self._registry, server)
        self._watchers = Watchers(self._settings.watch)
        self._resting = Resting(self._engines.rest, server.rest_after_s, server.memory_mib)
        self._audit = AuditLog(self._settings.store.home, is_on=server.audit)
        self._options = options
        self._noted: dict[Path, float] = {}
        self._started = time.monotonic()
        self._is_warming = False

    @property
    def settings(self) -> Settings:
        """The settings of the default workspace."""
        return self._settings

    def answer(
        self,
        tool: Tool,
        arguments: Mapping[str, object],
        *,
        tell: Tell | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
        client: str = "",
    ) -> tuple[list[Block], bool]:
        """The content of the answer, and whether it is an error."""
        started = time.monotonic()
        root, outcome, is_error = "", "ok", False
        try:
            asked = self._asked(tool, arguments, tell, is_cancelled)
            root = str(asked.root)
            with self._resting.awake():
                content = self._content(asked)
        except Cancelled:
            content, outcome = [], "cancelled"
        except CodeCompassError as error:
            content, outcome, is_error = error_content(error, tool), error.code, True
        except Exception as error:  # noqa: BLE001  # the top of a front end
            complain()
            failure = CodeCompassError(
                f"{type(error).__name__}: {error}", remediation="please report it"
            )
            content, outcome, is_error = error_content(failure, tool), failure.code, True
        content = capped(content, self._settings.server.max_characters)
        duration = round((time.monotonic() - started) * 1000)
        self._audit.write(
            Entry(
                self._options.transport,
                client,
                tool.name,
                root,
                [str(name)[:40] for name in arguments][:40],
                outcome,
                duration,
                length(content),
                sum(estimate_tokens(item["text"]) for item in content),
            )
        )
        return content, is_error

    def prewarm(self) -> None:
        """Open the workspaces that will be asked about; what fails is said when it is asked."""
        if not self._options.is_prewarmed:
            return
        self._is_warming = True
        with self._resting.awake():
            self._open_warm()
        self._is_warming = False

    def _open_warm(self) -> None:
        for root in self._registry.warm():
            try:
                with self._engines.warming(root) as engine:
                    if engine.readiness() is Compatibility.COMPATIBLE:
                        engine.locate("main")
            except (CodeCompassError, OSError):
                continue

    def health(self) -> HealthAnswer:
        """All workspaces of this server."""
        open_roots = self._engines.open_roots()
        roots = dict.fromkeys([*self._registry.workspaces, *open_roots])
        found = [self._health_of(root, is_warm=root in open_roots) for root in roots]
        uptime = round(time.monotonic() - self._started)
        bounds = limits(self._settings)
        return whole_health(found, bounds, uptime_s=uptime, is_warming=self._is_warming)

    def _health_of(self, root: Path, *, is_warm: bool) -> WorkspaceHealth:
        """The state of a workspace; one that is not open is not kept open for it."""
        try:
            if is_warm:
                with self._engines.lease(root, extra=1) as engine:
                    found = workspace_health(engine)
            else:
                with Engine.open(root) as engine:
                    found = workspace_health(engine)
        except (CodeCompassError, OSError) as error:
            found = WorkspaceHealth(str(root), "error", "", said=str(error))
        run = self._building.active(root)
        if run is not None:
            found = replace(found, status="indexing", said=run.said)
        return replace(found, is_warm=is_warm)

    def close(self) -> None:
        """End what was started."""
        self._resting.close()
        self._building.close()
        self._engines.close()

    def _asked(
        self,
        tool: Tool,
        arguments: Mapping[str, object],
        tell: Tell | None,
        is_cancelled: Callable[[], bool],
    ) -> Asked:
        own = dict(arguments)
        workspace, form = own.pop("workspace", None), own.pop("format", None)
        if workspace is not None and not isinstance(workspace, str):
            raise BadInput(f"workspace: given {workspace!r:.80}; allowed: the path of a folder")
        if form is not None and form not in _FORMATS:
            raise BadInput(f"format: given {form!r:.80}; allowed: {', '.join(_FORMATS)}")
        check_arguments(tool.name, own)
        for name in _REFS:
            if isinstance(own.get(name), str):
                check_ref(str(own[name]))
        root = self._registry.find(workspace)
        rise = rising(tell) if tell is not None else None
        return Asked(tool, own, root, form == _JSON, rise, is_cancelled)

    def _content(self, asked: Asked) -> list[Block]:
        self._note_use(asked.root)
        name = asked.tool.name
        if name == "health_check":
            return self._blocks(self.health(), asked)
        if name == "index_status":
            return self._status(asked)
        if name in _INDEXING:
            return self._blocks(self._building.index(asked), asked)
        if name in _WITHOUT_INDEX:
            return self._question(asked, asked.arguments)
        partial = self._building.make_ready(asked)
        if partial is not None:
            return self._blocks(partial, asked)
        try:
            return self._question(asked, asked.arguments)
        except (IndexMissing, IndexIncompatible) as error:
            self._building.forget(asked.root)  # thrown away meanwhile, or broken
            is_broken = isinstance(error, IndexIncompatible)
            partial = self._building.make_ready(asked, is_broken=is_broken)
            if partial is not None:
                return self._blocks(partial, asked)
            return self._question(asked, asked.arguments)

    def _note_use(self, root: Path) -> None:
        """Remember what was asked about, but not with every question."""
        now = time.monotonic()
        if now - self._noted.get(root, -60.0) >= 60.0:
            self._noted[root] = now
            for forgotten in self._registry.note_use(root):
                self._engines.forget(forgotten)

    def _question(self, asked: Asked, arguments: Mapping[str, object]) -> list[Block]:
        with self._engines.lease(asked.root, is_cancelled=asked.is_cancelled) as engine:
            if asked.is_cancelled():
                raise Cancelled("cancelled")
            with engine.telling(Listener(asked)):
                answer = call_operation(engine, asked.tool.name, arguments)
            content = self._blocks(answer, asked)
            if isinstance(answer, ContextAnswer):
                content = self._smaller(engine, asked, answer, content)
            self._watchers.ensure(asked.root, engine.workspace.layout.folder)
        meta = getattr(answer, "meta", None)
        if isinstance(meta, Meta) and meta.freshness_status is Freshness.STALE:
            self._building.sync_behind(asked.root)
            is_told = asked.is_json or meta.stale_reason  # why, and what to do
            content += [] if is_told else [block(_STALE)]
        return content

    def _smaller(
        self, engine: Engine, asked: Asked, answer: ContextAnswer, content: list[Block]
    ) -> list[Block]:
        """Code in its context once more with a smaller budget, until clients take it."""
        most = self._settings.server.max_characters
        budget = answer.budget
        for _ in range(_ATTEMPTS):
            if length(content) <= most:
                break
            budget = int(budget * most / length(content) * 0.95)
            arguments = {**asked.arguments, "max_tokens": max(100, budget)}
            content = self._blocks(call_operation(engine, asked.tool.name, arguments), asked)
        return content

    def _blocks(self, answer: object, asked: Asked) -> list[Block]:
        if isinstance(answer, Partial):
            return [block(as_json(answer) if asked.is_json else answer.text)]
        tokens = self._settings.answers.max_tokens
        budget = Budget(tokens, self._settings.server.max_characters - 1)
        return blocks(answer, budget, is_json=asked.is_json)

    def _status(self, asked: Asked) -> list[Block]:
        if asked.arguments.get("wait") is True:
            self._building.wait(asked)
        arguments = {**asked.arguments, "wait": False}
        with self._engines.lease(asked.root, extra=1) as engine:
            answer = call_operation(engine, asked.tool.name, arguments)
        run = self._building.active(asked.root)
        said = [block(f"now: {run.said} ({run.percent:g} %)")] if run else []
        return [*self._blocks(answer, asked), *([] if asked.is_json else said)]


def _existing(folders: Sequence[str]) -> list[Path]:
    """Those of the folders that are there; one that is not fails only who asks about it."""
    found = []
    for folder in folders:
        try:
            found.append(resolve_workspace(folder))
        except CodeCompassError as error:
            say(f"codecompass: {error.message}; left out\n")
    return found
