"""The client's channel to a server behind a URL.

Every outgoing message is a POST request in a pooled thread, so a long call does not delay the
others. The messages from all responses are merged into one stream of lines.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from functools import partial
from itertools import count
from queue import Full, Queue
from time import monotonic
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from paddock.client.errors import AnswerError, HttpError
from paddock.client.http.connection_pool import AbortableWork
from paddock.client.http.exchange import (
    MAX_RETRIES,
    MAX_RETRY_SECONDS,
    NOT_FOUND,
    TOO_MANY_REQUESTS,
    ClientExchange,
    ClientHttpSession,
    get_retry_delay,
)
from paddock.client.http.messages import (
    OutgoingMessage,
    SseParser,
    decode_frames,
    join_lines,
    parse_outgoing,
)
from paddock.client.http.request_sender import MAX_BODY_BYTES, ClientHttpRequest, RequestSender
from paddock.client.http.tool_headers import ToolHeaderRegistry
from paddock.client.thread_pool import ThreadPool
from paddock.errors import ConnectError, PaddockError
from paddock.protocol.jsonrpc import (
    DECODE_ERRORS,
    JsonRpcFrame,
    RequestId,
    decode_frame,
    decode_json,
    encode_notification,
    encode_request,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.client.connect_options import ConnectSettings, Json
    from paddock.client.connection import ClientConnection


STREAM_PURPOSE = "the request for a stream"
METHOD_NOT_ALLOWED, SERVER_ERROR, NOT_IMPLEMENTED = 405, 500, 501
FIRST_BACKOFF_STEP = 3
"""Step in the growing delays at which stream reconnects start.

No caller waits for the stream, so its delays start where those of repeated requests end.
"""


class ServerEventStream:
    """A session's GET stream, for server messages that do not belong to a request.

    It reconnects whenever it ends, with growing delays while this fails. If the server no longer
    knows the session, the session is reopened here, because without requests nothing else would
    notice that it was lost.
    """

    def __init__(
        self,
        channel: HttpChannel,
        work: AbortableWork,
        handle_line: Callable[[bytes], None],
    ) -> None:
        self._channel = channel
        self._sender = channel.sender
        self._work = work
        """The abortable work that the stream is part of."""
        self._handle_line = handle_line
        self._generation = channel.session.generation
        """The stream's session, identified by the number of sessions opened so far."""
        self._was_open = False

    def run(self) -> None:
        """Receive server events, and reconnect when the stream ends.

        Returns when the work is aborted, or if the server does not support such a stream.
        """
        events = SseParser(MAX_BODY_BYTES)
        failures = 0
        while not self._work.is_aborted:
            try:
                # After a stream that delivered events, the growing delays start over.
                failures = 1 if self._read_stream(events) else failures + 1
                delay = events.retry_seconds or get_retry_delay(FIRST_BACKOFF_STEP + failures - 1)
            except Exception as error:  # noqa: BLE001 - the pool's thread must survive
                if not self._can_retry(error):
                    self._log_end(error)
                    return
                failures += 1
                min_delay = getattr(error, "retry_after", None) or events.retry_seconds or 0.0
                delay = max(min_delay, get_retry_delay(FIRST_BACKOFF_STEP + failures - 1))
            events = events.make_continuation()
            self._work.sleep(min(MAX_RETRY_SECONDS, delay))

    def _can_retry(self, error: Exception) -> bool:
        """Return whether to reconnect the stream after an error.

        If the error shows that the server has lost the session, a new session is opened here.
        """
        if not isinstance(error, HttpError):
            return False
        if error.status == NOT_FOUND and self._was_open:
            # Reopening starts a new stream, which aborts this one.
            with suppress(ConnectError):  # The next attempt tries again.
                self._channel.reopen_session(self._generation, self._work)
            return True
        is_server_failure = error.status is None or error.status >= SERVER_ERROR
        is_temporary_failure = is_server_failure and error.status != NOT_IMPLEMENTED
        return error.status == TOO_MANY_REQUESTS or is_temporary_failure

    def _read_stream(self, events: SseParser) -> bool:
        """Open the stream and handle its events until it ends.

        Args:
            events: The stream's parser, which remembers the last event received.

        Returns:
            Whether the stream contained any events.

        Raises:
            HttpError: The server does not open the stream, or the connection broke.
        """
        headers = self._channel.session.headers
        has_events = False
        try:
            response = self._sender.open_stream(headers, events.last_id, self._work, STREAM_PURPOSE)
            self._was_open = True
            try:
                for chunk in self._sender.iterate_body(response, self._work):
                    for message in events.feed(chunk):
                        has_events = True
                        self._handle_line(message)
            finally:
                response.close()
        finally:
            self._work.release_socket()
        return has_events

    def _log_end(self, error: Exception) -> None:
        """Log that the stream was abandoned. A server without such a stream answers with 405."""
        is_unsupported = isinstance(error, HttpError) and error.status == METHOD_NOT_ALLOWED
        level = logging.DEBUG if is_unsupported else logging.INFO
        message = "No messages will be received between requests: %s"
        logging.getLogger("paddock").log(level, message, error)


