"""Concurrent HTTP requests with limits on time, size and addresses.

Each request runs in a daemon thread because a DNS lookup cannot be interrupted. After the time
limit, the thread is abandoned. Connections go to public addresses only, except to the base URL that
the user has configured.
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
from urllib.request import getproxies, proxy_bypass

from paddock.http_fetch import ConnectionDeadline, FetchRules, open_url, read_chunks

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence


FetchFailureReason = Literal["timeout", "too-large", "unreachable", "redirect", "address"]
CANCEL_POLL_SECONDS = 0.05
MAX_REDIRECTS = 3


class FetchResponse(NamedTuple):
    """A response with any status."""

    status: int
    mime: str
    body: bytes


class FetchFailure(NamedTuple):
    """The reason that there is no complete response."""

    reason: FetchFailureReason
    message: str


class ByteBudget:
    """A limit on the total size of multiple responses, in bytes."""

    def __init__(self, size: int) -> None:
        self._remaining_bytes = size
        self._lock = threading.Lock()

    def consume(self, count: int) -> bool:
        """Subtract a number of bytes from the budget, and return False if it is exceeded."""
        with self._lock:
            self._remaining_bytes -= count
            return self._remaining_bytes >= 0


@dataclass(frozen=True)
class FetchRequest:
    """A GET request, with restrictions on redirects and addresses.

    By default, redirects are not followed, and only public addresses are allowed.
    """

    url: str
    byte_budget: ByteBudget
    headers: dict[str, str] = field(default_factory=dict)
    allows_redirect: Callable[[str], bool] = lambda _: False
    """A predicate that decides whether to follow a redirect to a URL."""
    is_configured_url: Callable[[str], bool] = lambda _: False
    """A predicate for URLs that the user has configured, which may have any address."""


def fetch_all(
    requests: Sequence[FetchRequest], seconds: float, is_cancelled: Callable[[], bool]
) -> list[FetchResponse | FetchFailure]:
    """Send requests concurrently, each in a thread, and wait for all responses.

    Requests that are not complete at the time limit fail. Their connections are closed, and their
    threads are abandoned.

    Args:
        requests: The requests.
        seconds: The time limit for all requests together.
        is_cancelled: Called repeatedly while waiting. If it returns True, waiting ends.

    Returns:
        A response or failure for each request, in the same order.
    """
    finished: SimpleQueue[tuple[int, FetchResponse | FetchFailure]] = SimpleQueue()

    def fetch_in_thread(index: int, request: FetchRequest) -> None:
        finished.put((index, _fetch_one(request, deadline, seconds)))

    # Each request is recorded as timed out until its thread delivers another result.
    results: list[FetchResponse | FetchFailure] = [_create_timeout_failure(seconds)] * len(requests)
    end_time = time.monotonic() + seconds
    with ConnectionDeadline(seconds) as deadline:
        for index, request in enumerate(requests):
            threading.Thread(
                target=fetch_in_thread, args=(index, request), name="paddock-fetch", daemon=True
            ).start()
        pending_count = len(requests)
        try:
            while (
                pending_count
                and not is_cancelled()
                and (remaining := end_time - time.monotonic()) > 0
            ):
                try:
                    index, result = finished.get(timeout=min(remaining, CANCEL_POLL_SECONDS))
                except Empty:
                    continue
                results[index] = result
                pending_count -= 1
        finally:
            # This closes the connections of the requests that are still running.
            deadline.end_connections()
    return results


class _BlockedUrlError(URLError):
    """A URL or address that the restrictions of a request forbid."""

    def __init__(self, reason: FetchFailureReason, text: str) -> None:
        super().__init__(text)
        self.failure = FetchFailure(reason, text)


def _fetch_one(
    request: FetchRequest, deadline: ConnectionDeadline, seconds: float
) -> FetchResponse | FetchFailure:
    """Send a request and return its response, or a failure instead of raising an exception."""
    result: FetchResponse | FetchFailure
    try:
        response = _open_response(request, deadline, seconds)
        with closing(cast("IO[bytes]", response)) as body:
            content = _read_content(body, request.byte_budget)
        result = FetchFailure("too-large", "it is larger than allowed")
        if content is not None:
            result = FetchResponse(response.status, response.headers.get_content_type(), content)
    except (OSError, HTTPException, ValueError) as error:
        result = _to_failure(error)
    return FetchFailure("timeout", "it took too long") if deadline.has_expired else result


def _open_response(request: FetchRequest, deadline: ConnectionDeadline, seconds: float) -> Any:
    """Send a request and return the open response, even if it has an error status."""
    try:
        return open_url(
            request.url,
            _make_rules(request),
            deadline,
            timeout_seconds=seconds,
            headers=request.headers,
        )
    except HTTPError as error:
        return error


def _make_rules(request: FetchRequest) -> FetchRules:
    """Return the rules for a request: which redirects and addresses are allowed.

    A URL that the user has configured may have any address. For other URLs, only public addresses
    are allowed. A proxy resolves names itself, so addresses can only be checked without a proxy.
    """

    def check_redirect(_url: str, new_url: str) -> None:
        if not request.allows_redirect(new_url):
            host = urlsplit(new_url).hostname
            raise _BlockedUrlError("redirect", f"it redirects to {host}, which is not allowed")

    is_configured = request.is_configured_url(request.url)
    if is_configured or not _bypasses_proxy(request.url):
        # A configured http URL is on this machine, which no proxy can reach.
        is_local = is_configured and urlsplit(request.url).scheme == "http"
        return FetchRules(check_redirect, max_redirects=MAX_REDIRECTS, uses_proxy=not is_local)
    return FetchRules(check_redirect, _check_public_address, MAX_REDIRECTS)


def _to_failure(error: Exception) -> FetchFailure:
    """Convert an exception of urllib to a failure."""
    # urllib may wrap an error, such as one raised by a rule, in a URLError as its `reason`.
    reason = getattr(error, "reason", None) or error
    for cause in (reason, error):
        if isinstance(cause, _BlockedUrlError):
            return cause.failure
    return FetchFailure("unreachable", str(reason) or type(reason).__name__)


def _read_content(body: IO[bytes], budget: ByteBudget) -> bytes | None:
    """Return the content of a response, or None if it exceeds the budget.

    Raises:
        HTTPException: The connection ended before the announced length.
    """
    chunks = []
    for chunk in read_chunks(body):
        if not budget.consume(len(chunk)):
            return None
        chunks.append(chunk)
    missing_bytes = getattr(body, "length", None)  # http.client counts this down while reading.
    if missing_bytes:
        raise HTTPException(f"the connection ended {missing_bytes} bytes too early")
    return b"".join(chunks)


def _bypasses_proxy(url: str) -> bool:
    """Return True if a connection's peer address is the server's, not a proxy's."""
    parts = urlsplit(url)
    return parts.scheme not in getproxies() or bool(proxy_bypass(parts.hostname or ""))


def _check_public_address(connection: socket.socket) -> None:
    """Close a connection to an address that is not public, and raise an error.

    Otherwise, a URL in a response could make this machine send requests to services on its own
    network.
    """
    address = ip_address(connection.getpeername()[0].partition("%")[0])
    ipv4_address = getattr(address, "ipv4_mapped", None)  # for example of ::ffff:127.0.0.1
    if not (ipv4_address or address).is_global:
        connection.close()
        raise _BlockedUrlError("address", "its address is not public")


def _create_timeout_failure(seconds: float) -> FetchFailure:
    return FetchFailure("timeout", f"it took longer than {seconds:g} s")
