"""The questions that a handler can put to the client, and what their answers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from paddock.authoring.dataclass_defaults import completed
from paddock.authoring.hints import decode_hook
from paddock.authoring.schema import schema_of
from paddock.authoring.validation import Validator
from paddock.errors import DefinitionError
from paddock.protocol.ask import Ask, AskError
from paddock.protocol.model.content import Content, PromptMessage, TextContent

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
_FLAT_TYPES = frozenset({"string", "number", "integer", "boolean"})


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


class _Roots(Struct):
    roots: list[Root]


def elicitation(message: str, schema: Any = None) -> Ask:
    """A form for the person at the client."""
    if schema is None:
        return _form(message, {"type": "object", "properties": {}}, lambda content: content)
    if isinstance(schema, dict):
        return _form(message, schema, _checked(schema))
    requested = schema_of(schema, "elicitation")
    if requested.get("type") == "object":
        return _form(message, _flat(requested), _reader(schema))
    wrapped = _flat({"type": "object", "properties": {"value": requested}, "required": ["value"]})
    read = _reader(schema)
    return _form(message, wrapped, lambda content: read(content.get("value")))


def url_elicitation(message: str, url: str, elicitation_id: str | None = None) -> Ask:
    """A web page for the person at the client."""
    params: Json = {"mode": "url", "message": message, "url": url}
    if elicitation_id is not None:
        params["elicitationId"] = elicitation_id
    return Ask("elicitation/create", params, {"elicitation": {"url": {}}}, _elicited(lambda c: c))


def sampling(
    messages: str | Content | PromptMessage | Sequence[Any],
    *,
    max_tokens: int = 1024,
    **options: Any,
) -> Ask:
    """A continuation by the client's model."""
    unknown = set(options) - _SAMPLING_OPTIONS
    if unknown:
        raise TypeError(f"sample() has no option {', '.join(sorted(unknown))}")
    several = [messages] if isinstance(messages, str | Content | PromptMessage) else messages
    camel = {_camel(key): value for key, value in options.items() if value is not None}
    params = {"messages": [_message(one) for one in several], "maxTokens": max_tokens, **camel}
    needs: Json = {"sampling": {"tools": {}} if "tools" in camel else {}}
    return Ask("sampling/createMessage", msgspec.to_builtins(params), needs, _read(SampledMessage))


def roots() -> Ask:
    """The directories that the client works in."""
    read = _read(_Roots)
    return Ask("roots/list", {}, {"roots": {}}, lambda answer: read(answer).roots)


def _form(message: str, requested: Json, read: Callable[[Json], Any]) -> Ask:
    params: Json = {"mode": "form", "message": message, "requestedSchema": requested}
    return Ask("elicitation/create", params, {"elicitation": {"form": {}}}, _elicited(read))


def _elicited(read: Callable[[Json], Any]) -> Callable[[Json], Elicited[Any]]:
    def answer(value: Json) -> Elicited[Any]:
        action = value.get("action")
        if action not in ("accept", "decline", "cancel"):
            raise AskError(f"elicitation: expected accept, decline or cancel, got {action!r}")
        if action != "accept":
            return Elicited(action)
        content = value.get("content")
        return Elicited(action, read(content if isinstance(content, dict) else {}))

    return answer


def _checked(schema: Json) -> Callable[[Any], Any]:
    validator = Validator(schema, "elicitation")

    def read(content: Any) -> Any:
        fault = validator.fault(content)
        if fault is not None:
            raise AskError(f"elicitation: {fault}")
        return content

    return read


def _reader(kind: Any) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        try:
            return completed(msgspec.convert(value, kind, dec_hook=decode_hook))
        except msgspec.ValidationError as error:
            raise AskError(f"elicitation: {error}") from None

    return read


def _read(kind: type[T]) -> Callable[[Json], T]:
    def read(value: Json) -> T:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise AskError(f"{kind.__name__}: {error}") from None

    return read


def _flat(schema: Json) -> Json:
    """A schema as forms need it: an object of plain fields, with nothing referred to."""
    definitions = schema.get("$defs", {})
    properties = {
        name: _flat_field(name, field, definitions)
        for name, field in schema.get("properties", {}).items()
    }
    found: Json = {"type": "object", "properties": properties}
    if schema.get("required"):
        found["required"] = schema["required"]
    return found


def _resolved(field: Json, definitions: Json) -> Json:
    """A schema with what it refers to in its place."""
    if "$ref" not in field:
        return field
    target = definitions[field["$ref"].rpartition("/")[2]]
    return {**target, **{key: value for key, value in field.items() if key != "$ref"}}


def _flat_field(name: str, field: Json, definitions: Json) -> Json:
    field = _resolved(field, definitions)
    options = [option for option in field.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        rest = {key: value for key, value in field.items() if key != "anyOf"}
        field = {**_resolved(options[0], definitions), **rest}
    if field.get("default", "") is None:
        field = {key: value for key, value in field.items() if key != "default"}
    if "enum" in field and all(isinstance(value, str) for value in field["enum"]):
        field = {"type": "string", **field}
    items = _resolved(field.get("items") or {}, definitions)
    if field.get("type") == "array" and "enum" in items:
        return {**field, "items": {"type": "string", "enum": items["enum"]}}
    if field.get("type") not in _FLAT_TYPES:
        raise DefinitionError(
            f"form field {name!r} is not a plain type",
            hint="forms hold text, numbers, booleans, choices and lists of choices",
        )
    if field.get("format") not in (None, *_FORM_FORMATS):
        return {key: value for key, value in field.items() if key != "format"}
    return field


def _message(message: Any) -> Any:
    if isinstance(message, str):
        message = PromptMessage(TextContent(message))
    elif isinstance(message, Content):
        message = PromptMessage(message)
    if isinstance(message, PromptMessage) and isinstance(message.content, str):
        message = PromptMessage(TextContent(message.content), message.role)
    return message


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
