"""The user's server definitions on the disk.

A definition is whole or not there: it is checked before it is written, written beside the old one
and put in its place, and read back. All changes happen one after the other, also those of several
processes, so none is lost and no two names differ by nothing but their case.
"""

from __future__ import annotations

import shutil
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.files import locked, write_atomically
from paddock.servers.definition import from_mapping
from paddock.servers.errors import (
    ServerDefinitionError,
    ServerExistsError,
    ServerNotFoundError,
)
from paddock.servers.file_names import (
    PICKLES,
    SUFFIX,
    decode_name,
    definition_path,
    encode_name,
    servers_directory,
)
from paddock.servers.toml_text import plain_table, toml_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.servers.definition import ServerDefinition


class Stored(NamedTuple):
    """A file in the directory of definitions."""

    name: str
    path: Path
    problem: str | None
    """Why no server can be found by the file, if so."""


def directory() -> Path:
    """Where the user's definitions are."""
    return Path(servers_directory())


def path_of(name: str) -> Path:
    """The file of the user's server of a name, whether there is one or not."""
    return Path(definition_path(name))


def pickles_of(name: str) -> Path:
    """The directory of the functions that a server keeps as they are."""
    return directory() / f"{encode_name(name)}{PICKLES}"


def stored() -> list[Stored]:
    """All files of definitions, by name; none is opened."""
    files = sorted(directory().glob(f"*{SUFFIX}"), key=lambda file: file.name.lower())
    return [_described(file) for file in files if not file.name.startswith(".")]


def read_definition(
    text: str, path: Path, *, name: str | None = None, version: str | None = None
) -> ServerDefinition:
    """What the text of a file defines; `name` and `version` are for one that does not say its own.

    Raises:
        ServerDefinitionError: when it cannot be understood, with the line if it is known.
        DefinitionError: of another kind, when tools or prompts are no lists.
    """
    table = parse(text, path)
    if version is not None:
        table = {"version": version, **table}
    return from_mapping(table, name=name, place=lambda key: _place(text, path, key))


def parse(text: str, path: Path) -> dict[str, Any]:
    """The table that a file holds.

    Raises:
        ServerDefinitionError: when it is no TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ServerDefinitionError(f"is no TOML: {error}", where=str(path)) from None


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


def write_definition(definition: ServerDefinition) -> Path:
    """Write a definition, in the place of one that may be there. Within `changing`.

    Raises:
        ServerDefinitionError: when it cannot be written as TOML; nothing is changed then.
    """
    path = path_of(definition.name)
    write_text(path, toml_text(plain_table(definition)), definition)
    return path


def write_text(path: Path, text: str, definition: ServerDefinition) -> None:
    """Write the text of a definition, after and before it is compared with what it should say."""
    if from_mapping(parse(text, path), name=definition.name) != definition:
        raise ServerDefinitionError(
            "the definition would not be the same when it is read again", where=str(path)
        )
    before = path.read_bytes() if path.exists() else None
    data = text.encode("utf-8")
    write_atomically(path, data)
    if path.read_bytes() != data:
        if before is not None:
            write_atomically(path, before)
        raise ServerDefinitionError("the file does not hold what was written", where=str(path))


def delete_definition(name: str) -> Path:
    """Remove the user's server of a name, with everything that belongs to it alone.

    Raises:
        ServerNotFoundError: when there is none.
    """
    path = path_of(name)
    with changing():
        try:
            path.unlink()
        except FileNotFoundError:
            raise ServerNotFoundError(f"there is no server {name!r}", where=str(path)) from None
        shutil.rmtree(pickles_of(name), ignore_errors=True)
    return path


def _described(file: Path) -> Stored:
    name = decode_name(file.stem)
    if name is not None:
        return Stored(name, file, None)
    return Stored(file.stem, file, _misnamed(file))


def _misnamed(file: Path) -> str:
    try:
        wanted = encode_name(file.stem)
    except ServerDefinitionError as error:
        return str(error)
    return f"the file of a server {file.stem!r} has to be called {wanted}{SUFFIX}"


def read_text(path: Path) -> str:
    """The text of a definition file.

    Raises:
        ServerDefinitionError: when it cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ServerDefinitionError("is not UTF-8", where=str(path)) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ServerDefinitionError(f"cannot be read: {reason}", where=str(path)) from None


def _place(text: str, path: Path, key: str) -> str:
    """A file with the line where a key stands, as far as that can be seen."""
    for number, line in enumerate(text.splitlines(), 1):
        start = line.strip().lstrip("[").lstrip()
        if start.startswith((key, f'"{key}"')) and start.strip('"')[len(key) :][:1] in (
            *("", " ", "=", "]", ".", '"'),
        ):
            return f"{path}:{number}"
    return str(path)
