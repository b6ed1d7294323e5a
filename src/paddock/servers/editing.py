"""Changing a definition file that a person may have edited: comments and order stay."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array

from paddock.servers.definition import WRAPPER_KEY, canonical_key
from paddock.servers.toml_text import format_toml

TomlMapping = MutableMapping[str, Any]


def edit_definition_text(text: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    """The text of a definition with nothing changed but what differs between two tables."""
    document = tomlkit.parse(text)
    for key in [*before, *(key for key in after if key not in before)]:
        if before.get(key) != after.get(key):
            _change_value(*_find_key(document, key), after.get(key))
    edited = tomlkit.dumps(document)
    # What is added has plain line ends.
    return re.sub(r"(?<!\r)\n", "\r\n", edited) if _has_windows_line_ends(text) else edited


def _has_windows_line_ends(text: str) -> bool:
    """Whether every line ends as Windows ends them."""
    return "\r\n" in text and text.count("\n") == text.count("\r\n")


def _find_key(document: TomlMapping, key: str) -> tuple[TomlMapping, str]:
    """The table in which a key stands, and how it is spelled there."""
    tables = [document]
    if isinstance(document.get(WRAPPER_KEY), MutableMapping):
        tables.append(document[WRAPPER_KEY])
    for table in tables:
        for spelled in table:
            if canonical_key(spelled) == key or spelled == key:
                return table, spelled
    return document, key


def _change_value(table: TomlMapping, key: str, value: Any) -> None:
    if value is None:
        table.pop(key, None)
        return
    present = table.get(key)
    if isinstance(present, Array) and _change_items(present, value):
        return
    if isinstance(present, AoT) and _change_tables(present, value):
        return
    if isinstance(present, MutableMapping) and isinstance(value, dict):
        for inner in [*present, *(one for one in value if one not in present)]:
            if present.get(inner) != value.get(inner):
                _change_value(present, inner, value.get(inner))
        return
    # Through text, so that it looks like in a file that is new.
    table[key] = tomlkit.parse(format_toml({key: value}))[key]


def _change_items(array: Array, value: list[Any]) -> bool:
    """Take items out and add others at the end; False when that does not give the new list."""
    kept = [item for item in array.unwrap() if item in value]
    if value[: len(kept)] != kept or not all(isinstance(item, str) for item in value):
        return False
    for item in array.unwrap():
        if item not in value:
            with suppress(ValueError):
                array.remove(item)
    for item in value[len(kept) :]:
        array.append(item)
    return bool(array.unwrap() == value)


def _change_tables(tables: AoT, value: list[Any]) -> bool:
    """The same for a list of tables that each have a heading."""
    kept = [item for item in tables.unwrap() if item in value]
    if value[: len(kept)] != kept or not all(isinstance(item, dict) for item in value):
        return False
    for index, item in reversed(list(enumerate(tables.unwrap()))):
        if item not in value:
            del tables[index]
    for item in value[len(kept) :]:
        tables.append(tomlkit.item(item))
    return bool(tables.unwrap() == value)
