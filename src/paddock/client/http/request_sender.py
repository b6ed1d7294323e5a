"""HTTP requests to one server: headers, credentials, redirects and errors."""

from __future__ import annotations

import re
import ssl
import threading
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, NamedTuple
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
"""Minimum length of redacted header values. Shorter ones could occur in messages by chance."""
_CHALLENGE_PARAMETER = re.compile(r'([A-Za-z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))')
_VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")


class BearerCredentials:
    """Provides the token to send and redacts secrets from error messages."""

    def __init__(self, token: TokenSource | None, header_values: Iterable[str] = ()) -> None:
        """Store a client's credentials.

        Args:
            token: The bearer token, or a function that returns it.
            header_values: The values of the user's headers, which may be secrets.
        """
        # A server may echo a header's entire value, or only the credential after a scheme such as
        # Bearer. Both are redacted.
        self._secrets = {
            secret
            for value in header_values
            for secret in (value, value.rpartition(" ")[2])
            if len(secret) >= MIN_SECRET_LENGTH
        }
        self._source = token
        self._lock = threading.Lock()
        self._current_token = _check_token(token) if isinstance(token, str) else None

    @property
    def can_renew(self) -> bool:
        """Whether another token may be available after one is rejected."""
        return callable(self._source)

    def get_token(self) -> str | None:
        """Return the token to send. The first time, this calls the token source."""
        with self._lock:
            if self._current_token is None and callable(self._source):
                self._current_token = _call_token_source(self._source)
            return self._current_token

    def renew_token(self, rejected_token: str | None) -> str | None:
        """Return a token to replace one that the server rejected."""
        with self._lock:
            # If multiple requests were rejected at once, only the first one calls the source.
            if self._current_token == rejected_token and callable(self._source):
                self._current_token = _call_token_source(self._source)
            return self._current_token

    def redact_secrets(self, text: str) -> str:
        """Remove the client's secrets from a server's text, which may have echoed them."""
        for secret in (self._current_token, *self._secrets):
            text = text.replace(secret, "…") if secret else text
        return text

    def make_access_error(
        self, status: int, headers: Mapping[str, str], server_url: str, excerpt: str
    ) -> AccessRefusedError:
        """Create the error for a response with status 401 or 403.

        The message contains the reason from the `WWW-Authenticate` header or, if it has none, the
        beginning of the body.

        Args:
            status: The HTTP status.
            headers: The response's HTTP headers.
            server_url: The server's URL, for the message.
            excerpt: The beginning of the response's body.
        """
        challenge = self.redact_secrets(headers.get("WWW-Authenticate", ""))
        parameters = {
            name.lower(): quoted or bare
            for name, quoted, bare in _CHALLENGE_PARAMETER.findall(challenge)
        }
        scope, metadata = parameters.get("scope"), parameters.get("resource_metadata")
        reasons = [parameters.get("error_description") or parameters.get("error") or excerpt]
        reasons.append(f"it requires scope {scope!r}" if scope else "")
        reasons.append(f"see {metadata} for how to get a token" if metadata else "")
        detail = "; ".join(reason for reason in reasons if reason)
        return AccessRefusedError(
            f"{server_url} refused access with HTTP {status}" + (f": {detail}" if detail else ""),
            status=status,
            hint=self._get_hint(status),
            scope=scope,
            resource_metadata=metadata,
        )

    def _get_hint(self, status: int) -> str:
        if self._source is None:
            return "pass a bearer token: token=… in Python, --token-env on the command line"
        if status == UNAUTHORIZED:
            return "the token is invalid or has expired"
        return "the token does not permit this request"


def _call_token_source(source: Callable[[], str]) -> str:
    try:
        token = source()
    except Exception as error:
        message = f"The token source failed: {type(error).__name__}: {error}"
        raise ConnectError(message, hint="check the function passed as token=…") from error
    return _check_token(token)


def _check_token(token: object) -> str:
    if not isinstance(token, str) or not _VISIBLE_ASCII.fullmatch(token):
        raise ConnectError("The token must be one word of visible ASCII characters")
    return token


