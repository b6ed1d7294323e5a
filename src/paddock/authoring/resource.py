"""Declarations of resources and resource templates.

Loaded before msgspec, so it imports nothing outside the standard library.
`authoring.resource_reader` reads them.
"""

from __future__ import annotations

from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from paddock.authoring.prompt import CompletionSource
    from paddock.protocol.content import Annotations, Icon

    Json = dict[str, object]


class Resource:
    """A resource with a fixed URI.

    The handler takes no argument or a `Context`. It returns text, bytes, resource contents with
    their own URIs, or any other value, which is sent as JSON. A resource with `listed=False` can be
    read but does not appear in lists.
    """

    def __init__(
        self,
        uri: str,
        handler: Callable[..., Any],
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: Annotations | Json | None = None,
        icons: Sequence[Icon | Json] | None = None,
        meta: Json | None = None,
        listed: bool = True,
    ) -> None:
        if not callable(handler):
            raise DefinitionError(f"expected a callable handler, got {handler!r}", where=uri)
        if not uri or "{" in uri:
            raise DefinitionError(
                f"{uri!r} is not the URI of a resource",
                hint="as in notes://today; with variables it is a ResourceTemplate",
            )
        self.uri = uri
        self.handler = handler
        self.name = name or uri
        self.title = title
        self.description = description
        self.mime_type = mime_type
        self.size = size
        self.annotations = annotations
        self.icons = icons
        self.meta = meta
        self.listed = listed
        self.contents_meta: Json | None = None

    def __repr__(self) -> str:
        return f"Resource({self.uri!r})"


class ResourceTemplate:
    """A family of resources whose URI contains variables, as in `weather://{city}/today`.

    `{name}` matches one path segment, `{+name}` and `{name*}` match multiple segments, and `{?a,b}`
    matches optional query parameters. The handler receives the variables by name, converted to the
    types in its hints. A template without a handler is listed but cannot be read.
    """

    def __init__(
        self,
        uri_template: str,
        handler: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        annotations: Annotations | Json | None = None,
        icons: Sequence[Icon | Json] | None = None,
        meta: Json | None = None,
        completions: Mapping[str, CompletionSource] | None = None,
    ) -> None:
        self.uri_template = uri_template
        self.handler = handler
        self.name = name or uri_template
        self.title = title
        self.description = description
        self.mime_type = mime_type
        self.annotations = annotations
        self.icons = icons
        self.meta = meta
        self.completions = dict(completions or {})

    def __repr__(self) -> str:
        return f"ResourceTemplate({self.uri_template!r})"
