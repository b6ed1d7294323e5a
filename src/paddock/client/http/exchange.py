"""A single HTTP request from the client and everything that the server returns for it.

A request is only repeated if the server cannot act on it twice, because it did not arrive, was
rejected, or has no side effects. A stream that breaks before the answer is resumed if the server
supports that.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import UNSET

from paddock.client.errors import AccessRefusedError, HttpError
from paddock.client.http.connection_pool import AbortableWork
from paddock.client.http.messages import SseParser, decode_frames, join_lines
from paddock.client.http.request_sender import (
    DISCARD_SECONDS,
    MAX_BODY_BYTES,
    ClientHttpRequest,
    get_content_type,
)
from paddock.client.notifications import LISTEN_METHOD
from paddock.protocol.errors import HEADER_MISMATCH
from paddock.protocol.http_headers import (
    EVENT_STREAM_MEDIA_TYPE,
    JSON_MEDIA_TYPE,
    SESSION_ID_HEADER,
    VERSION_HEADER,
)
from paddock.protocol.jsonrpc import DECODE_ERRORS, JsonRpcFrame, encode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from urllib3.response import BaseHTTPResponse

    from paddock.client.http.channel import HttpChannel
    from paddock.client.http.messages import OutgoingMessage


class _InitializeResult(msgspec.Struct, rename="camel"):
    protocol_version: str


_decode_initialize_result = msgspec.json.Decoder(_InitializeResult).decode


class ClientHttpSession:
    """An HTTP client's MCP session: its id, its version and the message that opened it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Held while the session is reopened, so that no other request uses the lost session.

        Reentrant, because the messages that reopen the session also read its headers.
        """
        self.initialize_message: OutgoingMessage | None = None
        self.generation = 0
        """Number of times the session has been opened."""
        self.id: str | None = None
        """The session id, or None if the server has not assigned one."""
        self.version: str | None = None
        """The session's protocol version, or None before a session is opened."""
        self.stateless_version: str | None = None
        """The version named by the last request that named one."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers sent with each request in the session."""
        version = self.version or self.stateless_version
        headers = {VERSION_HEADER: version} if version else {}
        if self.id is not None:
            headers[SESSION_ID_HEADER] = self.id
        return headers

    def record_initialize(
        self, message: OutgoingMessage, answer: JsonRpcFrame, headers: Mapping[str, str]
    ) -> None:
        """Record that a server's answer to `initialize` has opened a session.

        Args:
            message: The request, which is repeated if the session is lost.
            answer: The answer, which contains the protocol version.
            headers: The answer's HTTP headers, which contain the session id.
        """
        try:
            result = _decode_initialize_result(answer.result)  # type: ignore[arg-type]  # a missing result is not JSON
        except (msgspec.DecodeError, TypeError):
            return  # An error, which the caller of initialize receives.
        self.initialize_message = message
        self.version = result.protocol_version
        self.id = headers.get(SESSION_ID_HEADER)
        self.generation += 1


ACCEPT_HEADER = f"{JSON_MEDIA_TYPE}, {EVENT_STREAM_MEDIA_TYPE}"
NOT_FOUND, TOO_MANY_REQUESTS = 404, 429
UNAVAILABLE_STATUSES = (502, 503, 504)

MAX_RETRIES = 3
"""Maximum number of retries of a request, and of failed attempts to resume a stream."""
FIRST_RETRY_SECONDS = 0.25
"""Delay before the first retry. It doubles each time."""
MAX_RETRY_SECONDS = 30.0
"""Longest delay between two attempts. If `Retry-After` asks for more, the request fails."""


class _ErrorBody(msgspec.Struct):
    """An error response without its id, which may be null if the request was not read."""

    error: dict[str, object]


_decode_error_body = msgspec.json.Decoder(_ErrorBody).decode


def get_retry_delay(failures: int) -> float:
    """Return the number of seconds to wait after the given number of failures."""
    return float(min(MAX_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** min(failures - 1, 16)))


