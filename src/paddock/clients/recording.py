"""The records of installations, as installing and uninstalling need them.

The file of records belongs to `paddock.servers`. Here is what a record keeps for uninstalling, and
how a record and the file that it is about change together: a record is written before the file, so
that whatever stands in a client's file is known, and is put back when the file cannot be written.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from paddock.clients.placing import Undo
from paddock.errors import PaddockError
from paddock.servers.installations import (
    Installation,
    change_installations,
    read_installations,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def records_in(file: Path) -> list[Installation]:
    """What is recorded of a file, by whatever path it is reached, the oldest first."""
    real = file.resolve()
    return [one for one in read_installations() if Path(one.file).resolve() == real]


def records_by_key(file: Path) -> dict[str, list[Installation]]:
    """What is recorded of a file by key, in the order in which the entries were last written."""
    found: dict[str, list[Installation]] = {}
    for one in records_in(file):
        found[one.key] = [*found.pop(one.key, []), one]
    return found


def records_at(file: Path, key: str) -> list[Installation]:
    """What is recorded of one place; several where several clients read the same file."""
    return [one for one in records_in(file) if one.key == key]


def undo_of(records: list[Installation]) -> Undo | None:
    """What the newest record of a place keeps for uninstalling; None when it is of no use."""
    for one in reversed(records):
        with suppress(msgspec.ValidationError):
            if one.splice is not None:
                return msgspec.convert(one.splice, Undo)
    return None


def with_undo(record: Installation, undo: Undo | None) -> Installation:
    """A record that keeps this for uninstalling."""
    kept = None if undo is None else msgspec.json.decode(msgspec.json.encode(undo))
    return structs.replace(record, splice=kept)


@contextmanager
def recorded(new: list[Installation]) -> Iterator[None]:
    """Have installations on record while and after their file is written, unless that fails."""
    before: list[Installation] = []

    def add(records: list[Installation]) -> list[Installation]:
        before.extend(records)
        return [*(one for one in records if not _is_among(one, new)), *new]

    def put_back(records: list[Installation]) -> list[Installation]:
        kept = [one for one in records if not _is_among(one, new)]
        return [*kept, *(one for one in before if _is_among(one, new))]

    change_installations(add)
    try:
        yield
    except BaseException:
        # The reason for the failure matters more than a record that is of no use any more.
        with suppress(PaddockError, OSError):
            change_installations(put_back)
        raise


def replace_records(gone: list[Installation], changed: list[Installation]) -> None:
    """Forget some records, and keep others in a new form, in their order."""
    forms = {_place(one): one for one in changed}

    def change(records: list[Installation]) -> list[Installation]:
        kept = [one for one in records if not _is_among(one, gone)]
        return [forms.get(_place(one), one) for one in kept]

    change_installations(change)


def _is_among(record: Installation, others: list[Installation]) -> bool:
    return any(record.is_at(other) for other in others)


def _place(record: Installation) -> tuple[str, str, str]:
    return record.file, record.client, record.key
