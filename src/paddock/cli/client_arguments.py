"""Parsing of `CLIENT... [SERVER]`, the arguments of `paddock install` and `uninstall`."""

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
    """The clients and the server selected by the arguments."""

    clients: list[str]
    """Client ids."""
    server: str | None
    """A server name or a path."""


def parse_client_arguments(
    arguments: tuple[str, ...], server: str | None, *, recorded_servers: Collection[str] = ()
) -> ClientArguments:
    """Split a command's arguments into the clients and the server they name.

    For example, `claude-code cursor weather` names two clients and the server `weather`. If the
    last argument is a client name, no server is named.

    Args:
        arguments: The positional arguments.
        server: The value of `--server`. If set, all arguments are clients.
        recorded_servers: The names of servers that were installed into clients. They are accepted
            even if the server has since been deleted.

    Raises:
        ArgumentError: The last argument is neither a client nor a server, or is both, or
            several arguments together form the name of one client.
        UnsupportedClientError: One of the other arguments is not a client.
    """
    _check_split_client_name(arguments)
    if server is not None:
        return ClientArguments([find_client(argument).id for argument in arguments], server)
    if not arguments:
        return ClientArguments([], None)
    *others, last = arguments
    clients = [find_client(argument).id for argument in others]
    client_id = _find_client_id(last)
    if client_id is None:
        _check_server_exists(last, recorded_servers)
        return ClientArguments(clients, last)
    if others and last in _list_server_names():
        raise ArgumentError(
            f"{last!r} is the name of a client and of a server",
            hint=f"for the server, pass --server {last}",
        )
    return ClientArguments([*clients, client_id], None)


def _check_split_client_name(arguments: tuple[str, ...]) -> None:
    """Reject an unquoted client name that the shell has split, such as `Claude Code`.

    Raises:
        ArgumentError: Several successive arguments together form the name of one client.
    """
    for start, end in itertools.combinations(range(len(arguments) + 1), 2):
        words = arguments[start:end]
        if len(words) > 1 and not any(map(is_path_like, words)):
            client_id = _find_client_id("".join(words))
            if client_id is not None:
                raise ArgumentError(
                    f"{' '.join(words)!r} is the name of one client",
                    hint=f"write {client_id}",
                )


def _find_client_id(argument: str) -> str | None:
    """Return the id of a client, or None if the argument is a path or not a client."""
    try:
        return None if is_path_like(argument) else find_client(argument).id
    except UnsupportedClientError:
        return None


def _check_server_exists(argument: str, recorded_servers: Collection[str]) -> None:
    """Check that an argument is a server name or the path to a server file.

    Raises:
        ArgumentError: The argument is neither. The hint suggests similar names.
    """
    names = {*_list_server_names(), *recorded_servers}
    if argument in names or is_path_like(argument) or Path(argument).exists():
        return
    raise ArgumentError(
        f"There is no client and no server {argument!r}",
        hint=did_you_mean(argument, [*supported_clients(), *names])
        or "paddock clients and paddock servers list them",
    )


def _list_server_names() -> list[str]:
    return [source.name for source in list_sources()]
