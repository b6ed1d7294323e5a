"""The session era: `initialize` first, requests in both directions, state on the connection."""

from __future__ import annotations

from os import urandom
from typing import TYPE_CHECKING, cast

from paddock.protocol.ask import AskError
from paddock.protocol.asking import Answers
from paddock.protocol.eras.contract import catalogue_methods
from paddock.protocol.eras.v2025_11_25.handshake import initialize
from paddock.protocol.errors import (
    INVALID_REQUEST,
    MissingCapabilityError,
    ProtocolError,
    ResourceNotFoundError,
)
from paddock.protocol.jsonrpc import (
    encode,
    encode_id,
    error_frame,
    notification_frame,
    request_frame,
    result_frame,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from paddock.protocol.ask import Ask
    from paddock.protocol.connection import Connection
    from paddock.protocol.eras.contract import Operations
    from paddock.protocol.facts import Json, ServerFacts
    from paddock.protocol.jsonrpc import RequestId
    from paddock.protocol.model.params import InitializeParams, SetLevelParams, SubscribeParams
    from paddock.protocol.request import (
        Detached,
        InputRequired,
        Operation,
        Outcome,
        Request,
        Result,
        Support,
        Terms,
    )

RESOURCE_NOT_FOUND = -32002
MAX_SUBSCRIPTIONS = 10_000
BEFORE_INITIALIZE = frozenset({"initialize", "ping"})


class SessionEra:
    """The versions opened by `initialize`."""

    is_stateless = False

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._watch = operations.watch
        self.methods: dict[str, Operation] = {
            "initialize": self._initialize,
            "ping": lambda _: b"",
            **catalogue_methods(operations),
        }
        self._is_watching = False
        if self._facts.has("tasks"):
            for method in ("tasks/get", "tasks/cancel", "tasks/list", "tasks/result"):
                self.methods[method] = self._about_task
        if self._facts.has("logging"):
            self.methods["logging/setLevel"] = self._set_level
        resources = self._facts.capabilities.get("resources")
        if isinstance(resources, dict) and resources.get("subscribe"):
            self.methods["resources/subscribe"] = self._subscribe
            self.methods["resources/unsubscribe"] = self._unsubscribe

    @property
    def _facts(self) -> ServerFacts:
        return self._operations.facts

    def enter(self, request: Request) -> None:
        """Nothing but `initialize` and `ping` before the session is open."""
        if request.connection.version is None and request.method not in BEFORE_INITIALIZE:
            raise ProtocolError(
                f"{request.method} before initialize: open the session first, or name a "
                "protocol version in the request's _meta",
                rpc_code=INVALID_REQUEST,
            )

    def reply(self, request: Request, result: Result) -> bytes:
        """The result as it is: this era adds nothing to it."""
        request_id = request.id
        if result.__class__ is bytes:
            if request_id.__class__ is int:
                return b'{"jsonrpc":"2.0","id":%d,"result":{%b}}\n' % (request_id, result)
            return b'{"jsonrpc":"2.0","id":%b,"result":{%b}}\n' % (encode_id(request_id), result)
        if isinstance(result, tuple):
            head = b'{"jsonrpc":"2.0","id":%b,"result":{' % encode_id(request_id)
            return b"".join((head, *result, b"}}\n"))
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (encode_id(request.id), encode(result))

    def error(self, request_id: RequestId, error: ProtocolError) -> bytes:
        """An error; some faults had codes of their own in this era, some did not exist yet."""
        if isinstance(error, ResourceNotFoundError):
            error = ProtocolError(error.message, rpc_code=RESOURCE_NOT_FOUND, data=error.data)
        elif isinstance(error, MissingCapabilityError):
            error = ProtocolError(error.message, rpc_code=INVALID_REQUEST)
        return error_frame(request_id, error)

    def input_required(self, request: Request, required: InputRequired) -> bytes:
        """Never needed: in this era a handler's questions are sent while it waits."""
        raise ProtocolError(f"{request.method} cannot ask for input in this version")

    def ask(self, request: Request, asks: dict[str, Ask]) -> Answers:
        """Send the questions as requests of ours."""
        for ask in asks.values():
            ask.check(request.connection.client_capabilities)
        exchange, task = request.exchange, request.task
        if exchange is not None and task is None and not exchange.takes_messages:
            raise AskError("The client cannot be asked: its request accepts no event stream")
        answers = Answers(request, asks)
        if task is not None:
            _tasks().await_input(task, answers)
        for key, ask in asks.items():
            self._send_ask(request, answers, key, ask)
        return answers

    def task_terms(self, request: Request, support: Support) -> Terms | None:
        """Whether the client of a call has asked for a task."""
        if not self._facts.has("tasks"):
            return None
        store = self._operations.tasks
        if not self._is_watching:
            self._is_watching = True
            store.watch(_tasks().tell)
        terms: Terms | None = _tasks().terms(request, support, store)
        return terms

    def task_created(self, request: Request, task: Detached) -> bytes:
        """The answer to a call that goes on as a task."""
        return result_frame(request.id, _tasks().created(task))

    def remembered(self, request: Request) -> None:
        """Nothing: in this era a handler is never run again."""

    def version(self, request: Request) -> str:
        """The version that was negotiated."""
        return request.connection.version or ""

    def client_capabilities(self, request: Request) -> Json:
        """What the client declared when the session was opened."""
        return request.connection.client_capabilities

    def client_info(self, request: Request) -> Json | None:
        """Who the client said it is when the session was opened."""
        return request.connection.client_info

    def log_level(self, request: Request) -> str | None:
        """The level that the client set for the session."""
        return request.connection.log_level if self._facts.has("logging") else None

    def announce(self, connection: Connection, kind: str, uri: str | None) -> int:
        """Send a change to a session, if it is open and wants to know; how many messages."""
        if not connection.is_initialized:
            return 0
        if kind == "elicitation":
            if uri not in connection.elicitations:
                return 0
            connection.elicitations.discard(uri)
            params = {"elicitationId": uri}
            frame = notification_frame("notifications/elicitation/complete", params)
        elif uri is not None:
            if uri not in connection.subscriptions:
                return 0
            frame = notification_frame("notifications/resources/updated", {"uri": uri})
        else:
            frame = notification_frame(f"notifications/{kind}/list_changed")
        connection.send(frame)
        return 1

    def _initialize(self, request: Request) -> Json:
        params = cast("InitializeParams", request.params)
        raw: Json = {
            "protocolVersion": params.protocol_version,
            "capabilities": params.capabilities,
            "clientInfo": params.client_info,
        }
        return initialize(request.connection, self._facts, raw)

    def _about_task(self, request: Request) -> Outcome:
        answer: Outcome = _tasks().METHODS[request.method](request, self._operations.tasks)
        return answer

    def _set_level(self, request: Request) -> bytes:
        request.connection.log_level = cast("SetLevelParams", request.params).level
        return b""

    def _subscribe(self, request: Request) -> bytes:
        subscriptions = request.connection.subscriptions
        if len(subscriptions) >= MAX_SUBSCRIPTIONS:
            raise ProtocolError(f"A session can subscribe to {MAX_SUBSCRIPTIONS} resources")
        uri = cast("SubscribeParams", request.params).uri
        self._watch(uri)
        subscriptions.add(uri)
        return b""

    def _unsubscribe(self, request: Request) -> bytes:
        request.connection.subscriptions.discard(cast("SubscribeParams", request.params).uri)
        return b""

    def _send_ask(self, request: Request, answers: Answers, key: str, ask: Ask) -> None:
        connection = request.connection
        request_id = connection.expect(lambda result, error: answers.receive(key, result, error))

        def withdraw() -> None:
            if connection.forget(request_id):
                params = {"requestId": request_id}
                _outlet(request)(notification_frame("notifications/cancelled", params))

        request.on_cancel(withdraw)
        answers.withdrawals.append(withdraw)
        params = ask.params
        if params.get("mode") == "url":
            # This era tells a client by an id when the page has done its work.
            params = {"elicitationId": urandom(16).hex(), **params}
            connection.elicitations.add(str(params["elicitationId"]))
        if request.task is not None:
            params = {**params, "_meta": _tasks().related(request.task)}
        _outlet(request)(request_frame(request_id, ask.method, params))


def _outlet(request: Request) -> Callable[[bytes], None]:
    """Where what a handler has to say goes: with its request, or where its task is awaited."""
    if request.task is None:
        return request.send
    send: Callable[[bytes], None] = _tasks().outlet(request.task)
    return send


def _tasks() -> ModuleType:
    from paddock.protocol.eras.v2025_11_25 import tasks  # noqa: PLC0415 - few servers have any

    return tasks
