"""What the parts of the HTTP transport know of each other, and of whoever carries the bytes.

A carrier (our own server, or an ASGI server through `asgi`) brings a `Head` and a body, and takes
the answer through an `Outgoing`. All of it happens on one event loop.

Media types: what a client sends and what it is ready to take.

How much of everything a client may use.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from paddock.errors import DefinitionError
from paddock.protocol import http_headers
from paddock.protocol.errors import HeaderMismatchError
from paddock.protocol.http_headers import EVENT_STREAM_MEDIA_TYPE, JSON_MEDIA_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paddock.protocol.principal import Principal


Headers = list[tuple[bytes, bytes]]

SESSION_ID_FIELD = http_headers.to_asgi_name(http_headers.SESSION_ID_HEADER)
LAST_EVENT_ID_FIELD = http_headers.to_asgi_name(http_headers.LAST_EVENT_ID_HEADER)
JSON_CONTENT_TYPE = (b"content-type", http_headers.JSON_MEDIA_TYPE.encode())
JSON_HEADERS: Headers = [JSON_CONTENT_TYPE]
"""The headers of most answers; a carrier may know them by their identity."""


class HttpResponse(NamedTuple):
    """An answer that is complete."""

    status: int
    headers: Headers
    body: bytes = b""


class RequestHead:
    """What stands before the body of an HTTP request; names in lower case, values stripped."""

    __slots__ = ("headers", "method", "path", "repeated")

    def __init__(
        self,
        method: str,
        path: str,
        headers: dict[bytes, bytes],
        repeated: dict[bytes, list[bytes]],
    ) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.repeated = repeated

    @classmethod
    def from_pairs(
        cls, method: str, path: str, pairs: Iterable[tuple[bytes, bytes]]
    ) -> RequestHead:
        """From names in lower case and values."""
        headers: dict[bytes, bytes] = {}
        repeated: dict[bytes, list[bytes]] = {}
        for name, value in pairs:
            if name in headers:
                repeated.setdefault(name, [headers[name]]).append(value.strip(b" \t"))
            else:
                headers[name] = value.strip(b" \t")
        if b"accept" in repeated:  # a list that may be written in several lines
            headers[b"accept"] = b", ".join(repeated.pop(b"accept"))
        return cls(method, path, headers, repeated)

    def get_all(self, name: bytes) -> list[bytes]:
        """Every value of a header."""
        if name in self.repeated:
            return self.repeated[name]
        return [self.headers[name]] if name in self.headers else []

    def get_single(self, name: str) -> str | None:
        """The one value of a header.

        Raises:
            HeaderMismatchError: when there are several.
        """
        key = name.lower().encode("latin-1")
        if key in self.repeated:
            raise HeaderMismatchError(f"{name} is there more than once")
        value = self.headers.get(key)
        return None if value is None else value.decode("latin-1")


class Responder(Protocol):
    """Takes the answer to one HTTP request; used only on the event loop."""

    on_close: Callable[[], None] | None
    """Called when the client is gone before the answer is complete."""

    @property
    def is_gone(self) -> bool:
        """Whether the client has left already: then `on_close` will not be called any more."""

    @property
    def client_address(self) -> tuple[str, int] | None:
        """The address and port of the client, as far as the carrier knows them."""

    def respond(self, response: HttpResponse) -> None:
        """Send a whole answer."""

    def open_stream(self, headers: Headers) -> None:
        """Begin an answer of unknown length, with status 200."""

    def write(self, chunk: bytes) -> bool:
        """Send a part of the stream; False when the client is too slow to take more, or gone."""

    def end(self) -> None:
        """The stream is complete."""

    def abort(self) -> None:
        """Break off: the client must see that something is missing."""


class ActiveExchange(Protocol):
    """A request that is being answered."""

    def check(self, now: float) -> None:
        """Called now and then: give the client a sign of life, or give up."""

    def close(self) -> None:
        """Break off."""


class AccessRefusal(Protocol):
    """An exception that says how a request without sufficient rights is answered."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Authorizer(Protocol):
    """Who may use the endpoint; `paddock.auth` has it."""

    @property
    def resource(self) -> str:
        """The URL of the endpoint; raises a `DefinitionError` when nobody has said it."""

    @property
    def metadata_url(self) -> str:
        """Where clients are told to find the document about the endpoint."""

    def bind(self, resource: str) -> None:
        """The endpoint is served at this URL."""

    async def authenticate(self, values: list[str], /) -> Principal:
        """Who sent a request with these Authorization headers; raises a `Refusal`."""

    def insufficient(self, scopes: Iterable[str], principal: Principal) -> Exception:
        """The `Refusal` of a principal who lacks scopes."""

    def metadata(self) -> dict[str, object]:
        """The RFC 9728 document about the endpoint."""


