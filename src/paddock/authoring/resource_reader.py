"""How resources are read: which one a URI means, its handler's call, its contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.context import Context
from paddock.authoring.signature import HandlerSignature
from paddock.authoring.type_hooks import decode_hook, encode_json
from paddock.authoring.uri_template import UriTemplate
from paddock.errors import DefinitionError
from paddock.protocol.content import BlobResourceContents, ResourceContents, TextResourceContents
from paddock.protocol.errors import InvalidParamsError
from paddock.protocol.request import SlowHandlerTracker

if TYPE_CHECKING:
    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.resource import Resource, ResourceTemplate
    from paddock.protocol.request import Request

Json = dict[str, Any]


class ResourceReader:
    """One resource or template, ready to be read."""

    __slots__ = ("_server", "_signature", "is_async", "item", "slow_tracker", "uri_template")

    def __init__(self, item: Resource | ResourceTemplate, offering: BaseServer) -> None:
        self.item = item
        self.slow_tracker = SlowHandlerTracker()
        self._server = offering
        uri_template = getattr(item, "uri_template", None)
        self.uri_template = None if uri_template is None else UriTemplate(uri_template)
        self._signature: HandlerSignature | None = None
        if item.handler is not None:
            self._signature = HandlerSignature(item.handler, Context, item.name)
        self.is_async = self._signature is not None and self._signature.is_async
        self._check_parameters()

    def _check_parameters(self) -> None:
        """Whether the handler can be called with what the URI gives."""
        given = {"uri", *(self.uri_template.variables if self.uri_template else ())}
        taken = self._signature.parameters if self._signature else []
        missing = [one.name for one in taken if one.is_required and one.name not in given]
        if missing:
            variables = ", ".join(sorted(given - {"uri"})) or "none"
            raise DefinitionError(
                f"the handler needs {', '.join(missing)}, and the URI has no such variables",
                where=self.item.name,
                hint=f"its variables: {variables}",
            )

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables of a URI that this template can read; None when it cannot."""
        if self.uri_template is None or self.item.handler is None:
            return None
        return self.uri_template.match(uri)

    @property
    def description(self) -> str:
        """What the resource is: as declared, or the summary of the handler's docstring."""
        if self.item.description is not None:
            return self.item.description
        return self._signature.description if self._signature else ""

    def read(self, uri: str, variables: dict[str, str], request: Request) -> Any:
        """What the handler returns for a URI."""
        if self._signature is None or self.item.handler is None:
            raise InvalidParamsError(f"{self.item!r} has no handler")
        values: Json = {}
        for taken in self._signature.parameters:
            if taken.name in variables:
                values[taken.name] = _convert_variable(
                    taken.type_hint, variables[taken.name], uri, taken.name
                )
            elif taken.name == "uri":
                values["uri"] = uri
        if self._signature.context_parameter is not None:
            values[self._signature.context_parameter] = Context(request, self._server)
        return self.item.handler(**values)

    def build_result(self, value: Any, uri: str) -> Json:
        """The result of `resources/read`."""
        several = value if isinstance(value, list | tuple) else [value]
        if several and all(isinstance(one, ResourceContents) for one in several):
            return {"contents": list(several)}
        return {"contents": [self._build_contents(value, uri)]}

    def _build_contents(self, value: Any, uri: str) -> ResourceContents:
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


def build_resource_entry(reading: ResourceReader) -> Json:
    """A resource as `resources/list` shows it."""
    resource = reading.item
    found: Json = {"uri": resource.uri, "name": resource.name}  # type: ignore[union-attr]  # no template
    size = getattr(resource, "size", None)
    return {
        **found,
        **_get_optional_fields(reading),
        **({"size": size} if size is not None else {}),
    }


def build_template_entry(reading: ResourceReader) -> Json:
    """A template as `resources/templates/list` shows it."""
    template = reading.item
    found: Json = {"uriTemplate": template.uri_template, "name": template.name}  # type: ignore[union-attr]  # a template
    return {**found, **_get_optional_fields(reading)}


def _get_optional_fields(reading: ResourceReader) -> Json:
    item = reading.item
    optional = {
        "title": item.title,
        "description": reading.description,
        "mimeType": item.mime_type,
        "annotations": item.annotations,
        "icons": item.icons,
        "_meta": item.meta,
    }
    return {key: value for key, value in optional.items() if value}


def _convert_variable(hint: Any, text: str, uri: str, name: str) -> Any:
    if hint in (str, Any):
        return text
    try:
        return msgspec.convert(text, hint, strict=False, dec_hook=decode_hook)
    except msgspec.ValidationError as error:
        raise InvalidParamsError(f"{uri}: variable {name!r}: {error}", data={"uri": uri}) from None
