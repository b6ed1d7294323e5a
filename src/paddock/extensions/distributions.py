"""Discovers Python distributions that are extensions. Trust level: discovery.

Such a distribution has an entry point in the group `paddock.extensions`. Its name is the package in
qualified names; its value is the Python package that contains `paddock.toml`. The directories on
`sys.path` are scanned without `importlib.metadata`: its finders can import code, and loading it
takes longer than the scan. Results are cached until a directory or manifest changes.
"""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from paddock.errors import PaddockError
from paddock.extensions.entry_points import (
    ENTRY_POINT_GROUP,
    ENTRY_POINTS_FILE_NAME,
    list_metadata_directories,
    parse_distribution_name,
    parse_distribution_version,
    read_entry_points,
)
from paddock.extensions.errors import ExtensionNotFoundError, ManifestError
from paddock.extensions.extension import (
    MANIFEST_FILE_NAME,
    BrokenExtension,
    Discovery,
    Extension,
    read_extension,
)
from paddock.extensions.manifest import is_valid_name
from paddock.extensions.names import is_dotted_name, normalize_distribution_name


class ExtensionEntryPoint(NamedTuple):
    """An entry point that declares an installed distribution to be an extension.

    In `entry_points.txt`, it is a line such as `charts = acme_charts` in the section
    `[paddock.extensions]`.
    """

    name: str
    """The name of the extension without its publisher, such as `charts`."""
    value: str
    """The package that contains the manifest, such as `acme_charts`."""
    metadata_directory: Path
    """The `.dist-info` or `.egg-info` directory, next to the distribution's files."""

    @property
    def distribution(self) -> str:
        """The name of the distribution, in lower case with hyphens."""
        return parse_distribution_name(self.metadata_directory.name)

    @property
    def version(self) -> str | None:
        """The version of the distribution, if the directory name contains it."""
        return parse_distribution_version(self.metadata_directory.name)


class _CachedDirectory(NamedTuple):
    modified_ns: int
    entry_points: dict[str, list[ExtensionEntryPoint]]
    """The entry points in the directory, by distribution."""


class _ManifestState(NamedTuple):
    path: Path
    modified_ns: int
    size: int


class _CachedExtension(NamedTuple):
    manifest_state: _ManifestState
    extension: Extension


_directory_cache: dict[str, _CachedDirectory] = {}
_extension_cache: dict[ExtensionEntryPoint, _CachedExtension] = {}


def find_all() -> Discovery:
    """Return the extensions among the installed distributions, in the order of `sys.path`."""
    return _load_extensions(_list_entry_points())


def find_named(name: str) -> Discovery:
    """Find an extension by name, such as `charts` or `acme/charts`.

    Only manifests of distributions with an entry point named `charts` are read. There can be more
    than one, because the publisher is declared in the manifest, not in the entry point.
    """
    package = name.rpartition("/")[2]
    discovery = _load_extensions(
        [entry_point for entry_point in _list_entry_points() if entry_point.name == package]
    )
    return discovery._replace(
        extensions=tuple(extension for extension in discovery.extensions if extension.name == name)
    )


def is_installed(distribution: str) -> bool:
    """Return whether a distribution is installed, even if it is not an extension."""
    return normalize_distribution_name(distribution) in _find_distributions()


def clear_cache() -> None:
    """Discard the cached directories and extensions."""
    _directory_cache.clear()
    _extension_cache.clear()


def _list_entry_points() -> list[ExtensionEntryPoint]:
    """Return the entry points of all installed distributions, in the order of `sys.path`."""
    return list(chain.from_iterable(_find_distributions().values()))


def _find_distributions() -> dict[str, list[ExtensionEntryPoint]]:
    """Return all distributions on `sys.path`, with their extension entry points by name.

    The list is empty for a distribution that is not an extension.
    """
    entry_points_by_distribution: dict[str, list[ExtensionEntryPoint]] = {}
    for path_entry in dict.fromkeys(sys.path):
        for distribution, entry_points in _list_directory_entry_points(Path(path_entry)).items():
            # The first distribution on the path wins, as for imports.
            entry_points_by_distribution.setdefault(distribution, entry_points)
    return entry_points_by_distribution


def _list_directory_entry_points(directory: Path) -> dict[str, list[ExtensionEntryPoint]]:
    """Return the distributions in a directory of `sys.path`, with their extension entry points.

    The result is cached until the directory's modification time changes, which happens when a
    distribution is installed or removed.
    """
    try:
        modified_ns = directory.stat().st_mtime_ns
    except (OSError, ValueError):
        return {}
    path = str(directory.absolute())
    cached = _directory_cache.get(path)
    if cached is None or cached.modified_ns != modified_ns:
        cached = _directory_cache[path] = _CachedDirectory(modified_ns, _scan_directory(path))
    return cached.entry_points


