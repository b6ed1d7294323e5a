"""What a server needs that is not installed, as far as a catalogue lists it.

For those who are about to install it and to start the server, if they may: definitions are read,
also in Python, and a catalogue of which there is no copy, or an old one, is fetched. Nothing is
fetched for a server that needs nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.extensions.discovery import discover_extension, is_package_installed
from paddock.extensions.names import parse_qualified_name
from paddock.named_servers.names import DEFINITION_SUFFIX
from paddock.named_servers.path_detection import is_path_target
from paddock.named_servers.sources import find_source, make_file_source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.extensions.catalogues.store import ProblemReporter
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.names import QualifiedName
    from paddock.named_servers.sources import DefinitionSource


def find_missing_extensions(server: str, report: ProblemReporter | None = None) -> list[str]:
    """The names of the extensions that a server needs, that catalogues list, and are not here.

    A server that cannot be found or read needs none: that is told when it is served.
    `report` is given why a catalogue could not be read. Trust level: execution.

    Raises:
        CatalogueError: when the settings for catalogues cannot be read.
    """
    is_definition = server.endswith(DEFINITION_SUFFIX) and Path(server).is_file()
    if not is_definition and is_path_target(server):
        return []  # it needs what it needs
    try:
        source = make_file_source(Path(server)) if is_definition else find_source(server)
    except PaddockError:
        return _find_catalogue_extensions([("servers", server)], report)
    return _find_catalogue_extensions(_list_item_names(source), report)


def _list_item_names(source: DefinitionSource) -> list[tuple[ItemKind, str]]:
    """What the lists of a definition name."""
    try:
        said = source.read()
    except PaddockError:
        return []
    lists: list[tuple[ItemKind, list[object]]] = [
        *(("tools", said.tools), ("prompts", said.prompts), ("resources", said.resources)),
    ]
    return [(kind, one) for kind, listed in lists for one in listed if isinstance(one, str)]


def _find_catalogue_extensions(
    items: Iterable[tuple[ItemKind, str]], report: ProblemReporter | None
) -> list[str]:
    """The extensions of items that are not installed, and that catalogues list with the items."""
    qualified = [(kind, parse_qualified_name(name)) for kind, name in items]
    absent = [(kind, name) for kind, name in qualified if name is not None and _is_absent(name)]
    if not absent:
        return []
    from paddock.extensions.catalogues.remote import list_remote_extensions  # noqa: PLC0415 - rarely needed

    known = {
        one.name: one.manifest for one in list_remote_extensions(may_fetch=True, report=report)
    }
    found = [
        name.extension_name
        for kind, name in absent
        if name.extension_name in known
        and any(item.name == name.item for item in known[name.extension_name].get_items(kind))
    ]
    return list(dict.fromkeys(found))


def _is_absent(name: QualifiedName) -> bool:
    package = name.extension_name
    return not any(discover_extension(package)) and not is_package_installed(package)
