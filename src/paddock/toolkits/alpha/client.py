"""Client for the Wolfram|Alpha APIs: URLs, queries, images, and the interpretation of responses.

The service answers with HTTP status 501 if it does not understand a query. Images that are not
downloaded in time remain links.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import SplitResult, urlencode, urlsplit

from paddock.authoring.handler_errors import ToolError
from paddock.protocol.content import ImageContent
from paddock.toolkits.alpha.fetch import (
    ByteBudget,
    FetchFailure,
    FetchRequest,
    FetchResponse,
    fetch_all,
)
from paddock.toolkits.alpha.results import (
    QueryResult,
    RemoteImage,
    parse_full_results,
    parse_llm_text,
)
from paddock.toolkits.alpha.settings import mask_app_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from paddock.toolkits.alpha.results import ResultPiece

LLM_URL = "https://www.wolframalpha.com/api/v1/llm-api"
FULL_RESULTS_URL = "https://api.wolframalpha.com/v2/query"
WOLFRAM_DOMAINS = ("wolframalpha.com", "wolfram.com", "wolframcdn.com")
_DEFAULT_PORTS = {"http": 80, "https": 443}
QueryFailureKind = Literal["not-understood", "app-id", "quota", "timeout", "unavailable", "request"]
MAX_RESPONSE_BYTES = 4 << 20  # Responses are usually a few kilobytes long.
_QUOTA_PATTERN = re.compile(r"credits|limit[- ]exceeded|quota|usage[- ]limit", re.IGNORECASE)
_QUOTA_TEXT = (
    "The quota of Wolfram|Alpha queries is used up. Tell the user, who can see the limits at "
    "https://developer.wolframalpha.com."
)
_WRONG_APP_ID_TEXT = (
    "Wolfram|Alpha rejected the AppID. Tell the user: it may be mistyped, or valid for another API "
    "only; see https://developer.wolframalpha.com."
)
_TAIL_BYTES = 16
_IMAGE_SIGNATURES = (
    ("image/png", b"\x89PNG\r\n\x1a\n", b"IEND"),
    ("image/gif", b"GIF8", b";"),
    ("image/jpeg", b"\xff\xd8\xff", b"\xff\xd9"),
)
"""MIME type, first bytes, and bytes at the end of a complete file."""
_MAX_QUOTED_CHARACTERS = 1500  # The maximum for a service error message.


class QueryFailure(NamedTuple):
    """The reason that a query has no result."""

    query: str
    kind: QueryFailureKind
    message: str
    """A message for the model."""


class ServiceUrls(NamedTuple):
    """The URLs of the two Wolfram|Alpha APIs, and the rules for URLs in their responses."""

    llm: str = LLM_URL
    full_results: str = FULL_RESULTS_URL
    base: str = ""
    """The base URL that the user has configured, or an empty string."""

    def is_configured_url(self, url: str) -> bool:
        """Return True if a URL has the origin that the user has configured."""
        return bool(self.base) and _get_origin(url) == _get_origin(self.base)

    def allows_image(self, url: str) -> bool:
        """Return True if an image may be fetched from a URL in a response."""
        return self.is_configured_url(url) or _is_wolfram_url(url)

    def get_redirect_rule(self, url: str) -> Callable[[str], bool]:
        """Return a predicate that decides whether to follow a redirect from an image's URL.

        A redirect must stay on the configured origin or on Wolfram's domains.
        """
        return self.is_configured_url if self.is_configured_url(url) else _is_wolfram_url


def create_service_urls(base: str | None) -> ServiceUrls:
    """Return the URLs of the Wolfram|Alpha APIs.

    Args:
        base: The base URL of another server with the same APIs, or None for Wolfram's own.

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
    """Split an `http` or `https` URL into its parts.

    Returns None for other schemes, for invalid URLs, and for URLs that contain a user name.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port  # Reading the port raises a ValueError if it is invalid.
    except ValueError:
        return None
    has_only_url_characters = (
        url.isascii() and url.isprintable() and " " not in url and "\\" not in url
    )
    has_user = "@" in parts.netloc
    is_http_url = parts.scheme in _DEFAULT_PORTS and bool(parts.hostname)
    return parts if is_http_url and has_only_url_characters and not has_user else None


class AlphaClient(NamedTuple):
    """The Wolfram|Alpha service, with the settings for one call.

    Attributes:
        app_id: The AppID, which must not occur in results or messages.
        options: The options of the tool.
        service_urls: The URLs of the APIs.
    """

    app_id: str
    options: Mapping[str, Any]
    service_urls: ServiceUrls

    @classmethod
    def from_options(cls, app_id: str, options: Mapping[str, Any]) -> AlphaClient:
        """Create a client from a tool's options and an AppID, the key for the service.

        Raises:
            ToolError: The base URL or the AppID is invalid.
        """
        if not (app_id.isascii() and app_id.isprintable() and " " not in app_id):
            raise ToolError(
                "invalid AppID: it must consist of printable ASCII characters without spaces"
            )
        return cls(app_id, options, create_service_urls(options["BaseURL"]))

    @property
    def uses_full_results(self) -> bool:
        """Whether to use the Full Results API and not the LLM API."""
        return bool(self.options["Method"] == "FullResults")

    def run_queries(
        self, queries: Sequence[str], is_cancelled: Callable[[], bool]
    ) -> list[QueryResult | QueryFailure]:
        """Send queries to Wolfram|Alpha concurrently.

        Args:
            queries: The queries in natural language.
            is_cancelled: Called repeatedly while waiting. If it returns True, waiting ends.

        Returns:
            A result or failure for each query, in the same order.
        """
        requests = [self._build_request(query) for query in queries]
        responses = fetch_all(requests, self.options["TimeConstraint"], is_cancelled)
        return [
            self._read_response(query, response)
            for query, response in zip(queries, responses, strict=True)
        ]

    def _build_request(self, query: str) -> FetchRequest:
        """Build the HTTP request for a query.

        The LLM API returns text. The Full Results API, which is used if a tool's options require
        it, returns JSON and takes different parameters.
        """
        parameters: dict[str, object] = {"input": query}
        headers = {}
        if self.options["Units"]:
            parameters["units"] = self.options["Units"]
        if self.uses_full_results:
            api_url = self.service_urls.full_results
            code_format = ",minput" if self.options["IncludeWolframLanguageResults"] else ""
            formats = f"plaintext,image{code_format}"
            parameters |= {"appid": self.app_id, "output": "json", "format": formats}
        else:
            api_url = self.service_urls.llm
            # The LLM API also accepts the AppID in a header. Proxies log URLs, but not headers.
            headers = {"Authorization": f"Bearer {self.app_id}"}
            parameters["maxchars"] = self.options["MaxCharacterCount"]
        return FetchRequest(
            f"{api_url}?{urlencode(parameters)}",
            ByteBudget(MAX_RESPONSE_BYTES),
            headers,
            is_configured_url=self.service_urls.is_configured_url,
        )

    def _read_response(
        self, query: str, response: FetchResponse | FetchFailure
    ) -> QueryResult | QueryFailure:
        """Convert a query's response to a result, or to a failure with a message.

        The message is shown to the model and may quote the service. The AppID is masked in
        quotations, and HTML pages are not quoted.
        """
        if isinstance(response, FetchFailure):
            return self._convert_failure(query, response)
        text = mask_app_id(response.body.decode(errors="replace"), self.app_id).strip()
        is_plain_text = response.mime.startswith("text/") and "html" not in response.mime
        if response.status != HTTPStatus.OK:
            service_text = text[:_MAX_QUOTED_CHARACTERS] if is_plain_text else ""
            return self._convert_status(query, response.status, service_text)
        if self.uses_full_results:
            return self._read_full_results(query, response.body)
        pieces = parse_llm_text(text) if is_plain_text and text else ()
        if not pieces:
            return self._create_unreadable_failure(query, response.mime)
        return QueryResult(query, pieces)

    def _read_full_results(self, query: str, body: bytes) -> QueryResult | QueryFailure:
        """Convert a successful response from the Full Results API to a result or failure.

        This API also reports errors with HTTP status 200. They are treated like the matching HTTP
        status, so both APIs produce the same messages.
        """
        result = parse_full_results(body.replace(self.app_id.encode(), b"*" * 3))
        if result is None:
            return self._create_unreadable_failure(query, "not JSON of the documented form")
        if result.is_app_id_wrong:
            return self._convert_status(query, HTTPStatus.FORBIDDEN, result.error)
        if result.error:
            return self._convert_status(query, HTTPStatus.BAD_REQUEST, result.error)
        if not result.pieces:
            return _create_not_understood_failure(
                query, "\n".join(filter(None, result.suggestions))
            )
        return QueryResult(query, result.pieces)

    def _convert_status(self, query: str, status: int, service_text: str) -> QueryFailure:
        """Convert the HTTP status of an error to a failure with a message for the model.

        Args:
            query: The query.
            status: The HTTP status, which is not 200.
            service_text: The message in the response, or an empty string.
        """
        kind: QueryFailureKind
        # The service reports an exceeded quota with various statuses.
        if status == HTTPStatus.TOO_MANY_REQUESTS or (
            status != HTTPStatus.NOT_IMPLEMENTED and _QUOTA_PATTERN.search(service_text)
        ):
            kind, text = "quota", _QUOTA_TEXT
        elif status == HTTPStatus.NOT_IMPLEMENTED:
            return _create_not_understood_failure(query, service_text)
        elif status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            kind, text = "app-id", _WRONG_APP_ID_TEXT
        elif status == HTTPStatus.REQUEST_TIMEOUT:
            return QueryFailure(query, "timeout", "Wolfram|Alpha took too long to answer.")
        elif status < HTTPStatus.BAD_REQUEST:
            text = f"Wolfram|Alpha redirects elsewhere (HTTP {status}), which is not followed."
            return QueryFailure(query, "unavailable", text)
        elif status < HTTPStatus.INTERNAL_SERVER_ERROR:
            kind = "request"
            text = f"Wolfram|Alpha rejected the query (HTTP {status}). Use other words."
        else:
            kind = "unavailable"
            text = f"Wolfram|Alpha returned a server error (HTTP {status}). Try again later."
        if service_text:
            text = f"{text} Message of the service: {service_text}"
        return QueryFailure(query, kind, text)

    def _convert_failure(self, query: str, failure: FetchFailure) -> QueryFailure:
        """Convert a request that got no response to a failure with a message for the model."""
        if failure.reason == "timeout":
            text = (
                f"Wolfram|Alpha did not answer within {self.options['TimeConstraint']:g} s. "
                "Try a simpler query."
            )
            return QueryFailure(query, "timeout", text)
        if failure.reason == "unreachable":
            text = f"Wolfram|Alpha cannot be reached ({failure.message}). Is this machine online?"
        elif failure.reason == "too-large":
            text = f"The response of Wolfram|Alpha is larger than {MAX_RESPONSE_BYTES >> 20} MiB."
        else:
            text = f"Wolfram|Alpha was not queried: {failure.message}."
        return QueryFailure(query, "unavailable", mask_app_id(text, self.app_id))

    def _create_unreadable_failure(self, query: str, content: str) -> QueryFailure:
        text = f"The response of Wolfram|Alpha is unreadable: it is {content}. Try again later."
        return QueryFailure(query, "unavailable", text)


def _create_not_understood_failure(query: str, service_text: str) -> QueryFailure:
    message = service_text or "Use other, simpler words."
    return QueryFailure(query, "not-understood", message)


def fetch_images(
    pieces: Iterable[ResultPiece],
    service_urls: ServiceUrls,
    options: Mapping[str, Any],
    is_cancelled: Callable[[], bool],
) -> dict[str, ImageContent]:
    """Download the images in results, and return those that arrive in time, keyed by URL.

    The URLs come from a response, so only those on Wolfram's domains, or on the configured origin,
    are fetched. Incomplete images and other data are dropped.
    """
    urls = dict.fromkeys(piece.url for piece in pieces if isinstance(piece, RemoteImage))
    allowed_urls = [url for url in urls if service_urls.allows_image(url)]
    fetched_urls = allowed_urls[: options["MaxImageCount"]]
    if not fetched_urls:
        return {}
    budget = ByteBudget(options["MaxImageBytes"])
    requests = [
        FetchRequest(
            url,
            budget,
            allows_redirect=service_urls.get_redirect_rule(url),
            is_configured_url=service_urls.is_configured_url,
        )
        for url in fetched_urls
    ]
    responses = fetch_all(requests, options["ImageTimeConstraint"], is_cancelled)
    images = {}
    for url, response in zip(fetched_urls, responses, strict=True):
        if isinstance(response, FetchFailure) or response.status != HTTPStatus.OK:
            continue
        # The declared type is not trusted. An empty type means that the image is not complete.
        mime_type = _detect_image_type(response.body)
        if mime_type:
            images[url] = ImageContent(response.body, mime_type)
    return images


def _detect_image_type(data: bytes) -> str:
    """Return the MIME type of a complete image, or an empty string for other data."""
    for mime, start, end in _IMAGE_SIGNATURES:
        if data.startswith(start) and end in data[-_TAIL_BYTES:]:
            return mime
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""
