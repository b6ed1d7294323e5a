"""Parameters of the requests and notifications that a server receives.

Fields that only one era has are optional here: which of them count is the era's business.
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

_META_PREFIX = "io.modelcontextprotocol/"


class RequestMeta(Struct):
    """The `_meta` of a request, as far as the protocol itself reads it."""

    progress_token: int | str | UnsetType = field(default=UNSET, name="progressToken")
    version: str | UnsetType = field(default=UNSET, name=_META_PREFIX + "protocolVersion")
    capabilities: dict[str, object] | UnsetType = field(
        default=UNSET, name=_META_PREFIX + "clientCapabilities"
    )
    client_info: dict[str, object] | UnsetType = field(
        default=UNSET, name=_META_PREFIX + "clientInfo"
    )
    log_level: LoggingLevel | UnsetType = field(default=UNSET, name=_META_PREFIX + "logLevel")
    # Of any type: what is wrong with these must never fail a request.
    traceparent: object = UNSET
    tracestate: object = UNSET
    baggage: object = UNSET


class RequestParams(Struct, kw_only=True):
    """What the parameters of every request have."""

    meta: RequestMeta | UnsetType = field(default=UNSET, name="_meta")


class InitializeParams(RequestParams, kw_only=True):
    """Of `initialize`."""

    protocol_version: str = field(name="protocolVersion")
    capabilities: dict[str, object] = {}
    client_info: dict[str, object] | UnsetType = field(default=UNSET, name="clientInfo")


class ListParams(RequestParams, kw_only=True):
    """Of every list."""

    cursor: str | UnsetType | None = UNSET


class InputResponseParams(RequestParams, kw_only=True):
    """Of the requests that a client may have to repeat with input."""

    input_responses: dict[str, object] | UnsetType = field(default=UNSET, name="inputResponses")
    request_state: str | UnsetType = field(default=UNSET, name="requestState")


class TaskMetadata(Struct):
    """That a call is to become a task, and for how long it is to be kept."""

    ttl: int | None = None


class CallToolParams(InputResponseParams, kw_only=True):
    """Of `tools/call`; the arguments stay undecoded until the tool is known."""

    name: str
    arguments: Raw | UnsetType = UNSET
    task: TaskMetadata | UnsetType = UNSET


class GetPromptParams(InputResponseParams, kw_only=True):
    """Of `prompts/get`."""

    name: str
    arguments: dict[str, str] | UnsetType | None = UNSET


class ReadResourceParams(InputResponseParams, kw_only=True):
    """Of `resources/read`."""

    uri: str


class GetSkillParams(RequestParams, kw_only=True):
    """Of `skills/get`.

    Whether the URI is one is looked at by the operation, which first says whether there are
    skills at all: without any the method does not exist, whatever its parameters.
    """

    uri: object = UNSET


class ReadDirectoryParams(GetSkillParams, kw_only=True):
    """Of `resources/directory/read`."""

    cursor: object = UNSET


class ListSkillsParams(RequestParams, kw_only=True):
    """Of `skills/list`."""

    cursor: object = UNSET


class SubscribeParams(RequestParams, kw_only=True):
    """Of `resources/subscribe` and `resources/unsubscribe`."""

    uri: str


class SetLevelParams(RequestParams, kw_only=True):
    """Of `logging/setLevel`."""

    level: LoggingLevel


class CompletionReference(Struct):
    """What a completion is for: a prompt by name or a resource template by URI."""

    type: Literal["ref/prompt", "ref/resource"]
    name: str | UnsetType = UNSET
    uri: str | UnsetType = UNSET


class CompletionArgument(Struct):
    """The argument being typed, and what is typed so far."""

    name: str
    value: str


class CompletionContext(Struct):
    """Arguments already settled."""

    arguments: dict[str, str] | UnsetType = UNSET


class CompleteParams(RequestParams, kw_only=True):
    """Of `completion/complete`."""

    ref: CompletionReference
    argument: CompletionArgument
    context: CompletionContext | UnsetType = UNSET


class SubscriptionFilter(Struct):
    """What a listener wants to hear."""

    tools: bool = field(default=False, name="toolsListChanged")
    prompts: bool = field(default=False, name="promptsListChanged")
    resources: bool = field(default=False, name="resourcesListChanged")
    uris: list[str] = field(default_factory=list, name="resourceSubscriptions")
    task_ids: list[str] | UnsetType = field(default=UNSET, name="taskIds")


class ListenParams(RequestParams, kw_only=True):
    """Of `subscriptions/listen`."""

    notifications: SubscriptionFilter


class TaskParams(RequestParams, kw_only=True):
    """Of the requests about one task."""

    task_id: str = field(name="taskId")


class UpdateTaskParams(TaskParams, kw_only=True):
    """Of `tasks/update`."""

    input_responses: dict[str, object] = field(name="inputResponses")


class CancelledParams(Struct):
    """Of `notifications/cancelled`."""

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
    """A whole `tools/call`: one pass over a message that may be long, instead of two."""

    jsonrpc: Literal["2.0"]
    method: Literal["tools/call"]
    id: int | str
    params: CallToolParams


decode_tool_call = msgspec.json.Decoder(ToolCallFrame).decode

_DECODERS = {method: msgspec.json.Decoder(kind).decode for method, kind in _PARAMS_TYPES.items()}
_decode_base = msgspec.json.Decoder(RequestParams).decode
_EMPTY_OBJECT = Raw(b"{}")


def decode_params(method: str, raw: Raw | UnsetType) -> RequestParams:
    """The parameters of a request of this method.

    Absent and null ones, as real clients send them, are empty.

    Raises:
        InvalidParamsError: saying which value is wrong, what was expected and what was found.
    """
    decode = _DECODERS.get(method, _decode_base)
    try:
        return decode(_EMPTY_OBJECT if raw is UNSET else raw)
    except DECODE_ERRORS as error:
        if raw is not UNSET and bytes(raw) == b"null":
            return decode_params(method, UNSET)
        raise InvalidParamsError(f"Invalid params of {method}: {error}") from None


def decode_base_params(raw: Raw | UnsetType) -> RequestParams:
    """Only the `_meta` of any request's parameters.

    Raises:
        InvalidParamsError: when that is malformed too.
    """
    return decode_params("", raw)
