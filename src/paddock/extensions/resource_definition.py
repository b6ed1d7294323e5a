"""Creates resources and templates from definitions: an object, or a table of properties."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.authoring.component_registry import find_attached_item
from paddock.authoring.resource import Resource, ResourceTemplate
from paddock.extensions.errors import ResourceSpecificationError
from paddock.extensions.properties import PropertyTable, convert_definition_errors, shorten_repr
from paddock.extensions.references import read_function_property

if TYPE_CHECKING:
    from collections.abc import Callable

_CONTENT_SOURCES = ("text", "file", "function")
_RESOURCE_KEYS = {
    **{key: key for key in ("uri", "uri_template", "name", "title", "description", "mime_type")},
    **{key: key for key in (*_CONTENT_SOURCES, "annotations", "icons", "meta")},
    "display_name": "title",
    "handler": "function",
}


def make_resource(
    definition: object, *, relative_to: Path | None = None, where: str, name: str | None = None
) -> Resource | ResourceTemplate:
    """Create a resource or resource template from a definition in an extension or server.

    Args:
        definition: A `Resource`, a `ResourceTemplate`, a function decorated as one, or a table of
            properties.
        relative_to: The directory for relative paths.
        where: The location of the definition, for errors.
        name: The resource's name if the definition does not specify one.

    Raises:
        ResourceSpecificationError: The definition is invalid.
        LoadError: A reference in it cannot be resolved.
    """
    if isinstance(definition, Resource | ResourceTemplate):
        return definition
    decorated = find_attached_item(definition, Resource) or find_attached_item(
        definition, ResourceTemplate
    )
    if decorated is not None:
        return decorated
    if not isinstance(definition, Mapping):
        raise ResourceSpecificationError(
            shorten_repr(definition),
            where=where,
            hint="expected a name, a reference, a Resource or a table of properties",
        )
    with convert_definition_errors(ResourceSpecificationError, where):
        return _make_resource_from_table(definition, relative_to, where, name)


def _make_resource_from_table(
    definition: Mapping[object, object], relative_to: Path | None, where: str, name: str | None
) -> Resource | ResourceTemplate:
    """Create a resource from a table of properties, such as `{"uri": …, "text": …}`.

    The table must contain either `uri` or `uri_template`. It must also contain one of `text`,
    `file` and `function`, which provides the content.

    Args:
        definition: The properties as written.
        relative_to: The directory for relative paths.
        where: The location of the definition, for errors.
        name: The resource's name if the definition does not specify one.
    """
    properties = PropertyTable(definition, _RESOURCE_KEYS, ResourceSpecificationError, where)
    uri, template = properties.get_text("uri"), properties.get_text("uri_template")
    if (uri is None) == (template is None):
        raise properties.make_error(
            "expected exactly one of uri and uri_template", "a template has placeholders"
        )
    sources = properties.get_present(*_CONTENT_SOURCES)
    if len(sources) != 1:
        present_sources = " and ".join(sources) or "none"
        raise properties.make_error(
            f"its content comes from {present_sources}",
            f"expected exactly one of {', '.join(_CONTENT_SOURCES)}",
        )
    file = _resolve_file(properties, relative_to)
    mime_type = properties.get_text("mime_type")
    if mime_type is None and file is not None:
        mime_type = mimetypes.guess_type(file.name)[0]
    fields: dict[str, Any] = {
        "name": properties.get_text("name") or name,
        "title": properties.get_text("title"),
        "description": properties.get_text("description"),
        "mime_type": mime_type,
        "annotations": properties.get_table("annotations"),
        "icons": properties.get_list("icons"),
        "meta": properties.get_table("meta"),
    }
    function = read_function_property(properties, "function", relative_to=relative_to, where=where)
    if template is not None:
        if function is None:
            raise properties.make_error(
                "a uri_template requires a function", 'as in function = "package.module:name"'
            )
        return ResourceTemplate(template, function, **fields)
    handler = function or _make_content_handler(properties.get_text("text"), file)
    return Resource(uri or "", handler, **fields)


def _resolve_file(properties: PropertyTable, relative_to: Path | None) -> Path | None:
    """Return the absolute path in a resource's `file` property, or None if it is absent.

    Raises:
        ResourceSpecificationError: The file does not exist.
    """
    file_name = properties.get_text("file")
    if file_name is None:
        return None
    path = ((relative_to or Path.cwd()) / Path(file_name).expanduser()).resolve()
    if not path.is_file():
        raise properties.make_error(f"there is no file {path}", "check the path")
    return path


def _make_content_handler(text: str | None, file: Path | None) -> Callable[[], str | bytes]:
    """Return the handler for a resource whose content is a fixed text or a file.

    The file is read on each request so that clients see changes to it. Its contents are returned as
    text if they are valid UTF-8, and otherwise as bytes.
    """

    def read_content() -> str | bytes:
        if file is None:
            return text or ""
        data = file.read_bytes()
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data

    return read_content
