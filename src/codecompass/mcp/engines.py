"""A workspace in, an engine of its own for one call out; a few stay open for the next."""

from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition

from codecompass.engine.engine import Engine
from codecompass.engine.workspace import open_workspace
from codecompass.errors import Cancelled

_LOOK_S = 0.1  # how often somebody who waits looks whether that is still wanted


def never() -> bool:
    """For calls that cannot be cancelled."""
    return False


class Engines:
    """An engine answers one call at a time; calls beyond those wait for the next that is free."""

    def __init__(self, *, for_each: int, workspaces: int) -> None:
        self._for_each = max(1, for_each)
        self._workspaces = max(1, workspaces)
        self._free: OrderedDict[Path, list[Engine]] = OrderedDict()  # asked last at the end
        self._taken: dict[Path, int] = {}
        self._warming: set[Path] = set()
        self._change = Condition()
        self._is_closed = False

    @contextmanager
    def lease(
        self, root: Path, *, is_cancelled: Callable[[], bool] = never, extra: int = 0
    ) -> Generator[Engine]:
        """An engine that nobody else uses until it is given back.

        Questions about the state of things come with `extra`: they are answered also while
        all others are taken.
        """
        engine = self._take(root, is_cancelled, extra)
        try:
            yield engine
        finally:
            self._give_back(root, engine)

    @contextmanager
    def warming(self, root: Path) -> Generator[Engine]:
        """An engine to be made ready; the first question waits for it and opens no other."""
        self._warming.add(root)
        try:
            with self.lease(root) as engine:
                yield engine
        finally:
            self._warming.discard(root)

    def open_roots(self) -> list[Path]:
        """The workspaces that have an engine open."""
        with self._change:
            return list(dict.fromkeys([*self._free, *self._taken]))

    def close(self) -> None:
        """Close what nobody uses; what is used closes when it is given back."""
        with self._change:
            self._is_closed = True
            idle = [engine for engines in self._free.values() for engine in engines]
            self._free.clear()
        for engine in idle:
            engine.__exit__(None, None, None)

    def rest(self) -> None:
        """Let what nobody uses take little memory; of several engines of a folder one is left."""
        with self._change:
            spare = [engine for engines in self._free.values() for engine in engines[1:]]
            kept = [engines[0] for engines in self._free.values() if engines]
            for engines in self._free.values():
                del engines[1:]
            for engine in kept:
                engine.rest()
        for engine in spare:
            engine.__exit__(None, None, None)

    def forget(self, root: Path) -> None:
        """Close what is open for a workspace and not used."""
        with self._change:
            idle = self._free.pop(root, [])
        for engine in idle:
            engine.__exit__(None, None, None)

    def _take(self, root: Path, is_cancelled: Callable[[], bool], extra: int) -> Engine:
        most = self._for_each + extra
        with self._change:
            while not self._free.get(root) and self._taken.get(root, 0) >= (
                1 if root in self._warming and not extra else most
            ):
                self._change.wait(_LOOK_S)
                if is_cancelled():
                    raise Cancelled("cancelled")
            self._taken[root] = self._taken.get(root, 0) + 1
            if self._free.get(root):
                self._free.move_to_end(root)
                return self._free[root].pop()
        try:
            return Engine(open_workspace(root), can_sync_behind=True)
        except BaseException:
            self._count_down(root)
            raise

    def _give_back(self, root: Path, engine: Engine) -> None:
        closing: list[Engine] = []
        with self._change:
            if self._is_closed:
                closing.append(engine)
            else:
                self._free.setdefault(root, []).append(engine)
                self._free.move_to_end(root)
            while len(self._free) > self._workspaces:
                _, old = self._free.popitem(last=False)
                closing += old
        self._count_down(root)
        for old_engine in closing:
            old_engine.__exit__(None, None, None)

    def _count_down(self, root: Path) -> None:
        with self._change:
            self._taken[root] -= 1
            if not self._taken[root]:
                del self._taken[root]
            self._change.notify_all()
