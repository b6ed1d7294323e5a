"""Inserts and removes one entry in one file, and updates the installation records.

Paddock's entries in one file form layers, because the text of an entry that was inserted later
can enclose the text of an earlier one. Changing one entry can therefore invalidate the undo
records of the others, which are then updated in the same step.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from paddock.errors import PaddockError
from paddock.installer.apps import UnsupportedClientError, find_client
from paddock.installer.config_files.data_changes import is_same_data
from paddock.installer.config_files.document import MISSING
from paddock.installer.entry_builder import merge_entry_data
from paddock.installer.entry_format import ConfigEntry
from paddock.installer.entry_location import (
    EntryLocation,
    InsertedEntry,
    UndoRecord,
    reinsert_later_entries,
)
from paddock.installer.file_writer import (
    AppliedEdit,
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
    group_records_by_entry,
    has_same_key,
    identify_server,
    record_installations,
    update_records,
)
from paddock.installer.secret_masking import mask_url, strip_command_options
from paddock.named_servers.installations import Installation

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from paddock.installer.plan import FileChange

ENTRY_GONE_NOTE = "The entry had already been removed."
ENTRY_CHANGED_NOTE = "The entry had been changed since it was installed; it was removed anyway."
FOREIGN_ENTRY_NOTE = (
    "The entry no longer belongs to Paddock; it was left in place, and its record was deleted."
)
ENTRY_RESTORED_NOTE = "The previous entry was restored."


class ForeignEntryError(PaddockError):
    """A server's key is used by a foreign entry, or by another of Paddock's servers."""

    code = "foreign-entry"


def _list_inserted_entries(file: Path) -> list[InsertedEntry]:
    """Return Paddock's entries in a file, in insertion order.

    Entries without a valid undo record are omitted, because their text cannot be identified.
    """
    entries = []
    for records in group_records_by_entry(file).values():
        undo, newest_record = decode_undo_record(records), records[-1]
        # Another version of Paddock may have recorded a client that this version does not support.
        with suppress(UnsupportedClientError):
            client = find_client(newest_record.client)
            if undo is not None:
                location = make_entry_location(client, file, newest_record.key, newest_record.scope)
                entries.append(InsertedEntry(location, undo, tuple(records)))
    return entries


def _split_entries(
    location: EntryLocation,
) -> tuple[list[InsertedEntry], list[InsertedEntry]]:
    """Return Paddock's entries in a file that were inserted before and after a given entry.

    The order matters because the text of a later entry can enclose that of an earlier one.
    """
    entries = _list_inserted_entries(location.file)
    paths = [entry.location.path for entry in entries]
    index = paths.index(location.path) if location.path in paths else len(paths)
    return entries[:index], entries[index + 1 :]


def _attach_undo_records(
    entries: list[InsertedEntry], undos: list[UndoRecord]
) -> list[Installation]:
    """Return the entries' installation records, each with its entry's new undo record.

    Args:
        entries: The entries, each of which can have multiple installation records.
        undos: One undo record for each entry, in the same order.
    """
    return [
        attach_undo_record(installation, undo)
        for entry, undo in zip(entries, undos, strict=True)
        for installation in entry.installations
    ]


def _has_entry(location: EntryLocation, data: object, content: bytes | None) -> bool:
    """Return whether the entry has the expected data, or is absent if `data` is `MISSING`.

    Verifies the meaning of a written file, because a client may have reformatted it since.
    """
    return is_same_data(location.read_entry(content), data)


class InsertionEdit(FileEdit, frozen=True, kw_only=True):
    """The planned insertion of an entry into a file."""

    undo: UndoRecord | None
    installation: Installation
    records_before: list[Installation]
    """All of the file's records before the insertion."""


def _add_directories(undo: UndoRecord | None, directories: tuple[Path, ...]) -> UndoRecord | None:
    """Add the directories created for a file to its entry's undo record.

    Uninstalling the entry removes these directories with the file. The record is returned unchanged
    if the file existed before, because uninstalling does not delete such a file.
    """
    if undo is None or undo.existed or not directories:
        return undo
    return structs.replace(undo, directories=tuple(map(str, directories)))


class _InsertedContent(NamedTuple):
    after: bytes | None
    undo: UndoRecord | None
    is_new: bool
    """True if the entry becomes the last layer of the file."""
    changed_records: list[Installation]


