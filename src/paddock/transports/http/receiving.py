"""What a POST holds, which era it belongs to, and who answers it.

The body decides, the headers come second: a request that names its version is of the stateless
era, and then its headers must agree; everything else belongs to a session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from paddock.protocol.dispatch import CALL, CALL_WITHIN, start
from paddock.protocol.eras.v2026_07_28.discovery import META_CAPABILITIES, META_VERSION
from paddock.protocol.errors import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    InvalidParamsError,
    ProtocolError,
    UnsupportedVersionError,
)
from paddock.protocol.jsonrpc import (
    DECODE_FAULTS,
    decode_frame,
    error_frame,
    fault_frame,
    is_batch,
)
from paddock.protocol.model.params import decode_call, decode_envelope, decode_params
from paddock.protocol.request import Request
from paddock.protocol.versions import BATCH_VERSION, SESSION_VERSIONS, STATELESS_VERSIONS
from paddock.transports.http.exchange import STATUSES, Exchange
from paddock.transports.http.mirrors import VERSION, check_mirrors
from paddock.transports.http.sessions import Session, SessionExchange, Sessions

if TYPE_CHECKING:
    from paddock.protocol.dispatch import Reply
    from paddock.protocol.jsonrpc import Frame, RequestId
    from paddock.protocol.model.params import CallFrame, Params
    from paddock.protocol.principal import Principal
    from paddock.transports.http.contract import Head, Outgoing
    from paddock.transports.http.hub import Hub

SESSION_ID = b"mcp-session-id"
LISTEN = "subscriptions/listen"
_NOT_A_MESSAGE = error_frame(
    None, ProtocolError("Expected a JSON-RPC 2.0 message", rpc_code=INVALID_REQUEST)
)
_NOTHING = error_frame(None, ProtocolError("The body is empty", rpc_code=PARSE_ERROR))
_NO_SESSION = ProtocolError(
    "There is no such session, or not any more: initialize again", rpc_code=INVALID_REQUEST
)
_SESSION_VERSIONS = frozenset(version.encode() for version in SESSION_VERSIONS)


class Receiver:
    """Answers the messages that clients post."""

    def __init__(self, hub: Hub, sessions: Sessions) -> None:
        self._hub = hub
        self._sessions = sessions

    def receive(
        self, head: Head, body: bytes, outgoing: Outgoing, principal: Principal | None
    ) -> None:
        """Take one body, which holds one message."""
        if body.find(CALL, 0, CALL_WITHIN) >= 0:
            try:
                call = decode_call(body)
            except DECODE_FAULTS:
                pass  # the long way finds out what is wrong
            else:
                self._receive_call(call, head, body, outgoing, principal)
                return
        self._receive_any(head, body, outgoing, principal)

    def _receive_call(
        self,
        call: CallFrame,
        head: Head,
        body: bytes,
        outgoing: Outgoing,
        principal: Principal | None,
    ) -> None:
        """The usual request, which is decoded only once."""
        meta = call.params.meta
        if self._hub.is_full:
            self._exchange(head, outgoing, principal).refuse_busy(call.id)
        elif meta is not UNSET and meta.version is not UNSET:
            exchange = self._exchange(head, outgoing, principal)
            self._stateless(exchange, call.id, "tools/call", call.params, body)
        elif self._names_stateless(head):
            exchange = self._exchange(head, outgoing, principal)
            exchange.refuse(400, _missing_meta(META_VERSION), call.id)
        else:
            session = self.session_of(head, outgoing, principal, call.id)
            if session is not None:
                in_session = SessionExchange(self._hub, head, outgoing, session)
                in_session.principal = principal
                self._reply(in_session, session.dispatcher.call(call, body, in_session))

    def _exchange(self, head: Head, outgoing: Outgoing, principal: Principal | None) -> Exchange:
        exchange = Exchange(self._hub, head, outgoing)
        exchange.principal = principal
        return exchange

    def _receive_any(
        self, head: Head, body: bytes, outgoing: Outgoing, principal: Principal | None
    ) -> None:
        exchange = self._exchange(head, outgoing, principal)
        try:
            frame = decode_frame(body)
        except DECODE_FAULTS as fault:
            if is_batch(body) and SESSION_ID in head.headers:
                if self._hub.is_full:
                    exchange.refuse_busy()
                else:
                    self._in_session(head, body, outgoing, principal)
            else:
                silent = _NOT_A_MESSAGE if body.strip() else _NOTHING
                exchange.respond(400, fault_frame(body, fault) or silent)
            return
        if frame.method is UNSET or frame.id is UNSET:
            # These are taken even by a full server: they end what is under way.
            self._without_answer(exchange, frame, body, outgoing)
            return
        if self._hub.is_full:
            exchange.refuse_busy(frame.id)
            return
        is_opening = frame.method == "initialize"
        try:
            params = decode_params(frame.method, frame.params)
        except ProtocolError as error:
            self._wrong_params(exchange, frame, error)
            return
        meta = params.meta
        if meta is not UNSET and meta.version is not UNSET:
            self._stateless(exchange, frame.id, frame.method, params, body)
        elif is_opening:
            self._open_session(exchange, body, outgoing)
        elif self._names_stateless(head):
            exchange.refuse(400, _missing_meta(META_VERSION), frame.id)
        else:
            self._in_session(head, body, outgoing, principal, frame.id, frame.method)

    def _stateless(
        self, exchange: Exchange, request_id: RequestId, method: str, params: Params, body: bytes
    ) -> None:
        """Answer a request that stands alone, once its envelope has been found right."""
        hub = self._hub
        era = hub.eras.stateless
        request = Request(hub.connection, era, request_id, method, params, body)
        request.exchange = exchange
        try:
            version = str(params.meta.version)  # type: ignore[union-attr]  # it names its version
            if params.meta.capabilities is UNSET:  # type: ignore[union-attr]  # as above
                raise _missing_meta(META_CAPABILITIES)
            check_mirrors(exchange.head, method, version, params)
            if version not in STATELESS_VERSIONS:
                raise UnsupportedVersionError(version, STATELESS_VERSIONS)
            operation = era.methods.get(method)
            if operation is None:
                raise _unknown(method)
            if method == LISTEN and not exchange.accepts.events:
                text = f"{LISTEN} needs an Accept header that allows text/event-stream"
                raise ProtocolError(text, rpc_code=INVALID_REQUEST)
        except ProtocolError as error:
            exchange.refuse(STATUSES.get(error.rpc_code, 400), error, request_id)
            return
        self._answer(exchange, request, start(request, operation))

    def _answer(self, exchange: Exchange, request: Request, reply: Reply) -> None:
        if isinstance(reply, bytes):
            exchange.finish(request, reply)
            return
        if reply is None:
            exchange.wait_for(request)
        else:
            self._hub.runner.run(request, exchange.wait_for)

    def _wrong_params(self, exchange: Exchange, frame: Frame, error: ProtocolError) -> None:
        """Say the first thing that is wrong: the envelope, the headers, the parameters."""
        method, request_id = str(frame.method), frame.id
        known_id = None if request_id is UNSET else request_id
        try:
            params = decode_envelope(frame.params)
            meta = params.meta
            if meta is not UNSET and meta.version is not UNSET:
                check_mirrors(exchange.head, method, str(meta.version), params)
                if meta.version not in STATELESS_VERSIONS:
                    raise UnsupportedVersionError(str(meta.version), STATELESS_VERSIONS)
                if method not in self._hub.eras.stateless.methods:
                    raise _unknown(method)
        except ProtocolError as fault:
            error = fault
        exchange.refuse(STATUSES.get(error.rpc_code, 400), error, known_id)

    def _without_answer(
        self, exchange: Exchange, frame: Frame, body: bytes, outgoing: Outgoing
    ) -> None:
        """A notification, or an answer to a question of ours."""
        is_answer = frame.method is UNSET
        if is_answer and frame.result is UNSET and frame.error is UNSET:
            exchange.respond(400, _NOT_A_MESSAGE)
        elif SESSION_ID in exchange.head.headers and not self._names_stateless(exchange.head):
            self._in_session(exchange.head, body, outgoing, exchange.principal)
        elif is_answer:
            text = "Nobody has asked: an answer needs the session of its question"
            exchange.refuse(400, ProtocolError(text, rpc_code=INVALID_REQUEST))
        else:
            exchange.accept()

    def _open_session(self, exchange: Exchange, body: bytes, outgoing: Outgoing) -> None:
        hub = self._hub
        if not self._sessions.make_room(exchange.principal):
            exchange.refuse_busy()
            return
        session = Session(hub, exchange.principal)
        opening = SessionExchange(hub, exchange.head, outgoing, session)
        opening.principal = exchange.principal
        reply = session.dispatcher.receive(body, opening)
        if session.connection.version is None or not isinstance(reply, bytes):
            opening.respond(400, reply if isinstance(reply, bytes) else _NOT_A_MESSAGE)
            return
        self._sessions.add(session)
        opening.respond(200, reply, [(SESSION_ID, session.id.encode())])

    def _in_session(
        self,
        head: Head,
        body: bytes,
        outgoing: Outgoing,
        principal: Principal | None,
        request_id: RequestId | None = None,
        method: str | None = None,
    ) -> None:
        session = self.session_of(head, outgoing, principal, request_id, method)
        if session is None:
            return
        exchange = SessionExchange(self._hub, head, outgoing, session)
        exchange.principal = principal
        if is_batch(body) and session.connection.version != BATCH_VERSION:
            text = "A batch of messages is not allowed in this version"
            exchange.refuse(400, ProtocolError(text, rpc_code=INVALID_REQUEST))
            return
        self._reply(exchange, session.dispatcher.receive(body, exchange))

    def _reply(self, exchange: SessionExchange, reply: Reply | list[Reply]) -> None:
        if isinstance(reply, bytes):
            exchange.deliver(reply)
        elif isinstance(reply, Request):
            self._answer(exchange, reply, reply)
        elif reply:
            self._answer_batch(exchange, reply)
        elif not exchange.is_over:
            exchange.accept()

    def _answer_batch(self, exchange: SessionExchange, replies: list[Reply]) -> None:
        """The answers to a batch come together, when the last one is there."""
        for reply in replies:
            if isinstance(reply, bytes):
                exchange.deliver(reply)
            elif reply is not None:
                exchange.wait_for(reply)
        for reply in replies:
            if isinstance(reply, Request):
                self._hub.runner.run(reply, lambda _: None)

    def session_of(
        self,
        head: Head,
        outgoing: Outgoing,
        principal: Principal | None,
        request_id: RequestId | None = None,
        method: str | None = None,
    ) -> Session | None:
        """The session that a request names; None when it was refused."""
        version = head.headers.get(VERSION)
        session_id = head.headers.get(SESSION_ID)
        session, status = None, 400
        refusal: ProtocolError
        if version is not None and version not in _SESSION_VERSIONS:
            found = version.decode("latin-1")
            refusal = UnsupportedVersionError(found, SESSION_VERSIONS)
        elif session_id is None:
            refusal = self._homeless(method)
        else:
            session = self._sessions.get(session_id.decode("latin-1"), principal)
            status, refusal = 404, _NO_SESSION
        if session is None:
            self._exchange(head, outgoing, principal).refuse(status, refusal, request_id)
        return session

    def _homeless(self, method: str | None) -> ProtocolError:
        eras = self._hub.eras
        if method in eras.stateless.methods and method not in eras.session.methods:
            return _missing_meta(META_VERSION)
        return ProtocolError(
            f"The request has neither the header Mcp-Session-Id (send initialize first) nor "
            f"params._meta[{META_VERSION!r}]",
            rpc_code=INVALID_REQUEST,
        )

    def _names_stateless(self, head: Head) -> bool:
        version = head.headers.get(VERSION)
        return version is not None and version not in _SESSION_VERSIONS


def _unknown(method: str) -> ProtocolError:
    return ProtocolError(f"Method not found: {method}", rpc_code=METHOD_NOT_FOUND)


def _missing_meta(key: str) -> InvalidParamsError:
    return InvalidParamsError(f"Missing params._meta[{key!r}]")