class ClientExchange:
    """Sends one message and handles the response, in the thread that calls `run`.

    Args:
        message: The message to send.
        channel: The channel whose session and tool headers the request uses.
        handle_line: Receives each message in the response.
        work: The abortable work that the exchange is part of. By default, it has its own.
        max_retries: Maximum number of retries.
        read_timeout: Seconds that a request waits for data. By default, it waits until it is
            aborted. Other messages use the channel's timeout.
    """

    def __init__(
        self,
        message: OutgoingMessage,
        channel: HttpChannel,
        handle_line: Callable[[bytes], None],
        work: AbortableWork | None = None,
        max_retries: int = MAX_RETRIES,
        read_timeout: float | None = None,
    ) -> None:
        self.message = message
        self.work = work or AbortableWork()
        self._max_retries = max_retries
        self._read_timeout = read_timeout if message.is_request else channel.timeout
        """Seconds to wait for data. By default, a request waits until it is aborted."""
        self.may_have_arrived = False
        """Whether the server may have received the message in the current session."""
        self.is_answered = False
        self._channel = channel
        self._sender = channel.sender
        self._handle_line = handle_line
        self._failures = 0
        self._is_listening = False
        """Whether this is a subscription that has received server messages."""
        self._repairs: set[Literal["session", "headers"]] = set()
        """The faults that were repaired for this message. Each is only repaired once."""

    def run(self) -> None:
        """Send the message and handle the server's messages, until the request is answered.

        After a temporary failure, the message is sent again if that is safe.

        Raises:
            PaddockError: The server did not answer, and the message will not be sent again.
        """
        while not self.work.is_aborted:
            try:
                self._send_once()
                return
            except HttpError as error:
                if self.work.is_aborted:
                    return
                self._failures += 1
                delay = self._choose_retry_delay(error)
                if delay is None:
                    raise self._add_execution_hint(error) from None
                self.work.sleep(delay)
            finally:
                self.work.release_socket()

    def _choose_retry_delay(self, error: HttpError) -> float | None:
        """Return the seconds to wait before sending the message again, or None to give up."""
        # The server must not act twice on a message that has side effects.
        is_unprocessed = not error.was_sent or error.status == TOO_MANY_REQUESTS
        is_outage = error.status is None or error.status in UNAVAILABLE_STATUSES
        can_repeat = is_unprocessed or (is_outage and self.message.is_repeatable)
        # A subscription that has worked is reopened any number of times.
        has_attempts_left = self._failures <= self._max_retries or self._is_listening
        delay = max(get_retry_delay(self._failures), error.retry_after or 0.0)
        should_retry = can_repeat and has_attempts_left and delay <= MAX_RETRY_SECONDS
        return delay if should_retry else None

    def _add_execution_hint(self, error: HttpError) -> HttpError:
        """Add a hint to an error if the server may have executed the request anyway.

        That can happen if the connection broke after a request with side effects was sent.
        """
        may_have_acted = self.message.is_request and error.was_sent and error.status is None
        if error.hint is None and may_have_acted and not self.message.is_repeatable:
            error.hint = (
                f"the server may have executed {self.message.method}; check before retrying"
            )
        return error

    def _send_once(self) -> None:
        """Send the message as an HTTP request, and handle the response.

        If the server has lost the session, a new session is opened and the message is sent again.

        Raises:
            HttpError: The request failed, or its response contains no answer.
        """
        headers, generation = self._make_headers()
        self.may_have_arrived = True
        response = self._sender.send(
            ClientHttpRequest("POST", headers, self.work, self.message.frame, self._read_timeout)
        )
        # MCP, Session Management: 404 means that the session has ended and a client must open a
        # new one.
        if response.status == NOT_FOUND and SESSION_ID_HEADER in headers:
            self._sender.discard_response(response, self.work)
            self._reopen_session(generation)
            self._send_once()
        elif not self.message.is_request:
            self._handle_accepted(response)
        elif response.status >= 300:
            self._handle_error_response(response)
        elif get_content_type(response) == EVENT_STREAM_MEDIA_TYPE:
            self._handle_stream(response)
        else:
            self._handle_document(response)

    def _reopen_session(self, generation: int) -> None:
        """Open a new session after the server has lost the one with this generation.

        Raises:
            HttpError: The server has also lost the session that was opened for this message.
        """
        if "session" in self._repairs:
            text = f"{self._sender.url} has lost the session again"
            raise HttpError(text, status=NOT_FOUND)
        self._repairs.add("session")
        # The server has rejected the message, so it has not arrived in the new session.
        self.may_have_arrived = False
        self._channel.reopen_session(generation, self.work)

    def _make_headers(self) -> tuple[dict[str, str], int]:
        """Build the message's HTTP headers.

        Stateless requests name their protocol version and method, and repeat some arguments. Other
        messages name the session.

        Returns:
            The headers, and the generation of the session they name.
        """
        message, session = self.message, self._channel.session
        headers = {"Accept": ACCEPT_HEADER, "Content-Type": JSON_MEDIA_TYPE}
        if message.version is not None:
            session.stateless_version = message.version
            headers |= {
                VERSION_HEADER: message.version,
                **message.headers,
                **self._make_mirrored_headers(),
            }
        elif message.method != "initialize":
            with session.lock:
                headers |= session.headers
                if session.version is None:
                    headers |= message.headers
                return headers, session.generation
        return headers, session.generation

    def _make_mirrored_headers(self) -> dict[str, str]:
        """Return the headers that repeat a tool call's arguments.

        The tool's schema marks these arguments with `x-mcp-header`. The result is empty if the
        message is not a tool call.
        """
        name = self.message.params.name
        if self.message.method != "tools/call" or not isinstance(name, str):
            return {}
        if not self._channel.tool_headers.has_tool(name):
            self._channel.fetch_tool_headers(self.message, self.work)
        return self._channel.tool_headers.make_headers(name, self.message.arguments)

    def _handle_accepted(self, response: BaseHTTPResponse) -> None:
        """Handle the response to a notification, which is empty unless it is an error."""
        body = self._sender.discard_response(response, self.work)
        if response.status >= 300:
            raise self._sender.make_http_error(
                response, body, str(self.message.method or "an answer")
            )

    def _handle_document(self, response: BaseHTTPResponse) -> None:
        """Handle a successful response containing a single JSON document.

        Raises:
            HttpError: The response does not contain the answer.
        """
        body = self._sender.read_body(response, self.work)
        if get_content_type(response) == JSON_MEDIA_TYPE:
            self._handle_message(body, response)
        if not self.is_answered:
            content_type = get_content_type(response) or "no content"
            excerpt = self._sender.format_excerpt(body)
            detail = f": {excerpt}" if excerpt else ""
            raise HttpError(
                f"{self._sender.url} answered {self.message.method} with HTTP {response.status} "
                f"and {content_type}, but without a result{detail}",
                status=response.status,
            )

    def _handle_error_response(self, response: BaseHTTPResponse) -> None:
        """Handle a response with an HTTP error status.

        A JSON-RPC error in its body is the answer to the request. A temporary failure is raised
        instead, so that `run` can repeat the request. If the server rejected a tool call's headers,
        the request is repeated here with new headers.

        Raises:
            HttpError: The response is not a final answer to the request.
        """
        body = self._sender.discard_response(response, self.work)
        http_error = self._sender.make_http_error(response, body, str(self.message.method))
        is_temporary = response.status in (TOO_MANY_REQUESTS, *UNAVAILABLE_STATUSES)
        error = _find_error(body) if get_content_type(response) == JSON_MEDIA_TYPE else None
        if error is None or is_temporary or isinstance(http_error, AccessRefusedError):
            raise http_error
        if self._is_header_mismatch(error):
            self._repairs.add("headers")
            self._channel.tool_headers.clear()
            self._send_once()
            return
        # A server that rejects a request before parsing it cannot return its id, so the answer is
        # built here with this request's id.
        answer = {"jsonrpc": "2.0", "id": self.message.id, "error": error}
        self._handle_message(encode_json(answer), response)

    def _is_header_mismatch(self, error: dict[str, object]) -> bool:
        """Return whether the server expects headers that the known tool list does not require."""
        is_mismatch = error.get("code") == HEADER_MISMATCH
        is_call = self.message.method == "tools/call"
        return is_call and is_mismatch and "headers" not in self._repairs

    def _handle_stream(self, response: BaseHTTPResponse) -> None:
        """Handle a response that is an event stream, and resume it if it breaks before the answer.

        Raises:
            HttpError: The stream ended before the answer and could not be resumed.
        """
        events = SseParser(MAX_BODY_BYTES)
        stream_error = self._read_stream(response, events)
        if self.is_answered or self.work.is_aborted:
            return
        # Streams of the stateless era, and streams without event ids, cannot be resumed.
        if self.message.version is not None or events.last_id is None:
            raise stream_error
        self._resume_stream(events, stream_error)

    def _read_stream(self, response: BaseHTTPResponse, events: SseParser) -> HttpError:
        """Handle the messages in an event stream until it ends.

        Args:
            response: The response that contains the stream.
            events: The stream's parser.

        Returns:
            The error to raise if the request is still unanswered.
        """
        try:
            for chunk in self._sender.iterate_body(response, self.work):
                for message in events.feed(chunk):
                    self._handle_message(message, response)
                    self._failures = 0
                if self.is_answered:
                    # The end should follow immediately. Reading it makes the connection reusable.
                    self.work.set_socket_timeout(DISCARD_SECONDS)
        except HttpError as error:
            return error
        finally:
            response.close()
        text = f"{self._sender.url} ended the stream before its answer to {self.message.method}"
        return HttpError(text)

    def _resume_stream(self, events: SseParser, stream_error: HttpError) -> None:
        """Reconnect to a broken event stream until the request is answered.

        The `Last-Event-ID` header makes the server continue after the last event received.

        Args:
            events: The broken stream's parser, which remembers the id of the last event.
            stream_error: The error that broke the stream.

        Raises:
            HttpError: The server does not resume the stream, or repeatedly sends nothing new.
        """
        purpose = f"the resumption of {self.message.method}"
        failures = 1
        while failures <= MAX_RETRIES and not self.is_answered:
            delay = events.retry_seconds or get_retry_delay(failures)
            if self.work.sleep(min(MAX_RETRY_SECONDS, delay)):
                return
            events = events.make_continuation()
            last_id = events.last_id
            try:
                headers = self._channel.session.headers
                response = self._sender.open_stream(headers, last_id, self.work, purpose)
                stream_error = self._read_stream(response, events)
            except HttpError as error:
                if error.status is not None and error.status not in UNAVAILABLE_STATUSES:
                    raise
                stream_error = error
            # A new event is progress, so only attempts that receive none are counted.
            failures = failures + 1 if events.last_id == last_id else 1
        if not self.is_answered and not self.work.is_aborted:
            raise stream_error

    def _handle_message(self, data: bytes, response: BaseHTTPResponse) -> None:
        """Record the effects of a server message, and pass it on as one line."""
        line = join_lines(data)
        for frame in decode_frames(line):
            self._record_effects(frame, response)
        self._handle_line(line)

    def _record_effects(self, frame: JsonRpcFrame, response: BaseHTTPResponse) -> None:
        """Record a server message's effects on this request, on others and on the session.

        A response answers this request or another one. The answer to `initialize` opens a session,
        and a tool list contains the arguments to repeat in headers.
        """
        if frame.method is not UNSET:  # a request or notification of the server
            self._is_listening = self.message.method == LISTEN_METHOD
            return
        if frame.id is UNSET:
            return
        if frame.id != self.message.id:
            self._channel.mark_answered(frame.id)
            return
        self.is_answered = True
        if frame.result is UNSET:
            return
        if self.message.method == "initialize":
            self._channel.session.record_initialize(self.message, frame, response.headers)
        elif self.message.method == "tools/list":
            self._channel.tool_headers.add_tool_page(frame.result)


def _find_error(body: bytes) -> dict[str, object] | None:
    """Return the error object in a JSON-RPC answer, or None."""
    try:
        return _decode_error_body(body).error
    except DECODE_ERRORS:
        return None