@dataclass(frozen=True)
class EntryInsertion:
    """The insertion of one entry into one file."""

    location: EntryLocation
    server: str
    entry: ConfigEntry
    scope: str
    replaces_foreign: bool

    def preview(self) -> FileChange:
        """Return the change to the file without making it."""
        before = read_content(self.location.file)
        return build_change(self.location, before, self.plan_edit(before).after)

    def apply(self) -> AppliedEdit[InsertionEdit]:
        """Write the file and the records, and return the edit for `roll_back`."""
        return apply_edit(self.location.file, self.plan_edit)

    def plan_edit(
        self, content: bytes | None, created_directories: tuple[Path, ...] = ()
    ) -> InsertionEdit:
        """Plan the insertion into a file with this content.

        Used for previews and for writing. When writing, `apply_edit` calls it again if another
        program has changed the file, so it decides from the content alone and keeps no state.

        Args:
            content: The current content of the file; None if the file does not exist.
            created_directories: The directories that have to be created for the file, which
                uninstalling removes again.

        Raises:
            ForeignEntryError: The key is used by an entry that must not be replaced.
        """
        location = self.location
        old_data = location.read_entry(content)
        records = find_records(location)
        owner = None
        if old_data is not MISSING:
            owner = identify_server(location.client, old_data, records)
            if not self.replaces_foreign and not self._can_replace(owner):
                raise make_foreign_entry_error(location, old_data, owner)
        data = self._render_data(old_data, owner)
        inserted = self._insert(content, old_data, data, owner, records)
        undo = _add_directories(inserted.undo, created_directories)
        installation = attach_undo_record(self._build_record(), undo)
        # Other clients may read the same entry, which now belongs to this server.
        shared = [
            structs.replace(record, server=self.server, entry_kind=installation.entry_kind)
            for record in records
            if record.client != location.client.id
        ]
        new_records = [*(attach_undo_record(record, undo) for record in shared), installation]
        changed_records = inserted.changed_records
        return InsertionEdit(
            inserted.after,
            partial(_has_entry, location, data),
            record_installations(new_records, changed_records)
            if inserted.is_new
            else record_installations([], [*new_records, *changed_records]),
            undo=undo,
            installation=installation,
            records_before=[
                record
                for group in group_records_by_entry(location.file).values()
                for record in group
            ],
        )

    def roll_back(self, applied: AppliedEdit[InsertionEdit]) -> None:
        """Restore the file and the installation records to the state before the insertion.

        Called if another file of the same client could not be written.

        Args:
            applied: The result of `apply`.
        """
        edit = applied.edit

        def plan_reversal(content: bytes | None, _: tuple[Path, ...]) -> FileEdit:
            # If the client has changed the file since, only the entry is removed from it.
            is_unchanged = content == edit.after
            restored = applied.before if is_unchanged else self.location.remove(content, edit.undo)
            return FileEdit(restored, lambda _: True)

        apply_edit(self.location.file, plan_reversal)
        update_records(removed=[edit.installation], changed=edit.records_before)
        if applied.before is None and edit.undo is not None:
            remove_empty_directories(tuple(map(Path, edit.undo.directories)))

    def _can_replace(self, owner: str | None) -> bool:
        """Return whether the existing entry may be replaced without the user's consent.

        Args:
            owner: The server that the existing entry starts; None if it does not belong to Paddock.
        """
        return owner is not None and (
            owner == self.server or has_same_key(owner, self.server, self.location.key)
        )

    def _render_data(self, old_data: object, owner: str | None) -> object:
        """Return the data of the new entry in the client's format.

        If the existing entry starts the same server, the user's additions to it are kept.

        Args:
            old_data: The data of the existing entry.
            owner: The server that the existing entry starts; None if it does not belong to Paddock.
        """
        shape, key = self.location.client.shape, self.location.key
        if owner == self.server:
            return merge_entry_data(shape, old_data, self.entry, key)
        return shape.render_entry(self.entry, key)

    def _insert(
        self,
        content: bytes | None,
        old_data: object,
        data: object,
        owner: str | None,
        records: list[Installation],
    ) -> _InsertedContent:
        """Return the content of the file with the new entry, and the records to write with it.

        An identical entry is left unchanged, and a recorded entry of Paddock is updated. Any other
        entry is replaced, and uninstalling restores it.

        Args:
            content: The current content of the file; None if it does not exist.
            old_data: The data of the existing entry with this key.
            data: The data of the new entry.
            owner: The server that the existing entry starts; None if it does not belong to Paddock.
            records: The installation records of the existing entry.
        """
        location, undo = self.location, decode_undo_record(records)
        is_own = self._can_replace(owner)
        if is_own and is_same_data(old_data, data):
            return _InsertedContent(content, undo, is_new=False, changed_records=[])
        if is_own and undo is not None:
            return self._update(content, data, undo)
        # An entry without a record was written by the user, even if it starts this server.
        # Uninstalling restores it, unless it has the same command as the new entry.
        old_entry = location.client.shape.parse_entry(old_data)
        is_equivalent = (
            is_own
            and old_entry is not None
            and (old_entry.command, old_entry.args) == (self.entry.command, self.entry.args)
        )
        after, new_undo = location.insert(content, data, is_own=is_equivalent)
        if owner is not None and not is_own:
            new_undo = structs.replace(new_undo, previous=tuple(records))
        return _InsertedContent(after, new_undo, is_new=True, changed_records=[])

    def _update(self, content: bytes | None, data: object, undo: UndoRecord) -> _InsertedContent:
        """Return the content of the file with one of Paddock's entries replaced.

        The text of entries that were inserted later can enclose that of this entry. If possible,
        all entries can still be removed on their own afterwards, in any order.

        Args:
            content: The current content of the file.
            data: The data of the new entry.
            undo: The undo record of the existing entry.
        """
        earlier, later = _split_entries(self.location)
        after, new_undo = self.location.insert(content, data, is_own=True, undo=undo)
        # If removing all layers and inserting them again gives the same text, every layer can be
        # reverted on its own. Otherwise, the updated entry becomes the last layer.
        own_layer = InsertedEntry(self.location, undo, ())
        reinserted = reinsert_later_entries(content, own_layer, later, data)
        if reinserted is not None and reinserted[0] == after:
            own_undo, *later_undos = reinserted[1]
            changed_records = _attach_undo_records(later, later_undos)
            return _InsertedContent(after, own_undo, is_new=False, changed_records=changed_records)
        changed_records = _inherit_cleanup([*earlier, *later], undo)
        return _InsertedContent(after, new_undo, is_new=True, changed_records=changed_records)

    def _build_record(self) -> Installation:
        """Return the record of this installation, without an undo record."""
        return Installation(
            server=self.server,
            client=self.location.client.id,
            file=str(self.location.file),
            real=os.path.realpath(self.location.file),
            key=self.location.key,
            scope=self.scope,
            entry_kind="stdio" if self.entry.url is None else "http",
            created=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        )


