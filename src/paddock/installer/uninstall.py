"""Taking servers out of clients again, so that their files are as they were.

What is to go is looked up in the records, and for a client that is named also in its files: an
entry that starts Paddock is ours, whoever put it there.

Deleting a named server, with what is installed of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.installer.apps import UnsupportedClientError, find_client
from paddock.installer.entry_change import remove_entry
from paddock.installer.locations import make_entry_location, resolve_destination
from paddock.installer.plan import Outcome
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
    """There is nothing of ours to take out."""

    code = "not-installed"


def uninstall(
    client: str | None = None,
    server: ServerReference | None = None,
    *,
    project: str | PathLike[str] | None = None,
    file: str | PathLike[str] | None = None,
    name: str | None = None,
    dry_run: bool = False,
) -> list[Outcome]:
    """Take a server out of a client again, and restore what stood there before.

    Without a server, all of Paddock's go; without a client (or file), the server goes from
    everywhere that is on record. An entry that was changed meanwhile goes too, and the plan says
    so; one that is not Paddock's any more stays.

    Args:
        client: The client, by any of its names.
        server: The server, as it was installed.
        project: The directory of the project that it was installed for.
        file: The file that it was installed into.
        name: The key of the entry.
        dry_run: Change nothing, and only say what would be.

    Raises:
        NotInstalledError: when there is nothing to take out.
        PaddockError: what kept it from being taken out, if it was to go from one place; of
            several, each outcome has its own.
    """
    if client is None and file is None and server is None and name is None:
        raise NotInstalledError("nothing is named to take out", hint="name a client or a server")
    if client is None and file is None and project is None:
        found = deduplicate_entries(list_recorded_entries())
    else:
        found = _find_entries(client, project, file)
    wanted = [one for one in found if _is_selected(one, server, name)]
    if not wanted:
        raise _make_not_installed_error(client, server, name)
    outcomes = [uninstall_entry(one, dry_run=dry_run) for one in wanted]
    if len(outcomes) == 1 and outcomes[0].error is not None:
        raise outcomes[0].error
    return outcomes


def _find_entries(
    client: str | None, project: str | PathLike[str] | None, file: str | PathLike[str] | None
) -> list[InstalledEntry]:
    """What stands in files; what is on record of a file says more of it than a guess."""
    if client is not None or file is None:
        return find_installed_entries(resolve_destination(client, project=project, file=file))
    real = get_entry_identity("", Path(file).expanduser().absolute(), "")[0]
    recorded = [one for one in list_recorded_entries() if one.identity[0] == real]
    try:
        found = find_installed_entries(resolve_destination(None, project=project, file=file))
    except UnsupportedClientError:
        if not recorded:
            raise
        found = []
    return deduplicate_entries([*found, *recorded])


def _is_selected(one: InstalledEntry, server: ServerReference | None, name: str | None) -> bool:
    if name is not None and one.key != name:
        return False
    return (
        server is None
        or one.server in _list_recorded_names(server)
        or has_same_key(one.server, server, one.key)
    )


def _list_recorded_names(server: ServerReference) -> set[str]:
    """The names under which a server may be on record; it need not exist any more."""
    if isinstance(server, NamedServer):
        return {server.name}
    return (
        {server, _to_absolute_path(server)}
        if isinstance(server, str)
        else {_to_absolute_path(server)}
    )


def _to_absolute_path(path: str | PathLike[str]) -> str:
    return str(Path(path).expanduser().absolute())


def uninstall_entry(one: InstalledEntry, *, dry_run: bool = False) -> Outcome:
    """Take out what stands in one place; what kept it from that is in the outcome."""
    try:
        spot = make_entry_location(find_client(one.client), one.file, one.key, one.scope)
        plan = remove_entry(spot, one.server, one.scope, dry_run=dry_run)
    except PaddockError as error:
        return Outcome(one.client, error=error)
    return Outcome(one.client, plan)


def _make_not_installed_error(
    client: str | None, server: ServerReference | None, name: str | None
) -> NotInstalledError:
    what = f"the server {getattr(server, 'name', server)!s}" if server is not None else "no server"
    what = f"an entry {name!r}" if name is not None else what
    where = f" in {client}" if client else ""
    text = f"{what} is not installed{where}" if server or name else f"nothing is installed{where}"
    others = [one for one in list_recorded_entries() if _is_selected(one, server, name)]
    places = ", ".join(f"{one.client} ({one.scope}: {one.file})" for one in others)
    return NotInstalledError(text, hint=f"it is in {places}" if places else None)


def delete_server(name: str, *, uninstall: bool = True) -> list[Outcome]:
    """Delete a server of the user's, and first take it out of the clients that it is in.

    Args:
        name: Which server.
        uninstall: Whether to take it out of clients; entries that stay cannot be started any more.

    Returns:
        What was taken out, and of where.

    Raises:
        ServerNotFoundError: when there is none of that name.
        BuiltInServerError: when it is not one of the user's own.
        PaddockError: what kept it from being taken out of a client; it is not deleted then.
    """
    find_user_source(name)
    outcomes = _uninstall_everywhere(name) if uninstall else []
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
    delete_definition(name)
    return outcomes


def _uninstall_everywhere(name: str) -> list[Outcome]:
    """What has the entry of this very server; others of the same key stay."""
    recorded = [one for one in list_recorded_entries() if one.server == name]
    return [uninstall_entry(one) for one in deduplicate_entries(recorded)]
