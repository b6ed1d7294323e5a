"""What the catalogues list, also when they cannot be reached: copies in the data directory.

A copy is replaced only by a catalogue that can be read. A catalogue that is a file on this machine
is read where it is.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.directories import get_data_directory
from paddock.errors import PaddockError
from paddock.extensions.catalogue.document import MAX_CATALOGUE_BYTES, CatalogueDocument, parse_catalogue
from paddock.extensions.catalogue.errors import CatalogueError
from paddock.extensions.catalogue.fetching import DownloadLimit, fetch_bytes, get_local_path, normalize_location
from paddock.extensions.catalogue.settings import list_locations
from paddock.files import convert_os_errors, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.extensions.catalogue.document import CatalogueEntry

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
        _load_catalogue(location, said_in, may_fetch=may_fetch) for location, said_in in list_locations().items()
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
    return CatalogueStatus(location, None, None, None) if fetched is None else _read_copy(location, fetched)


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
