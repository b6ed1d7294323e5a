"""The checks that every request must pass before routing: host, origin and body type.

A web site can make a browser send requests to a server on the user's own machine. A request must
therefore name an allowed host, which prevents DNS rebinding. Requests from pages of other origins
are rejected unless the origin is allowed. A request body must be JSON, which an HTML form on
another site cannot send (cross-site request forgery).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from paddock.errors import DefinitionError
from paddock.transports.http.messages import (
    JSON_CONTENT_TYPE,
    HttpResponse,
    RequestHead,
    is_json_content_type,
)
from paddock.transports.http.origin_policy import WILDCARD, HostOriginPolicy, normalize_origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.transports.http.messages import Headers

API_PATH, MCP_PATH = "/api", "/mcp"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
ALLOWED_METHODS = b"GET, POST, PUT, PATCH, DELETE"
ALLOWED_HEADERS = b"Accept, Authorization, Content-Type, If-Match, Last-Event-ID"
EXPOSED_HEADERS = b"ETag, Retry-After, X-Next-Cursor"
PREFLIGHT_HEADER = b"access-control-request-method"
PREFLIGHT_MAX_AGE = b"600"
PAGE_CONTENT_POLICY = (
    b"default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; "
    b"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Allows scripts only from the app's own files. Inline styles are set by UI components."""
DATA_CONTENT_POLICY = b"default-src 'none'; frame-ancestors 'none'"
SECURITY_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


def make_error_response(
    status: int, code: str, text: str, headers: Headers | None = None
) -> HttpResponse:
    """Return an error response with the JSON body that all REST API errors have.

    For example: `{"error": "The Host header is missing", "code": "HOST_NOT_ALLOWED", …}`.
    """
    body = msgspec.json.encode({"error": text, "code": code, "details": []})
    return HttpResponse(
        status, [JSON_CONTENT_TYPE, (b"cache-control", b"no-store"), *(headers or [])], body
    )


class RequestPolicy:
    """The rules for accepting or rejecting requests before routing.

    Args:
        hosts: Allowed values of the Host header besides loopback names. `*` allows any.
        origins: Origins other than the app's own whose web pages may use the API.
    """

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._origins = frozenset(normalize_origin(origin) for origin in origins)
        self._host_policy = HostOriginPolicy(list(hosts), self._origins)

    def intercept(self, head: RequestHead) -> HttpResponse | None:
        """Return the response to a request that must not reach a handler, or None to accept it.

        Such a request has an invalid host, origin or content type, or is a CORS preflight, which is
        answered here.
        """
        if b"host" not in head.headers:
            return make_error_response(403, "HOST_NOT_ALLOWED", "The Host header is missing")
        violation = self._host_policy.find_host_violation(head)
        if violation is not None:
            return make_error_response(403, "HOST_NOT_ALLOWED", violation)
        violation = self._host_policy.find_origin_violation(head)
        if violation is not None:
            return make_error_response(403, "ORIGIN_NOT_ALLOWED", violation)
        if self._is_cross_origin(head):
            return make_error_response(
                403,
                "ORIGIN_NOT_ALLOWED",
                "The request comes from a web page of another origin; to allow it, add the origin "
                "to ALLOWED_ORIGINS",
            )
        # Browsers send preflights without credentials, so they are answered before authentication.
        is_preflight = head.method == "OPTIONS" and PREFLIGHT_HEADER in head.headers
        if is_preflight and is_path_below(head.path, API_PATH):
            return HttpResponse(204, self._make_preflight_headers(head))
        if is_path_below(head.path, API_PATH) and not _has_json_body(head):
            return make_error_response(
                415, "UNSUPPORTED_MEDIA_TYPE", "Expected a body of Content-Type: application/json"
            )
        return None

    def make_headers(self, head: RequestHead) -> Headers:
        """Return the headers to add to every response: security policies, caching and CORS."""
        is_data = is_path_below(head.path, API_PATH) or is_path_below(head.path, MCP_PATH)
        if not is_data:
            return [*SECURITY_HEADERS, (b"content-security-policy", PAGE_CONTENT_POLICY)]
        return [
            *SECURITY_HEADERS,
            (b"content-security-policy", DATA_CONTENT_POLICY),
            (b"cache-control", b"no-store"),
            *(self._make_cors_headers(head) if is_path_below(head.path, API_PATH) else ()),
        ]

    def _is_cross_origin(self, head: RequestHead) -> bool:
        """Return whether a request comes from a web page whose origin is not allowed.

        If such requests were accepted, any web page could act on behalf of the user (cross-site
        request forgery).
        """
        origin = head.headers.get(b"origin")
        if origin is not None:
            return not (
                self._is_allowed_origin(origin) or _is_same_origin(origin, head.headers[b"host"])
            )
        # Browsers omit Origin in some GET requests, but their Fetch Metadata headers still state
        # how the sites are related. Following a link from another site to one of the app's pages is
        # allowed.
        site = head.headers.get(b"sec-fetch-site", b"none")
        is_page = head.method in SAFE_METHODS and not (
            is_path_below(head.path, API_PATH) or is_path_below(head.path, MCP_PATH)
        )
        return site in (b"cross-site", b"same-site") and not is_page

    def _is_allowed_origin(self, origin: bytes) -> bool:
        """Return whether the settings allow requests from an origin's web pages.

        Unlike for MCP endpoints, a loopback origin such as `http://localhost:3000` is not allowed
        automatically, because any program on the machine may serve pages there.
        """
        if WILDCARD in self._origins:
            return True
        try:
            return normalize_origin(origin.decode("ascii")) in self._origins
        except (UnicodeDecodeError, DefinitionError):
            return False

    def _make_cors_headers(self, head: RequestHead) -> Headers:
        """Return the headers that let a web page of an allowed origin read the response.

        The list is empty if the request has no origin, or one that is not allowed.
        """
        origin = head.headers.get(b"origin")
        if origin is None or not self._is_allowed_origin(origin):
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", EXPOSED_HEADERS),
            (b"vary", b"Origin"),
        ]

    def _make_preflight_headers(self, head: RequestHead) -> Headers:
        """Return the headers of a CORS preflight response.

        An origin that is not allowed gets an ordinary `OPTIONS` response without CORS headers, so
        the browser refuses to send the actual request.
        """
        if not self._make_cors_headers(head):
            return [(b"allow", ALLOWED_METHODS)]
        return [
            (b"access-control-allow-methods", ALLOWED_METHODS),
            (b"access-control-allow-headers", ALLOWED_HEADERS),
            (b"access-control-max-age", PREFLIGHT_MAX_AGE),
        ]


def is_path_below(path: str, prefix: str) -> bool:
    """Return whether a path is `prefix` or below it."""
    return path == prefix or path.startswith(f"{prefix}/")


def _is_same_origin(origin: bytes, host: bytes) -> bool:
    return urlsplit(origin.decode("latin-1")).netloc.lower() == host.decode("latin-1").lower()


def _has_json_body(head: RequestHead) -> bool:
    """Return whether the request has a JSON body or none."""
    # A request without a body has no type to check.
    length = head.headers.get(b"content-length", b"0")
    if length == b"0" and b"transfer-encoding" not in head.headers:
        return True
    return is_json_content_type(head.headers.get(b"content-type", b""))
