"""From what a handler returns to the result of `tools/call`.

The common kinds are written straight as JSON; everything else goes through content objects. A
value that cannot be sent is an error result that says what was returned.
"""

from __future__ import annotations

import io
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from msgspec import Raw
from msgspec.json import format as format_json

from paddock.authoring.hints import encode
from paddock.authoring.structure import ResultError
from paddock.protocol.model.content import (
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

    from paddock.authoring.structure import Structure
    from paddock.protocol.request import Result

_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"ID3": "audio/mpeg",
    b"OggS": "audio/ogg",
    b"fLaC": "audio/flac",
}
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp"}
CONTENT_TYPES = ("text", "image", "audio", "resource", "resource_link")
LARGE = 65_536
"""Bytes of text beyond which one copy less is worth the trouble."""
_PICTURES = {("PIL", "Image"): "pil", ("matplotlib", "Figure"): "figure"}
_picture_kinds: dict[type, str | None] = {}


def error_result(text: str) -> bytes:
    """The members of a result that tells the model what went wrong."""
    return b'"content":[{"type":"text","text":%b}],"isError":true' % encode_text(text)


def shown(data: Mapping[str, object]) -> str:
    """JSON data as a text for people and models to read."""
    return format_json(_json(data), indent=2).decode()


def finished(value: Any) -> Any:
    """A handler's return value.

    A coroutine, as plain wrappers of async functions return them, is run to its end here.
    """
    if value.__class__ is not CoroutineType:
        return value
    import asyncio  # noqa: PLC0415 - loaded already where there are coroutines

    return asyncio.run(value)


def convert(value: Any, structure: Structure) -> Result:
    """The result that stands for a handler's return value.

    Raises:
        ResultError: when there is none, or it is not what the tool declares.
    """
    kind = value.__class__
    if kind is str and structure.is_text:
        text = encode_text(value)
        if len(text) > LARGE:
            return b'"content":[{"type":"text","text":', text, b"}]"
        return b'"content":[{"type":"text","text":%b}]' % text
    if kind is dict and structure.is_any_object:
        data = _json(value)
        return b'"content":[{"type":"text","text":%b}],"structuredContent":%b' % (
            _quoted(data),
            data,
        )
    if kind is structure.scalar:
        text = encode(value)
        if text == b"null":
            raise ResultError(f"returned {value}, which JSON cannot express")
        return b'"content":[{"type":"text","text":"%b"}],"structuredContent":{"result":%b}' % (
            text,
            text,
        )
    if isinstance(value, CallToolResult):
        return _full(value, structure)
    content = None if kind is dict else _content(value, structure)
    if content is None:
        return _data(value, structure)
    structure.check_content(value, content)
    structure.check_promise()
    return _encoded({"content": content})


def encode_text(text: str) -> bytes:
    """A string as JSON; halves of surrogate pairs, which have no UTF-8, become `?`."""
    try:
        return encode(text)
    except UnicodeEncodeError:
        return encode(text.encode("utf-8", "replace").decode())


def _full(value: CallToolResult, structure: Structure) -> Result:
    several = value.content if isinstance(value.content, list | tuple) else [value.content]
    result: dict[str, object] = {"content": [_as_content(item) for item in several]}
    if value.structured_content is not None:
        data = _json(value.structured_content)
        result["structuredContent"] = Raw(data if value.is_error else structure.wrapped(data))
    elif not value.is_error:
        structure.check_promise()
    if value.is_error:
        result["isError"] = True
    if value.meta is None:
        return _encoded(result)
    _json(value.meta)
    return {**result, "_meta": value.meta}


def _as_content(item: object) -> object:
    if isinstance(item, str):
        return TextContent(item)
    if isinstance(item, dict) and item.get("type") not in CONTENT_TYPES:
        raise ResultError(
            f"the content of the result holds an object of type {item.get('type')!r}",
            hint=f"known are {', '.join(CONTENT_TYPES)}",
        )
    if not isinstance(item, Content | dict):
        raise ResultError(f"the content of the result holds a {type(item).__name__}")
    return item


def _encoded(result: dict[str, object]) -> bytes:
    return _json(result)[1:-1]


def _json(value: object) -> bytes:
    try:
        return encode(value)
    except (TypeError, NotImplementedError, ValueError, RecursionError) as error:
        raise ResultError(
            f"returned a {type(value).__name__}, which is neither content nor JSON: {error}",
            hint="return text, content, (bytes, mime type), or JSON data",
        ) from None


def _quoted(data: bytes) -> bytes:
    """JSON as a string of JSON: it has no control characters, only two others to escape."""
    return b'"%b"' % data.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def _content(value: Any, structure: Structure) -> list[Content] | None:
    """The content objects that a value is or stands for; None when it is data."""
    if value is None:
        return [] if structure.is_plain else None
    if isinstance(value, str):
        return [TextContent(value)] if structure.is_plain else None
    if isinstance(value, Content):
        return [value]
    if isinstance(value, bytes | bytearray):
        return [_media(bytes(value), structure.mime_type, structure.where)]
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], bytes | bytearray):
        if not isinstance(value[1], str):
            raise ResultError(f"returned (bytes, {value[1]!r})", hint="expected a MIME type")
        return [_media(bytes(value[0]), value[1], structure.where)]
    is_list = isinstance(value, list | tuple)
    if is_list and (structure.is_content_list or any(_is_content(item) for item in value)):
        return [part for item in value for part in _part(item, structure)]
    picture = _picture(value)
    return None if picture is None else [picture]


def _is_content(item: object) -> bool:
    if isinstance(item, tuple):
        return len(item) == 2 and isinstance(item[0], bytes) and isinstance(item[1], str)
    return isinstance(item, Content | bytes) or _picture_kind(item) is not None


def _part(item: Any, structure: Structure) -> list[Content]:
    if isinstance(item, str):
        return [TextContent(item)]
    found = _content(item, structure)
    if found is None:
        raise ResultError(
            f"a list of content holds a {type(item).__name__}",
            hint="return content objects and strings only, or data only",
        )
    return found


def _media(data: bytes, mime_type: str | None, where: str) -> Content:
    mime_type = mime_type or _sniff(data)
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


def _sniff(data: bytes) -> str | None:
    if data[:4] == b"RIFF":
        return _RIFF.get(data[8:12])
    return next((mime for start, mime in _SIGNATURES.items() if data.startswith(start)), None)


def _picture_kind(value: object) -> str | None:
    """Whether a value is a PIL image or a matplotlib figure, without importing either."""
    kind = type(value)
    if kind not in _picture_kinds:
        names = {(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__}
        found = next((_PICTURES[name] for name in names if name in _PICTURES), None)
        _picture_kinds[kind] = found
    return _picture_kinds[kind]


def _picture(value: Any) -> Content | None:
    kind = _picture_kind(value)
    if kind is None:
        return None
    buffer = io.BytesIO()
    if kind == "pil":
        value.save(buffer, format="PNG")
    else:
        value.savefig(buffer, format="png", bbox_inches="tight")
    return ImageContent(buffer.getvalue(), "image/png")


def _data(value: Any, structure: Structure) -> bytes:
    data = _json(value)
    if data == b"null" and value is not None:
        raise ResultError(f"returned {value}, which JSON cannot express")
    structure.check_content(value, [TextContent("")])
    structured = structure.structured(value, data)
    text = b'"content":[{"type":"text","text":%b}]' % _quoted(data)
    return text if structured is None else text + b',"structuredContent":%b' % structured
