"""A server behind a URL, as a channel.

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
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import UNSET

from paddock.errors import ConnectError, PaddockError
from paddock.peer.errors import AnswerError, HttpError
from paddock.peer.http.client import EXCERPT, Client
from paddock.peer.http.exchange import MAX_REPEATS, Exchange
from paddock.peer.http.holder import Holder
from paddock.peer.http.outgoing import Outgoing, outgoing
from paddock.peer.http.session import Session
from paddock.peer.http.standing import StandingStream
from paddock.peer.http.tool_headers import ToolHeaders
from paddock.peer.http.workers import Workers
from paddock.protocol.jsonrpc import (
    DECODE_FAULTS,
    Frame,
    RequestId,
    decode_frame,
    notification_frame,
    request_frame,
)

if TYPE_CHECKING:
    from paddock.peer.settings import Json, Settings

MAX_EXCHANGES = 128
"""Requests that may be open at a time; more wait in line."""
MAX_WAITING = 10_000
"""Requests that may wait in line."""
MAX_NOTICES = 8
"""Notifications and answers of ours that may be on their way at a time; more wait in line."""
MAX_UNREAD = 256
"""Messages of the server that may wait to be read; more are left in the network."""
MAX_PAGES = 1000
NOTICE_TIME = 1.0
"""Seconds that our last notifications get to leave when the connection is closed."""
END_TIME = 2.0
"""Seconds that the end of a session may take, and again the end of the threads."""
CANCELLED = "notifications/cancelled"
INITIALIZED = "notifications/initialized"

_decode_value = msgspec.json.Decoder().decode


class Owner(Protocol):
    """Whoever reads the channel."""

    def fail(self, request_id: RequestId, fault: Exception) -> None:
        """No answer to a request will come."""

    def record(self, frame: bytes, *, is_ours: bool) -> None:
        """The channel itself has said or heard something."""


class _Failure(msgspec.Struct):
    request_id: RequestId
    fault: Exception


class HttpChannel:
    """Messages to and from one server."""

    def __init__(self, url: str, settings: Settings) -> None:
        self.client = Client(url, settings)
        self.session = Session()
        self.tools = ToolHeaders()
        self.timeout = settings.timeout
        self._owner: Owner | None = None
        self._ids = count(1)
        self._unread: Queue[bytes | _Failure] = Queue(MAX_UNREAD)
        self._lock = threading.Lock()
        self._exchanges: dict[RequestId, Exchange] = {}
        self._notices: set[Exchange] = set()
        self._standing: Holder | None = None
        self._requests = Workers("paddock-http", MAX_EXCHANGES, MAX_WAITING)
        self._outbox = Workers("paddock-http-notices", MAX_NOTICES, MAX_WAITING)
        self._streams = Workers("paddock-http-stream", 2, 0)
        self._is_closing = False

    def attach(self, owner: Owner) -> None:
        """Say who reads; before anything is written."""
        self._owner = owner

    def read(self) -> bytes:
        """The next line; empty when the channel is closed."""
        while True:
            item = self._unread.get()
            if isinstance(item, bytes):
                return item
            # Told in the thread that reads, so after all that came before it.
            if self._owner is not None:
                self._owner.fail(item.request_id, item.fault)

    def write(self, data: bytes) -> None:
        """Send a message, without waiting for anything that comes back."""
        out = outgoing(data)
        if out.is_request:
            self._write_request(out)
        elif out.method == CANCELLED:
            self._cancel(out)
        elif out.method == INITIALIZED:
            # Nothing may overtake it, so it is sent in the one thread that writes.
            self._send_notice(Exchange(out, self, self._feed))
            self._stand()
        else:
            self._post_notice(Exchange(out, self, self._feed))

    def close(self) -> None:
        """End every request, and the session."""
        self._outbox.close(NOTICE_TIME)
        self._is_closing = True
        with self._lock:
            holders = [one.holder for one in (*self._exchanges.values(), *self._notices)]
            holders += [self._standing] if self._standing is not None else []
        for holder in holders:
            holder.abort()
        self._end_session()
        for workers in (self._requests, self._streams):
            workers.close(END_TIME)
        self.client.close()
        self._put(b"")

    def answered(self, request_id: RequestId) -> None:
        """An answer has come elsewhere than in answer to its own request."""
        with self._lock:
            exchange = self._exchanges.get(request_id)
        if exchange is not None:
            exchange.is_answered = True
            exchange.holder.abort()

    def learn_tools(self, call: Outgoing, holder: Holder) -> None:
        """Ask the server what the tool of a call is like; it need not know.

        Raises:
            HttpError: when it cannot be asked now.
        """
        meta = {key: value for key, value in call.meta.items() if key != "progressToken"}
        params: Json = {"_meta": meta}
        try:
            for _ in range(MAX_PAGES):
                cursor = self._ask("tools/list", params, holder, repeats=0).get("nextCursor")
                if self.tools.knows(str(call.params.name)) or not isinstance(cursor, str):
                    return
                params = {"cursor": cursor, "_meta": meta}
        except HttpError as error:
            if error.status is None:
                error.was_sent = False  # the call was not
                raise
        except PaddockError:
            pass  # a server that lists nothing may have tools all the same

    def reopen(self, generation: int, holder: Holder) -> None:
        """Open the session anew, unless another exchange has done so.

        Raises:
            ConnectError: when the server will not.
        """
        session = self.session
        with session.lock:
            opening, version = session.opening, session.version
            if session.generation != generation or opening is None:
                return
            text = "The session with %s is gone and opened anew; subscriptions are lost"
            logging.getLogger("paddock").warning(text, self.client.address)
            params = _decode_value(decode_frame(opening.frame).params)  # type: ignore[arg-type]  # `initialize` has some
            try:
                self._ask("initialize", params, holder)
            except PaddockError as error:
                raise ConnectError(
                    f"The session is gone and cannot be opened anew: {error.message}"
                ) from None
            if session.version != version:
                raise ConnectError(
                    f"The session is gone, and {self.client.address} now speaks {session.version} "
                    f"instead of {version}"
                )
            frame = notification_frame(INITIALIZED)
            self._record(frame, is_ours=True)
            Exchange(outgoing(frame), self, self._feed, holder).run()
        self._stand()

    def _write_request(self, out: Outgoing) -> None:
        exchange = Exchange(out, self, self._feed)
        request_id = exchange.out.id
        if request_id is None:
            return
        with self._lock:
            self._exchanges[request_id] = exchange
        if not self._requests.submit(partial(self._answer, exchange, request_id)):
            self._end(request_id)
            self._fail(request_id, ConnectError("Too many requests are waiting to be sent"))

    def _answer(self, exchange: Exchange, request_id: RequestId) -> None:
        try:
            exchange.run()
        except PaddockError as error:
            self._fail(request_id, error)
        except Exception as fault:  # noqa: BLE001 - whoever waits must hear of it, whatever it is
            self._fail(request_id, fault)
        finally:
            self._end(request_id)

    def _end(self, request_id: RequestId) -> None:
        with self._lock:
            self._exchanges.pop(request_id, None)

    def _cancel(self, out: Outgoing) -> None:
        """Without a session a server is told by the end of the stream, else by the message."""
        request_id = out.params.request_id
        with self._lock:
            exchange = (
                self._exchanges.get(request_id) if isinstance(request_id, int | str) else None
            )
        if exchange is not None and exchange.out.version is not None:
            exchange.holder.abort()
        elif exchange is not None:
            self._post_notice(Exchange(out, self, self._feed), then=exchange.holder.abort)

    def _post_notice(self, exchange: Exchange, then: object = None) -> None:
        def send() -> None:
            self._send_notice(exchange)
            if callable(then):
                then()

        if not self._outbox.submit(send):
            logging.getLogger("paddock").warning(
                "%s was not sent: too many messages are waiting", exchange.out.method
            )

    def _send_notice(self, exchange: Exchange) -> None:
        """Send what nobody waits for an answer to; all that can be done with an error is to log."""
        with self._lock:
            self._notices.add(exchange)
        try:
            exchange.run()
        except PaddockError as error:
            what = exchange.out.method or "An answer"
            logging.getLogger("paddock").warning("%s could not be sent: %s", what, error)
        finally:
            with self._lock:
                self._notices.discard(exchange)

    def _stand(self) -> None:
        """Listen to what the server says of itself in the session."""
        with self._lock:
            if self._is_closing:
                return
            if self._standing is not None:
                self._standing.abort()
            holder = self._standing = Holder()
        stream = StandingStream(self.client, self.session, holder, self._take_standing)
        self._streams.submit(stream.run)

    def _take_standing(self, data: bytes) -> None:
        line = data.replace(b"\r", b" ").replace(b"\n", b" ")
        frame = _frame(line)
        if frame is not None and frame.method is UNSET and frame.id is not UNSET:
            self.answered(frame.id)
        self._feed(line)

    def _ask(self, method: str, params: Json, holder: Holder, repeats: int = MAX_REPEATS) -> Json:
        """A request of the channel itself."""
        request_id = f"paddock-{next(self._ids)}"
        frame = request_frame(request_id, method, params)
        self._record(frame, is_ours=True)
        answers: list[Frame] = []

        def take(line: bytes) -> None:
            message = _frame(line)
            if message is None or message.id != request_id or message.method is not UNSET:
                self._feed(line)
                return
            self._record(line, is_ours=False)
            answers.append(message)

        Exchange(outgoing(frame), self, take, holder, repeats).run()
        return _result(answers, f"{method} of {self.client.address}")

    def _record(self, frame: bytes, *, is_ours: bool) -> None:
        if self._owner is not None:
            self._owner.record(frame, is_ours=is_ours)

    def _feed(self, line: bytes) -> None:
        self._put(line + b"\n")

    def _fail(self, request_id: RequestId, fault: Exception) -> None:
        self._put(_Failure(request_id, fault))

    def _put(self, item: bytes | _Failure) -> None:
        """Give an item to the reader; wait while it is behind, but not beyond the end."""
        while True:
            try:
                self._unread.put(item, timeout=NOTICE_TIME)
            except Full:
                if self._is_closing:
                    return
            else:
                return

    def _end_session(self) -> None:
        session = self.session
        if session.id is None:
            return
        holder = Holder()
        with suppress(HttpError):
            response = self.client.send("DELETE", session.headers, None, holder, limit=END_TIME)
            self.client.discard(response, holder)


def _frame(line: bytes) -> Frame | None:
    try:
        return decode_frame(line)
    except DECODE_FAULTS:
        return None


def _result(answers: list[Frame], purpose: str) -> Json:
    """The result in the answer to a request of our own, if there is one."""
    for answer in answers:
        value = None if answer.result is UNSET else _decode_value(answer.result)
        if isinstance(value, dict):
            return value
        if answer.error is not UNSET:
            raise AnswerError(f"{purpose} failed: {bytes(answer.error).decode()[:EXCERPT]}")
    raise AnswerError(f"{purpose} has no result")
