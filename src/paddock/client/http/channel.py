"""The stream of a session on which the server speaks of itself, if it has one.

It is asked for again whenever it ends, with growing pauses while nothing comes of it. A session
that the server has forgotten meanwhile is opened anew, since nobody else may notice.

A server behind a URL, as a channel.

Every message of ours is a request of its own, in a thread of its own, so that a long call holds up
no other. What comes back, on whichever response, is read as one stream of lines.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from functools import partial
from itertools import count
from queue import Full, Queue
from time import monotonic
from typing import TYPE_CHECKING, Protocol

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
from paddock.client.http.messages import OutgoingMessage, decode_frames, join_lines, parse_outgoing
from paddock.client.http.request_sender import MAX_BODY_BYTES, RequestSender
from paddock.client.http.sse import SseParser
from paddock.client.http.tool_headers import ToolHeaderRegistry
from paddock.client.thread_pool import ThreadPool
from paddock.errors import ConnectError, PaddockError
from paddock.protocol.jsonrpc import (
    DECODE_ERRORS,
    JsonRpcFrame,
    RequestId,
    decode_frame,
    encode_notification,
    encode_request,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.client.connect_options import ConnectSettings, Json
    from paddock.client.http.exchange import ExchangeContext


STREAM_PURPOSE = "the request for a stream"
METHOD_NOT_ALLOWED, SERVER_ERROR, NOT_IMPLEMENTED = 405, 500, 501
FIRST_BACKOFF_STEP = 3
"""Pauses begin where those between repeated requests end: nobody waits for this stream."""


class ServerEventStream:
    """Listens until it is aborted, or the server has no such stream."""

    def __init__(
        self,
        context: ExchangeContext,
        work: AbortableWork,
        feed: Callable[[bytes], None],
    ) -> None:
        self._context = context
        self._sender = context.sender
        self._work = work
        self._feed = feed
        self._generation = context.session.generation
        self._was_open = False

    def run(self) -> None:
        """Listen, in the thread that calls this."""
        events, failures = SseParser(MAX_BODY_BYTES), 0
        while not self._work.is_aborted:
            try:
                failures = 1 if self._read_stream(events) else failures + 1
                delay = events.retry_seconds or get_retry_delay(FIRST_BACKOFF_STEP + failures - 1)
            except Exception as error:  # noqa: BLE001 - the thread is lent
                if not self._can_retry(error):
                    self._log_end(error)
                    return
                failures += 1
                min_delay = getattr(error, "retry_after", None) or events.retry_seconds or 0.0
                delay = max(min_delay, get_retry_delay(FIRST_BACKOFF_STEP + failures - 1))
            events = events.make_continuation()
            self._work.sleep(min(MAX_RETRY_SECONDS, delay))

    def _can_retry(self, error: Exception) -> bool:
        """Whether to ask again after this; a session that is gone is opened anew first."""
        if not isinstance(error, HttpError):
            return False
        if error.status == NOT_FOUND and self._was_open:
            # Where there was a stream there will be one again, in place of this one.
            with suppress(ConnectError):  # next time, then
                self._context.reopen_session(self._generation, self._work)
            return True
        is_down = error.status is None or error.status >= SERVER_ERROR
        return error.status == TOO_MANY_REQUESTS or (is_down and error.status != NOT_IMPLEMENTED)

    def _read_stream(self, events: SseParser) -> bool:
        """Take the events of one stream to its end; whether there were any."""
        headers = self._context.session.headers
        has_events = False
        try:
            response = self._sender.open_stream(headers, events.last_id, self._work, STREAM_PURPOSE)
            self._was_open = True
            try:
                for piece in self._sender.iterate_body(response, self._work):
                    for data in events.feed(piece):
                        has_events = True
                        self._feed(data)
            finally:
                response.close()
        finally:
            self._work.release_socket()
        return has_events

    def _log_end(self, error: Exception) -> None:
        is_unsupported = isinstance(error, HttpError) and error.status == METHOD_NOT_ALLOWED
        level = logging.DEBUG if is_unsupported else logging.INFO
        message = "Nothing will be heard between requests: %s"
        logging.getLogger("paddock").log(level, message, error)


MAX_OPEN_EXCHANGES = 128
"""Requests that may be open at a time; more wait in line."""
MAX_QUEUED_REQUESTS = 10_000
"""Requests that may wait in line."""
MAX_OPEN_NOTIFICATIONS = 8
"""Notifications and answers of ours that may be on their way at a time; more wait in line."""
MAX_UNREAD_MESSAGES = 256
"""Messages of the server that may wait to be read; more are left in the network."""
MAX_PAGES = 1000
LAST_NOTIFICATION_SECONDS = 1.0
"""Seconds that our last notifications get to leave when the connection is closed."""
CLOSE_SECONDS = 2.0
"""Seconds that the end of a session may take, and again the end of the threads."""
CANCELLED_METHOD = "notifications/cancelled"
CANCEL_TASK_METHOD = "tasks/cancel"
INITIALIZED_METHOD = "notifications/initialized"

_decode_json = msgspec.json.Decoder().decode


class ChannelReader(Protocol):
    """Whoever reads the channel."""

    def fail_request(self, request_id: RequestId, error: Exception) -> None:
        """No answer to a request will come."""

    def record_frame(self, frame: bytes, *, is_ours: bool) -> None:
        """The channel itself has said or heard something."""


class _RequestFailure(msgspec.Struct):
    request_id: RequestId
    error: Exception


class HttpChannel:
    """Messages to and from one server."""

    def __init__(self, url: str, settings: ConnectSettings) -> None:
        self.sender = RequestSender(url, settings)
        self.session = ClientHttpSession()
        self.tool_headers = ToolHeaderRegistry()
        self.timeout = settings.timeout
        self._reader: ChannelReader | None = None
        self._ids = count(1)
        self._unread: Queue[bytes | _RequestFailure] = Queue(MAX_UNREAD_MESSAGES)
        self._lock = threading.Lock()
        self._exchanges: dict[RequestId, ClientExchange] = {}
        self._open_notifications: set[ClientExchange] = set()
        self._server_stream_work: AbortableWork | None = None
        self._request_pool = ThreadPool("paddock-http", MAX_OPEN_EXCHANGES, MAX_QUEUED_REQUESTS)
        self._notification_pool = ThreadPool(
            "paddock-http-notices", MAX_OPEN_NOTIFICATIONS, MAX_QUEUED_REQUESTS
        )
        self._stream_pool = ThreadPool("paddock-http-stream", 2, 2)
        self._is_closing = False

    def attach(self, reader: ChannelReader) -> None:
        """Say who reads; before anything is written."""
        self._reader = reader

    def read(self) -> bytes:
        """The next line; empty when the channel is closed."""
        while True:
            item = self._unread.get()
            if isinstance(item, bytes):
                return item
            # Told in the thread that reads, so after all that came before it.
            if self._reader is not None:
                self._reader.fail_request(item.request_id, item.error)

    def write(self, data: bytes) -> None:
        """Send a message, without waiting for anything that comes back."""
        message = parse_outgoing(data)
        if message.is_request:
            self._submit_request(message)
        elif message.method == CANCELLED_METHOD:
            self._cancel_request(message)
        elif message.method == INITIALIZED_METHOD:
            # Nothing may overtake it, so it is sent in the one thread that writes.
            self._send_notification(ClientExchange(message, self, self._queue_line))
            self._open_server_stream()
        else:
            self._submit_notification(ClientExchange(message, self, self._queue_line))

    def close(self) -> None:
        """End every request, and the session."""
        self._notification_pool.close(LAST_NOTIFICATION_SECONDS)
        self._is_closing = True
        with self._lock:
            active_work = [
                one.work for one in (*self._exchanges.values(), *self._open_notifications)
            ]
            active_work += (
                [self._server_stream_work] if self._server_stream_work is not None else []
            )
        for work in active_work:
            work.abort()
        self._end_session()
        until = monotonic() + CLOSE_SECONDS
        for pool in (self._request_pool, self._stream_pool):
            pool.close(until - monotonic())
        self.sender.close()
        self._queue_item(b"")

    def mark_answered(self, request_id: RequestId) -> None:
        """An answer has come elsewhere than in answer to its own request."""
        with self._lock:
            exchange = self._exchanges.get(request_id)
        if exchange is not None:
            exchange.is_answered = True
            exchange.work.abort()

    def fetch_tool_headers(self, message: OutgoingMessage, work: AbortableWork) -> None:
        """Ask the server what the tool of a call is like; it need not know.

        Raises:
            HttpError: when it cannot be asked now.
        """
        meta = {key: value for key, value in message.meta.items() if key != "progressToken"}
        params: Json = {"_meta": meta}
        try:
            for _ in range(MAX_PAGES):
                next_cursor = self._send_own_request("tools/list", params, work, repeats=0).get(
                    "nextCursor"
                )
                if self.tool_headers.has_tool(str(message.params.name)) or not isinstance(
                    next_cursor, str
                ):
                    return
                params = {"cursor": next_cursor, "_meta": meta}
        except HttpError as error:
            if error.status is None:
                error.was_sent = False  # the call was not
                raise
        except PaddockError:
            pass  # a server that lists nothing may have tools all the same

    def reopen_session(self, generation: int, work: AbortableWork) -> None:
        """Open the session anew, unless another exchange has done so.

        Raises:
            ConnectError: when the server will not.
        """
        session = self.session
        with session.lock:
            initialize_message, version = session.initialize_message, session.version
            if session.generation != generation or initialize_message is None:
                return
            message = "The session with %s is gone and opened anew; subscriptions are lost"
            logging.getLogger("paddock").warning(message, self.sender.url)
            params = _decode_json(decode_frame(initialize_message.frame).params)  # type: ignore[arg-type]  # `initialize` has some
            try:
                self._send_own_request("initialize", params, work, limit=self.timeout)
            except PaddockError as error:
                raise ConnectError(
                    f"The session is gone and cannot be opened anew: {error.message}"
                ) from None
            if session.version != version:
                raise ConnectError(
                    f"The session is gone, and {self.sender.url} now speaks {session.version} "
                    f"instead of {version}"
                )
            frame = encode_notification(INITIALIZED_METHOD)
            self._record_frame(frame, is_ours=True)
            ClientExchange(parse_outgoing(frame), self, self._queue_line, work).run()
        self._open_server_stream()

    def _submit_request(self, message: OutgoingMessage) -> None:
        exchange = ClientExchange(message, self, self._queue_line)
        request_id = exchange.message.id
        if request_id is None:
            return
        with self._lock:
            self._exchanges[request_id] = exchange
        # What is to stop something has to leave even if the connection is closed thereupon.
        pool = (
            self._notification_pool if message.method == CANCEL_TASK_METHOD else self._request_pool
        )
        if not pool.submit(partial(self._run_request, exchange, request_id)):
            self._remove_exchange(request_id)
            self._queue_failure(
                request_id, ConnectError("Too many requests are waiting to be sent")
            )

    def _run_request(self, exchange: ClientExchange, request_id: RequestId) -> None:
        try:
            exchange.run()
        except Exception as error:  # noqa: BLE001 - whoever waits must hear of it, whatever it is
            self._queue_failure(request_id, error)
        finally:
            self._remove_exchange(request_id)

    def _remove_exchange(self, request_id: RequestId) -> None:
        with self._lock:
            self._exchanges.pop(request_id, None)

    def _cancel_request(self, message: OutgoingMessage) -> None:
        """A server is told by the message in a session, and else by the end of the stream."""
        request_id = message.params.request_id
        with self._lock:
            exchange = (
                self._exchanges.get(request_id) if isinstance(request_id, int | str) else None
            )
        if exchange is None:
            return
        if exchange.message.version is None and exchange.may_have_arrived:
            self._submit_notification(
                ClientExchange(message, self, self._queue_line), then=exchange.work.abort
            )
        else:
            exchange.work.abort()

    def _submit_notification(
        self, exchange: ClientExchange, then: Callable[[], None] | None = None
    ) -> None:
        def send() -> None:
            self._send_notification(exchange)
            if then is not None:
                then()

        if not self._notification_pool.submit(send):
            logging.getLogger("paddock").warning(
                "%s was not sent: too many messages are waiting", exchange.message.method
            )

    def _send_notification(self, exchange: ClientExchange) -> None:
        """Send what nobody waits for an answer to; all that can be done with an error is to log."""
        with self._lock:
            self._open_notifications.add(exchange)
        try:
            exchange.run()
        except Exception as error:  # noqa: BLE001 - the thread has more to send
            description = exchange.message.method or "An answer"
            logging.getLogger("paddock").warning("%s could not be sent: %s", description, error)
        finally:
            with self._lock:
                self._open_notifications.discard(exchange)

    def _open_server_stream(self) -> None:
        """Listen to what the server says of itself in the session."""
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
        repeats: int = MAX_RETRIES,
        limit: float | None = None,
    ) -> Json:
        """A request of the channel itself."""
        request_id = f"paddock-{next(self._ids)}"
        frame = encode_request(request_id, method, params)
        self._record_frame(frame, is_ours=True)
        answers: list[JsonRpcFrame] = []

        def take(line: bytes) -> None:
            for message in decode_frames(line):
                if message.id == request_id and message.method is UNSET:
                    self._record_frame(line, is_ours=False)
                    answers.append(message)
                    return
            self._queue_line(line)

        ClientExchange(parse_outgoing(frame), self, take, work, repeats, limit).run()
        return self._read_result(answers, f"{method} of {self.sender.url}")

    def _read_result(self, answers: list[JsonRpcFrame], purpose: str) -> Json:
        """The result in the answer to a request of our own, if there is one."""
        for answer in answers:
            if answer.error is not UNSET:
                raise AnswerError(
                    f"{purpose} failed: {self.sender.format_excerpt(bytes(answer.error))}"
                )
            with suppress(*DECODE_ERRORS):
                value = None if answer.result is UNSET else _decode_json(answer.result)
                if isinstance(value, dict):
                    return value
        raise AnswerError(f"{purpose} has no result")

    def _record_frame(self, frame: bytes, *, is_ours: bool) -> None:
        if self._reader is not None:
            self._reader.record_frame(frame, is_ours=is_ours)

    def _queue_line(self, line: bytes) -> None:
        self._queue_item(line + b"\n")

    def _queue_failure(self, request_id: RequestId, error: Exception) -> None:
        self._queue_item(_RequestFailure(request_id, error))

    def _queue_item(self, item: bytes | _RequestFailure) -> None:
        """Give an item to the reader; wait while it is behind, but not beyond the end."""
        while True:
            try:
                self._unread.put(item, timeout=LAST_NOTIFICATION_SECONDS)
            except Full:
                if self._is_closing:
                    return
            else:
                return

    def _end_session(self) -> None:
        """Tell the server, which need not answer; nor need whoever gives our token."""
        if self.session.id is None:
            return
        work = AbortableWork()
        thread = threading.Thread(target=self._send_delete, args=(work,), daemon=True)
        thread.start()
        thread.join(CLOSE_SECONDS)
        work.abort()

    def _send_delete(self, work: AbortableWork) -> None:
        try:
            response = self.sender.send("DELETE", self.session.headers, None, work)
            self.sender.discard_response(response, work)
        except Exception as error:  # noqa: BLE001 - it ends for us in any case
            logging.getLogger("paddock").debug("The session was not ended: %s", error)
