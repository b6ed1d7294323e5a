"""The user's catalogue settings, and local copies of catalogues.

Settings come from `catalogues.toml` in the data directory and from environment variables. Each
catalogue on the network has a local copy, which keeps it available offline and is only ever
replaced by a valid catalogue. Local catalogue files are read directly.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import tomlkit

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

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.extensions.catalogues.document import CatalogueEntry

    ProblemReporter = Callable[[PaddockError], object]

CATALOGUES_VARIABLE = "PADDOCK_CATALOGUES"
"""Additional catalogues, separated by spaces."""
NO_INSTALL_VARIABLE = "PADDOCK_NO_INSTALL"
"""Any value except 0 and the empty string disables installation."""
SETTINGS_FILE_NAME = "catalogues.toml"
MAX_SETTINGS_BYTES = 1_000_000
INSTALL_ASK, INSTALL_NEVER = "ask", "never"
MAX_COPY_AGE_SECONDS = 24 * 60 * 60.0
"""Age at which a copy becomes outdated."""
CATALOGUE_DOWNLOAD_LIMIT = DownloadLimit(MAX_CATALOGUE_BYTES, 60.0)
COPY_FOLDER = "catalogues"
_parsed_catalogues: dict[str, tuple[str, CatalogueDocument]] = {}
"""The text hash and parsed document, by location. Speeds up looking up many names."""


class CatalogueSettings(NamedTuple):
    """The contents of `catalogues.toml`."""

    catalogues: tuple[str, ...] = ()
    install: str = INSTALL_ASK
    """`ask` or `never`."""


def get_settings_file() -> Path:
    """Return the path of the settings file, which may not exist."""
    return Path(get_data_directory()) / SETTINGS_FILE_NAME


def read_settings() -> CatalogueSettings:
    """Read the catalogue settings: locations, and whether to install from them.

    Environment variables, which can add catalogues, are not considered here.

    Raises:
        CatalogueError: The file cannot be read or is invalid.
    """
    file = get_settings_file()
    try:
        with file.open("rb") as settings_file:
            table = parse_toml(settings_file.read(MAX_SETTINGS_BYTES))
    except FileNotFoundError:
        return CatalogueSettings()
    except (OSError, ValueError) as error:
        raise CatalogueError(f"cannot be read: {error}", where=str(file)) from None
    locations, install = table.get("catalogues", []), table.get("install", INSTALL_ASK)
    if not isinstance(locations, list) or not all(
        isinstance(location, str) for location in locations
    ):
        raise CatalogueError(
            "catalogues is not a list of strings", where=str(file), hint="expected URLs and paths"
        )
    if install not in (INSTALL_ASK, INSTALL_NEVER):
        raise CatalogueError(
            f"install is {install!r}",
            where=str(file),
            hint=f"expected {INSTALL_ASK!r} or {INSTALL_NEVER!r}",
        )
    return CatalogueSettings(tuple(map(_expand_location, locations)), install)


def list_locations() -> dict[str, str]:
    """Return the locations of the configured catalogues, starting with the settings file.

    Invalid locations are included as written.

    Returns:
        For each location, the settings file or environment variable that contains it.

    Raises:
        CatalogueError: The settings file cannot be read.
    """
    sources_by_location = dict.fromkeys(read_settings().catalogues, str(get_settings_file()))
    for text in os.environ.get(CATALOGUES_VARIABLE, "").split():
        sources_by_location.setdefault(
            _expand_location(text), f"the variable {CATALOGUES_VARIABLE}"
        )
    return sources_by_location


def _expand_location(text: str) -> str:
    """Normalize a location. An invalid one is kept, because reading it reports the error."""
    try:
        return normalize_location(text)
    except CatalogueError:
        return text


def find_install_prohibition() -> str | None:
    """Return the setting that disables installation, or None."""
    if os.environ.get(NO_INSTALL_VARIABLE, "0") not in ("", "0"):
        return f"the variable {NO_INSTALL_VARIABLE}"
    if read_settings().install == INSTALL_NEVER:
        return f"install = {INSTALL_NEVER!r} in {get_settings_file()}"
    return None


def add_catalogue(text: str) -> str:
    """Add a catalogue to the settings file, and return its normalized location.

    Args:
        text: The URL or path of the catalogue, as the user has written it.

    Raises:
        CatalogueError: The location is not allowed, or the settings cannot be read.
    """
    location = normalize_location(text)
    with lock_file(get_settings_file()):
        locations = read_settings().catalogues
        if location not in locations:
            _write_catalogues([*locations, location])
    return location


def remove_catalogue(text: str) -> str | None:
    """Remove a catalogue from the settings file.

    Args:
        text: The URL or path of the catalogue, as the user has written it.

    Returns:
        The normalized location, or None if the settings do not contain it.
    """
    location = _expand_location(text)
    with lock_file(get_settings_file()):
        locations = read_settings().catalogues
        if location not in locations:
            return None
        _write_catalogues([other for other in locations if other != location])
    return location


def _write_catalogues(catalogues: list[str]) -> None:
    """Replace the list of catalogues in the settings file."""
    file = get_settings_file()
    # Editing the file with tomlkit, instead of writing it from scratch, preserves the user's
    # comments.
    text = file.read_text("utf-8") if file.exists() else ""
    document = tomlkit.parse(text)
    array = tomlkit.array()
    array.extend(catalogues)
    document["catalogues"] = array.multiline(multiline=bool(catalogues))
    with convert_os_errors(file):
        write_atomically(file, tomlkit.dumps(document).encode())


class CatalogueStatus(NamedTuple):
    """A configured catalogue, with its contents or the error from reading it."""

    location: str
    catalogue: CatalogueDocument | None = None
    """None if the catalogue was never read."""
    fetched_at: float | None = None
    """Time of the download as a Unix timestamp; None for a local file."""
    problem: PaddockError | None = None
    """The error from the last attempt to read or refresh it."""


def load_catalogues(*, may_fetch: bool) -> list[CatalogueStatus]:
    """Load all configured catalogues from their local copies.

    A catalogue that cannot be loaded is included with its error.

    Args:
        may_fetch: Download catalogues whose copy is missing or outdated. If that fails, an outdated
            copy is used.

    Raises:
        CatalogueError: The settings cannot be read.
    """
    return [
        _load_catalogue(location, source, may_fetch=may_fetch)
        for location, source in list_locations().items()
    ]


def load_entries(*, may_fetch: bool, report: ProblemReporter | None = None) -> list[CatalogueEntry]:
    """Return the extensions listed in the configured catalogues, in the order of the settings.

    Args:
        may_fetch: Download catalogues whose copy is missing or outdated.
        report: Called with the error of each catalogue that cannot be read.
    """
    statuses = load_catalogues(may_fetch=may_fetch)
    for status in statuses:
        if status.problem is not None and report is not None:
            report(status.problem)
    return [
        entry
        for status in statuses
        if status.catalogue is not None
        for entry in status.catalogue.entries
    ]


def refresh_catalogue(location: str) -> CatalogueDocument:
    """Download a catalogue and store a copy. A local catalogue is only read.

    Raises:
        FetchError: The catalogue cannot be downloaded.
        CatalogueError: The location or the document is invalid.
        DataDirectoryError: The copy cannot be written.
    """
    normalize_location(location)
    data = fetch_bytes(location, CATALOGUE_DOWNLOAD_LIMIT)
    catalogue = _parse_cached(data, location)
    if get_local_path(location) is None:
        with convert_os_errors(_get_copy_path(location)):
            write_atomically(_get_copy_path(location), data)
    return catalogue


def refresh_catalogues() -> None:
    """Download all configured catalogues. If a download fails, the existing copy is kept.

    Raises:
        CatalogueError: The settings cannot be read.
    """
    for location in list_locations():
        with suppress(PaddockError):  # `load_catalogues` reports the problem.
            refresh_catalogue(location)


def delete_copy(location: str) -> None:
    """Delete the local copy of a catalogue, if any."""
    _get_copy_path(location).unlink(missing_ok=True)


def _load_catalogue(location: str, source: str, *, may_fetch: bool) -> CatalogueStatus:
    """Load a catalogue from a local file, a recent copy, a download or, failing that, an old copy.

    Args:
        location: The configured location, which may be invalid.
        source: The setting that contains it, for error messages.
        may_fetch: Download the catalogue if its copy is missing or outdated.
    """
    try:
        normalize_location(location)
    except CatalogueError as error:
        problem = CatalogueError(error.message, where=source, hint=error.hint)
        return CatalogueStatus(location, problem=problem)
    if get_local_path(location) is not None:
        return _fetch_catalogue(location, None)
    fetched_at = _get_copy_time(location)
    is_old = fetched_at is None or time.time() - fetched_at > MAX_COPY_AGE_SECONDS
    if may_fetch and is_old:
        status = _fetch_catalogue(location, time.time())
        if status.catalogue is not None or fetched_at is None:
            return status
        # If the download fails, for example offline, the outdated copy is used and the error kept.
        return _read_copy(location, fetched_at)._replace(problem=status.problem)
    if fetched_at is None:
        return CatalogueStatus(location)
    return _read_copy(location, fetched_at)


def _fetch_catalogue(location: str, now: float | None) -> CatalogueStatus:
    """Download a catalogue and record `now` as its time, or read a local one, which has no time."""
    try:
        return CatalogueStatus(location, refresh_catalogue(location), now)
    except PaddockError as error:
        return CatalogueStatus(location, problem=error)


def _read_copy(location: str, fetched_at: float) -> CatalogueStatus:
    """Read the local copy of a catalogue.

    Args:
        location: The URL of the catalogue.
        fetched_at: The time of the download as a Unix timestamp.
    """
    try:
        with _get_copy_path(location).open("rb") as file:
            # Reading one extra byte reveals a copy that is too long.
            data = file.read(MAX_CATALOGUE_BYTES + 1)
        return CatalogueStatus(location, _parse_cached(data, location), fetched_at)
    except PaddockError as error:
        return CatalogueStatus(location, problem=error)
    except OSError:
        return CatalogueStatus(location)  # another process deleted the copy in the meantime


def _parse_cached(data: bytes, location: str) -> CatalogueDocument:
    """Parse a catalogue, unless its text has not changed since it was last parsed."""
    digest = hashlib.sha256(data).hexdigest()
    cached = _parsed_catalogues.get(location)
    if cached is None or cached[0] != digest:
        cached = _parsed_catalogues[location] = (digest, parse_catalogue(data, location))
    return cached[1]


def _get_copy_time(location: str) -> float | None:
    try:
        return _get_copy_path(location).stat().st_mtime
    except OSError:
        return None


def _get_copy_path(location: str) -> Path:
    # URLs contain characters that are not allowed in file names.
    name = hashlib.sha256(location.encode()).hexdigest()[:32]
    return Path(get_data_directory()) / COPY_FOLDER / f"{name}.json"
