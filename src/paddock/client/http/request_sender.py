"""The bearer token for a server, and what to say when the server refuses it.

One HTTP request to a server: its headers, its token, redirections, and what may go wrong.
"""

from __future__ import annotations

import re
import ssl
import threading
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from urllib3 import exceptions as faults
from urllib3.util import Timeout

from paddock.client.errors import AccessRefusedError, HttpError
from paddock.client.http.connection_pool import (
    make_connection_pool,
    parse_server_url,
    set_current_work,
)
from paddock.errors import ConnectError
from paddock.protocol.http_headers import EVENT_STREAM_MEDIA_TYPE, LAST_EVENT_ID_HEADER
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from urllib3.response import BaseHTTPResponse

    from paddock.client.connect_options import ConnectSettings, TokenSource
    from paddock.client.http.connection_pool import AbortableWork, ServerUrl


UNAUTHORIZED, FORBIDDEN = 401, 403
MIN_SECRET_LENGTH = 8
"""Characters that the value of a header must have to count as a secret."""
_CHALLENGE_PARAMETER = re.compile(r'([A-Za-z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))')
_VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")


class BearerCredentials:
    """Gives the token to send; keeps it, and other secrets, out of what we say."""

    def __init__(self, token: TokenSource | None, headers: Iterable[str] = ()) -> None:
        secret_candidates = {
            word for value in headers for word in (value, value.rpartition(" ")[2])
        }
        self._secrets = [word for word in secret_candidates if len(word) >= MIN_SECRET_LENGTH]
        self._source = token
        self._lock = threading.Lock()
        self._current_token = _check_token(token) if isinstance(token, str) else None

    @property
    def can_renew(self) -> bool:
        """Whether there may be another token when one is refused."""
        return callable(self._source)

    def get_token(self) -> str | None:
        """The token to send; a source is asked for one when there is none yet."""
        with self._lock:
            if self._current_token is None and callable(self._source):
                self._current_token = _call_token_source(self._source)
            return self._current_token

    def renew_token(self, refused: str | None) -> str | None:
        """A token in place of one that was refused."""
        with self._lock:
            # Of several requests that were refused at once, the first has asked already.
            if self._current_token == refused and callable(self._source):
                self._current_token = _call_token_source(self._source)
            return self._current_token

    def redact_secrets(self, message: str) -> str:
        """A text of the server, which may have repeated our secrets, without them."""
        for secret in (self._current_token, *self._secrets):
            message = message.replace(secret, "…") if secret else message
        return message

    def make_access_error(
        self, status: int, headers: Mapping[str, str], server_url: str, excerpt: str
    ) -> AccessRefusedError:
        """The error for a request that the server did not allow."""
        challenge = self.redact_secrets(headers.get("WWW-Authenticate", ""))
        parameters = {
            name.lower(): quoted or bare
            for name, quoted, bare in _CHALLENGE_PARAMETER.findall(challenge)
        }
        scope, metadata = parameters.get("scope"), parameters.get("resource_metadata")
        reasons = [parameters.get("error_description") or parameters.get("error") or excerpt]
        reasons.append(f"it asks for scope {scope!r}" if scope else "")
        reasons.append(f"how to get a token is described at {metadata}" if metadata else "")
        detail = "; ".join(cause for cause in reasons if cause)
        return AccessRefusedError(
            f"{server_url} refused access with HTTP {status}" + (f": {detail}" if detail else ""),
            status=status,
            hint=self._get_hint(status),
            scope=scope,
            resource_metadata=metadata,
        )

    def _get_hint(self, status: int) -> str:
        if self._source is None:
            return "give a bearer token: token=… in Python, --token-env on the command line"
        if status == UNAUTHORIZED:
            return "the token that was sent is not valid there, or has expired"
        return "the token that was sent does not allow this"


def _call_token_source(source: Callable[[], str]) -> str:
    try:
        token = source()
    except Exception as error:
        message = f"The function that gives the token failed: {type(error).__name__}: {error}"
        raise ConnectError(message, hint="it is what token=… names") from error
    return _check_token(token)


def _check_token(token: object) -> str:
    if not isinstance(token, str) or not _VISIBLE_ASCII.fullmatch(token):
        raise ConnectError("The token is not one word of visible ASCII characters")
    return token


