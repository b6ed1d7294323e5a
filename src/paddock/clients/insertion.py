"""One entry on its way into one file: what becomes of the file and of the records.

Which client, file and entry is decided in `install`; how a file is written in `applying`.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from paddock.clients.applying import FileEdit, apply_edit, read_content, remove_empty_directories
from paddock.clients.editing.document import MISSING
from paddock.clients.editing.plain_data import is_same_data
from paddock.clients.entries import (
    merge_entry_data,
)
from paddock.clients.layers import find_other_layers
from paddock.clients.ownership import identify_server, has_same_key
from paddock.clients.placing import reinsert_later_entries
from paddock.clients.recording import (
    record_installations,
    find_records,
    group_records_by_entry,
    replace_records,
    decode_undo_record,
    attach_undo_record,
)
from paddock.clients.secrets import strip_command_options, mask_url
from paddock.clients.showing import build_change
from paddock.errors import PaddockError
from paddock.servers.installations import Installation

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from paddock.clients.placing import EntryLocation, UndoRecord
    from paddock.clients.plan import Change
    from paddock.clients.shapes import ConfigEntry


class ForeignEntryError(PaddockError):
    """Under the key of a server stands an entry that is not ours, or is for another of ours."""

    code = "foreign-entry"


class EntryInsertion:
    """One entry on its way into one file."""

    def __init__(
        self, spot: EntryLocation, server: str, entry: ConfigEntry, scope: str, *, replaces: bool
    ) -> None:
        self.location = spot
        self._server = server
        self._entry = entry
        self._scope = scope
        self._replaces_foreign_entry = replaces
        self._undo: UndoRecord | None = None
        self._entry_data: object = None
        self._changed_records: list[Installation] = []
        self._records_before: list[Installation] = []
        self._is_new = True

    def preview(self) -> Change:
        """What would become of the file as it is now."""
        before = read_content(self.location.file)
        after = self.plan_edit(before).after
        return build_change(self.location, before, after)

    def apply(self) -> Change:
        """Write the file."""
        done = apply_edit(self.location.file, self.plan_edit, self.record_insertion)
        return build_change(self.location, done.before, done.after, done.backup)

    def plan_edit(self, now: bytes | None) -> FileEdit:
        """The file with the entry."""
        spot, shape, entry = self.location, self.location.client.shape, self._entry
        old = spot.read_entry(now)
        records = find_records(spot)
        undo = decode_undo_record(records)
        standing = None if old is MISSING else identify_server(spot.client, old, records)
        is_ours = standing is not None and self._can_replace(standing)
        if old is not MISSING and not is_ours and not self._replaces_foreign_entry:
            raise make_foreign_entry_error(spot, old, standing)
        self._changed_records, self._is_new = [], False
        if standing == self._server:
            self._entry_data = merge_entry_data(shape, old, entry, spot.key)
        else:
            self._entry_data = shape.render_entry(entry, spot.key)
        if is_ours and is_same_data(old, self._entry_data):
            after, self._undo = now, undo
        elif is_ours and undo is not None:
            after = self._update_entry(now, undo)
        else:
            # What a person wrote for this server is theirs, and comes back.
            is_as_ours = is_ours and _has_same_command(shape.parse_entry(old), entry)
            after, self._undo = spot.insert(now, self._entry_data, is_ours=is_as_ours)
            if standing is not None and not is_ours:
                self._undo = structs.replace(self._undo, previous=tuple(records))
            self._is_new = True
        return FileEdit(after, self._is_done)

    def _can_replace(self, standing: str) -> bool:
        """Whether the server takes the place of another of ours without being asked to."""
        return standing == self._server or has_same_key(standing, self._server, self.location.key)

    def _update_entry(self, now: bytes | None, undo: UndoRecord) -> bytes:
        """The file with the entry in the place of an older one of ours."""
        spot, others = self.location, find_other_layers(self.location)
        after, self._undo = spot.insert(now, self._entry_data, is_ours=True, undo=undo)
        later = [(layer.location, layer.undo) for layer in others.later]
        turn = reinsert_later_entries(now, (spot, undo), later, self._entry_data)
        if turn is not None and turn[0] == after:
            self._undo, *undos = turn[1]
            for layer, new in zip(others.later, undos, strict=True):
                self._changed_records += layer.update_records(new)
            return after
        self._is_new = True
        if others.all_layers:
            self._changed_records += others.all_layers[0].inherit_undo(undo)
        return after

    def record_insertion(self, made: tuple[Path, ...]) -> AbstractContextManager[None]:
        """Have it on record, also for other clients that read the same entry."""
        if self._undo is not None and made and not self._undo.existed:
            directories = tuple(str(directory) for directory in made)
            self._undo = structs.replace(self._undo, directories=directories)
        self._records_before = [one for group in group_records_by_entry(self.location.file).values() for one in group]
        others = [
            structs.replace(one, server=self._server, entry_kind=self.record.entry_kind)
            for one in find_records(self.location)
            if one.client != self.location.client.id
        ]
        records = [attach_undo_record(one, self._undo) for one in (*others, self.record)]
        if self._is_new:
            return record_installations(records, self._changed_records)
        return record_installations([], [*records, *self._changed_records])

    def roll_back(self, done: Change) -> None:
        """Have the file and its records as they were before."""

        def edit(now: bytes | None) -> FileEdit:
            is_as_written = now == done.after
            content = done.before if is_as_written else self.location.remove(now, self._undo)
            return FileEdit(content, lambda _: True)

        apply_edit(self.location.file, edit)
        is_new = not any(one.is_same_entry(self.record) for one in self._records_before)
        replace_records([self.record] if is_new else [], self._records_before, [])
        if done.before is None and self._undo is not None:
            remove_empty_directories(tuple(map(Path, self._undo.directories)))

    @property
    def record(self) -> Installation:
        """What is on record of it."""
        return attach_undo_record(
            Installation(
                server=self._server,
                client=self.location.client.id,
                file=str(self.location.file),
                real=os.path.realpath(self.location.file),
                key=self.location.key,
                scope=self._scope,
                entry_kind="stdio" if self._entry.url is None else "http",
                created=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            ),
            self._undo,
        )

    def _is_done(self, content: bytes | None) -> bool:
        return is_same_data(self.location.read_entry(content), self._entry_data)


def _has_same_command(one: ConfigEntry | None, other: ConfigEntry) -> bool:
    return one is not None and (one.command, one.args) == (other.command, other.args)


def make_foreign_entry_error(spot: EntryLocation, old: object, standing: str | None) -> ForeignEntryError:
    """The complaint about an entry in the place that ours was to have."""
    entry = spot.client.shape.parse_entry(old)
    what = "an entry that is not ours"
    if standing is not None:
        what = f"another server of Paddock's ({standing})"
    elif entry is not None:
        is_url = entry.url is not None
        shown = mask_url(entry.url or "") if is_url else strip_command_options(entry.command or "")
        what = f"a server that is not ours ({shown})"
    return ForeignEntryError(
        f"under the name {spot.key!r} stands {what}",
        where=str(spot.file),
        hint="choose another name for ours (--name), or replace it (--replace)",
    )
