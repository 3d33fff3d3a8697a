"""Lines of JSON calls in, one answer or error per line out, in order."""

import json
import os
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from queue import Empty, SimpleQueue
from threading import Thread

from codecompass.cli.terminal import error_value
from codecompass.errors import BadInput, CodeCompassError
from codecompass.present.meta import plain

Call = Callable[[str, Mapping[str, object]], object]
_MAX_LINE_BYTES = 1_000_000
_READ_BYTES = 1 << 16
# So long nothing must have come before time is idle.
_PAUSE_S = 0.05


def raw_lines(descriptor: int) -> Iterator[bytes]:
    """The lines of a stream, read without a buffer that a thread could hold at the very end."""
    rest = b""
    while part := os.read(descriptor, _READ_BYTES):
        *whole, rest = (rest + part).split(b"\n")
        yield from whole
    if rest:
        yield rest


def lines_when_ready(
    stream: Iterable[bytes], use_idle_time: Callable[[], bool]
) -> Iterator[bytes]:
    """The lines of a stream; while none is there, time is used as long as there is a use."""
    ready: SimpleQueue[bytes | None] = SimpleQueue()

    def read() -> None:
        for line in stream:
            ready.put(line)
        ready.put(None)

    Thread(target=read, daemon=True).start()
    is_idle = True
    while True:
        try:
            line = ready.get(timeout=_PAUSE_S) if is_idle else ready.get()
        except Empty:
            is_idle = use_idle_time()
            continue
        if line is None:
            return
        yield line
        is_idle = True


def answer_lines(lines: Iterable[bytes], call: Call) -> Iterator[dict[str, object]]:
    """Answer every line; whatever is wrong with one does not touch the others."""
    for line in lines:
        if line.strip():
            yield _answer(line, call)


def _answer(line: bytes, call: Call) -> dict[str, object]:
    identity: object = None
    try:
        request = _parse(line)
        identity = request.get("id")
        name, arguments = request.get("op"), request.get("args", {})
        if not isinstance(name, str):
            raise BadInput(f"op: given {name!r}; allowed: the name of an operation")
        if not isinstance(arguments, dict):
            raise BadInput(f"args: given {arguments!r}; allowed: an object")
        return {"id": identity, "ok": True, "answer": plain(call(name, arguments))}
    except CodeCompassError as error:
        return {"id": identity, "ok": False, "error": error_value(error)}
    except Exception as error:  # noqa: BLE001  # the top of a front end
        traceback.print_exc()
        failure = CodeCompassError(f"internal error: {error}")
        return {"id": identity, "ok": False, "error": error_value(failure)}


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _parse(line: bytes) -> dict[str, object]:
    if len(line) > _MAX_LINE_BYTES:
        raise BadInput(f"line: {len(line)} bytes; allowed: at most {_MAX_LINE_BYTES}")
    try:
        request = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"line: not JSON: {error}") from error
    if not isinstance(request, dict):
        raise BadInput("line: given a value; allowed: an object with id, op and args")
    return request
