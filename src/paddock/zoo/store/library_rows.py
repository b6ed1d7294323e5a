"""The skills and packs of the library as rows; both are kept in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy import delete, insert, select, update

from paddock.zoo.model import LibrarySkill, Pack
from paddock.zoo.store.tables import library_skills, packs

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction

LibraryItem = TypeVar("LibraryItem", LibrarySkill, Pack)

LIBRARY_TABLES = {LibrarySkill: library_skills, Pack: packs}


def list_library_items(reading: ReadTransaction, kind: type[LibraryItem]) -> list[LibraryItem]:
    """All of a kind, in the order in which they were made."""
    table = LIBRARY_TABLES[kind]
    columns = [table.c[field.name] for field in msgspec.structs.fields(kind)]
    statement = select(*columns).where(table.c.owner == reading.owner).order_by(table.c.key)
    return [kind(**row) for row in reading.connection.execute(statement).mappings()]


def find_library_item(reading: ReadTransaction, kind: type[LibraryItem], item_id: str) -> LibraryItem | None:
    """The one of an id."""
    table = LIBRARY_TABLES[kind]
    columns = [table.c[field.name] for field in msgspec.structs.fields(kind)]
    same = (table.c.owner == reading.owner) & (table.c.id == item_id)
    row = reading.connection.execute(select(*columns).where(same)).mappings().first()
    return None if row is None else kind(**row)


def make_library_id_check(reading: ReadTransaction, kind: type[LibraryItem]) -> Callable[[str], bool]:
    """Whether one has an id."""
    return lambda item_id: find_library_item(reading, kind, item_id) is not None


def insert_library_item(writing: WriteTransaction, item: LibraryItem) -> None:
    """Put one there."""
    values = {**msgspec.structs.asdict(item), "owner": writing.owner}
    writing.connection.execute(insert(LIBRARY_TABLES[type(item)]), values)


def update_library_item(writing: WriteTransaction, item: LibraryItem) -> None:
    """Write everything about one."""
    table = LIBRARY_TABLES[type(item)]
    same = (table.c.owner == writing.owner) & (table.c.id == item.id)
    writing.connection.execute(update(table).where(same), msgspec.structs.asdict(item))


def delete_library_item(writing: WriteTransaction, item: LibraryItem) -> None:
    """Take one away."""
    table = LIBRARY_TABLES[type(item)]
    same = (table.c.owner == writing.owner) & (table.c.id == item.id)
    writing.connection.execute(delete(table).where(same))


def clear_pack(writing: WriteTransaction, pack_id: str) -> None:
    """Have the skills of a pack be in none."""
    same = (library_skills.c.owner == writing.owner) & (library_skills.c.pack_id == pack_id)
    values: dict[str, Any] = {"pack_id": None, "version": library_skills.c.version + 1}
    writing.connection.execute(update(library_skills).where(same).values(values))
