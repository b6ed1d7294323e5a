"""One entry on its way into one file: what becomes of the file and of the records.

Which client, file and entry is decided in `install`; how a file is written in `applying`.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from paddock.clients.applying import Edit, apply_edit, content_of, remove_directories
from paddock.clients.editing.document import MISSING
from paddock.clients.editing.plain_data import same
from paddock.clients.entries import (
    refreshed,
)
from paddock.clients.layers import layers_around
from paddock.clients.ownership import server_of, share_key
from paddock.clients.placing import unwound
from paddock.clients.recording import (
    recorded,
    records_at,
    records_by_place,
    replace_records,
    undo_of,
    with_undo,
)
from paddock.clients.secrets import shown_command, shown_url
from paddock.clients.showing import change_of
from paddock.errors import PaddockError
from paddock.servers.installations import Installation

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from paddock.clients.placing import Spot, Undo
    from paddock.clients.plan import Change
    from paddock.clients.shapes import Entry


class ForeignEntryError(PaddockError):
    """Under the key of a server stands an entry that is not ours, or is for another of ours."""

    code = "foreign-entry"


class Insertion:
    """One entry on its way into one file."""

    def __init__(
        self, spot: Spot, server: str, entry: Entry, scope: str, *, replaces: bool
    ) -> None:
        self.spot = spot
        self._server = server
        self._entry = entry
        self._scope = scope
        self._replaces = replaces
        self._undo: Undo | None = None
        self._value: object = None
        self._changed: list[Installation] = []
        self._before: list[Installation] = []
        self._is_new = True

    def change(self) -> Change:
        """What would become of the file as it is now."""
        before = content_of(self.spot.file)
        after = self.edit(before).after
        return change_of(self.spot, before, after)

    def apply(self) -> Change:
        """Write the file."""
        done = apply_edit(self.spot.file, self.edit, self.journal)
        return change_of(self.spot, done.before, done.after, done.backup)

    def edit(self, now: bytes | None) -> Edit:
        """The file with the entry."""
        spot, shape, entry = self.spot, self.spot.client.shape, self._entry
        old = spot.entry_in(now)
        records = records_at(spot)
        undo = undo_of(records)
        standing = None if old is MISSING else server_of(spot.client, old, records)
        is_ours = standing is not None and self._follows(standing)
        if old is not MISSING and not is_ours and not self._replaces:
            raise foreign(spot, old, standing)
        self._changed, self._is_new = [], False
        if standing == self._server:
            self._value = refreshed(shape, old, entry, spot.key)
        else:
            self._value = shape.render(entry, spot.key)
        if is_ours and same(old, self._value):
            after, self._undo = now, undo
        elif is_ours and undo is not None:
            after = self._updated(now, undo)
        else:
            # What a person wrote for this server is theirs, and comes back.
            is_as_ours = is_ours and _starts_alike(shape.read(old), entry)
            after, self._undo = spot.put_in(now, self._value, is_ours=is_as_ours)
            if standing is not None and not is_ours:
                self._undo = structs.replace(self._undo, previous=tuple(records))
            self._is_new = True
        return Edit(after, self._is_done)

    def _follows(self, standing: str) -> bool:
        """Whether the server takes the place of another of ours without being asked to."""
        return standing == self._server or share_key(standing, self._server, self.spot.key)

    def _updated(self, now: bytes | None, undo: Undo) -> bytes:
        """The file with the entry in the place of an older one of ours."""
        spot, others = self.spot, layers_around(self.spot)
        after, self._undo = spot.put_in(now, self._value, is_ours=True, undo=undo)
        later = [(layer.spot, layer.undo) for layer in others.later]
        turn = unwound(now, (spot, undo), later, self._value)
        if turn is not None and turn[0] == after:
            self._undo, *undos = turn[1]
            for layer, new in zip(others.later, undos, strict=True):
                self._changed += layer.changed(new)
            return after
        self._is_new = True
        if others.all:
            self._changed += others.all[0].inheriting(undo)
        return after

    def journal(self, made: tuple[Path, ...]) -> AbstractContextManager[None]:
        """Have it on record, also for other clients that read the same entry."""
        if self._undo is not None and made and not self._undo.existed:
            directories = tuple(str(directory) for directory in made)
            self._undo = structs.replace(self._undo, directories=directories)
        self._before = [one for group in records_by_place(self.spot.file).values() for one in group]
        others = [
            structs.replace(one, server=self._server, entry_kind=self.record.entry_kind)
            for one in records_at(self.spot)
            if one.client != self.spot.client.id
        ]
        records = [with_undo(one, self._undo) for one in (*others, self.record)]
        if self._is_new:
            return recorded(records, self._changed)
        return recorded([], [*records, *self._changed])

    def take_back(self, done: Change) -> None:
        """Have the file and its records as they were before."""

        def edit(now: bytes | None) -> Edit:
            is_as_written = now == done.after
            content = done.before if is_as_written else self.spot.take_out(now, self._undo)
            return Edit(content, lambda _: True)

        apply_edit(self.spot.file, edit)
        is_new = not any(one.is_at(self.record) for one in self._before)
        replace_records([self.record] if is_new else [], self._before, [])
        if done.before is None and self._undo is not None:
            remove_directories(tuple(map(Path, self._undo.directories)))

    @property
    def record(self) -> Installation:
        """What is on record of it."""
        return with_undo(
            Installation(
                server=self._server,
                client=self.spot.client.id,
                file=str(self.spot.file),
                real=os.path.realpath(self.spot.file),
                key=self.spot.key,
                scope=self._scope,
                entry_kind="stdio" if self._entry.url is None else "http",
                created=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            ),
            self._undo,
        )

    def _is_done(self, content: bytes | None) -> bool:
        return same(self.spot.entry_in(content), self._value)


def _starts_alike(one: Entry | None, other: Entry) -> bool:
    return one is not None and (one.command, one.args) == (other.command, other.args)


def foreign(spot: Spot, old: object, standing: str | None) -> ForeignEntryError:
    """The complaint about an entry in the place that ours was to have."""
    entry = spot.client.shape.read(old)
    what = "an entry that is not ours"
    if standing is not None:
        what = f"another server of Paddock's ({standing})"
    elif entry is not None:
        is_url = entry.url is not None
        shown = shown_url(entry.url or "") if is_url else shown_command(entry.command or "")
        what = f"a server that is not ours ({shown})"
    return ForeignEntryError(
        f"under the name {spot.key!r} stands {what}",
        where=str(spot.file),
        hint="choose another name for ours (--name), or replace it (--replace)",
    )
