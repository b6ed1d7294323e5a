"""The order of the versions of paclets: numbers between dots, each compared as a number.

The paclets on this machine that are extensions. Trust level: discovery, nothing is run.

Most paclets have nothing to do with us. Those whose `PacletInfo` does not even mention the
extension are not parsed, so the parser is loaded for none of them. Of several versions of a paclet
the highest counts, as for Wolfram, even when it is broken.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError, PaddockError
from paddock.extensions.extension import BrokenExtension, Discovery, Extension
from paddock.extensions.manifest import MAX_MANIFEST_BYTES
from paddock.extensions.paclets.search_paths import list_search_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


_PART_PATTERN = re.compile(r"(\d*)(.*)", re.DOTALL)
_MAX_DIGITS = 18
_MIN_PARTS = 8
_EMPTY_PART = (0, True, "")
"""A part that is zero, or not there."""

PacletVersionKey = tuple[tuple[int, bool, str], ...]


def make_version_key(version: str) -> PacletVersionKey:
    """What versions are sorted by.

    `1.10` is above `1.9`, `1.0` is the same as `1.0.0`, and a part with letters after its number
    (`2.0-beta`) is below the number alone.
    """
    parts = [_parse_part(part) for part in version.strip().split(".")]
    while parts and parts[-1] == _EMPTY_PART:
        parts.pop()
    return (*parts, *[_EMPTY_PART] * (_MIN_PARTS - len(parts)))


def _parse_part(text: str) -> tuple[int, bool, str]:
    found = _PART_PATTERN.fullmatch(text)
    digits, rest = (found[1], found[2]) if found else ("", text)
    return int(digits[:_MAX_DIGITS] or 0), not rest, rest


_INFO_FILE_NAMES = ("PacletInfo.wl", "PacletInfo.m")
_ARCHIVE_SUFFIX = ".paclet"
_PACLET_FOLDERS = ("Paclets", "Repository")
"""What may stand between a directory and its paclets."""
_EXTENSION_MARKER = b"AgentTools"
_NAME_PATTERN = re.compile(rb'(?<![\w`])"?Name"?\s*->\s*"([^"]{1,200})"')
_VERSION_PATTERN = re.compile(rb'(?<![\w`])"?Version"?\s*->\s*"([^"]{1,100})"')
_VERSION_SUFFIX_PATTERN = re.compile(r"-\d[\w.]*$")


class PacletCandidate(NamedTuple):
    """A paclet in some place, as far as it has been looked at."""

    name: str
    version: str
    outcome: Extension | BrokenExtension | None
    """None for a paclet that is no extension."""


PacletFileState = tuple[int, int]
_candidate_cache: dict[Path, tuple[PacletFileState, PacletCandidate]] = {}
"""Paclets by their places, each with the time and size of the file that was read for it."""


def find_all() -> Discovery:
    """The extensions among the installed paclets."""
    return _select_highest_versions(_iterate_candidates(lambda _: True))


def find_named(name: str) -> Discovery:
    """The paclet of a name; what does not mention the name is not parsed."""
    package = name.rpartition("/")[2].encode()
    found = _select_highest_versions(
        one for one in _iterate_candidates(lambda data: package in data)
    )
    return Discovery(
        tuple(one for one in found.extensions if one.name == name),
        tuple(one for one in found.broken if one.name in (name, name.rpartition("/")[2])),
    )


def is_installed(name: str) -> bool:
    """Whether there is a paclet of a name, be it an extension or not."""
    return any(one.name == name for one in _iterate_candidates(lambda data: name.encode() in data))


def clear_cache() -> None:
    """Have everything read anew."""
    _candidate_cache.clear()


def find_paclet_locations(paths: Iterable[Path]) -> Iterator[Path]:
    """The directories and archives of paclets in some places: there, or one folder further in.

    Also directories that may not be looked into, for it to be said.
    """
    for path in paths:
        if _is_paclet(path):
            yield path
        else:
            yield from _find_inner_locations(path)


def _find_inner_locations(directory: Path) -> Iterator[Path]:
    try:
        with os.scandir(directory) as entries:
            children = sorted(one.name for one in entries if one.is_dir() or _is_archive(one.name))
    except OSError:
        return
    for child in children:
        place = directory / child
        if _is_paclet(place):
            yield place
        elif child in _PACLET_FOLDERS:
            yield from _find_inner_locations(place)


def _is_archive(name: str) -> bool:
    return name.endswith(_ARCHIVE_SUFFIX)


def _is_paclet(place: Path) -> bool:
    try:
        return _find_info_file(place) is not None or (_is_archive(place.name) and _is_file(place))
    except PermissionError:
        return True


def _find_info_file(directory: Path) -> Path | None:
    """The file that a paclet describes itself in.

    Raises:
        PermissionError: when the directory may not be looked into.
    """
    for name in _INFO_FILE_NAMES:
        file = directory / name
        if _is_file(file):
            return file
    return None


def _is_file(path: Path) -> bool:
    # Not `Path.is_file`: for what may not be looked at, versions of Python raise or say no.
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except PermissionError:
        raise
    except (OSError, ValueError):
        return False


def _iterate_candidates(is_wanted: Callable[[bytes], bool]) -> Iterator[PacletCandidate]:
    for place in find_paclet_locations(Path(path) for path in list_search_paths()):
        found = _inspect_location(place, is_wanted)
        if found is not None:
            yield found


def _inspect_location(place: Path, is_wanted: Callable[[bytes], bool]) -> PacletCandidate | None:
    try:
        file = _find_info_file(place) or place
        status = file.stat()
        state = (status.st_mtime_ns, status.st_size)
        known = _candidate_cache.get(place)
        if known is not None and known[0] == state:
            return known[1]
        data = None if file is place else _read_start(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        # Not kept: what may be read says nothing to the state of the file.
        problem = LoadError(f"cannot be read: {error.strerror or error}", where=str(place))
        return _make_broken_candidate(place, None, problem)
    if data is not None and not is_wanted(data):
        return None
    found = (
        _make_plain_candidate(data, place)
        if data is not None and _EXTENSION_MARKER not in data
        else _read_candidate(place, data)
    )
    _candidate_cache[place] = (state, found)
    return found


def _read_start(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(MAX_MANIFEST_BYTES + 1)


def _make_plain_candidate(data: bytes, place: Path) -> PacletCandidate:
    """A paclet that is no extension; it may still be a higher version of one that is."""
    return PacletCandidate(*_guess_identity(data, place), None)


def _guess_identity(data: bytes | None, place: Path) -> tuple[str, str]:
    """What a paclet seems to be called, without understanding it."""
    name, version = _NAME_PATTERN.search(data or b""), _VERSION_PATTERN.search(data or b"")
    stem = place.stem if place.suffix == _ARCHIVE_SUFFIX else place.name
    return (
        name[1].decode("utf-8", "replace") if name else _VERSION_SUFFIX_PATTERN.sub("", stem),
        version[1].decode("utf-8", "replace") if version else "",
    )


def _read_candidate(place: Path, data: bytes | None) -> PacletCandidate:
    from paddock.extensions.paclets.files import open_paclet_files  # noqa: PLC0415 - with zipfile
    from paddock.extensions.paclets.info import read_paclet_info  # noqa: PLC0415 - with the parser
    from paddock.extensions.paclets.paclet import make_paclet_extension  # noqa: PLC0415 - with the parser

    try:
        files = open_paclet_files(place)
        info = read_paclet_info(files)
        return PacletCandidate(info.name, info.version or "", make_paclet_extension(info, files))
    except PaddockError as error:
        return _make_broken_candidate(place, data, error)
    except Exception as error:  # noqa: BLE001 - one paclet must not end what lists them all
        message = f"cannot be understood: {type(error).__name__}: {error}"
        return _make_broken_candidate(place, data, LoadError(message, where=str(place)))


def _make_broken_candidate(
    place: Path, data: bytes | None, problem: PaddockError
) -> PacletCandidate:
    name, version = _guess_identity(data, place)
    return PacletCandidate(
        name, version, BrokenExtension(name, "paclet", place, problem, version or None, name)
    )


def _select_highest_versions(several: Iterable[PacletCandidate]) -> Discovery:
    """Of each name the highest version; of equal ones the first."""
    highest: dict[str, PacletCandidate] = {}
    for one in several:
        best = highest.setdefault(one.name, one)
        if make_version_key(one.version) > make_version_key(best.version):
            highest[one.name] = one
    outcomes = [one.outcome for one in highest.values()]
    return Discovery(
        tuple(one for one in outcomes if isinstance(one, Extension)),
        tuple(one for one in outcomes if isinstance(one, BrokenExtension)),
    )
