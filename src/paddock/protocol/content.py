"""Content of tool results, prompt messages and resources."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

Role = Literal["user", "assistant"]
Json = dict[str, object]


class Annotations(Struct, omit_defaults=True, rename="camel"):
    """Hints about who content is for and how much it matters (0 to 1)."""

    audience: list[Role] | None = None
    priority: float | None = None
    last_modified: str | None = None


class Icon(Struct, omit_defaults=True, rename="camel"):
    """A picture that stands for a server, tool, prompt or resource."""

    src: str
    mime_type: str | None = None
    sizes: list[str] | None = None
    theme: Literal["light", "dark"] | None = None


class Content(Struct, omit_defaults=True, rename="camel", tag_field="type"):
    """What all kinds of content have."""


class TextContent(Content, tag="text"):
    """Text."""

    text: str
    annotations: Annotations | Json | None = None
    meta: Json | None = field(default=None, name="_meta")


class ImageContent(Content, tag="image"):
    """An image; the bytes travel as base64."""

    data: bytes
    mime_type: str
    annotations: Annotations | Json | None = None
    meta: Json | None = field(default=None, name="_meta")


class AudioContent(Content, tag="audio"):
    """Sound; the bytes travel as base64."""

    data: bytes
    mime_type: str
    annotations: Annotations | Json | None = None
    meta: Json | None = field(default=None, name="_meta")


class ResourceLink(Content, tag="resource_link"):
    """A pointer to a resource that the client may read."""

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
    """What text and binary contents of a resource have."""

    uri: str


class TextResourceContents(ResourceContents):
    """A resource, or part of one, that is text."""

    text: str
    mime_type: str | None = None
    meta: Json | None = field(default=None, name="_meta")


class BlobResourceContents(ResourceContents):
    """A resource, or part of one, that is bytes; they travel as base64."""

    blob: bytes
    mime_type: str | None = None
    meta: Json | None = field(default=None, name="_meta")


class EmbeddedResource(Content, tag="resource"):
    """A resource carried inside a result or a message."""

    resource: TextResourceContents | BlobResourceContents | Json
    annotations: Annotations | Json | None = None
    meta: Json | None = field(default=None, name="_meta")


class PromptMessage(Struct):
    """One message of a prompt; a plain string is text from the user."""

    content: Content | str
    role: Role = "user"


class CallToolResult(Struct, omit_defaults=True, rename="camel"):
    """A tool's result in full: for handlers that want every field in their own hands."""

    content: list[Content | Json | str] = []
    structured_content: object = None
    is_error: bool = False
    meta: Json | None = field(default=None, name="_meta")
