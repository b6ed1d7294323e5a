"""Kinds of columns: data as JSON text, and tags as text that can be searched."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import BigInteger, ColumnElement, Dialect, Integer, Text, func, or_, type_coerce
from sqlalchemy.types import TypeDecorator

TAG_SEPARATOR = "\x1f"
"""Stands before and after each tag; no tag has it."""

RowKey = BigInteger().with_variant(Integer, "sqlite")
"""What rows are joined by; SQLite counts only in columns of this very type."""


class JsonText(TypeDecorator[Any]):
    """A value as JSON text, read as the type that it has to have."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Write it."""
        return msgspec.json.encode(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Read it."""
        return None if value is None else msgspec.json.decode(value, type=self.kind)


class TagList(TypeDecorator[list[str]]):
    """Tags in their order."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: list[str] | None, dialect: Dialect) -> str:
        """Write them."""
        return TAG_SEPARATOR.join(["", *value, ""]) if value else ""

    def process_result_value(self, value: str | None, dialect: Dialect) -> list[str]:
        """Read them."""
        return value.strip(TAG_SEPARATOR).split(TAG_SEPARATOR) if value else []


def has_any_tag(column: ColumnElement[list[str]], tags: list[str]) -> ColumnElement[bool]:
    """Whether one of the tags is there; unlike LIKE, which SQLite does without regard to case."""
    text = type_coerce(column, Text)
    return or_(*(_has_tag(text, tag) for tag in tags))


def _has_tag(column: ColumnElement[str], tag: str) -> ColumnElement[bool]:
    written = f"{TAG_SEPARATOR}{tag}{TAG_SEPARATOR}"
    return func.length(func.replace(column, written, "")) != func.length(column)
