"""Small JSON documents from authorization servers, by HTTP, with limits on everything.

Blocking, for use with `authorization.blocking`. Redirects are not followed: where to ask is what
the user has configured, and a credential must not travel elsewhere.
"""

from __future__ import annotations

from time import monotonic
from typing import NamedTuple

import msgspec
import urllib3

from paddock.authorization.errors import UndecidedError
from paddock.authorization.urls import is_secure_url

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
