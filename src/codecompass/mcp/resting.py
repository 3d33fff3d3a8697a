"""After a while without questions, memory is given back; until then nothing wakes up."""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Generator

from codecompass.source.memory import give_back_memory, own_mib

_GROWN = 1.15  # times what is usual: worth reading everything again
_SETTLE_S = 60.0  # after a rest, in which it shows what is usual
_MORE = 1.05  # times what was usual before, at the most: or holes would become usual
_REST_S = 300.0  # so often, at most, all is given back while calls come
_TIDY_S = 5.0  # so often, at most, freed memory goes back to the system while calls come


class Resting:
    """Calls `rest` once, some time after the last call has ended."""

    def __init__(self, rest: Callable[[], None], after_s: float, memory_mib: int = 0) -> None:
        """Rest also between calls where memory has grown, if it is more than so much."""
        self._rest = rest
        self._after_s = after_s
        self._memory_mib = memory_mib
        self._usual = 0.0  # the most that was used soon after the last rest
        self._limit = math.inf  # for that, as it was usual before
        self._settled_at = 0.0
        self._rested_at = -math.inf
        self._change = threading.Condition()
        self._busy = self._calls = 0
        self._is_over = False
        self._tidy_at = 0.0
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def awake(self) -> Generator[None]:
        """Not while this lasts, and not for a while afterwards."""
        with self._change:
            self._busy += 1
            self._calls += 1
        try:
            yield
        finally:
            with self._change:
                self._busy -= 1
                is_due = time.monotonic() >= self._tidy_at
                if is_due:
                    self._tidy_at = time.monotonic() + _TIDY_S
                if self._thread is None and self._after_s > 0:
                    self._thread = threading.Thread(target=self._wait, daemon=True)
                    self._thread.start()
                self._change.notify()
            if is_due:
                self._tidy()

    def _tidy(self) -> None:
        """Give back what was freed; what is kept too, where memory has grown all the same.

        Work that came and went leaves holes which only go with what lies between them.
        """
        give_back_memory(with_cycles=False)
        used, now = own_mib(), time.monotonic()
        if not self._usual:
            self._settled_at = now + _SETTLE_S
        if now < self._settled_at:
            self._usual = min(max(self._usual, used), self._limit)
        elif (
            used > max(self._memory_mib, self._usual * _GROWN)
            and now >= self._rested_at + _REST_S
            and not self._busy
        ):
            self._rested_at = now
            self._rest()
            give_back_memory()
            self._limit = self._usual * _MORE
            self._usual = 0

    def close(self) -> None:
        """Do not rest any more."""
        with self._change:
            self._is_over = True
            self._change.notify()

    def _wait(self) -> None:
        while not self._is_over:
            calls = self._calls
            self._sleep(calls, self._after_s)
            if self._calls == calls and not self._busy and not self._is_over:
                self._rest()
                give_back_memory()
                self._sleep(calls, None)

    def _sleep(self, calls: int, timeout_s: float | None) -> None:
        """Until there was another call, or for so long."""
        with self._change:
            self._change.wait_for(lambda: self._calls != calls or self._is_over, timeout_s)
