"""Parameters of client requests and notifications.

Fields defined by only one era are optional here. Each era checks its own fields.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from paddock.protocol.errors import InvalidParamsError
from paddock.protocol.jsonrpc import DECODE_ERRORS

LoggingLevel = Literal[
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]
LOGGING_LEVELS: tuple[str, ...] = get_args(LoggingLevel)


def is_level_enabled(level: str, minimum_level: str | None) -> bool:
    """Return whether a minimum level, such as `warning`, includes messages of the given level."""
    if minimum_level is None:
        return False
    return LOGGING_LEVELS.index(level) >= LOGGING_LEVELS.index(minimum_level)


_META_PREFIX = "io.modelcontextprotocol/"


class RequestMeta(Struct):
    """The metadata of a request: the members of `_meta` that the protocol defines."""

    progress_token: int | str | UnsetType = field(default=UNSET, name="progressToken")
    version: str | UnsetType = field(default=UNSET, name=_META_PREFIX + "protocolVersion")
    capabilities: dict[str, object] | UnsetType = field(
        default=UNSET, name=_META_PREFIX + "clientCapabilities"
    )
    client_info: dict[str, object] | UnsetType = field(
        default=UNSET, name=_META_PREFIX + "clientInfo"
    )
    log_level: LoggingLevel | UnsetType = field(default=UNSET, name=_META_PREFIX + "logLevel")
    # These may have any type, because a malformed value must not cause the request to fail
    # (W3C Trace Context).
    traceparent: object = UNSET
    tracestate: object = UNSET
    baggage: object = UNSET


class RequestParams(Struct, kw_only=True):
    """Parameters common to all requests."""

    meta: RequestMeta | UnsetType = field(default=UNSET, name="_meta")


class InitializeParams(RequestParams, kw_only=True):
    """Parameters of `initialize`."""

    protocol_version: str = field(name="protocolVersion")
    capabilities: dict[str, object] = {}
    client_info: dict[str, object] | UnsetType = field(default=UNSET, name="clientInfo")


class ListParams(RequestParams, kw_only=True):
    """Parameters of the list methods."""

    cursor: str | UnsetType | None = UNSET


class InputResponseParams(RequestParams, kw_only=True):
    """Parameters of requests that a client may repeat with input."""

    input_responses: dict[str, object] | UnsetType = field(default=UNSET, name="inputResponses")
    request_state: str | UnsetType = field(default=UNSET, name="requestState")


class TaskMetadata(Struct):
    """Asks the server to run a call as a task. `ttl` is in milliseconds."""

    ttl: int | None = None


class CallToolParams(InputResponseParams, kw_only=True):
    """Parameters of `tools/call`. The arguments remain encoded until the tool is known."""

    name: str
    arguments: Raw | UnsetType = UNSET
    task: TaskMetadata | UnsetType = UNSET


class GetPromptParams(InputResponseParams, kw_only=True):
    """Parameters of `prompts/get`."""

    name: str
    arguments: dict[str, str] | UnsetType | None = UNSET


class ReadResourceParams(InputResponseParams, kw_only=True):
    """Parameters of `resources/read`."""

    uri: str


class GetSkillParams(RequestParams, kw_only=True):
    """The parameters of `skills/get`.

    The operation checks the type of `uri`, not this class. A server without skills does not have
    the method, and that error must be reported first.
    """

    uri: object = UNSET


class ReadDirectoryParams(GetSkillParams, kw_only=True):
    """Parameters of `resources/directory/read`."""

    cursor: object = UNSET


class ListSkillsParams(RequestParams, kw_only=True):
    """Parameters of `skills/list`."""

    cursor: object = UNSET


class SubscribeParams(RequestParams, kw_only=True):
    """Parameters of `resources/subscribe` and `resources/unsubscribe`."""

    uri: str


class SetLevelParams(RequestParams, kw_only=True):
    """Parameters of `logging/setLevel`."""

    level: LoggingLevel


class CompletionReference(Struct):
    """The subject of a completion: a prompt by name, or a resource template by URI."""

    type: Literal["ref/prompt", "ref/resource"]
    name: str | UnsetType = UNSET
    uri: str | UnsetType = UNSET


class CompletionArgument(Struct):
    """The argument being typed and its value so far."""

    name: str
    value: str


class CompletionContext(Struct):
    """The arguments that already have values."""

    arguments: dict[str, str] | UnsetType = UNSET


class CompleteParams(RequestParams, kw_only=True):
    """Parameters of `completion/complete`."""

    ref: CompletionReference
    argument: CompletionArgument
    context: CompletionContext | UnsetType = UNSET


class SubscriptionFilter(Struct):
    """The changes that a client subscribes to with `subscriptions/listen`."""

    tools: bool = field(default=False, name="toolsListChanged")
    """True to report changes to the list of tools."""
    prompts: bool = field(default=False, name="promptsListChanged")
    resources: bool = field(default=False, name="resourcesListChanged")
    uris: list[str] = field(default_factory=list, name="resourceSubscriptions")
    """The resources whose content changes are reported."""
    task_ids: list[str] | UnsetType = field(default=UNSET, name="taskIds")
    """The tasks whose status changes are reported."""


class ListenParams(RequestParams, kw_only=True):
    """Parameters of `subscriptions/listen`."""

    notifications: SubscriptionFilter


class TaskParams(RequestParams, kw_only=True):
    """Parameters of requests about a single task."""

    task_id: str = field(name="taskId")


class UpdateTaskParams(TaskParams, kw_only=True):
    """Parameters of `tasks/update`."""

    input_responses: dict[str, object] = field(name="inputResponses")


class CancelledParams(Struct):
    """Parameters of `notifications/cancelled`."""

    request_id: int | str = field(name="requestId")
    reason: str | None = None


_PARAMS_TYPES: dict[str, type[RequestParams]] = {
    "initialize": InitializeParams,
    "tools/list": ListParams,
    "tools/call": CallToolParams,
    "prompts/list": ListParams,
    "prompts/get": GetPromptParams,
    "resources/list": ListParams,
    "resources/templates/list": ListParams,
    "resources/read": ReadResourceParams,
    "resources/directory/read": ReadDirectoryParams,
    "skills/list": ListSkillsParams,
    "skills/get": GetSkillParams,
    "resources/subscribe": SubscribeParams,
    "resources/unsubscribe": SubscribeParams,
    "logging/setLevel": SetLevelParams,
    "completion/complete": CompleteParams,
    "subscriptions/listen": ListenParams,
    "tasks/get": TaskParams,
    "tasks/update": UpdateTaskParams,
    "tasks/cancel": TaskParams,
    "tasks/list": ListParams,
    "tasks/result": TaskParams,
}


class ToolCallFrame(Struct):
    """A complete `tools/call`, decoded in one pass instead of two because it may be long."""

    jsonrpc: Literal["2.0"]
    method: Literal["tools/call"]
    id: int | str
    params: CallToolParams


decode_tool_call = msgspec.json.Decoder(ToolCallFrame).decode

_DECODERS = {method: msgspec.json.Decoder(kind).decode for method, kind in _PARAMS_TYPES.items()}
_decode_base = msgspec.json.Decoder(RequestParams).decode
_EMPTY_OBJECT = Raw(b"{}")


def decode_params(method: str, raw: Raw | UnsetType) -> RequestParams:
    """Decode a request's JSON parameters as the type that its method requires.

    Missing parameters and null are treated as an empty object.

    Raises:
        InvalidParamsError: A value is invalid. The message names it and the expected type.
    """
    decode = _DECODERS.get(method, _decode_base)
    try:
        return decode(_EMPTY_OBJECT if raw is UNSET else raw)
    except DECODE_ERRORS as error:
        if raw is not UNSET and bytes(raw) == b"null":  # Some clients send null.
            return decode_params(method, UNSET)
        raise InvalidParamsError(f"Invalid params of {method}: {error}") from None


def decode_base_params(raw: Raw | UnsetType) -> RequestParams:
    """Decode only a request's `_meta`.

    Raises:
        InvalidParamsError: The `_meta` is malformed.
    """
    return decode_params("", raw)
