"""The user's server definitions on the disk.

A definition is whole or not there: it is checked before it is written, written beside the old one
and put in its place, and read back. All changes happen one after the other, also those of several
processes, so none is lost and no two names differ by nothing but their case.

Changing a definition file that a person may have edited: comments and order stay.
"""

from __future__ import annotations

import codecs
import re
import shutil
from collections.abc import MutableMapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import tomlkit
from tomlkit.items import AoT, Array

from paddock.errors import DefinitionError
from paddock.files import convert_os_errors, lock_file, write_atomically
from paddock.named_servers.definition import WRAPPER_KEY, canonical_key, parse_definition
from paddock.named_servers.names import (
    PICKLES_SUFFIX,
    ServerDefinitionError,
    ServerExistsError,
    ServerNotFoundError,
    encode_name,
)
from paddock.named_servers.pickles import remove_unused_pickles
from paddock.named_servers.sources import (
    get_definition_path,
    get_definitions_directory,
    list_stored_definitions,
    parse_definition_toml,
    read_definition,
    read_definition_text,
)
from paddock.named_servers.stored_form import (
    add_nested_values,
    format_toml,
    list_new_items,
    to_plain_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.pickles import FunctionPickles


def get_pickles_directory(name: str) -> Path:
    """The directory of the functions that a server keeps as they are."""
    return get_definitions_directory() / f"{encode_name(name)}{PICKLES_SUFFIX}"


@contextmanager
def lock_definitions() -> Iterator[None]:
    """Be the only one that changes definitions."""
    with lock_file(get_definitions_directory()):
        yield


def check_name_free(name: str, *, overwrite: bool) -> None:
    """Make sure that a definition may be written under a name. To be asked within `changing`.

    Raises:
        ServerExistsError: when there is one already, or one that differs by case only.
    """
    for other in list_stored_definitions():
        if other.name == name:
            if overwrite:
                continue
            raise ServerExistsError(
                f"there is a server {name!r} already",
                where=str(other.path),
                hint="overwrite it, edit it, or choose another name",
            )
        if other.name.lower() == name.lower():
            raise ServerExistsError(
                f"there is a server {other.name!r} already, which differs from {name!r} by case",
                where=str(other.path),
                hint="choose another name: some systems could not tell their files apart",
            )


@contextmanager
def clean_up_pickles(name: str) -> Iterator[None]:
    """Remove afterwards what is stored beside a definition and not named in it."""
    try:
        yield
    finally:
        if get_pickles_directory(name).is_dir():
            with lock_definitions():
                _remove_unused(name)


def _remove_unused(name: str) -> None:
    path = get_definition_path(name)
    try:
        found = (
            read_definition(read_definition_text(path), path, name=name) if path.exists() else None
        )
    except DefinitionError:
        return  # nobody knows what it names
    items = [] if found is None else add_nested_values(list_new_items(found, None))
    remove_unused_pickles(get_pickles_directory(name), items)


def write_definition(definition: ServerDefinition, pickles: FunctionPickles | None = None) -> Path:
    """Write a definition, in the place of one that may be there. Within `changing`.

    Raises:
        ServerDefinitionError: when it cannot be written as TOML; nothing is changed then.
    """
    path = get_definition_path(definition.name)
    if pickles is not None:
        pickles.write()
    _write_text(path, format_toml(to_plain_table(definition)), definition)
    return path


def replace_definition_text(
    path: Path,
    before: str | None,
    text: str,
    definition: ServerDefinition,
    pickles: FunctionPickles | None = None,
) -> bool:
    """Put a text in the place of another; False when the file says something else by now.

    Raises:
        ServerDefinitionError: when the text is not that of the definition.
    """
    with lock_definitions():
        if before is not None and read_definition_text(path) != before:
            return False
        if pickles is not None:
            pickles.write()
        _write_text(path, text, definition)
    return True


def _write_text(path: Path, text: str, definition: ServerDefinition) -> None:
    """Write the text of a definition, after and before it is compared with what it should say."""
    if parse_definition(parse_definition_toml(text, path), name=definition.name) != definition:
        raise ServerDefinitionError(
            "the definition would not be the same when it is read again", where=str(path)
        )
    with convert_os_errors(path):
        is_kept = _write_bytes(path, text.encode("utf-8"))
    if not is_kept:
        raise ServerDefinitionError("the file does not hold what was written", where=str(path))


def _write_bytes(path: Path, data: bytes) -> bool:
    """Write a file and read it back; when it holds something else, what was there returns."""
    before = path.read_bytes() if path.exists() else None
    mark = codecs.BOM_UTF8 if before is not None and before.startswith(codecs.BOM_UTF8) else b""
    write_atomically(path, mark + data)
    if path.read_bytes() == mark + data:
        return True
    if before is not None:
        write_atomically(path, before)
    return False


def delete_definition(name: str) -> Path:
    """Remove the user's server of a name, with everything that belongs to it alone.

    Raises:
        ServerNotFoundError: when there is none.
    """
    with lock_definitions():
        path = next(
            (one.path for one in list_stored_definitions() if one.name == name),
            get_definition_path(name),
        )
        try:
            path.unlink()
        except FileNotFoundError:
            raise ServerNotFoundError(f"there is no server {name!r}", where=str(path)) from None
        except OSError as error:
            raise ServerDefinitionError(
                f"cannot be deleted: {error.strerror}",
                where=str(path),
                hint="remove it yourself",
            ) from None
        shutil.rmtree(get_pickles_directory(name), ignore_errors=True)
    return path


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
