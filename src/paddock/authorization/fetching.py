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
from paddock.authorization.urls import is_safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 1024 * 1024
CONNECT_SECONDS = 3.0
READ_SECONDS = 5.0
TOTAL_SECONDS = 10.0
CONNECTIONS = 16
"""That are kept: as many as there are threads that ask."""


class Answer(NamedTuple):
    """What a server answered: the status, the headers, and the JSON object that it sent."""

    status: int
    headers: Mapping[str, str]
    document: dict[str, object] | None


class Fetcher:
    """Asks authorization servers."""

    def __init__(self, *, allow_insecure_http: bool = False) -> None:
        self._allow_insecure_http = allow_insecure_http
        self._http = urllib3.PoolManager(
            maxsize=CONNECTIONS,
            retries=False,
            timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS),
        )

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Read a document."""
        return self._fetch("GET", url, headers or {}, None)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send a question, and read the answer."""
        return self._fetch("POST", url, headers, body)

    def _fetch(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> Answer:
        if not is_safe(url, allow_insecure_http=self._allow_insecure_http):
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
            content = _content(response, url)
        finally:
            response.release_conn()
        return Answer(response.status, response.headers, _object(content))


def _content(response: urllib3.BaseHTTPResponse, url: str) -> bytes:
    """All of an answer, unless it is too large or takes too long."""
    until = monotonic() + TOTAL_SECONDS
    content = b""
    try:
        while piece := response.read1(MAX_BYTES, decode_content=False):
            content += piece
            if len(content) > MAX_BYTES or monotonic() > until:
                response.close()
                raise UndecidedError(f"{url}: too large, or too slow")
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise UndecidedError(f"{url}: {type(error).__name__}") from error
    return content


def _object(content: bytes) -> dict[str, object] | None:
    try:
        return msgspec.json.decode(content, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError):
        return None
