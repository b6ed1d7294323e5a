"""Which catalogues count, and whether anything may be installed: the user's own choice.

`catalogues.toml` in the data directory, and the variable PADDOCK_CATALOGUES.

What the catalogues list, also when they cannot be reached: copies in the data directory.

A copy is replaced only by a catalogue that can be read. A catalogue that is a file on this machine
is read where it is.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.directories import get_data_directory
from paddock.errors import PaddockError
from paddock.extensions.catalogues.document import (
    MAX_CATALOGUE_BYTES,
    CatalogueDocument,
    parse_catalogue,
)
from paddock.extensions.catalogues.download import (
    DownloadLimit,
    fetch_bytes,
    get_local_path,
    normalize_location,
)
from paddock.extensions.data_formats import parse_toml
from paddock.extensions.errors import CatalogueError
from paddock.files import convert_os_errors, lock_file, write_atomically

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
            f"install is {install!r}",
            where=str(file),
            hint=f"expected {INSTALL_ASK!r} or {INSTALL_NEVER!r}",
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
    return (
        f"install = {INSTALL_NEVER!r} in {get_settings_file()}" if _is_install_disabled() else None
    )


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


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.extensions.catalogues.document import CatalogueEntry

    ProblemReporter = Callable[[PaddockError], object]

MAX_COPY_AGE_SECONDS = 24 * 60 * 60.0
"""Seconds after which a copy is fetched anew, by those who may fetch."""
CATALOGUE_DOWNLOAD_LIMIT = DownloadLimit(MAX_CATALOGUE_BYTES, 60.0)
COPY_FOLDER = "catalogues"


_parsed_catalogues: dict[str, tuple[str, CatalogueDocument]] = {}
"""Catalogues by their places, each with the hash of its text, for those who look up many names."""


class CatalogueStatus(NamedTuple):
    """What is known of one catalogue."""

    location: str
    catalogue: CatalogueDocument | None
    """None when it has never been read."""
    fetched_at: float | None
    """When, in seconds since 1970; None for a file on this machine."""
    problem: PaddockError | None
    """Why it could not be read, or not anew."""


def load_catalogues(*, may_fetch: bool) -> list[CatalogueStatus]:
    """Every catalogue that counts, from its copy.

    With `may_fetch` a copy that is missing or old is fetched; one that cannot be fetched stays.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    return [
        _load_catalogue(location, said_in, may_fetch=may_fetch)
        for location, said_in in list_locations().items()
    ]


def load_entries(*, may_fetch: bool, report: ProblemReporter | None = None) -> list[CatalogueEntry]:
    """Everything that all catalogues list, in their order.

    `report` is given why a catalogue could not be read.
    """
    known = load_catalogues(may_fetch=may_fetch)
    for one in known:
        if one.problem is not None and report is not None:
            report(one.problem)
    return [entry for one in known if one.catalogue is not None for entry in one.catalogue.entries]


def refresh_catalogue(location: str) -> CatalogueDocument:
    """Fetch a catalogue now, and keep a copy.

    Raises:
        FetchError: when it cannot be had.
        CatalogueError: when it is none, or cannot be there.
        DataDirectoryError: when there is no place for the copy.
    """
    normalize_location(location)
    data = fetch_bytes(location, CATALOGUE_DOWNLOAD_LIMIT)
    catalogue = _parse_cached(data, location)
    if get_local_path(location) is None:
        with convert_os_errors(_get_copy_path(location)):
            write_atomically(_get_copy_path(location), data)
    return catalogue


def refresh_catalogues() -> None:
    """Fetch every catalogue now; of one that cannot be had the copy stays.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    for location in list_locations():
        with suppress(PaddockError):  # told of by those who read the copies
            refresh_catalogue(location)


def delete_copy(location: str) -> None:
    """Delete the copy of a catalogue that counts no longer."""
    _get_copy_path(location).unlink(missing_ok=True)


def _load_catalogue(location: str, said_in: str, *, may_fetch: bool) -> CatalogueStatus:
    try:
        normalize_location(location)
    except CatalogueError as error:
        problem = CatalogueError(error.message, where=said_in, hint=error.hint)
        return CatalogueStatus(location, None, None, problem)
    if get_local_path(location) is not None:
        return _fetch_catalogue(location, None)
    fetched = _get_copy_time(location)
    is_old = fetched is None or time.time() - fetched > MAX_COPY_AGE_SECONDS
    if may_fetch and is_old:
        found = _fetch_catalogue(location, time.time())
        if found.catalogue is not None or fetched is None:
            return found
        return _read_copy(location, fetched)._replace(problem=found.problem)
    return (
        CatalogueStatus(location, None, None, None)
        if fetched is None
        else _read_copy(location, fetched)
    )


def _fetch_catalogue(location: str, now: float | None) -> CatalogueStatus:
    try:
        return CatalogueStatus(location, refresh_catalogue(location), now, None)
    except PaddockError as error:
        return CatalogueStatus(location, None, None, error)


def _read_copy(location: str, fetched: float) -> CatalogueStatus:
    try:
        with _get_copy_path(location).open("rb") as file:
            data = file.read(MAX_CATALOGUE_BYTES + 1)
        return CatalogueStatus(location, _parse_cached(data, location), fetched, None)
    except (OSError, PaddockError) as error:
        problem = error if isinstance(error, PaddockError) else None
        return CatalogueStatus(location, None, None, problem)


def _parse_cached(data: bytes, location: str) -> CatalogueDocument:
    digest = hashlib.sha256(data).hexdigest()
    kept = _parsed_catalogues.get(location)
    if kept is None or kept[0] != digest:
        kept = _parsed_catalogues[location] = (digest, parse_catalogue(data, location))
    return kept[1]


def _get_copy_time(location: str) -> float | None:
    try:
        return _get_copy_path(location).stat().st_mtime
    except OSError:
        return None


def _get_copy_path(location: str) -> Path:
    name = hashlib.sha256(location.encode()).hexdigest()[:32]
    return Path(get_data_directory()) / COPY_FOLDER / f"{name}.json"
