"""Reading server definitions: which files there are, and what they say.

How they are written is `store`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.extensions.plain_data import parse_toml
from paddock.servers.definition import WRAPPER, from_mapping, own_key
from paddock.servers.errors import ServerDefinitionError
from paddock.servers.file_names import (
    SUFFIX,
    decode_name,
    definition_path,
    encode_name,
    servers_directory,
)

if TYPE_CHECKING:
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
    table = with_version(parse(text, path), version)
    return from_mapping(table, name=name, place=lambda key: _place(text, path, key))


def with_version(table: Mapping[str, Any], version: str | None) -> dict[str, Any]:
    """A table that says a version, unless it says its own in any spelling."""
    inner = table.get(WRAPPER)
    said = [*table, *(inner if isinstance(inner, Mapping) else ())]
    if version is None or any(own_key(key) == "version" for key in said):
        return {**table}
    return {"version": version, **table}


def parse(text: str, path: Path) -> dict[str, Any]:
    """The table that a file holds.

    Raises:
        ServerDefinitionError: when it is no TOML.
    """
    try:
        return parse_toml(text.encode())
    except ValueError as error:
        raise ServerDefinitionError(f"is no TOML: {error}", where=str(path)) from None


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
