"""Tool output schemas, and conversion of a handler's return value to a `tools/call` result.

Common types are encoded directly as JSON, which is faster than building content objects. A value
that cannot be encoded becomes an error result that names its type.
"""

from __future__ import annotations

import io
import typing
from types import CoroutineType, UnionType
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw
from msgspec.json import format as format_json

from paddock.authoring.json_schema import SchemaValidator
from paddock.authoring.schema import build_type_schema
from paddock.authoring.tool import NO_DEFAULT
from paddock.authoring.type_hooks import decode_hook, encode_json, is_pydantic_model
from paddock.errors import DefinitionError, PaddockError
from paddock.lazy_modules import LazyModule
from paddock.protocol.content import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    Content,
    EmbeddedResource,
    ImageContent,
    TextContent,
)

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from paddock.protocol.request import Result
else:  # 45 ms, and already loaded where coroutines exist
    asyncio = LazyModule("asyncio")

Json = dict[str, Any]

_MAGIC_BYTES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"ID3": "audio/mpeg",
    b"OggS": "audio/ogg",
    b"fLaC": "audio/flac",
}
_RIFF_MEDIA_TYPES = {b"WAVE": "audio/wav", b"WEBP": "image/webp"}
CONTENT_TYPES = ("text", "image", "audio", "resource", "resource_link")
LARGE_TEXT_BYTES = 65_536
"""Minimum size of encoded text that is passed on as a separate piece, which saves a copy."""
_IMAGE_CLASSES = {("PIL", "Image"): "pil", ("matplotlib", "Figure"): "figure"}
# Cached by type, because walking a class hierarchy for every result would be slow.
_image_kinds: dict[type, str | None] = {}
_SCALAR_TYPES = (int, float, bool)
_UNTYPED_OBJECTS: tuple[object, ...] = (dict, dict[str, Any], dict[str, object])
_CONTENT_RETURN_TYPES: tuple[object, ...] = (
    *(NO_DEFAULT, None, type(None), str),
    *(bytes, bytearray, Any, object),
)


class ResultError(PaddockError):
    """A handler's result cannot be encoded, or does not match the tool's declaration."""

    code = "result"


