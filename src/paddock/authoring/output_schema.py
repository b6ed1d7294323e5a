"""Output schemas of tools, and validation of results against them."""

from __future__ import annotations

import types
import typing
from typing import Any

import msgspec

from paddock.authoring.json_schema import SchemaValidator
from paddock.authoring.schema import build_type_schema
from paddock.authoring.tool import NO_DEFAULT
from paddock.authoring.type_hooks import decode_hook, is_pydantic_model
from paddock.errors import DefinitionError, PaddockError
from paddock.protocol.content import CallToolResult, Content, TextContent

Json = dict[str, Any]

_SCALAR_TYPES = (int, float, bool)
_UNTYPED_OBJECTS: tuple[object, ...] = (dict, dict[str, Any], dict[str, object])
_CONTENT_RETURN_TYPES: tuple[object, ...] = (
    NO_DEFAULT,
    None,
    type(None),
    str,
    bytes,
    bytearray,
    Any,
    object,
)


class ResultError(PaddockError):
    """A handler's result cannot be encoded, or does not match what the tool declares."""

    code = "result"


class OutputSchema:
    """The declared form of a tool's results, derived from its return type by default.

    Args:
        returns: Return annotation of the handler, or `NO_DEFAULT`.
        where: The tool's name, for error messages.
        output_schema: A JSON Schema, which takes precedence over `returns`.
        return_type: Declared types of content, if the handler has no annotation.
        mime_type: Media type of binary results.
    """

    def __init__(
        self,
        returns: Any,
        *,
        where: str,
        output_schema: Json | None = None,
        return_type: Any = None,
        mime_type: str | None = None,
    ) -> None:
        self.where = where
        self.mime_type = mime_type
        self._content_return_type = return_type
        self._validator = None if output_schema is None else SchemaValidator(output_schema, where)
        self._handler_return_type = returns
        self._decode: Any = None
        self._is_wrapped = False
        self.output_schema: Json | None = None
        if output_schema is not None:
            self._set_schema(output_schema)
        # Numbers and booleans have a fast path in convert_result.
        self.scalar_type = (
            returns if returns in _SCALAR_TYPES and output_schema is None else NO_DEFAULT
        )
        self.is_content = output_schema is None and (
            _is_content_type(returns) or return_type is not None
        )
        if output_schema is None and not self.is_content:
            self._derive_schema(returns)
        is_list = typing.get_origin(returns) in (list, tuple)
        self.is_content_list = is_list and self.is_content and _is_content_type(returns)
        self.is_text = self.is_content and return_type is None
        is_untyped = any(returns == kind for kind in _UNTYPED_OBJECTS)
        self.is_any_object = is_untyped and output_schema is None and return_type is None

    def to_structured_content(self, value: Any, data: bytes) -> bytes | None:
        """Return the structured content for a value encoded as `data`, or None.

        Raises:
            ResultError: The value does not match the declared type or schema.
        """
        if self._validator is not None:
            return self.wrap_structured_content(data)
        if self.is_content:
            # The data has no declared schema. Session versions require structured content to be
            # an object, so other values are sent as text only.
            return data if data[:1] == b"{" else None
        if _has_pydantic_model(value):
            # The serialized form of a pydantic model may differ from the form that it validates,
            # because of aliases and computed fields.
            return b'{"result":%b}' % data if self._is_wrapped else data
        if self._decode is None:
            self._decode = msgspec.json.Decoder(
                self._handler_return_type,
                dec_hook=decode_hook,
            ).decode
        try:
            # The schema describes the JSON form rather than the Python object, so the encoded
            # data is validated by decoding it.
            self._decode(data)
        except (msgspec.ValidationError, NotImplementedError) as error:
            raise ResultError(f"returned {type(value).__name__}: {error}") from None
        return b'{"result":%b}' % data if self._is_wrapped else data

    def wrap_structured_content(self, data: bytes) -> bytes:
        """Return structured content as a JSON object, wrapped as `{"result": …}` if necessary.

        Session versions of the protocol require an object.

        Raises:
            ResultError: The data violates the declared output schema.
        """
        error = self._validator.find_error(msgspec.json.decode(data)) if self._validator else None
        if error:
            raise ResultError(f"the structured content violates the output schema: {error}")
        return b'{"result":%b}' % data if self._is_wrapped or data[:1] != b"{" else data

    def check_absent_content(self) -> None:
        """Raise an error if the tool declares structured content.

        Raises:
            ResultError: The tool has an output schema.
        """
        if self.output_schema is not None:
            raise ResultError("no structured content, although the tool has an output schema")

    def check_content(self, value: Any, content: list[Content]) -> None:
        """Check content blocks against the declared `return_type`.

        Raises:
            ResultError: The value is of another type.
        """
        if self._content_return_type is None:
            return
        # return_type may name content types or Python types; one match is enough.
        allowed = _get_content_types(self._content_return_type)
        mismatches = [block for block in content if not isinstance(block, allowed)]
        if mismatches and not isinstance(value, _get_python_types(self._content_return_type)):
            declared = self._content_return_type
            if not typing.get_args(declared):
                declared = getattr(declared, "__name__", declared)
            raise ResultError(f"returned {type(value).__name__}, declared {declared}")

    def _derive_schema(self, returns: Any) -> None:
        """Set the output schema for a return type. Without one, results are plain content."""
        try:
            schema = build_type_schema(returns, self.where, is_output=True)
        except DefinitionError:
            # A return type without a schema is valid: the tool then declares no output schema.
            self.is_content = True
            return
        self._set_schema(schema)

    def _set_schema(self, schema: Json) -> None:
        """Set the output schema, wrapped in an object if it describes another type."""
        # JSON Schema allows a schema without "type", but the protocol requires it.
        if "type" not in schema and "properties" in schema:
            schema = {"type": "object", **schema}
        self._is_wrapped = schema.get("type") != "object"
        if self._is_wrapped:
            definitions = schema.get("$defs")
            inner = {key: value for key, value in schema.items() if key != "$defs"}
            schema = {"type": "object", "properties": {"result": inner}, "required": ["result"]}
            if definitions:
                schema["$defs"] = definitions
        self.output_schema = schema


