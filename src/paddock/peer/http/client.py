"""One HTTP request to a server: its headers, its token, redirections, and what may go wrong."""

from __future__ import annotations

import re
import ssl
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from urllib3 import exceptions as faults
from urllib3.util import Timeout

from paddock.errors import ConnectError
from paddock.peer.errors import HttpError
from paddock.peer.http.address import address
from paddock.peer.http.connections import connections, work_for
from paddock.peer.http.credentials import FORBIDDEN, UNAUTHORIZED, Credentials
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from urllib3.response import BaseHTTPResponse

    from paddock.peer.http.address import Address
    from paddock.peer.http.holder import Holder
    from paddock.peer.settings import Settings

CONNECT_TIME = 10.0
"""Seconds until an address that does not answer at all counts as unreachable."""
MAX_BODY = 128 << 20
"""Bytes of an answer, or of one event."""
MAX_REDIRECTS = 5
EXCERPT = 200
CERTIFICATE_ADVICE = "verify=… names the certificates of an authority of your own"
CHUNK = 1 << 16
REST_TIME = 2.0
"""Seconds to wait for the rest of a body that nobody needs."""
REPEATING_REDIRECTS = (307, 308)
REDIRECTS = (301, 302, 303, *REPEATING_REDIRECTS)

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
OURS = frozenset({"accept", "content-length", "content-type", "host", "transfer-encoding"})
"""Headers that a caller cannot set; nor those that begin with `mcp-`."""


