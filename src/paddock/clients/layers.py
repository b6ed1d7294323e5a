"""The entries of ours in one file, one put in after the other.

What was put in later stands around what was put in before, so that the latter cannot be cut out as
text by itself. Here are the others of a file, and what one has to see to after another has gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import structs

from paddock.clients.destination import spot_in
from paddock.clients.placing import Spot, Undo
from paddock.clients.recording import place_of, records_by_place, undo_of, with_undo
from paddock.clients.table import UnsupportedClientError, find_client
from paddock.servers.installations import Installation

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Layer:
    """One entry of ours, with what is on record of it."""

    spot: Spot
    undo: Undo
    records: tuple[Installation, ...]

    def changed(self, undo: Undo) -> list[Installation]:
        """The records with another way to take the entry out."""
        return [with_undo(one, undo) for one in self.records]

    def inheriting(self, undo: Undo) -> list[Installation]:
        """The records, when this entry has to remove what was made for one that goes."""
        heir = structs.replace(
            self.undo,
            existed=self.undo.existed and undo.existed,
            made=max(self.undo.made, undo.made),
            directories=self.undo.directories or undo.directories,
        )
        return self.changed(heir)


@dataclass(frozen=True)
class Layers:
    """The other entries of ours in the file of one, in the order in which they were put in."""

    earlier: tuple[Layer, ...]
    later: tuple[Layer, ...]

    @property
    def all(self) -> tuple[Layer, ...]:
        """All of them."""
        return (*self.earlier, *self.later)


def layers_around(spot: Spot) -> Layers:
    """The other entries of ours in a file; those with useless records are left out."""
    place = place_of(spot.client.id, spot.file, spot.key)
    standing = records_by_place(spot.file)
    places = list(standing)
    here = places.index(place) if place in standing else len(places)
    return Layers(
        tuple(_layers(spot, (standing[one] for one in places[:here]))),
        tuple(_layers(spot, (standing[one] for one in places[here + 1 :]))),
    )


def _layers(spot: Spot, groups: Iterable[list[Installation]]) -> Iterable[Layer]:
    for records in groups:
        undo, newest = undo_of(records), records[-1]
        try:
            client = find_client(newest.client)
        except UnsupportedClientError:  # of another version
            continue
        if undo is not None:
            there = spot_in(client, spot.file, newest.key, newest.scope)
            yield Layer(there, undo, tuple(records))
