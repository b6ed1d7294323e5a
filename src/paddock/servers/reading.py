"""Reading server definitions: which files there are, and what they say.

How they are written is `store`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.extensions.plain_data import parse_toml
from paddock.servers.definition import WRAPPER_KEY, parse_definition, canonical_key
from paddock.servers.errors import ServerDefinitionError
from paddock.servers.file_names import (
    DEFINITION_SUFFIX,
    decode_name,
    build_definition_path,
    encode_name,
    get_servers_directory,
)

if TYPE_CHECKING:
    from paddock.servers.definition import ServerDefinition


class StoredDefinition(NamedTuple):
    """A file in the directory of definitions."""

    name: str
    path: Path
    problem: str | None
    """Why no server can be found by the file, if so."""


def get_definitions_directory() -> Path:
    """Where the user's definitions are."""
    return Path(get_servers_directory())


def get_definition_path(name: str) -> Path:
    """The file of the user's server of a name, whether there is one or not."""
    return Path(build_definition_path(name))


def list_stored_definitions() -> list[StoredDefinition]:
    """All files of definitions, by name; none is opened."""
    files = sorted(get_definitions_directory().glob(f"*{DEFINITION_SUFFIX}"), key=lambda file: file.name.lower())
    return [_describe_file(file) for file in files if not file.name.startswith(".")]


def read_definition(
    text: str, path: Path, *, name: str | None = None, version: str | None = None
) -> ServerDefinition:
    """What the text of a file defines; `name` and `version` are for one that does not say its own.

    Raises:
        ServerDefinitionError: when it cannot be understood, with the line if it is known.
        DefinitionError: of another kind, when tools or prompts are no lists.
    """
    table = add_default_version(parse_definition_toml(text, path), version)
    return parse_definition(table, name=name, place=lambda key: _locate_key(text, path, key))


def add_default_version(table: Mapping[str, Any], version: str | None) -> dict[str, Any]:
    """A table that says a version, unless it says its own in any spelling."""
    inner = table.get(WRAPPER_KEY)
    said = [*table, *(inner if isinstance(inner, Mapping) else ())]
    if version is None or any(canonical_key(key) == "version" for key in said):
        return {**table}
    return {"version": version, **table}


def parse_definition_toml(text: str, path: Path) -> dict[str, Any]:
    """The table that a file holds.

    Raises:
        ServerDefinitionError: when it is no TOML.
    """
    try:
        return parse_toml(text.encode())
    except ValueError as error:
        raise ServerDefinitionError(f"is no TOML: {error}", where=str(path)) from None


def _describe_file(file: Path) -> StoredDefinition:
    name = decode_name(file.stem)
    if name is not None:
        return StoredDefinition(name, file, None)
    return StoredDefinition(file.stem, file, _explain_wrong_name(file))


def _explain_wrong_name(file: Path) -> str:
    try:
        wanted = encode_name(file.stem)
    except ServerDefinitionError as error:
        return str(error)
    return f"the file of a server {file.stem!r} has to be called {wanted}{DEFINITION_SUFFIX}"


def read_definition_text(path: Path) -> str:
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


def _locate_key(text: str, path: Path, key: str) -> str:
    """A file with the line where a key stands, as far as that can be seen."""
    for number, line in enumerate(text.splitlines(), 1):
        start = line.strip().lstrip("[").lstrip()
        if start.startswith((key, f'"{key}"')) and start.strip('"')[len(key) :][:1] in (
            *("", " ", "=", "]", ".", '"'),
        ):
            return f"{path}:{number}"
    return str(path)
