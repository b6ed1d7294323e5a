"""The questions that a handler can put to the client, and what their answers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from paddock.authoring.schema import build_type_schema
from paddock.authoring.schema_validator import SchemaValidator
from paddock.authoring.type_hooks import decode_hook, fill_dataclass_defaults
from paddock.errors import DefinitionError
from paddock.protocol.content import Content, PromptMessage, TextContent
from paddock.protocol.server_requests import AskError, ServerRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Json = dict[str, Any]
T = TypeVar("T")

_FORM_FORMATS = ("email", "uri", "date", "date-time")
_SAMPLING_OPTIONS = frozenset(
    {
        "include_context",
        "metadata",
        "model_preferences",
        "stop_sequences",
        "system_prompt",
        "temperature",
        "tool_choice",
        "tools",
    }
)
_FORM_FIELD_TYPES = frozenset({"string", "number", "integer", "boolean"})


class Elicited(Struct, Generic[T]):
    """What a person did with a form: `data` is there when they accepted."""

    action: Literal["accept", "decline", "cancel"]
    data: T | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the person filled in the form."""
        return self.action == "accept"


class SampledMessage(Struct, rename="camel"):
    """What the client's model said."""

    role: str
    content: Any
    model: str
    stop_reason: str | None = None

    @property
    def text(self) -> str:
        """The text of the message, all of it."""
        parts = self.content if isinstance(self.content, list) else [self.content]
        return "".join(part.get("text", "") for part in parts if isinstance(part, dict))


class Root(Struct):
    """A directory or file that the client works in."""

    uri: str
    name: str | None = None


class _RootsResult(Struct):
    roots: list[Root]


def elicitation(message: str, schema: Any = None) -> ServerRequest:
    """A form for the person at the client."""
    if schema is None:
        return _create_form_request(
            message, {"type": "object", "properties": {}}, lambda content: content
        )
    if isinstance(schema, dict):
        return _create_form_request(message, schema, _create_schema_reader(schema))
    requested = build_type_schema(schema, "elicitation")
    if requested.get("type") == "object":
        return _create_form_request(
            message, _flatten_schema(requested), _create_type_reader(schema)
        )
    wrapped = _flatten_schema(
        {"type": "object", "properties": {"value": requested}, "required": ["value"]}
    )
    read = _create_type_reader(schema)
    return _create_form_request(message, wrapped, lambda content: read(content.get("value")))


def url_elicitation(message: str, url: str, elicitation_id: str | None = None) -> ServerRequest:
    """A web page for the person at the client."""
    params: Json = {"mode": "url", "message": message, "url": url}
    if elicitation_id is not None:
        params["elicitationId"] = elicitation_id
    return ServerRequest(
        "elicitation/create",
        params,
        {"elicitation": {"url": {}}},
        _create_elicit_reader(lambda c: c),
    )


def sampling(
    messages: str | Content | PromptMessage | Sequence[Any],
    *,
    max_tokens: int = 1024,
    **options: Any,
) -> ServerRequest:
    """A continuation by the client's model."""
    unknown = set(options) - _SAMPLING_OPTIONS
    if unknown:
        raise TypeError(f"sample() has no option {', '.join(sorted(unknown))}")
    several = [messages] if isinstance(messages, str | Content | PromptMessage) else messages
    camel = {_to_camel_case(key): value for key, value in options.items() if value is not None}
    params = {
        "messages": [_to_prompt_message(one) for one in several],
        "maxTokens": max_tokens,
        **camel,
    }
    needs: Json = {"sampling": {"tools": {}} if "tools" in camel else {}}
    return ServerRequest(
        "sampling/createMessage",
        msgspec.to_builtins(params),
        needs,
        _create_struct_reader(SampledMessage),
    )


def roots() -> ServerRequest:
    """The directories that the client works in."""
    read = _create_struct_reader(_RootsResult)
    return ServerRequest("roots/list", {}, {"roots": {}}, lambda answer: read(answer).roots)


def _create_form_request(
    message: str, requested: Json, read: Callable[[Json], Any]
) -> ServerRequest:
    params: Json = {"mode": "form", "message": message, "requestedSchema": requested}
    return ServerRequest(
        "elicitation/create", params, {"elicitation": {"form": {}}}, _create_elicit_reader(read)
    )


def _create_elicit_reader(read: Callable[[Json], Any]) -> Callable[[Json], Elicited[Any]]:
    def answer(value: Json) -> Elicited[Any]:
        action = value.get("action")
        if action not in ("accept", "decline", "cancel"):
            raise AskError(f"elicitation: expected accept, decline or cancel, got {action!r}")
        if action != "accept":
            return Elicited(action)
        content = value.get("content")
        return Elicited(action, read(content if isinstance(content, dict) else {}))

    return answer


def _create_schema_reader(schema: Json) -> Callable[[Any], Any]:
    validator = SchemaValidator(schema, "elicitation")

    def read(content: Any) -> Any:
        fault = validator.find_error(content)
        if fault is not None:
            raise AskError(f"elicitation: {fault}")
        return content

    return read


def _create_type_reader(kind: Any) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        try:
            return fill_dataclass_defaults(msgspec.convert(value, kind, dec_hook=decode_hook))
        except msgspec.ValidationError as error:
            raise AskError(f"elicitation: {error}") from None

    return read


def _create_struct_reader(kind: type[T]) -> Callable[[Json], T]:
    def read(value: Json) -> T:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise AskError(f"{kind.__name__}: {error}") from None

    return read


def _flatten_schema(schema: Json) -> Json:
    """A schema as forms need it: an object of plain fields, with nothing referred to."""
    definitions = schema.get("$defs", {})
    properties = {
        name: _flatten_field(name, field, definitions)
        for name, field in schema.get("properties", {}).items()
    }
    found: Json = {"type": "object", "properties": properties}
    if schema.get("required"):
        found["required"] = schema["required"]
    return found


def _resolve_reference(field: Json, definitions: Json) -> Json:
    """A schema with what it refers to in its place."""
    if "$ref" not in field:
        return field
    target = definitions[field["$ref"].rpartition("/")[2]]
    return {**target, **{key: value for key, value in field.items() if key != "$ref"}}


def _flatten_field(name: str, field: Json, definitions: Json) -> Json:
    field = _resolve_reference(field, definitions)
    options = [option for option in field.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        rest = {key: value for key, value in field.items() if key != "anyOf"}
        field = {**_resolve_reference(options[0], definitions), **rest}
    if field.get("default", "") is None:
        field = {key: value for key, value in field.items() if key != "default"}
    if "enum" in field and all(isinstance(value, str) for value in field["enum"]):
        field = {"type": "string", **field}
    items = _resolve_reference(field.get("items") or {}, definitions)
    if field.get("type") == "array" and "enum" in items:
        return {**field, "items": {"type": "string", "enum": items["enum"]}}
    if field.get("type") not in _FORM_FIELD_TYPES:
        raise DefinitionError(
            f"form field {name!r} is not a plain type",
            hint="forms hold text, numbers, booleans, choices and lists of choices",
        )
    if field.get("format") not in (None, *_FORM_FORMATS):
        return {key: value for key, value in field.items() if key != "format"}
    return field


def _to_prompt_message(message: Any) -> Any:
    if isinstance(message, str):
        message = PromptMessage(TextContent(message))
    elif isinstance(message, Content):
        message = PromptMessage(message)
    if isinstance(message, PromptMessage) and isinstance(message.content, str):
        message = PromptMessage(TextContent(message.content), message.role)
    return message


def _to_camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
