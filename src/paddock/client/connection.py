"""The client's end of a connection: matches answers to requests and dispatches server messages.

The reader thread never waits: it resolves waiters and passes everything else to the message
handler. A second thread writes, so a server that stops reading cannot block a caller beyond the
caller's timeout. Methods and eras are the callers' concern.
"""

from __future__ import annotations

import threading
from itertools import count
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

from msgspec import UNSET

from paddock.client.connect_options import Json
from paddock.client.errors import AnswerError, make_peer_error
from paddock.errors import ConnectError
from paddock.protocol.jsonrpc import (
    DECODE_ERRORS,
    JsonRpcFrame,
    RequestId,
    decode_frame,
    decode_json,
    encode_notification,
    split_messages,
)
from paddock.transports.channel import LineSplitter

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.client.callbacks import ServerMessageRouter
    from paddock.client.connect_options import Transcript

MAX_LINE_BYTES = 1 << 30
FLUSH_SECONDS = 1.0
"""Time limit, in seconds, for sending queued messages when the connection closes."""
CLOSE_SECONDS = 2.0
"""Seconds to wait for the reader thread after the channel is closed."""
EXCERPT_BYTES = 200

CallOutcome = Json | Exception
"""The result of a request, or the exception to raise."""


class ByteChannel(Protocol):
    """A byte stream to and from a server, such as the pipes of a process."""

    def read(self) -> bytes:
        """Wait for the next bytes from the server and return them, or b"" at the end."""

    def write(self, data: bytes) -> None:
        """Send all of the data to the server."""

    def close(self) -> None:
        """Close the channel."""


class ResponseWaiter(Protocol):
    """Receives the answer to one request."""

    def resolve(self, outcome: CallOutcome) -> None:
        """Take the outcome. Called by the reader thread, so it must not block."""


