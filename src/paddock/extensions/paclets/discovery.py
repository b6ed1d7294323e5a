"""Discovers installed paclets that are extensions. Trust level: discovery; no code is run.

Most installed paclets are not extensions. Those whose `PacletInfo` does not mention "AgentTools"
are not parsed, so the Wolfram parser is usually not even imported. If multiple versions of a paclet
are installed, the highest is used, as in Wolfram, even if it is broken.
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
from paddock.extensions.paclets.search_paths import (
    PACLET_INFO_FILE_NAMES,
    PACLET_SUFFIX,
    list_search_paths,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


_PART_PATTERN = re.compile(r"(\d*)(.*)", re.DOTALL)
_MAX_DIGITS = 18
_MIN_PARTS = 8
_EMPTY_PART = (0, True, "")
"""The sort key of a part that is zero or absent."""

PacletVersionKey = tuple[tuple[int, bool, str], ...]

_PACLET_FOLDERS = ("Paclets", "Repository")
"""Folders in a search path that contain paclets."""
_EXTENSION_MARKER = b"AgentTools"
# The lookbehind excludes keys that merely end in the name, such as `PacletName`.
_NAME_PATTERN = re.compile(rb'(?<![\w`])"?Name"?\s*->\s*"([^"]{1,200})"')
_VERSION_PATTERN = re.compile(rb'(?<![\w`])"?Version"?\s*->\s*"([^"]{1,100})"')
_VERSION_SUFFIX_PATTERN = re.compile(r"-\d[\w.]*$")


def make_version_key(version: str) -> PacletVersionKey:
    """Return a sort key that orders the versions of a paclet from lowest to highest.

    The parts of a version are compared as numbers: `1.10` is above `1.9`, and `1.0` equals `1.0.0`.
    A part with a suffix is below the same number without one: `2.0-beta` is below `2.0`.
    """
    # Trailing zeros are replaced by a fixed number of zeros, so that they do not matter.
    parts = [_parse_part(part) for part in version.strip().split(".")]
    while parts and parts[-1] == _EMPTY_PART:
        parts.pop()
    return (*parts, *[_EMPTY_PART] * (_MIN_PARTS - len(parts)))


def _parse_part(text: str) -> tuple[int, bool, str]:
    match = _PART_PATTERN.fullmatch(text)
    digits, suffix = (match[1], match[2]) if match else ("", text)
    return int(digits[:_MAX_DIGITS] or 0), not suffix, suffix


class PacletCandidate(NamedTuple):
    """An installed paclet, with its extension if it is one."""

    name: str
    version: str
    extension: Extension | BrokenExtension | None
    """None for a paclet that is not an extension."""


PacletFileState = tuple[int, int]
_candidate_cache: dict[Path, tuple[PacletFileState, PacletCandidate]] = {}
"""Paclets by path, with the modification time and size of the file that was read."""


def find_all() -> Discovery:
    """Return the extensions among the installed paclets."""
    return _select_highest_versions(_iterate_candidates(lambda _: True))


def find_named(name: str) -> Discovery:
    """Find the installed paclet (a Wolfram package) that is the named extension.

    Only `PacletInfo` files that contain the name are parsed.
    """
    package = name.rpartition("/")[2]
    discovery = _select_highest_versions(_iterate_candidates(lambda data: package.encode() in data))
    return Discovery(
        tuple(extension for extension in discovery.extensions if extension.name == name),
        tuple(extension for extension in discovery.broken if extension.name in (name, package)),
    )


def is_installed(name: str) -> bool:
    """Return whether a paclet is installed, even if it is not an extension."""
    return any(
        candidate.name == name
        for candidate in _iterate_candidates(lambda data: name.encode() in data)
    )


def clear_cache() -> None:
    """Discard the cached paclets."""
    _candidate_cache.clear()


def find_paclet_locations(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the directories and archives of paclets (Wolfram packages) in search paths.

    A path can be a paclet, or a directory that contains paclets or a folder of paclets. Unreadable
    directories are yielded too, so that they are reported as broken.
    """
    for path in paths:
        if _is_paclet(path):
            yield path
        else:
            yield from _find_paclets_in_folder(path)


def _find_paclets_in_folder(directory: Path) -> Iterator[Path]:
    """Yield the paths of the paclets in a directory and in its paclet folders.

    Paclet folders are named `Paclets` or `Repository`: for example,
    `~/.Wolfram/Paclets/Repository`. A directory that cannot be listed contains no paclets.
    """
    try:
        with os.scandir(directory) as entries:
            children = sorted(
                entry.name
                for entry in entries
                if entry.is_dir() or entry.name.endswith(PACLET_SUFFIX)
            )
    except OSError:
        return
    for child in children:
        path = directory / child
        if _is_paclet(path):
            yield path
        elif child in _PACLET_FOLDERS:
            yield from _find_paclets_in_folder(path)


def _is_paclet(path: Path) -> bool:
    try:
        is_archive = path.suffix == PACLET_SUFFIX and _is_file(path)
        return is_archive or _find_info_file(path) is not None
    except PermissionError:
        return True


def _find_info_file(directory: Path) -> Path | None:
    """Return the `PacletInfo` file in a directory, or None.

    Raises:
        PermissionError: The directory cannot be read.
    """
    return next(filter(_is_file, (directory / name for name in PACLET_INFO_FILE_NAMES)), None)


