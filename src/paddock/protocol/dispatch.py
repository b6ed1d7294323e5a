"""A line in, an answer out: decoding, choosing the era, running the operation.

This is the whole path of a message through the protocol. What takes time comes back as a
`Request` with work in it, which the transport runs; everything else comes back as bytes.
"""

from __future__ import annotations

from _thread import allocate_lock
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from paddock.protocol.eras.v2025_11_25.codec import SessionEra
from paddock.protocol.eras.v2026_07_28.codec import StatelessEra
from paddock.protocol.eras.v2026_07_28.discovery import META_CAPABILITIES, META_VERSION
from paddock.protocol.eras.v2026_07_28.listening import Listeners
from paddock.protocol.errors import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    InvalidParamsError,
    ProtocolError,
)
from paddock.protocol.jsonrpc import (
    DECODE_FAULTS,
    Frame,
    decode_frame,
    error_frame,
    fault_frame,
    find_id,
    is_answer,
    is_batch,
    split_batch,
)
from paddock.protocol.model.params import (
    CancelledParams,
    decode_call,
    decode_envelope,
    decode_params,
)
from paddock.protocol.request import Batch, Request, said
from paddock.protocol.versions import BATCH_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.protocol.connection import Connection
    from paddock.protocol.eras.contract import Operations
    from paddock.protocol.model.params import CallFrame, Params
    from paddock.protocol.observing import Observer
    from paddock.protocol.request import Era, Exchange, Operation

Reply = bytes | Request | None
"""An answer, a request with work to run, or nothing to say."""

MAX_HELD = 1000
"""Requests that wait for a server that is still being loaded."""
STILL_LOADING = "The server is still being loaded, and too many requests are waiting for it"
CALL = b'"tools/call"'
CALL_WITHIN = 256
"""Where in a line the method stands that is worth a way of its own."""
WHOLE_BATCH = "\0batch"
"""Stands for the id of an array of messages that has to wait."""
TOO_LONG = "The message is longer than this server accepts"

_NESTED_BATCH = error_frame(None, ProtocolError("A batch inside a batch", rpc_code=INVALID_REQUEST))

_META_VERSION = META_VERSION.encode()
_decode_cancelled = msgspec.json.Decoder(CancelledParams).decode
_decode_value = msgspec.json.Decoder().decode


class Held(Exception):  # noqa: N818 - not an error: the answer has to wait
    """Raised by an operation that cannot answer yet: the server is still being loaded."""


class Eras:
    """Both eras of one server, which all its connections share."""

    def __init__(self, operations: Operations, listeners: Listeners | None = None) -> None:
        self.listeners = Listeners() if listeners is None else listeners
        self.session = SessionEra(operations)
        self.stateless = StatelessEra(operations, self.listeners)
        eras: tuple[Era, ...] = (self.session, self.stateless)
        self._unobserved = [(era, era.methods) for era in eras]

    def of(self, params: Params) -> Era:
        """The era of a request: it is stateless if it says so itself."""
        meta = params.meta
        return self.session if meta is UNSET or meta.version is UNSET else self.stateless

    def observe(self, observers: Sequence[Observer]) -> None:
        """Have these watch every request from now on, and nobody else."""
        from paddock.protocol.observing import observed  # noqa: PLC0415 - few servers are watched

        for era, methods in self._unobserved:
            era.methods = observed(methods, observers)


def start(request: Request, operation: Operation) -> Reply:
    """Have a request answered: the answer, or the request where there is work to run first."""
    era = request.era
    try:
        era.enter(request)
        result = operation(request)
    except ProtocolError as error:
        request.fault = error
        if request.exchange is not None:
            request.exchange.fault = error
        return era.error(request.id, error)
    except Held:
        raise
    except Exception as fault:  # noqa: BLE001 - a request must get an answer
        _log_fault(request.method)
        text = f"Internal error: {type(fault).__name__}: {said(fault)}"
        request.fault = ProtocolError(text)
        return era.error(request.id, request.fault)
    if result is None:
        return request if request.work or request.async_work else None
    return era.reply(request, result)


