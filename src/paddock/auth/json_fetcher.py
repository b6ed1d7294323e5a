"""HTTP requests for authorization servers' JSON documents, and discovery of their endpoints.

The functions block, so they are called in the threads of `auth.token_lookup`. Responses are limited
in size and time. Redirects are not followed, because credentials must reach only the configured
server. Discovery follows RFC 8414 and OpenID Connect.
"""

from __future__ import annotations

from time import monotonic
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
import urllib3

from paddock.auth.errors import UndecidedError
from paddock.auth.urls import build_well_known_path, get_origin, is_secure_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MAX_DOCUMENT_BYTES = 1024 * 1024
CONNECT_TIMEOUT_SECONDS = 3.0
READ_TIMEOUT_SECONDS = 5.0
TOTAL_TIMEOUT_SECONDS = 10.0
MAX_IDLE_CONNECTIONS = 16
"""Maximum number of idle connections: one for each thread of two call pools."""


class JsonResponse(NamedTuple):
    """A response: status, headers, and the JSON object in the body, if any."""

    status: int
    headers: Mapping[str, str]
    document: dict[str, object] | None


class JsonFetcher:
    """HTTP client for authorization servers."""

    def __init__(self, *, allow_insecure_http: bool = False) -> None:
        self._allow_insecure_http = allow_insecure_http
        self._http = urllib3.PoolManager(
            maxsize=MAX_IDLE_CONNECTIONS,
            # Retries would multiply the time limits.
            retries=False,
            timeout=urllib3.Timeout(connect=CONNECT_TIMEOUT_SECONDS, read=READ_TIMEOUT_SECONDS),
        )

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> JsonResponse:
        """Send a GET request."""
        return self._fetch("GET", url, headers or {}, None)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> JsonResponse:
        """Send a POST request."""
        return self._fetch("POST", url, headers, body)

    def create_endpoint(self, issuer: str | None, name: str, url: str | None) -> IssuerEndpoint:
        """Return an endpoint of an issuer (authorization server), looking up its URL if needed.

        Args:
            issuer: The URL of the issuer, whose metadata document is read if `url` is None.
            name: The field of that document that contains the endpoint's URL, such as `jwks_uri`.
            url: The URL of the endpoint, if the user has configured it.
        """
        return IssuerEndpoint(self, issuer or "", name, url)

    def _fetch(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> JsonResponse:
        """Send a request and return the response, whatever its status. Blocking.

        Redirects are not followed.

        Raises:
            UndecidedError: The URL is insecure, or no complete response arrived in time.
        """
        if not is_secure_url(url, allow_insecure_http=self._allow_insecure_http):
            raise UndecidedError(f"{url} is neither encrypted nor on this machine")
        # Compression is disabled, because a small response could decompress to more than the size
        # limit.
        request_headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "paddock",
            **headers,
        }
        try:
            response = self._http.request(
                method,
                url,
                headers=request_headers,
                body=body,
                redirect=False,
                preload_content=False,
                decode_content=False,
            )
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            raise UndecidedError(f"{url}: {type(error).__name__}") from error
        try:
            content = _read_content(response, url)
        finally:
            response.release_conn()
        return JsonResponse(response.status, response.headers, _decode_object(content))


def _read_content(response: urllib3.BaseHTTPResponse, url: str) -> bytes:
    """Return the body of a response.

    Raises:
        UndecidedError: The body is too large or arrives too slowly, or the connection failed.
    """
    deadline = monotonic() + TOTAL_TIMEOUT_SECONDS
    content = b""
    try:
        while chunk := response.read1(MAX_DOCUMENT_BYTES, decode_content=False):
            content += chunk
            if len(content) > MAX_DOCUMENT_BYTES or monotonic() > deadline:
                # The connection cannot be reused if the body has not been read.
                response.close()
                raise UndecidedError(f"{url}: too large, or too slow")
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise UndecidedError(f"{url}: {type(error).__name__}") from error
    return content


def _decode_object(content: bytes) -> dict[str, object] | None:
    try:
        return msgspec.json.decode(content, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError):
        return None


OAUTH_METADATA_PATH = "/.well-known/oauth-authorization-server"
OPENID_CONFIGURATION_PATH = "/.well-known/openid-configuration"


class IssuerEndpoint:
    """An issuer's endpoint, either configured or discovered from the issuer's metadata.

    A discovered URL is used until a request to it fails.
    """

    def __init__(self, fetcher: JsonFetcher, issuer: str, name: str, url: str | None) -> None:
        self._fetcher = fetcher
        self._issuer = issuer
        self._metadata_key = name
        self._configured_url = url
        self._discovered_url: str | None = None

    def request_document(self, request: Callable[[str], JsonResponse]) -> dict[str, object]:
        """Return the JSON document at the endpoint, discovering its URL first if needed. Blocking.

        Args:
            request: Sends a request to the URL that it receives, and returns the response.

        Raises:
            UndecidedError: The URL could not be discovered, or the response has no document.
        """
        url = self._configured_url or self._discovered_url
        if url is None:
            url = self._discovered_url = self._discover_url()
        try:
            response = request(url)
            if response.status != 200 or response.document is None:
                raise UndecidedError(f"{url} returned status {response.status} and no document")
        except UndecidedError:
            # The issuer may have moved the endpoint, so it is discovered again next time.
            self._discovered_url = None
            raise
        return response.document

    def _discover_url(self) -> str:
        """Return the endpoint's URL from the issuer's published metadata.

        The document can be at several well-known URLs, which are tried in order.

        Raises:
            UndecidedError: None of the documents contains the endpoint. The message gives the
                reason for each of them.
        """
        failures: list[str] = []
        for url in list_metadata_urls(self._issuer):
            response = self._fetcher.get(url)
            document = response.document
            if response.status != 200 or document is None:
                failures.append(f"{url} returned status {response.status}")
            elif document.get("issuer") != self._issuer:
                # RFC 8414, section 3.3: the document must name the issuer. Otherwise it could be
                # the document of another issuer (a mix-up attack).
                failures.append(f"{url} is about {document.get('issuer')!r}")
            elif not isinstance(endpoint_url := document.get(self._metadata_key), str):
                failures.append(f"{url} has no {self._metadata_key}")
            else:
                return endpoint_url
        raise UndecidedError(f"no metadata of {self._issuer}: {'; '.join(failures)}")


def list_metadata_urls(issuer: str) -> Iterator[str]:
    """Yield the possible URLs of an issuer's metadata, in the order specified by MCP."""
    path = urlsplit(issuer).path
    yield get_origin(issuer) + build_well_known_path(OAUTH_METADATA_PATH, path)
    yield get_origin(issuer) + build_well_known_path(OPENID_CONFIGURATION_PATH, path)
    if path.strip("/"):
        yield issuer.rstrip("/") + OPENID_CONFIGURATION_PATH
