"""Answers of the API that no route gives: to what may not pass, or cannot be told from nothing.

What every request passes before anything answers it: whose page it is from, and what it may be.

A browser can be made to send requests to a server on its user's own machine. So a request has to
name a host that is ours; a web page of another origin gets nothing, unless the origin is allowed;
and what changes anything has to come as JSON, which no form of another site can send.
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


def make_error_response(
    status: int, code: str, text: str, headers: Headers | None = None
) -> HttpResponse:
    """An answer in the form that all errors of the API have."""
    body = msgspec.json.encode({"error": text, "code": code, "details": []})
    return HttpResponse(
        status, [JSON_CONTENT_TYPE, (b"cache-control", b"no-store"), *(headers or [])], body
    )


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
"""No script but our own files; styles also where components set them."""
DATA_CONTENT_POLICY = b"default-src 'none'; frame-ancestors 'none'"
SECURITY_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class RequestPolicy:
    """Decides by the head of a request whether it may pass.

    Args:
        hosts: Hosts that requests may name, besides this machine's own; `*` for any.
        origins: Origins whose web pages may use the API, besides the app's own.
    """

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._origins = frozenset(normalize_origin(one) for one in origins)
        self._host_policy = HostOriginPolicy(list(hosts), self._origins)

    def check(self, head: RequestHead) -> HttpResponse | None:
        """The answer to a request that must not pass, or that is a question about passing."""
        said = (
            self._host_policy.find_violation(head)
            if b"host" in head.headers
            else "There is no Host header"
        )
        if said is not None:
            code = "ORIGIN_NOT_ALLOWED" if said.startswith("Origin") else "HOST_NOT_ALLOWED"
            return make_error_response(403, code, said)
        if self._is_cross_origin(head):
            return make_error_response(
                403,
                "ORIGIN_NOT_ALLOWED",
                "This request comes from a web page of another origin; ALLOWED_ORIGINS can name it",
            )
        is_preflight = head.method == "OPTIONS" and PREFLIGHT_HEADER in head.headers
        if is_preflight and is_path_below(head.path, API_PATH):
            return HttpResponse(204, self._make_preflight_headers(head))
        if is_path_below(head.path, API_PATH) and not _has_json_body(head):
            return make_error_response(
                415, "UNSUPPORTED_MEDIA_TYPE", "Expected a body of Content-Type: application/json"
            )
        return None

    def make_headers(self, head: RequestHead) -> Headers:
        """What every answer says besides, so that browsers do nothing else with it."""
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
        """Whether a page of another origin that is not listed has sent the request."""
        origin = head.headers.get(b"origin")
        if origin is not None:
            return not (
                self._is_allowed_origin(origin) or _is_same_origin(origin, head.headers[b"host"])
            )
        site = head.headers.get(b"sec-fetch-site", b"none")
        is_page = head.method in SAFE_METHODS and not (
            is_path_below(head.path, API_PATH) or is_path_below(head.path, MCP_PATH)
        )
        return site in (b"cross-site", b"same-site") and not is_page

    def _is_allowed_origin(self, origin: bytes) -> bool:
        """Whether an origin is allowed by name; that it is of this machine is not enough here."""
        if WILDCARD in self._origins:
            return True
        try:
            return normalize_origin(origin.decode("ascii")) in self._origins
        except (UnicodeDecodeError, DefinitionError):
            return False

    def _make_cors_headers(self, head: RequestHead) -> Headers:
        origin = head.headers.get(b"origin")
        if origin is None or not self._is_allowed_origin(origin):
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", EXPOSED_HEADERS),
            (b"vary", b"Origin"),
        ]

    def _make_preflight_headers(self, head: RequestHead) -> Headers:
        if not self._make_cors_headers(head):
            return [(b"allow", ALLOWED_METHODS)]
        return [
            (b"access-control-allow-methods", ALLOWED_METHODS),
            (b"access-control-allow-headers", ALLOWED_HEADERS),
            (b"access-control-max-age", PREFLIGHT_MAX_AGE),
        ]


def is_path_below(path: str, place: str) -> bool:
    """Whether a path is a place, or leads to something below it."""
    return path == place or path.startswith(f"{place}/")


def _is_same_origin(origin: bytes, host: bytes) -> bool:
    """Whether an origin is that of the host that the request names."""
    return urlsplit(origin.decode("latin-1")).netloc.lower() == host.decode("latin-1").lower()


def _has_json_body(head: RequestHead) -> bool:
    """Whether a body is JSON, if there is one."""
    length = head.headers.get(b"content-length", b"0")
    if length == b"0" and b"transfer-encoding" not in head.headers:
        return True
    return is_json_content_type(head.headers.get(b"content-type", b""))