def _is_content_type(returns: Any) -> bool:
    """Return whether a return type means text or content rather than data."""
    if any(returns is kind for kind in _CONTENT_RETURN_TYPES):
        return True
    if isinstance(returns, type):
        return issubclass(returns, Content | CallToolResult)
    return any(_has_content_type(part) for part in typing.get_args(returns))


def _has_pydantic_model(value: Any) -> bool:
    items = value if isinstance(value, list | tuple) else [value]
    return any(is_pydantic_model(type(item)) for item in items)


def _has_content_type(hint: Any) -> bool:
    if isinstance(hint, type):
        return issubclass(hint, Content | CallToolResult | bytes)
    return any(_has_content_type(argument) for argument in typing.get_args(hint))


def _get_content_types(declared: Any) -> tuple[type, ...]:
    """Return the content types that a declaration allows: a type, a list of one, or a union."""
    if isinstance(declared, type) and typing.get_origin(declared) is None:
        if declared is list:
            return (Content,)
        return (TextContent,) if declared is str else (declared,)
    arguments = typing.get_args(declared)
    return tuple(
        kind
        for argument in arguments
        if argument is not type(None)
        for kind in _get_content_types(argument)
    )


def _get_python_types(declared: Any) -> tuple[type, ...]:
    """Return the Python types that a declaration allows."""
    origin = typing.get_origin(declared)
    if isinstance(declared, type) and origin is None:
        return (declared,)
    if isinstance(origin, type) and origin is not types.UnionType:
        return (origin,) if origin is dict else ()
    return tuple(
        kind for argument in typing.get_args(declared) for kind in _get_python_types(argument)
    )