class Client:
    """Sends requests to one server. May be used by several threads."""

    def __init__(self, url: str, settings: Settings) -> None:
        self.address = address(url)
        self.credentials = Credentials(settings.token)
        self._headers = _own_headers(settings.headers or {})
        self._connect_time = min(CONNECT_TIME, settings.timeout)
        self._pool = connections(self.address, settings.verify)

    def send(
        self,
        verb: str,
        headers: Mapping[str, str],
        body: bytes | None,
        holder: Holder,
        *,
        limit: float | None = None,
    ) -> BaseHTTPResponse:
        """Send a request; its response has a body that is still to be read.

        A token that is refused is renewed once. `limit` bounds each wait for the server, in
        seconds.

        Raises:
            HttpError: when there is no response.
        """
        token = self.credentials.token()
        response = self._follow(verb, self._dressed(headers, token), body, holder, limit)
        if response.status == UNAUTHORIZED:
            renewed = self.credentials.renewed(token)
            if renewed is not None:
                self.discard(response, holder)
                response = self._follow(verb, self._dressed(headers, renewed), body, holder, limit)
        return response

    def read(self, response: BaseHTTPResponse, holder: Holder) -> bytes:
        """The whole body of a response.

        Raises:
            HttpError: when it is too long, or the connection breaks.
        """
        pieces, size = [], 0
        for piece in self.pieces(response, holder):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_BODY:
                response.close()
                text = f"{self.address} gave an answer of more than {MAX_BODY >> 20} MiB"
                raise HttpError(text, status=response.status)
        return b"".join(pieces)

    def pieces(self, response: BaseHTTPResponse, holder: Holder) -> Iterator[bytes]:
        """The body of a response as it comes.

        Raises:
            HttpError: when the connection breaks.
        """
        while True:
            with self.translated(holder):
                piece = response.read1(CHUNK)
            if not piece:
                return
            yield piece

    def discard(self, response: BaseHTTPResponse, holder: Holder) -> bytes:
        """Have done with a response; the beginning of its body.

        The connection can be used again if the rest of the body is short and comes at once.
        """
        body = b""
        holder.limit(REST_TIME)
        with suppress(HttpError), self.translated(holder):
            while len(body) < CHUNK and (piece := response.read1(CHUNK)):
                body += piece
        response.close()
        return body

    def failure(self, response: BaseHTTPResponse, body: bytes, purpose: str) -> HttpError:
        """The error for a response that holds no message of the protocol."""
        status, headers = response.status, response.headers
        excerpt = self.excerpt(body)
        if status in (UNAUTHORIZED, FORBIDDEN):
            return self.credentials.refusal(status, headers, str(self.address), excerpt)
        said = f": {excerpt}" if excerpt else ""
        if status in REDIRECTS:
            place = _place(headers.get("Location", ""))
            said = f", a redirection to {place}, which is not followed"
        return HttpError(
            f"{self.address} answered {purpose} with HTTP {status}{said}",
            status=status,
            retry_after=_seconds(headers.get("Retry-After")),
        )

    def excerpt(self, body: bytes) -> str:
        """The beginning of a body that we do not understand, for people."""
        text = " ".join(body.decode(errors="replace").split())
        text = self.credentials.redacted(text)
        return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…"

    def close(self) -> None:
        """Let go of all connections that are not in use."""
        self._pool.close()

    def _dressed(self, headers: Mapping[str, str], token: str | None) -> dict[str, str]:
        dressed = {**self._headers, **headers}
        if token is not None:
            dressed["Authorization"] = f"Bearer {token}"
        return dressed

    def _follow(
        self,
        verb: str,
        headers: dict[str, str],
        body: bytes | None,
        holder: Holder,
        limit: float | None,
    ) -> BaseHTTPResponse:
        """Send, and follow redirections within the origin that repeat the request."""
        place = self.address
        for _ in range(MAX_REDIRECTS):
            response = self._open(verb, place, headers, body, holder, limit)
            location = response.headers.get("Location")
            if response.status not in REPEATING_REDIRECTS or location is None:
                return response
            following = place.relative(location)
            if following.origin != self.address.origin:
                return response
            self.discard(response, holder)
            place = following
        text = f"{self.address} redirects more than {MAX_REDIRECTS} times"
        raise HttpError(text, status=response.status)

    def _open(
        self,
        verb: str,
        place: Address,
        headers: dict[str, str],
        body: bytes | None,
        holder: Holder,
        limit: float | None,
    ) -> BaseHTTPResponse:
        holder.release()
        with self.translated(holder):
            return self._pool.urlopen(
                verb,
                place.target,
                body=body,
                headers=headers,
                retries=False,
                redirect=False,
                assert_same_host=False,
                preload_content=False,
                timeout=Timeout(connect=self._connect_time, read=limit),
            )

    @contextmanager
    def translated(self, holder: Holder) -> Iterator[None]:
        """Waiting for the server, with errors that people understand."""
        work_for(holder)
        try:
            yield
        except (faults.HTTPError, OSError, ValueError) as fault:
            reason = _innermost(fault)
            if isinstance(reason, ssl.SSLCertVerificationError):
                text = f"Cannot reach {self.address}: {reason.verify_message}"
                raise ConnectError(text, hint=CERTIFICATE_ADVICE) from None
            is_broken = holder.is_holding
            said = "The connection broke to" if is_broken else "Cannot reach"
            text = f"{said} {self.address}: {_words(reason)}"
            raise HttpError(text, was_sent=is_broken) from None
        finally:
            work_for(None)


def _own_headers(given: Mapping[str, str]) -> dict[str, str]:
    headers = {"User-Agent": f"paddock/{__version__}"}
    for name, value in given.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ConnectError(f"Not a header that can be sent: {name!r:.60}")
        if name.lower() in OURS or name.lower().startswith("mcp-"):
            raise ConnectError(f"The header {name} is for the protocol to set")
        headers[name] = value
    return headers


def _innermost(fault: BaseException) -> BaseException:
    """What lies behind a fault that only passes on another."""
    while fault.__cause__ is not None or (fault.args and isinstance(fault.args[-1], Exception)):
        fault = fault.__cause__ or fault.args[-1]
    return fault


def _words(fault: BaseException) -> str:
    if isinstance(fault, faults.ConnectTimeoutError | TimeoutError):
        return "no answer in time"
    text = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
    # Not the name of an object in memory.
    return str(text).rpartition(">: ")[2]


def _place(location: str) -> str:
    parts = urlsplit(location)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}" if parts.netloc else parts.path


def _seconds(retry_after: str | None) -> float | None:
    """How long a `Retry-After` asks to wait: it is a number of seconds, or a date."""
    if retry_after is None:
        return None
    if retry_after.strip().isdigit():
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, date.timestamp() - time())