def make_foreign_entry_error(
    location: EntryLocation, data: object, owner: str | None
) -> ForeignEntryError:
    """Return the error for an existing entry that must not be replaced without the user's consent.

    The message names the program or URL of the entry, so that the user can recognize it.

    Args:
        location: The location of the entry.
        data: The data of the entry.
        owner: The server that the entry starts; None if it does not belong to Paddock.
    """
    entry = location.client.shape.parse_entry(data)
    description = "not by Paddock"
    if owner is not None:
        description = f"for another of Paddock's servers ({owner})"
    elif entry is not None:
        # Only the program or the masked URL is shown, because other parts may be secret.
        is_url = entry.url is not None
        target = mask_url(entry.url or "") if is_url else strip_command_options(entry.command or "")
        description = f"not by Paddock ({target})"
    return ForeignEntryError(
        f"{location.key!r} is already configured, {description}",
        where=str(location.file),
        hint="use --name for another name, or --replace to overwrite it",
    )


class RemovalEdit(FileEdit, frozen=True, kw_only=True):
    """The planned removal of an entry from a file."""

    records: list[Installation]
    notes: list[str]


def remove_entry(
    location: EntryLocation, server: str, scope: str, *, dry_run: bool = False
) -> Plan:
    """Remove an entry from a client's configuration file, and restore the entry that it replaced.

    Args:
        location: The file and the key of the entry.
        server: The server to name in the plan if the entry has no record.
        scope: The scope to name in the plan.
        dry_run: Plan the removal without writing the file or the records.

    Raises:
        ConfigurationError: The file cannot be parsed.
        WriteError: The file cannot be written.
    """
    if dry_run:
        before, backup = read_content(location.file), None
        edit = _plan_removal(location, before)
    else:
        applied = apply_edit(location.file, lambda content, _: _plan_removal(location, content))
        before, edit, backup = applied.before, applied.edit, applied.backup
    return Plan(
        action="uninstall",
        client=location.client,
        server=edit.records[-1].server if edit.records else server,
        key=location.key,
        scope=scope,
        changes=(build_change(location, before, edit.after, backup),),
        notes=(*edit.notes, *_note_other_clients(location, edit.records)),
        is_applied=not dry_run,
        installations=tuple(edit.records),
    )


