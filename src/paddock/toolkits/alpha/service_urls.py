"""URLs of the Wolfram|Alpha APIs and their images, and the rules for fetching from them."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, quote_plus, urlsplit

from paddock.authoring.handler_errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

LLM_URL = "https://www.wolframalpha.com/api/v1/llm-api"
FULL_RESULTS_URL = "https://api.wolframalpha.com/v2/query"
PAGE_URL = "https://www.wolframalpha.com/input?i="
WOLFRAM_DOMAINS = ("wolframalpha.com", "wolfram.com", "wolframcdn.com")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class ServiceUrls(NamedTuple):
    """The URLs of the APIs."""

    llm: str = LLM_URL
    full_results: str = FULL_RESULTS_URL
    base: str = ""
    """The base URL that the user has configured, or an empty string."""

    def is_configured_url(self, url: str) -> bool:
        """Return True if a URL has the origin that the user has configured."""
        return bool(self.base) and _get_origin(url) == _get_origin(self.base)

    def allows_image(self, url: str) -> bool:
        """Return True if an image may be fetched from a URL."""
        return self.is_configured_url(url) or _is_wolfram_url(url)

    def get_redirect_rule(self, url: str) -> Callable[[str], bool]:
        """Return a predicate for the redirect targets to follow from the URL of an image."""
        return self.is_configured_url if self.is_configured_url(url) else _is_wolfram_url


def create_service_urls(base: str | None) -> ServiceUrls:
    """Return the URLs of the APIs below a base URL, or those of Wolfram.

    Raises:
        ToolError: The base URL is invalid or not secure enough for an AppID.
    """
    if not base:
        return ServiceUrls()
    parts = _split_url(base)
    if parts is None or parts.query or parts.fragment or not _is_secure(parts):
        raise ToolError(
            "the option BaseURL is invalid: the AppID must not be sent there",
            hint="expected https://…, or http:// on this machine, without user, query and fragment",
        )
    root = base.rstrip("/")
    return ServiceUrls(f"{root}/api/v1/llm-api", f"{root}/v2/query", root)


def get_page_url(query: str) -> str:
    """Return the URL of the Wolfram|Alpha page for a query."""
    return PAGE_URL + quote_plus(query)


def _is_wolfram_url(url: str) -> bool:
    """Return True if a URL is on a Wolfram domain, with HTTP or HTTPS on its default port."""
    parts = _split_url(url)
    host = (parts.hostname or "") if parts else ""
    is_wolfram = any(host == domain or host.endswith(f".{domain}") for domain in WOLFRAM_DOMAINS)
    return parts is not None and is_wolfram and _get_origin(url)[2] == _DEFAULT_PORTS[parts.scheme]


def _is_secure(parts: SplitResult) -> bool:
    """Return True if requests are encrypted or stay on this machine."""
    host = parts.hostname or ""
    try:
        return parts.scheme == "https" or ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _get_origin(url: str) -> tuple[str, str, int]:
    parts = _split_url(url)
    if parts is None:
        return ("", "", 0)
    return (parts.scheme, parts.hostname or "", parts.port or _DEFAULT_PORTS[parts.scheme])


def _split_url(url: str) -> SplitResult | None:
    """Split an HTTP URL. Return None for other schemes, invalid URLs and URLs with a user."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError for an invalid port
    except ValueError:
        return None
    is_plain = url.isascii() and url.isprintable() and " " not in url and "\\" not in url
    if (
        parts.scheme not in _DEFAULT_PORTS
        or not parts.hostname
        or "@" in parts.netloc
        or not is_plain
    ):
        return None
    return parts
