"""Resource and issuer URLs: canonical form, and security checks.

The canonical form follows MCP and RFC 8707: lower-case scheme and host, no default port, no
fragment, and no slash after the host alone.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from paddock.errors import DefinitionError

PROTECTED_RESOURCE_PATH = "/.well-known/oauth-protected-resource"
_DEFAULT_PORTS = {"http": 80, "https": 443}


def canonicalize_url(url: str) -> str:
    """Return the canonical form of a URL, so that equal addresses can be compared as strings.

    For example, `HTTPS://Example.org:443/` becomes `https://example.org`. A string that is not a
    URL is returned unchanged.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return url
    # Resource URLs have no user name. A URL with a user name is left unchanged, so it does not
    # match any resource.
    if not parts.hostname or "@" in parts.netloc:
        return url
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    path = "" if parts.path == "/" else parts.path
    return parts._replace(netloc=host, path=path).geturl()


def validate_url(url: object, where: str, *, allow_insecure_http: bool = False) -> str:
    """Return a URL from the configuration, after checking that it is safe to use with tokens.

    Args:
        url: The configured value.
        where: The name of the setting, such as `Authorization: resource`, for error messages.
        allow_insecure_http: Accept unencrypted HTTP to machines other than this one.

    Raises:
        DefinitionError: The URL is not an absolute http or https URL, has a user, query or
            fragment, or uses unencrypted HTTP to another machine.
    """
    parts = _split_url(url, where)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise DefinitionError(
            f"{url!r} has a user, a query or a fragment",
            where=where,
            hint="leave it out: only scheme, host, port and path are compared",
        )
    if not is_secure_url(parts.geturl(), allow_insecure_http=allow_insecure_http):
        raise DefinitionError(
            f"{url!r} is not encrypted, so tokens could be intercepted",
            where=where,
            hint="use https, or allow_insecure_http=True on a private network",
        )
    return parts.geturl()


def _split_url(url: object, where: str) -> SplitResult:
    """Return the parts of a URL from the configuration.

    Raises:
        DefinitionError: The value is not an absolute http or https URL.
    """
    invalid_url_error = DefinitionError(
        f"expected an absolute http or https URL, got {url!r}",
        where=where,
        hint='like "https://example.org/mcp"',
    )
    # urlsplit silently removes tabs and line breaks, and accepts look-alike host names.
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or " " in url:
        raise invalid_url_error
    try:
        parts = urlsplit(url)
        # urlsplit checks the port only when it is read.
        _ = parts.port
    except ValueError:
        raise invalid_url_error from None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise invalid_url_error
    return parts


def is_secure_url(url: str, *, allow_insecure_http: bool = False) -> bool:
    """Return whether tokens can be sent to a URL without being intercepted.

    This is the case for https URLs, and for http URLs on this machine. With `allow_insecure_http`,
    all other http URLs are trusted as well.
    """
    parts = urlsplit(url)
    if parts.scheme == "https":
        return True
    return parts.scheme == "http" and (
        allow_insecure_http or is_loopback_host(parts.hostname or "")
    )


def is_loopback_host(host: str) -> bool:
    """Return whether a host name or address refers to this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_wildcard_url(url: str) -> bool:
    """Return whether a URL has an unspecified address (0.0.0.0), which clients cannot call."""
    try:
        return ip_address(urlsplit(url).hostname or "").is_unspecified
    except ValueError:
        return False


def get_origin(url: str) -> str:
    """Return the scheme, host and port of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def build_well_known_path(well_known: str, path: str) -> str:
    """Return the path of the well-known document for a path (RFC 8615, RFC 9728 section 3.1)."""
    suffix = path.rstrip("/") if path.strip("/") == "" else path
    return f"{well_known}/{suffix.lstrip('/')}" if suffix else well_known
