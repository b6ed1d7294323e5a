"""The entries of ours in one file, one put in after the other.

What was put in later stands around what was put in before, so that the latter cannot be cut out as
text by itself. Here are the others of a file, and what one has to see to after another has gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import structs

from paddock.clients.destination import make_entry_location
from paddock.clients.placing import EntryLocation, UndoRecord
from paddock.clients.recording import get_entry_identity, group_records_by_entry, decode_undo_record, attach_undo_record
from paddock.clients.table import UnsupportedClientError, find_client
from paddock.servers.installations import Installation

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class EntryLayer:
    """One entry of ours, with what is on record of it."""

    location: EntryLocation
    undo: UndoRecord
    records: tuple[Installation, ...]

    def update_records(self, undo: UndoRecord) -> list[Installation]:
        """The records with another way to take the entry out."""
        return [attach_undo_record(one, undo) for one in self.records]

    def inherit_undo(self, undo: UndoRecord) -> list[Installation]:
        """The records, when this entry has to remove what was made for one that goes."""
        heir = structs.replace(
            self.undo,
            existed=self.undo.existed and undo.existed,
            made=max(self.undo.made, undo.made),
            directories=self.undo.directories or undo.directories,
        )
        return self.update_records(heir)


@dataclass(frozen=True)
class EntryLayers:
    """The other entries of ours in the file of one, in the order in which they were put in."""

    earlier: tuple[EntryLayer, ...]
    later: tuple[EntryLayer, ...]

    @property
    def all_layers(self) -> tuple[EntryLayer, ...]:
        """All of them."""
        return (*self.earlier, *self.later)


def find_other_layers(spot: EntryLocation) -> EntryLayers:
    """The other entries of ours in a file; those with useless records are left out."""
    place = get_entry_identity(spot.client.id, spot.file, spot.key)
    standing = group_records_by_entry(spot.file)
    places = list(standing)
    here = places.index(place) if place in standing else len(places)
    return EntryLayers(
        tuple(_build_layers(spot, (standing[one] for one in places[:here]))),
        tuple(_build_layers(spot, (standing[one] for one in places[here + 1 :]))),
    )


def _build_layers(spot: EntryLocation, groups: Iterable[list[Installation]]) -> Iterable[EntryLayer]:
    for records in groups:
        undo, newest = decode_undo_record(records), records[-1]
        try:
            client = find_client(newest.client)
        except UnsupportedClientError:  # of another version
            continue
        if undo is not None:
            there = make_entry_location(client, spot.file, newest.key, newest.scope)
            yield EntryLayer(there, undo, tuple(records))
