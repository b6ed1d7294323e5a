"""The user's server definitions on the disk.

A definition is whole or not there: it is checked before it is written, written beside the old one
and put in its place, and read back. All changes happen one after the other, also those of several
processes, so none is lost and no two names differ by nothing but their case.
"""

from __future__ import annotations

import codecs
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from paddock.errors import DefinitionError
from paddock.files import locked, telling_faults, write_atomically
from paddock.servers.definition import from_mapping
from paddock.servers.errors import (
    ServerDefinitionError,
    ServerExistsError,
    ServerNotFoundError,
)
from paddock.servers.file_names import PICKLES, encode_name
from paddock.servers.pickles import forget_others
from paddock.servers.reading import (
    directory,
    parse,
    path_of,
    read_definition,
    read_text,
    stored,
)
from paddock.servers.storing import new_items, with_inner
from paddock.servers.toml_text import plain_table, toml_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.servers.definition import ServerDefinition
    from paddock.servers.pickles import Pickles


def pickles_of(name: str) -> Path:
    """The directory of the functions that a server keeps as they are."""
    return directory() / f"{encode_name(name)}{PICKLES}"


@contextmanager
def changing() -> Iterator[None]:
    """Be the only one that changes definitions."""
    with locked(directory()):
        yield


def check_free(name: str, *, overwrite: bool) -> None:
    """Make sure that a definition may be written under a name. To be asked within `changing`.

    Raises:
        ServerExistsError: when there is one already, or one that differs by case only.
    """
    for other in stored():
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
def tidying(name: str) -> Iterator[None]:
    """Remove afterwards what is stored beside a definition and not named in it."""
    try:
        yield
    finally:
        if pickles_of(name).is_dir():
            with changing():
                _tidy(name)


def _tidy(name: str) -> None:
    path = path_of(name)
    try:
        found = read_definition(read_text(path), path, name=name) if path.exists() else None
    except DefinitionError:
        return  # nobody knows what it names
    items = [] if found is None else with_inner(new_items(found, None))
    forget_others(pickles_of(name), items)


def write_definition(definition: ServerDefinition, pickles: Pickles | None = None) -> Path:
    """Write a definition, in the place of one that may be there. Within `changing`.

    Raises:
        ServerDefinitionError: when it cannot be written as TOML; nothing is changed then.
    """
    path = path_of(definition.name)
    if pickles is not None:
        pickles.write()
    _write_text(path, toml_text(plain_table(definition)), definition)
    return path


def replace_text(
    path: Path,
    before: str | None,
    text: str,
    definition: ServerDefinition,
    pickles: Pickles | None = None,
) -> bool:
    """Put a text in the place of another; False when the file says something else by now.

    Raises:
        ServerDefinitionError: when the text is not that of the definition.
    """
    with changing():
        if before is not None and read_text(path) != before:
            return False
        if pickles is not None:
            pickles.write()
        _write_text(path, text, definition)
    return True


def _write_text(path: Path, text: str, definition: ServerDefinition) -> None:
    """Write the text of a definition, after and before it is compared with what it should say."""
    if from_mapping(parse(text, path), name=definition.name) != definition:
        raise ServerDefinitionError(
            "the definition would not be the same when it is read again", where=str(path)
        )
    with telling_faults(path):
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
    with changing():
        path = next((one.path for one in stored() if one.name == name), path_of(name))
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
        shutil.rmtree(pickles_of(name), ignore_errors=True)
    return path
