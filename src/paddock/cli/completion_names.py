"""Names for shell completion of servers, clients, tools, prompts and extensions.

Each function returns names with short descriptions. `completion` only imports this module to
complete a word, because it loads most of the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.extensions.discovery import discover
from paddock.extensions.registry import InstalledItemRegistry
from paddock.installer.apps import supported_clients
from paddock.named_servers.sources import list_sources

if TYPE_CHECKING:
    from paddock.extensions.manifest import ItemKind
    from paddock.named_servers.sources import DefinitionSource

NamesWithHelp = list[tuple[str, str]]


def list_server_names() -> NamesWithHelp:
    """Return the named servers with their titles or descriptions."""
    return [(source.name, _get_server_title(source)) for source in list_sources()]


def list_client_names() -> NamesWithHelp:
    """Return the ids of clients with their names."""
    return [(client.id, client.name) for client in supported_clients().values()]


def list_tool_names() -> NamesWithHelp:
    """Return the tools with their descriptions."""
    return _list_item_names("tools")


def list_prompt_names() -> NamesWithHelp:
    """Return the prompts with their descriptions."""
    return _list_item_names("prompts")


def list_extension_names() -> NamesWithHelp:
    """Return the installed extensions with their kinds."""
    discovery = discover()
    names = [(extension.name, str(extension.kind)) for extension in discovery.extensions]
    return names + [(extension.name, "broken") for extension in discovery.broken]


def _list_item_names(kind: ItemKind) -> NamesWithHelp:
    return [
        (declared_item.name, declared_item.item.description or "")
        for declared_item in InstalledItemRegistry().list_items(kind)
    ]


def _get_server_title(source: DefinitionSource) -> str:
    """Return a server's title for the completion list, or "" if its definition cannot be read.

    For a server from an extension, the description in the extension's manifest is used instead,
    because reading the definition could run code.
    """
    if source.extension_item is not None:
        return source.extension_item.item.description or ""
    try:
        return source.read().title or ""
    except PaddockError:
        return ""
