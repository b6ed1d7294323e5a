"""Extensions that a server needs and a catalogue lists, but that are not installed.

The caller must be allowed to start the server, because reading a definition can run Python.
If an extension is missing, catalogues are downloaded when their cached copies are missing or old.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.extensions.catalogues.remote import list_remote_extensions
from paddock.extensions.discovery import discover_extension, is_package_installed
from paddock.extensions.manifest import LISTED_KINDS
from paddock.extensions.names import parse_qualified_name
from paddock.named_servers.names import DEFINITION_SUFFIX
from paddock.named_servers.server_ref import is_path_target
from paddock.named_servers.sources import find_source, make_file_source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.extensions.catalogues.store import ProblemReporter
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.names import QualifiedName
    from paddock.named_servers.sources import DefinitionSource


def find_missing_extensions(server: str, report: ProblemReporter | None = None) -> list[str]:
    """Return the names of the missing extensions that a server needs and that can be installed.

    They are listed in a catalogue (a list of extensions to download). The result is empty for a
    server that cannot be found or read, because serving it reports the error. Trust level:
    execution.

    Args:
        server: The name of a server, or the path of a definition.
        report: Called with each error that occurs while reading a catalogue.

    Raises:
        CatalogueError: The catalogue settings cannot be read.
    """
    is_definition_file = server.endswith(DEFINITION_SUFFIX) and Path(server).is_file()
    if not is_definition_file and is_path_target(server):
        return []  # a Python file does not list the extensions that it needs
    try:
        source = make_file_source(Path(server)) if is_definition_file else find_source(server)
    except PaddockError:
        return _find_catalogue_extensions([("servers", server)], report)
    return _find_catalogue_extensions(_list_item_names(source), report)


def _list_item_names(source: DefinitionSource) -> list[tuple[ItemKind, str]]:
    """Return the kind and name of each named item in a definition, such as `("tools", "a/b/C")`.

    The result is empty if the definition cannot be read.
    """
    try:
        definition = source.read()
    except PaddockError:
        return []
    return [
        (kind, item)
        for kind in LISTED_KINDS
        for item in getattr(definition, kind)
        if isinstance(item, str)
    ]


def _find_catalogue_extensions(
    items: Iterable[tuple[ItemKind, str]], report: ProblemReporter | None
) -> list[str]:
    """Return the catalogue extensions that provide items that are not installed.

    Args:
        items: The kind and name of each item, such as `("tools", "acme/charts/Plot")`.
        report: Called with each error that occurs while reading a catalogue.
    """
    qualified_items = [(kind, parse_qualified_name(name)) for kind, name in items]
    missing_items = [
        (kind, name)
        for kind, name in qualified_items
        if name is not None and not _is_installed(name)
    ]
    if not missing_items:
        return []  # The catalogues do not need to be downloaded.
    manifests = {
        extension.name: extension.manifest
        for extension in list_remote_extensions(may_fetch=True, report=report)
    }
    extension_names = [
        name.extension_name
        for kind, name in missing_items
        if name.extension_name in manifests
        and manifests[name.extension_name].find_item(kind, name.item) is not None
    ]
    return list(dict.fromkeys(extension_names))  # without duplicates, in the order of the items


def _is_installed(name: QualifiedName) -> bool:
    package = name.extension_name
    return any(discover_extension(package)) or is_package_installed(package)
