"""Small JSON documents from authorization servers, by HTTP, with limits on everything.

Blocking, for use with `authorization.blocking`. Redirects are not followed: where to ask is what
the user has configured, and a credential must not travel elsewhere.

Where an authorization server has its endpoints: RFC 8414 and OpenID Connect discovery.
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
    from collections.abc import Mapping

MAX_DOCUMENT_BYTES = 1024 * 1024
CONNECT_TIMEOUT_SECONDS = 3.0
READ_TIMEOUT_SECONDS = 5.0
TOTAL_TIMEOUT_SECONDS = 10.0
MAX_IDLE_CONNECTIONS = 16
"""That are kept: as many as there are threads that ask."""


class JsonResponse(NamedTuple):
    """What a server answered: the status, the headers, and the JSON object that it sent."""

    status: int
    headers: Mapping[str, str]
    document: dict[str, object] | None


class JsonFetcher:
    """Asks authorization servers."""

    def __init__(self, *, allow_insecure_http: bool = False) -> None:
        self._allow_insecure_http = allow_insecure_http
        self._http = urllib3.PoolManager(
            maxsize=MAX_IDLE_CONNECTIONS,
            retries=False,
            timeout=urllib3.Timeout(connect=CONNECT_TIMEOUT_SECONDS, read=READ_TIMEOUT_SECONDS),
        )

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> JsonResponse:
        """Read a document."""
        return self._fetch("GET", url, headers or {}, None)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> JsonResponse:
        """Send a question, and read the answer."""
        return self._fetch("POST", url, headers, body)

    def _fetch(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> JsonResponse:
        if not is_secure_url(url, allow_insecure_http=self._allow_insecure_http):
            raise UndecidedError(f"{url} is not encrypted, and not on this machine")
        # Nothing packed: a small answer could unpack to a large one.
        sent = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "paddock",
            **headers,
        }
        try:
            response = self._http.request(
                method,
                url,
                headers=sent,
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
    """All of an answer, unless it is too large or takes too long."""
    until = monotonic() + TOTAL_TIMEOUT_SECONDS
    content = b""
    try:
        while piece := response.read1(MAX_DOCUMENT_BYTES, decode_content=False):
            content += piece
            if len(content) > MAX_DOCUMENT_BYTES or monotonic() > until:
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


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


OAUTH_METADATA_PATH = "/.well-known/oauth-authorization-server"
OPENID_CONFIGURATION_PATH = "/.well-known/openid-configuration"


class IssuerEndpoint:
    """One endpoint of an issuer: given, or found through its metadata.

    What was found is kept as long as it leads somewhere.
    """

    def __init__(
        self, fetcher: JsonFetcher, issuer: str | None, name: str, url: str | None
    ) -> None:
        self._fetcher = fetcher
        self._issuer = issuer or ""
        self._metadata_key = name
        self._configured_url = url
        self._discovered_url: str | None = None

    def request_document(self, question: Callable[[str], JsonResponse]) -> dict[str, object]:
        """The document that the answer to a question at the endpoint holds; blocks.

        Raises:
            UndecidedError: The endpoint is not known now, or does not answer with a document.
        """
        url = self._configured_url or self._discovered_url
        if url is None:
            url = self._discovered_url = self._discover_url()
        try:
            answer = question(url)
            if answer.status != 200 or answer.document is None:
                raise UndecidedError(f"{url} answered {answer.status}, and no document")
        except UndecidedError:
            self._discovered_url = None
            raise
        return answer.document

    def _discover_url(self) -> str:
        refused: list[str] = []
        for url in list_metadata_urls(self._issuer):
            answer = self._fetcher.get(url)
            document = answer.document
            if answer.status != 200 or document is None:
                refused.append(f"{url} answered {answer.status}")
            elif document.get("issuer") != self._issuer:
                # RFC 8414, section 3.3: anything else could be somebody else's document.
                refused.append(f"{url} is about {document.get('issuer')!r}")
            elif not isinstance(found := document.get(self._metadata_key), str):
                refused.append(f"{url} has no {self._metadata_key}")
            else:
                return found
        raise UndecidedError(f"no metadata of {self._issuer}: {'; '.join(refused)}")


def list_metadata_urls(issuer: str) -> Iterator[str]:
    """Where the metadata of an issuer can be, in the order in which MCP wants it looked for."""
    path = urlsplit(issuer).path
    yield get_origin(issuer) + build_well_known_path(OAUTH_METADATA_PATH, path)
    yield get_origin(issuer) + build_well_known_path(OPENID_CONFIGURATION_PATH, path)
    if path.strip("/"):
        yield issuer.rstrip("/") + OPENID_CONFIGURATION_PATH
