"""The supported client applications, read from `clients.toml`, and their lookup by name."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.errors import PaddockError
from paddock.installer.client_app import (
    OPERATING_SYSTEMS,
    Client,
    ConfigLocation,
    OperatingSystem,
)
from paddock.installer.entry_format import ENTRY_FORMATS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping

CLIENTS_FILE = Path(__file__).with_name("clients.toml")
CONFIG_DIRECTORY = "${XDG_CONFIG_HOME:-~/.config}"
APPLICATION_SUPPORT_DIRECTORY = "~/Library/Application Support"
APPDATA_DIRECTORY = "${APPDATA:-~/AppData/Roaming}"
APPLICATIONS_DIRECTORIES: dict[OperatingSystem, str] = {
    "linux": CONFIG_DIRECTORY,
    "macos": APPLICATION_SUPPORT_DIRECTORY,
    "windows": APPDATA_DIRECTORY,
}
"""The directories for application settings, which replace `{applications}`."""


class UnsupportedClientError(PaddockError):
    """There is no supported client with the given name."""

    code = "unsupported-client"


STANDARD_CLIENT = Client(
    id="standard",
    name="Standard client",
    shape=PLAIN,
    steps=("The entry has the format that most clients read. Check that your client accepts it.",),
)
"""Any other client, assumed to read the most common entry format."""


@cache
def supported_clients() -> Mapping[str, Client]:
    """Return all clients that servers can be installed into, by id, in alphabetical order."""
    tables = tomllib.loads(CLIENTS_FILE.read_text(encoding="utf-8"))
    return MappingProxyType({id_: _build_client(id_, tables[id_]) for id_ in sorted(tables)})


def _build_client(client_id: str, table: dict[str, Any]) -> Client:
    """Create a client application from its table in `clients.toml`.

    The table contains fields of `Client` in a short form. For example, configuration file locations
    can be just paths, and settings keys are dotted (`mcp.enabled`).
    """
    row = {
        **table,
        "id": client_id,
        "shape": ENTRY_FORMATS[table["shape"]],
        "places": _build_locations(table.get("places", [])),
        "signs": [_expand_directories(sign, "linux") for sign in table.get("signs", ())],
        "paths_by_file": list(table.get("paths_by_file", {}).items()),
    }
    for name in {"defaults", "project_defaults"} & table.keys():
        row[name] = {tuple(path.split(".")): value for path, value in table[name].items()}
    return msgspec.convert(row, Client)


def _build_locations(places: list[Any] | dict[str, list[Any]]) -> dict[str, list[ConfigLocation]]:
    """Return the locations on each system, from one list for all systems or one list per system."""
    lists = places if isinstance(places, dict) else dict.fromkeys(OPERATING_SYSTEMS, places)
    return {
        system: [_build_location(place, system) for place in lists.get(system, ())]
        for system in OPERATING_SYSTEMS
    }


def _build_location(place: str | dict[str, Any], system: OperatingSystem) -> ConfigLocation:
    """Create the location of a client's configuration file from its entry in `clients.toml`.

    Args:
        place: A path template such as `"{config}/app/mcp.json"`, or a table with other fields too.
        system: The operating system, for the placeholders in the path.
    """
    fields = {"path_template": place} if isinstance(place, str) else place
    location = ConfigLocation(**fields)
    return replace(
        location,
        path_template=_expand_directories(location.path_template, system),
        marker_path=_expand_directories(location.marker_path, system),
    )


def _expand_directories(template: str, system: OperatingSystem) -> str:
    """Replace the directory placeholders in a path from `clients.toml`.

    For example, `{appdata}/Claude` becomes `${APPDATA:-~/AppData/Roaming}/Claude`, which contains
    an environment variable with its default.
    """
    directories = {
        "{applications}": APPLICATIONS_DIRECTORIES[system],
        "{config}": CONFIG_DIRECTORY,
        "{application-support}": APPLICATION_SUPPORT_DIRECTORY,
        "{appdata}": APPDATA_DIRECTORY,
        "{local-appdata}": "${LOCALAPPDATA:-~/AppData/Local}",
    }
    for placeholder, directory in directories.items():
        template = template.replace(placeholder, directory)
    return template


def find_client(name: str) -> Client:
    """Find a client application by id, display name or alias.

    Case and punctuation are ignored: `Claude Desktop` and `claude-desktop` are the same.

    Raises:
        UnsupportedClientError: There is no such client. The hint suggests similar names.
    """
    clients_by_name = _index_clients_by_name()
    normalized_name = _normalize_name(name)
    if normalized_name in clients_by_name:
        return clients_by_name[normalized_name]
    similar_names = get_close_matches(normalized_name, clients_by_name, n=3)
    ids = list(dict.fromkeys(clients_by_name[similar].id for similar in similar_names))
    hint = "list the supported clients with `paddock clients --all`, or name a file with --file"
    if ids:
        hint = f"did you mean {' or '.join(ids)}? For any other client, name its file with --file"
    raise UnsupportedClientError(f"there is no supported client called {name!r}", hint=hint)


@cache
def _index_clients_by_name() -> dict[str, Client]:
    """Return the client applications by normalized name: ids, display names and aliases.

    If one client's id is another's alias, it refers to the former.
    """
    clients = supported_clients().values()
    other_names = {
        _normalize_name(name): client
        for client in clients
        for name in (client.name, *client.aliases, client.canonical)
        if name
    }
    ids = {_normalize_name(client.id): client for client in clients}
    return {STANDARD_CLIENT.id: STANDARD_CLIENT} | other_names | ids


def _normalize_name(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