def _note_other_clients(location: EntryLocation, records: list[Installation]) -> Iterator[str]:
    """Yield a note for each other client that read the removed entry."""
    for client in sorted({record.client for record in records} - {location.client.id}):
        yield f"The entry was shared with {client}, which no longer has it either."


def _plan_removal(location: EntryLocation, content: bytes | None) -> RemovalEdit:
    """Plan the removal of an entry from the content of a file, without writing anything.

    If the entry no longer exists, or no longer belongs to Paddock, the file is left unchanged, and
    only the installation records are deleted.
    """
    records = find_records(location)
    undo = decode_undo_record(records)
    data = location.read_entry(content)
    if data is MISSING or identify_server(location.client, data, records) is None:
        return RemovalEdit(
            content,
            partial(_has_entry, location, data),
            _record_removal(records),
            records=records,
            notes=[ENTRY_GONE_NOTE if data is MISSING else FOREIGN_ENTRY_NOTE],
        )
    notes = []
    if undo is not None and not is_same_data(data, undo.entry):
        notes.append(ENTRY_CHANGED_NOTE)
    replaced = undo.replaced if undo else ()
    if replaced:
        notes.append(ENTRY_RESTORED_NOTE)
    after, changed_records = _remove_content(location, content, undo)
    return RemovalEdit(
        after,
        partial(_has_entry, location, replaced[0] if replaced else MISSING),
        _record_removal(
            records,
            changed_records,
            list(undo.previous) if undo else [],
            undo.directories if undo and after is None else (),
        ),
        records=records,
        notes=notes,
    )


@contextmanager
def _record_removal(
    removed: list[Installation],
    changed: Iterable[Installation] = (),
    restored: Iterable[Installation] = (),
    empty_directories: tuple[str, ...] = (),
) -> Generator[None]:
    """Update the installation records after the `with` block has written the file.

    Args:
        removed: The records of the removed entry.
        changed: Records of other entries with new undo records.
        restored: The records of the entry that was replaced and is now back in the file.
        empty_directories: Directories that were created for the file and are no longer needed.
    """
    # The records are deleted last, in case the process is killed in between. A record of a missing
    # entry does no harm, but an entry without a record could not be uninstalled properly.
    yield
    update_records(removed=removed, changed=changed, added=restored)
    remove_empty_directories(tuple(map(Path, empty_directories)))


def _remove_content(
    location: EntryLocation, content: bytes | None, undo: UndoRecord | None
) -> tuple[bytes | None, list[Installation]]:
    """Return a file's content without an entry, and the changed records of other entries.

    Args:
        location: The file and the key of the entry.
        content: The current content of the file.
        undo: The undo record of the entry, if there is one.
    """
    if undo is None:
        return location.remove(content, None), []
    earlier, later = _split_entries(location)
    # The inserted text is cut out if possible, because that restores the file byte for byte. If the
    # text of later entries encloses it, they are removed first and inserted again. Otherwise, the
    # entry is removed by the rules of the format, which can change the formatting.
    if location.cut_out(content, undo) is MISSING:
        reinserted = reinsert_later_entries(content, InsertedEntry(location, undo, ()), later)
        if reinserted is not None:
            return reinserted[0], _attach_undo_records(later, reinserted[1])
    after = location.remove(content, undo)
    return after, [] if after is None else _inherit_cleanup([*earlier, *later], undo)


def _inherit_cleanup(others: list[InsertedEntry], undo: UndoRecord) -> list[Installation]:
    """Return the first other entry's records, with the cleanup duties of a removed entry added."""
    heirs = others[:1]
    return _attach_undo_records(heirs, [heir.undo.inherit_cleanup(undo) for heir in heirs])