class Dispatcher:
    """Answers the messages of one connection."""

    def __init__(self, connection: Connection, eras: Eras, *, is_ready: bool = False) -> None:
        self.connection = connection
        self._eras = eras
        self._held: list[tuple[int | str, bytes]] | None = None if is_ready else []
        self._holding = allocate_lock()

    def receive(self, line: bytes, exchange: Exchange | None = None) -> Reply | list[Reply]:
        """Take one line; several replies only for a batch."""
        if line.find(CALL, 0, CALL_WITHIN) >= 0:
            try:
                call = decode_call(line)
            except DECODE_FAULTS:
                pass  # the long way finds out what is wrong
            else:
                return self.call(call, line, exchange)
        return self._receive_any(line, exchange)

    def call(
        self, call: CallFrame, line: bytes, exchange: Exchange | None = None
    ) -> Reply | list[Reply]:
        """Take a call of a tool that is decoded already."""
        try:
            return self._begin(call.id, "tools/call", call.params, line, exchange)
        except Held:
            return self._hold(call.id, line)

    def _receive_any(self, line: bytes, exchange: Exchange | None) -> Reply | list[Reply]:
        try:
            frame = decode_frame(line)
        except DECODE_FAULTS as fault:
            if self.connection.version == BATCH_VERSION and is_batch(line):
                return self._receive_batch(line, exchange)
            return fault_frame(line, fault)
        if frame.method is UNSET or frame.id is UNSET:
            return self._take(frame)
        try:
            return self._request(frame.id, frame.method, frame, line, exchange)
        except Held:
            return self._hold(frame.id, line)

    def adopt(
        self, operations: Operations, observers: Sequence[Observer] = (), *, is_ready: bool = True
    ) -> list[bytes]:
        """Answer from these operations from now on; the lines that were waiting for them.

        Operations that are not ready may hold requests until others are adopted.
        """
        eras = Eras(operations, self._eras.listeners)
        if observers:
            eras.observe(observers)
        with self._holding:
            self._eras = eras
            held, self._held = self._held, None if is_ready else []
        return [line for _, line in held or ()]

    def refuse_line(self, head: bytes, tail: bytes) -> bytes | None:
        """The answer to a line that was too long to keep, of which these are the two ends.

        A line that is itself an answer gets none; whoever waits for it is told.
        """
        if is_answer(head):
            self.connection.answered(find_id(head, tail), None, {"message": TOO_LONG})
            return None
        return error_frame(find_id(head, tail), ProtocolError(TOO_LONG, rpc_code=INVALID_REQUEST))

    def announce(self, kind: str, uri: str | None = None) -> int:
        """Tell the peer, in whichever era it listens, that something has changed."""
        told = self._eras.session.announce(self.connection, kind, uri)
        return told + self._eras.listeners.announce(kind, uri)

    def close(self) -> None:
        """The connection ends: say goodbye to listeners, stop what is under way."""
        self._eras.listeners.close()
        self.connection.close()

    def _hold(self, request_id: int | str, line: bytes) -> Reply | list[Reply]:
        """Keep a line until there are operations; they may have come this very moment."""
        with self._holding:
            if self._held is not None:
                if len(self._held) >= MAX_HELD:
                    return error_frame(request_id, ProtocolError(STILL_LOADING))
                self._held.append((request_id, line))
                return None
        return self.receive(line)

    def _request(
        self,
        request_id: int | str,
        method: str,
        frame: Frame,
        line: bytes,
        exchange: Exchange | None,
    ) -> Reply:
        try:
            params = decode_params(method, frame.params)
        except ProtocolError as error:
            return self._wrong_params(request_id, method, frame, error)
        return self._begin(request_id, method, params, line, exchange)

    def _begin(
        self,
        request_id: int | str,
        method: str,
        params: Params,
        line: bytes,
        exchange: Exchange | None,
    ) -> Reply:
        era = self._eras.of(params)
        request = Request(self.connection, era, request_id, method, params, line)
        if exchange is not None:
            request.exchange = exchange
        operation = era.methods.get(method)
        if operation is None:
            try:
                operation = self._operation(request)
            except ProtocolError as error:
                return era.error(request_id, error)
        return start(request, operation)

    def _wrong_params(
        self, request_id: int | str, method: str, frame: Frame, error: ProtocolError
    ) -> bytes:
        """The first thing that is wrong: the envelope, the method, then its own parameters."""
        try:
            params = decode_envelope(frame.params)
        except ProtocolError:
            return error_frame(request_id, error)
        era = self._eras.of(params)
        request = Request(self.connection, era, request_id, method, params, b"")
        try:
            self._operation(request)
        except ProtocolError as fault:
            error = fault
        return era.error(request_id, error)

    def _operation(self, request: Request) -> Operation:
        """What answers a request, once its envelope has been found right."""
        era, method = request.era, request.method
        operation = era.methods.get(method)
        is_session = era is self._eras.session
        if operation is None and is_session and method in self._eras.stateless.methods:
            raise InvalidParamsError(
                f"{method} needs params._meta with {META_VERSION!r} and {META_CAPABILITIES!r}"
            )
        era.enter(request)
        if operation is None:
            raise ProtocolError(f"Method not found: {method}", rpc_code=METHOD_NOT_FOUND)
        return operation

    def _take(self, frame: Frame) -> bytes | None:
        """A notification, an answer to a request of ours, or neither."""
        if frame.method is not UNSET:
            if frame.method == "notifications/initialized":
                self.connection.is_initialized = self.connection.version is not None
            elif frame.method == "notifications/cancelled":
                self._cancelled(frame)
            return None
        if frame.result is UNSET and frame.error is UNSET:
            request_id = None if frame.id is UNSET else frame.id
            return error_frame(
                request_id, ProtocolError("The message has no method", rpc_code=INVALID_REQUEST)
            )
        try:
            result = None if frame.result is UNSET else _decode_value(frame.result)
            error = None if frame.error is UNSET else _decode_value(frame.error)
        except DECODE_FAULTS as fault:
            result, error = None, f"an unreadable answer: {fault}"
        self.connection.answered(frame.id, result, error)
        return None

    def _cancelled(self, frame: Frame) -> None:
        if frame.params is UNSET:
            return
        try:
            params = _decode_cancelled(frame.params)
        except DECODE_FAULTS:
            return
        self._eras.listeners.drop(self.connection, params.request_id)
        with self._holding:
            if self._held:
                self._held = [held for held in self._held if held[0] != params.request_id]
        request = self.connection.in_flight.get(params.request_id)
        if request is not None and not request.is_answered:
            request.cancel(params.reason)

    def _receive_batch(self, line: bytes, exchange: Exchange | None) -> Reply | list[Reply]:
        try:
            messages = split_batch(line)
        except DECODE_FAULTS as fault:
            return fault_frame(line, fault)
        if self._held is not None:
            return self._hold(WHOLE_BATCH, line)
        if not messages:
            return error_frame(None, ProtocolError("An empty batch", rpc_code=INVALID_REQUEST))
        batch = Batch(len(messages))
        replies: list[Reply] = []
        for message in messages:
            reply = _unfit_for_batch(message) or self.receive(message, exchange)
            if isinstance(reply, Request):
                reply.outlet = batch
                replies.append(reply)
            else:
                replies.append(batch.add(reply if isinstance(reply, bytes) else None))
        return [reply for reply in replies if reply is not None]


def _unfit_for_batch(message: bytes) -> bytes | None:
    """The refusal of what cannot be part of an array of messages."""
    if is_batch(message):
        return _NESTED_BATCH
    if _META_VERSION not in message:
        return None
    try:
        frame = decode_frame(message)
    except DECODE_FAULTS:
        return None
    if frame.method is UNSET or frame.id is UNSET:  # no request, so there is nothing to refuse
        return None
    text = "A request that names its version stands alone: it cannot be part of a batch"
    return error_frame(frame.id, ProtocolError(text, rpc_code=INVALID_REQUEST))


def _log_fault(method: str) -> None:
    import logging  # noqa: PLC0415 - only when something is wrong

    logging.getLogger("paddock").exception("%s could not be answered", method)
