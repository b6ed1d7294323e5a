"""Getting answers and pictures by HTTP: several at once, with limits on time, size and place.

Each is fetched in a thread of its own, which nobody waits for longer than is allowed: looking up a
name, for one, cannot be interrupted. Connections lead to public addresses only, unless it is the
place that the user has configured.

The pictures of results: fetched all at once, within one budget of number, bytes and time.

What cannot be had in time stays a link. Only what is a picture by its first bytes is passed on.
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

from paddock.deadline import ConnectionDeadline
from paddock.protocol.content import ImageContent
from paddock.toolkits.alpha.results import RemoteImage
from paddock.version import __version__

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable, Mapping, Sequence

    from paddock.toolkits.alpha.results import ResultPiece
    from paddock.toolkits.alpha.service_urls import ServiceUrls


FetchFailureReason = Literal["timeout", "too-large", "unreachable", "redirect", "address"]
CANCEL_POLL_SECONDS = 0.05
"""How often it is looked whether the call has been cancelled."""
_CHUNK_BYTES = 1 << 16


class FetchResponse(NamedTuple):
    """What a server answered, whatever the status."""

    status: int
    mime: str
    body: bytes


class FetchFailure(NamedTuple):
    """Why there is no answer, or not all of it."""

    reason: FetchFailureReason
    message: str


class ByteBudget:
    """Bytes that several answers may have together."""

    def __init__(self, size: int) -> None:
        self._remaining_bytes = size
        self._lock = threading.Lock()

    def consume(self, count: int) -> bool:
        """Use some of it; whether there was enough."""
        with self._lock:
            self._remaining_bytes -= count
            return self._remaining_bytes >= 0


@dataclass(frozen=True)
class FetchRequest:
    """Something to fetch."""

    url: str
    byte_budget: ByteBudget
    headers: dict[str, str] = field(default_factory=dict)
    allows_redirect: Callable[[str], bool] = lambda _: False
    """Whether a redirection to a URL is followed."""
    is_configured_url: Callable[[str], bool] = lambda _: False
    """Whether a URL is at the place that the user has configured, wherever that is."""


def fetch_all(
    wanted: Sequence[FetchRequest], seconds: float, is_cancelled: Callable[[], bool]
) -> list[FetchResponse | FetchFailure]:
    """Fetch all at the same time; what is not there in time has failed."""
    found: SimpleQueue[tuple[int, FetchResponse | FetchFailure]] = SimpleQueue()
    results: list[FetchResponse | FetchFailure] = [_create_timeout_failure(seconds)] * len(wanted)
    until = time.monotonic() + seconds
    with ConnectionDeadline(seconds) as deadline:
        for number, one in enumerate(wanted):
            threading.Thread(
                target=lambda number=number, one=one: found.put(
                    (number, _fetch_one(one, deadline, seconds))
                ),
                name="paddock-fetch",
                daemon=True,
            ).start()
        missing = len(wanted)
        try:
            while missing and not is_cancelled() and (left := until - time.monotonic()) > 0:
                try:
                    number, result = found.get(timeout=min(left, CANCEL_POLL_SECONDS))
                except Empty:
                    continue
                results[number] = result
                missing -= 1
        finally:
            deadline.end_connections()
    return results


class _BlockedUrlError(URLError):
    """We do not go there."""

    def __init__(self, reason: FetchFailureReason, text: str) -> None:
        super().__init__(text)
        self.failure = FetchFailure(reason, text)


class _RedirectFilter(HTTPRedirectHandler):
    """Follows only where it may."""

    max_redirections = 3

    def __init__(self, follows: Callable[[str], bool]) -> None:
        self._allows_redirect = follows

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """The next request, if it may be made."""
        if not self._allows_redirect(newurl):
            fp.close()
            host = urlsplit(newurl).hostname
            raise _BlockedUrlError("redirect", f"it redirects to {host}, where Paddock does not go")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _fetch_one(
    wanted: FetchRequest, deadline: ConnectionDeadline, seconds: float
) -> FetchResponse | FetchFailure:
    """One answer, or why there is none; never raises."""
    request = _build_request(wanted)

    def check(connection: socket.socket) -> None:
        if not wanted.is_configured_url(wanted.url) and _bypasses_proxy(wanted.url):
            _check_public_address(connection)

    # No proxy leads to this machine.
    direct = (
        [ProxyHandler({})]
        if wanted.is_configured_url(wanted.url) and request.type == "http"
        else []
    )
    opener = build_opener(
        _RedirectFilter(wanted.allows_redirect), *direct, *deadline.make_handlers(check)
    )
    found: FetchResponse | FetchFailure
    try:
        response = _open_response(opener, request, seconds)
        with closing(cast("IO[bytes]", response)) as body:
            content = _read_content(body, wanted.byte_budget)
        found = FetchFailure("too-large", "it is larger than is allowed")
        if content is not None:
            found = FetchResponse(response.status, response.headers.get_content_type(), content)
    except (OSError, HTTPException, ValueError) as error:
        found = _to_failure(error)
    return FetchFailure("timeout", "it took too long") if deadline.has_expired else found


def _build_request(wanted: FetchRequest) -> Request:
    request = Request(  # noqa: S310 - whoever wants something has checked where it is
        wanted.url, headers={"User-Agent": f"paddock/{__version__}", "Accept-Encoding": "identity"}
    )
    for name, value in wanted.headers.items():
        request.add_unredirected_header(name, value)
    return request


def _open_response(opener: OpenerDirector, request: Request, seconds: float) -> Any:
    """The response, whatever its status."""
    try:
        return opener.open(request, timeout=seconds)
    except HTTPError as error:
        return error


def _to_failure(error: Exception) -> FetchFailure:
    reason = getattr(error, "reason", None) or error
    refused = reason if isinstance(reason, _BlockedUrlError) else error
    if isinstance(refused, _BlockedUrlError):
        return refused.failure
    return FetchFailure("unreachable", str(reason) or type(reason).__name__)


def _read_content(body: IO[bytes], allowance: ByteBudget) -> bytes | None:
    """All of an answer, or nothing when it is too large."""
    read = getattr(body, "read1", body.read)
    pieces = []
    while piece := read(_CHUNK_BYTES):
        if not allowance.consume(len(piece)):
            return None
        pieces.append(piece)
    length = getattr(body, "length", None)
    if length:
        raise HTTPException(f"the connection ended {length} bytes too early")
    return b"".join(pieces)


def _bypasses_proxy(url: str) -> bool:
    """Whether no proxy stands between, whose address would be the one that is seen."""
    parts = urlsplit(url)
    return parts.scheme not in getproxies() or bool(proxy_bypass(parts.hostname or ""))


def _check_public_address(connection: socket.socket) -> None:
    address = ip_address(connection.getpeername()[0].partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    if not (mapped or address).is_global:
        connection.close()
        raise _BlockedUrlError("address", "its address is not a public one")


def _create_timeout_failure(seconds: float) -> FetchFailure:
    return FetchFailure("timeout", f"it took longer than {seconds:g} s")


_HTTP_OK = 200
_TAIL_BYTES = 16
_IMAGE_SIGNATURES = (
    ("image/png", b"\x89PNG\r\n\x1a\n", b"IEND"),
    ("image/gif", b"GIF8", b";"),
    ("image/jpeg", b"\xff\xd8\xff", b"\xff\xd9"),
)
"""How files of a kind begin, and what stands at their end."""


def fetch_images(
    pieces: Iterable[ResultPiece],
    places: ServiceUrls,
    options: Mapping[str, Any],
    is_cancelled: Callable[[], bool],
) -> dict[str, ImageContent]:
    """The pictures among pieces that could be had, by their URLs."""
    urls = dict.fromkeys(piece.url for piece in pieces if isinstance(piece, RemoteImage))
    chosen = [url for url in urls if places.allows_image(url)][: options["MaxImageCount"]]
    if not chosen:
        return {}
    allowance = ByteBudget(options["MaxImageBytes"])
    wanted = [
        FetchRequest(
            url,
            allowance,
            allows_redirect=places.get_redirect_rule(url),
            is_configured_url=places.is_configured_url,
        )
        for url in chosen
    ]
    answers = fetch_all(wanted, options["ImageTimeConstraint"], is_cancelled)
    found = {}
    for url, answer in zip(chosen, answers, strict=True):
        mime = _detect_image_type(answer.body) if isinstance(answer, FetchResponse) else ""
        if isinstance(answer, FetchResponse) and answer.status == _HTTP_OK and mime:
            found[url] = ImageContent(answer.body, mime)
    return found


def _detect_image_type(data: bytes) -> str:
    """What kind of whole picture some data is; nothing for other data, and for uncommon kinds."""
    for mime, start, end in _IMAGE_SIGNATURES:
        if data.startswith(start) and end in data[-_TAIL_BYTES:]:
            return mime
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""
