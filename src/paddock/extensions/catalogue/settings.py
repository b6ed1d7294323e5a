"""Which catalogues count, and whether anything may be installed: the user's own choice.

`catalogues.toml` in the data directory, and the variable PADDOCK_CATALOGUES.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from paddock.directories import get_data_directory
from paddock.extensions.catalogue.errors import CatalogueError
from paddock.extensions.catalogue.fetching import normalize_location
from paddock.extensions.plain_data import parse_toml
from paddock.files import lock_file, convert_os_errors, write_atomically

CATALOGUES_VARIABLE = "PADDOCK_CATALOGUES"
"""Further catalogues, with blanks between them."""
NO_INSTALL_VARIABLE = "PADDOCK_NO_INSTALL"
"""When it is set to anything but 0, nothing is installed."""
SETTINGS_FILE_NAME = "catalogues.toml"
MAX_SETTINGS_BYTES = 1_000_000
INSTALL_ASK, INSTALL_NEVER = "ask", "never"


class CatalogueSettings(NamedTuple):
    """What the user has settled."""

    catalogues: tuple[str, ...] = ()
    install: str = INSTALL_ASK
    """`ask`, or `never`."""


def get_settings_file() -> Path:
    """Where the settings are; the file need not be there."""
    return Path(get_data_directory()) / SETTINGS_FILE_NAME


def read_settings() -> CatalogueSettings:
    """What the file says, without the variables.

    Raises:
        CatalogueError: when it cannot be read.
    """
    file = get_settings_file()
    try:
        with file.open("rb") as opened:
            table = parse_toml(opened.read(MAX_SETTINGS_BYTES))
    except FileNotFoundError:
        return CatalogueSettings()
    except (OSError, ValueError) as error:
        raise CatalogueError(f"cannot be read: {error}", where=str(file)) from None
    listed, install = table.get("catalogues", []), table.get("install", INSTALL_ASK)
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise CatalogueError(
            "catalogues is no list of texts", where=str(file), hint="expected URLs and paths"
        )
    if install not in (INSTALL_ASK, INSTALL_NEVER):
        raise CatalogueError(
            f"install is {install!r}", where=str(file), hint=f"expected {INSTALL_ASK!r} or {INSTALL_NEVER!r}"
        )
    return CatalogueSettings(tuple(map(_expand_location, listed)), install)


def list_locations() -> dict[str, str]:
    """Every catalogue that counts, those of the file first, each with where it is said.

    One that can be nowhere is among them as it was written.

    Raises:
        CatalogueError: when the file cannot be read.
    """
    found = dict.fromkeys(read_settings().catalogues, str(get_settings_file()))
    for text in os.environ.get(CATALOGUES_VARIABLE, "").split():
        found.setdefault(_expand_location(text), f"the variable {CATALOGUES_VARIABLE}")
    return found


def _expand_location(text: str) -> str:
    """Where a catalogue is, in full, if it can be there at all; whoever reads it says so."""
    try:
        return normalize_location(text)
    except CatalogueError:
        return text


def find_install_prohibition() -> str | None:
    """What forbids that anything is installed, if something does."""
    if os.environ.get(NO_INSTALL_VARIABLE, "0") not in ("", "0"):
        return f"the variable {NO_INSTALL_VARIABLE}"
    return f"install = {INSTALL_NEVER!r} in {get_settings_file()}" if _is_install_disabled() else None


def _is_install_disabled() -> bool:
    return read_settings().install == INSTALL_NEVER


def add_catalogue(text: str) -> str:
    """Have a catalogue count from now on; where it is, in full."""
    location = normalize_location(text)
    with lock_file(get_settings_file()):
        before = read_settings().catalogues
        if location not in before:
            _write_catalogues([*before, location])
    return location


def remove_catalogue(text: str) -> str | None:
    """Have a catalogue count no longer, be it one that never could; None when it did not."""
    location = _expand_location(text)
    with lock_file(get_settings_file()):
        before = read_settings().catalogues
        if location not in before:
            return None
        _write_catalogues([one for one in before if one != location])
    return location


def _write_catalogues(catalogues: list[str]) -> None:
    import tomlkit  # noqa: PLC0415 - only to write

    file = get_settings_file()
    text = file.read_text("utf-8") if file.exists() else ""
    document = tomlkit.parse(text)
    listed = tomlkit.array()
    listed.extend(catalogues)
    document["catalogues"] = listed.multiline(multiline=bool(catalogues))
    with convert_os_errors(file):
        write_atomically(file, tomlkit.dumps(document).encode())
