"""One entry on its way into one file: what becomes of the file and of the records.

Which client, file and entry is decided in `install`; how a file is written in `applying`.

The entries of ours in one file, one put in after the other.

What was put in later stands around what was put in before, so that the latter cannot be cut out as
text by itself. Here are the others of a file, and what one has to see to after another has gone.

Taking one entry out of one file.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from paddock.errors import PaddockError
from paddock.installer.apps import UnsupportedClientError, find_client
from paddock.installer.config_files.data_changes import is_same_data
from paddock.installer.config_files.document import MISSING
from paddock.installer.entry_builder import merge_entry_data
from paddock.installer.entry_location import (
    EntryLocation,
    RemainingContent,
    UndoRecord,
    reinsert_later_entries,
)
from paddock.installer.file_writer import (
    FileEdit,
    apply_edit,
    read_content,
    remove_empty_directories,
)
from paddock.installer.locations import make_entry_location
from paddock.installer.plan import Plan, build_change
from paddock.installer.records import (
    attach_undo_record,
    decode_undo_record,
    find_records,
    get_entry_identity,
    group_records_by_entry,
    has_same_key,
    identify_server,
    record_installations,
    replace_records,
)
from paddock.installer.secret_masking import mask_url, strip_command_options
from paddock.named_servers.installations import Installation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from paddock.installer.entry_format import ConfigEntry
    from paddock.installer.plan import Change


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


def _build_layers(
    spot: EntryLocation, groups: Iterable[list[Installation]]
) -> Iterable[EntryLayer]:
    for records in groups:
        undo, newest = decode_undo_record(records), records[-1]
        try:
            client = find_client(newest.client)
        except UnsupportedClientError:  # of another version
            continue
        if undo is not None:
            there = make_entry_location(client, spot.file, newest.key, newest.scope)
            yield EntryLayer(there, undo, tuple(records))


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
        self._records_before = [
            one for group in group_records_by_entry(self.location.file).values() for one in group
        ]
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


def make_foreign_entry_error(
    spot: EntryLocation, old: object, standing: str | None
) -> ForeignEntryError:
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


ENTRY_GONE_NOTE = "The entry had been removed already."
ENTRY_CHANGED_NOTE = "The entry had been changed since it was installed; it was removed as it was."
FOREIGN_ENTRY_NOTE = (
    "The entry is not Paddock's any more; it was left there, and the record forgotten."
)
ENTRY_RESTORED_NOTE = "What stood there before is back."


def remove_entry(spot: EntryLocation, server: str, scope: str, *, dry_run: bool = False) -> Plan:
    """Take an entry out of a file, and restore what stood there before.

    Raises:
        ConfigurationError: when the file cannot be read.
        WriteError: when it cannot be written.
    """
    work = _EntryRemoval(spot)
    if dry_run:
        before = read_content(spot.file)
        after, backup = work.plan_edit(before).after, None
    else:
        applied = apply_edit(spot.file, work.plan_edit, work.record_removal)
        before, after, backup = applied.before, applied.after, applied.backup
    return Plan(
        action="uninstall",
        client=spot.client,
        server=work.records[-1].server if work.records else server,
        key=spot.key,
        scope=scope,
        changes=(build_change(spot, before, after, backup),),
        notes=(*work.notes, *_note_other_clients(spot, work.records)),
        is_applied=not dry_run,
        installations=tuple(work.records),
    )


def _note_other_clients(spot: EntryLocation, records: list[Installation]) -> Iterator[str]:
    """Other clients that have read the same entry."""
    for client in sorted({one.client for one in records} - {spot.client.id}):
        yield f"It was the entry of {client} too, which has it no more."


class _EntryRemoval:
    """What has to go from a file and from the records."""

    def __init__(self, spot: EntryLocation) -> None:
        self._location = spot
        self.records: list[Installation] = []
        self.notes: list[str] = []
        self._undo: UndoRecord | None = None
        self._changed_records: list[Installation] = []
        self._restored_records: list[Installation] = []
        self._is_file_gone = False

    def plan_edit(self, now: bytes | None) -> FileEdit:
        """The file without the entry; with it, if it is not ours any more."""
        spot = self._location
        self.records = find_records(spot)
        self._undo = decode_undo_record(self.records)
        self._changed_records, self._restored_records, self._is_file_gone, self.notes = (
            [],
            [],
            False,
            [],
        )
        old = spot.read_entry(now)
        if old is MISSING:
            self.notes.append(ENTRY_GONE_NOTE)
            return FileEdit(now, self._is_missing)
        if identify_server(spot.client, old, self.records) is None:
            self.notes.append(FOREIGN_ENTRY_NOTE)
            return FileEdit(now, partial(self._has_entry, old))
        if self._undo is not None:
            self._restored_records = list(self._undo.previous)
            if not is_same_data(old, self._undo.entry):
                self.notes.append(ENTRY_CHANGED_NOTE)
        after = self._remove_content(now)
        self._is_file_gone = after is None
        replaced = self._undo.replaced if self._undo else ()
        if not replaced:
            return FileEdit(after, self._is_missing)
        self.notes.append(ENTRY_RESTORED_NOTE)
        return FileEdit(after, partial(self._has_entry, replaced[0]))

    @contextmanager
    def record_removal(self, _: tuple[Path, ...]) -> Iterator[None]:
        """Change the records after the file."""
        yield
        replace_records(self.records, self._changed_records, self._restored_records)
        if self._is_file_gone and self._undo is not None:
            remove_empty_directories(tuple(map(Path, self._undo.directories)))

    def _is_missing(self, content: bytes | None) -> bool:
        return self._location.read_entry(content) is MISSING

    def _has_entry(self, entry: object, content: bytes | None) -> bool:
        return is_same_data(self._location.read_entry(content), entry)

    def _remove_content(self, now: bytes | None) -> bytes | None:
        undo = self._undo
        if undo is None:
            return self._location.remove(now, None)
        others = find_other_layers(self._location)
        cut = self._location.cut(now, undo)
        if cut is not None:
            after = cut.content
        else:
            turn = self._remove_earlier_entry(now, undo, others)
            if turn is not None:
                return turn.content
            after = self._location.remove(now, undo)
        if after is not None and others.all_layers:
            self._changed_records += others.all_layers[0].inherit_undo(undo)
        return after

    def _remove_earlier_entry(
        self, now: bytes | None, undo: UndoRecord, others: EntryLayers
    ) -> RemainingContent | None:
        """The file as if this entry had never been there, with the later ones of ours in it."""
        later = [(layer.location, layer.undo) for layer in others.later]
        turn = reinsert_later_entries(now, (self._location, undo), later)
        if turn is None:
            return None
        content, undos = turn
        for layer, new in zip(others.later, undos, strict=True):
            self._changed_records += layer.update_records(new)
        return RemainingContent(content)
