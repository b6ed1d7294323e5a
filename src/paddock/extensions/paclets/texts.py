"""Texts in definitions, which have to be there as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import LoadError
from paddock.extensions.paclets.tables import is_missing, to_plain_data
from paddock.extensions.properties import shorten_repr

if TYPE_CHECKING:
    from paddock.extensions.paclets.tables import PropertyDict


def get_text(table: PropertyDict, key: str, where: str) -> str | None:
    """The text that a property is; None where it is absent or missing.

    Raises:
        LoadError: when it is something else, or would have to be evaluated.
    """
    value = table.get(key)
    if isinstance(value, str):
        return value
    if is_missing(value):
        return None
    raise LoadError(
        f"{key} is {shorten_repr(to_plain_data(value))}",
        where=where,
        hint="expected a string, written out: nothing is evaluated to read it",
    )
