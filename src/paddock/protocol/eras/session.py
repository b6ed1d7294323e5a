"""The session era: `initialize` first, requests in both directions, state on the connection."""

from __future__ import annotations

from os import urandom
from typing import TYPE_CHECKING, cast

from paddock.protocol.early_handshake import open_session
from paddock.protocol.eras import session_tasks
from paddock.protocol.errors import (
    INVALID_REQUEST,
    MissingCapabilityError,
    ProtocolError,
    ResourceNotFoundError,
)
from paddock.protocol.jsonrpc import (
    encode_error,
    encode_notification,
    encode_request,
    encode_request_id,
    encode_result,
)
from paddock.protocol.server_operations import build_method_table
from paddock.protocol.server_requests import AskError, ResponseCollector

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.protocol.connection import ServerConnection
    from paddock.protocol.jsonrpc import RequestId
    from paddock.protocol.params import InitializeParams, SetLevelParams, SubscribeParams
    from paddock.protocol.request import (
        InputRequired,
        Operation,
        OperationResult,
        Request,
        Result,
        TaskSupport,
    )
    from paddock.protocol.server_metadata import Json, ServerMetadata
    from paddock.protocol.server_operations import ServerOperations
    from paddock.protocol.server_requests import ServerRequest
    from paddock.protocol.tasks import CallTask, TaskFactory

RESOURCE_NOT_FOUND = -32002
MAX_SUBSCRIPTIONS = 10_000
# MCP, Lifecycle: before initialization, a client should send only pings.
METHODS_BEFORE_INITIALIZE = frozenset({"initialize", "ping"})


