"""The stateless era: every request specifies its version and its client's capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import UNSET

from paddock.lazy_modules import LazyModule
from paddock.protocol import early_handshake
from paddock.protocol.eras import stateless_tasks
from paddock.protocol.eras.subscriptions import MAX_STREAM_URIS
from paddock.protocol.errors import InvalidParamsError, UnsupportedVersionError
from paddock.protocol.jsonrpc import encode_error, encode_json, encode_request_id, encode_result
from paddock.protocol.params import InputResponseParams
from paddock.protocol.request import InputRequired
from paddock.protocol.server_operations import build_method_table
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from paddock.protocol.eras import input_required
    from paddock.protocol.eras.subscriptions import SubscriptionRegistry
    from paddock.protocol.errors import ProtocolError
    from paddock.protocol.jsonrpc import RequestId
    from paddock.protocol.params import ListenParams, RequestMeta
    from paddock.protocol.request import Operation, Request, Result, TaskSupport
    from paddock.protocol.server_metadata import Json, ServerMetadata
    from paddock.protocol.server_operations import ServerOperations
    from paddock.protocol.server_requests import ResponseCollector, ServerRequest
    from paddock.protocol.tasks import CallTask, TaskFactory
else:  # loads OpenSSL, 4 MB
    input_required = LazyModule("paddock.protocol.eras.input_required")

CACHEABLE_METHODS = frozenset(
    {
        *("server/discover", "tools/list", "prompts/list", "resources/list"),
        *("resources/templates/list", "resources/read", "skills/list", "skills/get"),
    }
)


class StatelessEra:
    """The protocol versions without sessions, where every request specifies its version.

    Its `methods` contain the operation for each method that the server's capabilities allow.
    """

    is_stateless = True

    def __init__(self, operations: ServerOperations, subscriptions: SubscriptionRegistry) -> None:
        self._operations = operations
        self._subscriptions = subscriptions
        self.methods: dict[str, Operation] = {
            "server/discover": lambda _: early_handshake.build_discover_result(operations.metadata),
            "subscriptions/listen": self._open_subscription,
            **build_method_table(operations),
        }
        if self._metadata.has_capability("tasks"):
            for method in ("tasks/get", "tasks/update", "tasks/cancel"):
                self.methods[method] = self._run_task_method
        self._prepare_reply_tail(self._metadata)

    @property
    def _metadata(self) -> ServerMetadata:
        return self._operations.metadata

    def _prepare_reply_tail(self, metadata: ServerMetadata) -> None:
        """Encode the members common to all results, so that they are encoded only once."""
        self._prepared_metadata = metadata
        key = early_handshake.META_SERVER_INFO.encode()
        self._encoded_tail = b'"resultType":"complete","_meta":{"%b":%b}' % (
            key,
            encode_json(metadata.to_server_info()),
        )
        self._cache_hints = metadata.to_cache_hints()

    def check_request(self, request: Request) -> None:
        """Check the version, the client's capabilities and the sealed state of a request.

        The sealed state is the signed `requestState` that a client sends when it repeats a request
        to answer questions. It is checked first, so that the handler never runs for a forged or
        expired state.

        Raises:
            ProtocolError: One of these is missing or invalid.
        """
        meta = _require_meta(request)
        if meta.version not in STATELESS_VERSIONS:
            raise UnsupportedVersionError(str(meta.version), STATELESS_VERSIONS)
        if meta.capabilities is UNSET:
            raise InvalidParamsError(f"Missing params._meta[{early_handshake.META_CAPABILITIES!r}]")
        params = request.params
        if isinstance(params, InputResponseParams) and params.request_state is not UNSET:
            input_required.open_state(request, self._operations.state_key)

    def encode_reply(self, request: Request, result: Result) -> bytes:
        """Encode a response with a result, adding the members specific to this era.

        These are `"resultType": "complete"`, the server info in `_meta` and, for some methods,
        cache hints.

        Args:
            request: The request.
            result: A dictionary, or the already encoded members of the result, as bytes such as
                `"content":[]` or as a tuple of such bytes. Tool calls return encoded members, which
                do not need to be decoded.
        """
        if self._prepared_metadata is not self._operations.metadata:  # The server was reloaded.
            self._prepare_reply_tail(self._operations.metadata)
        if isinstance(result, dict):
            if request.method in CACHEABLE_METHODS:
                result = {**self._cache_hints, **result}
            body = encode_json(early_handshake.complete_result(result, self._metadata))[1:-1]
        elif isinstance(result, tuple):
            head = b'{"jsonrpc":"2.0","id":%b,"result":{' % encode_request_id(request.id)
            return b"".join((head, *result, b",", self._encoded_tail, b"}}\n"))
        elif request.method in CACHEABLE_METHODS:
            body = result + b"," + encode_json(self._cache_hints)[1:-1] + b"," + self._encoded_tail
        else:
            body = result + b"," + self._encoded_tail if result else self._encoded_tail
        return b'{"jsonrpc":"2.0","id":%b,"result":{%b}}\n' % (encode_request_id(request.id), body)

    def encode_error_reply(self, request_id: RequestId, error: ProtocolError) -> bytes:
        """Encode an error. The error classes have the codes of this era."""
        return encode_error(request_id, error)

    def encode_input_required(self, request: Request, required: InputRequired) -> bytes:
        """Encode the `input_required` result with a handler's questions.

        The client repeats the request with its answers, and the handler runs again.
        """
        for server_request in required.requests.values():
            server_request.check_capabilities(self.get_client_capabilities(request))
        result = input_required.make_input_required_result(
            request, required, self._operations.state_key
        )
        return encode_result(request.id, early_handshake.complete_result(result, self._metadata))

    def request_input(
        self, request: Request, server_requests: dict[str, ServerRequest]
    ) -> Json | ResponseCollector:
        """Return the client's answers to a handler's questions.

        The client repeats the request with the answers. A task's handler keeps running instead, so
        for a task, the collector that will receive the answers is returned.

        Raises:
            InputRequired: Answers are missing, and the request is not a task.
        """
        try:
            answers: Json = input_required.read_answers(
                request, server_requests, self._operations.state_key
            )
        except InputRequired:
            if request.task is None:
                raise
            # A task's client does not repeat the request. It answers with `tasks/update`.
            return request.task.request_input(server_requests)
        return answers

    def find_task_factory(self, request: Request, task_support: TaskSupport) -> TaskFactory | None:
        """Return a task factory if the client supports tasks."""
        if task_support == "forbidden" or not self._metadata.has_capability("tasks"):
            return None
        return stateless_tasks.find_task_factory(request, task_support, self._operations.tasks)

    def encode_task_created(self, request: Request, task: CallTask) -> bytes:
        """Encode the answer to a call that became a task."""
        result = stateless_tasks.make_created_result(task)
        return encode_result(request.id, early_handshake.complete_result(result, self._metadata))

    def get_remembered_value(self, request: Request) -> object:
        """Return the value that the handler stored before it asked questions, or None.

        The client sends the value back in the sealed state when it repeats the request.
        """
        params = request.params
        if not isinstance(params, InputResponseParams) or params.request_state is UNSET:
            return None
        sealed_state = input_required.open_state(request, self._operations.state_key)
        remembered_value: object = sealed_state.state
        return remembered_value

    def get_version(self, request: Request) -> str:
        """Return the version specified in the request."""
        return str(_require_meta(request).version)

    def get_client_capabilities(self, request: Request) -> Json:
        """Return the capabilities in the request."""
        capabilities = _require_meta(request).capabilities
        return capabilities if isinstance(capabilities, dict) else {}

    def get_client_info(self, request: Request) -> Json | None:
        """Return the client info in the request."""
        client_info = _require_meta(request).client_info
        return client_info if isinstance(client_info, dict) else None

    def get_log_level(self, request: Request) -> str | None:
        """Return the log level in the request. Without one, no log messages are sent."""
        log_level = _require_meta(request).log_level
        if not isinstance(log_level, str) or not self._metadata.has_capability("logging"):
            return None
        return log_level

    def _run_task_method(self, request: Request) -> Json:
        return stateless_tasks.TASK_METHODS[request.method](request, self._operations.tasks)

    def _open_subscription(self, request: Request) -> None:
        """Open the stream of a `subscriptions/listen` request, which reports changes.

        The request is not answered until the client or the server ends the stream.
        """
        requested_filter = cast("ListenParams", request.params).notifications
        for uri in requested_filter.uris[:MAX_STREAM_URIS]:
            self._operations.watch(uri)
        task_store = None
        if requested_filter.task_ids is not UNSET and self._metadata.has_capability("tasks"):
            stateless_tasks.require_tasks_extension(request)
            task_store = self._operations.tasks
        self._subscriptions.open_stream(request, self._metadata, task_store)


def _require_meta(request: Request) -> RequestMeta:
    if request.meta is None:
        raise InvalidParamsError(f"Missing params._meta[{early_handshake.META_VERSION!r}]")
    return request.meta
