"""A zoo's tables and their column types.

Every row belongs to an owner, so one database can hold the zoos of multiple users. Columns for
model fields are derived from the model. Migrations create the tables, and a test checks that the
two match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
    or_,
    type_coerce,
)
from sqlalchemy.types import TypeDecorator

from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack, ZooEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.types import TypeEngine

# The separator is written before and after each tag. Tags cannot contain it, because control
# characters are rejected.
TAG_SEPARATOR = "\x1f"

# Primary key type. SQLite only assigns keys to columns of type INTEGER.
RowKey = BigInteger().with_variant(Integer, "sqlite")


class JsonText(TypeDecorator[Any]):
    """A column type for values stored as JSON text.

    Args:
        kind: The type to decode the JSON as, such as `list[AgentSkill]`.
    """

    impl = Text
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Encode a value."""
        return msgspec.json.encode(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Decode a value."""
        return None if value is None else msgspec.json.decode(value, type=self.kind)


class TagList(TypeDecorator[list[str]]):
    """A column type for tag lists, stored as one text that can be searched for a tag.

    Separators are also added before the first and after the last tag. A search for a tag with its
    separators therefore never matches part of another tag.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: list[str] | None, dialect: Dialect) -> str:
        """Join tags."""
        return TAG_SEPARATOR.join(["", *value, ""]) if value else ""

    def process_result_value(self, value: str | None, dialect: Dialect) -> list[str]:
        """Split tags."""
        return value.strip(TAG_SEPARATOR).split(TAG_SEPARATOR) if value else []


def has_any_tag(column: ColumnElement[list[str]], tags: list[str]) -> ColumnElement[bool]:
    """Return the condition that a column contains at least one of the tags.

    LIKE is not suitable because it ignores case in SQLite.
    """
    text = type_coerce(column, Text)
    return or_(*(_has_tag(text, tag) for tag in tags))


def _has_tag(column: ColumnElement[str], tag: str) -> ColumnElement[bool]:
    stored_tag = f"{TAG_SEPARATOR}{tag}{TAG_SEPARATOR}"
    # A portable substring test that respects case.
    return func.length(func.replace(column, stored_tag, "")) != func.length(column)


def make_field_columns(model: type[msgspec.Struct], *omitted: str) -> Iterator[Column[Any]]:
    """Yield a column for each field of a model class, named after the field.

    A new field therefore only needs a migration that adds its column, and no change here.

    Args:
        model: The class, such as `Agent`.
        omitted: Names of fields without a column.
    """
    for field in msgspec.structs.fields(model):
        if field.name in omitted:
            continue
        is_nullable = type(None) in get_args(field.type)
        # In `str | None`, the first alternative is the type of the values.
        value_type = get_args(field.type)[0] if is_nullable else field.type
        yield Column(field.name, _get_column_type(field.name, value_type), nullable=is_nullable)


def _get_column_type(name: str, kind: Any) -> TypeEngine[Any]:
    """Return the column type for a field.

    Values without a native database type are stored as JSON.
    """
    if name == "tags":
        return TagList()
    if get_origin(kind) is Literal:
        return Text()
    column_types: dict[Any, TypeEngine[Any]] = {str: Text(), bool: Boolean(), int: Integer()}
    return column_types.get(kind) or JsonText(kind)


metadata = MetaData()

agents = Table(
    "agents",
    metadata,
    Column("key", RowKey, primary_key=True),
    Column("owner", Text, nullable=False),
    *make_field_columns(Agent),
    Column("folded_name", Text, nullable=False),
    Column("folded_text", Text, nullable=False),
    Column("skill_names", JsonText(list[str]), nullable=False),
    Column("entry_count", Integer, nullable=False),
    Column("last_injected_at", Text),
    Column("deleted_at", Text),
    UniqueConstraint("owner", "id"),
    Index("agents_in_order", "owner", "key"),
    Index("agents_by_name", "owner", "folded_name"),
    sqlite_autoincrement=True,
)

agent_versions = Table(
    "agent_versions",
    metadata,
    Column("agent_key", RowKey, ForeignKey("agents.key", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("saved_at", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("agent", JsonText(Agent), nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column("key", RowKey, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("agent_key", RowKey, ForeignKey("agents.key", ondelete="CASCADE"), nullable=False),
    *make_field_columns(BrainEntry, "agent_id"),
    Column("deleted_at", Text),
    Column("workspace_id", Text),
    Column("words", Text, nullable=False),
    UniqueConstraint("agent_key", "id"),
    Index("entries_by_time", "agent_key", "timestamp", "key"),
    Index("entries_by_pin", "agent_key", "pinned", "timestamp", "key"),
    Index("entries_by_workspace", "agent_key", "workspace_id", "timestamp", "key"),
    sqlite_autoincrement=True,
)

library_skills = Table(
    "library_skills",
    metadata,
    Column("key", RowKey, primary_key=True),
    Column("owner", Text, nullable=False),
    *make_field_columns(LibrarySkill),
    UniqueConstraint("owner", "id"),
)

packs = Table(
    "packs",
    metadata,
    Column("key", RowKey, primary_key=True),
    Column("owner", Text, nullable=False),
    *make_field_columns(Pack),
    UniqueConstraint("owner", "id"),
)

events = Table(
    "events",
    metadata,
    Column("id", RowKey, primary_key=True),
    Column("owner", Text, nullable=False),
    *make_field_columns(ZooEvent, "id"),
    Index("events_in_order", "owner", "id"),
    sqlite_autoincrement=True,
)

imported_files = Table(
    "imported_files",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("at", Text, nullable=False),
)
"""Legacy files that have been imported and must not be imported again."""

users = Table(
    "users",
    metadata,
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False, unique=True),
    Column("password", Text, nullable=False),
    Column("is_admin", Boolean, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""The users of a team, each of whom owns one zoo."""

credentials = Table(
    "passes",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("user_name", Text, ForeignKey("users.name", ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("expires_at", Text),
    Index("passes_by_user", "user_name"),
)
"""Credentials other than passwords: browser sessions and access tokens."""
