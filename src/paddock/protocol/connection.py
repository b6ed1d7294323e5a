"""Facts about one connection: who the peer is, what it asked to hear, what is under way.

Holds state and sends bytes through the channel it was given; knows no transport and no method.
Loaded before msgspec (see `protocol.opening`), so it needs nothing but the interpreter.
"""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from paddock.protocol.server_metadata import Json

    RequestId = int | str
    SendFrame = Callable[[bytes], None]

    class InFlightRequest(Protocol):
        """Something that is being done for the peer."""

        @property
        def is_answered(self) -> bool:
            """Whether the peer has its answer, and the work goes on by itself."""

        def cancel(self, reason: str | None = None) -> None:
            """Stop it."""


class ServerConnection:
    """One peer at the other end of a channel."""

    def __init__(self, send: SendFrame) -> None:
        self.send = send
        self.version: str | None = None
        self.is_initialized = False
        self.is_closed = False
        self.client_info: Json | None = None
        self.client_capabilities: Json = {}
        self.log_level = "info"
        self.state: object = None
        self.subscriptions: set[str] = set()
        self.elicitations: set[str] = set()
        self.in_flight: dict[RequestId, InFlightRequest] = {}
        self._response_handlers: dict[RequestId, Callable[[object, object], None]] = {}
        self._last_request_id = 0
        self._lock = allocate_lock()

    def expect_response(self, handle_answer: Callable[[object, object], None]) -> RequestId:
        """A fresh id for a request to the peer, whose result or error goes to `answer`."""
        with self._lock:
            self._last_request_id += 1
            request_id = self._last_request_id
        self._response_handlers[request_id] = handle_answer
        return request_id

    def forget_response(self, request_id: RequestId) -> bool:
        """Stop waiting for the peer's answer to a request of ours; whether we still were."""
        return self._response_handlers.pop(request_id, None) is not None

    def handle_response(self, request_id: object, result: object, error: object) -> None:
        """The peer answered a request of ours; one that nobody waits for is dropped."""
        handle_answer = (
            self._response_handlers.pop(request_id, None)
            if isinstance(request_id, int | str)
            else None
        )
        if handle_answer is not None:
            handle_answer(result, error)

    def close(self) -> None:
        """The peer is gone: cancel what is under way, wait for nothing more."""
        self.is_closed = True
        for request in list(self.in_flight.values()):
            request.cancel("the connection ended")
        self._response_handlers.clear()
