"""Distributions: what their entry points lead to, in a project, a wheel, or where installed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.extensions.distributions import (
    ENTRY_POINT_GROUP,
    MAX_ENTRY_POINTS_BYTES,
    parse_distribution_name,
    parse_entry_points,
)
from paddock.extensions.extension import BUILT_IN_EXTENSION_NAME, MANIFEST_FILE_NAME, Extension, format_extension_name
from paddock.extensions.manifest import MAX_MANIFEST_BYTES, is_valid_name
from paddock.extensions.paclets.archives import ArchiveError, open_archive
from paddock.extensions.paclets.files import PackedPaclet, PacletDirectory
from paddock.extensions.properties import shorten_repr
from paddock.validation.finding import FindingLocation
from paddock.validation.manifests import check_manifest
from paddock.validation.projects import read_project_metadata
from paddock.validation.subject import ValidationSubject

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.extensions.extension import ExtensionKind
    from paddock.extensions.paclets.files import PacletFiles
    from paddock.validation.finding import FindingCollector

_MODULE_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_ENTRY_POINTS_SUFFIX = "/entry_points.txt"
_PACKAGE_FOLDERS = ("src/", "")
_ENTRY_POINTS_PATH = re.compile(r"[^/]+\.dist-info/entry_points\.txt")
_METADATA_PATH = re.compile(r"[^/]+\.dist-info/METADATA")


class DistributionSource(NamedTuple):
    """What is known of a distribution before its manifests are read."""

    files: PacletFiles
    is_static: bool
    package_folders: tuple[str, ...] = ("",)
    """The folders in which its packages may be, each with a slash in the end."""
    name: str | None = None
    version: str | None = None
    kind: ExtensionKind = "distribution"


def load_project_subjects(directory: Path, findings: FindingCollector, *, is_static: bool) -> list[ValidationSubject]:
    """The extensions of a project, which is to be built into a distribution."""
    project = read_project_metadata(directory, findings)
    if project is None:
        return []
    layouts = (*_PACKAGE_FOLDERS, *(f"{one.name}/" for one in sorted(directory.glob("[!.]*/"))))
    files = PacletDirectory(directory)
    one = DistributionSource(files, is_static, layouts, project.name, project.version)
    points = project.entry_points or _guess_entry_points(one)
    where = str(project.file)
    subjects = [_load_entry_point(one, key, value, where, findings) for key, value in points.items()]
    return [subject for subject in subjects if subject is not None]


def load_wheel_subjects(path: Path, findings: FindingCollector) -> list[ValidationSubject]:
    """The extensions in a wheel, which is neither unpacked nor installed."""
    try:
        files = PackedPaclet(path, prefix="")
        with open_archive(path) as archive:
            everything = list(archive.files)
        names = [one for one in everything if _ENTRY_POINTS_PATH.fullmatch(one)]
        texts = [files.read_file(one, MAX_ENTRY_POINTS_BYTES).decode("utf-8", "replace") for one in names]
    except ArchiveError as error:
        findings.add_error("invalid-archive", error, str(path))
        return []
    except LoadError as error:
        findings.add_error("invalid-entry-point", error, str(path))
        return []
    _check_wheel_metadata(path, everything, findings)
    found: list[ValidationSubject] = []
    has_any = False
    for name, text in zip(names, texts, strict=True):
        metadata = name.removesuffix(_ENTRY_POINTS_SUFFIX)
        version = metadata.removesuffix(".dist-info").partition("-")[2] or None
        one = DistributionSource(files, is_static=True, name=parse_distribution_name(metadata), version=version)
        points = parse_entry_points(text)
        has_any = has_any or bool(points)
        for key, value in points:
            subject = _load_entry_point(one, key, value, str(path / name), findings)
            found += [] if subject is None else [subject]
    if not has_any:
        remedy = "declare it in pyproject.toml, and build the wheel again"
        findings.add("no-entry-point", f"has no entry point in {ENTRY_POINT_GROUP}", str(path), remedy)
    return found


def _check_wheel_metadata(path: Path, names: list[str], findings: FindingCollector) -> None:
    """Tell of a wheel that no installer takes, for want of what says what it is."""
    found = [one for one in names if _METADATA_PATH.fullmatch(one)]
    if len(found) != 1:
        said = "has no METADATA" if not found else f"has several: {', '.join(found)}"
        remedy = "a wheel has one .dist-info directory, with METADATA in it; build it again"
        findings.add("invalid-archive", said, str(path), remedy)


def load_package_subject(
    directory: Path,
    name: str,
    findings: FindingCollector,
    *,
    is_static: bool,
    like: Extension | None = None,
) -> ValidationSubject | None:
    """The extension whose manifest is in the directory of a package; `like` is how it is known."""
    one = DistributionSource(
        PacletDirectory(directory.parent),
        is_static,
        name=None if like is None else like.distribution,
        version=None if like is None else like.version,
        kind="distribution" if like is None else like.kind,
    )
    return _load_package(one, name, f"{directory.name}/{MANIFEST_FILE_NAME}", "", findings)


def _guess_entry_points(one: DistributionSource) -> dict[str, object]:
    """The packages of a project that have a manifest, by the name of the project."""
    found: dict[str, object] = {}
    for layout in _PACKAGE_FOLDERS:
        for place in sorted((one.files.path / layout).glob(f"*/{MANIFEST_FILE_NAME}")):
            found.setdefault(one.name or place.parent.name, place.parent.name)
    return found


def _load_entry_point(
    one: DistributionSource, name: str, value: object, where: str, findings: FindingCollector
) -> ValidationSubject | None:
    place = FindingLocation(where, key=name)
    if not is_valid_name(name):
        findings.add(
            "invalid-entry-point",
            f"the entry point in {ENTRY_POINT_GROUP} is called {name!r}",
            place,
            "expected a name of letters, digits, '_', '-', '.' and ' '",
        )
        return None
    if not isinstance(value, str) or not _MODULE_NAME.fullmatch(value):
        findings.add(
            "invalid-entry-point",
            f"the entry point {name!r} in {ENTRY_POINT_GROUP} is {shorten_repr(value)}",
            place,
            f"expected the name of the package that holds {MANIFEST_FILE_NAME}",
        )
        return None
    folder = value.replace(".", "/")
    for layout in one.package_folders:
        if one.files.has_file(f"{layout}{folder}/{MANIFEST_FILE_NAME}"):
            found = _load_package(one, name, f"{layout}{folder}/{MANIFEST_FILE_NAME}", layout, findings)
            if found is not None and found.extension.name == BUILT_IN_EXTENSION_NAME:
                findings.add(
                    "invalid-entry-point",
                    f"the extension is called {BUILT_IN_EXTENSION_NAME!r}, as Paddock's own is",
                    place,
                    "call it something else, or give it a publisher",
                )
            return found
    findings.add(
        "missing-manifest",
        f"there is no {MANIFEST_FILE_NAME} in the package {value!r}",
        place,
        f"expected {one.files.path / one.package_folders[0] / folder / MANIFEST_FILE_NAME}",
    )
    return None


def _load_package(
    one: DistributionSource, package: str, manifest: str, packages: str, findings: FindingCollector
) -> ValidationSubject | None:
    path = one.files.path / manifest
    try:
        data = one.files.read_file(manifest, MAX_MANIFEST_BYTES)
    except LoadError as error:
        findings.add_error("unreadable-manifest", error, str(path))
        return None
    found = check_manifest(data, str(path), findings)
    if found is None:
        return None
    name = format_extension_name(package, found.publisher)
    extension = Extension(name, path.parent, found, one.kind, one.version, one.name)
    return ValidationSubject(
        extension, one.files, manifest, one.is_static, package_folder=packages, findings=findings
    )
