"""Whose an entry is that stands in a client's file.

An entry is Paddock's when it starts Paddock, is what we wrote, or leads to the address that we
wrote. Whatever else stands under a key of ours belongs to the user.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from paddock.clients.editing.plain_data import is_same_data
from paddock.clients.entries import find_started_server
from paddock.clients.recording import decode_undo_record
from paddock.errors import PaddockError
from paddock.servers.api import get_server
from paddock.servers.named_server import NamedServer

if TYPE_CHECKING:
    from paddock.clients.client import Client
    from paddock.clients.entries import ServerReference
    from paddock.servers.installations import Installation


def identify_server(client: Client, data: object, records: list[Installation]) -> str | None:
    """The server of Paddock's that an entry stands for; None when the entry is not Paddock's.

    `records` are those of the place that it stands in.
    """
    entry = client.shape.parse_entry(data)
    started = None if entry is None or entry.url is not None else find_started_server(entry)
    if started is not None:
        return started
    undo = decode_undo_record(records)
    if undo is None:
        return None
    written = client.shape.parse_entry(undo.entry)
    has_url = entry is not None and entry.url is not None
    if has_url and written is not None and entry is not None and entry.url == written.url:
        return records[-1].server
    return records[-1].server if is_same_data(data, undo.entry) else None


def has_same_key(one: str, other: ServerReference, key: str) -> bool:
    """Whether two named servers are both called this in clients' files, and so take turns."""
    with suppress(PaddockError):
        meant = other if isinstance(other, NamedServer) else get_server(other)
        return meant.key == get_server(one).key == key
    return False
