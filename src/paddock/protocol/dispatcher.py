"""The dispatcher, which turns each incoming line into an answer or into work for the transport.

It decodes the line, selects the protocol era, and runs the operation that the era's method table
names. A request that takes time to answer is returned as a `Request` with work, and the transport
decides where to run it. Everything else is answered immediately with encoded bytes.
"""

from __future__ import annotations

from _thread import allocate_lock
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from paddock.errors import get_logger
from paddock.protocol.early_handshake import META_CAPABILITIES, META_VERSION
from paddock.protocol.eras.session import SessionEra
from paddock.protocol.eras.stateless import StatelessEra
from paddock.protocol.eras.subscriptions import SubscriptionRegistry
from paddock.protocol.errors import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    InvalidParamsError,
    ProtocolError,
)
from paddock.protocol.jsonrpc import (
    DECODE_ERRORS,
    JsonRpcFrame,
    answer_malformed_line,
    decode_frame,
    decode_json,
    encode_error,
    find_request_id,
    is_batch,
    is_response,
    split_messages,
)
from paddock.protocol.observers import wrap_methods
from paddock.protocol.params import (
    CancelledParams,
    decode_base_params,
    decode_params,
    decode_tool_call,
)
from paddock.protocol.request import BatchReply, Request, make_internal_error
from paddock.protocol.versions import BATCH_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.protocol.connection import ServerConnection
    from paddock.protocol.observers import RequestObserver
    from paddock.protocol.params import RequestParams, ToolCallFrame
    from paddock.protocol.request import Operation, ProtocolEra, RequestExchange
    from paddock.protocol.server_operations import ServerOperations

Reply = bytes | Request | None
"""An answer, a request with work to run, or None for no answer."""

MAX_DEFERRED_REQUESTS = 1000
"""Maximum number of requests waiting for the server to be loaded."""
STILL_LOADING_TEXT = "The server is still loading, and too many requests are waiting for it"
TOOL_CALL_MARKER = b'"tools/call"'
TOOL_CALL_SEARCH_BYTES = 256
"""Number of bytes at the start of a line to search for `TOOL_CALL_MARKER`."""
DEFERRED_BATCH_ID = "\0batch"
"""Stored as the id of a deferred batch, which has no id of its own."""
TOO_LONG_TEXT = "The message is longer than this server accepts"

_NESTED_BATCH_ERROR = encode_error(
    None, ProtocolError("A batch cannot contain a batch", rpc_code=INVALID_REQUEST)
)

_META_VERSION_KEY = META_VERSION.encode()
_decode_cancelled = msgspec.json.Decoder(CancelledParams).decode


class ServerNotReady(Exception):  # noqa: N818 - not an error: the request is deferred
    """Raised by an operation that needs the server while it is still being loaded.

    The dispatcher keeps the request's line and dispatches it again once the server is ready.
    """


class ProtocolEras:
    """The two protocol eras of one server, shared by all of its connections.

    An era is a group of MCP versions: those where a client opens a session with `initialize`, and
    the stateless ones, where every request specifies its version.
    """

    def __init__(
        self, operations: ServerOperations, subscriptions: SubscriptionRegistry | None = None
    ) -> None:
        self.subscriptions = SubscriptionRegistry() if subscriptions is None else subscriptions
        self.session = SessionEra(operations)
        self.stateless = StatelessEra(operations, self.subscriptions)
        eras: tuple[ProtocolEra, ...] = (self.session, self.stateless)
        # The operations without observers, which `set_observers` starts from each time.
        self._plain_methods = [(era, era.methods) for era in eras]

    def select_era(self, params: RequestParams) -> ProtocolEra:
        """Return the stateless era if the parameters name a version, otherwise the session era."""
        meta = params.meta
        return self.session if meta is UNSET or meta.version is UNSET else self.stateless

    def set_observers(self, observers: Sequence[RequestObserver]) -> None:
        """Wrap every operation so that these observers see it. Previous observers are replaced."""
        for era, methods in self._plain_methods:
            era.methods = wrap_methods(methods, observers)


