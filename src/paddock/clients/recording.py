"""The records of installations, as installing and uninstalling need them.

The file of records belongs to `paddock.servers`. Here is what a record keeps for uninstalling, and
how a record and the file that it is about change together: a record is written before the file, so
that whatever stands in a client's file is known, and is put back when the file cannot be written.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from paddock.clients.placing import UndoRecord
from paddock.clients.table import UnsupportedClientError, find_client
from paddock.errors import PaddockError
from paddock.files import path_exists
from paddock.servers.installations import (
    Installation,
    update_installations,
    read_installations,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.placing import EntryLocation


EntryIdentity = tuple[Path, tuple[str, ...], str]
"""What tells an entry from all others: the file itself, the keys that lead to its servers, and the
key of the entry. Several clients may read the same entry, or other servers of the same file."""


def get_entry_identity(client: str, file: Path, key: str) -> EntryIdentity:
    """The place of an entry of a client, whatever path leads to the file."""
    path: tuple[str, ...] = ()
    with suppress(UnsupportedClientError):  # of another version of Paddock
        path = find_client(client).get_servers_path(file)
    return _resolve_links(file), path, key


def resolve_recorded_file(record: Installation) -> Path:
    """The file that an installation is in; where a link leads elsewhere now, it is not that."""
    file = Path(record.file)
    is_elsewhere = record.real and str(_resolve_links(file)) != record.real
    return Path(record.real) if is_elsewhere and path_exists(Path(record.real)) else file


def _resolve_links(file: Path) -> Path:
    """The file without links, also where they lead in a circle."""
    return Path(os.path.realpath(file))


def group_records_by_entry(file: Path) -> dict[EntryIdentity, list[Installation]]:
    """What is recorded of a file by place, in the order in which the entries were put in."""
    real = _resolve_links(file)
    found: dict[EntryIdentity, list[Installation]] = {}
    for one in read_installations():
        place = get_entry_identity(one.client, resolve_recorded_file(one), one.key)
        if place[0] == real:
            found.setdefault(place, []).append(one)
    return found


def find_records(spot: EntryLocation) -> list[Installation]:
    """What is recorded of one place; several where several clients read the same entry."""
    place = get_entry_identity(spot.client.id, spot.file, spot.key)
    return group_records_by_entry(spot.file).get(place, [])


def decode_undo_record(records: list[Installation]) -> UndoRecord | None:
    """What the newest record of a place keeps for uninstalling; None when it is of no use."""
    for one in reversed(records):
        with suppress(msgspec.ValidationError):
            if one.splice is not None:
                return msgspec.convert(one.splice, UndoRecord)
    return None


def attach_undo_record(record: Installation, undo: UndoRecord | None) -> Installation:
    """A record that keeps this for uninstalling."""
    kept = None if undo is None else msgspec.json.decode(msgspec.json.encode(undo))
    return structs.replace(record, splice=kept)


@contextmanager
def record_installations(new: list[Installation], changed: list[Installation]) -> Iterator[None]:
    """Have installations on record while and after their file is written, unless that fails.

    New ones come last, whatever was in their place; those that are changed keep theirs.
    """
    before: list[Installation] = []

    def add(records: list[Installation]) -> list[Installation]:
        before[:] = records
        kept = [one for one in records if not _contains_record(one, new)]
        unknown = [one for one in changed if not _contains_record(one, records)]
        return [*_replace_changed_records(kept, changed), *unknown, *new]

    def put_back(records: list[Installation]) -> list[Installation]:
        ours = [*new, *changed]
        others = [one for one in records if not _contains_record(one, ours)]
        known = [one for one in before if _contains_record(one, [*ours, *others])]
        added = [one for one in others if not _contains_record(one, before)]
        return [*_replace_changed_records(known, others), *added]

    update_installations(add)
    try:
        yield
    except BaseException:
        # The reason for the failure matters more than a record that is of no use any more.
        with suppress(PaddockError, OSError):
            update_installations(put_back)
        raise


def replace_records(
    gone: list[Installation], changed: list[Installation], back: list[Installation]
) -> None:
    """Forget some records, keep others in a new form, in their order, and bring others back."""

    def change(records: list[Installation]) -> list[Installation]:
        kept = [one for one in records if not _contains_record(one, [*gone, *back])]
        return [*_replace_changed_records(kept, changed), *back]

    update_installations(change)


def _replace_changed_records(records: list[Installation], changed: list[Installation]) -> list[Installation]:
    forms = {(one.file, one.client, one.key): one for one in changed}
    return [forms.get((one.file, one.client, one.key), one) for one in records]


def _contains_record(record: Installation, others: list[Installation]) -> bool:
    return any(record.is_same_entry(other) for other in others)
