"""Taking one entry out of one file."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from paddock.clients.applying import Edit, apply_edit, content_of, remove_directories
from paddock.clients.destination import spot_in
from paddock.clients.editing.document import MISSING
from paddock.clients.editing.plain_data import same
from paddock.clients.placing import Cut, unwound
from paddock.clients.plan import Change, Plan
from paddock.clients.recording import (
    records_at,
    records_by_key,
    replace_records,
    undo_of,
    with_undo,
)
from paddock.clients.table import find_client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.placing import Spot, Undo
    from paddock.servers.installations import Installation

GONE = "The entry had been removed already."
CHANGED = "The entry had been changed since it was installed; it was removed as it was."


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
        changes=(Change(spot.file, before, after, spot.secrets_in(before, after), backup),),
        notes=tuple(work.notes),
        is_applied=not dry_run,
        installations=tuple(work.records),
    )


class _Removal:
    """What has to go from a file and from the records."""

    def __init__(self, spot: Spot) -> None:
        self._spot = spot
        self.records: list[Installation] = []
        self.notes: list[str] = []
        self._undo: Undo | None = None
        self._changed: list[Installation] = []
        self._is_file_gone = False

    def edit(self, now: bytes | None) -> Edit:
        """The file without the entry."""
        spot = self._spot
        self.records = records_at(spot.file, spot.key)
        self._undo = undo_of(self.records)
        self._changed, self.notes = [], []
        old = spot.entry_in(now)
        if old is MISSING:
            self.notes.append(GONE)
            return Edit(now, self._is_done)
        if self._undo is not None and not same(old, self._undo.entry):
            self.notes.append(CHANGED)
        after = self._without(now)
        self._is_file_gone = after is None
        return Edit(after, self._is_done)

    @contextmanager
    def journal(self, _: tuple[Path, ...]) -> Iterator[None]:
        """Change the records after the file."""
        yield
        replace_records(self.records, self._changed)
        if self._is_file_gone and self._undo is not None:
            remove_directories(tuple(map(Path, self._undo.directories)))

    def _is_done(self, content: bytes | None) -> bool:
        found = self._spot.entry_in(content)
        replaced = self._undo.replaced if self._undo else ()
        return same(found, replaced[0]) if replaced else found is MISSING

    def _without(self, now: bytes | None) -> bytes | None:
        undo = self._undo
        if undo is None:
            return self._spot.take_out(now, None)
        standing = records_by_key(self._spot.file)
        others = {key: undo_of(standing[key]) for key in standing if key != self._spot.key}
        usable = {key: other for key, other in others.items() if other is not None}
        cut = self._spot.cut_out(now, undo)
        if cut is not None:
            after = cut.content
        else:
            turn = self._unwound(now, undo, usable)
            if turn is not None:
                return turn.content
            after = self._spot.take_out(now, undo)
        if after is not None:
            self._pass_on(undo, usable)
        return after

    def _unwound(self, now: bytes | None, undo: Undo, others: dict[str, Undo]) -> Cut | None:
        """The file as if this entry had never been there, with the later ones of ours in it."""
        standing = records_by_key(self._spot.file)
        keys = list(standing)
        later = [key for key in keys[keys.index(self._spot.key) :] if key in others]
        spots = [(self._spot_of(standing[key][-1]), others[key]) for key in later]
        turn = unwound(now, (self._spot, undo), spots)
        if turn is None:
            return None
        content, undos = turn
        for key, new in zip(later, undos, strict=True):
            self._changed += [with_undo(one, new) for one in standing[key]]
        return Cut(content)

    def _pass_on(self, undo: Undo, others: dict[str, Undo]) -> None:
        """Have another entry of ours see to what is to be removed when the last one goes."""
        for key, other in list(others.items())[:1]:
            heir = structs.replace(
                other,
                existed=other.existed and undo.existed,
                made=max(other.made, undo.made),
                directories=other.directories or undo.directories,
            )
            records = records_by_key(self._spot.file)[key]
            self._changed += [with_undo(one, heir) for one in records]

    def _spot_of(self, one: Installation) -> Spot:
        return spot_in(find_client(one.client), self._spot.file, one.key, one.scope)
