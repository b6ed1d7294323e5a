"""What every request passes before anything answers it: whose page it is from, and what it may be.

A browser can be made to send requests to a server on its user's own machine. So a request has to
name a host that is ours; a web page of another origin gets nothing, unless the origin is allowed;
and what changes anything has to come as JSON, which no form of another site can send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paddock.app.refusing import refusal
from paddock.errors import DefinitionError
from paddock.transports.http.contract import Head, Response
from paddock.transports.http.guards import ANY, Guard, normal_origin
from paddock.transports.http.media import is_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.transports.http.contract import Headers

API, MCP = "/api", "/mcp"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
METHODS = b"GET, POST, PUT, PATCH, DELETE"
MAY_SEND = b"Accept, Authorization, Content-Type, If-Match, Last-Event-ID"
MAY_READ = b"ETag, Retry-After, X-Next-Cursor"
PREFLIGHT = b"access-control-request-method"
PREFLIGHT_AGE = b"600"
PAGE_POLICY = (
    b"default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; "
    b"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""No script but our own files; styles also where components set them."""
DATA_POLICY = b"default-src 'none'; frame-ancestors 'none'"
ALWAYS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Gate:
    """Decides by the head of a request whether it may pass.

    Args:
        hosts: Hosts that requests may name, besides this machine's own; `*` for any.
        origins: Origins whose web pages may use the API, besides the app's own.
    """

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._origins = frozenset(normal_origin(one) for one in origins)
        self._guard = Guard(list(hosts), self._origins)

    def objection(self, head: Head) -> Response | None:
        """The answer to a request that must not pass, or that is a question about passing."""
        said = self._guard.objection(head) if b"host" in head.headers else "There is no Host header"
        if said is not None:
            code = "ORIGIN_NOT_ALLOWED" if said.startswith("Origin") else "HOST_NOT_ALLOWED"
            return refusal(403, code, said)
        if self._is_foreign(head):
            return refusal(
                403,
                "ORIGIN_NOT_ALLOWED",
                "This request comes from a web page of another origin; ALLOWED_ORIGINS can name it",
            )
        is_preflight = head.method == "OPTIONS" and PREFLIGHT in head.headers
        if is_preflight and is_below(head.path, API):
            return Response(204, self._preflight(head))
        if is_below(head.path, API) and not _is_understood(head):
            return refusal(
                415, "UNSUPPORTED_MEDIA_TYPE", "Expected a body of Content-Type: application/json"
            )
        return None

    def headers(self, head: Head) -> Headers:
        """What every answer says besides, so that browsers do nothing else with it."""
        is_data = is_below(head.path, API) or is_below(head.path, MCP)
        if not is_data:
            return [*ALWAYS, (b"content-security-policy", PAGE_POLICY)]
        return [
            *ALWAYS,
            (b"content-security-policy", DATA_POLICY),
            (b"cache-control", b"no-store"),
            *(self._cors(head) if is_below(head.path, API) else ()),
        ]

    def _is_foreign(self, head: Head) -> bool:
        """Whether a page of another origin that is not listed has sent the request."""
        origin = head.headers.get(b"origin")
        if origin is not None:
            return not (self._is_listed(origin) or _is_same(origin, head.headers[b"host"]))
        site = head.headers.get(b"sec-fetch-site", b"none")
        is_page = head.method in SAFE and not (is_below(head.path, API) or is_below(head.path, MCP))
        return site in (b"cross-site", b"same-site") and not is_page

    def _is_listed(self, origin: bytes) -> bool:
        """Whether an origin is allowed by name; that it is of this machine is not enough here."""
        if ANY in self._origins:
            return True
        try:
            return normal_origin(origin.decode("ascii")) in self._origins
        except (UnicodeDecodeError, DefinitionError):
            return False

    def _cors(self, head: Head) -> Headers:
        origin = head.headers.get(b"origin")
        if origin is None or not self._is_listed(origin):
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", MAY_READ),
            (b"vary", b"Origin"),
        ]

    def _preflight(self, head: Head) -> Headers:
        if not self._cors(head):
            return [(b"allow", METHODS)]
        return [
            (b"access-control-allow-methods", METHODS),
            (b"access-control-allow-headers", MAY_SEND),
            (b"access-control-max-age", PREFLIGHT_AGE),
        ]


def is_below(path: str, place: str) -> bool:
    """Whether a path is a place, or leads to something below it."""
    return path == place or path.startswith(f"{place}/")


def _is_same(origin: bytes, host: bytes) -> bool:
    """Whether an origin is that of the host that the request names."""
    return urlsplit(origin.decode("latin-1")).netloc.lower() == host.decode("latin-1").lower()


def _is_understood(head: Head) -> bool:
    """Whether a body is JSON, if there is one."""
    length = head.headers.get(b"content-length", b"0")
    if length == b"0" and b"transfer-encoding" not in head.headers:
        return True
    return is_json(head.headers.get(b"content-type", b""))
