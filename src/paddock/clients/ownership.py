"""Whose an entry is that stands in a client's file.

An entry is Paddock's when it starts Paddock, is what we wrote, or leads to the address that we
wrote. Whatever else stands under a key of ours belongs to the user.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from paddock.clients.editing.plain_data import same
from paddock.clients.entries import server_started_by
from paddock.clients.recording import undo_of
from paddock.errors import PaddockError
from paddock.servers.api import get_server
from paddock.servers.named_server import NamedServer

if TYPE_CHECKING:
    from paddock.clients.client import Client
    from paddock.clients.entries import ServerName
    from paddock.servers.installations import Installation


def server_of(client: Client, data: object, records: list[Installation]) -> str | None:
    """The server of Paddock's that an entry stands for; None when the entry is not Paddock's.

    `records` are those of the place that it stands in.
    """
    entry = client.shape.read(data)
    started = None if entry is None or entry.url is not None else server_started_by(entry)
    if started is not None:
        return started
    undo = undo_of(records)
    if undo is None:
        return None
    written = client.shape.read(undo.entry)
    has_url = entry is not None and entry.url is not None
    if has_url and written is not None and entry is not None and entry.url == written.url:
        return records[-1].server
    return records[-1].server if same(data, undo.entry) else None


def share_key(one: str, other: ServerName, key: str) -> bool:
    """Whether two named servers are both called this in clients' files, and so take turns."""
    with suppress(PaddockError):
        meant = other if isinstance(other, NamedServer) else get_server(other)
        return meant.key == get_server(one).key == key
    return False
