"""Shared types of the HTTP transport: requests, responses, limits and related interfaces.

The HTTP server (`Http1Connection`, or an ASGI server through `AsgiApp`) passes a `RequestHead` and
a body to `HttpService` and sends the response through a `Responder`. All of this happens on one
event loop.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct

from paddock.errors import DefinitionError
from paddock.protocol import http_headers
from paddock.protocol.errors import HeaderMismatchError
from paddock.protocol.http_headers import EVENT_STREAM_MEDIA_TYPE, JSON_MEDIA_TYPE
from paddock.protocol.principal import Principal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


Headers = list[tuple[bytes, bytes]]

SESSION_ID_FIELD = http_headers.to_asgi_name(http_headers.SESSION_ID_HEADER)
LAST_EVENT_ID_FIELD = http_headers.to_asgi_name(http_headers.LAST_EVENT_ID_HEADER)
JSON_CONTENT_TYPE = (b"content-type", http_headers.JSON_MEDIA_TYPE.encode())
JSON_HEADERS: Headers = [JSON_CONTENT_TYPE]
"""The headers of most responses. Compared by identity for the fast path of `Http1Connection`."""


class HttpResponse(NamedTuple):
    """A complete HTTP response."""

    status: int
    headers: Headers
    body: bytes = b""


class RequestHead:
    """The request line and headers. Header names are lowercase, and values are stripped."""

    __slots__ = ("headers", "method", "path", "repeated")

    def __init__(
        self,
        method: str,
        path: str,
        headers: dict[bytes, bytes],
        repeated: dict[bytes, list[bytes]],
    ) -> None:
        """Create a request head from parsed headers.

        Args:
            method: The method, such as "POST".
            path: The decoded URL path.
            headers: The first value of each header, keyed by lowercase name.
            repeated: All values of the headers that occur more than once.
        """
        self.method = method
        self.path = path
        self.headers = headers
        self.repeated = repeated

    @classmethod
    def from_pairs(
        cls, method: str, path: str, pairs: Iterable[tuple[bytes, bytes]]
    ) -> RequestHead:
        """Create a request head from name-value pairs.

        Args:
            method: The method, such as "POST".
            path: The decoded URL path.
            pairs: Lowercase header names and their values. A header that occurs more than once has
                multiple pairs.
        """
        headers: dict[bytes, bytes] = {}
        repeated: dict[bytes, list[bytes]] = {}
        for name, value in pairs:
            if name in headers:
                repeated.setdefault(name, [headers[name]]).append(value.strip(b" \t"))
            else:
                headers[name] = value.strip(b" \t")
        # RFC 9110, section 5.3: a list, such as in Accept, may be split across multiple headers.
        if b"accept" in repeated:
            headers[b"accept"] = b", ".join(repeated.pop(b"accept"))
        return cls(method, path, headers, repeated)

    def get_all(self, name: bytes) -> list[bytes]:
        """Return every value of a header."""
        if name in self.repeated:
            return self.repeated[name]
        return [self.headers[name]] if name in self.headers else []

    def get_single(self, name: str) -> str | None:
        """Return the value of a header that may occur only once, or None if it is missing.

        Raises:
            HeaderMismatchError: The header occurs more than once.
        """
        key = name.lower().encode("latin-1")
        if key in self.repeated:
            raise HeaderMismatchError(f"The header {name} occurs more than once")
        value = self.headers.get(key)
        return None if value is None else value.decode("latin-1")


class Responder(Protocol):
    """Sends the response to one HTTP request. Used only on the event loop."""

    on_close: Callable[[], None] | None
    """Called if the client disconnects before the response is complete."""

    @property
    def is_gone(self) -> bool:
        """Whether the client has disconnected. If so, `on_close` is no longer called."""

    @property
    def client_address(self) -> tuple[str, int] | None:
        """The client's address and port, if known."""

    def respond(self, response: HttpResponse) -> None:
        """Send a complete response."""

    def open_stream(self, headers: Headers) -> None:
        """Begin a response of unknown length with status 200."""

    def write(self, chunk: bytes) -> bool:
        """Send a chunk of the stream. Return False if the client is too slow or disconnected."""

    def end(self) -> None:
        """Complete the stream."""

    def abort(self) -> None:
        """Close the connection so that the client notices that the response is incomplete."""


class HttpRequest(Struct):
    """A complete request, its sender, and the connection to write the response to."""

    head: RequestHead
    body: bytes
    responder: Responder
    principal: Principal | None = None
    """The authenticated sender. None if the server does not authenticate."""


