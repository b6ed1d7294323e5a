"""Which client a file belongs to, from where it stands and what is in it.

Used when a user names a file and no client. A wrong guess writes an entry that the client does not
understand, so that what could be several is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING

from paddock.clients.client import OPERATING_SYSTEMS
from paddock.clients.paths import HostMachine, list_candidate_paths
from paddock.clients.table import supported_clients

if TYPE_CHECKING:
    from paddock.clients.client import Client
    from paddock.clients.editing.opening import ConfigFormat

PREFERRED_CLIENT_IDS = ("claude-code", "vscode", "codex", "opencode", "trae")
"""Whose a file is when several read it: `.mcp.json` is Claude Code's, and so on."""
FORMATS_BY_SUFFIX: dict[str, ConfigFormat] = {
    ".json": "json",
    ".jsonc": "json",
    ".toml": "toml",
    ".yaml": "yaml",
    ".yml": "yaml",
}


def guess_client(path: Path, data: object, *, machine: HostMachine | None = None) -> Client | None:
    """The client whose file this is, or None when that cannot be told.

    The place decides, then the end of the path, then the content; `data` is what the file holds,
    and an empty mapping for one that is not there yet.
    """
    machine = machine or HostMachine.current()
    clients = sorted(supported_clients().values(), key=_rank_preference)
    absolute = path.expanduser().absolute()
    for client in clients:
        if any(absolute == Path(file.as_posix()) for file in list_candidate_paths(client, machine)):
            return client
    by_path = _match_by_path(clients, absolute, data)
    return by_path or _match_by_content(clients, absolute, data)


def _rank_preference(client: Client) -> int:
    return PREFERRED_CLIENT_IDS.index(client.id) if client.id in PREFERRED_CLIENT_IDS else len(PREFERRED_CLIENT_IDS)


def _match_by_path(clients: list[Client], path: PurePath, data: object) -> Client | None:
    """The client with the longest piece of path that this one ends in."""
    best: tuple[int, bool] = (0, False)
    found = None
    for client in clients:
        length = max((_count_matching_parts(tail, path) for tail in _iterate_path_tails(client)), default=0)
        score = (length, length > 0 and _has_server_table(client, path, data))
        if length and score > best:
            best, found = score, client
    return found


def _iterate_path_tails(client: Client) -> Iterator[PurePath]:
    yield from (PurePosixPath(name) for name in (*client.project, *client.known_as))
    for system in OPERATING_SYSTEMS:
        unset = HostMachine(system, {}, "")
        yield from (_strip_root(unset.resolve_template(place.path_template)) for place in unset.get_locations(client))


def _strip_root(path: PurePath) -> PurePath:
    return path.relative_to(path.anchor)


def _count_matching_parts(tail: PurePath, path: PurePath) -> int:
    """The number of parts of a tail that the path ends in, all of them or none."""
    wanted = [part.casefold() for part in tail.parts]
    given = [part.casefold() for part in path.parts[-len(wanted) :]]
    fits = len(given) == len(wanted) and all(map(fnmatchcase, given, wanted))
    return len(wanted) if fits else 0


def _has_server_table(client: Client, path: PurePath, data: object) -> bool:
    return _get_server_entries(client, path, data) is not None


def _get_server_entries(client: Client, path: PurePath, data: object) -> list[object] | None:
    """The entries that a file holds for a client; None where it has no place for them."""
    for key in client.get_servers_path(path):
        data = data.get(key) if isinstance(data, Mapping) else None
    if client.listed:
        return data if isinstance(data, list) else None
    return list(data.values()) if isinstance(data, Mapping) else None


def _match_by_content(clients: list[Client], path: PurePath, data: object) -> Client | None:
    format_ = FORMATS_BY_SUFFIX.get(path.suffix.casefold())
    fitting = [
        (client, servers)
        for client in clients
        if client.has_file and format_ in (None, client.format)
        if (servers := _get_server_entries(client, path, data)) is not None
    ]
    marked = [client for client, servers in fitting if client.marks and _has_marker_fields(client, servers)]
    if marked:
        return marked[0]
    own = [
        client
        for client, servers in fitting
        if client.get_servers_path(path) != ("mcpServers",) or client.listed
        if all(client.shape.parse_entry(server) for server in servers)
    ]
    return own[0] if own else None


def _has_marker_fields(client: Client, servers: list[object]) -> bool:
    return any(isinstance(one, Mapping) and client.marks <= one.keys() for one in servers)
