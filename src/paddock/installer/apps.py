"""All clients, and how one is found by its name.

The rows stand in `chat_clients`, `editor_clients` and `terminal_clients`.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.installer.chat_apps import CHAT_APPS
from paddock.installer.client_app import Client
from paddock.installer.editor_apps import EDITOR_APPS
from paddock.installer.entry_format import PLAIN
from paddock.installer.terminal_apps import TERMINAL_APPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class UnsupportedClientError(PaddockError):
    """There is no client of the given name."""

    code = "unsupported-client"


STANDARD_CLIENT = Client(
    id="standard",
    name="Standard client",
    shape=PLAIN,
    steps=("The entry has the form that most clients read; see whether yours does.",),
)
"""A client that is none of the table, with the form of entries that most of them read."""


@cache
def supported_clients() -> Mapping[str, Client]:
    """Every client that servers can be installed into, by its id, in alphabetical order."""
    rows = (*CHAT_APPS, *EDITOR_APPS, *TERMINAL_APPS)
    return MappingProxyType({row.id: row for row in sorted(rows, key=lambda row: row.id)})


def find_client(name: str) -> Client:
    """The client of a name: its id, its display name or an alias, however it is spelt.

    Raises:
        UnsupportedClientError: when there is none; it suggests names that look alike.
    """
    names = _index_clients_by_name()
    wanted = _normalize_name(name)
    if wanted in names:
        return names[wanted]
    near = get_close_matches(wanted, names, n=3)
    ids = list(dict.fromkeys(names[one].id for one in near))
    hint = "list them: paddock clients; for any other one name its file: --file FILE"
    if ids:
        hint = f"did you mean {' or '.join(ids)}? For any other one name its file: --file FILE"
    raise UnsupportedClientError(f"no client is called {name!r}", hint=hint)


@cache
def _index_clients_by_name() -> dict[str, Client]:
    """Clients by all their names, as they are compared; a client's id wins over others' aliases."""
    clients = supported_clients().values()
    others = {
        _normalize_name(name): client
        for client in clients
        for name in _iterate_alternative_names(client)
    }
    ids = {_normalize_name(client.id): client for client in clients}
    return {STANDARD_CLIENT.id: STANDARD_CLIENT} | others | ids


def _iterate_alternative_names(client: Client) -> Iterator[str]:
    yield client.name
    yield from client.aliases
    if client.canonical:
        yield client.canonical


def _normalize_name(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