class OutputSchema:
    """The declared form of a tool's results, by default derived from its return type.

    Args:
        returns: The handler's return annotation, or `NO_DEFAULT`.
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
        """Return the structured content of a result as JSON, or None if the result has none.

        Structured content is the part of a tool's result that conforms to the output schema.

        Args:
            value: The value that the handler has returned.
            data: The value encoded as JSON.

        Raises:
            ResultError: The value does not match the declared type or schema.
        """
        if self._validator is not None:
            return self.wrap_structured_content(data)
        if self.is_content:
            # The data has no declared schema. Protocol versions with sessions require structured
            # content to be an object, so other values are sent only as text.
            return data if data[:1] == b"{" else None
        if _has_pydantic_model(value):
            # Because of aliases and computed fields, the serialized form of a pydantic model may
            # differ from the form that it validates.
            return b'{"result":%b}' % data if self._is_wrapped else data
        if self._decode is None:
            self._decode = msgspec.json.Decoder(
                self._handler_return_type,
                dec_hook=decode_hook,
            ).decode
        try:
            # The schema describes the JSON form rather than the Python object, so the encoded data
            # is decoded for validation.
            self._decode(data)
        except (msgspec.ValidationError, NotImplementedError) as error:
            raise ResultError(f"returned {type(value).__name__}: {error}") from None
        return b'{"result":%b}' % data if self._is_wrapped else data

    def wrap_structured_content(self, data: bytes) -> bytes:
        """Return structured content as a JSON object, wrapped as `{"result": …}` if necessary.

        The protocol versions with sessions require an object.

        Args:
            data: The structured content, encoded as JSON.

        Raises:
            ResultError: The data violates the declared output schema.
        """
        if self._validator is not None:
            violation = self._validator.find_error(msgspec.json.decode(data))
            if violation:
                raise ResultError(f"the structured content violates the output schema: {violation}")
        return b'{"result":%b}' % data if self._is_wrapped or data[:1] != b"{" else data

    def check_absent_content(self) -> None:
        """Check that a result without structured content is valid for the tool.

        Raises:
            ResultError: The tool has an output schema, so it must return structured content.
        """
        if self.output_schema is not None:
            raise ResultError("no structured content, although the tool has an output schema")

    def check_content(self, value: Any, content: list[Content]) -> None:
        """Check that a result has the type that the tool declares as `return_type`.

        The type may include content types, such as `ImageContent`, or Python types, such as
        `bytes`. The result is valid if its content blocks or the handler's value match.

        Args:
            value: The value that the handler has returned.
            content: The content blocks for this value.

        Raises:
            ResultError: Neither the value nor its content blocks match.
        """
        if self._content_return_type is None:
            return
        allowed_types = _get_content_types(self._content_return_type)
        has_only_allowed_blocks = all(isinstance(block, allowed_types) for block in content)
        if not has_only_allowed_blocks and not isinstance(
            value, _get_python_types(self._content_return_type)
        ):
            declared = self._content_return_type
            if not typing.get_args(declared):
                declared = getattr(declared, "__name__", declared)
            raise ResultError(f"returned {type(value).__name__}, declared {declared}")

    def _derive_schema(self, returns: Any) -> None:
        """Derive the output schema from a handler's return type.

        A type that JSON Schema cannot describe has no output schema. Its results are sent only as
        content.
        """
        try:
            schema = build_type_schema(returns, self.where, is_output=True)
        except DefinitionError:
            self.is_content = True
            return
        self._set_schema(schema)

    def _set_schema(self, schema: Json) -> None:
        """Set the output schema, which must describe an object according to the protocol.

        A schema for another type is wrapped: `{"type": "integer"}` becomes an object schema with
        the integer as its `result` property.
        """
        # JSON Schema allows a schema without "type", but the protocol requires it.
        if "type" not in schema and "properties" in schema:
            schema = {"type": "object", **schema}
        self._is_wrapped = schema.get("type") != "object"
        if self._is_wrapped:
            # References are resolved from the root, so the definitions must remain there.
            definitions = schema.get("$defs")
            result_schema = {key: value for key, value in schema.items() if key != "$defs"}
            schema = {
                "type": "object",
                "properties": {"result": result_schema},
                "required": ["result"],
            }
            if definitions:
                schema["$defs"] = definitions
        self.output_schema = schema


def _is_content_type(returns: Any) -> bool:
    """Return whether a return type represents text or content rather than data."""
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
    """Return the content types that a tool's declared return type allows in a result.

    For example, `list[ImageContent] | str` allows images and text.
    """
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
    """Return the Python types that a tool's declared return type allows for its handler's value.

    For example, `bytes | dict[str, int]` allows `bytes` and `dict`. Types such as `list[int]` are
    left out, because list items are checked as content blocks.
    """
    origin = typing.get_origin(declared)
    if isinstance(declared, type) and origin is None:
        return (declared,)
    if isinstance(origin, type) and origin is not UnionType:
        return (origin,) if origin is dict else ()
    return tuple(
        kind for argument in typing.get_args(declared) for kind in _get_python_types(argument)
    )


def build_error_result(text: str) -> bytes:
    """Return the fields of an error result. The model sees its text."""
    return b'"content":[{"type":"text","text":%b}],"isError":true' % encode_string(text)


def dump_json(data: Mapping[str, object]) -> str:
    """Format data as indented JSON."""
    return format_json(_encode_value(data), indent=2).decode()


def run_if_coroutine(value: Any) -> Any:
    """Return a plain handler's value, or the result of the coroutine that the handler returned.

    A plain function that wraps an `async def` function returns a coroutine. The coroutine is run on
    a new event loop, which blocks this thread until it finishes.
    """
    if value.__class__ is not CoroutineType:
        return value
    return asyncio.run(value)


def convert_result(value: Any, output_schema: OutputSchema) -> Result:
    """Return the encoded result of `tools/call` for a handler's return value.

    Text and content objects become content blocks. Other values are data, which is sent as JSON
    text and, if possible, also as structured content. The most common types have fast paths that
    write the JSON directly instead of building content objects.

    Raises:
        ResultError: The value cannot be encoded, or does not match what the tool declares.
    """
    value_type = value.__class__
    if value_type is str and output_schema.is_text:
        text = encode_string(value)
        if len(text) > LARGE_TEXT_BYTES:
            return b'"content":[{"type":"text","text":', text, b"}]"
        return b'"content":[{"type":"text","text":%b}]' % text
    if value_type is dict and output_schema.is_any_object:
        data = _encode_value(value)
        return b'"content":[{"type":"text","text":%b}],"structuredContent":%b' % (
            _quote_json(data),
            data,
        )
    if value_type is output_schema.scalar_type:
        text = encode_json(value)
        # msgspec writes NaN and infinities as null, which would violate the declared schema.
        if text == b"null":
            raise ResultError(f"returned {value}, which JSON cannot represent")
        return b'"content":[{"type":"text","text":"%b"}],"structuredContent":{"result":%b}' % (
            text,
            text,
        )
    if isinstance(value, CallToolResult):
        return _convert_call_tool_result(value, output_schema)
    content = None if value_type is dict else _to_content(value, output_schema)
    if content is None:
        return _encode_data_result(value, output_schema)
    output_schema.check_content(value, content)
    output_schema.check_absent_content()
    return _encode_members({"content": content})


def encode_string(text: str) -> bytes:
    """Encode a string as JSON. Lone surrogates, which UTF-8 cannot encode, are replaced by `?`."""
    try:
        return encode_json(text)
    except UnicodeEncodeError:
        return encode_json(text.encode("utf-8", "replace").decode())


def _convert_call_tool_result(value: CallToolResult, output_schema: OutputSchema) -> Result:
    """Encode a `CallToolResult`, which gives authors full control over the result's fields.

    The fields are sent unchanged. Structured content must match the output schema unless the result
    is an error.

    Raises:
        ResultError: The content contains another object, or does not match the output schema.
    """
    content = value.content if isinstance(value.content, list | tuple) else [value.content]
    result: dict[str, object] = {"content": [_require_content(item) for item in content]}
    if value.structured_content is not None:
        data = _encode_value(value.structured_content)
        result["structuredContent"] = Raw(
            data if value.is_error else output_schema.wrap_structured_content(data)
        )
    elif not value.is_error:
        output_schema.check_absent_content()
    if value.is_error:
        result["isError"] = True
    if value.meta is None:
        return _encode_members(result)
    # The metadata is encoded only so that a ResultError is raised here, where it becomes an error
    # result.
    _encode_value(value.meta)
    return {**result, "_meta": value.meta}


def _require_content(item: object) -> object:
    """Convert an item in a `CallToolResult`'s content to a content block.

    Raises:
        ResultError: The item is neither a string nor a content block.
    """
    if isinstance(item, str):
        return TextContent(item)
    if isinstance(item, dict) and item.get("type") not in CONTENT_TYPES:
        raise ResultError(
            f"the content of the result contains an object of type {item.get('type')!r}",
            hint=f"expected {', '.join(CONTENT_TYPES)}",
        )
    if not isinstance(item, Content | dict):
        raise ResultError(f"the content of the result contains a {type(item).__name__}")
    return item


def _encode_members(result: dict[str, object]) -> bytes:
    return _encode_value(result)[1:-1]


def _encode_value(value: object) -> bytes:
    """Return a handler's value encoded as JSON.

    Raises:
        ResultError: The value has no JSON form.
    """
    try:
        return encode_json(value)
    except (TypeError, NotImplementedError, ValueError, RecursionError) as error:
        raise ResultError(
            f"returned a {type(value).__name__}, which is neither content nor JSON: {error}",
            hint="return text, content, (bytes, mime type), or JSON data",
        ) from None


def _quote_json(data: bytes) -> bytes:
    """Encode JSON text as a JSON string. Only two characters may need escaping."""
    # JSON text contains no control characters, so only backslashes and quotes need escaping.
    return b'"%b"' % data.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def _to_content(value: Any, output_schema: OutputSchema) -> list[Content] | None:
    """Return the content blocks for a handler's value, or None if the value is data.

    Data is sent as JSON. Strings and None are data too, unless the tool returns plain content.
    """
    if value is None:
        return [] if output_schema.is_content else None
    if isinstance(value, str):
        return [TextContent(value)] if output_schema.is_content else None
    if isinstance(value, Content):
        return [value]
    if isinstance(value, bytes | bytearray):
        return [_to_media_content(bytes(value), output_schema.mime_type, output_schema.where)]
    # A pair of bytes and a media type is shorthand for ImageContent or AudioContent.
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], bytes | bytearray):
        if not isinstance(value[1], str):
            raise ResultError(f"returned (bytes, {value[1]!r})", hint="expected a MIME type")
        return [_to_media_content(bytes(value[0]), value[1], output_schema.where)]
    # A list is content if the tool declares it as such, or if it contains a content object. Other
    # lists are data.
    is_list = isinstance(value, list | tuple)
    has_content = is_list and any(_is_content_value(item) for item in value)
    if has_content or (is_list and output_schema.is_content_list):
        return [block for item in value for block in _to_content_items(item, output_schema)]
    image = _to_image_content(value)
    return None if image is None else [image]


def _is_content_value(item: object) -> bool:
    if isinstance(item, tuple):
        return len(item) == 2 and isinstance(item[0], bytes) and isinstance(item[1], str)
    return isinstance(item, Content | bytes) or _get_image_kind(item) is not None


def _to_content_items(item: Any, output_schema: OutputSchema) -> list[Content]:
    """Return the content blocks for an item of a list that is treated as content.

    Raises:
        ResultError: The item is data, which such a list must not contain.
    """
    if isinstance(item, str):
        return [TextContent(item)]
    content = _to_content(item, output_schema)
    if content is None:
        raise ResultError(
            f"a list of content contains a {type(item).__name__}",
            hint="return only content objects and strings, or only data",
        )
    return content


def _to_media_content(data: bytes, mime_type: str | None, where: str) -> Content:
    """Return the content block for the bytes that a handler has returned.

    Images and audio have their own block types. Other data becomes an embedded resource.

    Args:
        data: The bytes.
        mime_type: The declared media type. By default, it is detected from the first bytes.
        where: The tool's name, for the URI of an embedded resource.

    Raises:
        ResultError: The media type is neither declared nor recognizable.
    """
    mime_type = mime_type or _detect_media_type(data)
    if mime_type is None:
        raise ResultError(
            f"returned {len(data)} bytes of an unknown type",
            hint='return (data, "mime/type"), or declare mime_type',
        )
    if mime_type.startswith("image/"):
        return ImageContent(data, mime_type)
    if mime_type.startswith("audio/"):
        return AudioContent(data, mime_type)
    uri = f"tool://{where}/result"
    return EmbeddedResource(BlobResourceContents(uri, data, mime_type))


def _detect_media_type(data: bytes) -> str | None:
    """Detect the media type of an image or audio file from its first bytes, or return None."""
    if data[:4] == b"RIFF":
        return _RIFF_MEDIA_TYPES.get(data[8:12])
    return next(
        (mime for magic_bytes, mime in _MAGIC_BYTES.items() if data.startswith(magic_bytes)), None
    )


def _get_image_kind(value: object) -> str | None:
    """Return "pil" for a PIL image, "figure" for a matplotlib figure, or None.

    The classes are recognized by name, so neither package needs to be imported.
    """
    value_type = type(value)
    if value_type not in _image_kinds:
        class_names = {
            (base.__module__.partition(".")[0], base.__name__) for base in value_type.__mro__
        }
        _image_kinds[value_type] = next(
            (_IMAGE_CLASSES[name] for name in class_names if name in _IMAGE_CLASSES), None
        )
    return _image_kinds[value_type]


def _to_image_content(value: Any) -> Content | None:
    """Return the content block for a PIL image or matplotlib figure, or None for any other value.

    The image is sent as PNG.
    """
    image_kind = _get_image_kind(value)
    if image_kind is None:
        return None
    buffer = io.BytesIO()
    if image_kind == "pil":
        value.save(buffer, format="PNG")
    else:
        value.savefig(buffer, format="png", bbox_inches="tight")
    return ImageContent(buffer.getvalue(), "image/png")


def _encode_data_result(value: Any, output_schema: OutputSchema) -> bytes:
    """Return the encoded result for data: JSON text and, if possible, structured content.

    Raises:
        ResultError: The value has no JSON form, or does not match what the tool declares.
    """
    data = _encode_value(value)
    # msgspec writes NaN and infinities as null.
    if data == b"null" and value is not None:
        raise ResultError(f"returned {value}, which JSON cannot represent")
    # Data is sent as one text block. The check does not depend on its text.
    output_schema.check_content(value, [TextContent("")])
    structured_content = output_schema.to_structured_content(value, data)
    members = b'"content":[{"type":"text","text":%b}]' % _quote_json(data)
    if structured_content is None:
        return members
    return members + b',"structuredContent":%b' % structured_content
