"""The types that `Peer` methods return, and their conversion from JSON.

Members of an answer that the protocol does not define are dropped. `Peer.request` returns them.
"""

from __future__ import annotations

from typing import TypeVar, cast

import msgspec
from msgspec import Struct, field

from paddock.client.connect_options import Json
from paddock.client.errors import AnswerError
from paddock.protocol.content import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    Content,
    EmbeddedResource,
    Icon,
    ImageContent,
    PromptMessage,
    ResourceLink,
    Role,
    TextContent,
    TextResourceContents,
)

AnyContent = Content | Json
"""Content of a known type, or the JSON object of an unknown one."""
AnyResourceContents = TextResourceContents | BlobResourceContents

_WIRE_FIELD_TYPES: dict[str, object] = {"annotations": Annotations | None, "resource": Json}


def _define_wire_type(content_type: type[Struct]) -> type[Struct]:
    """Return a Struct type that decodes a content type, such as `ImageContent`, from JSON.

    Server authors can set some fields of a content type to values of multiple types. The returned
    Struct has the same fields, but each has only the type that occurs in messages.
    """
    fields = []
    for struct_field in msgspec.structs.fields(content_type):
        name = struct_field.name
        definition = msgspec.field(name=struct_field.encode_name, default=struct_field.default)
        fields.append((name, _WIRE_FIELD_TYPES.get(name, struct_field.type), definition))
    return msgspec.defstruct(content_type.__name__, fields)


_CONTENT_TYPES: dict[object, tuple[type[Content], type[Struct]]] = {
    kind.__struct_config__.tag: (kind, _define_wire_type(kind))
    for kind in (TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource)
}


def parse_content(value: object) -> AnyContent:
    """Convert a content block in a result, such as text or an image, from its JSON value.

    A block of an unknown type is returned as a JSON object.

    Raises:
        AnswerError: A field is invalid.
    """
    if not isinstance(value, dict):
        raise AnswerError(f"Invalid content: expected an object, got {value!r:.60}")
    if value.get("type") not in _CONTENT_TYPES:  # Not an error: later versions may add types.
        return cast("Json", value)
    content_type, wire_type = _CONTENT_TYPES[value["type"]]
    converted = _convert_content(value, wire_type, f"{value['type']} content")
    fields = {name: getattr(converted, name) for name in converted.__struct_fields__}
    if "resource" in fields:
        fields["resource"] = parse_resource_contents(fields["resource"])
    return content_type(**fields)


def parse_resource_contents(value: object) -> AnyResourceContents:
    """Convert a resource's contents, which are text or binary, from their JSON value.

    Raises:
        AnswerError: A field is invalid.
    """
    is_binary = isinstance(value, dict) and "blob" in value
    content_type = BlobResourceContents if is_binary else TextResourceContents
    return cast("AnyResourceContents", _convert_content(value, content_type, "resource contents"))


def join_text(contents: list[AnyContent]) -> str:
    """Join the text blocks with line breaks."""
    return "\n".join(item.text for item in contents if isinstance(item, TextContent))


def _convert_content(value: object, expected_type: type[Struct], description: str) -> Struct:
    try:
        return msgspec.convert(value, expected_type)
    except msgspec.ValidationError as error:
        raise AnswerError(f"Invalid {description}: {error}") from None


T = TypeVar("T")


class ToolInfo(Struct, rename="camel"):
    """A tool in the server's list."""

    name: str
    input_schema: Json
    """The JSON Schema of the tool's arguments."""
    title: str | None = None
    description: str | None = None
    output_schema: Json | None = None
    """The JSON Schema of the structured result, if the tool declares one."""
    annotations: Json | None = None
    """Hints about the tool's behaviour, such as `{"readOnlyHint": true}`."""
    icons: list[Icon] = []
    meta: Json = field(default_factory=dict, name="_meta")


class PromptArgumentInfo(Struct, rename="camel"):
    """An argument of a prompt."""

    name: str
    title: str | None = None
    description: str | None = None
    required: bool = False


class PromptInfo(Struct, rename="camel"):
    """A prompt in the server's list."""

    name: str
    title: str | None = None
    description: str | None = None
    arguments: list[PromptArgumentInfo] = []
    icons: list[Icon] = []
    meta: Json = field(default_factory=dict, name="_meta")


