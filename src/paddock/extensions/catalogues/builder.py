"""Builds catalogues from wheels and paclet archives. The files are only read, never run."""

from __future__ import annotations

import hashlib
import os
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from paddock.errors import PaddockError
from paddock.extensions.catalogues.document import CatalogueEntry, validate_entry
from paddock.extensions.entry_points import (
    ENTRY_POINT_GROUP,
    ENTRY_POINTS_FILE_NAME,
    MAX_ENTRY_POINTS_BYTES,
    parse_entry_points,
)
from paddock.extensions.errors import CatalogueError, ExtensionNotFoundError, ManifestError
from paddock.extensions.extension import MANIFEST_FILE_NAME, format_extension_name
from paddock.extensions.manifest import MAX_MANIFEST_BYTES, is_valid_name, parse_manifest
from paddock.extensions.paclets.files import ArchiveFiles
from paddock.extensions.paclets.paclet import read_paclet
from paddock.extensions.paclets.search_paths import PACLET_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.extensions.manifest import ExtensionManifest

WHEEL_SUFFIX = ".whl"
MAX_METADATA_BYTES = 5_000_000


class CatalogueBuild(NamedTuple):
    """The catalogue entries created from a set of files."""

    entries: list[CatalogueEntry]
    problems: list[PaddockError]
    """One error for each file that cannot be listed."""


def build_catalogue(
    paths: Iterable[Path], base_url: str | None = None, *, catalogue_directory: Path
) -> CatalogueBuild:
    """Create catalogue entries for the extensions in the given files.

    The files are wheels and paclet archives. Their code is not run (trust level: discovery).

    Args:
        paths: Files, and directories that are searched recursively.
        base_url: The URL where the files will be published, at the same relative paths as in their
            directory. By default, URLs are relative to the catalogue.
        catalogue_directory: The catalogue's directory.

    Raises:
        CatalogueError: A path does not exist.
    """
    entries: list[CatalogueEntry] = []
    problems: list[PaddockError] = []
    for file, root in _find_files(paths).items():
        try:
            entries += read_entries(file, _make_url(file, root, base_url, catalogue_directory))
        except PaddockError as error:
            problems.append(error)
        except Exception as error:  # noqa: BLE001 - one broken file must not hide the others
            reason = f"cannot be read: {type(error).__name__}: {error}"
            problems.append(ManifestError(reason, where=str(file)))
    entries.sort(key=lambda entry: (entry.name, entry.version, entry.file))
    return CatalogueBuild(entries, problems)


def read_entries(file: Path, url: str) -> list[CatalogueEntry]:
    """Return a catalogue entry for each extension in a wheel or paclet archive.

    Args:
        file: The wheel or archive.
        url: The file's URL, to put in the entries.

    Raises:
        ExtensionNotFoundError: The file contains no extension.
        PaddockError: The file or a manifest in it is invalid.
    """
    entries = (
        _read_paclet_entries(file, url)
        if file.suffix == PACLET_SUFFIX
        else _read_wheel_entries(file, url)
    )
    return [validate_entry(entry, str(file)) for entry in entries]


def _make_url(file: Path, root: Path, base_url: str | None, catalogue_directory: Path) -> str:
    """Return the URL to put in a file's catalogue entry.

    Args:
        file: The wheel or paclet archive.
        root: The directory whose contents are published at `base_url`.
        base_url: The URL of that directory, or None for a URL relative to the catalogue.
        catalogue_directory: The directory of the catalogue.
    """
    if base_url:
        return f"{base_url.rstrip('/')}/{quote(file.relative_to(root).as_posix())}"
    try:
        relative_path = os.path.relpath(file.resolve(), catalogue_directory.resolve())
    except ValueError:  # The file is on another drive.
        return file.resolve().as_uri()
    return quote(Path(relative_path).as_posix())


def _find_files(paths: Iterable[Path]) -> dict[Path, Path]:
    """Find the wheels and paclet archives at the given paths.

    Returns:
        Each file, with the given directory that contains it.

    Raises:
        CatalogueError: A path is not a directory, wheel or paclet archive.
    """
    roots_by_file: dict[Path, Path] = {}
    for path in paths:
        if path.is_dir():
            for file in sorted(filter(_is_listed_file, path.rglob("*"))):
                # If more than one directory contains a file, the first is its root.
                roots_by_file.setdefault(file, path)
        elif _is_listed_file(path):
            roots_by_file.setdefault(path, path.parent)
        else:
            raise CatalogueError(
                "is not a directory, wheel or paclet archive",
                where=str(path),
                hint="pass .whl and .paclet files, or directories that contain them",
            )
    return roots_by_file


