"""Requests over HTTP in, those that may pass on out: over the whole app, pages included."""

import hmac
import ipaddress
import json
import re
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:@/\[\]]+))(?::\d+)?")
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    return host in LOOPBACK


class Guard:
    """Checks Host, Origin and the token, and how many requests there are at once.

    A page of another site can make a browser send requests to this machine, even under a
    name of its own; it cannot choose the Host or hide the Origin.
    """

    def __init__(self, app: App, *, host: str, token: str, max_requests: int) -> None:
        self._app = app
        self._is_local = is_loopback(host)
        names = LOOPBACK if self._is_local else {host, socket.gethostname(), *LOOPBACK}
        self._hosts = {name.lower() for name in names}
        self._token = token
        self._max_requests = max_requests
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        refused = self._refusal(headers)
        if refused is not None:
            await _refuse(send, *refused)
            return
        self._running += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._running -= 1

    def _refusal(self, headers: Mapping[bytes, bytes]) -> tuple[int, str] | None:
        host = _host_of(headers.get(b"host", b""))
        if not self._is_allowed(host):
            return 421, "this server does not answer under that Host"
        origin = headers.get(b"origin")
        if origin is not None and not self._is_own(origin, headers.get(b"host", b"")):
            return 403, "requests of other sites are refused"
        if self._token:
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            is_right = hmac.compare_digest(given.strip(), self._token.encode())
            if scheme.lower() != b"bearer" or not is_right:
                return 401, "a bearer token is needed: the one in CODECOMPASS_TOKEN"
        if self._running >= self._max_requests:
            return 503, f"{self._max_requests} requests are being answered; come back"
        return None

    def _is_own(self, origin: bytes, host: bytes) -> bool:
        """Whether a page comes from where the request goes to: the same name and port."""
        place = origin.partition(b"://")[2]
        name = _host_of(place)
        is_same_name = name in self._hosts if self._is_local else name == _host_of(host)
        return is_same_name and _port_of(place) == _port_of(host)

    def _is_allowed(self, host: str) -> bool:
        if host in self._hosts:
            return True
        return not self._is_local and _is_address(host)


def _host_of(text: bytes) -> str:
    """The name in `name`, `name:port` or `[address]:port`; "" for anything else."""
    found = _HOST.fullmatch(text.decode("latin-1"))
    return (found[1] or found[2]).lower() if found else ""


def _port_of(text: bytes) -> bytes:
    """The port behind a name or an address; b"" if none is given."""
    port = text.rpartition(b":")[2]
    return port if port.isdigit() else b""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def _refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"error": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 503:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
