"""Messages to and from a server: who waits for which answer.

One thread reads and never waits for anybody: answers go to their waiter, everything else to the
inbox. Another one writes, so that a server that does not read cannot hold up a caller beyond the
caller's timeout. Knows no method and no era.
"""

from __future__ import annotations

import threading
from itertools import count
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import UNSET

from paddock.errors import ConnectError
from paddock.peer.errors import AnswerError, PeerError
from paddock.peer.settings import Json
from paddock.protocol.errors import INTERNAL_ERROR
from paddock.protocol.jsonrpc import (
    DECODE_FAULTS,
    Frame,
    RequestId,
    decode_frame,
    is_batch,
    notification_frame,
    split_batch,
)
from paddock.transports.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.peer.transcript import Transcript

MAX_LINE = 1 << 30
FLUSH_TIME = 1.0
"""Seconds that what was sent last gets to leave when the connection is closed."""
END_TIME = 2.0
"""Seconds to wait for the server's end of a connection that we have closed."""
EXCERPT = 200

Outcome = Json | Exception
"""A result, or what went wrong."""

_decode_value = msgspec.json.Decoder().decode


class Pipe(Protocol):
    """As much of a channel as we need of one: bytes in both directions."""

    def read(self) -> bytes:
        """The next bytes; blocks until there are some, and is empty at the end."""

    def write(self, data: bytes) -> None:
        """Send all of the data."""

    def close(self) -> None:
        """Hang up."""


class Waiter(Protocol):
    """Whoever sent a request."""

    def take(self, outcome: Outcome) -> None:
        """The answer, in the thread that reads: must not block."""


class Inbox(Protocol):
    """Takes what the server sends of itself, in the thread that reads: must not block."""

    def take_request(self, request_id: RequestId, method: str, params: Json) -> None:
        """The server asks something."""

    def take_notification(self, method: str, params: Json) -> None:
        """The server tells something."""


