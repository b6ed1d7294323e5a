"""Conversion of a handler's return value to the result of `tools/call`.

Common types are encoded directly as JSON, which is faster than building content objects. A value
that cannot be encoded becomes an error result that names its type.
"""

from __future__ import annotations

import io
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from msgspec import Raw
from msgspec.json import format as format_json

from paddock.authoring.output_schema import ResultError
from paddock.authoring.type_hooks import encode_json
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
    from collections.abc import Mapping

    from paddock.authoring.output_schema import OutputSchema
    from paddock.protocol.request import Result

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
"""Size from which encoded text is passed on as a separate piece, which saves a copy."""
_IMAGE_CLASSES = {("PIL", "Image"): "pil", ("matplotlib", "Figure"): "figure"}
# Cached by type, because walking a class hierarchy for every result would be slow.
_image_kinds: dict[type, str | None] = {}


def build_error_result(text: str) -> bytes:
    """Return the members of an error result, whose text the model sees."""
    return b'"content":[{"type":"text","text":%b}],"isError":true' % encode_string(text)


def dump_json(data: Mapping[str, object]) -> str:
    """Format data as indented JSON."""
    return format_json(_encode_value(data), indent=2).decode()


def run_if_coroutine(value: Any) -> Any:
    """Return a handler's value, after running it if it is a coroutine.

    A plain wrapper of an `async def` function returns a coroutine. It runs on a new event loop.
    """
    if value.__class__ is not CoroutineType:
        return value
    import asyncio  # 45 ms, and already imported where coroutines exist

    return asyncio.run(value)


def convert_result(value: Any, output_schema: OutputSchema) -> Result:
    """Return the encoded result of `tools/call` for a handler's return value.

    Text and content objects become content blocks. Other values are data, which is sent both as
    JSON text and, if possible, as structured content. The most common types have fast paths.

    Raises:
        ResultError: The value cannot be encoded, or does not match what the tool declares.
    """
    kind = value.__class__
    if kind is str and output_schema.is_text:
        text = encode_string(value)
        if len(text) > LARGE_TEXT_BYTES:
            return b'"content":[{"type":"text","text":', text, b"}]"
        return b'"content":[{"type":"text","text":%b}]' % text
    if kind is dict and output_schema.is_any_object:
        data = _encode_value(value)
        return b'"content":[{"type":"text","text":%b}],"structuredContent":%b' % (
            _quote_json(data),
            data,
        )
    if kind is output_schema.scalar_type:
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
    content = None if kind is dict else _to_content(value, output_schema)
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
    """Return the result for an author's `CallToolResult`, whose members are sent as they are.

    Structured content must match the output schema unless the result is an error.
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
    _encode_value(value.meta)  # raises a ResultError here, where it becomes an error result
    return {**result, "_meta": value.meta}


def _require_content(item: object) -> object:
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
    try:
        return encode_json(value)
    except (TypeError, NotImplementedError, ValueError, RecursionError) as error:
        raise ResultError(
            f"returned a {type(value).__name__}, which is neither content nor JSON: {error}",
            hint="return text, content, (bytes, mime type), or JSON data",
        ) from None


def _quote_json(data: bytes) -> bytes:
    """Encode JSON text as a JSON string. Only two characters can need escapes in it."""
    # JSON text contains no control characters, so only backslashes and quotes need escapes.
    return b'"%b"' % data.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def _to_content(value: Any, output_schema: OutputSchema) -> list[Content] | None:
    """Return the content blocks for a value, or None if the value is data."""
    if value is None:
        return [] if output_schema.is_content else None
    if isinstance(value, str):
        return [TextContent(value)] if output_schema.is_content else None
    if isinstance(value, Content):
        return [value]
    if isinstance(value, bytes | bytearray):
        return [_to_media_content(bytes(value), output_schema.mime_type, output_schema.where)]
    # (data, media type), a short form of ImageContent or AudioContent.
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], bytes | bytearray):
        if not isinstance(value[1], str):
            raise ResultError(f"returned (bytes, {value[1]!r})", hint="expected a MIME type")
        return [_to_media_content(bytes(value[0]), value[1], output_schema.where)]
    # A list is content if it is declared as such or contains a content object. Other lists are
    # data.
    is_list = isinstance(value, list | tuple)
    if is_list and (
        output_schema.is_content_list or any(_is_content_value(item) for item in value)
    ):
        return [block for item in value for block in _to_content_items(item, output_schema)]
    image = _to_image_content(value)
    return None if image is None else [image]


def _is_content_value(item: object) -> bool:
    if isinstance(item, tuple):
        return len(item) == 2 and isinstance(item[0], bytes) and isinstance(item[1], str)
    return isinstance(item, Content | bytes) or _get_image_kind(item) is not None


def _to_content_items(item: Any, output_schema: OutputSchema) -> list[Content]:
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
    """Return the content block for bytes: an image, audio, or an embedded resource.

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
    if data[:4] == b"RIFF":
        return _RIFF_MEDIA_TYPES.get(data[8:12])
    return next(
        (mime for magic_bytes, mime in _MAGIC_BYTES.items() if data.startswith(magic_bytes)), None
    )


def _get_image_kind(value: object) -> str | None:
    """Return "pil" or "figure" for images of PIL and matplotlib, without importing either."""
    kind = type(value)
    if kind not in _image_kinds:
        names = {(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__}
        _image_kinds[kind] = next(
            (_IMAGE_CLASSES[name] for name in names if name in _IMAGE_CLASSES), None
        )
    return _image_kinds[kind]


def _to_image_content(value: Any) -> Content | None:
    kind = _get_image_kind(value)
    if kind is None:
        return None
    buffer = io.BytesIO()
    if kind == "pil":
        value.save(buffer, format="PNG")
    else:
        value.savefig(buffer, format="png", bbox_inches="tight")
    return ImageContent(buffer.getvalue(), "image/png")


def _encode_data_result(value: Any, output_schema: OutputSchema) -> bytes:
    """Return the result for data, as JSON text and possibly as structured content."""
    data = _encode_value(value)
    # NaN and infinities, see convert_result.
    if data == b"null" and value is not None:
        raise ResultError(f"returned {value}, which JSON cannot represent")
    # Data is sent as one text block.
    output_schema.check_content(value, [TextContent("")])
    structured = output_schema.to_structured_content(value, data)
    members = b'"content":[{"type":"text","text":%b}]' % _quote_json(data)
    return members if structured is None else members + b',"structuredContent":%b' % structured
