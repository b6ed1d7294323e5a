"""POST request handling: decodes the message, selects the era, and dispatches the message.

The body alone determines the era. A request whose `_meta` names a protocol version belongs to the
stateless era, and its headers must match the body. Every other message belongs to a session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from paddock.protocol import http_headers
from paddock.protocol.dispatcher import TOOL_CALL_MARKER, TOOL_CALL_SEARCH_BYTES, run_operation
from paddock.protocol.early_handshake import META_CAPABILITIES, META_VERSION
from paddock.protocol.errors import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    HeaderMismatchError,
    InvalidParamsError,
    ProtocolError,
    UnsupportedVersionError,
)
from paddock.protocol.http_headers import decode_header_value
from paddock.protocol.jsonrpc import (
    DECODE_ERRORS,
    answer_malformed_line,
    decode_frame,
    encode_error,
    is_batch,
)
from paddock.protocol.params import decode_base_params, decode_params, decode_tool_call
from paddock.protocol.request import Request
from paddock.protocol.versions import BATCH_VERSION, SESSION_VERSIONS, STATELESS_VERSIONS
from paddock.transports.http.exchange import HTTP_STATUSES, HttpExchange
from paddock.transports.http.messages import SESSION_ID_FIELD
from paddock.transports.http.sessions import HttpSession, HttpSessionExchange, HttpSessionStore

if TYPE_CHECKING:
    from paddock.protocol.dispatcher import Reply
    from paddock.protocol.jsonrpc import JsonRpcFrame, RequestId
    from paddock.protocol.params import RequestMeta, RequestParams, ToolCallFrame
    from paddock.protocol.request import Operation
    from paddock.transports.http.endpoint_runtime import EndpointRuntime
    from paddock.transports.http.messages import HttpRequest, RequestHead


VERSION_FIELD = http_headers.to_asgi_name(http_headers.VERSION_HEADER)
METHOD_FIELD = http_headers.to_asgi_name(http_headers.METHOD_HEADER)
NAME_FIELD = http_headers.to_asgi_name(http_headers.NAME_HEADER)


def check_mirrored_headers(
    head: RequestHead, method: str, version: str, params: RequestParams
) -> None:
    """Check the headers that repeat parts of a stateless request's body.

    The headers are required so that proxies can route requests without reading bodies. Differences
    must be rejected. Otherwise, a proxy would make decisions about a different request from the one
    that is executed.

    Raises:
        HeaderMismatchError: A header is missing or differs from the body.
    """
    headers = head.headers
    if headers.get(VERSION_FIELD) != version.encode() or VERSION_FIELD in head.repeated:
        raise _make_mismatch_error(http_headers.VERSION_HEADER, head, VERSION_FIELD, version)
    if headers.get(METHOD_FIELD) != method.encode() or METHOD_FIELD in head.repeated:
        raise _make_mismatch_error(http_headers.METHOD_HEADER, head, METHOD_FIELD, method)
    name_parameter = http_headers.NAME_PARAMETERS.get(method)
    if name_parameter is not None:
        _check_name_header(head, getattr(params, name_parameter, None))


def _check_name_header(head: RequestHead, name: object) -> None:
    """Check that the `Mcp-Name` header is the name of the tool, prompt or resource in the body.

    Names that are not plain ASCII are encoded in the header, and are decoded for comparison.

    Raises:
        HeaderMismatchError: The header is missing, repeated or different.
    """
    # A name of another type is rejected later, when the parameters are validated.
    if not isinstance(name, str):
        return
    value = head.headers.get(NAME_FIELD)
    is_repeated = NAME_FIELD in head.repeated
    if value is not None and not is_repeated and _is_literal_name(value, name):
        return
    if value is None or is_repeated:
        raise _make_mismatch_error(http_headers.NAME_HEADER, head, NAME_FIELD, name)
    if decode_header_value(value.decode("latin-1"), http_headers.NAME_HEADER) != name:
        raise _make_mismatch_error(http_headers.NAME_HEADER, head, NAME_FIELD, name)


def _is_literal_name(value: bytes, name: str) -> bool:
    """Return whether a header is the unencoded name, the usual case that needs no decoding."""
    is_plain = name.isascii() and name.isprintable() and not name.startswith("=?")
    return is_plain and value == name.encode()


def _make_mismatch_error(
    header_name: str, head: RequestHead, field: bytes, expected: str
) -> HeaderMismatchError:
    """Return the error for a header that is missing, repeated or different from the body."""
    if field in head.repeated:
        return HeaderMismatchError(f"The header {header_name} occurs more than once")
    value = head.headers.get(field)
    if value is None:
        return HeaderMismatchError(
            f"The header {header_name} is missing; the body says {expected!r:.200}"
        )
    header_value = value.decode("latin-1")
    return HeaderMismatchError(
        f"{header_name} is {header_value!r:.200}, but the body says {expected!r:.200}"
    )


LISTEN_METHOD = "subscriptions/listen"
_NOT_A_MESSAGE_ERROR = encode_error(
    None, ProtocolError("Expected a JSON-RPC 2.0 message", rpc_code=INVALID_REQUEST)
)
_EMPTY_BODY_ERROR = encode_error(None, ProtocolError("The body is empty", rpc_code=PARSE_ERROR))
_SESSION_NOT_FOUND_ERROR = ProtocolError(
    "The session does not exist or has ended; send initialize again", rpc_code=INVALID_REQUEST
)
_SESSION_VERSION_VALUES = frozenset(version.encode() for version in SESSION_VERSIONS)


class PostHandler:
    """Handles the messages that clients post."""

    def __init__(self, runtime: EndpointRuntime, sessions: HttpSessionStore) -> None:
        self._runtime = runtime
        self._sessions = sessions

    def handle(self, http_request: HttpRequest) -> None:
        """Handle a POST request whose body should be a JSON-RPC message or batch.

        The response is sent immediately, or later when the message's work is done.
        """
        # Tool calls are decoded in one pass, as in `Dispatcher.dispatch_line`.
        if http_request.body.find(TOOL_CALL_MARKER, 0, TOOL_CALL_SEARCH_BYTES) >= 0:
            try:
                call = decode_tool_call(http_request.body)
            except DECODE_ERRORS:
                pass  # `_handle_frame` reports the error.
            else:
                self._handle_tool_call(call, http_request)
                return
        self._handle_frame(http_request)

    def _handle_tool_call(self, call: ToolCallFrame, http_request: HttpRequest) -> None:
        """Handle a `tools/call` request that `handle` has decoded in one pass.

        An era is a group of MCP versions: the stateless ones, and those with sessions. The era is
        chosen as in `_handle_frame`, but without decoding the message again.
        """
        runtime, meta = self._runtime, call.params.meta
        if runtime.is_full:
            HttpExchange(runtime, http_request).reject_busy(call.id)
        elif meta is not UNSET and meta.version is not UNSET:
            exchange = HttpExchange(runtime, http_request)
            self._handle_stateless(exchange, call.id, "tools/call", call.params, http_request.body)
        elif _names_stateless_version(http_request.head):
            exchange = HttpExchange(runtime, http_request)
            exchange.reject(400, _make_missing_meta_error(META_VERSION), call.id)
        else:
            session = self.find_session(http_request, call.id)
            if session is not None:
                session_exchange = HttpSessionExchange(runtime, http_request, session)
                reply = session.dispatcher.dispatch_tool_call(
                    call, http_request.body, session_exchange
                )
                self._send_reply(session_exchange, reply)

    def _handle_frame(self, http_request: HttpRequest) -> None:
        """Decode a JSON-RPC message and handle it in the era that it belongs to.

        An era is a group of MCP versions: the stateless ones, and those with sessions.
        """
        head, body = http_request.head, http_request.body
        exchange = HttpExchange(self._runtime, http_request)
        try:
            frame = decode_frame(body)
        except DECODE_ERRORS as error:
            if is_batch(body) and SESSION_ID_FIELD in head.headers:
                self._handle_batch(exchange, http_request)
            else:
                fallback = _NOT_A_MESSAGE_ERROR if body.strip() else _EMPTY_BODY_ERROR
                exchange.respond(400, answer_malformed_line(body, error) or fallback)
            return
        if frame.method is UNSET or frame.id is UNSET:
            # These messages are accepted even if the server is full, because responses and
            # cancellations complete other requests.
            self._handle_non_request(exchange, frame, http_request)
            return
        if self._runtime.is_full:
            exchange.reject_busy(frame.id)
            return
        try:
            params = decode_params(frame.method, frame.params)
        except ProtocolError as error:
            self._reject_params(exchange, frame, error)
            return
        meta = params.meta
        if meta is not UNSET and meta.version is not UNSET:
            self._handle_stateless(exchange, frame.id, frame.method, params, body)
        elif frame.method == "initialize":
            self._open_session(exchange, http_request)
        elif _names_stateless_version(head):
            exchange.reject(400, _make_missing_meta_error(META_VERSION), frame.id)
        else:
            self._handle_in_session(http_request, frame.id, frame.method)

    def _handle_batch(self, exchange: HttpExchange, http_request: HttpRequest) -> None:
        if self._runtime.is_full:
            exchange.reject_busy()
        else:
            self._handle_in_session(http_request)

    def _handle_stateless(
        self,
        exchange: HttpExchange,
        request_id: RequestId,
        method: str,
        params: RequestParams,
        body: bytes,
    ) -> None:
        """Check the metadata and headers of a stateless request, and run its operation.

        If they are invalid, the request is rejected with the HTTP status for the error code.
        """
        runtime = self._runtime
        era = runtime.eras.stateless
        request = Request(runtime.connection, era, request_id, method, params, body)
        request.exchange = exchange
        meta = params.meta
        try:
            if meta is UNSET or meta.capabilities is UNSET:
                raise _make_missing_meta_error(META_CAPABILITIES)
            operation = self._require_operation(exchange.head, method, meta, params)
            if method == LISTEN_METHOD and not exchange.accepts.events:
                text = f"{LISTEN_METHOD} needs an Accept header that allows text/event-stream"
                raise ProtocolError(text, rpc_code=INVALID_REQUEST)
        except ProtocolError as error:
            exchange.reject(HTTP_STATUSES.get(error.rpc_code, 400), error, request_id)
            return
        self._run_reply(exchange, request, run_operation(request, operation))

    def _require_operation(
        self, head: RequestHead, method: str, meta: RequestMeta, params: RequestParams
    ) -> Operation:
        """Check the headers and version of a stateless request, and return its operation.

        The order of the checks matters, because a request with multiple errors is rejected for the
        first one.

        Raises:
            ProtocolError: A header or the version is wrong, or the method does not exist.
        """
        version = str(meta.version)
        check_mirrored_headers(head, method, version, params)
        if version not in STATELESS_VERSIONS:
            raise UnsupportedVersionError(version, STATELESS_VERSIONS)
        operation = self._runtime.eras.stateless.methods.get(method)
        if operation is None:
            raise ProtocolError(f"Method not found: {method}", rpc_code=METHOD_NOT_FOUND)
        return operation

    def _run_reply(self, exchange: HttpExchange, request: Request, reply: Reply) -> None:
        """Send the answer to a request, or run its work and keep the response open for the answer.

        Args:
            exchange: The exchange with the HTTP response.
            request: The request.
            reply: An encoded answer, a request that still has to run, or None if the answer comes
                later without any work, as for a subscription.
        """
        if isinstance(reply, bytes):
            exchange.finish(request, reply)
            return
        if reply is None:
            exchange.keep_open_for(request)
        else:
            self._runtime.executor.execute(request, exchange.keep_open_for)

    def _reject_params(
        self, exchange: HttpExchange, frame: JsonRpcFrame, error: ProtocolError
    ) -> None:
        """Reject a request whose parameters could not be decoded.

        If its metadata, headers or method are also invalid, that is reported instead of `error`,
        which describes the parameters.
        """
        request_id = None if frame.id is UNSET else frame.id
        try:
            params = decode_base_params(frame.params)
            meta = params.meta
            if meta is not UNSET and meta.version is not UNSET:
                self._require_operation(exchange.head, str(frame.method), meta, params)
        except ProtocolError as earlier_error:
            error = earlier_error
        exchange.reject(HTTP_STATUSES.get(error.rpc_code, 400), error, request_id)

    def _handle_non_request(
        self, exchange: HttpExchange, frame: JsonRpcFrame, http_request: HttpRequest
    ) -> None:
        """Handle a notification, or a client's response to a request from the server.

        Both belong to a session. Without one, a notification is accepted and ignored, but a
        response is rejected because it cannot be matched to a request.
        """
        head = http_request.head
        is_answer = frame.method is UNSET
        if is_answer and frame.result is UNSET and frame.error is UNSET:
            exchange.respond(400, _NOT_A_MESSAGE_ERROR)
        elif SESSION_ID_FIELD in head.headers and not _names_stateless_version(head):
            self._handle_in_session(http_request)
        elif is_answer:
            text = "A response needs the Mcp-Session-Id of the request that it answers"
            exchange.reject(400, ProtocolError(text, rpc_code=INVALID_REQUEST))
        else:
            exchange.respond_accepted()

    def _open_session(self, exchange: HttpExchange, http_request: HttpRequest) -> None:
        """Open a session for an `initialize` request and send the answer with the session ID.

        The session is stored only if the handshake succeeds.
        """
        runtime = self._runtime
        if not self._sessions.make_room(http_request.principal):
            exchange.reject_busy()
            return
        session = HttpSession(runtime, http_request.principal)
        session_exchange = HttpSessionExchange(runtime, http_request, session)
        reply = session.dispatcher.dispatch_line(http_request.body, session_exchange)
        answer = reply if isinstance(reply, bytes) else _NOT_A_MESSAGE_ERROR
        # A successful `initialize` sets the connection's version.
        if session.connection.version is None:
            session_exchange.respond(400, answer)
            return
        self._sessions.add_session(session)
        session_exchange.respond(200, answer, [(SESSION_ID_FIELD, session.id.encode())])

    def _handle_in_session(
        self,
        http_request: HttpRequest,
        request_id: RequestId | None = None,
        method: str | None = None,
    ) -> None:
        """Pass a message to the session named by its `Mcp-Session-Id` header.

        Args:
            http_request: The request whose body is the message.
            request_id: The ID of the JSON-RPC request, for the error if there is no such session.
            method: The method of the JSON-RPC request, for the same error.
        """
        session = self.find_session(http_request, request_id, method)
        if session is None:
            return
        exchange = HttpSessionExchange(self._runtime, http_request, session)
        if is_batch(http_request.body) and session.connection.version != BATCH_VERSION:
            text = "A batch of messages is not allowed in this version"
            exchange.reject(400, ProtocolError(text, rpc_code=INVALID_REQUEST))
            return
        self._send_reply(exchange, session.dispatcher.dispatch_line(http_request.body, exchange))

    def _send_reply(self, exchange: HttpSessionExchange, reply: Reply | list[Reply]) -> None:
        """Send the reply that the session's dispatcher returned for a message.

        Args:
            exchange: The exchange with the HTTP response.
            reply: An encoded answer, a request that still has to run, the replies to a batch, or
                None if the message has no answer.
        """
        if isinstance(reply, bytes):
            exchange.deliver_answer(reply)
        elif isinstance(reply, Request):
            self._run_reply(exchange, reply, reply)
        elif reply:
            self._run_batch(exchange, reply)
        elif not exchange.is_over:
            exchange.respond_accepted()

    def _run_batch(self, exchange: HttpSessionExchange, replies: list[Reply]) -> None:
        """Run the requests of a batch. Their answers are sent together when the last one is ready.

        Args:
            exchange: The exchange with the HTTP response.
            replies: For each member of the batch, an encoded answer, a request that still has to
                run, or None.
        """
        # All requests are registered before the first one runs. Otherwise, a quick request could
        # end the response before others have begun.
        for reply in replies:
            if isinstance(reply, bytes):
                exchange.deliver_answer(reply)
            elif reply is not None:
                exchange.keep_open_for(reply)
        for reply in replies:
            if isinstance(reply, Request):
                self._runtime.executor.execute(reply, lambda _: None)

    def find_session(
        self,
        http_request: HttpRequest,
        request_id: RequestId | None = None,
        method: str | None = None,
    ) -> HttpSession | None:
        """Return the session named by a request, or reject the request and return None.

        Args:
            http_request: The request with the `Mcp-Session-Id` header.
            request_id: The ID of the JSON-RPC request in the body, for the error.
            method: The request's method, which determines the hint if the header is missing.
        """
        headers = http_request.head.headers
        version, session_id = headers.get(VERSION_FIELD), headers.get(SESSION_ID_FIELD)
        session, status = None, 400
        error: ProtocolError
        if version is not None and version not in _SESSION_VERSION_VALUES:
            error = UnsupportedVersionError(version.decode("latin-1"), SESSION_VERSIONS)
        elif session_id is None:
            error = self._make_missing_session_error(method)
        else:
            session = self._sessions.find_session(
                session_id.decode("latin-1"), http_request.principal
            )
            # MCP, Session Management: after a 404, the client must open a new session.
            status, error = 404, _SESSION_NOT_FOUND_ERROR
        if session is None:
            HttpExchange(self._runtime, http_request).reject(status, error, request_id)
        return session

    def _make_missing_session_error(self, method: str | None) -> ProtocolError:
        """Return the error for a request without a session ID.

        If the method exists only in the stateless era, the error names the missing metadata
        instead.
        """
        eras = self._runtime.eras
        if method in eras.stateless.methods and method not in eras.session.methods:
            return _make_missing_meta_error(META_VERSION)
        return ProtocolError(
            f"The request has neither an Mcp-Session-Id header (send initialize first) nor "
            f"params._meta[{META_VERSION!r}]",
            rpc_code=INVALID_REQUEST,
        )


def _names_stateless_version(head: RequestHead) -> bool:
    version = head.headers.get(VERSION_FIELD)
    return version is not None and version not in _SESSION_VERSION_VALUES


def _make_missing_meta_error(field: str) -> InvalidParamsError:
    return InvalidParamsError(f"Missing params._meta[{field!r}]")