class Link:
    """One connection to a server."""

    def __init__(
        self,
        channel: Pipe,
        transcript: Transcript | None = None,
        explain_end: Callable[[], str] | None = None,
    ) -> None:
        self._channel = channel
        self._transcript = transcript
        self._explain_end = explain_end
        self._ids = count(1)
        self._waiting: dict[RequestId, Waiter] = {}
        self._lock = threading.Lock()
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._end: str | None = None
        self._is_closing = False
        self._threads: list[threading.Thread] = []
        self.stray: str | None = None
        self.cancels_by_closing = False
        """Whether the channel tells a cancellation otherwise than by sending our message."""

    def start(self, inbox: Inbox) -> None:
        """Begin to read and write."""
        self._threads = [
            threading.Thread(target=self._read, args=(inbox,), name="paddock-reader", daemon=True),
            threading.Thread(target=self._write, name="paddock-writer", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def expect(self, waiter: Waiter) -> RequestId:
        """A fresh id for a request whose answer goes to `waiter`.

        Raises:
            ConnectError: when the connection has ended.
        """
        with self._lock:
            if self._end is not None:
                raise ConnectError(self._end)
            request_id = next(self._ids)
            self._waiting[request_id] = waiter
            return request_id

    def forget(self, request_id: RequestId) -> bool:
        """Stop waiting for an answer; whether we still were."""
        with self._lock:
            return self._waiting.pop(request_id, None) is not None

    def waiter(self, request_id: object) -> Waiter | None:
        """Who waits for the answer to a request."""
        return self._waiting.get(request_id) if isinstance(request_id, int | str) else None

    def send(self, frame: bytes) -> None:
        """Have a message written; does not wait until it is."""
        self.record(frame, is_ours=True)
        self._outgoing.put(frame)

    def cancel(self, request_id: RequestId, reason: str | None = None) -> None:
        """Stop waiting for an answer, and tell the server, if we still were."""
        if not self.forget(request_id):
            return
        params: Json = {"requestId": request_id}
        if reason is not None:
            params["reason"] = reason
        frame = notification_frame("notifications/cancelled", params)
        if not self.cancels_by_closing:
            self.record(frame, is_ours=True)
        self._outgoing.put(frame)

    def fail(self, request_id: RequestId, fault: Exception) -> None:
        """A channel has learnt that no answer to a request will come, and why."""
        with self._lock:
            waiter = self._waiting.pop(request_id, None)
        if waiter is not None:
            waiter.take(fault)

    def record(self, frame: bytes, *, is_ours: bool) -> None:
        """Keep a message, if messages are kept."""
        if self._transcript is not None:
            self._transcript.add(frame, is_ours=is_ours)

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send(notification_frame(method, params))

    def note_stray(self, line: bytes) -> None:
        """Remember something that the server should not have sent, for error messages."""
        self.stray = line[:EXCERPT].decode(errors="replace").strip()

    def close(self) -> None:
        """End the connection; whoever still waits is told."""
        if self._is_closing:
            return
        self._is_closing = True
        reader, writer = self._threads
        self._outgoing.put(None)
        writer.join(FLUSH_TIME)
        self._channel.close()
        if reader is not threading.current_thread():
            reader.join(END_TIME)
        self._finish("The connection was closed")

    def _write(self) -> None:
        while (frame := self._outgoing.get()) is not None:
            try:
                self._channel.write(frame)
            except (OSError, ValueError):  # the server is gone, and the reader will say so
                return

    def _read(self, inbox: Inbox) -> None:
        lines = Lines(MAX_LINE, lambda head, _: self.note_stray(head))
        try:
            while chunk := self._channel.read():
                for line in lines.feed(chunk):
                    if line.strip():
                        self._take_line(line, inbox)
        finally:
            if self._is_closing:
                self._finish("The connection was closed")
            else:
                explained = self._explain_end() if self._explain_end else "The server hung up"
                self._finish(explained)

    def _take_line(self, line: bytes, inbox: Inbox) -> None:
        self.record(line, is_ours=False)
        try:
            # Versions before 2025-06-18 allow several messages as one array.
            messages = split_batch(line) if is_batch(line) else [line]
            for message in messages:
                self._take_frame(decode_frame(message), inbox)
        except DECODE_FAULTS:
            self.note_stray(line)

    def _take_frame(self, frame: Frame, inbox: Inbox) -> None:
        if frame.method is UNSET:
            self._take_answer(frame)
            return
        params = {} if frame.params is UNSET else _decode_value(frame.params)
        if not isinstance(params, dict):
            params = {}
        if frame.id is UNSET:
            inbox.take_notification(frame.method, params)
        else:
            inbox.take_request(frame.id, frame.method, params)

    def _take_answer(self, frame: Frame) -> None:
        outcome = _outcome(frame)
        if frame.id is UNSET:
            self.stray = str(outcome)
            return
        with self._lock:
            waiter = self._waiting.pop(frame.id, None)
        if waiter is not None:
            waiter.take(outcome)

    def _finish(self, reason: str) -> None:
        with self._lock:
            if self._end is None:
                self._end = reason
            waiting, self._waiting = list(self._waiting.values()), {}
        for waiter in waiting:
            waiter.take(ConnectError(self._end))


def _outcome(frame: Frame) -> Outcome:
    if frame.error is not UNSET:
        return _error(_decode_value(frame.error))
    result = None if frame.result is UNSET else _decode_value(frame.result)
    if isinstance(result, dict):
        return result
    return AnswerError(f"Expected an object as the result, got {result!r:.60}")


def _error(error: object) -> PeerError:
    fields = error if isinstance(error, dict) else {"message": error}
    code = fields.get("code")
    return PeerError(
        str(fields.get("message", "The server gave no reason")),
        rpc_code=code if isinstance(code, int) else INTERNAL_ERROR,
        data=fields.get("data"),
    )
