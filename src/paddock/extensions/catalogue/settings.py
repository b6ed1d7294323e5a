"""Which catalogues count, and whether anything may be installed: the user's own choice.

`catalogues.toml` in the data directory, and the variable PADDOCK_CATALOGUES.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from paddock.directories import data_directory
from paddock.extensions.catalogue.errors import CatalogueError
from paddock.extensions.catalogue.fetching import normal_location
from paddock.extensions.plain_data import parse_toml
from paddock.files import locked, telling_faults, write_atomically

CATALOGUES_VARIABLE = "PADDOCK_CATALOGUES"
"""Further catalogues, with blanks between them."""
NO_INSTALL_VARIABLE = "PADDOCK_NO_INSTALL"
"""When it is set to anything but 0, nothing is installed."""
FILE_NAME = "catalogues.toml"
MAX_SETTINGS = 1_000_000
ASK, NEVER = "ask", "never"


class Settings(NamedTuple):
    """What the user has settled."""

    catalogues: tuple[str, ...] = ()
    install: str = ASK
    """`ask`, or `never`."""


def settings_file() -> Path:
    """Where the settings are; the file need not be there."""
    return Path(data_directory()) / FILE_NAME


def read_settings() -> Settings:
    """What the file says, without the variables.

    Raises:
        CatalogueError: when it cannot be read.
    """
    file = settings_file()
    try:
        with file.open("rb") as opened:
            table = parse_toml(opened.read(MAX_SETTINGS))
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        raise CatalogueError(f"cannot be read: {error}", where=str(file)) from None
    listed, install = table.get("catalogues", []), table.get("install", ASK)
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise CatalogueError(
            "catalogues is no list of texts", where=str(file), hint="expected URLs and paths"
        )
    if install not in (ASK, NEVER):
        raise CatalogueError(
            f"install is {install!r}", where=str(file), hint=f"expected {ASK!r} or {NEVER!r}"
        )
    return Settings(tuple(map(_in_full, listed)), install)


def locations() -> dict[str, str]:
    """Every catalogue that counts, those of the file first, each with where it is said.

    One that can be nowhere is among them as it was written.

    Raises:
        CatalogueError: when the file cannot be read.
    """
    found = dict.fromkeys(read_settings().catalogues, str(settings_file()))
    for text in os.environ.get(CATALOGUES_VARIABLE, "").split():
        found.setdefault(_in_full(text), f"the variable {CATALOGUES_VARIABLE}")
    return found


def _in_full(text: str) -> str:
    """Where a catalogue is, in full, if it can be there at all; whoever reads it says so."""
    try:
        return normal_location(text)
    except CatalogueError:
        return text


def forbidding() -> str | None:
    """What forbids that anything is installed, if something does."""
    if os.environ.get(NO_INSTALL_VARIABLE, "0") not in ("", "0"):
        return f"the variable {NO_INSTALL_VARIABLE}"
    return f"install = {NEVER!r} in {settings_file()}" if _is_never() else None


def _is_never() -> bool:
    return read_settings().install == NEVER


def add_location(text: str) -> str:
    """Have a catalogue count from now on; where it is, in full."""
    location = normal_location(text)
    with locked(settings_file()):
        before = read_settings().catalogues
        if location not in before:
            _write([*before, location])
    return location


def remove_location(text: str) -> str | None:
    """Have a catalogue count no longer, be it one that never could; None when it did not."""
    location = _in_full(text)
    with locked(settings_file()):
        before = read_settings().catalogues
        if location not in before:
            return None
        _write([one for one in before if one != location])
    return location


def _write(catalogues: list[str]) -> None:
    import tomlkit  # noqa: PLC0415 - only to write

    file = settings_file()
    text = file.read_text("utf-8") if file.exists() else ""
    document = tomlkit.parse(text)
    listed = tomlkit.array()
    listed.extend(catalogues)
    document["catalogues"] = listed.multiline(multiline=bool(catalogues))
    with telling_faults(file):
        write_atomically(file, tomlkit.dumps(document).encode())
