"""Python distributions that are extensions, as their metadata tells. Trust level: discovery.

A distribution has an entry point in the group `paddock.extensions` whose name is the package in
qualified names, and whose value is the Python package that holds `paddock.toml`. Directories on
`sys.path` are looked through for it without `importlib`, which could import something on the way
and takes longer to load than this takes to run. What was read is kept until a directory or a
manifest changes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

from paddock.errors import PaddockError
from paddock.extensions.errors import ExtensionNotFoundError, ManifestError
from paddock.extensions.extension import (
    MANIFEST_FILE_NAME,
    BrokenExtension,
    Discovery,
    Extension,
    read_extension,
)
from paddock.extensions.manifest import is_valid_name
from paddock.extensions.names import normalize_distribution_name

ENTRY_POINT_GROUP = "paddock.extensions"
ENTRY_POINTS_FILE_NAME = "entry_points.txt"
MAX_ENTRY_POINTS_BYTES = 1_000_000
"""How many bytes of them are read: more than any distribution has."""
_METADATA_SUFFIXES = (".dist-info", ".egg-info")
_MODULE_NAME_PATTERN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class ExtensionEntryPoint(NamedTuple):
    """What the metadata of an installed distribution says about one extension in it."""

    name: str
    value: str
    metadata_directory: Path
    """The directory of metadata; beside it the distribution's files have been put."""

    @property
    def distribution(self) -> str:
        """The name of the distribution, in lower case with hyphens."""
        return parse_distribution_name(self.metadata_directory.name)

    @property
    def version(self) -> str | None:
        """The distribution's version, if the directory's name says it."""
        stem = self.metadata_directory.name.rpartition(".")[0]
        return stem.split("-")[1] if "-" in stem else None


_directory_cache: dict[str, tuple[int, dict[str, list[ExtensionEntryPoint]]]] = {}
"""Directories by their paths, each with its time and the distributions in it."""
_extension_cache: dict[ExtensionEntryPoint, tuple[tuple[Path, int, int], Extension]] = {}
"""Extensions whose manifests have been read, each with the manifest's place, time and size."""


def find_all() -> Discovery:
    """The extensions among the installed distributions, in the order of `sys.path`."""
    return _load_extensions(
        [one for several in _list_installed_entry_points().values() for one in several]
    )


def find_named(name: str) -> Discovery:
    """The distributions that may be the extension of a name; no other's manifest is read."""
    package = name.rpartition("/")[2]
    points = [
        one
        for several in _list_installed_entry_points().values()
        for one in several
        if one.name == package
    ]
    found = _load_extensions(points)
    return Discovery(tuple(one for one in found.extensions if one.name == name), found.broken)


def is_installed(distribution: str) -> bool:
    """Whether there is a distribution of a name, be it an extension or not."""
    return normalize_distribution_name(distribution) in _list_installed_entry_points()


def clear_cache() -> None:
    """Have everything read anew."""
    _directory_cache.clear()
    _extension_cache.clear()


def parse_distribution_name(metadata: str) -> str:
    """The name of a distribution, as the name of its metadata directory tells it."""
    stem = metadata.rpartition(".")[0]
    return normalize_distribution_name(stem.partition("-")[0])


def parse_entry_points(text: str) -> list[tuple[str, str]]:
    """The names and values of our group in the text of an `entry_points.txt`."""
    found: list[tuple[str, str]] = []
    section = ""
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif section == ENTRY_POINT_GROUP and line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            found.append((name.strip(), value.strip()))
    return found


def _list_installed_entry_points() -> dict[str, list[ExtensionEntryPoint]]:
    """The entry points of every distribution; the first of a name on the path is the one."""
    found: dict[str, list[ExtensionEntryPoint]] = {}
    for place in dict.fromkeys(sys.path):
        for name, points in _list_directory_entry_points(Path(place)).items():
            found.setdefault(name, points)
    return found


