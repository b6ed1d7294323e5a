"""URLs that name a resource or an issuer: their canonical form, and which of them are safe.

The canonical form follows MCP and RFC 8707: scheme and host in lower case, no default port, no
fragment, no slash after the host alone.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from paddock.errors import DefinitionError

PROTECTED_RESOURCE_PATH = "/.well-known/oauth-protected-resource"
_DEFAULT_PORTS = {"http": 80, "https": 443}


def canonicalize_url(url: str) -> str:
    """The one form of a URL in which it is compared; a text that is no URL stays as it is."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return url
    if not parts.hostname or "@" in parts.netloc:
        return url
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    path = "" if parts.path == "/" else parts.path
    return parts._replace(netloc=host, path=path).geturl()


def validate_url(url: object, where: str, *, allow_insecure_http: bool = False) -> str:
    """A URL that a user has given, if a token may be sent there or be meant for it.

    Raises:
        DefinitionError: It is not an absolute http or https URL, has parts that it may not have,
            or is not encrypted though it is not on this machine.
    """
    parts = _split_url(url, where)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise DefinitionError(
            f"{url!r} has a user, a query or a fragment",
            where=where,
            hint="leave it out: scheme, host, port and path are what is compared",
        )
    if not is_secure_url(parts.geturl(), allow_insecure_http=allow_insecure_http):
        raise DefinitionError(
            f"{url!r} is not encrypted, and tokens could be read on their way",
            where=where,
            hint="use https; allow_insecure_http=True if the network between is your own",
        )
    return parts.geturl()


def _split_url(url: object, where: str) -> SplitResult:
    problem = DefinitionError(
        f"expected an absolute http or https URL, got {url!r}",
        where=where,
        hint='like "https://example.org/mcp"',
    )
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or " " in url:
        raise problem
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise problem from None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise problem
    return parts


def is_secure_url(url: str, *, allow_insecure_http: bool = False) -> bool:
    """Whether what is sent to a URL stays between the two ends."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return True
    return parts.scheme == "http" and (
        allow_insecure_http or is_loopback_host(parts.hostname or "")
    )


def is_loopback_host(host: str) -> bool:
    """Whether a host is this machine, seen from itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_wildcard_url(url: str) -> bool:
    """Whether a URL has the address of all interfaces, which no client can call."""
    try:
        return ip_address(urlsplit(url).hostname or "").is_unspecified
    except ValueError:
        return False


def get_origin(url: str) -> str:
    """Scheme, host and port of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def build_well_known_path(well_known: str, path: str) -> str:
    """The path of a well-known document about what is at a path (RFC 8615, RFC 9728)."""
    rest = path.rstrip("/") if path.strip("/") == "" else path
    return f"{well_known}/{rest.lstrip('/')}" if rest else well_known