class ResourceInfo(Struct, rename="camel"):
    """A resource in the server's list."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    """The size of the content in bytes, if the server knows it."""
    annotations: Json | None = None
    icons: list[Icon] = []
    meta: Json = field(default_factory=dict, name="_meta")


class TemplateInfo(Struct, rename="camel"):
    """A resource template in the server's list. It describes resources with similar URIs."""

    uri_template: str
    """The template with placeholders, such as `notes://{name}`."""
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: Json | None = None
    icons: list[Icon] = []
    meta: Json = field(default_factory=dict, name="_meta")


class ToolResult(Struct):
    """The result of a tool call."""

    content: list[AnyContent]
    structured: object = None
    """The structured result as JSON, or None if the tool has none."""
    is_error: bool = False
    """Whether the tool failed. The content then describes the error."""
    meta: Json = {}

    @property
    def text(self) -> str:
        """The text blocks of the content, separated by line breaks."""
        return join_text(self.content)


class PromptResult(Struct):
    """The messages of a prompt."""

    messages: list[PromptMessage]
    description: str | None = None
    meta: Json = {}


class ResourceResult(Struct):
    """The contents of a resource, in one or more parts."""

    contents: list[AnyResourceContents]
    meta: Json = {}

    @property
    def text(self) -> str:
        """The text parts, separated by line breaks."""
        parts = (item.text for item in self.contents if isinstance(item, TextResourceContents))
        return "\n".join(parts)

    @property
    def data(self) -> bytes:
        """The bytes of all binary parts."""
        parts = (item.blob for item in self.contents if isinstance(item, BlobResourceContents))
        return b"".join(parts)


class Completion(Struct, rename="camel"):
    """Possible values for an argument."""

    values: list[str]
    total: int | None = None
    has_more: bool = False


class _ToolResponse(Struct, rename="camel"):
    content: list[object] = []
    structured_content: object = None
    is_error: bool = False
    meta: Json = field(default_factory=dict, name="_meta")


class _MessageResponse(Struct):
    content: Json
    role: Role


class _PromptResponse(Struct):
    messages: list[_MessageResponse]
    description: str | None = None
    meta: Json = field(default_factory=dict, name="_meta")


class _ResourceResponse(Struct):
    contents: list[object]
    meta: Json = field(default_factory=dict, name="_meta")


class _CompletionResponse(Struct):
    completion: Completion


def convert_result(expected_type: type[T], value: object, method: str) -> T:
    """Convert part of the server's answer from its JSON value.

    Args:
        expected_type: The type to convert to, such as `list[ToolInfo]`.
        value: The JSON value.
        method: The request method, for the error message.

    Raises:
        AnswerError: The value does not have this type.
    """
    try:
        return msgspec.convert(value, expected_type)
    except msgspec.ValidationError as error:
        raise AnswerError(f"The server's answer to {method} is invalid: {error}") from None


def parse_tool_result(answer: Json) -> ToolResult:
    """Convert the result of `tools/call`."""
    response = convert_result(_ToolResponse, answer, "tools/call")
    content = [parse_content(item) for item in response.content]
    return ToolResult(content, response.structured_content, response.is_error, response.meta)


def parse_prompt_result(answer: Json) -> PromptResult:
    """Convert the result of `prompts/get`."""
    response = convert_result(_PromptResponse, answer, "prompts/get")
    messages = [_parse_prompt_message(message) for message in response.messages]
    return PromptResult(messages, response.description, response.meta)


def parse_resource_result(answer: Json) -> ResourceResult:
    """Convert the result of `resources/read`."""
    response = convert_result(_ResourceResponse, answer, "resources/read")
    return ResourceResult(
        [parse_resource_contents(item) for item in response.contents], response.meta
    )


def parse_completion(answer: Json) -> Completion:
    """Convert the result of `completion/complete`."""
    return convert_result(_CompletionResponse, answer, "completion/complete").completion


def _parse_prompt_message(message: _MessageResponse) -> PromptMessage:
    content = parse_content(message.content)
    if not isinstance(content, Content):
        raise AnswerError(f"Unknown content type in a prompt: {content.get('type')!r}")
    return PromptMessage(content, message.role)
