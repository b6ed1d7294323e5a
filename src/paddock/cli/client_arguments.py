"""Which of the words after `install` and `uninstall` are clients, and which is the server."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.cli.errors import ArgumentError
from paddock.installer.apps import UnsupportedClientError, find_client, supported_clients
from paddock.named_servers.names import is_path_like
from paddock.named_servers.sources import list_sources
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection


class ClientArguments(NamedTuple):
    """What the words stand for."""

    clients: list[str]
    """Ids of clients."""
    server: str | None
    """A name or a path."""


def parse_client_arguments(
    words: tuple[str, ...], server: str | None, *, recorded: Collection[str] = ()
) -> ClientArguments:
    """Sort words into clients and, at the end, a server, which may also be given apart.

    What is on record as installed is a server even if it has been deleted meanwhile.

    Raises:
        ArgumentError: when the last word is neither, or both, or some are one name together.
        UnsupportedClientError: when another word is no client.
    """
    _check_split_client_name(words)
    if server is not None:
        return ClientArguments([find_client(word).id for word in words], server)
    if not words:
        return ClientArguments([], None)
    *rest, last = words
    clients = [find_client(word).id for word in rest]
    found = _find_client_id(last)
    if found is None:
        _check_server_exists(last, recorded)
        return ClientArguments(clients, last)
    if rest and last in _list_server_names():
        raise ArgumentError(
            f"{last!r} is a client and a server", hint=f"for the server, write --server {last}"
        )
    return ClientArguments([*clients, found], None)


def _check_split_client_name(words: tuple[str, ...]) -> None:
    """Refuse words that together are the name of one client, as in `Claude Code`."""
    for start, end in itertools.combinations(range(len(words) + 1), 2):
        together = words[start:end]
        if len(together) > 1 and not any(map(is_path_like, together)):
            found = _find_client_id("".join(together))
            if found is not None:
                raise ArgumentError(
                    f"{' '.join(together)!r} is the name of one client",
                    hint=f"write {found}",
                )


def _find_client_id(word: str) -> str | None:
    try:
        return None if is_path_like(word) else find_client(word).id
    except UnsupportedClientError:
        return None


def _check_server_exists(word: str, recorded: Collection[str]) -> None:
    names = {*_list_server_names(), *recorded}
    if word in names or is_path_like(word) or Path(word).exists():
        return
    raise ArgumentError(
        f"No client and no server is called {word!r}",
        hint=did_you_mean(word, [*supported_clients(), *names])
        or "paddock clients and paddock servers list them",
    )


def _list_server_names() -> list[str]:
    return [source.name for source in list_sources()]
