"""The paclets on this machine that are extensions. Trust level: discovery, nothing is run.

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
from paddock.extensions.manifest import MAX_MANIFEST
from paddock.extensions.paclets.search_paths import search_paths
from paddock.extensions.paclets.versions import version_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_INFO_NAMES = ("PacletInfo.wl", "PacletInfo.m")
_ARCHIVE = ".paclet"
_FOLDERS = ("Paclets", "Repository")
"""What may stand between a directory and its paclets."""
_MARK = b"AgentTools"
_NAME = re.compile(rb'(?<![\w`])"?Name"?\s*->\s*"([^"]{1,200})"')
_VERSION = re.compile(rb'(?<![\w`])"?Version"?\s*->\s*"([^"]{1,100})"')
_VERSION_IN_NAME = re.compile(r"-\d[\w.]*$")


class Found(NamedTuple):
    """A paclet in some place, as far as it has been looked at."""

    name: str
    version: str
    outcome: Extension | BrokenExtension | None
    """None for a paclet that is no extension."""


State = tuple[int, int]
_known: dict[Path, tuple[State, Found]] = {}
"""Paclets by their places, each with the time and size of the file that was read for it."""


def find_all() -> Discovery:
    """The extensions among the installed paclets."""
    return _chosen(_found(lambda _: True))


def find_named(name: str) -> Discovery:
    """The paclet of a name; what does not mention the name is not parsed."""
    package = name.rpartition("/")[2].encode()
    found = _chosen(one for one in _found(lambda data: package in data))
    return Discovery(
        tuple(one for one in found.extensions if one.name == name),
        tuple(one for one in found.broken if one.name in (name, name.rpartition("/")[2])),
    )


def is_installed(name: str) -> bool:
    """Whether there is a paclet of a name, be it an extension or not."""
    return any(one.name == name for one in _found(lambda data: name.encode() in data))


def forget() -> None:
    """Have everything read anew."""
    _known.clear()


def paclet_places(paths: Iterable[Path]) -> Iterator[Path]:
    """The directories and archives of paclets in some places: there, or one folder further in.

    Also directories that may not be looked into, for it to be said.
    """
    for path in paths:
        if _is_paclet(path):
            yield path
        else:
            yield from _inside(path)


def _inside(directory: Path) -> Iterator[Path]:
    try:
        with os.scandir(directory) as entries:
            children = sorted(one.name for one in entries if one.is_dir() or _is_archive(one.name))
    except OSError:
        return
    for child in children:
        place = directory / child
        if _is_paclet(place):
            yield place
        elif child in _FOLDERS:
            yield from _inside(place)


def _is_archive(name: str) -> bool:
    return name.endswith(_ARCHIVE)


def _is_paclet(place: Path) -> bool:
    try:
        return _info_file(place) is not None or (_is_archive(place.name) and _is_file(place))
    except PermissionError:
        return True


def _info_file(directory: Path) -> Path | None:
    """The file that a paclet describes itself in.

    Raises:
        PermissionError: when the directory may not be looked into.
    """
    for name in _INFO_NAMES:
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


def _found(is_wanted: Callable[[bytes], bool]) -> Iterator[Found]:
    for place in paclet_places(Path(path) for path in search_paths()):
        found = _looked_at(place, is_wanted)
        if found is not None:
            yield found


def _looked_at(place: Path, is_wanted: Callable[[bytes], bool]) -> Found | None:
    try:
        file = _info_file(place) or place
        status = file.stat()
        state = (status.st_mtime_ns, status.st_size)
        known = _known.get(place)
        if known is not None and known[0] == state:
            return known[1]
        data = None if file is place else _beginning(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        # Not kept: what may be read says nothing to the state of the file.
        problem = LoadError(f"cannot be read: {error.strerror or error}", where=str(place))
        return _broken(place, None, problem)
    if data is not None and not is_wanted(data):
        return None
    found = _plain(data, place) if data is not None and _MARK not in data else _read(place, data)
    _known[place] = (state, found)
    return found


def _beginning(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(MAX_MANIFEST + 1)


def _plain(data: bytes, place: Path) -> Found:
    """A paclet that is no extension; it may still be a higher version of one that is."""
    return Found(*_guessed(data, place), None)


def _guessed(data: bytes | None, place: Path) -> tuple[str, str]:
    """What a paclet seems to be called, without understanding it."""
    name, version = _NAME.search(data or b""), _VERSION.search(data or b"")
    stem = place.stem if place.suffix == _ARCHIVE else place.name
    return (
        name[1].decode("utf-8", "replace") if name else _VERSION_IN_NAME.sub("", stem),
        version[1].decode("utf-8", "replace") if version else "",
    )


def _read(place: Path, data: bytes | None) -> Found:
    from paddock.extensions.paclets.files import paclet_files  # noqa: PLC0415 - with zipfile
    from paddock.extensions.paclets.info import read_info  # noqa: PLC0415 - with the parser
    from paddock.extensions.paclets.paclet import as_extension  # noqa: PLC0415 - with the parser

    try:
        files = paclet_files(place)
        info = read_info(files)
        return Found(info.name, info.version or "", as_extension(info, files))
    except PaddockError as error:
        return _broken(place, data, error)
    except Exception as error:  # noqa: BLE001 - one paclet must not end what lists them all
        message = f"cannot be understood: {type(error).__name__}: {error}"
        return _broken(place, data, LoadError(message, where=str(place)))


def _broken(place: Path, data: bytes | None, problem: PaddockError) -> Found:
    name, version = _guessed(data, place)
    return Found(
        name, version, BrokenExtension(name, "paclet", place, problem, version or None, name)
    )


def _chosen(several: Iterable[Found]) -> Discovery:
    """Of each name the highest version; of equal ones the first."""
    highest: dict[str, Found] = {}
    for one in several:
        best = highest.setdefault(one.name, one)
        if version_order(one.version) > version_order(best.version):
            highest[one.name] = one
    outcomes = [one.outcome for one in highest.values()]
    return Discovery(
        tuple(one for one in outcomes if isinstance(one, Extension)),
        tuple(one for one in outcomes if isinstance(one, BrokenExtension)),
    )
