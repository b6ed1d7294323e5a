"""The state of one connection, from the negotiated version to the requests in progress.

The connection sends bytes through its channel and does not depend on transports or methods. This
module is loaded before msgspec (see `protocol.early_handshake`), so it imports nothing from outside
the interpreter.
"""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.protocol.request import Request
    from paddock.protocol.server_metadata import Json

    RequestId = int | str
    SendFrame = Callable[[bytes], None]


class ServerConnection:
    """The server's end of a connection to one client.

    Args:
        send: Sends an encoded frame to the client. Any thread may call it.
    """

    def __init__(self, send: SendFrame) -> None:
        self.send = send
        # These are set by `initialize`, which opens the session, and by later messages.
        self.version: str | None = None
        self.is_initialized = False
        self.is_closed = False
        self.client_info: Json | None = None
        self.client_capabilities: Json = {}
        self.log_level = "info"
        self.state: object = None
        """The value that the server's lifespan provides to handlers."""
        self.subscriptions: set[str] = set()
        """The URIs of the resources whose changes the client wants to know."""
        self.elicitations: set[str] = set()
        """The ids of the questions that the user answers on a web page."""
        self.in_flight: dict[RequestId, Request] = {}
        """The client's requests that have not been answered yet."""
        # The server's own requests to the client, such as questions to the user.
        self._response_handlers: dict[RequestId, Callable[[object, object], None]] = {}
        self._last_request_id = 0
        self._lock = allocate_lock()

    def expect_response(self, handle_answer: Callable[[object, object], None]) -> RequestId:
        """Return a new id for a request to the client. Its answer is passed to `handle_answer`."""
        with self._lock:
            self._last_request_id += 1
            request_id = self._last_request_id
        self._response_handlers[request_id] = handle_answer
        return request_id

    def forget_response(self, request_id: RequestId) -> bool:
        """Stop waiting for the answer to a request. Return False if nothing was waiting."""
        return self._response_handlers.pop(request_id, None) is not None

    def handle_response(self, request_id: object, result: object, error: object) -> None:
        """Pass on the client's answer to a request. Unexpected answers are ignored."""
        if not isinstance(request_id, int | str):
            return
        handle_answer = self._response_handlers.pop(request_id, None)
        if handle_answer is not None:
            handle_answer(result, error)

    def close(self) -> None:
        """Cancel the requests in progress, because the client has disconnected."""
        self.is_closed = True
        # A copy, because requests remove themselves when they end.
        for request in list(self.in_flight.values()):
            request.cancel("the connection ended")
        self._response_handlers.clear()
