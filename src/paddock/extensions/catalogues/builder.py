"""Making a catalogue of wheels and paclet archives, which are only read."""

from __future__ import annotations

import hashlib
import os
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from paddock.errors import PaddockError
from paddock.extensions.catalogues.document import CatalogueEntry, validate_entry
from paddock.extensions.distributions import (
    ENTRY_POINT_GROUP,
    ENTRY_POINTS_FILE_NAME,
    MAX_ENTRY_POINTS_BYTES,
    parse_entry_points,
)
from paddock.extensions.errors import CatalogueError, ExtensionNotFoundError, ManifestError
from paddock.extensions.extension import MANIFEST_FILE_NAME, format_extension_name
from paddock.extensions.manifest import MAX_MANIFEST_BYTES, is_valid_name, parse_manifest
from paddock.extensions.paclets.archives import PACLET_SUFFIX as PACLET
from paddock.extensions.paclets.archives import open_archive
from paddock.extensions.paclets.paclet import read_paclet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.extensions.paclets.archives import PacletArchive

WHEEL_SUFFIX = ".whl"
MAX_METADATA_BYTES = 5_000_000
_CHUNK_BYTES = 1 << 20


class CatalogueBuild(NamedTuple):
    """What has been made of some files."""

    entries: list[CatalogueEntry]
    problems: list[PaddockError]
    """Files that cannot be listed, and why."""


def build_catalogue(
    places: Iterable[Path], base_url: str | None = None, *, beside: Path
) -> CatalogueBuild:
    """Entries for the wheels and paclet archives in some directories, or for these files.

    Files that are no extension are told of beside the entries. Trust level: discovery.

    Args:
        places: Directories, or files.
        base_url: Where the files will be, each as it lies in its directory.
        beside: The directory of the catalogue; without a `base_url` the files are named as they
            lie, seen from there.

    Raises:
        CatalogueError: when a place is not there.
    """
    entries: list[CatalogueEntry] = []
    problems: list[PaddockError] = []
    for root, file in _find_files(places):
        try:
            entries += read_entries(file, _make_url(file, root, base_url, beside))
        except PaddockError as error:
            problems.append(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, it hides no other file
            reason = f"cannot be read: {type(error).__name__}: {error}"
            problems.append(ManifestError(reason, where=str(file)))
    entries.sort(key=lambda one: (one.name, one.version, one.file))
    return CatalogueBuild(entries, problems)


def read_entries(file: Path, url: str) -> list[CatalogueEntry]:
    """The extensions in one wheel or paclet archive.

    Raises:
        ExtensionNotFoundError: when there is none.
        PaddockError: when the file or a manifest in it cannot be used.
    """
    found = (
        _read_paclet_entries(file, url) if file.suffix == PACLET else _read_wheel_entries(file, url)
    )
    return [validate_entry(entry, str(file)) for entry in found]


def _make_url(file: Path, root: Path, base_url: str | None, beside: Path) -> str:
    if base_url:
        return f"{base_url.rstrip('/')}/{quote(file.relative_to(root).as_posix())}"
    try:
        return quote(Path(os.path.relpath(file.resolve(), beside.resolve())).as_posix())
    except ValueError:  # on another drive
        return file.resolve().as_uri()


def _find_files(places: Iterable[Path]) -> list[tuple[Path, Path]]:
    found: dict[Path, Path] = {}
    for place in places:
        if place.is_dir():
            inner = (one for one in place.rglob("*") if one.suffix in (WHEEL_SUFFIX, PACLET))
            for one in sorted(inner):
                if one.is_file():
                    found.setdefault(one, place)
        elif place.is_file() and place.suffix in (WHEEL_SUFFIX, PACLET):
            found.setdefault(place, place.parent)
        else:
            raise CatalogueError(
                "is no directory, wheel or paclet archive",
                where=str(place),
                hint="give directories with .whl and .paclet files, or such files",
            )
    return [(root, file) for file, root in found.items()]


def _read_paclet_entries(file: Path, url: str) -> list[CatalogueEntry]:
    paclet = read_paclet(file)
    version = paclet.version
    if version is None:
        raise ManifestError("says no version", where=str(file))
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
    digest, size = _hash_file(file)
    with open_archive(file) as archive:
        metadata = _find_metadata_directory(archive, file)
        points = _read_entry_points(archive, metadata)
        if not points:
            raise ExtensionNotFoundError(
                f"has no entry point in {ENTRY_POINT_GROUP}",
                where=str(file),
                hint="it is no extension",
            )
        said = BytesHeaderParser().parsebytes(
            _read_member(archive, f"{metadata}/METADATA", MAX_METADATA_BYTES)
        )
        name, version = str(said["Name"] or ""), str(said["Version"] or "")
        requires = tuple(map(_unfold_header, said.get_all("Requires-Dist") or ()))
        found = []
        for package, value in points:
            place = f"{value.replace('.', '/')}/{MANIFEST_FILE_NAME}"
            if not is_valid_name(package) or place not in archive.files:
                raise ExtensionNotFoundError(
                    f"holds no {place!r} for the entry point {package!r}",
                    where=str(file),
                    hint="its build has to include that file",
                )
            text = _read_member(archive, place, MAX_MANIFEST_BYTES)
            manifest = parse_manifest(text, f"{file}/{place}")
            found.append(
                CatalogueEntry(
                    name=format_extension_name(package, manifest.publisher),
                    kind="distribution",
                    version=version,
                    distribution=name,
                    url=url,
                    file=file.name,
                    sha256=digest,
                    size=size,
                    manifest=manifest,
                    requires=requires,
                    requires_python=_unfold_header(said["Requires-Python"] or ""),
                    description=_unfold_header(said["Summary"] or "") or None,
                )
            )
    return found


def _unfold_header(text: object) -> str:
    """A header of the metadata, which may have been folded."""
    return " ".join(str(text).split())


def _find_metadata_directory(archive: PacletArchive, file: Path) -> str:
    found = {
        top
        for top, _, rest in (name.partition("/") for name in archive.files)
        if top.endswith(".dist-info") and rest == "METADATA"
    }
    if len(found) != 1:
        raise ManifestError("is no wheel: it has no metadata, or several", where=str(file))
    return found.pop()


def _read_entry_points(archive: PacletArchive, metadata: str) -> list[tuple[str, str]]:
    place = f"{metadata}/{ENTRY_POINTS_FILE_NAME}"
    if place not in archive.files:
        return []
    return parse_entry_points(
        _read_member(archive, place, MAX_ENTRY_POINTS_BYTES).decode("utf-8", "replace")
    )


def _read_member(archive: PacletArchive, name: str, limit: int) -> bytes:
    with archive.open(name) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ManifestError(f"is longer than {limit:,} bytes", where=f"{archive.path}/{name}")
    return data


def _hash_file(file: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    try:
        with file.open("rb") as opened_file:
            while chunk := opened_file.read(_CHUNK_BYTES):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        raise CatalogueError(
            f"cannot be read: {error.strerror or error}", where=str(file)
        ) from None
    return digest.hexdigest(), size
