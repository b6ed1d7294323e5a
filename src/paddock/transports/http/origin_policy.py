"""Host and Origin checks: DNS rebinding protection and CORS.

Web pages can make a browser send requests to servers on the user's machine. A request must
therefore name an allowed host and, if a web page sent it, come from an allowed origin.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paddock.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.transports.http.messages import Headers, RequestHead

WILDCARD = "*"
MAX_CACHED_VERDICTS = 1024
CORS_METHODS = b"POST, GET, DELETE, OPTIONS"
CORS_HEADERS = (
    b"Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, "
    b"Mcp-Name, Mcp-Session-Id, traceparent, tracestate"
)
CORS_EXPOSED_HEADERS = b"Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate"
PARAM_HEADER_PREFIX = "mcp-param-"
PREFLIGHT_MAX_AGE_SECONDS = b"600"


class HostOriginPolicy:
    """Decides whether a request is allowed, based on its Host and Origin headers.

    Checking the Host header prevents DNS rebinding. Checking the Origin header blocks web pages
    from other sites that a user of this machine has opened.

    Args:
        hosts: Host names that are allowed in addition to those of this machine. `*` allows any.
        origins: Origins that are allowed in addition to those of this machine. `*` allows any.
    """

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._hosts = frozenset(_parse_host(host) for host in _require_list(hosts, "allowed_hosts"))
        self._origins = frozenset(
            normalize_origin(origin) for origin in _require_list(origins, "allowed_origins")
        )
        # Most clients send the same values with each request. The caches are limited so that a
        # client cannot fill up memory with new values.
        self._is_host_allowed = lru_cache(MAX_CACHED_VERDICTS)(self._check_host)
        self.allows_origin = lru_cache(MAX_CACHED_VERDICTS)(self._check_origin)
        """Returns whether web pages from an origin may use the endpoint."""

    def find_violation(self, head: RequestHead) -> str | None:
        """Return the reason for rejecting a request, or None."""
        return self.find_host_violation(head) or self.find_origin_violation(head)

    def find_host_violation(self, head: RequestHead) -> str | None:
        """Return the reason why the Host header is not allowed, or None if it is allowed."""
        host_value = head.headers.get(b"host", b"")
        # RFC 9112, section 3.2: a request must not have more than one Host header.
        if not self._is_host_allowed(host_value) or b"host" in head.repeated:
            return f"Host {_quote_value(host_value)} is not allowed; add it to allowed_hosts"
        return None

    def find_origin_violation(self, head: RequestHead) -> str | None:
        """Return the reason why the Origin header is not allowed, or None if it is allowed.

        A missing header is allowed, because only browsers send it.
        """
        # Browsers must send Origin with cross-origin POST requests; other programs need not.
        origin = head.headers.get(b"origin")
        if origin is None:
            return None
        if not self.allows_origin(origin) or b"origin" in head.repeated:
            return f"Origin {_quote_value(origin)} is not allowed; add it to allowed_origins"
        return None

    def make_cors_headers(self, head: RequestHead) -> Headers:
        """Return the CORS headers that allow a web page to read the response.

        The list is empty unless the request comes from a web page with an allowed origin.
        """
        origin = head.headers.get(b"origin")
        if origin is None or not self.allows_origin(origin):
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", CORS_EXPOSED_HEADERS),
            (b"vary", b"Origin"),
        ]

    def make_preflight_headers(self, head: RequestHead) -> Headers:
        """Return the headers that answer a CORS preflight request.

        Browsers send such a request to ask whether a web page may use a method and certain headers.
        """
        requested_headers = head.headers.get(b"access-control-request-headers", b"").decode(
            "latin-1"
        )
        # Headers for tool arguments are recognized by their prefix, because their names vary.
        parameter_headers = [
            name.strip().encode("latin-1")
            for name in requested_headers.split(",")
            if name.strip().lower().startswith(PARAM_HEADER_PREFIX)
        ]
        return [
            *self.make_cors_headers(head),
            (b"access-control-allow-methods", CORS_METHODS),
            (b"access-control-allow-headers", b", ".join([CORS_HEADERS, *parameter_headers])),
            (b"access-control-max-age", PREFLIGHT_MAX_AGE_SECONDS),
        ]

    def _check_host(self, value: bytes) -> bool:
        """Return True if a Host header value names an allowed host."""
        if WILDCARD in self._hosts:
            return True
        try:
            host = _parse_host(value.decode("ascii"))
        except (UnicodeDecodeError, DefinitionError):
            return False
        # Loopback names are always allowed, because DNS rebinding needs a foreign host name.
        return host in self._hosts or is_loopback_host(host)

    def _check_origin(self, value: bytes) -> bool:
        """Return True if an Origin header value names an allowed origin.

        Origins of this machine, such as `http://localhost:3000`, are always allowed.
        """
        if WILDCARD in self._origins:
            return True
        try:
            origin = normalize_origin(value.decode("ascii"))
        except (UnicodeDecodeError, DefinitionError):
            return False
        return origin in self._origins or is_loopback_host(_parse_host(urlsplit(origin).netloc))


def is_loopback_host(host: str) -> bool:
    """Return True if a host name or address always refers to this machine, such as `127.0.0.1`."""
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped_address = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped_address or address).is_loopback


def _parse_host(value: str) -> str:
    """Return the lowercase host from `host`, `host:port` or `[::1]:port`, without the port.

    Raises:
        DefinitionError: The value is not a host.
    """
    if value == WILDCARD:
        return WILDCARD
    try:
        parts = urlsplit(f"//{value}")
        parts.port  # noqa: B018 - the property raises ValueError for an invalid port
    except ValueError:
        raise DefinitionError(f"{value!r} is not a host") from None
    is_only_host = not (parts.path or parts.query or parts.fragment or "@" in parts.netloc)
    if not parts.hostname or not is_only_host or value.split() != [value]:
        raise DefinitionError(f"{value!r} is not a host", hint="as in example.org or [::1]")
    return parts.hostname.rstrip(".")


def normalize_origin(value: str) -> str:
    """Return an origin in canonical form, without a default port or trailing slash.

    Origins from headers and from the configuration are compared in this form.

    Raises:
        DefinitionError: The value is not an origin.
    """
    if value == WILDCARD:
        return WILDCARD
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise DefinitionError(f"{value!r} is not an origin") from None
    is_bare_origin = not (
        parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    )
    if not parts.scheme or not parts.hostname or not is_bare_origin or value.split() != [value]:
        raise DefinitionError(f"{value!r} is not an origin", hint="as in https://example.org")
    default_port = {"http": 80, "https": 443}.get(parts.scheme)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, default_port) else "")


def _require_list(values: Iterable[str], option: str) -> list[str]:
    if isinstance(values, str):
        raise DefinitionError(
            f"{option} must be a list, not a string", hint=f"write {option}=[{values!r}]"
        )
    return list(values)


def _quote_value(value: bytes) -> str:
    return repr(value[:80].decode("latin-1"))
