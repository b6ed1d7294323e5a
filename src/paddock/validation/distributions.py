"""Distributions: what their entry points lead to, in a project, a wheel, or where installed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.extensions.distributions import (
    GROUP,
    MAX_ENTRY_POINTS,
    normal_name,
    parse_entry_points,
)
from paddock.extensions.extension import BUILT_IN, MANIFEST_NAME, Extension, qualified
from paddock.extensions.manifest import MAX_MANIFEST, is_name
from paddock.extensions.paclets.archives import ArchiveError, opened
from paddock.extensions.paclets.files import ArchiveFiles, DirectoryFiles
from paddock.extensions.properties import shown
from paddock.validation.finding import Place
from paddock.validation.manifests import check_manifest
from paddock.validation.projects import read_project
from paddock.validation.subject import Subject

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.extensions.extension import ExtensionKind
    from paddock.extensions.paclets.files import PacletFiles
    from paddock.validation.finding import Findings

_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_POINTS = "/entry_points.txt"
_LAYOUTS = ("src/", "")
_ENTRY_POINTS = re.compile(r"[^/]+\.dist-info/entry_points\.txt")
_METADATA = re.compile(r"[^/]+\.dist-info/METADATA")


class Distribution(NamedTuple):
    """What is known of a distribution before its manifests are read."""

    files: PacletFiles
    is_static: bool
    layouts: tuple[str, ...] = ("",)
    """The folders in which its packages may be, each with a slash in the end."""
    name: str | None = None
    version: str | None = None
    kind: ExtensionKind = "distribution"


def project_subjects(directory: Path, findings: Findings, *, is_static: bool) -> list[Subject]:
    """The extensions of a project, which is to be built into a distribution."""
    project = read_project(directory, findings)
    if project is None:
        return []
    layouts = (*_LAYOUTS, *(f"{one.name}/" for one in sorted(directory.glob("[!.]*/"))))
    files = DirectoryFiles(directory)
    one = Distribution(files, is_static, layouts, project.name, project.version)
    points = project.points or _guessed(one)
    where = str(project.file)
    subjects = [_subject(one, key, value, where, findings) for key, value in points.items()]
    return [subject for subject in subjects if subject is not None]


def wheel_subjects(path: Path, findings: Findings) -> list[Subject]:
    """The extensions in a wheel, which is neither unpacked nor installed."""
    try:
        files = ArchiveFiles(path, prefix="")
        with opened(path) as archive:
            everything = list(archive.files)
        names = [one for one in everything if _ENTRY_POINTS.fullmatch(one)]
        texts = [files.read(one, MAX_ENTRY_POINTS).decode("utf-8", "replace") for one in names]
    except ArchiveError as error:
        findings.add_error("invalid-archive", error, str(path))
        return []
    except LoadError as error:
        findings.add_error("invalid-entry-point", error, str(path))
        return []
    _check_metadata(path, everything, findings)
    found: list[Subject] = []
    has_any = False
    for name, text in zip(names, texts, strict=True):
        metadata = name.removesuffix(_POINTS)
        version = metadata.removesuffix(".dist-info").partition("-")[2] or None
        one = Distribution(files, is_static=True, name=normal_name(metadata), version=version)
        points = parse_entry_points(text)
        has_any = has_any or bool(points)
        for key, value in points:
            subject = _subject(one, key, value, str(path / name), findings)
            found += [] if subject is None else [subject]
    if not has_any:
        remedy = "declare it in pyproject.toml, and build the wheel again"
        findings.add("no-entry-point", f"has no entry point in {GROUP}", str(path), remedy)
    return found


def _check_metadata(path: Path, names: list[str], findings: Findings) -> None:
    """Tell of a wheel that no installer takes, for want of what says what it is."""
    found = [one for one in names if _METADATA.fullmatch(one)]
    if len(found) != 1:
        said = "has no METADATA" if not found else f"has several: {', '.join(found)}"
        remedy = "a wheel has one .dist-info directory, with METADATA in it; build it again"
        findings.add("invalid-archive", said, str(path), remedy)


def package_subject(
    directory: Path,
    name: str,
    findings: Findings,
    *,
    is_static: bool,
    like: Extension | None = None,
) -> Subject | None:
    """The extension whose manifest is in the directory of a package; `like` is how it is known."""
    one = Distribution(
        DirectoryFiles(directory.parent),
        is_static,
        name=None if like is None else like.distribution,
        version=None if like is None else like.version,
        kind="distribution" if like is None else like.kind,
    )
    return _read(one, name, f"{directory.name}/{MANIFEST_NAME}", "", findings)


def _guessed(one: Distribution) -> dict[str, object]:
    """The packages of a project that have a manifest, by the name of the project."""
    found: dict[str, object] = {}
    for layout in _LAYOUTS:
        for place in sorted((one.files.place / layout).glob(f"*/{MANIFEST_NAME}")):
            found.setdefault(one.name or place.parent.name, place.parent.name)
    return found


def _subject(
    one: Distribution, name: str, value: object, where: str, findings: Findings
) -> Subject | None:
    place = Place(where, key=name)
    if not is_name(name):
        findings.add(
            "invalid-entry-point",
            f"the entry point in {GROUP} is called {name!r}",
            place,
            "expected a name of letters, digits, '_', '-', '.' and ' '",
        )
        return None
    if not isinstance(value, str) or not _MODULE.fullmatch(value):
        findings.add(
            "invalid-entry-point",
            f"the entry point {name!r} in {GROUP} is {shown(value)}",
            place,
            f"expected the name of the package that holds {MANIFEST_NAME}",
        )
        return None
    folder = value.replace(".", "/")
    for layout in one.layouts:
        if one.files.has(f"{layout}{folder}/{MANIFEST_NAME}"):
            found = _read(one, name, f"{layout}{folder}/{MANIFEST_NAME}", layout, findings)
            if found is not None and found.extension.name == BUILT_IN:
                findings.add(
                    "invalid-entry-point",
                    f"the extension is called {BUILT_IN!r}, as Paddock's own is",
                    place,
                    "call it something else, or give it a publisher",
                )
            return found
    findings.add(
        "missing-manifest",
        f"there is no {MANIFEST_NAME} in the package {value!r}",
        place,
        f"expected {one.files.place / one.layouts[0] / folder / MANIFEST_NAME}",
    )
    return None


def _read(
    one: Distribution, package: str, manifest: str, packages: str, findings: Findings
) -> Subject | None:
    path = one.files.place / manifest
    try:
        data = one.files.read(manifest, MAX_MANIFEST)
    except LoadError as error:
        findings.add_error("unreadable-manifest", error, str(path))
        return None
    found = check_manifest(data, str(path), findings)
    if found is None:
        return None
    name = qualified(package, found.publisher)
    extension = Extension(name, path.parent, found, one.kind, one.version, one.name)
    return Subject(
        extension, one.files, manifest, one.is_static, packages=packages, findings=findings
    )
