"""One message of ours and everything that comes back for it.

A request is repeated only when that cannot make the server act twice: when it was not reached or
refused to act, or when the request only asks. A stream that breaks before the answer is resumed
where the server allows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import UNSET

from paddock.peer.errors import AccessRefusedError, HttpError
from paddock.peer.http.client import MAX_BODY, REST_TIME
from paddock.peer.http.events import Events
from paddock.peer.http.holder import Holder
from paddock.peer.http.session import SESSION_HEADER, VERSION_HEADER
from paddock.protocol.errors import HEADER_MISMATCH
from paddock.protocol.jsonrpc import (
    DECODE_FAULTS,
    Frame,
    RequestId,
    decode_frame,
    encode,
    is_batch,
    split_batch,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from urllib3.response import BaseHTTPResponse

    from paddock.peer.http.client import Client
    from paddock.peer.http.outgoing import Outgoing
    from paddock.peer.http.session import Session
    from paddock.peer.http.tool_headers import ToolHeaders

JSON, EVENT_STREAM = "application/json", "text/event-stream"
ACCEPT = f"{JSON}, {EVENT_STREAM}"
GONE, TOO_MANY = 404, 429
UNAVAILABLE = (502, 503, 504)

MAX_REPEATS = 3
"""How often a request is repeated, and a broken stream resumed in vain."""
FIRST_WAIT = 0.25
"""Seconds before the first repetition; each further one takes twice as long."""
MAX_WAIT = 30.0
"""Seconds between two attempts at most; a server that asks for more is not asked again."""
LISTEN = "subscriptions/listen"


class _Refusal(msgspec.Struct):
    """An error without its id, which may be null where the request was not read."""

    error: dict[str, object]


_decode_refusal = msgspec.json.Decoder(_Refusal).decode


class Conversation(Protocol):
    """What the exchanges with one server have in common."""

    client: Client
    session: Session
    tools: ToolHeaders
    timeout: float

    def answered(self, request_id: RequestId) -> None:
        """An answer has come elsewhere than in answer to its own request."""

    def learn_tools(self, call: Outgoing, holder: Holder) -> None:
        """Ask the server what the tool of a call is like.

        Raises:
            HttpError: when it cannot be asked now.
        """

    def reopen(self, generation: int, holder: Holder) -> None:
        """Open the session anew, unless another exchange has done so."""


def pause(failures: int) -> float:
    """Seconds to wait after so many failures."""
    return float(min(MAX_WAIT, FIRST_WAIT * 2 ** min(failures - 1, 16)))


def content_type(response: BaseHTTPResponse) -> str:
    """What kind of body a response has."""
    return str(response.headers.get("Content-Type", "")).partition(";")[0].strip().lower()


class Exchange:
    """Sends one message and takes what comes back, in the thread that calls `run`."""

    def __init__(
        self,
        out: Outgoing,
        conversation: Conversation,
        feed: Callable[[bytes], None],
        holder: Holder | None = None,
        repeats: int = MAX_REPEATS,
    ) -> None:
        self.out = out
        self.holder = holder or Holder()
        self._repeats = repeats
        self.is_answered = False
        self._conversation = conversation
        self._client = conversation.client
        self._feed = feed
        self._failures = 0
        self._is_listening = False
        self._has_reopened = False
        self._has_learnt = False

    def run(self) -> None:
        """Send the message, and pass on what comes back until it is answered.

        Raises:
            PaddockError: when no answer will come.
        """
        while not self.holder.is_aborted:
            try:
                self._attempt()
                return
            except HttpError as error:
                if self.holder.is_aborted:
                    return
                self._failures += 1
                wait = self._wait_after(error)
                if wait is None:
                    raise self._explained(error) from None
                self.holder.sleep(wait)
            finally:
                self.holder.release()

    def _wait_after(self, error: HttpError) -> float | None:
        """How long to wait before the message is sent again; None not to send it again."""
        can_repeat = (
            not error.was_sent
            or error.status == TOO_MANY
            or (self.out.is_repeatable and (error.status is None or error.status in UNAVAILABLE))
        )
        is_early = self._failures <= self._repeats or self._is_listening
        wait = pause(self._failures) if error.retry_after is None else error.retry_after
        return wait if can_repeat and is_early and wait <= MAX_WAIT else None

    def _explained(self, error: HttpError) -> HttpError:
        may_have_acted = self.out.is_request and error.was_sent and error.status is None
        if error.hint is None and may_have_acted and not self.out.is_repeatable:
            error.hint = f"the server may have carried out {self.out.method}"
        return error

    def _attempt(self) -> None:
        limit = None if self.out.is_request else self._conversation.timeout
        headers, generation = self._headers()
        response = self._client.send("POST", headers, self.out.frame, self.holder, limit=limit)
        if response.status == GONE and SESSION_HEADER in headers:
            self._client.discard(response, self.holder)
            self._reopen(generation)
            self._attempt()
        elif not self.out.is_request:
            self._accepted(response)
        elif response.status >= 300:
            self._refused(response)
        elif content_type(response) == EVENT_STREAM:
            self._stream(response)
        else:
            self._document(response)

    def _reopen(self, generation: int) -> None:
        """The server does not know the session any more, and so has not acted on the request."""
        if self._has_reopened:
            text = f"{self._client.address} has lost the session again"
            raise HttpError(text, status=GONE)
        self._has_reopened = True
        self._conversation.reopen(generation, self.holder)

    def _headers(self) -> tuple[dict[str, str], int]:
        """The headers to send, and the generation of the session that they name."""
        out, session = self.out, self._conversation.session
        headers = {"Accept": ACCEPT, "Content-Type": JSON}
        if out.version is not None:
            session.stateless_version = out.version
            headers |= {VERSION_HEADER: out.version, **out.headers, **self._mirrored()}
        elif out.method != "initialize":
            with session.lock:
                headers |= session.headers
                if session.version is None:
                    headers |= out.headers
                return headers, session.generation
        return headers, session.generation

    def _mirrored(self) -> dict[str, str]:
        name = self.out.params.name
        if self.out.method != "tools/call" or not isinstance(name, str):
            return {}
        if not self._conversation.tools.knows(name):
            self._conversation.learn_tools(self.out, self.holder)
        return self._conversation.tools.headers(name, self.out.arguments)

    def _accepted(self, response: BaseHTTPResponse) -> None:
        body = self._client.discard(response, self.holder)
        if response.status >= 300:
            raise self._client.failure(response, body, str(self.out.method or "an answer"))

    def _document(self, response: BaseHTTPResponse) -> None:
        body = self._client.read(response, self.holder)
        if content_type(response) == JSON:
            self._take(body, response)
        if not self.is_answered:
            kind = content_type(response) or "no content"
            said = self._client.excerpt(body)
            raise HttpError(
                f"{self._client.address} answered {self.out.method} with HTTP {response.status} "
                f"and {kind} instead of an answer" + (f": {said}" if said else ""),
                status=response.status,
            )

    def _refused(self, response: BaseHTTPResponse) -> None:
        body = self._client.discard(response, self.holder)
        failure = self._client.failure(response, body, str(self.out.method))
        is_final = response.status != TOO_MANY and response.status not in UNAVAILABLE
        error = _error_in(body) if content_type(response) == JSON else None
        if error is None or not is_final or isinstance(failure, AccessRefusedError):
            raise failure
        if self._is_mismatch(error):
            self._has_learnt = True
            self._conversation.tools.forget()
            self._attempt()
            return
        # Servers that refuse a request before they have read it do not repeat its id.
        answer = {"jsonrpc": "2.0", "id": self.out.id, "error": error}
        self._take(encode(answer), response)

    def _is_mismatch(self, error: dict[str, object]) -> bool:
        """Whether the server finds that headers are missing which we do not know of."""
        is_call = self.out.method == "tools/call"
        return is_call and error.get("code") == HEADER_MISMATCH and not self._has_learnt

    def _stream(self, response: BaseHTTPResponse) -> None:
        events = Events(MAX_BODY)
        cause = self._follow(response, events)
        if self.is_answered or self.holder.is_aborted:
            return
        if self.out.version is not None or events.last_id is None:
            raise cause
        self._resume(events, cause)

    def _follow(self, response: BaseHTTPResponse, events: Events) -> HttpError:
        """Take the events of a stream to its end; what ended it, if it was not the answer."""
        try:
            for piece in self._client.pieces(response, self.holder):
                for data in events.feed(piece):
                    self._take(data, response)
                    self._failures = 0
                if self.is_answered:
                    # The end should follow at once, and the connection can then be used again.
                    self.holder.limit(REST_TIME)
        except HttpError as error:
            return error
        finally:
            response.close()
        text = f"{self._client.address} ended the stream before its answer to {self.out.method}"
        return HttpError(text)

    def _resume(self, events: Events, cause: HttpError) -> None:
        """Ask for the rest of a stream that has broken."""
        failures = 1
        while failures <= MAX_REPEATS and not self.is_answered:
            if self.holder.sleep(min(MAX_WAIT, events.retry or pause(failures))):
                return
            events = events.resumed()
            last_id = events.last_id
            try:
                response = self._resumed(last_id or "")
                cause = self._follow(response, events)
            except HttpError as error:
                if error.status is not None and error.status not in UNAVAILABLE:
                    raise
                cause = error
            failures = failures + 1 if events.last_id == last_id else 1
        if not self.is_answered and not self.holder.is_aborted:
            raise cause

    def _resumed(self, last_id: str) -> BaseHTTPResponse:
        session = self._conversation.session
        headers = {"Accept": EVENT_STREAM, "Last-Event-ID": last_id, **session.headers}
        response = self._client.send("GET", headers, None, self.holder)
        if response.status >= 300 or content_type(response) != EVENT_STREAM:
            body = self._client.discard(response, self.holder)
            raise self._client.failure(response, body, f"the resumption of {self.out.method}")
        return response

    def _take(self, data: bytes, response: BaseHTTPResponse) -> None:
        """Pass on a message of the server, as one line."""
        line = data.replace(b"\r", b" ").replace(b"\n", b" ")
        try:
            messages = split_batch(line) if is_batch(line) else [line]
            for message in messages:
                self._look_at(decode_frame(message), response)
        except DECODE_FAULTS:
            pass  # whoever reads it will note it
        self._feed(line)

    def _look_at(self, frame: Frame, response: BaseHTTPResponse) -> None:
        if frame.method is not UNSET:
            self._is_listening = self.out.method == LISTEN
            return
        if frame.id is UNSET:
            return
        if frame.id != self.out.id:
            self._conversation.answered(frame.id)
            return
        self.is_answered = True
        if frame.result is UNSET:
            return
        if self.out.method == "initialize":
            self._conversation.session.opened(self.out, frame, response.headers)
        elif self.out.method == "tools/list":
            self._conversation.tools.learn(frame.result)


def _error_in(body: bytes) -> dict[str, object] | None:
    """The error of a JSON-RPC answer; None when it is something else."""
    try:
        return _decode_refusal(body).error
    except DECODE_FAULTS:
        return None
