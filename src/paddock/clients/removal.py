"""Taking one entry out of one file."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.clients.applying import Edit, apply_edit, content_of, remove_directories
from paddock.clients.editing.document import MISSING
from paddock.clients.editing.plain_data import same
from paddock.clients.layers import layers_around
from paddock.clients.ownership import server_of
from paddock.clients.placing import Cut, unwound
from paddock.clients.plan import Plan
from paddock.clients.recording import records_at, replace_records, undo_of
from paddock.clients.showing import change_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.layers import Layers
    from paddock.clients.placing import Spot, Undo
    from paddock.servers.installations import Installation

GONE = "The entry had been removed already."
CHANGED = "The entry had been changed since it was installed; it was removed as it was."
FOREIGN = "The entry is not Paddock's any more; it was left there, and the record forgotten."
RESTORED = "What stood there before is back."


def remove_entry(spot: Spot, server: str, scope: str, *, dry_run: bool = False) -> Plan:
    """Take an entry out of a file, and restore what stood there before.

    Raises:
        ConfigurationError: when the file cannot be read.
        WriteError: when it cannot be written.
    """
    work = _Removal(spot)
    if dry_run:
        before = content_of(spot.file)
        after, backup = work.edit(before).after, None
    else:
        applied = apply_edit(spot.file, work.edit, work.journal)
        before, after, backup = applied.before, applied.after, applied.backup
    return Plan(
        action="uninstall",
        client=spot.client,
        server=work.records[-1].server if work.records else server,
        key=spot.key,
        scope=scope,
        changes=(change_of(spot, before, after, backup),),
        notes=(*work.notes, *_also_gone(spot, work.records)),
        is_applied=not dry_run,
        installations=tuple(work.records),
    )


def _also_gone(spot: Spot, records: list[Installation]) -> Iterator[str]:
    """Other clients that have read the same entry."""
    for client in sorted({one.client for one in records} - {spot.client.id}):
        yield f"It was the entry of {client} too, which has it no more."


class _Removal:
    """What has to go from a file and from the records."""

    def __init__(self, spot: Spot) -> None:
        self._spot = spot
        self.records: list[Installation] = []
        self.notes: list[str] = []
        self._undo: Undo | None = None
        self._changed: list[Installation] = []
        self._back: list[Installation] = []
        self._is_file_gone = False

    def edit(self, now: bytes | None) -> Edit:
        """The file without the entry; with it, if it is not ours any more."""
        spot = self._spot
        self.records = records_at(spot)
        self._undo = undo_of(self.records)
        self._changed, self._back, self._is_file_gone, self.notes = [], [], False, []
        old = spot.entry_in(now)
        if old is MISSING:
            self.notes.append(GONE)
            return Edit(now, self._is_missing)
        if server_of(spot.client, old, self.records) is None:
            self.notes.append(FOREIGN)
            return Edit(now, partial(self._is_still, old))
        if self._undo is not None:
            self._back = list(self._undo.previous)
            if not same(old, self._undo.entry):
                self.notes.append(CHANGED)
        after = self._without(now)
        self._is_file_gone = after is None
        replaced = self._undo.replaced if self._undo else ()
        if not replaced:
            return Edit(after, self._is_missing)
        self.notes.append(RESTORED)
        return Edit(after, partial(self._is_still, replaced[0]))

    @contextmanager
    def journal(self, _: tuple[Path, ...]) -> Iterator[None]:
        """Change the records after the file."""
        yield
        replace_records(self.records, self._changed, self._back)
        if self._is_file_gone and self._undo is not None:
            remove_directories(tuple(map(Path, self._undo.directories)))

    def _is_missing(self, content: bytes | None) -> bool:
        return self._spot.entry_in(content) is MISSING

    def _is_still(self, entry: object, content: bytes | None) -> bool:
        return same(self._spot.entry_in(content), entry)

    def _without(self, now: bytes | None) -> bytes | None:
        undo = self._undo
        if undo is None:
            return self._spot.take_out(now, None)
        others = layers_around(self._spot)
        cut = self._spot.cut_out(now, undo)
        if cut is not None:
            after = cut.content
        else:
            turn = self._unwound(now, undo, others)
            if turn is not None:
                return turn.content
            after = self._spot.take_out(now, undo)
        if after is not None and others.all:
            self._changed += others.all[0].inheriting(undo)
        return after

    def _unwound(self, now: bytes | None, undo: Undo, others: Layers) -> Cut | None:
        """The file as if this entry had never been there, with the later ones of ours in it."""
        later = [(layer.spot, layer.undo) for layer in others.later]
        turn = unwound(now, (self._spot, undo), later)
        if turn is None:
            return None
        content, undos = turn
        for layer, new in zip(others.later, undos, strict=True):
            self._changed += layer.changed(new)
        return Cut(content)
