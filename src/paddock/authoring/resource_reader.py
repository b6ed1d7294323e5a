"""Reads resources and resource templates: calls handlers, and converts their return values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.context import Context
from paddock.authoring.resource import Resource
from paddock.authoring.signature import HandlerSignature
from paddock.authoring.type_hooks import decode_hook, encode_json
from paddock.authoring.uri_template import UriTemplate
from paddock.errors import DefinitionError
from paddock.protocol.content import BlobResourceContents, ResourceContents, TextResourceContents
from paddock.protocol.errors import InvalidParamsError
from paddock.protocol.request import SlowHandlerTracker

if TYPE_CHECKING:
    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.resource import ResourceTemplate
    from paddock.protocol.request import Request

Json = dict[str, Any]


class ResourceReader:
    """A resource or template that is ready to be read."""

    __slots__ = ("_server", "_signature", "is_async", "item", "slow_tracker", "uri_template")

    def __init__(self, item: Resource | ResourceTemplate, server: BaseServer) -> None:
        self.item = item
        self.slow_tracker = SlowHandlerTracker()
        self._server = server
        uri_template = getattr(item, "uri_template", None)
        self.uri_template = None if uri_template is None else UriTemplate(uri_template)
        self._signature: HandlerSignature | None = None
        if item.handler is not None:
            self._signature = HandlerSignature(item.handler, Context, item.name)
        self.is_async = self._signature is not None and self._signature.is_async
        self._check_parameters()

    def _check_parameters(self) -> None:
        """Check that the URI provides all required parameters of the handler.

        Raises:
            DefinitionError: A required parameter is not a variable of the URI.
        """
        available = {"uri", *(self.uri_template.variables if self.uri_template else ())}
        parameters = self._signature.parameters if self._signature else []
        missing = [
            parameter.name
            for parameter in parameters
            if parameter.is_required and parameter.name not in available
        ]
        if missing:
            variables = ", ".join(sorted(available - {"uri"})) or "none"
            raise DefinitionError(
                f"the handler requires {', '.join(missing)}, but the URI has no such variable",
                where=self.item.name,
                hint=f"variables of the URI: {variables}",
            )

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the template's variables in a URI, or None if the template cannot read the URI."""
        if self.uri_template is None or self.item.handler is None:
            return None
        return self.uri_template.match(uri)

    @property
    def description(self) -> str:
        """The declared description, or else the one in the handler's docstring."""
        if self.item.description is not None:
            return self.item.description
        return self._signature.description if self._signature else ""

    def read(self, uri: str, variables: dict[str, str], request: Request) -> Any:
        """Call the author's handler for a URI and return its value, which may be a coroutine.

        Args:
            uri: The URI that the client reads. The handler receives it if it has a `uri` parameter.
            variables: The values of the template's variables in the URI. They are converted to the
                types of the handler's parameters.
            request: The request, for handlers that take a `Context`.

        Raises:
            InvalidParamsError: The resource has no handler, or a variable cannot be converted.
        """
        if self._signature is None or self.item.handler is None:
            raise InvalidParamsError(f"{self.item!r} has no handler")
        keyword_arguments: Json = {}
        for parameter in self._signature.parameters:
            if parameter.name in variables:
                keyword_arguments[parameter.name] = _convert_variable(
                    parameter.type_hint, variables[parameter.name], uri, parameter.name
                )
            elif parameter.name == "uri":
                keyword_arguments["uri"] = uri
        if self._signature.context_parameter is not None:
            keyword_arguments[self._signature.context_parameter] = Context(request, self._server)
        return self.item.handler(**keyword_arguments)

    def build_result(self, value: Any, uri: str) -> Json:
        """Return the result of `resources/read`."""
        items = value if isinstance(value, list | tuple) else [value]
        # A handler may return multiple contents, for example for the files in a directory.
        if items and all(isinstance(item, ResourceContents) for item in items):
            return {"contents": list(items)}
        return {"contents": [self._build_contents(value, uri)]}

    def _build_contents(self, value: Any, uri: str) -> ResourceContents:
        """Return the contents of a resource for its handler's value.

        Strings become text, bytes become a blob, and a `(bytes, media_type)` pair becomes a blob of
        that type. All other values become JSON text.
        """
        mime_type = self.item.mime_type
        meta = getattr(self.item, "contents_meta", None)
        if isinstance(value, str):
            return TextResourceContents(uri, value, mime_type or "text/plain", meta)
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], bytes):
            return BlobResourceContents(uri, value[0], str(value[1]))
        if isinstance(value, bytes | bytearray):
            blob = bytes(value)
            return BlobResourceContents(uri, blob, mime_type or "application/octet-stream", meta)
        return TextResourceContents(
            uri, encode_json(value).decode(), mime_type or "application/json"
        )


def build_resource_entry(reader: ResourceReader) -> Json:
    """Return a resource's entry in `resources/list`, or a template's entry in its own list."""
    item = reader.item
    entry: Json = {"name": item.name}
    if isinstance(item, Resource):
        entry = {"uri": item.uri, **entry}
    else:
        entry = {"uriTemplate": item.uri_template, **entry}
    optional = {
        "title": item.title,
        "description": reader.description,
        "mimeType": item.mime_type,
        "annotations": item.annotations,
        "icons": item.icons,
        "_meta": item.meta,
    }
    entry.update({key: value for key, value in optional.items() if value})
    size = getattr(item, "size", None)
    return entry if size is None else {**entry, "size": size}


def _convert_variable(hint: Any, text: str, uri: str, name: str) -> Any:
    if hint in (str, Any):
        return text
    try:
        return msgspec.convert(text, hint, strict=False, dec_hook=decode_hook)
    except msgspec.ValidationError as error:
        raise InvalidParamsError(f"{uri}: variable {name!r}: {error}", data={"uri": uri}) from None