def run_operation(request: Request, operation: Operation) -> Reply:
    """Run a request's operation and turn every outcome into a reply.

    Exceptions become error answers, because an unanswered request would leave the client waiting.
    Only `ServerNotReady` is passed on, so that the caller can defer the request.

    Returns:
        The encoded answer, or the request itself if the operation has assigned work to it that
        the transport must run. None if the operation answers later on its own.
    """
    era = request.era
    try:
        era.check_request(request)
        result = operation(request)
    except ProtocolError as error:
        request.error = error
        if request.exchange is not None:
            request.exchange.error = error
        return era.encode_error_reply(request.id, error)
    except ServerNotReady:
        raise
    except Exception as exc:  # noqa: BLE001 - every request must be answered
        get_logger().exception("%s could not be answered", request.method)
        request.error = make_internal_error(exc)
        return era.encode_error_reply(request.id, request.error)
    if result is None:
        return request if request.work or request.async_work else None
    return era.encode_reply(request, result)


class Dispatcher:
    """Dispatches the messages of one connection."""

    def __init__(
        self, connection: ServerConnection, eras: ProtocolEras, *, is_ready: bool = False
    ) -> None:
        self.connection = connection
        self._eras = eras
        self._deferred: list[tuple[int | str, bytes]] | None = None if is_ready else []
        self._deferred_lock = allocate_lock()

    def dispatch_line(
        self, line: bytes, exchange: RequestExchange | None = None
    ) -> Reply | list[Reply]:
        """Dispatch one line, which is a JSON-RPC message or a batch (an array of messages).

        Only a batch returns a list of replies.

        Args:
            line: The encoded message, without its line ending.
            exchange: The HTTP exchange that carries the message, or None for other transports.
        """
        # Tool calls are the most frequent requests and may be long, so they are decoded in one
        # pass. Their method usually occurs near the beginning of the line.
        if line.find(TOOL_CALL_MARKER, 0, TOOL_CALL_SEARCH_BYTES) >= 0:
            try:
                call = decode_tool_call(line)
            except DECODE_ERRORS:
                pass  # `_dispatch_frame` decodes the line again and reports the error.
            else:
                return self.dispatch_tool_call(call, line, exchange)
        return self._dispatch_frame(line, exchange)

    def dispatch_tool_call(
        self, call: ToolCallFrame, line: bytes, exchange: RequestExchange | None = None
    ) -> Reply | list[Reply]:
        """Dispatch a `tools/call` that the caller has fully decoded in one pass.

        This is the fast path of `dispatch_line`. The HTTP transport calls it directly, because it
        has to decode the call before it can select the session.
        """
        return self._begin_request(call.id, "tools/call", call.params, line, exchange)

    def _dispatch_frame(self, line: bytes, exchange: RequestExchange | None) -> Reply | list[Reply]:
        """Dispatch any message: decode its envelope, and then the parameters of its method.

        The envelope consists of the members that every JSON-RPC message has, such as `id`.
        """
        try:
            frame = decode_frame(line)
        except DECODE_ERRORS as error:
            # Only one protocol version allows batches. In others, an array is malformed.
            if self.connection.version == BATCH_VERSION and is_batch(line):
                return self._dispatch_batch(line, exchange)
            return answer_malformed_line(line, error)
        if frame.method is UNSET or frame.id is UNSET:
            return self._handle_non_request(frame)
        try:
            params = decode_params(frame.method, frame.params)
        except ProtocolError as error:
            return self._reject_params(frame.id, frame.method, frame, error)
        return self._begin_request(frame.id, frame.method, params, line, exchange)

    def set_operations(
        self,
        operations: ServerOperations,
        observers: Sequence[RequestObserver] = (),
        *,
        is_ready: bool = True,
    ) -> list[bytes]:
        """Replace the operations, for example after the server has been loaded or reloaded.

        Args:
            operations: The operations that answer all later requests.
            observers: Observers that see every later request.
            is_ready: Pass False for operations that may still raise `ServerNotReady`. Their
                requests are deferred again.

        Returns:
            The lines of the deferred requests, which the caller must dispatch again.
        """
        eras = ProtocolEras(operations, self._eras.subscriptions)
        if observers:
            eras.set_observers(observers)
        # With the lock, a concurrent request is either among the returned lines or sees the new
        # operations. Without it, the request could be lost.
        with self._deferred_lock:
            self._eras = eras
            deferred, self._deferred = self._deferred, None if is_ready else []
        return [line for _, line in deferred or ()]

    def reject_long_line(self, head: bytes, tail: bytes) -> bytes | None:
        """Return the error for a line that exceeds the length limit.

        If the line is a response from the client, None is returned, because responses are never
        answered. The server's request that is waiting for it fails with the error instead.

        Args:
            head: The first bytes of the line.
            tail: The last bytes of the line. The request's id may be in either part.
        """
        if is_response(head):
            self.connection.handle_response(
                find_request_id(head, tail), None, {"message": TOO_LONG_TEXT}
            )
            return None
        return encode_error(
            find_request_id(head, tail), ProtocolError(TOO_LONG_TEXT, rpc_code=INVALID_REQUEST)
        )

    def announce_change(self, kind: str, uri: str | None = None) -> int:
        """Notify the client of a change and return the number of notifications.

        A session is notified once. In the stateless era, each open subscription stream that
        asked for this kind of change gets a notification.

        Args:
            kind: `tools`, `prompts`, `resources` or `elicitation`.
            uri: The URI of the changed resource, or the id of the completed elicitation, a
                question to the user. None if a list has changed.
        """
        notified_count = self._eras.session.announce_change(self.connection, kind, uri)
        return notified_count + self._eras.subscriptions.announce_change(kind, uri)

    def close(self) -> None:
        """End the subscriptions and cancel the requests in progress."""
        self._eras.subscriptions.close()
        self.connection.close()

    def _defer(self, request_id: int | str, line: bytes) -> Reply | list[Reply]:
        """Store a line until the server is loaded. Return None, because nothing is answered yet.

        If `set_operations` has run since the line was dispatched, a stored line would never be
        dispatched again. In that case, it is dispatched immediately.
        """
        with self._deferred_lock:
            if self._deferred is not None:
                if len(self._deferred) >= MAX_DEFERRED_REQUESTS:
                    return encode_error(request_id, ProtocolError(STILL_LOADING_TEXT))
                self._deferred.append((request_id, line))
                return None
        return self.dispatch_line(line)

    def _begin_request(
        self,
        request_id: int | str,
        method: str,
        params: RequestParams,
        line: bytes,
        exchange: RequestExchange | None,
    ) -> Reply | list[Reply]:
        """Create the `Request` for decoded parameters, and run its method's operation.

        The request is deferred if the operation needs a server that is still being loaded.

        Args:
            request_id: The id of the request.
            method: The method, such as `tools/call`.
            params: The decoded parameters, which also select the protocol era.
            line: The encoded request, which is stored if the request is deferred.
            exchange: The HTTP exchange of the request, or None for other transports.
        """
        era = self._eras.select_era(params)
        request = Request(self.connection, era, request_id, method, params, line)
        if exchange is not None:
            request.exchange = exchange
        operation = era.methods.get(method)
        if operation is None:
            try:
                operation = self._require_operation(request)
            except ProtocolError as error:
                return era.encode_error_reply(request_id, error)
        try:
            return run_operation(request, operation)
        except ServerNotReady:
            return self._defer(request_id, line)

    def _reject_params(
        self, request_id: int | str, method: str, frame: JsonRpcFrame, error: ProtocolError
    ) -> bytes:
        """Return the error for a request whose parameters could not be decoded.

        Errors for an unknown method or an invalid `_meta` take precedence over `error`, the
        decoding error, because the parameters of an unknown method have no meaning.
        """
        try:
            params = decode_base_params(frame.params)
        except ProtocolError:
            return encode_error(request_id, error)
        era = self._eras.select_era(params)
        request = Request(self.connection, era, request_id, method, params, b"")
        try:
            self._require_operation(request)
        except ProtocolError as earlier_error:
            error = earlier_error
        return era.encode_error_reply(request_id, error)

    def _require_operation(self, request: Request) -> Operation:
        """Return the operation for a request's method.

        Raises:
            ProtocolError: The request is not valid in its era, or the era does not have the method.
        """
        era, method = request.era, request.method
        operation = era.methods.get(method)
        is_session = era is self._eras.session
        # The method exists only in the stateless era, so the client probably forgot the members
        # of `_meta` that select it. "Method not found" would be misleading.
        if operation is None and is_session and method in self._eras.stateless.methods:
            raise InvalidParamsError(
                f"{method} needs params._meta with {META_VERSION!r} and {META_CAPABILITIES!r}"
            )
        era.check_request(request)
        if operation is None:
            raise ProtocolError(f"Method not found: {method}", rpc_code=METHOD_NOT_FOUND)
        return operation

    def _handle_non_request(self, frame: JsonRpcFrame) -> bytes | None:
        """Handle a notification or a response.

        Returns:
            The error for a message that is neither, such as `{"jsonrpc": "2.0", "id": 1}`.
            Otherwise None, because notifications and responses are not answered.
        """
        if frame.method is not UNSET:
            if frame.method == "notifications/initialized":
                self.connection.is_initialized = self.connection.version is not None
            elif frame.method == "notifications/cancelled":
                self._cancel_request(frame)
            return None
        if frame.result is UNSET and frame.error is UNSET:
            request_id = None if frame.id is UNSET else frame.id
            return encode_error(
                request_id, ProtocolError("The message has no method", rpc_code=INVALID_REQUEST)
            )
        try:
            result = None if frame.result is UNSET else decode_json(frame.result)
            error = None if frame.error is UNSET else decode_json(frame.error)
        except DECODE_ERRORS as exc:
            # The handler that is waiting for the response gets the error, instead of waiting
            # forever.
            result, error = None, f"the response cannot be decoded: {exc}"
        self.connection.handle_response(frame.id, result, error)
        return None

    def _cancel_request(self, frame: JsonRpcFrame) -> None:
        """Cancel the request identified by a `notifications/cancelled` message.

        The request may be running, be a subscription, or be waiting for the server to load. An
        unknown id is ignored, because the request may have been answered in the meantime.
        """
        if frame.params is UNSET:
            return
        try:
            params = _decode_cancelled(frame.params)
        except DECODE_ERRORS:
            return
        self._eras.subscriptions.remove_stream(self.connection, params.request_id)
        with self._deferred_lock:
            if self._deferred:
                self._deferred = [
                    deferred for deferred in self._deferred if deferred[0] != params.request_id
                ]
        request = self.connection.in_flight.get(params.request_id)
        # A task continues after its request is answered, and is cancelled only by tasks/cancel.
        if request is not None and not request.is_answered:
            request.cancel(params.reason)

    def _dispatch_batch(self, line: bytes, exchange: RequestExchange | None) -> Reply | list[Reply]:
        """Dispatch the messages in a batch, and collect their answers in one array.

        Returns:
            The requests whose work the transport must run, and the array if all answers are
            complete.
        """
        try:
            messages = split_messages(line)
        except DECODE_ERRORS as error:
            return answer_malformed_line(line, error)
        if self._deferred is not None:
            # The batch is deferred as a whole, because its answers must be sent as one array.
            return self._defer(DEFERRED_BATCH_ID, line)
        if not messages:
            return encode_error(None, ProtocolError("The batch is empty", rpc_code=INVALID_REQUEST))
        batch_reply = BatchReply(len(messages))
        replies: list[Reply] = []
        for message in messages:
            reply = _reject_batch_member(message) or self.dispatch_line(message, exchange)
            if isinstance(reply, Request):
                reply.answer_sink = batch_reply
                replies.append(reply)
            else:
                replies.append(batch_reply.add_answer(reply if isinstance(reply, bytes) else None))
        return [reply for reply in replies if reply is not None]


def _reject_batch_member(message: bytes) -> bytes | None:
    """Return the error for a message that cannot be part of a batch, or None if it is allowed."""
    if is_batch(message):
        return _NESTED_BATCH_ERROR
    # Searching the bytes first avoids decoding almost all messages.
    if _META_VERSION_KEY not in message:
        return None
    try:
        frame = decode_frame(message)
    except DECODE_ERRORS:
        return None
    if frame.method is UNSET or frame.id is UNSET:  # Only requests get an error.
        return None
    text = "A request with params._meta of the stateless era cannot be part of a batch"
    return encode_error(frame.id, ProtocolError(text, rpc_code=INVALID_REQUEST))