class SessionEra:
    """The protocol versions where a client opens a session with `initialize`.

    Its `methods` contain the operation for each method that the server's capabilities allow.
    """

    is_stateless = False

    def __init__(self, operations: ServerOperations) -> None:
        self._operations = operations
        self._watch_resource = operations.watch
        self.methods: dict[str, Operation] = {
            "initialize": self._initialize,
            "ping": lambda _: b"",
            **build_method_table(operations),
        }
        self._is_watching_tasks = False
        if self._metadata.has_capability("tasks"):
            for method in ("tasks/get", "tasks/cancel", "tasks/list", "tasks/result"):
                self.methods[method] = self._run_task_method
        if self._metadata.has_capability("logging"):
            self.methods["logging/setLevel"] = self._set_level
        resources_capability = self._metadata.capabilities.get("resources")
        if isinstance(resources_capability, dict) and resources_capability.get("subscribe"):
            self.methods["resources/subscribe"] = self._subscribe
            self.methods["resources/unsubscribe"] = self._unsubscribe

    @property
    def _metadata(self) -> ServerMetadata:
        return self._operations.metadata

    def check_request(self, request: Request) -> None:
        """Check that the session is open. Until then, only `initialize` and `ping` are allowed.

        Raises:
            ProtocolError: The session is not open yet.
        """
        if request.connection.version is None and request.method not in METHODS_BEFORE_INITIALIZE:
            raise ProtocolError(
                f"{request.method} was sent before initialize; open the session first, or name "
                "a protocol version in the request's _meta",
                rpc_code=INVALID_REQUEST,
            )

    def encode_reply(self, request: Request, result: Result) -> bytes:
        """Encode a response with a result. This era does not add any members to it.

        Args:
            request: The request.
            result: A dictionary, or the already encoded members of the result, as bytes such as
                `"content":[]` or as a tuple of such bytes.
        """
        # This is the hot path for tool calls, so their results arrive encoded and are used as is.
        request_id = request.id
        if result.__class__ is bytes:
            if request_id.__class__ is int:
                return b'{"jsonrpc":"2.0","id":%d,"result":{%b}}\n' % (request_id, result)
            return b'{"jsonrpc":"2.0","id":%b,"result":{%b}}\n' % (
                encode_request_id(request_id),
                result,
            )
        if isinstance(result, tuple):
            head = b'{"jsonrpc":"2.0","id":%b,"result":{' % encode_request_id(request_id)
            return b"".join((head, *result, b"}}\n"))
        return encode_result(request_id, result)

    def encode_error_reply(self, request_id: RequestId, error: ProtocolError) -> bytes:
        """Encode an error response.

        Two errors have different JSON-RPC codes in this era than in the stateless one.
        """
        if isinstance(error, ResourceNotFoundError):
            error = ProtocolError(error.message, rpc_code=RESOURCE_NOT_FOUND, data=error.data)
        elif isinstance(error, MissingCapabilityError):
            error = ProtocolError(error.message, rpc_code=INVALID_REQUEST)
        return encode_error(request_id, error)

    def encode_input_required(self, request: Request, required: InputRequired) -> bytes:
        """Raise an error, because in this era handlers wait for the answers to their questions."""
        raise ProtocolError(f"{request.method} cannot ask for input in this version")

    def request_input(
        self, request: Request, server_requests: dict[str, ServerRequest]
    ) -> ResponseCollector:
        """Send a handler's questions to the client as requests.

        Returns:
            The collector that will receive the client's answers.

        Raises:
            AskError: The client cannot receive questions during this request.
            MissingCapabilityError: The client has not declared that it can answer a question.
        """
        for server_request in server_requests.values():
            server_request.check_capabilities(request.connection.client_capabilities)
        exchange, task = request.exchange, request.task
        if exchange is not None and task is None and not exchange.accepts_messages:
            raise AskError("The client cannot be asked: its request does not accept a stream")
        collector = ResponseCollector(request, server_requests)
        if task is not None:
            session_tasks.mark_input_required(task, collector)
        for key, server_request in server_requests.items():
            self._send_request(request, collector, key, server_request)
        return collector

    def find_task_factory(self, request: Request, task_support: TaskSupport) -> TaskFactory | None:
        """Return the function that creates a task for the call, if the client asks for a task."""
        if not self._metadata.has_capability("tasks"):
            return None
        store = self._operations.tasks
        if not self._is_watching_tasks:
            self._is_watching_tasks = True
            store.add_watcher(session_tasks.send_status)
        return session_tasks.find_task_factory(request, task_support, store)

    def encode_task_created(self, request: Request, task: CallTask) -> bytes:
        """Encode the answer to a call that became a task."""
        return encode_result(request.id, session_tasks.make_created_result(task))

    def get_remembered_value(self, request: Request) -> None:
        """Return None, because a handler runs only once in this era."""

    def get_version(self, request: Request) -> str:
        """Return the negotiated version."""
        return request.connection.version or ""

    def get_client_capabilities(self, request: Request) -> Json:
        """Return the capabilities that the client declared in `initialize`."""
        return request.connection.client_capabilities

    def get_client_info(self, request: Request) -> Json | None:
        """Return the client info from `initialize`."""
        return request.connection.client_info

    def get_log_level(self, request: Request) -> str | None:
        """Return the log level that the client set for the session."""
        return request.connection.log_level if self._metadata.has_capability("logging") else None

    def announce_change(self, connection: ServerConnection, kind: str, uri: str | None) -> int:
        """Notify the client of a change if its session is initialized and affected by the change.

        A changed list affects every session. A changed resource affects the sessions that have
        subscribed to it, and a completed elicitation (a question to the user) the one that sent it.

        Args:
            connection: The connection of the session.
            kind: `tools`, `prompts`, `resources` or `elicitation`.
            uri: The URI of the resource, or the id of the elicitation. None for a list.

        Returns:
            The number of notifications sent, 0 or 1.
        """
        if not connection.is_initialized:
            return 0
        if kind == "elicitation":
            if uri not in connection.elicitations:
                return 0
            connection.elicitations.discard(uri)
            params = {"elicitationId": uri}
            frame = encode_notification("notifications/elicitation/complete", params)
        elif uri is not None:
            if uri not in connection.subscriptions:
                return 0
            frame = encode_notification("notifications/resources/updated", {"uri": uri})
        else:
            frame = encode_notification(f"notifications/{kind}/list_changed")
        connection.send(frame)
        return 1

    def _initialize(self, request: Request) -> Json:
        """Answer `initialize`, which opens the session of the connection."""
        params = cast("InitializeParams", request.params)
        # `open_session` takes plain JSON, because the early handshake does not decode parameters.
        plain_params: Json = {
            "protocolVersion": params.protocol_version,
            "capabilities": params.capabilities,
            "clientInfo": params.client_info,
        }
        return open_session(request.connection, self._metadata, plain_params)

    def _run_task_method(self, request: Request) -> OperationResult:
        return session_tasks.TASK_METHODS[request.method](request, self._operations.tasks)

    def _set_level(self, request: Request) -> bytes:
        request.connection.log_level = cast("SetLevelParams", request.params).level
        return b""

    def _subscribe(self, request: Request) -> bytes:
        """Answer `resources/subscribe` by adding the resource to the session's subscriptions.

        Raises:
            ProtocolError: The session has too many subscriptions.
        """
        subscriptions = request.connection.subscriptions
        if len(subscriptions) >= MAX_SUBSCRIPTIONS:
            raise ProtocolError(f"A session can subscribe to at most {MAX_SUBSCRIPTIONS} resources")
        uri = cast("SubscribeParams", request.params).uri
        self._watch_resource(uri)
        subscriptions.add(uri)
        return b""

    def _unsubscribe(self, request: Request) -> bytes:
        request.connection.subscriptions.discard(cast("SubscribeParams", request.params).uri)
        return b""

    def _send_request(
        self,
        request: Request,
        collector: ResponseCollector,
        key: str,
        server_request: ServerRequest,
    ) -> None:
        """Send one of a handler's questions to the client as a request.

        If the handler is cancelled before the client has answered, the request is cancelled too.

        Args:
            request: The client's request, whose handler asks the question.
            collector: Receives the client's answer.
            key: The name of the question. The collector stores the answer under it.
            server_request: The question.
        """
        connection = request.connection
        request_id = connection.expect_response(
            lambda result, error: collector.receive_response(key, result, error)
        )

        def withdraw() -> None:
            # Once the client has answered, its request is finished and must not be cancelled.
            if connection.forget_response(request_id):
                params = {"requestId": request_id}
                _select_sender(request)(encode_notification("notifications/cancelled", params))

        request.on_cancel(withdraw)
        collector.withdrawals.append(withdraw)
        params = server_request.params
        if params.get("mode") == "url":
            # The client opens a web page. When the user has completed it, the server sends a
            # notification with this id. The notification exists only in this era.
            params = {"elicitationId": urandom(16).hex(), **params}
            connection.elicitations.add(str(params["elicitationId"]))
        if request.task is not None:
            params = {**params, "_meta": session_tasks.make_related_meta(request.task)}
        _select_sender(request)(encode_request(request_id, server_request.method, params))


def _select_sender(request: Request) -> Callable[[bytes], None]:
    """Return the function that sends a handler's messages to the client.

    They are sent on the stream of the handler's request or, for a task, according to its rules.
    """
    if request.task is None:
        return request.send
    return session_tasks.select_sender(request.task)