def _scan_directory(directory: str) -> dict[str, list[ExtensionEntryPoint]]:
    """Read the entry points of all distributions in a directory, without the cache."""
    return {
        distribution: [
            ExtensionEntryPoint(name, value, Path(metadata_directory))
            for name, value in read_entry_points(metadata_directory)
        ]
        for distribution, metadata_directory in list_metadata_directories(directory).items()
    }


def _load_extensions(entry_points: list[ExtensionEntryPoint]) -> Discovery:
    """Read the manifests that entry points refer to.

    An extension whose manifest cannot be read is reported as broken, with the reason.
    """
    extensions: list[Extension] = []
    broken: list[BrokenExtension] = []
    for entry_point in entry_points:
        try:
            extensions.append(_load_extension(entry_point))
        except PaddockError as error:
            broken.append(_make_broken_extension(entry_point, error))
        except Exception as error:  # noqa: BLE001 - one broken extension must not hide the others
            reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
            manifest_error = ManifestError(
                f"cannot be read: {reason}", where=str(entry_point.metadata_directory)
            )
            broken.append(_make_broken_extension(entry_point, manifest_error))
    return Discovery(tuple(extensions), tuple(broken))


def _make_broken_extension(
    entry_point: ExtensionEntryPoint, problem: PaddockError
) -> BrokenExtension:
    """Return the report for a distribution whose extension is unusable because of an error."""
    location = Path(problem.where) if problem.where else entry_point.metadata_directory
    name = entry_point.name or entry_point.distribution
    return BrokenExtension(
        name, "distribution", location, problem, entry_point.version, entry_point.distribution
    )


def _load_extension(entry_point: ExtensionEntryPoint) -> Extension:
    """Load the extension that an entry point declares from its manifest, `paddock.toml`.

    The extension is cached until the manifest file changes.

    Raises:
        ManifestError: The entry point or the manifest is invalid.
        ExtensionNotFoundError: There is no manifest.
    """
    cached = _extension_cache.get(entry_point)
    if cached is not None:
        # The manifest is not located again, because that may involve reading several files.
        current_state = _get_manifest_state(cached.manifest_state.path)
        if current_state == cached.manifest_state:
            return cached.extension
    manifest_path = _locate_manifest(entry_point)
    state = _get_manifest_state(manifest_path)
    extension = read_extension(
        manifest_path.parent,
        entry_point.name,
        "distribution",
        entry_point.version,
        entry_point.distribution,
    )
    if state is not None:
        _extension_cache[entry_point] = _CachedExtension(state, extension)
    return extension


def _get_manifest_state(manifest: Path) -> _ManifestState | None:
    try:
        status = manifest.stat()
    except OSError:
        return None
    return _ManifestState(manifest, status.st_mtime_ns, status.st_size)


def _locate_manifest(entry_point: ExtensionEntryPoint) -> Path:
    """Return the path of the manifest in the package that an entry point refers to.

    The package is installed next to the metadata, or in a project directory if the distribution was
    installed with `pip install --editable`.

    Raises:
        ManifestError: The entry point is invalid.
        ExtensionNotFoundError: There is no manifest.
    """
    where = str(entry_point.metadata_directory / ENTRY_POINTS_FILE_NAME)
    if not is_valid_name(entry_point.name):
        raise ManifestError(
            f"the entry point in {ENTRY_POINT_GROUP} has the invalid name {entry_point.name!r}",
            where=where,
            hint="expected a name of letters, digits, '_', '-', '.' and ' '",
        )
    if not is_dotted_name(entry_point.value):
        raise ManifestError(
            f"the entry point {entry_point.name!r} in {ENTRY_POINT_GROUP} is {entry_point.value!r}",
            where=where,
            hint=f"expected the name of the package that contains {MANIFEST_FILE_NAME}",
        )
    expected_path = Path(
        entry_point.metadata_directory.parent, *entry_point.value.split("."), MANIFEST_FILE_NAME
    )
    if expected_path.is_file():
        return expected_path
    # Imported late because it imports ast, csv and urllib, which only editable installs need.
    from paddock.extensions.editable_installs import (  # noqa: PLC0415 - few installs are editable
        find_editable_packages,
    )

    for directory in find_editable_packages(entry_point.metadata_directory, entry_point.value):
        if (directory / MANIFEST_FILE_NAME).is_file():
            return directory / MANIFEST_FILE_NAME
    raise ExtensionNotFoundError(
        f"the distribution {entry_point.distribution!r} is installed without the manifest of its "
        f"extension {entry_point.name!r}",
        where=where,
        hint=f"expected {expected_path}; the build must include this file",
    )
