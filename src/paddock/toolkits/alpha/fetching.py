"""Getting answers and pictures by HTTP: several at once, with limits on time, size and place.

Each is fetched in a thread of its own, which nobody waits for longer than is allowed: looking up a
name, for one, cannot be interrupted. Connections lead to public addresses only, unless it is the
place that the user has configured.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
    getproxies,
    proxy_bypass,
)

from paddock.deadline import Deadline
from paddock.version import __version__

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

Reason = Literal["timeout", "too-large", "unreachable", "redirect", "address"]
LOOK_SECONDS = 0.05
"""How often it is looked whether the call has been cancelled."""
_CHUNK = 1 << 16


class Answer(NamedTuple):
    """What a server answered, whatever the status."""

    status: int
    mime: str
    body: bytes


class Failure(NamedTuple):
    """Why there is no answer, or not all of it."""

    reason: Reason
    text: str


class Allowance:
    """Bytes that several answers may have together."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._lock = threading.Lock()

    def take(self, count: int) -> bool:
        """Use some of it; whether there was enough."""
        with self._lock:
            self._left -= count
            return self._left >= 0


@dataclass(frozen=True)
class Wanted:
    """Something to fetch."""

    url: str
    allowance: Allowance
    headers: dict[str, str] = field(default_factory=dict)
    follows: Callable[[str], bool] = lambda _: False
    """Whether a redirection to a URL is followed."""
    is_own: Callable[[str], bool] = lambda _: False
    """Whether a URL is at the place that the user has configured, wherever that is."""


def fetch_all(
    wanted: Sequence[Wanted], seconds: float, is_cancelled: Callable[[], bool]
) -> list[Answer | Failure]:
    """Fetch all at the same time; what is not there in time has failed."""
    found: SimpleQueue[tuple[int, Answer | Failure]] = SimpleQueue()
    results: list[Answer | Failure] = [_too_slow(seconds)] * len(wanted)
    until = time.monotonic() + seconds
    with Deadline(seconds) as deadline:
        for number, one in enumerate(wanted):
            threading.Thread(
                target=lambda number=number, one=one: found.put(
                    (number, _fetch(one, deadline, seconds))
                ),
                name="paddock-fetch",
                daemon=True,
            ).start()
        missing = len(wanted)
        try:
            while missing and not is_cancelled() and (left := until - time.monotonic()) > 0:
                try:
                    number, result = found.get(timeout=min(left, LOOK_SECONDS))
                except Empty:
                    continue
                results[number] = result
                missing -= 1
        finally:
            deadline.end()
    return results


class _RefusedError(URLError):
    """We do not go there."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.failure = Failure(reason, text)


class _Redirects(HTTPRedirectHandler):
    """Follows only where it may."""

    max_redirections = 3

    def __init__(self, follows: Callable[[str], bool]) -> None:
        self._follows = follows

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """The next request, if it may be made."""
        if not self._follows(newurl):
            fp.close()
            host = urlsplit(newurl).hostname
            raise _RefusedError("redirect", f"it redirects to {host}, where Paddock does not go")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _fetch(wanted: Wanted, deadline: Deadline, seconds: float) -> Answer | Failure:
    """One answer, or why there is none; never raises."""
    request = _request(wanted)

    def check(connection: socket.socket) -> None:
        if not wanted.is_own(wanted.url) and _is_direct(wanted.url):
            _check_public(connection)

    # No proxy leads to this machine.
    direct = [ProxyHandler({})] if wanted.is_own(wanted.url) and request.type == "http" else []
    opener = build_opener(_Redirects(wanted.follows), *direct, *deadline.handlers(check))
    found: Answer | Failure
    try:
        response = _opened(opener, request, seconds)
        with closing(cast("IO[bytes]", response)) as body:
            content = _content(body, wanted.allowance)
        found = Failure("too-large", "it is larger than is allowed")
        if content is not None:
            found = Answer(response.status, response.headers.get_content_type(), content)
    except (OSError, HTTPException, ValueError) as error:
        found = _failure(error)
    return Failure("timeout", "it took too long") if deadline.is_over else found


def _request(wanted: Wanted) -> Request:
    request = Request(  # noqa: S310 - whoever wants something has checked where it is
        wanted.url, headers={"User-Agent": f"paddock/{__version__}", "Accept-Encoding": "identity"}
    )
    for name, value in wanted.headers.items():
        request.add_unredirected_header(name, value)
    return request


def _opened(opener: OpenerDirector, request: Request, seconds: float) -> Any:
    """The response, whatever its status."""
    try:
        return opener.open(request, timeout=seconds)
    except HTTPError as error:
        return error


def _failure(error: Exception) -> Failure:
    reason = getattr(error, "reason", None) or error
    refused = reason if isinstance(reason, _RefusedError) else error
    if isinstance(refused, _RefusedError):
        return refused.failure
    return Failure("unreachable", str(reason) or type(reason).__name__)


def _content(body: IO[bytes], allowance: Allowance) -> bytes | None:
    """All of an answer, or nothing when it is too large."""
    read = getattr(body, "read1", body.read)
    pieces = []
    while piece := read(_CHUNK):
        if not allowance.take(len(piece)):
            return None
        pieces.append(piece)
    length = getattr(body, "length", None)
    if length:
        raise HTTPException(f"the connection ended {length} bytes too early")
    return b"".join(pieces)


def _is_direct(url: str) -> bool:
    """Whether no proxy stands between, whose address would be the one that is seen."""
    parts = urlsplit(url)
    return parts.scheme not in getproxies() or bool(proxy_bypass(parts.hostname or ""))


def _check_public(connection: socket.socket) -> None:
    address = ip_address(connection.getpeername()[0].partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    if not (mapped or address).is_global:
        connection.close()
        raise _RefusedError("address", "its address is not a public one")


def _too_slow(seconds: float) -> Failure:
    return Failure("timeout", f"it took longer than {seconds:g} s")
