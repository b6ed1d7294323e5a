"""Storage of the user's server definitions, with file edits that preserve comments and order.

Definitions are written atomically: checked, written to a temporary file, renamed, and read back. A
lock serializes changes across processes, so that none is lost and no two names differ only in case.
"""

from __future__ import annotations

import codecs
import re
import shutil
from collections.abc import MutableMapping
from contextlib import contextmanager
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
    list_user_sources,
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
    from collections.abc import Generator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.pickles import FunctionPickles


def get_pickles_directory(name: str) -> Path:
    """Return the directory for a server's pickled functions."""
    return get_definitions_directory() / f"{encode_name(name)}{PICKLES_SUFFIX}"


def lock_definitions() -> AbstractContextManager[object]:
    """Return a context manager that holds the lock for changes to definitions."""
    return lock_file(get_definitions_directory())


def check_name_free(name: str, *, overwrite: bool) -> None:
    """Check that no other server of the user has this name, so a definition can be written.

    The caller must hold the lock. Otherwise, another process could write a definition with this
    name right after the check.

    Raises:
        ServerExistsError: A server has this name, or a name that differs only in case.
    """
    for other in list_user_sources():
        if other.name == name:
            if overwrite:
                continue
            raise ServerExistsError(
                f"a server named {name!r} already exists",
                where=str(other.file),
                hint="overwrite it, edit it, or choose another name",
            )
        # macOS and Windows would open the same file for both names.
        if other.name.lower() == name.lower():
            raise ServerExistsError(
                f"the existing server {other.name!r} differs from {name!r} only in case",
                where=str(other.file),
                hint="choose another name: some file systems ignore case",
            )


@contextmanager
def clean_up_pickles(name: str) -> Generator[None]:
    """Remove a server's unused pickle files when the `with` block ends.

    The block stores a new definition of the server. If it fails, the new definition's pickles are
    unused. If it succeeds, the previous definition's are.
    """
    try:
        yield
    finally:
        if get_pickles_directory(name).is_dir():
            with lock_definitions():
                _remove_unreferenced_pickles(name)


def _remove_unreferenced_pickles(name: str) -> None:
    """Remove a server's pickle files that its stored definition does not refer to."""
    path = get_definition_path(name)
    items: list[object] = []
    if path.exists():
        try:
            definition = read_definition(read_definition_text(path), path, name=name)
        except DefinitionError:
            return  # A definition that cannot be read may refer to any of the files.
        items = add_nested_values(list_new_items(definition, None))
    remove_unused_pickles(get_pickles_directory(name), items)


def write_definition(definition: ServerDefinition, pickles: FunctionPickles | None = None) -> Path:
    """Write a definition to its file, replacing an existing one, and return the path.

    The caller must hold the lock. New pickles are written first.

    Raises:
        ServerDefinitionError: TOML cannot represent the definition. The file is unchanged.
    """
    path = get_definition_path(definition.name)
    if pickles is not None:
        pickles.write()
    _write_text(path, format_toml(to_plain_table(definition)), definition)
    return path


def replace_definition_text(
    path: Path,
    expected_text: str | None,
    text: str,
    definition: ServerDefinition,
    pickles: FunctionPickles | None = None,
) -> bool:
    """Replace the text of a definition unless another process has changed it.

    Args:
        path: The definition file.
        expected_text: The text that the change is based on, or None to replace any text.
        text: The new text.
        definition: The definition that the new text must represent.
        pickles: New pickles of the definition, which are written first.

    Returns:
        False if the file no longer contains `expected_text`. In that case, nothing is written.

    Raises:
        ServerDefinitionError: The text does not represent the definition.
    """
    with lock_definitions():
        if expected_text is not None and read_definition_text(path) != expected_text:
            return False
        if pickles is not None:
            pickles.write()
        _write_text(path, text, definition)
    return True


def _write_text(path: Path, text: str, definition: ServerDefinition) -> None:
    """Write a definition's text to its file, and verify the written file.

    Before writing, the text is parsed and compared with the definition. After writing, the file is
    read back. If it differs, the previous content is restored.

    Raises:
        ServerDefinitionError: The text or the written file does not represent the definition.
    """
    # The text may be the result of an edit that preserves comments, which can go wrong.
    if parse_definition(parse_definition_toml(text, path), name=definition.name) != definition:
        raise ServerDefinitionError(
            "the definition would change when it is read again", where=str(path)
        )
    with convert_os_errors(path):
        previous_content = path.read_bytes() if path.exists() else b""
        # Windows editors add a byte order mark and may need it to recognize UTF-8.
        has_mark = previous_content.startswith(codecs.BOM_UTF8)
        content = text.encode("utf-8-sig" if has_mark else "utf-8")
        write_atomically(path, content)
        is_verified = path.read_bytes() == content
        if not is_verified and previous_content:
            write_atomically(path, previous_content)
    if not is_verified:
        raise ServerDefinitionError(
            "the file does not contain what was written; the previous content was restored",
            where=str(path),
        )