class AcceptedTypes(NamedTuple):
    """Which forms of an answer a client takes."""

    json: bool
    events: bool
    prefers_events: bool = False


@lru_cache(maxsize=256)
def parse_accept(header: bytes) -> AcceptedTypes:
    """What an Accept header allows; one that is missing allows everything."""
    if not header.strip():
        return AcceptedTypes(json=True, events=True)
    ranges = [_parse_media_range(part) for part in header.decode("latin-1").split(",")]
    json, events = (
        _get_weight(ranges, JSON_MEDIA_TYPE),
        _get_weight(ranges, EVENT_STREAM_MEDIA_TYPE),
    )
    named_types = [
        media_type
        for media_type, _ in ranges
        if media_type in (JSON_MEDIA_TYPE, EVENT_STREAM_MEDIA_TYPE)
    ]
    prefers_by_order = events == json > 0 and named_types[:1] == [EVENT_STREAM_MEDIA_TYPE]
    return AcceptedTypes(json > 0, events > 0, prefers_events=events > json or prefers_by_order)


@lru_cache(maxsize=256)
def is_json_content_type(header: bytes) -> bool:
    """Whether a Content-Type is JSON in UTF-8."""
    media_type, *parameters = [part.strip().lower() for part in header.decode("latin-1").split(";")]
    charsets = [part[8:].strip('"') for part in parameters if part.startswith("charset=")]
    return media_type == JSON_MEDIA_TYPE and all(
        charset in ("utf-8", "utf8") for charset in charsets
    )


def _parse_media_range(part: str) -> tuple[str, float]:
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
    """How much a type is wanted: the most specific range counts."""
    for name in (media_type, media_type.partition("/")[0] + "/*", "*/*"):
        weights = [weight for range_type, weight in ranges if range_type == name]
        if weights:
            return max(weights)
    return 0.0


class Limits:
    """Bounds on sizes, numbers and times; every one can be set.

    Args:
        body_bytes: Of one request.
        header_bytes: Of all headers of one request.
        connections: Open at once.
        concurrent_requests: Being answered at once; more are told to come back.
        sessions: Open at once; the one that has been idle longest makes room.
        session_idle_seconds: After which a session that nobody uses ends.
        event_bytes, events: Of a session, that a client may ask for again.
        all_event_bytes: Of all sessions together; the longest unused make room.
        backlog_bytes: Waiting for a client that reads slowly, before it is cut off.
        call_seconds: That a handler may take.
        keep_alive_seconds: Between signs of life on a connection where nothing happens.
        idle_seconds: After which a connection without a request is closed.
        receive_seconds: That a client may take to send a request.
        write_seconds: Within which a client must take something of its answer.
        drain_seconds: That what is under way may take when the server is told to end.
    """

    __slots__ = (
        "all_event_bytes",
        "backlog_bytes",
        "body_bytes",
        "call_seconds",
        "concurrent_requests",
        "connections",
        "drain_seconds",
        "event_bytes",
        "events",
        "header_bytes",
        "idle_seconds",
        "keep_alive_seconds",
        "receive_seconds",
        "session_idle_seconds",
        "sessions",
        "write_seconds",
    )

    def __init__(
        self,
        *,
        body_bytes: int = 16 * 1024 * 1024,
        header_bytes: int = 32 * 1024,
        connections: int = 10_000,
        concurrent_requests: int = 2_000,
        sessions: int = 10_000,
        session_idle_seconds: float = 1800,
        events: int = 256,
        event_bytes: int = 4 * 1024 * 1024,
        all_event_bytes: int = 128 * 1024 * 1024,
        backlog_bytes: int = 4 * 1024 * 1024,
        call_seconds: float = 600,
        keep_alive_seconds: float = 15,
        idle_seconds: float = 75,
        receive_seconds: float = 30,
        write_seconds: float = 60,
        drain_seconds: float = 10,
    ) -> None:
        self.body_bytes = body_bytes
        self.header_bytes = header_bytes
        self.connections = connections
        self.concurrent_requests = concurrent_requests
        self.sessions = sessions
        self.session_idle_seconds = session_idle_seconds
        self.events = events
        self.event_bytes = event_bytes
        self.all_event_bytes = all_event_bytes
        self.backlog_bytes = backlog_bytes
        self.call_seconds = call_seconds
        self.keep_alive_seconds = keep_alive_seconds
        self.idle_seconds = idle_seconds
        self.receive_seconds = receive_seconds
        self.write_seconds = write_seconds
        self.drain_seconds = drain_seconds
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise DefinitionError(
                    f"the limit {name} is {getattr(self, name)!r}", hint="use more than 0"
                )
