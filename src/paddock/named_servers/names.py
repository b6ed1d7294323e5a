"""From the name of a server to the file that defines it, and back.

Every name has one file on every system: whatever is not plain is percent-encoded, and so is the
first letter of a name that Windows keeps for its devices. Loaded before the first answer, so it
needs nothing but the interpreter; `urllib.parse` alone would take 10 ms.

What can go wrong with a named server.

Loaded before the first answer, so it needs nothing but the interpreter.

The environment variables that say what is served, and how.
"""

from __future__ import annotations

import os

from paddock.directories import get_data_directory
from paddock.errors import DefinitionError, PaddockError


class ServerExistsError(PaddockError):
    """There is a server of that name already."""

    code = "server-exists"


class ServerNotFoundError(PaddockError):
    """There is no server of that name."""

    code = "server-not-found"


class ServerDefinitionError(DefinitionError):
    """A server definition cannot be read, or says what it cannot say."""

    code = "invalid-server-definition"


class BuiltInServerError(PaddockError):
    """A server that comes with Paddock or with an extension is not the user's to change."""

    code = "built-in-server"


DEFINITION_SUFFIX = ".toml"
PICKLES_SUFFIX = ".pickle"
MAX_STEM_CHARACTERS = 200
"""What is left of the 255 bytes of a file name, with room for temporary names."""
_PLAIN_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")
_WINDOWS_DEVICE_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)


def get_servers_directory() -> str:
    """Where the user's definitions are; it need not exist yet."""
    return os.path.join(get_data_directory(), "servers")


def build_definition_path(name: str) -> str:
    """The file that defines the user's server of a name, whether there is one or not."""
    return os.path.join(get_servers_directory(), encode_name(name) + DEFINITION_SUFFIX)


def build_built_in_path(name: str) -> str:
    """The file that would define the built-in server of a name."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(package, "toolkits", "servers", encode_name(name) + DEFINITION_SUFFIX)


def encode_name(name: str) -> str:
    """A name as the stem of a file.

    Raises:
        ServerDefinitionError: when it cannot be the name of a server.
    """
    check_name(name)
    stem = "".join(
        chr(byte) if chr(byte) in _PLAIN_CHARACTERS else f"%{byte:02X}"
        for byte in name.encode("utf-8")
    )
    if stem.startswith(".") or stem.partition(".")[0].lower() in _WINDOWS_DEVICE_NAMES:
        stem = f"%{ord(stem[0]):02X}{stem[1:]}"
    if len(stem) > MAX_STEM_CHARACTERS:
        raise ServerDefinitionError(
            f"the name {name[:20]!r}… of a server is too long for a file",
            hint=f"at most {MAX_STEM_CHARACTERS} letters and digits, others count three times or more",
        )
    return stem


def decode_name(stem: str) -> str | None:
    """The name that a stem stands for; None when no name is written that way."""
    head, *rest = stem.split("%")
    try:
        data = head.encode("ascii")
        for piece in rest:
            data += bytes.fromhex(piece[:2]) + piece[2:].encode("ascii")
        name = data.decode("utf-8")
        return name if encode_name(name) == stem else None
    except (ValueError, ServerDefinitionError):
        return None


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a server.

    Raises:
        ServerDefinitionError: when it is empty, or holds what no terminal can show.
    """
    if not isinstance(name, str) or not name or name != name.strip():
        raise ServerDefinitionError(
            f"{name!r} cannot be the name of a server",
            hint="use a text that neither begins nor ends with a blank",
        )
    if not name.isprintable():
        raise ServerDefinitionError(
            f"{name!r} cannot be the name of a server", hint="use printable characters only"
        )


def is_path_like(text: str) -> bool:
    """Whether a text is written like the path of a file; a qualified name is too."""
    separators = (os.sep, os.altsep or os.sep, ":")
    return text.endswith((".py", DEFINITION_SUFFIX)) or any(one in text for one in separators)


SERVER_VARIABLE = "PADDOCK_SERVER"
"""The server that is served when none is named."""
OPTIONS_VARIABLE = "PADDOCK_TOOL_OPTIONS"
"""Values for options of tools, as a JSON object of objects."""
