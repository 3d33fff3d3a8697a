"""The loop over standard input and output: frames in, answers out, calls on threads.

Whatever is printed by anyone else goes to standard error; only this module has the wire.
Nothing heavy is imported before the first list of tools was sent.
"""

import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, Any

from codecompass.errors import CodeCompassError
from codecompass.mcp.complaints import complain
from codecompass.mcp.protocol import (
    INTERNAL,
    INVALID_REQUEST,
    MAX_FRAME_BYTES,
    Cancel,
    Id,
    Message,
    Reply,
    ServerFacts,
    ToolCall,
    error_message,
    progress_message,
    read_frame,
    result_message,
    too_large,
)

if TYPE_CHECKING:
    from codecompass.mcp.calls import Calls

_READ_BYTES = 1 << 16
_MAX_WORKERS = 16  # calls at once; more wait for their turn
_MAX_WANTED = 1_000
_GRACE_S = 0.4  # for calls that run when the client has gone
_PARENT_POLL_S = 0.8


class ClientGone(Exception):
    """Nobody reads any more what is sent."""


class Wire:
    """The two ends that belong to the client; standard input and output lead elsewhere now."""

    def __init__(self) -> None:
        self._input, self._output = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self._lock = threading.Lock()

    def frames(self) -> Iterator[bytes | None]:
        """Line by line; None for one that is too long to be read."""
        rest, is_skipping = b"", False
        while part := os.read(self._input, _READ_BYTES):
            *whole, rest = (rest + part).split(b"\n")
            for line in whole:
                if not is_skipping:
                    yield line
                is_skipping = False
            if len(rest) > MAX_FRAME_BYTES:
                if not is_skipping:
                    yield None
                rest, is_skipping = b"", True
        if rest and not is_skipping:
            yield rest

    def send(self, message: Message) -> None:
        """Write one frame, whole."""
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        data = text.encode("utf-8", "replace") + b"\n"
        try:
            with self._lock:
                while data:
                    data = data[os.write(self._output, data) :]
        except OSError as error:
            raise ClientGone from error


class StdioServer:
    """Answers one client until it goes."""

    def __init__(self, facts: ServerFacts, open_calls: Callable[[], "Calls"]) -> None:
        self._facts = facts
        self._open_calls = open_calls
        self._calls: Calls | None = None
        self._opening = threading.Lock()
        self._state = threading.Lock()
        self._wanted: dict[Id, threading.Event] = {}  # set where a call is cancelled
        self._due: SimpleQueue[tuple[ToolCall, threading.Event]] = SimpleQueue()
        self._busy = 0  # calls that were not answered yet
        self._workers = 0
        self._wire = Wire()

    def run(self) -> int:
        """Serve until the input ends; never raises."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        threading.Thread(target=self._watch_parent, daemon=True).start()
        with suppress(ClientGone, OSError):
            for frame in self._wire.frames():
                self._receive(frame)
            self._finish()
        self._end(0)
        return 0

    def _receive(self, frame: bytes | None) -> None:
        if frame is None:
            self._wire.send(too_large())
            return
        if not frame.strip():
            return
        found = read_frame(frame, self._facts)
        if isinstance(found, Reply):
            self._wire.send(found.message)
            if found.is_list:
                threading.Thread(target=self._prepare, daemon=True).start()
        elif isinstance(found, Cancel):
            self._cancel(found.id)
        elif found is not None:
            self._begin(found)

    def _begin(self, call: ToolCall) -> None:
        with self._state:
            refused, is_short = "", False
            if call.id in self._wanted:
                refused = "this id is in use"
            elif self._busy >= _MAX_WANTED:
                refused = "too many calls at once"
            else:
                cancelled = self._wanted[call.id] = threading.Event()
                self._busy += 1
                self._due.put((call, cancelled))
                is_short = self._busy > self._workers < _MAX_WORKERS
                self._workers += is_short
        if refused:
            message = error_message(call.id, INVALID_REQUEST, f"Invalid request: {refused}")
            self._wire.send(message)
        elif is_short:
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        """Answer calls, one after the other, as long as the process lives."""
        while True:
            call, cancelled = self._due.get()
            try:
                self._answer(call, cancelled)
            except ClientGone:
                self._end(1)
            except Exception:  # noqa: BLE001  # a call is answered, whatever happens
                complain()
                self._fail(call)
            with self._state:
                self._busy -= 1

    def _answer(self, call: ToolCall, cancelled: threading.Event) -> None:
        """Run a call and send what comes of it, unless nobody wants it any more."""
        message: Message = {}
        if not cancelled.is_set():
            content, is_error = self._content(call, cancelled)
            message = result_message(call, content, self._facts, is_error=is_error)
        with self._state:
            if self._wanted.get(call.id) is cancelled:
                del self._wanted[call.id]  # from now on its id may be used again
        if not cancelled.is_set():
            self._wire.send(message)

    def _content(
        self, call: ToolCall, cancelled: threading.Event
    ) -> tuple[list[dict[str, Any]], bool]:
        try:
            return self._ready_calls().answer(
                call.tool,
                call.arguments,
                tell=self._progress(call, cancelled),
                is_cancelled=cancelled.is_set,
                client=call.client,
            )
        except CodeCompassError as error:  # no workspace, or settings that cannot be used
            from codecompass.mcp.content import error_content  # loads what answers need

            return error_content(error, call.tool), True

    def _fail(self, call: ToolCall) -> None:
        with self._state:
            self._wanted.pop(call.id, None)
        with suppress(ClientGone):
            self._wire.send(error_message(call.id, INTERNAL, "Internal error"))

    def _progress(
        self, call: ToolCall, cancelled: threading.Event
    ) -> Callable[[float, float, str], None] | None:
        token = call.progress_token
        if token is None:
            return None

        def tell(done: float, total: float, text: str) -> None:
            if not cancelled.is_set():
                self._wire.send(progress_message(token, done, total, text))

        return tell

    def _cancel(self, identity: Id) -> None:
        with self._state:
            cancelled = self._wanted.get(identity)
        if cancelled is not None:
            cancelled.set()

    def _ready_calls(self) -> "Calls":
        with self._opening:
            if self._calls is None:
                self._calls = self._open_calls()
            return self._calls

    def _prepare(self) -> None:
        """Load the engine while the client thinks; what is wrong is said to the first call."""
        try:
            self._ready_calls().prewarm()
        except CodeCompassError:
            return
        except Exception:  # noqa: BLE001  # nobody asked yet
            complain()

    def _watch_parent(self) -> None:
        """End with the process that started us, even if somebody else keeps our input open."""
        parent = os.getppid()
        if not _wait_for_end(parent):
            while os.getppid() == parent:
                time.sleep(_PARENT_POLL_S)
        self._end(0)

    def _finish(self) -> None:
        """Let calls that are nearly done be answered, then stop the others."""
        for _ in range(round(_GRACE_S / 0.02)):
            with self._state:
                if not self._busy:
                    return
            time.sleep(0.02)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._end(128 + number if number == signal.SIGINT else 0)

    def _end(self, status: int) -> None:
        """Leave at once: threads that still work do not keep the process."""
        try:
            if self._calls is not None:
                self._calls.close()
            sys.stderr.flush()
        finally:
            os._exit(status)


def _wait_for_end(process: int) -> bool:
    """Sleep until a process has ended; False where the system cannot tell."""
    if not hasattr(os, "pidfd_open"):
        return False
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    select.select([descriptor], [], [])
    return True
