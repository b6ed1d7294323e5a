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

from paddock.directories import data_directory
from paddock.errors import PaddockError
from paddock.extensions.catalogue.document import MAX_DOCUMENT, Catalogue, parse_catalogue
from paddock.extensions.catalogue.errors import CatalogueError
from paddock.extensions.catalogue.fetching import Limit, fetch_bytes, local_path, normal_location
from paddock.extensions.catalogue.settings import locations
from paddock.files import telling_faults, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.extensions.catalogue.document import Entry

    Report = Callable[[PaddockError], object]

MAX_AGE = 24 * 60 * 60.0
"""Seconds after which a copy is fetched anew, by those who may fetch."""
LIMIT = Limit(MAX_DOCUMENT, 60.0)
FOLDER = "catalogues"


_parsed: dict[str, tuple[str, Catalogue]] = {}
"""Catalogues by their places, each with the hash of its text, for those who look up many names."""


class Known(NamedTuple):
    """What is known of one catalogue."""

    location: str
    catalogue: Catalogue | None
    """None when it has never been read."""
    fetched: float | None
    """When, in seconds since 1970; None for a file on this machine."""
    problem: PaddockError | None
    """Why it could not be read, or not anew."""


def known_catalogues(*, may_fetch: bool) -> list[Known]:
    """Every catalogue that counts, from its copy.

    With `may_fetch` a copy that is missing or old is fetched; one that cannot be fetched stays.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    return [
        _known(location, said_in, may_fetch=may_fetch) for location, said_in in locations().items()
    ]


def known_entries(*, may_fetch: bool, report: Report | None = None) -> list[Entry]:
    """Everything that all catalogues list, in their order.

    `report` is given why a catalogue could not be read.
    """
    known = known_catalogues(may_fetch=may_fetch)
    for one in known:
        if one.problem is not None and report is not None:
            report(one.problem)
    return [entry for one in known if one.catalogue is not None for entry in one.catalogue.entries]


def refresh(location: str) -> Catalogue:
    """Fetch a catalogue now, and keep a copy.

    Raises:
        FetchError: when it cannot be had.
        CatalogueError: when it is none, or cannot be there.
        DataDirectoryError: when there is no place for the copy.
    """
    normal_location(location)
    data = fetch_bytes(location, LIMIT)
    catalogue = _parse(data, location)
    if local_path(location) is None:
        with telling_faults(_copy(location)):
            write_atomically(_copy(location), data)
    return catalogue


def refresh_all() -> None:
    """Fetch every catalogue now; of one that cannot be had the copy stays.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    for location in locations():
        with suppress(PaddockError):  # told of by those who read the copies
            refresh(location)


def forget_copy(location: str) -> None:
    """Delete the copy of a catalogue that counts no longer."""
    _copy(location).unlink(missing_ok=True)


def _known(location: str, said_in: str, *, may_fetch: bool) -> Known:
    try:
        normal_location(location)
    except CatalogueError as error:
        problem = CatalogueError(error.message, where=said_in, hint=error.hint)
        return Known(location, None, None, problem)
    if local_path(location) is not None:
        return _fetched(location, None)
    fetched = _fetched_at(location)
    is_old = fetched is None or time.time() - fetched > MAX_AGE
    if may_fetch and is_old:
        found = _fetched(location, time.time())
        if found.catalogue is not None or fetched is None:
            return found
        return _from_copy(location, fetched)._replace(problem=found.problem)
    return Known(location, None, None, None) if fetched is None else _from_copy(location, fetched)


def _fetched(location: str, now: float | None) -> Known:
    try:
        return Known(location, refresh(location), now, None)
    except PaddockError as error:
        return Known(location, None, None, error)


def _from_copy(location: str, fetched: float) -> Known:
    try:
        with _copy(location).open("rb") as file:
            data = file.read(MAX_DOCUMENT + 1)
        return Known(location, _parse(data, location), fetched, None)
    except (OSError, PaddockError) as error:
        problem = error if isinstance(error, PaddockError) else None
        return Known(location, None, None, problem)


def _parse(data: bytes, location: str) -> Catalogue:
    digest = hashlib.sha256(data).hexdigest()
    kept = _parsed.get(location)
    if kept is None or kept[0] != digest:
        kept = _parsed[location] = (digest, parse_catalogue(data, location))
    return kept[1]


def _fetched_at(location: str) -> float | None:
    try:
        return _copy(location).stat().st_mtime
    except OSError:
        return None


def _copy(location: str) -> Path:
    name = hashlib.sha256(location.encode()).hexdigest()[:32]
    return Path(data_directory()) / FOLDER / f"{name}.json"
