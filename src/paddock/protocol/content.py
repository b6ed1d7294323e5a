"""Content blocks of tool results, prompt messages and resources."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field, to_builtins

Role = Literal["user", "assistant"]
Json = dict[str, object]


class Annotations(Struct, omit_defaults=True, rename="camel"):
    """Hints about the intended audience of content and its importance (0 to 1)."""

    audience: list[Role] | None = None
    priority: float | None = None
    last_modified: str | None = None


class Icon(Struct, omit_defaults=True, rename="camel"):
    """An icon of a server, tool, prompt or resource."""

    src: str
    mime_type: str | None = None
    sizes: list[str] | None = None
    theme: Literal["light", "dark"] | None = None

    def to_json(self) -> Json:
        """Return the icon as a JSON object."""
        icon: Json = to_builtins(self)
        return icon


class Content(Struct, omit_defaults=True, rename="camel", tag_field="type"):
    """Base class of content blocks."""


class TextContent(Content, tag="text"):
    """A text block."""

    text: str
    annotations: Annotations | Json | None = None
    meta: Json | None = field(default=None, name="_meta")


class ImageContent(Content, tag="image"):
    """An image. Its bytes are encoded as base64."""

    data: bytes
    mime_type: str
    annotations: Annotations | Json | None = None
    meta: Json | None = field(default=None, name="_meta")


class AudioContent(Content, tag="audio"):
    """A sound. Its bytes are encoded as base64."""

    data: bytes
    mime_type: str
    annotations: Annotations | Json | None = None
    meta: Json | None = field(default=None, name="_meta")


class ResourceLink(Content, tag="resource_link"):
    """A link to a resource, which a tool returns instead of the resource's contents.

    The client may read the resource later with `resources/read`.
    """

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    icons: list[Icon] | None = None
    annotations: Annotations | Json | None = None
    meta: Json | None = field(default=None, name="_meta")


class ResourceContents(Struct, omit_defaults=True, rename="camel"):
    """Base class of the contents of a resource."""

    uri: str


class TextResourceContents(ResourceContents):
    """Text contents of a resource or part of one."""

    text: str
    mime_type: str | None = None
    meta: Json | None = field(default=None, name="_meta")


class BlobResourceContents(ResourceContents):
    """Binary contents of a resource or part of one, encoded as base64."""

    blob: bytes
    mime_type: str | None = None
    meta: Json | None = field(default=None, name="_meta")


class EmbeddedResource(Content, tag="resource"):
    """A resource included in a result or a message."""

    resource: TextResourceContents | BlobResourceContents | Json
    annotations: Annotations | Json | None = None
    meta: Json | None = field(default=None, name="_meta")


class PromptMessage(Struct):
    """A message in a prompt. A plain string is text from the user."""

    content: Content | str
    role: Role = "user"


class CallToolResult(Struct, omit_defaults=True, rename="camel"):
    """A complete tool result, for handlers that set its fields themselves."""

    content: list[Content | Json | str] = []
    structured_content: object = None
    is_error: bool = False
    meta: Json | None = field(default=None, name="_meta")