def _is_file(path: Path) -> bool:
    """Return whether a path is a regular file. Raise an error if this cannot be determined.

    Raises:
        PermissionError: The file's directory cannot be accessed.
    """
    # `Path.is_file` is not used, because without permission it raises an error in some Python
    # versions and returns False in others.
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except PermissionError:
        raise
    except (OSError, ValueError):
        return False


def _iterate_candidates(is_relevant: Callable[[bytes], bool]) -> Iterator[PacletCandidate]:
    for path in find_paclet_locations(Path(path) for path in list_search_paths()):
        candidate = _get_candidate(path, is_relevant)
        if candidate is not None:
            yield candidate


def _get_candidate(path: Path, is_relevant: Callable[[bytes], bool]) -> PacletCandidate | None:
    """Return the paclet in a directory or archive, using the cache if its file is unchanged.

    In a directory, the text of the `PacletInfo` file is searched first, and the file is only parsed
    if the paclet is an extension. An archive is always parsed.

    Args:
        path: The directory or archive of a paclet.
        is_relevant: Returns whether a paclet matters, given the contents of its `PacletInfo` file.

    Returns:
        The paclet, or None if it does not matter or has been removed.
    """
    try:
        file = _find_info_file(path) or path
        status = file.stat()
        state = (status.st_mtime_ns, status.st_size)
        cached = _candidate_cache.get(path)
        if cached is not None and cached[0] == state:
            return cached[1]
        is_archive = file is path
        data = None if is_archive else _read_start(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        # Not cached, because permissions can change without changing the file's time and size.
        problem = LoadError(f"cannot be read: {error.strerror or error}", where=str(path))
        return _make_broken_candidate(path, None, problem)
    if data is not None and not is_relevant(data):
        return None
    if data is not None and _EXTENSION_MARKER not in data:
        # A paclet that is not an extension is a candidate too: it may be the highest version of a
        # paclet whose older versions are extensions.
        candidate = PacletCandidate(*_guess_identity(data, path), None)
    else:
        candidate = _read_candidate(path, data)
    _candidate_cache[path] = (state, candidate)
    return candidate


def _read_start(file: Path) -> bytes:
    with file.open("rb") as info_file:
        return info_file.read(MAX_MANIFEST_BYTES + 1)


def _guess_identity(data: bytes | None, path: Path) -> tuple[str, str]:
    """Guess the name and version of a paclet that is not or cannot be parsed.

    Args:
        data: The contents of its `PacletInfo` file, searched with regular expressions; None for an
            archive.
        path: The directory or archive. If the data does not contain a name, the path's name without
            a version is used, such as `Charts` for `Charts-1.2.paclet`.

    Returns:
        The name and version. The version is "" if unknown.
    """
    name_match = _NAME_PATTERN.search(data or b"")
    version_match = _VERSION_PATTERN.search(data or b"")
    if name_match:
        name = name_match[1].decode("utf-8", "replace")
    else:
        stem = path.stem if path.suffix == PACLET_SUFFIX else path.name
        name = _VERSION_SUFFIX_PATTERN.sub("", stem)
    return name, version_match[1].decode("utf-8", "replace") if version_match else ""


def _read_candidate(path: Path, data: bytes | None) -> PacletCandidate:
    """Read a paclet by parsing its `PacletInfo` file.

    If it cannot be parsed, the result is a broken extension with the error.

    Args:
        path: The directory or archive of the paclet.
        data: The contents of `PacletInfo`, to guess the name of a broken paclet; None for archives.
    """
    # Most machines do not have such paclets, so zipfile and the Wolfram parser are loaded late.
    from paddock.extensions.paclets.paclet import inspect_paclet  # noqa: PLC0415 - see above

    try:
        paclet = inspect_paclet(path)
        return PacletCandidate(paclet.info.name, paclet.info.version or "", paclet.extension)
    except PaddockError as error:
        problem = error
    except Exception as error:  # noqa: BLE001 - one broken paclet must not hide the others
        message = f"cannot be read: {type(error).__name__}: {error}"
        problem = LoadError(message, where=str(path))
    return _make_broken_candidate(path, data, problem)


def _make_broken_candidate(
    path: Path, data: bytes | None, problem: PaddockError
) -> PacletCandidate:
    name, version = _guess_identity(data, path)
    extension = BrokenExtension(name, "paclet", path, problem, version or None, name)
    return PacletCandidate(name, version, extension)


def _select_highest_versions(candidates: Iterable[PacletCandidate]) -> Discovery:
    """Select the highest installed version of each paclet, and return those that are extensions.

    If versions are equal, the first one is selected. A broken paclet is selected too if it has the
    highest version, because Wolfram would use that version and fail.
    """
    highest_by_name: dict[str, PacletCandidate] = {}
    for candidate in candidates:
        highest = highest_by_name.setdefault(candidate.name, candidate)
        if make_version_key(candidate.version) > make_version_key(highest.version):
            highest_by_name[candidate.name] = candidate
    extensions = [candidate.extension for candidate in highest_by_name.values()]
    return Discovery(
        tuple(extension for extension in extensions if isinstance(extension, Extension)),
        tuple(extension for extension in extensions if isinstance(extension, BrokenExtension)),
    )