def _is_listed_file(path: Path) -> bool:
    return path.suffix in (WHEEL_SUFFIX, PACLET_SUFFIX) and path.is_file()


def _read_paclet_entries(file: Path, url: str) -> list[CatalogueEntry]:
    """Return the catalogue entries for a paclet archive, which contains exactly one extension.

    Raises:
        ManifestError: The paclet is invalid or has no version.
    """
    paclet = read_paclet(file)
    version = paclet.version
    if version is None:
        raise ManifestError("has no version", where=str(file))
    digest, size = _hash_file(file)
    return [
        CatalogueEntry(
            name=paclet.name,
            kind="paclet",
            version=version,
            distribution=paclet.name,
            url=url,
            file=file.name,
            sha256=digest,
            size=size,
            manifest=paclet.manifest,
        )
    ]


def _read_wheel_entries(file: Path, url: str) -> list[CatalogueEntry]:
    """Return the catalogue entries for a wheel, one per extension entry point."""
    digest, size = _hash_file(file)
    wheel = ArchiveFiles(file, prefix="")
    metadata = _find_metadata_directory(wheel)
    manifests = _read_manifests(wheel, metadata)
    headers = BytesHeaderParser().parsebytes(
        wheel.read_file(f"{metadata}/METADATA", MAX_METADATA_BYTES)
    )
    return [
        CatalogueEntry(
            name=format_extension_name(package, manifest.publisher),
            kind="distribution",
            version=str(headers["Version"] or ""),
            distribution=str(headers["Name"] or ""),
            url=url,
            file=file.name,
            sha256=digest,
            size=size,
            manifest=manifest,
            requires=tuple(map(_unfold_header, headers.get_all("Requires-Dist") or ())),
            requires_python=_unfold_header(headers["Requires-Python"] or ""),
            description=_unfold_header(headers["Summary"] or "") or None,
        )
        for package, manifest in manifests
    ]


def _read_manifests(wheel: ArchiveFiles, metadata: str) -> list[tuple[str, ExtensionManifest]]:
    """Return the package and manifest of each extension in a wheel.

    The wheel's entry points name the packages that are extensions.

    Args:
        wheel: The wheel's files.
        metadata: Its metadata directory, such as `acme_charts-2.0.dist-info`.

    Raises:
        ExtensionNotFoundError: There is no entry point, or a manifest is missing.
        ManifestError: A manifest is invalid.
    """
    entry_points_file = f"{metadata}/{ENTRY_POINTS_FILE_NAME}"
    entry_points: list[tuple[str, str]] = []
    if wheel.has_file(entry_points_file):
        data = wheel.read_file(entry_points_file, MAX_ENTRY_POINTS_BYTES)
        entry_points = parse_entry_points(data.decode("utf-8", "replace"))
    if not entry_points:
        raise ExtensionNotFoundError(
            f"has no entry point in {ENTRY_POINT_GROUP}",
            where=str(wheel.path),
            hint="it is not an extension",
        )
    manifests = []
    for package, value in entry_points:
        manifest_path = f"{value.replace('.', '/')}/{MANIFEST_FILE_NAME}"
        if not is_valid_name(package) or not wheel.has_file(manifest_path):
            raise ExtensionNotFoundError(
                f"contains no {manifest_path!r} for the entry point {package!r}",
                where=str(wheel.path),
                hint="the build must include this file",
            )
        data = wheel.read_file(manifest_path, MAX_MANIFEST_BYTES)
        manifests.append((package, parse_manifest(data, f"{wheel.path}/{manifest_path}")))
    return manifests


def _unfold_header(text: object) -> str:
    """Join the lines of a folded metadata header."""
    return " ".join(str(text).split())


def _find_metadata_directory(wheel: ArchiveFiles) -> str:
    """Return a wheel's metadata directory, such as `acme_charts-2.0.dist-info`.

    Raises:
        ManifestError: There is no such directory, or more than one.
    """
    directories = [
        directory
        for directory, _, inner_path in (name.partition("/") for name in wheel.names)
        if directory.endswith(".dist-info") and inner_path == "METADATA"
    ]
    if len(directories) != 1:
        problem = f"is not a wheel: expected one METADATA file, found {len(directories)}"
        raise ManifestError(problem, where=str(wheel.path))
    return directories[0]


def _hash_file(file: Path) -> tuple[str, int]:
    """Return a file's hexadecimal SHA-256 hash and its size in bytes."""
    try:
        with file.open("rb") as opened_file:
            digest = hashlib.file_digest(opened_file, "sha256")
            return digest.hexdigest(), opened_file.tell()
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        raise CatalogueError(reason, where=str(file)) from None