MAX_CONNECT_SECONDS = 10.0
"""Seconds after which an address that does not respond is considered unreachable."""
MAX_BODY_BYTES = 128 << 20
"""Maximum size of a response body or of a single event."""
MAX_REDIRECTS = 5
MAX_EXCERPT_LENGTH = 200
CERTIFICATE_HINT = "if the server uses a private certificate authority, pass its file as verify=…"
READ_CHUNK_BYTES = 1 << 16
DISCARD_SECONDS = 2.0
"""Seconds to wait for the rest of a response that is discarded."""
METHOD_PRESERVING_REDIRECTS = (307, 308)
REDIRECT_STATUSES = (301, 302, 303, *METHOD_PRESERVING_REDIRECTS)

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_DIGITS = re.compile(r"[0-9]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
RESERVED_HEADERS = frozenset(
    {"accept", "content-length", "content-type", "host", "transfer-encoding"}
)
"""Headers that callers cannot set, in addition to those that begin with `mcp-`."""


class ClientHttpRequest(NamedTuple):
    """An HTTP request from the client to its server."""

    verb: str
    """The HTTP method."""
    headers: Mapping[str, str]
    """Headers in addition to the sender's."""
    work: AbortableWork
    """The abortable work that the request is part of."""
    body: bytes | None = None
    read_timeout: float | None = None
    """Seconds to wait each time for data. None waits indefinitely."""


class RequestSender:
    """Sends requests to one server. May be used by multiple threads."""

    def __init__(self, url: str, settings: ConnectSettings) -> None:
        """Check the URL, the headers and the token, without connecting to the server.

        Raises:
            ConnectError: One of them is invalid, or a secret would be sent unencrypted.
        """
        self.url = parse_server_url(url)
        self._headers = _build_common_headers(settings.headers or {})
        has_authorization = any(name.lower() == "authorization" for name in self._headers)
        if has_authorization and settings.token is not None:
            raise ConnectError("Expected either a token or an Authorization header, got both")
        sends_credentials = has_authorization or settings.token is not None
        if sends_credentials and not self.url.is_confidential and not settings.allow_plain_http:
            raise ConnectError(
                f"The token would be sent to {self.url} unencrypted",
                hint="use https, or allow it with allow_plain_http=True or --allow-plain-http",
            )
        self.credentials = BearerCredentials(settings.token, (settings.headers or {}).values())
        self._connect_seconds = min(MAX_CONNECT_SECONDS, settings.timeout)
        self._pool = make_connection_pool(self.url, settings.verify)

    def send(self, request: ClientHttpRequest) -> BaseHTTPResponse:
        """Send an HTTP request, and return the response without reading its body.

        If the server rejects the token, the request is repeated once with a renewed token.

        Raises:
            HttpError: The connection failed, or the server redirects too often.
        """
        token = self.credentials.get_token()
        response = self._send_with_redirects(request, token)
        if response.status == UNAUTHORIZED and self.credentials.can_renew:
            self.discard_response(response, request.work)
            response = self._send_with_redirects(request, self.credentials.renew_token(token))
        return response

    def open_stream(
        self, headers: Mapping[str, str], last_id: str | None, work: AbortableWork, purpose: str
    ) -> BaseHTTPResponse:
        """Open an event stream with a GET request.

        Args:
            headers: Headers in addition to the sender's.
            last_id: The id of the event after which to resume a broken stream, or None.
            work: The abortable work that the request is part of.
            purpose: A description of the request for the error message.

        Raises:
            HttpError: The server does not open a stream.
        """
        request_headers = {"Accept": EVENT_STREAM_MEDIA_TYPE, **headers}
        if last_id is not None:
            request_headers[LAST_EVENT_ID_HEADER] = last_id
        response = self.send(ClientHttpRequest("GET", request_headers, work))
        if response.status >= 300 or get_content_type(response) != EVENT_STREAM_MEDIA_TYPE:
            raise self.make_http_error(response, self.discard_response(response, work), purpose)
        return response

    def read_body(self, response: BaseHTTPResponse, work: AbortableWork) -> bytes:
        """Return a response's entire body.

        Raises:
            HttpError: The connection broke, or the body exceeds the maximum size.
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
        """Yield the chunks of a response's body as they arrive.

        Raises:
            HttpError: The connection broke.
        """
        while True:
            with self.translate_errors(work):
                chunk = response.read1(READ_CHUNK_BYTES)
            if not chunk:
                return
            yield chunk

    def discard_response(self, response: BaseHTTPResponse, work: AbortableWork) -> bytes:
        """Close a response whose body is not needed, and return the beginning of the body.

        The body is read for a short time, because the connection can only be reused after a
        complete response.
        """
        body = b""
        work.set_socket_timeout(DISCARD_SECONDS)
        with suppress(HttpError), self.translate_errors(work):
            while len(body) < READ_CHUNK_BYTES and (chunk := response.read1(READ_CHUNK_BYTES)):
                body += chunk
        response.close()
        return body

    def make_http_error(self, response: BaseHTTPResponse, body: bytes, purpose: str) -> HttpError:
        """Create the error for an HTTP response that contains no MCP message.

        Args:
            response: The response, which has an error status or an unexpected content type.
            body: The beginning of its body.
            purpose: A description of the request for the error message.
        """
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
        """Return the beginning of an unexpected body for an error message."""
        text = " ".join(body.decode(errors="replace").split())
        text = self.credentials.redact_secrets(text)
        return text if len(text) <= MAX_EXCERPT_LENGTH else f"{text[:MAX_EXCERPT_LENGTH]}…"

    def close(self) -> None:
        """Close the idle connections."""
        self._pool.close()

    def _send_with_redirects(
        self, request: ClientHttpRequest, token: str | None
    ) -> BaseHTTPResponse:
        """Send a request, and follow redirects that keep the method and stay within the origin.

        Raises:
            HttpError: The connection failed, or the server redirects too often.
        """
        headers = {**self._headers, **request.headers}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        url = self.url
        for _ in range(MAX_REDIRECTS):
            response = self._open_response(url, headers, request)
            next_url = _resolve_redirect(url, response)
            # A redirect to another origin is not followed, because it would get the credentials.
            if next_url is None or next_url.origin != self.url.origin:
                return response
            self.discard_response(response, request.work)
            url = next_url
        message = f"{self.url} redirects more than {MAX_REDIRECTS} times"
        raise HttpError(message, status=response.status)

    def _open_response(
        self, url: ServerUrl, headers: dict[str, str], request: ClientHttpRequest
    ) -> BaseHTTPResponse:
        """Send a single HTTP request with urllib3, and return the response with an unread body."""
        request.work.release_socket()
        with self.translate_errors(request.work):
            return self._pool.urlopen(
                request.verb,
                url.target,
                body=request.body,
                headers=headers,
                # Callers handle retries and redirects, because both depend on the MCP method and
                # the credentials.
                retries=False,
                redirect=False,
                assert_same_host=False,
                preload_content=False,
                timeout=Timeout(connect=self._connect_seconds, read=request.read_timeout),
            )

    @contextmanager
    def translate_errors(self, work: AbortableWork) -> Iterator[None]:
        """Convert network errors in the `with` block to `HttpError` and `ConnectError`.

        The error records whether the request may have been sent, because that determines whether it
        can be repeated.
        """
        set_current_work(work)
        try:
            yield
        except (faults.HTTPError, OSError, ValueError) as error:
            cause = _find_root_cause(error)
            if isinstance(cause, ssl.SSLCertVerificationError):
                message = f"Cannot reach {self.url}: {cause.verify_message}"
                raise ConnectError(message, hint=CERTIFICATE_HINT) from None
            # Without a socket, nothing was sent, and the request may be repeated.
            is_broken = work.has_socket
            detail = "The connection broke to" if is_broken else "Cannot reach"
            message = f"{detail} {self.url}: {_describe_cause(cause)}"
            raise HttpError(message, was_sent=is_broken) from None
        finally:
            set_current_work(None)


def get_content_type(response: BaseHTTPResponse) -> str:
    """Return a response's media type, without parameters."""
    return str(response.headers.get("Content-Type", "")).partition(";")[0].strip().lower()


def _build_common_headers(custom_headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers sent with every request: `User-Agent` and the user's own headers.

    Raises:
        ConnectError: A custom header is invalid or reserved for the protocol.
    """
    headers = {"User-Agent": f"paddock/{__version__}"}
    for name, value in custom_headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ConnectError(f"The header {name!r:.60} has an invalid name or value")
        if name.lower() in RESERVED_HEADERS or name.lower().startswith("mcp-"):
            raise ConnectError(f"The header {name} is set by the protocol and cannot be replaced")
        headers[name] = value
    return headers


def _find_root_cause(error: BaseException) -> BaseException:
    """Return the innermost exception in a chain of wrappers."""
    while error.__cause__ is not None or (error.args and isinstance(error.args[-1], Exception)):
        error = error.__cause__ or error.args[-1]
    return error


def _describe_cause(error: BaseException) -> str:
    if isinstance(error, faults.ConnectTimeoutError | TimeoutError):
        return "no answer in time"
    message = getattr(error, "strerror", None) or str(error) or type(error).__name__
    # urllib3 prefixes the text with the repr of the connection object.
    return str(message).rpartition(">: ")[2]


def _resolve_redirect(url: ServerUrl, response: BaseHTTPResponse) -> ServerUrl | None:
    """Return the URL that a response redirects to.

    Returns None if the response is not a redirect that keeps the method (307 or 308), or if its
    target is invalid.
    """
    location = response.headers.get("Location")
    if response.status not in METHOD_PRESERVING_REDIRECTS or location is None:
        return None
    try:
        return url.resolve(location)
    except (ConnectError, ValueError):
        return None


def _format_location(location: str) -> str:
    try:
        parts = urlsplit(location)
    except ValueError:
        return repr(location[:MAX_EXCERPT_LENGTH])
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}" if parts.netloc else parts.path


def _parse_retry_after(retry_after: str | None) -> float | None:
    """Parse the seconds to wait from a `Retry-After` header, which is a number or a date.

    Returns None if the header is missing or invalid.
    """
    if retry_after is None:
        return None
    if _DIGITS.fullmatch(retry_after):
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
