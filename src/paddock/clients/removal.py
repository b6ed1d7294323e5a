"""Taking one entry out of one file."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.clients.applying import FileEdit, apply_edit, read_content, remove_empty_directories
from paddock.clients.editing.document import MISSING
from paddock.clients.editing.plain_data import is_same_data
from paddock.clients.layers import find_other_layers
from paddock.clients.ownership import identify_server
from paddock.clients.placing import RemainingContent, reinsert_later_entries
from paddock.clients.plan import Plan
from paddock.clients.recording import find_records, replace_records, decode_undo_record
from paddock.clients.showing import build_change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.layers import EntryLayers
    from paddock.clients.placing import EntryLocation, UndoRecord
    from paddock.servers.installations import Installation

ENTRY_GONE_NOTE = "The entry had been removed already."
ENTRY_CHANGED_NOTE = "The entry had been changed since it was installed; it was removed as it was."
FOREIGN_ENTRY_NOTE = "The entry is not Paddock's any more; it was left there, and the record forgotten."
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
        self._changed_records, self._restored_records, self._is_file_gone, self.notes = [], [], False, []
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

    def _remove_earlier_entry(self, now: bytes | None, undo: UndoRecord, others: EntryLayers) -> RemainingContent | None:
        """The file as if this entry had never been there, with the later ones of ours in it."""
        later = [(layer.location, layer.undo) for layer in others.later]
        turn = reinsert_later_entries(now, (self._location, undo), later)
        if turn is None:
            return None
        content, undos = turn
        for layer, new in zip(others.later, undos, strict=True):
            self._changed_records += layer.update_records(new)
        return RemainingContent(content)