class AccessRefusal(Protocol):
    """The attributes of `paddock.auth.errors.RefusalError` that the transport uses."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Authorizer(Protocol):
    """Authenticates HTTP requests with access tokens; implemented by `paddock.auth`."""

    @property
    def resource(self) -> str:
        """The URL of the endpoint. Raises `DefinitionError` if it is not configured."""

    @property
    def metadata_url(self) -> str:
        """The URL of the protected resource metadata, as sent to clients."""

    def bind(self, resource: str) -> None:
        """Set the URL of the endpoint."""

    async def authenticate(self, values: list[str], /) -> Principal:
        """Return the sender of a request with these Authorization headers.

        Raises:
            RefusalError: The credentials are missing or insufficient.
        """

    def insufficient(self, scopes: Iterable[str], principal: Principal) -> Exception:
        """Return the `RefusalError` for a principal who lacks scopes."""

    def metadata(self) -> dict[str, object]:
        """Return the protected resource metadata (RFC 9728)."""


class AcceptedTypes(NamedTuple):
    """The response types that a client accepts."""

    json: bool
    events: bool
    prefers_events: bool = False


@lru_cache(maxsize=256)
def parse_accept(header: bytes) -> AcceptedTypes:
    """Return which of MCP's media types (JSON and event streams) an Accept header allows.

    A client without the header (an empty value) accepts both. The preferred type is the one with
    the higher weight or, if the weights are equal, the one that comes first in the header.
    """
    if not header.strip():
        return AcceptedTypes(json=True, events=True)
    ranges = [_parse_media_range(part) for part in header.decode("latin-1").split(",")]
    json_weight = _get_weight(ranges, JSON_MEDIA_TYPE)
    events_weight = _get_weight(ranges, EVENT_STREAM_MEDIA_TYPE)
    named_types = [
        media_type
        for media_type, _ in ranges
        if media_type in (JSON_MEDIA_TYPE, EVENT_STREAM_MEDIA_TYPE)
    ]
    names_events_first = named_types[:1] == [EVENT_STREAM_MEDIA_TYPE]
    prefers_by_order = events_weight == json_weight > 0 and names_events_first
    return AcceptedTypes(
        json_weight > 0,
        events_weight > 0,
        prefers_events=events_weight > json_weight or prefers_by_order,
    )


@lru_cache(maxsize=256)
def is_json_content_type(header: bytes) -> bool:
    """Return whether a Content-Type header specifies JSON in UTF-8."""
    media_type, *parameters = [part.strip().lower() for part in header.decode("latin-1").split(";")]
    charsets = [part[8:].strip('"') for part in parameters if part.startswith("charset=")]
    return media_type == JSON_MEDIA_TYPE and all(
        charset in ("utf-8", "utf8") for charset in charsets
    )


def _parse_media_range(part: str) -> tuple[str, float]:
    """Split an Accept header element, such as `text/html;q=0.8`, into media type and weight.

    The weight defaults to 1 if missing and is 0 if invalid. Other parameters are ignored.
    """
    media_type, *parameters = [piece.strip().lower() for piece in part.split(";")]
    weight = 1.0
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                weight = float(value)
            except ValueError:
                weight = 0.0
    return media_type, weight


def _get_weight(ranges: list[tuple[str, float]], media_type: str) -> float:
    """Return the weight of a media type, which is that of the most specific matching range."""
    for name in (media_type, media_type.partition("/")[0] + "/*", "*/*"):
        weights = [weight for range_type, weight in ranges if range_type == name]
        if weights:
            return max(weights)
    return 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpLimits:
    """Limits on the resources that clients can use over HTTP. All must be greater than 0."""

    body_bytes: int = 16 * 1024 * 1024
    """Size of one request body."""
    header_bytes: int = 32 * 1024
    """Size of all headers of one request."""
    connections: int = 10_000
    """Open connections."""
    concurrent_requests: int = 2_000
    """Requests in progress. Additional ones get status 503."""
    sessions: int = 10_000
    """Open sessions. At the limit, the session that has been idle longest is closed."""
    session_idle_seconds: float = 1800
    """Seconds after which an unused session is closed."""
    events: int = 256
    """Number of events stored per session to let clients resume a stream."""
    event_bytes: int = 4 * 1024 * 1024
    """Total size of the events stored per session."""
    all_event_bytes: int = 128 * 1024 * 1024
    """Total size of all sessions' events. The least recently used sessions lose theirs first."""
    backlog_bytes: int = 4 * 1024 * 1024
    """Unsent data per connection. A client that reads too slowly is disconnected."""
    call_seconds: float = 600
    """Duration of a handler call."""
    keep_alive_seconds: float = 15
    """Interval between keep-alive messages on an idle stream."""
    idle_seconds: float = 75
    """Seconds after which a connection without a request is closed."""
    receive_seconds: float = 30
    """Time that a client has to send a request."""
    write_seconds: float = 60
    """Time within which a client must read part of its response."""
    drain_seconds: float = 10
    """Time that requests in progress have to finish when the server stops."""

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if not value > 0:
                raise DefinitionError(
                    f"the limit {limit.name} is {value!r}", hint="use more than 0"
                )


Limits = HttpLimits
"""The public name."""
