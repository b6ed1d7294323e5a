"""Resources and resource templates from their definitions: an object, or a table of properties."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.authoring.remembering import remembered
from paddock.authoring.resource import Resource, ResourceTemplate
from paddock.extensions.errors import ResourceSpecificationError
from paddock.extensions.functions import read_function
from paddock.extensions.properties import Properties, shown, told_as

if TYPE_CHECKING:
    from collections.abc import Callable

_SOURCES = ("text", "file", "function")
_KEYS = {
    **{key: key for key in ("uri", "uri_template", "name", "title", "description", "mime_type")},
    **{key: key for key in (*_SOURCES, "annotations", "icons", "meta")},
    "display_name": "title",
    "handler": "function",
}


def make_resource(
    definition: object, *, relative_to: Path | None = None, where: str, name: str | None = None
) -> Resource | ResourceTemplate:
    """The resource, or the resource template, that a definition means.

    Args:
        definition: A `Resource`, a `ResourceTemplate`, a function that a server's decorator has
            made one, or a table of properties.
        relative_to: The directory from which paths count.
        where: Where the definition stands, for errors.
        name: The resource's name when the table does not say.

    Raises:
        ResourceSpecificationError: when it is not the definition of a resource.
        LoadError: when a reference in it leads nowhere.
    """
    if isinstance(definition, Resource | ResourceTemplate):
        return definition
    decorated = remembered(definition, Resource) or remembered(definition, ResourceTemplate)
    if decorated is not None:
        return decorated
    if not isinstance(definition, Mapping):
        raise ResourceSpecificationError(
            shown(definition),
            where=where,
            hint="expected a name, a reference, a Resource or a table of properties",
        )
    with told_as(ResourceSpecificationError, where):
        return _from_table(definition, relative_to, where, name)


def _from_table(
    definition: Mapping[object, object], relative_to: Path | None, where: str, name: str | None
) -> Resource | ResourceTemplate:
    properties = Properties(definition, _KEYS, ResourceSpecificationError, where)
    uri, template = properties.text("uri"), properties.text("uri_template")
    if (uri is None) == (template is None):
        raise properties.refused("there must be a uri or a uri_template", "one of the two")
    sources = properties.present(*_SOURCES)
    if len(sources) != 1:
        found = " and ".join(sources) or "none"
        raise properties.refused(f"what it is read from: {found}", f"one of {', '.join(_SOURCES)}")
    file = _file(properties, relative_to)
    mime_type = properties.text("mime_type")
    if mime_type is None and file is not None:
        mime_type = mimetypes.guess_type(file.name)[0]
    others: dict[str, Any] = {
        "name": properties.text("name") or name,
        "title": properties.text("title"),
        "description": properties.text("description"),
        "mime_type": mime_type,
        "annotations": properties.table("annotations"),
        "icons": properties.sequence("icons"),
        "meta": properties.table("meta"),
    }
    function = read_function(properties, "function", relative_to=relative_to, where=where)
    if template is not None:
        if function is None:
            raise properties.refused("a uri_template is read by a function", "function = …")
        return ResourceTemplate(template, function, **others)
    handler = function or _reader(properties.text("text"), file)
    return Resource(uri or "", handler, **others)


def _file(properties: Properties, relative_to: Path | None) -> Path | None:
    given = properties.text("file")
    if given is None:
        return None
    path = ((relative_to or Path.cwd()) / Path(given).expanduser()).resolve()
    if not path.is_file():
        raise properties.refused(f"there is no file {path}", "check the path")
    return path


def _reader(text: str | None, file: Path | None) -> Callable[[], str | bytes]:
    def read() -> str | bytes:
        if file is None:
            return text or ""
        data = file.read_bytes()
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data

    return read