class ClientConnection:
    """A connection to one server."""

    def __init__(
        self,
        channel: ByteChannel,
        transcript: Transcript | None = None,
        explain_end: Callable[[], str] | None = None,
    ) -> None:
        self._channel = channel
        self._transcript = transcript
        self._explain_end = explain_end
        self._ids = count(1)
        self._waiters: dict[RequestId, ResponseWaiter] = {}
        self._lock = threading.Lock()
        self._outgoing_frames: SimpleQueue[bytes | None] = SimpleQueue()
        self._end_reason: str | None = None
        self._is_closing = False
        self._threads: list[threading.Thread] = []
        self._message_router: ServerMessageRouter | None = None
        self.last_stray: str | None = None
        """The last message from the server that could not be handled, for error messages."""
        self.cancels_by_closing = False
        """Whether the channel cancels a request by closing its response instead of by a message."""

    def start(self, message_router: ServerMessageRouter) -> None:
        """Start the threads that read from and write to the channel.

        Args:
            message_router: Receives the server's requests and notifications.
        """
        self._message_router = message_router
        self._threads = [
            threading.Thread(
                target=self._read_loop, args=(message_router,), name="paddock-reader", daemon=True
            ),
            threading.Thread(target=self._write_loop, name="paddock-writer", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def add_waiter(self, waiter: ResponseWaiter) -> RequestId:
        """Register a waiter for the answer to a new request, and return the request id.

        Raises:
            ConnectError: The connection has ended.
        """
        with self._lock:
            if self._end_reason is not None:
                raise ConnectError(self._end_reason)
            request_id = next(self._ids)
            self._waiters[request_id] = waiter
            return request_id

    def find_waiter(self, request_id: object) -> ResponseWaiter | None:
        """Return the waiter for a request id, or None."""
        return self._waiters.get(request_id) if isinstance(request_id, int | str) else None

    def send(self, frame: bytes) -> None:
        """Queue a message for the writer thread."""
        self.record_frame(frame, is_from_client=True)
        self._outgoing_frames.put(frame)

    def cancel(self, request_id: RequestId, reason: str | None = None) -> None:
        """Stop waiting for the answer to a request, and notify the server.

        Does nothing if the answer has already arrived.

        Args:
            request_id: The request id.
            reason: The reason given in the server's log.
        """
        if self._remove_waiter(request_id) is None:
            return
        params: Json = {"requestId": request_id}
        if reason is not None:
            params["reason"] = reason
        frame = encode_notification("notifications/cancelled", params)
        # If the channel cancels by closing, it interprets the frame instead of sending it. The
        # frame is then not added to the transcript.
        if not self.cancels_by_closing:
            self.record_frame(frame, is_from_client=True)
        self._outgoing_frames.put(frame)

    def fail_request(self, request_id: RequestId, error: Exception) -> None:
        """Resolve a request with an error, because the channel cannot obtain an answer."""
        self._resolve_waiter(request_id, error)

    def record_frame(self, frame: bytes, *, is_from_client: bool) -> None:
        """Add a message to the transcript, if the connection is recorded.

        Args:
            frame: The encoded message.
            is_from_client: True if the client sent the message, False if the server did.
        """
        if self._transcript is not None:
            self._transcript.add(frame, is_from_client=is_from_client)

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send(encode_notification(method, params))

    def record_stray(self, line: bytes) -> None:
        """Keep the beginning of an unexpected line for error messages."""
        self.last_stray = line[:EXCERPT_BYTES].decode(errors="replace").strip()

    def close(self) -> None:
        """Close the connection. Pending requests fail."""
        if self._is_closing:
            return
        self._is_closing = True
        reader, writer = self._threads
        self._outgoing_frames.put(None)  # Ends the writer, after the frames before it.
        writer.join(FLUSH_SECONDS)
        try:
            self._channel.close()
            # A callback in the reader thread may close the connection, but cannot join itself.
            if reader is not threading.current_thread():
                reader.join(CLOSE_SECONDS)
        finally:
            # Even if the channel cannot be closed, no caller must wait forever.
            self._fail_waiters("The connection was closed")
            if self._message_router is not None:
                self._message_router.close()

    def _write_loop(self) -> None:
        while (frame := self._outgoing_frames.get()) is not None:
            try:
                self._channel.write(frame)
            except (OSError, ValueError):  # The server is gone; the reader thread reports it.
                return

    def _read_loop(self, message_router: ServerMessageRouter) -> None:
        """Read and handle messages, one per line, until the channel ends.

        Runs in the reader thread. At the end, all pending requests fail.
        """
        lines = LineSplitter(MAX_LINE_BYTES, lambda head, _: self.record_stray(head))
        try:
            while chunk := self._channel.read():
                for line in lines.feed(chunk):
                    if line.strip():
                        self._handle_line(line, message_router)
        finally:
            reason = "The server hung up"
            if self._is_closing:
                reason = "The connection was closed"
            elif self._explain_end is not None:
                reason = self._explain_end()
            self._fail_waiters(reason)

    def _handle_line(self, line: bytes, message_router: ServerMessageRouter) -> None:
        """Record a line from the server, and handle the messages it contains."""
        self.record_frame(line, is_from_client=False)
        try:
            # Versions before 2025-06-18 allow multiple messages in a single array.
            for message in split_messages(line):
                self._handle_frame(decode_frame(message), message_router)
        except DECODE_ERRORS:
            self.record_stray(line)

    def _handle_frame(self, frame: JsonRpcFrame, message_router: ServerMessageRouter) -> None:
        """Pass responses to the waiters of their requests, and other messages to the callbacks."""
        if frame.method is UNSET:
            self._handle_response(frame)
            return
        params = {} if frame.params is UNSET else decode_json(frame.params)
        if not isinstance(params, dict):
            params = {}
        if frame.id is UNSET:
            message_router.handle_notification(frame.method, params)
        else:
            message_router.handle_request(frame.id, frame.method, params)

    def _handle_response(self, frame: JsonRpcFrame) -> None:
        """Resolve a request's waiter with the result or error in the server's response."""
        try:
            outcome = _read_outcome(frame)
        except DECODE_ERRORS as error:
            outcome = AnswerError(f"The server's answer cannot be read: {error}")
        if frame.id is UNSET:
            # The error is about a message whose id the server could not read, so no waiter matches.
            self.last_stray = str(outcome)
            return
        self._resolve_waiter(frame.id, outcome)

    def _remove_waiter(self, request_id: RequestId) -> ResponseWaiter | None:
        with self._lock:
            return self._waiters.pop(request_id, None)

    def _resolve_waiter(self, request_id: RequestId, outcome: CallOutcome) -> None:
        waiter = self._remove_waiter(request_id)
        if waiter is not None:
            waiter.resolve(outcome)

    def _fail_waiters(self, reason: str) -> None:
        with self._lock:
            if self._end_reason is None:
                self._end_reason = reason
            waiters, self._waiters = list(self._waiters.values()), {}
        for waiter in waiters:
            waiter.resolve(ConnectError(self._end_reason))


def _read_outcome(frame: JsonRpcFrame) -> CallOutcome:
    if frame.error is not UNSET:
        return make_peer_error(decode_json(frame.error), "The server gave no reason")
    result = None if frame.result is UNSET else decode_json(frame.result)
    if isinstance(result, dict):
        return result
    return AnswerError(f"Expected an object as the result, got {result!r:.60}")
