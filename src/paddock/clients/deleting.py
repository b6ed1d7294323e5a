"""Deleting a named server, with what is installed of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddock.clients.plan import Outcome


def delete_server(name: str, *, uninstall: bool = True) -> list[Outcome]:
    """Delete a server of the user's, and first take it out of the clients that it is in."""
    raise NotImplementedError
