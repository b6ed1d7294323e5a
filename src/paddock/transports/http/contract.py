"""What the parts of the HTTP transport know of each other, and of whoever carries the bytes.

A carrier (our own server, or an ASGI server through `asgi`) brings a `Head` and a body, and takes
the answer through an `Outgoing`. All of it happens on one event loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from paddock.protocol import http_headers
from paddock.protocol.errors import HeaderMismatchError

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
    def from_pairs(cls, method: str, path: str, pairs: Iterable[tuple[bytes, bytes]]) -> RequestHead:
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
    """Who may use the endpoint; `paddock.authorization` has it."""

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