def delete_definition(name: str) -> Path:
    """Delete a user's server: its definition and its pickles.

    Returns:
        The path of the deleted definition file.

    Raises:
        ServerNotFoundError: The user has no server with this name.
        ServerDefinitionError: The file cannot be deleted.
    """
    with lock_definitions():
        path = next(
            (source.file for source in list_user_sources() if source.name == name),
            get_definition_path(name),
        )
        try:
            path.unlink()
        except FileNotFoundError:
            raise ServerNotFoundError(
                f"there is no server named {name!r}", where=str(path)
            ) from None
        except OSError as error:
            raise ServerDefinitionError(
                f"cannot be deleted: {error.strerror}",
                where=str(path),
                hint="delete the file by hand",
            ) from None
        shutil.rmtree(get_pickles_directory(name), ignore_errors=True)
    return path


TomlMapping = MutableMapping[str, Any]


def edit_definition_text(text: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    """Change the TOML text of a definition only where two tables differ.

    Comments, order and formatting are preserved everywhere else.

    Args:
        text: The text of the definition.
        before: The table that the text represents.
        after: The table that the new text should represent. A key that is missing is removed.
    """
    document = tomlkit.parse(text)
    for key in [*before, *(key for key in after if key not in before)]:
        if before.get(key) != after.get(key):
            _change_value(*_find_key(document, key), after.get(key))
    edited = tomlkit.dumps(document)
    # tomlkit only ends new lines with line feeds, so files with Windows line endings are converted.
    return re.sub(r"(?<!\r)\n", "\r\n", edited) if _has_windows_line_ends(text) else edited


def _has_windows_line_ends(text: str) -> bool:
    """Return whether every line ends in CR LF."""
    return "\r\n" in text and text.count("\n") == text.count("\r\n")


def _find_key(document: TomlMapping, key: str) -> tuple[TomlMapping, str]:
    """Return the table that contains a property, and the key as spelled in that table.

    The property may be in the wrapper table of Wolfram's format, and may be spelled differently,
    such as `Tools` for `tools`. A missing property belongs to the document itself.
    """
    tables = [document]
    if isinstance(document.get(WRAPPER_KEY), MutableMapping):
        tables.append(document[WRAPPER_KEY])
    for table in tables:
        for table_key in table:
            if key in (canonical_key(table_key), table_key):
                return table, table_key
    return document, key


def _change_value(table: TomlMapping, key: str, value: Any) -> None:
    """Change one value in a tomlkit table, with as little change to its text as possible.

    Lists and tables are changed element by element, which preserves their comments. A value is
    replaced as a whole only if that is not enough.

    Args:
        table: The table, which is modified.
        key: The key of the value.
        value: The new value. None removes the key.
    """
    if value is None:
        table.pop(key, None)
        return
    old_value = table.get(key)
    # An AoT is an array of tables, such as multiple `[[tools]]` sections.
    if isinstance(old_value, Array) and _change_elements(old_value, value, str):
        return
    if isinstance(old_value, AoT) and _change_elements(old_value, value, dict):
        return
    if isinstance(old_value, MutableMapping) and isinstance(value, dict):
        for inner_key in [*old_value, *(new_key for new_key in value if new_key not in old_value)]:
            if old_value.get(inner_key) != value.get(inner_key):
                _change_value(old_value, inner_key, value.get(inner_key))
        return
    # The value is formatted and parsed again, which gives it the layout of a new file.
    table[key] = tomlkit.parse(format_toml({key: value}))[key]


def _change_elements(elements: Array | AoT, value: list[Any], element_type: type) -> bool:
    """Change an array of strings or tables by removing and appending elements.

    The comments of the remaining elements are preserved.

    Args:
        elements: The array in the document, which is modified.
        value: The new elements.
        element_type: The type that all new elements must have.

    Returns:
        False if the new array needs other changes, such as reordering. The caller must then replace
        the array.
    """
    remaining = [element for element in elements.unwrap() if element in value]
    has_suitable_types = all(isinstance(element, element_type) for element in value)
    if value[: len(remaining)] != remaining or not has_suitable_types:
        return False
    # Elements are deleted from the end, so that deletions do not shift the remaining indices.
    for index, element in reversed(list(enumerate(elements.unwrap()))):
        if element not in value:
            del elements[index]
    for element in value[len(remaining) :]:
        elements.append(tomlkit.item(element))
    return bool(elements.unwrap() == value)
