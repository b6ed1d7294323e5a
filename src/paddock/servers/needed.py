"""What a server needs that is not installed, as far as a catalogue lists it.

For those who are about to install it and to start the server, if they may: definitions are read,
also in Python, and a catalogue of which there is no copy, or an old one, is fetched. Nothing is
fetched for a server that needs nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.extensions.discovery import find_extension, is_installed
from paddock.extensions.names import parse_qualified
from paddock.servers.file_names import SUFFIX
from paddock.servers.lookup import file_source, find_source
from paddock.servers.paths import means_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.extensions.catalogue.cache import Report
    from paddock.extensions.manifest import Kind
    from paddock.extensions.names import QualifiedName
    from paddock.servers.lookup import Source


def missing_extensions(server: str, report: Report | None = None) -> list[str]:
    """The names of the extensions that a server needs, that catalogues list, and are not here.

    A server that cannot be found or read needs none: that is told when it is served.
    `report` is given why a catalogue could not be read. Trust level: execution.

    Raises:
        CatalogueError: when the settings for catalogues cannot be read.
    """
    is_definition = server.endswith(SUFFIX) and Path(server).is_file()
    if not is_definition and means_file(server):
        return []  # it needs what it needs
    try:
        source = file_source(Path(server)) if is_definition else find_source(server)
    except PaddockError:
        return _listed([("servers", server)], report)
    return _listed(_names_in(source), report)


def _names_in(source: Source) -> list[tuple[Kind, str]]:
    """What the lists of a definition name."""
    try:
        said = source.read()
    except PaddockError:
        return []
    lists: list[tuple[Kind, list[object]]] = [
        *(("tools", said.tools), ("prompts", said.prompts), ("resources", said.resources)),
    ]
    return [(kind, one) for kind, listed in lists for one in listed if isinstance(one, str)]


def _listed(items: Iterable[tuple[Kind, str]], report: Report | None) -> list[str]:
    """The extensions of items that are not installed, and that catalogues list with the items."""
    qualified = [(kind, parse_qualified(name)) for kind, name in items]
    absent = [(kind, name) for kind, name in qualified if name is not None and _is_absent(name)]
    if not absent:
        return []
    from paddock.extensions.catalogue.remote import (  # noqa: PLC0415 - seldom is one missing
        remote_extensions,
    )

    known = {one.name: one.manifest for one in remote_extensions(may_fetch=True, report=report)}
    found = [
        name.package_name
        for kind, name in absent
        if name.package_name in known
        and any(item.name == name.item for item in known[name.package_name].items(kind))
    ]
    return list(dict.fromkeys(found))


def _is_absent(name: QualifiedName) -> bool:
    package = name.package_name
    return not any(find_extension(package)) and not is_installed(package)
