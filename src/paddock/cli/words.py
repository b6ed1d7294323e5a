"""Which of the words after `install` and `uninstall` are clients, and which is the server."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from paddock.cli.complaints import ArgumentError, did_you_mean
from paddock.clients.table import find_client, supported_clients
from paddock.servers.api import list_servers

BY_OPTION = "--server"


class Words(NamedTuple):
    """What the words stand for."""

    clients: list[str]
    """Ids of clients."""
    server: str | Path | None


def sort_words(words: tuple[str, ...], server: str | None) -> Words:
    """Sort words into clients and, at the end, a server, which may also be given apart.

    Raises:
        ArgumentError: when the last word is neither, or both.
        UnsupportedClientError: when another word is no client.
    """
    if server is not None:
        return Words([find_client(word).id for word in words], _path_or_name(server))
    if not words:
        return Words([], None)
    *rest, last = words
    clients = [find_client(word).id for word in rest]
    found = _client_id(last)
    if found is None:
        return Words(clients, _known_server(last))
    if rest and _is_server(last):
        raise ArgumentError(
            f"{last!r} is a client and a server", hint=f"for the server, write {BY_OPTION} {last}"
        )
    return Words([*clients, found], None)


def _client_id(word: str) -> str | None:
    if _is_path(word):
        return None
    wanted = _bare(word)
    for client in supported_clients().values():
        names = (client.id, client.name, client.canonical, *client.aliases)
        if wanted in map(_bare, names):
            return client.id
    return None


def _known_server(word: str) -> str | Path:
    if _is_path(word) or _is_server(word):
        return _path_or_name(word)
    known = [*supported_clients(), *(server.name for server in list_servers())]
    raise ArgumentError(
        f"No client and no server is called {word!r}",
        hint=did_you_mean(word, known) or "paddock clients and paddock servers list them",
    )


def _is_server(word: str) -> bool:
    return any(server.name == word for server in list_servers())


def _path_or_name(word: str) -> str | Path:
    return Path(word) if _is_path(word) else word
