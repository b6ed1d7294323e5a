"""Content as a server sends it, into the content Structs of the protocol's model.

The model's types accept more than one form of some fields, for the convenience of authors; what
travels has only one, which is spelled out here.
"""

from __future__ import annotations

from typing import cast

import msgspec
from msgspec import NODEFAULT, Struct

from paddock.peer.errors import AnswerError
from paddock.peer.settings import Json
from paddock.protocol.model.content import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    Content,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

AnyContent = Content | Json
"""A kind of content that we know, or the JSON object of one that we do not."""
AnyResourceContents = TextResourceContents | BlobResourceContents

_WIRE_FIELD_TYPES: dict[str, object] = {"annotations": Annotations | None, "resource": Json}


def _define_wire_type(kind: type[Struct]) -> type[Struct]:
    """The same fields, each with the one type that it has on the wire."""
    fields = []
    for field in msgspec.structs.fields(kind):
        known_as = msgspec.field(name=field.encode_name)
        if field.default is not NODEFAULT:
            known_as = msgspec.field(name=field.encode_name, default=field.default)
        fields.append((field.name, _WIRE_FIELD_TYPES.get(field.name, field.type), known_as))
    return msgspec.defstruct(kind.__name__, fields)


_CONTENT_TYPES: dict[object, tuple[type[Content], type[Struct]]] = {
    kind.__struct_config__.tag: (kind, _define_wire_type(kind))
    for kind in (TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource)
}


def parse_content(value: object) -> AnyContent:
    """One piece of content.

    Raises:
        AnswerError: saying which field is wrong.
    """
    if not isinstance(value, dict):
        raise AnswerError(f"Expected content, got {value!r:.60}")
    if value.get("type") not in _CONTENT_TYPES:
        return cast("Json", value)
    kind, wire_type = _CONTENT_TYPES[value["type"]]
    sent = _convert_content(value, wire_type, f"{value['type']} content")
    fields = {name: getattr(sent, name) for name in sent.__struct_fields__}
    if "resource" in fields:
        fields["resource"] = parse_resource_contents(fields["resource"])
    return kind(**fields)


def parse_resource_contents(value: object) -> AnyResourceContents:
    """The contents of a resource, or of a part of one.

    Raises:
        AnswerError: saying which field is wrong.
    """
    is_binary = isinstance(value, dict) and "blob" in value
    kind = BlobResourceContents if is_binary else TextResourceContents
    return cast("AnyResourceContents", _convert_content(value, kind, "the contents of a resource"))


def join_text(contents: list[AnyContent]) -> str:
    """The text among contents, each piece on lines of its own."""
    return "\n".join(piece.text for piece in contents if isinstance(piece, TextContent))


def _convert_content(value: object, kind: type[Struct], what: str) -> Struct:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as fault:
        raise AnswerError(f"Not {what}: {fault}") from None