MAX_OPEN_EXCHANGES = 128
"""Maximum number of concurrent requests. Additional requests are queued."""
MAX_QUEUED_REQUESTS = 10_000
"""Maximum number of queued requests. Additional requests fail."""
MAX_OPEN_NOTIFICATIONS = 8
"""Maximum number of notifications and answers that are sent concurrently."""
MAX_UNREAD_MESSAGES = 256
"""Maximum number of server messages waiting for the reader. Any others stay in the network."""
MAX_PAGES = 1000
LAST_NOTIFICATION_SECONDS = 1.0
"""Time limit, in seconds, for sending queued notifications when the connection closes."""
CLOSE_SECONDS = 2.0
"""Time limit for the DELETE request that ends a session, and for the threads to end after it."""
CANCELLED_METHOD = "notifications/cancelled"
CANCEL_TASK_METHOD = "tasks/cancel"
INITIALIZED_METHOD = "notifications/initialized"


class _RequestFailure(msgspec.Struct):
    request_id: RequestId
    error: Exception


class HttpChannel:
    """A message channel to and from one server."""

    def __init__(self, url: str, settings: ConnectSettings) -> None:
        self.sender = RequestSender(url, settings)
        self.session = ClientHttpSession()
        self.tool_headers = ToolHeaderRegistry()
        self.timeout = settings.timeout
        self._connection: ClientConnection | None = None
        self._ids = count(1)
        self._unread: Queue[bytes | _RequestFailure] = Queue(MAX_UNREAD_MESSAGES)
        """Server messages that the connection has not read yet, and failed requests."""
        self._lock = threading.Lock()
        self._exchanges: dict[RequestId, ClientExchange] = {}
        """The open requests. Each is sent in a thread of the pool."""
        self._open_notifications: set[ClientExchange] = set()
        self._server_stream_work: AbortableWork | None = None
        """The session's GET stream, on which the server sends messages outside of requests."""
        self._request_pool = ThreadPool("paddock-http", MAX_OPEN_EXCHANGES, MAX_QUEUED_REQUESTS)
        self._notification_pool = ThreadPool(
            "paddock-http-notices", MAX_OPEN_NOTIFICATIONS, MAX_QUEUED_REQUESTS
        )
        # The pool has two threads, because a new stream starts before the aborted one has ended.
        self._stream_pool = ThreadPool("paddock-http-stream", 2, 2)
        self._is_closing = False

    def attach(self, owner: ClientConnection) -> None:
        """Set the connection that reads the channel. Must be called before the first write."""
        self._connection = owner

    def read(self) -> bytes:
        """Wait for the next server message and return it as a line.

        Returns b"" when the channel is closed. Failed requests are reported to the connection.
        """
        while True:
            item = self._unread.get()
            if isinstance(item, bytes):
                return item
            # The failure is queued with the messages and reported by the reader thread, so it
            # follows all messages received before it.
            if self._connection is not None:
                self._connection.fail_request(item.request_id, item.error)

    def write(self, data: bytes) -> None:
        """Send a client message without waiting for the response.

        Each message becomes an HTTP request, which is sent by a pooled thread.
        """
        message = parse_outgoing(data)
        if message.is_request:
            self._submit_request(message)
        elif message.method == CANCELLED_METHOD:
            self._cancel_request(message)
        elif message.method == INITIALIZED_METHOD:
            # Sent here, in the writer thread, so that no later message overtakes it.
            self._send_notification(ClientExchange(message, self, self._queue_line))
            self._open_server_stream()
        else:
            self._submit_notification(ClientExchange(message, self, self._queue_line))

    def close(self) -> None:
        """Abort all requests, end the session and wait briefly for the threads."""
        # Closed first, so that pending cancellations are still sent before everything is aborted.
        self._notification_pool.close(LAST_NOTIFICATION_SECONDS)
        self._is_closing = True
        with self._lock:
            exchanges = (*self._exchanges.values(), *self._open_notifications)
            active_work = [exchange.work for exchange in exchanges]
            if self._server_stream_work is not None:
                active_work.append(self._server_stream_work)
        for work in active_work:
            work.abort()
        self._end_session()
        deadline = monotonic() + CLOSE_SECONDS
        for pool in (self._request_pool, self._stream_pool):
            pool.close(deadline - monotonic())
        self.sender.close()
        self._queue_item(b"")

    def mark_answered(self, request_id: RequestId) -> None:
        """Record that a request was answered in the HTTP response to another request.

        The request's own response is closed, because nothing more will arrive there.
        """
        with self._lock:
            exchange = self._exchanges.get(request_id)
        if exchange is not None:
            exchange.is_answered = True
            exchange.work.abort()

    def fetch_tool_headers(self, message: OutgoingMessage, work: AbortableWork) -> None:
        """List the server's tools to find out which call arguments are repeated in headers.

        The tool's schema has an annotation for each of these arguments. A server that cannot list
        its tools may still be able to run them, so its error is ignored.

        Args:
            message: A call to a tool whose schema is unknown.
            work: The work that needs the headers.

        Raises:
            HttpError: The server cannot currently be reached.
        """
        # A progress token must be unique among the open requests.
        meta = {key: value for key, value in message.meta.items() if key != "progressToken"}
        params: Json = {"_meta": meta}
        try:
            for _ in range(MAX_PAGES):
                page = self._send_own_request("tools/list", params, work, max_retries=0)
                cursor = page.get("nextCursor")
                is_listed = self.tool_headers.has_tool(str(message.params.name))
                if is_listed or not isinstance(cursor, str):
                    return
                params = {"cursor": cursor, "_meta": meta}
        except HttpError as error:
            if error.status is None:
                error.was_sent = False  # The error is reported for the call, which was not sent.
                raise
        except PaddockError:
            pass

    def reopen_session(self, generation: int, work: AbortableWork) -> None:
        """Open a new session after the server has lost the current one.

        Does nothing if another request has already opened a new session.

        Args:
            generation: The number of the lost session, counted since the channel was opened.
            work: The work that needs the new session.

        Raises:
            ConnectError: The server does not open a session.
        """
        session = self.session
        with session.lock:
            initialize_message, version = session.initialize_message, session.version
            if session.generation != generation or initialize_message is None:
                return
            message = "%s has lost the session. A new one is opened; subscriptions are lost"
            logging.getLogger("paddock").warning(message, self.sender.url)
            params = decode_json(decode_frame(initialize_message.frame).params)  # type: ignore[arg-type]  # `initialize` has some
            try:
                self._send_own_request("initialize", params, work, read_timeout=self.timeout)
            except PaddockError as error:
                raise ConnectError(
                    f"The server lost the session and did not open a new one: {error.message}"
                ) from None
            if session.version != version:
                raise ConnectError(
                    f"{self.sender.url} lost the session and opened a new one with protocol "
                    f"version {session.version} instead of {version}"
                )
            frame = encode_notification(INITIALIZED_METHOD)
            self._record_frame(frame, is_from_client=True)
            ClientExchange(parse_outgoing(frame), self, self._queue_line, work).run()
        self._open_server_stream()

    def _submit_request(self, message: OutgoingMessage) -> None:
        """Send a request in a pooled thread. If too many are queued, the request fails."""
        exchange, request_id = ClientExchange(message, self, self._queue_line), message.id
        if request_id is None:  # It has one, because it is a request.
            return
        with self._lock:
            self._exchanges[request_id] = exchange
        # close() waits for the notification pool, so a cancellation made before it is still sent.
        is_cancellation = message.method == CANCEL_TASK_METHOD
        pool = self._notification_pool if is_cancellation else self._request_pool
        if not pool.submit(partial(self._run_request, exchange, request_id)):
            self._remove_exchange(request_id)
            self._queue_failure(
                request_id, ConnectError("Too many requests are queued for this connection")
            )

    def _run_request(self, exchange: ClientExchange, request_id: RequestId) -> None:
        try:
            exchange.run()
        except Exception as error:  # noqa: BLE001 - re-raised in the thread that waits
            self._queue_failure(request_id, error)
        finally:
            self._remove_exchange(request_id)

    def _remove_exchange(self, request_id: RequestId) -> None:
        with self._lock:
            self._exchanges.pop(request_id, None)

    def _cancel_request(self, message: OutgoingMessage) -> None:
        """Cancel the request named by the client's `notifications/cancelled` message.

        In a session, the message is sent to the server. Otherwise, closing the request's response
        cancels it.
        """
        request_id = message.params.request_id
        if not isinstance(request_id, int | str):
            return
        with self._lock:
            exchange = self._exchanges.get(request_id)
        if exchange is None:
            return
        # In a session, closing the response does not cancel. The request is aborted only after
        # the notification. A request that was never sent needs no notification.
        if exchange.message.version is None and exchange.may_have_arrived:
            self._submit_notification(
                ClientExchange(message, self, self._queue_line), when_sent=exchange.work.abort
            )
        else:
            exchange.work.abort()

    def _submit_notification(
        self, exchange: ClientExchange, when_sent: Callable[[], None] | None = None
    ) -> None:
        """Send a notification or the answer to a server request in a pooled thread.

        Args:
            exchange: The message to send, which gets no answer.
            when_sent: Called in that thread after the message has been sent.
        """

        def send() -> None:
            self._send_notification(exchange)
            if when_sent is not None:
                when_sent()

        if not self._notification_pool.submit(send):
            logging.getLogger("paddock").warning(
                "%s was not sent: too many messages are queued", exchange.message.method
            )

    def _send_notification(self, exchange: ClientExchange) -> None:
        """Send a message that gets no answer. Errors are logged, because no caller waits."""
        with self._lock:
            self._open_notifications.add(exchange)
        try:
            exchange.run()
        except Exception as error:  # noqa: BLE001 - the writer thread must survive
            description = exchange.message.method or "An answer"
            logging.getLogger("paddock").warning("%s could not be sent: %s", description, error)
        finally:
            with self._lock:
                self._open_notifications.discard(exchange)

    def _open_server_stream(self) -> None:
        """Open the session's GET stream, on which the server sends messages outside of requests.

        An earlier stream is aborted.
        """
        with self._lock:
            if self._is_closing:
                return
            if self._server_stream_work is not None:
                self._server_stream_work.abort()
            work = self._server_stream_work = AbortableWork()
        stream = ServerEventStream(self, work, self._handle_stream_message)
        self._stream_pool.submit(stream.run)

    def _handle_stream_message(self, data: bytes) -> None:
        line = join_lines(data)
        for frame in decode_frames(line):
            if frame.method is UNSET and frame.id is not UNSET:
                self.mark_answered(frame.id)
        self._queue_line(line)

    def _send_own_request(
        self,
        method: str,
        params: Json,
        work: AbortableWork,
        max_retries: int = MAX_RETRIES,
        read_timeout: float | None = None,
    ) -> Json:
        """Send one of the channel's own requests, such as `tools/list`, and return its result.

        Args:
            method: The request method.
            params: The request parameters.
            work: The work that needs the result.
            max_retries: Maximum number of retries.
            read_timeout: Seconds to wait for data. By default, there is no limit.

        Raises:
            AnswerError: The server answered with an error or without a result.
            HttpError: The request failed.
        """
        request_id = f"paddock-{next(self._ids)}"
        frame = encode_request(request_id, method, params)
        # The channel's own messages bypass the connection, which records all others.
        self._record_frame(frame, is_from_client=True)
        answers: list[JsonRpcFrame] = []

        def handle_line(line: bytes) -> None:
            for response in decode_frames(line):
                if response.id == request_id and response.method is UNSET:
                    self._record_frame(line, is_from_client=False)
                    answers.append(response)
                    return
            self._queue_line(line)

        message = parse_outgoing(frame)
        ClientExchange(message, self, handle_line, work, max_retries, read_timeout).run()
        return self._require_result(answers, f"{method} of {self.sender.url}")

    def _require_result(self, answers: list[JsonRpcFrame], purpose: str) -> Json:
        """Return the result from the answers to one of the channel's own requests.

        Args:
            answers: The responses with the request's id. A broken server can send more than one.
            purpose: The name of the request in error messages.

        Raises:
            AnswerError: The server answered with an error or without a result.
        """
        for answer in answers:
            if answer.error is not UNSET:
                raise AnswerError(
                    f"{purpose} failed: {self.sender.format_excerpt(bytes(answer.error))}"
                )
            with suppress(*DECODE_ERRORS):
                result = None if answer.result is UNSET else decode_json(answer.result)
                if isinstance(result, dict):
                    return result
        raise AnswerError(f"{purpose} has no result")

    def _record_frame(self, frame: bytes, *, is_from_client: bool) -> None:
        if self._connection is not None:
            self._connection.record_frame(frame, is_from_client=is_from_client)

    def _queue_line(self, line: bytes) -> None:
        self._queue_item(line + b"\n")

    def _queue_failure(self, request_id: RequestId, error: Exception) -> None:
        self._queue_item(_RequestFailure(request_id, error))

    def _queue_item(self, item: bytes | _RequestFailure) -> None:
        """Queue a server message or a request failure for the next `read`.

        If the queue is full, this waits for room. Responses then remain unread, so the network
        slows the server down; otherwise, the queue would grow without limit.
        """
        while True:
            try:
                self._unread.put(item, timeout=LAST_NOTIFICATION_SECONDS)
            except Full:
                if self._is_closing:
                    return
            else:
                return

    def _end_session(self) -> None:
        """End the session with a DELETE request to the server.

        The request is sent in a separate thread, because the server or the function that provides
        the token may block. This waits for at most `CLOSE_SECONDS`.
        """
        if self.session.id is None:
            return
        work = AbortableWork()
        thread = threading.Thread(target=self._send_delete, args=(work,), daemon=True)
        thread.start()
        thread.join(CLOSE_SECONDS)
        work.abort()

    def _send_delete(self, work: AbortableWork) -> None:
        try:
            request = ClientHttpRequest("DELETE", self.session.headers, work)
            response = self.sender.send(request)
            self.sender.discard_response(response, work)
        except Exception as error:  # noqa: BLE001 - the client closes in any case
            logging.getLogger("paddock").debug("The session was not ended: %s", error)
