"""Deleting a named server, with what is installed of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.clients.standing import deduplicate_entries, list_recorded_entries
from paddock.clients.uninstall import uninstall_entry
from paddock.servers.api import find_user_source
from paddock.servers.store import delete_definition

if TYPE_CHECKING:
    from paddock.clients.plan import Outcome


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