MAX_CONNECT_SECONDS = 10.0
"""Seconds until an address that does not answer at all counts as unreachable."""
MAX_BODY_BYTES = 128 << 20
"""Bytes of an answer, or of one event."""
MAX_REDIRECTS = 5
MAX_EXCERPT_LENGTH = 200
CERTIFICATE_HINT = "verify=… names the certificates of an authority of your own"
READ_CHUNK_BYTES = 1 << 16
DISCARD_SECONDS = 2.0
"""Seconds to wait for the rest of a body that nobody needs."""
METHOD_PRESERVING_REDIRECTS = (307, 308)
REDIRECT_STATUSES = (301, 302, 303, *METHOD_PRESERVING_REDIRECTS)

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_DIGITS = re.compile(r"[0-9]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
RESERVED_HEADERS = frozenset(
    {"accept", "content-length", "content-type", "host", "transfer-encoding"}
)
"""Headers that a caller cannot set; nor those that begin with `mcp-`."""


class RequestSender:
    """Sends requests to one server. May be used by several threads."""

    def __init__(self, url: str, settings: ConnectSettings) -> None:
        self.url = parse_server_url(url)
        self._headers = _check_own_headers(settings.headers or {})
        has_authorization = any(name.lower() == "authorization" for name in self._headers)
        if has_authorization and settings.token is not None:
            raise ConnectError("Expected a token or a header Authorization, got both")
        is_secret = has_authorization or settings.token is not None
        if is_secret and not self.url.is_confidential and not settings.allow_plain_http:
            raise ConnectError(
                f"A token would travel to {self.url} where everybody on the way can read it",
                hint="use https; or else allow_plain_http=True, --allow-plain-http",
            )
        self.credentials = BearerCredentials(settings.token, (settings.headers or {}).values())
        self._connect_seconds = min(MAX_CONNECT_SECONDS, settings.timeout)
        self._pool = make_connection_pool(self.url, settings.verify)

    def send(
        self,
        verb: str,
        headers: Mapping[str, str],
        body: bytes | None,
        work: AbortableWork,
        *,
        limit: float | None = None,
    ) -> BaseHTTPResponse:
        """Send a request; its response has a body that is still to be read.

        A token that is refused is renewed once. `limit` bounds each wait for the server, in
        seconds.

        Raises:
            HttpError: when there is no response.
        """
        token = self.credentials.get_token()
        response = self._send_with_redirects(
            verb, self._make_headers(headers, token), body, work, limit
        )
        if response.status == UNAUTHORIZED and self.credentials.can_renew:
            self.discard_response(response, work)
            new_token = self.credentials.renew_token(token)
            response = self._send_with_redirects(
                verb, self._make_headers(headers, new_token), body, work, limit
            )
        return response

    def open_stream(
        self, headers: Mapping[str, str], last_id: str | None, work: AbortableWork, purpose: str
    ) -> BaseHTTPResponse:
        """Ask for a stream of events; for what follows after one, if that is named.

        Raises:
            HttpError: when there is none.
        """
        request_headers = {"Accept": EVENT_STREAM_MEDIA_TYPE, **headers}
        if last_id is not None:
            request_headers[LAST_EVENT_ID_HEADER] = last_id
        response = self.send("GET", request_headers, None, work)
        if response.status >= 300 or get_content_type(response) != EVENT_STREAM_MEDIA_TYPE:
            raise self.make_http_error(response, self.discard_response(response, work), purpose)
        return response

    def read_body(self, response: BaseHTTPResponse, work: AbortableWork) -> bytes:
        """The whole body of a response.

        Raises:
            HttpError: when it is too long, or the connection breaks.
        """
        chunks, size = [], 0
        for chunk in self.iterate_body(response, work):
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_BODY_BYTES:
                response.close()
                message = f"{self.url} gave an answer of more than {MAX_BODY_BYTES >> 20} MiB"
                raise HttpError(message, status=response.status)
        return b"".join(chunks)

    def iterate_body(self, response: BaseHTTPResponse, work: AbortableWork) -> Iterator[bytes]:
        """The body of a response as it comes.

        Raises:
            HttpError: when the connection breaks.
        """
        while True:
            with self.translate_errors(work):
                chunk = response.read1(READ_CHUNK_BYTES)
            if not chunk:
                return
            yield chunk

    def discard_response(self, response: BaseHTTPResponse, work: AbortableWork) -> bytes:
        """Have done with a response; the beginning of its body.

        The connection can be used again if the rest of the body is short and comes at once.
        """
        body = b""
        work.set_socket_timeout(DISCARD_SECONDS)
        with suppress(HttpError), self.translate_errors(work):
            while len(body) < READ_CHUNK_BYTES and (chunk := response.read1(READ_CHUNK_BYTES)):
                body += chunk
        response.close()
        return body

    def make_http_error(self, response: BaseHTTPResponse, body: bytes, purpose: str) -> HttpError:
        """The error for a response that holds no message of the protocol."""
        status, headers = response.status, response.headers
        excerpt = self.format_excerpt(body)
        if status in (UNAUTHORIZED, FORBIDDEN):
            return self.credentials.make_access_error(status, headers, str(self.url), excerpt)
        detail = f": {excerpt}" if excerpt else ""
        if status in REDIRECT_STATUSES:
            url = self.credentials.redact_secrets(_format_location(headers.get("Location", "")))
            detail = f", a redirection to {url}, which is not followed"
        return HttpError(
            f"{self.url} answered {purpose} with HTTP {status}{detail}",
            status=status,
            retry_after=_parse_retry_after(headers.get("Retry-After")),
        )

    def format_excerpt(self, body: bytes) -> str:
        """The beginning of a body that we do not understand, for people."""
        message = " ".join(body.decode(errors="replace").split())
        message = self.credentials.redact_secrets(message)
        return message if len(message) <= MAX_EXCERPT_LENGTH else f"{message[:MAX_EXCERPT_LENGTH]}…"

    def close(self) -> None:
        """Let go of all connections that are not in use."""
        self._pool.close()

    def _make_headers(self, headers: Mapping[str, str], token: str | None) -> dict[str, str]:
        all_headers = {**self._headers, **headers}
        if token is not None:
            all_headers["Authorization"] = f"Bearer {token}"
        return all_headers

    def _send_with_redirects(
        self,
        verb: str,
        headers: dict[str, str],
        body: bytes | None,
        work: AbortableWork,
        read_timeout: float | None,
    ) -> BaseHTTPResponse:
        """Send, and follow redirections within the origin that repeat the request."""
        url = self.url
        for _ in range(MAX_REDIRECTS):
            response = self._open_response(verb, url, headers, body, work, read_timeout)
            next_url = _resolve_redirect(url, response)
            if next_url is None or next_url.origin != self.url.origin:
                return response
            self.discard_response(response, work)
            url = next_url
        message = f"{self.url} redirects more than {MAX_REDIRECTS} times"
        raise HttpError(message, status=response.status)

    def _open_response(
        self,
        verb: str,
        url: ServerUrl,
        headers: dict[str, str],
        body: bytes | None,
        work: AbortableWork,
        read_timeout: float | None,
    ) -> BaseHTTPResponse:
        work.release_socket()
        with self.translate_errors(work):
            return self._pool.urlopen(
                verb,
                url.target,
                body=body,
                headers=headers,
                retries=False,
                redirect=False,
                assert_same_host=False,
                preload_content=False,
                timeout=Timeout(connect=self._connect_seconds, read=read_timeout),
            )

    @contextmanager
    def translate_errors(self, work: AbortableWork) -> Iterator[None]:
        """Waiting for the server, with errors that people understand."""
        set_current_work(work)
        try:
            yield
        except (faults.HTTPError, OSError, ValueError) as error:
            cause = _find_root_cause(error)
            if isinstance(cause, ssl.SSLCertVerificationError):
                message = f"Cannot reach {self.url}: {cause.verify_message}"
                raise ConnectError(message, hint=CERTIFICATE_HINT) from None
            is_broken = work.has_socket
            detail = "The connection broke to" if is_broken else "Cannot reach"
            message = f"{detail} {self.url}: {_describe_cause(cause)}"
            raise HttpError(message, was_sent=is_broken) from None
        finally:
            set_current_work(None)


def get_content_type(response: BaseHTTPResponse) -> str:
    """What kind of body a response has."""
    return str(response.headers.get("Content-Type", "")).partition(";")[0].strip().lower()


def _check_own_headers(given: Mapping[str, str]) -> dict[str, str]:
    headers = {"User-Agent": f"paddock/{__version__}"}
    for name, value in given.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ConnectError(f"Not a header that can be sent: {name!r:.60}")
        if name.lower() in RESERVED_HEADERS or name.lower().startswith("mcp-"):
            raise ConnectError(f"The header {name} is for the protocol to set")
        headers[name] = value
    return headers


def _find_root_cause(error: BaseException) -> BaseException:
    """What lies behind a fault that only passes on another."""
    while error.__cause__ is not None or (error.args and isinstance(error.args[-1], Exception)):
        error = error.__cause__ or error.args[-1]
    return error


def _describe_cause(error: BaseException) -> str:
    if isinstance(error, faults.ConnectTimeoutError | TimeoutError):
        return "no answer in time"
    message = getattr(error, "strerror", None) or str(error) or type(error).__name__
    # Not the name of an object in memory.
    return str(message).rpartition(">: ")[2]


def _resolve_redirect(url: ServerUrl, response: BaseHTTPResponse) -> ServerUrl | None:
    """Where a redirection that repeats the request leads to, if this is one."""
    location = response.headers.get("Location")
    if response.status not in METHOD_PRESERVING_REDIRECTS or location is None:
        return None
    try:
        return url.resolve(location)
    except (ConnectError, ValueError):
        return None  # it leads nowhere that we can go


def _format_location(location: str) -> str:
    try:
        parts = urlsplit(location)
    except ValueError:
        return repr(location[:MAX_EXCERPT_LENGTH])
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}" if parts.netloc else parts.path


def _parse_retry_after(retry_after: str | None) -> float | None:
    """How long a `Retry-After` asks to wait: it is a number of seconds, or a date."""
    if retry_after is None:
        return None
    if _DIGITS.fullmatch(retry_after):
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