def _list_directory_entry_points(directory: Path) -> dict[str, list[ExtensionEntryPoint]]:
    try:
        changed = directory.stat().st_mtime_ns
    except (OSError, ValueError):
        return {}
    place = str(directory.absolute())
    kept = _directory_cache.get(place)
    if kept is None or kept[0] != changed:
        kept = _directory_cache[place] = (changed, _scan_directory(Path(place)))
    return kept[1]


def _scan_directory(directory: Path) -> dict[str, list[ExtensionEntryPoint]]:
    try:
        places = sorted(
            place for place in directory.iterdir() if place.name.endswith(_METADATA_SUFFIXES)
        )
    except OSError:  # a file, as an archive on the path is
        return {}
    return {parse_distribution_name(place.name): _read_entry_points(place) for place in places}


def _read_entry_points(metadata: Path) -> list[ExtensionEntryPoint]:
    try:
        with (metadata / ENTRY_POINTS_FILE_NAME).open("rb") as file:
            data = file.read(MAX_ENTRY_POINTS_BYTES)
    except OSError:
        return []
    if ENTRY_POINT_GROUP.encode() not in data:
        return []
    points = parse_entry_points(data.decode("utf-8", "replace"))
    return [ExtensionEntryPoint(name, value, metadata) for name, value in points]


def _load_extensions(points: list[ExtensionEntryPoint]) -> Discovery:
    extensions: list[Extension] = []
    broken: list[BrokenExtension] = []
    for point in points:
        try:
            extensions.append(_load_extension(point))
        except PaddockError as error:
            broken.append(_make_broken_extension(point, error))
        except Exception as error:  # noqa: BLE001 - whatever it is, it hides no other extension
            reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
            fault = ManifestError(f"cannot be read: {reason}", where=str(point.metadata_directory))
            broken.append(_make_broken_extension(point, fault))
    return Discovery(tuple(extensions), tuple(broken))


def _make_broken_extension(point: ExtensionEntryPoint, problem: PaddockError) -> BrokenExtension:
    place = Path(problem.where) if problem.where else point.metadata_directory
    name = point.name or point.distribution
    return BrokenExtension(name, "distribution", place, problem, point.version, point.distribution)


def _load_extension(point: ExtensionEntryPoint) -> Extension:
    kept = _extension_cache.get(point)
    if kept is not None and _get_file_state(kept[0][0]) == kept[0]:
        return kept[1]
    manifest = _locate_manifest(point)
    state = _get_file_state(manifest)
    extension = read_extension(
        manifest.parent, point.name, "distribution", point.version, point.distribution
    )
    if state is not None:
        _extension_cache[point] = (state, extension)
    return extension


def _get_file_state(manifest: Path) -> tuple[Path, int, int] | None:
    try:
        status = manifest.stat()
    except OSError:
        return None
    return manifest, status.st_mtime_ns, status.st_size


def _locate_manifest(point: ExtensionEntryPoint) -> Path:
    """Where the manifest of a distribution is."""
    where = str(point.metadata_directory / ENTRY_POINTS_FILE_NAME)
    if not is_valid_name(point.name):
        raise ManifestError(
            f"the entry point in {ENTRY_POINT_GROUP} is called {point.name!r}",
            where=where,
            hint="expected a name of letters, digits, '_', '-', '.' and ' '",
        )
    if not _MODULE_NAME_PATTERN.fullmatch(point.value):
        raise ManifestError(
            f"the entry point {point.name!r} in {ENTRY_POINT_GROUP} is {point.value!r}",
            where=where,
            hint=f"expected the name of the package that holds {MANIFEST_FILE_NAME}",
        )
    beside = Path(point.metadata_directory.parent, *point.value.split("."), MANIFEST_FILE_NAME)
    if beside.is_file():
        return beside
    from paddock.extensions.editable_installs import find_editable_packages  # noqa: PLC0415 - few installs are editable

    for directory in find_editable_packages(point.metadata_directory, point.value):
        if (directory / MANIFEST_FILE_NAME).is_file():
            return directory / MANIFEST_FILE_NAME
    raise ExtensionNotFoundError(
        f"the distribution {point.distribution!r} is installed without the manifest of its "
        f"extension {point.name!r}",
        where=where,
        hint=f"expected {beside}; its build has to include that file",
    )
