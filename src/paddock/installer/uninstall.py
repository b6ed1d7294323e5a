"""Removes servers from clients, and deletes named servers.

The entries to remove come from the installation records. If a client or file is named, entries
in its files that start Paddock count too, even if they were not installed by Paddock.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.installer.apps import UnsupportedClientError, find_client
from paddock.installer.entry_change import remove_entry
from paddock.installer.locations import make_entry_location, resolve_destination
from paddock.installer.plan import ClientOutcome
from paddock.installer.records import (
    InstalledEntry,
    deduplicate_entries,
    find_installed_entries,
    get_entry_identity,
    has_same_key,
    list_recorded_entries,
)
from paddock.named_servers.api import find_user_source
from paddock.named_servers.named_server import NamedServer
from paddock.named_servers.store import delete_definition

if TYPE_CHECKING:
    from os import PathLike

    from paddock.installer.entry_builder import ServerReference


class NotInstalledError(PaddockError):
    """There is no matching Paddock entry to remove."""

    code = "not-installed"


def uninstall(
    client: str | None = None,
    server: ServerReference | None = None,
    *,
    project: str | PathLike[str] | None = None,
    file: str | PathLike[str] | None = None,
    name: str | None = None,
    dry_run: bool = False,
) -> list[ClientOutcome]:
    """Remove a server from a client, and restore the entry that it replaced.

    Without a server, all of Paddock's servers are removed. Without a client (or file), the server
    is removed from every recorded client. An entry that was changed since its installation is
    removed too, and the plan says so; an entry that no longer belongs to Paddock is left in place.

    Args:
        client: The client, by any of its names.
        server: The server, as it was installed.
        project: The directory of the project that it was installed for.
        file: The file that it was installed into.
        name: The key of the entry.
        dry_run: Change nothing, and only return the plans.

    Raises:
        NotInstalledError: There is nothing to remove.
        PaddockError: The only entry could not be removed. If there is more than one entry, each
            outcome has its own error instead.
    """
    if client is None and file is None and server is None and name is None:
        raise NotInstalledError(
            "no client and no server is given", hint="name at least one of them"
        )
    if client is None and file is None and project is None:
        entries = deduplicate_entries(list_recorded_entries())
    else:
        entries = _find_entries(client, project, file)
    selected = [entry for entry in entries if _is_selected(entry, server, name)]
    if not selected:
        raise _make_not_installed_error(client, server, name)
    outcomes = [uninstall_entry(entry, dry_run=dry_run) for entry in selected]
    if len(outcomes) == 1 and outcomes[0].error is not None:
        raise outcomes[0].error
    return outcomes


def uninstall_all(*, dry_run: bool = False) -> list[ClientOutcome]:
    """Remove all recorded entries from all clients.

    Args:
        dry_run: Change nothing, and only return the plans.

    Raises:
        NotInstalledError: There is nothing to remove.
    """
    entries = deduplicate_entries(list_recorded_entries())
    if not entries:
        raise NotInstalledError("nothing is installed")
    return [uninstall_entry(entry, dry_run=dry_run) for entry in entries]


def _find_entries(
    client: str | None, project: str | PathLike[str] | None, file: str | PathLike[str] | None
) -> list[InstalledEntry]:
    """Return Paddock's entries in a client's configuration files, or in one file.

    If only a file is given, its client is unknown. The entries are then those that the installation
    records name for this file, together with those that a scan of the file finds.
    """
    if client is not None or file is None:
        return find_installed_entries(resolve_destination(client, project=project, file=file))
    real_file = get_entry_identity("", Path(file).expanduser().absolute(), "")[0]
    recorded = [entry for entry in list_recorded_entries() if entry.identity[0] == real_file]
    try:
        scanned = find_installed_entries(resolve_destination(None, project=project, file=file))
    except UnsupportedClientError:
        if not recorded:
            raise
        scanned = []
    # Records come last and win: they name the client, which the scan can only guess.
    return deduplicate_entries([*scanned, *recorded])


def _is_selected(entry: InstalledEntry, server: ServerReference | None, name: str | None) -> bool:
    """Return whether an installed entry matches the user's server and entry key.

    A server or a key (`name`) that is None matches every entry.
    """
    if name is not None and entry.key != name:
        return False
    return (
        server is None
        or entry.server in _list_possible_names(server)
        or has_same_key(entry.server, server, entry.key)
    )


def _list_possible_names(server: ServerReference) -> set[str]:
    """Return the names that the installation records may use for a server.

    A string may be the name of a server or the path of its file. Both are returned, because the
    server cannot be looked up if it no longer exists.
    """
    if isinstance(server, NamedServer):
        return {server.name}
    path = str(Path(server).expanduser().absolute())
    return {server, path} if isinstance(server, str) else {path}


def uninstall_entry(entry: InstalledEntry, *, dry_run: bool = False) -> ClientOutcome:
    """Remove one entry from its client's configuration file.

    The outcome contains the plan of the changes, or the error if the removal failed. Errors are
    not raised, so that a failure for one client does not stop the removal from the others.
    """
    try:
        location = make_entry_location(
            find_client(entry.client), entry.file, entry.key, entry.scope
        )
        plan = remove_entry(location, entry.server, entry.scope, dry_run=dry_run)
    except PaddockError as error:
        return ClientOutcome(entry.client, error=error)
    return ClientOutcome(entry.client, plan)


def _make_not_installed_error(
    client: str | None, server: ServerReference | None, name: str | None
) -> NotInstalledError:
    """Return the error for a server or an entry that is not installed.

    Its hint lists any clients that have a matching entry.
    """
    suffix = f" in {client}" if client else ""
    if name is not None:
        message = f"an entry {name!r} is not installed{suffix}"
    elif server is not None:
        message = f"the server {getattr(server, 'name', server)} is not installed{suffix}"
    else:
        message = f"no server is installed{suffix}"
    others = [entry for entry in list_recorded_entries() if _is_selected(entry, server, name)]
    locations = ", ".join(f"{entry.client} ({entry.scope}: {entry.file})" for entry in others)
    return NotInstalledError(message, hint=f"it is installed in {locations}" if locations else None)


def delete_server(name: str, *, uninstall: bool = True) -> list[ClientOutcome]:
    """Delete one of the user's servers, after removing it from all clients.

    Args:
        name: The server.
        uninstall: Remove it from clients. Otherwise, its entries are left in place but no longer
            work.

    Returns:
        The removals.

    Raises:
        ServerNotFoundError: There is no such server.
        BuiltInServerError: The server is not one of the user's own.
        PaddockError: The server could not be removed from a client, and was not deleted.
    """
    find_user_source(name)
    # Another server may have been installed under the same key, so the key is not compared here.
    recorded = [entry for entry in list_recorded_entries() if uninstall and entry.server == name]
    outcomes = [uninstall_entry(entry) for entry in deduplicate_entries(recorded)]
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
    delete_definition(name)
    return outcomes
