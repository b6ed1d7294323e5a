"""Server names, with their errors, definition files and environment variables.

A name has the same file name on every system: characters other than letters, digits and `_-.` are
percent-encoded, and so is the first character of a name that is reserved on Windows. This module is
imported before the first answer, so it imports nothing slow; `urllib.parse` alone would take 10 ms.
"""

from __future__ import annotations

import os

from paddock.directories import get_data_directory
from paddock.errors import DefinitionError, PaddockError


class ServerExistsError(PaddockError):
    """A server with this name already exists."""

    code = "server-exists"


class ServerNotFoundError(PaddockError):
    """No server has this name."""

    code = "server-not-found"


class ServerDefinitionError(DefinitionError):
    """A server definition cannot be read or is not valid."""

    code = "invalid-server-definition"


class BuiltInServerError(PaddockError):
    """Servers that belong to Paddock or to an extension cannot be changed."""

    code = "built-in-server"


DEFINITION_SUFFIX = ".toml"
PICKLES_SUFFIX = ".pickle"
MAX_STEM_CHARACTERS = 200
"""File names are limited to 255 bytes, some of which are needed for temporary names."""
_PLAIN_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")
_WINDOWS_DEVICE_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)


def get_servers_directory() -> str:
    """Return the directory for the user's definitions, which may not exist yet."""
    return os.path.join(get_data_directory(), "servers")


def build_definition_path(name: str) -> str:
    """Return the path of the user's definition with a name, which may not exist."""
    return os.path.join(get_servers_directory(), encode_name(name) + DEFINITION_SUFFIX)


def build_built_in_path(name: str) -> str:
    """Return the path of the built-in definition with a name, which may not exist."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(package, "toolkits", "servers", encode_name(name) + DEFINITION_SUFFIX)


def encode_name(name: str) -> str:
    """Return the stem of the definition file for a server name.

    Characters that are not allowed in file names are percent-encoded as UTF-8 bytes: `Ben's` has
    the stem `Ben%27s`.

    Raises:
        ServerDefinitionError: The name is not valid.
    """
    check_name(name)
    stem = "".join(
        chr(byte) if chr(byte) in _PLAIN_CHARACTERS else f"%{byte:02X}"
        for byte in name.encode("utf-8")
    )
    # Files that begin with a dot are hidden on Unix. Device names, such as `con`, are reserved on
    # Windows, regardless of the suffix.
    if stem.startswith(".") or stem.partition(".")[0].lower() in _WINDOWS_DEVICE_NAMES:
        stem = f"%{ord(stem[0]):02X}{stem[1:]}"
    if len(stem) > MAX_STEM_CHARACTERS:
        raise ServerDefinitionError(
            f"the server name {name[:20]!r}… is too long for a file name",
            hint=f"use at most {MAX_STEM_CHARACTERS} letters and digits; "
            "any other character counts as at least three",
        )
    return stem


def decode_name(stem: str) -> str | None:
    """Return the server name that `encode_name` encodes as the given file stem.

    Returns None if no name has this stem, for example because the user has renamed the file.
    """
    first_part, *encoded_parts = stem.split("%")
    try:
        encoded_name = first_part.encode("ascii")
        for part in encoded_parts:
            encoded_name += bytes.fromhex(part[:2]) + part[2:].encode("ascii")
        name = encoded_name.decode("utf-8")
        return name if encode_name(name) == stem else None
    except (ValueError, ServerDefinitionError):
        return None


def check_name(name: str) -> None:
    """Check the name of a server.

    Raises:
        ServerDefinitionError: The name is empty, begins or ends with a space, or is not printable.
    """
    if not isinstance(name, str) or not name or name != name.strip():
        raise ServerDefinitionError(
            f"{name!r} is not a valid server name",
            hint="use a non-empty string that does not begin or end with a space",
        )
    if not name.isprintable():
        raise ServerDefinitionError(
            f"{name!r} is not a valid server name", hint="use only printable characters"
        )


def is_path_like(text: str) -> bool:
    """Return whether a text looks like a path. Qualified names do too."""
    separators = (os.sep, os.altsep or os.sep, ":")
    return text.endswith((".py", DEFINITION_SUFFIX)) or any(
        separator in text for separator in separators
    )


SERVER_VARIABLE = "PADDOCK_SERVER"
"""The name of the server that is served by default."""
OPTIONS_VARIABLE = "PADDOCK_TOOL_OPTIONS"
"""Option values of tools, as a JSON object of objects."""
