"""What a project says of the distribution that is to be built of it, in any of its files.

Distributions: what their entry points lead to, in a project, a wheel, or where installed.

What a paclet says about itself, read to its end: each part that cannot be is a finding.

Extensions that are installed, also those that cannot be used.
"""

from __future__ import annotations

import re
from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.extensions.data_formats import parse_toml
from paddock.extensions.distributions import (
    ENTRY_POINT_GROUP,
    MAX_ENTRY_POINTS_BYTES,
    parse_distribution_name,
    parse_entry_points,
)
from paddock.extensions.errors import ManifestError
from paddock.extensions.extension import (
    BUILT_IN_EXTENSION_NAME,
    MANIFEST_FILE_NAME,
    Extension,
    format_extension_name,
)
from paddock.extensions.manifest import MAX_MANIFEST_BYTES, is_valid_name
from paddock.extensions.paclets.archives import ArchiveError, open_archive
from paddock.extensions.paclets.files import PackedPaclet, PacletDirectory, open_paclet_files
from paddock.extensions.paclets.info import (
    AGENT_TOOLS_EXTENSION,
    ITEM_LISTS,
    PACLET_INFO_FILE_NAMES,
    parse_paclet_info,
)
from paddock.extensions.paclets.paclet import make_paclet_extension
from paddock.extensions.properties import shorten_repr
from paddock.validation.findings import FindingLocation, find_line
from paddock.validation.manifests import check_item_names, check_manifest, report_unknown_key
from paddock.validation.subject import ValidationSubject

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from paddock.extensions.extension import BrokenExtension, ExtensionKind
    from paddock.extensions.paclets.files import PacletFiles
    from paddock.extensions.paclets.info import MalformedItem, PacletInfo
    from paddock.validation.findings import FindingCollector


PROJECT_FILE = "pyproject.toml"
SETUP_FILE = "setup.cfg"
SETUP_SCRIPT = "setup.py"
_ENTRY_POINT_REMEDY = (
    f'add [project.entry-points."{ENTRY_POINT_GROUP}"] with NAME = "PACKAGE" to {PROJECT_FILE}'
)


class ProjectMetadata(NamedTuple):
    """What is known of a project."""

    file: Path
    """The file that says which extensions there are, or should."""
    entry_points: Mapping[str, object]
    """The entry points in our group."""
    name: str | None = None
    version: str | None = None


def is_project_directory(directory: Path) -> bool:
    """Whether a directory is that of a project."""
    return any((directory / name).is_file() for name in (PROJECT_FILE, SETUP_FILE, SETUP_SCRIPT))


def read_project_metadata(directory: Path, findings: FindingCollector) -> ProjectMetadata | None:
    """What a project says; None after telling that it cannot be read."""
    found = ProjectMetadata(directory / PROJECT_FILE, {})
    try:
        if found.file.is_file():
            found = _read_pyproject(found.file)
        if not found.entry_points and (directory / SETUP_FILE).is_file():
            found = _read_setup_cfg(directory / SETUP_FILE, found)
    except (OSError, ValueError, ConfigError) as error:
        reason = LoadError(f"cannot be read: {error}", hint="mend it there")
        findings.add_error("unreadable-manifest", reason, str(found.file))
        return None
    if found.entry_points:
        return found
    if (directory / SETUP_SCRIPT).is_file():
        findings.add(
            "unread-entry-points",
            "is not run, so nothing is known of the entry points in it",
            str(directory / SETUP_SCRIPT),
            f"{_ENTRY_POINT_REMEDY}, or validate the wheel",
        )
    else:
        message = f"has no entry point in {ENTRY_POINT_GROUP}"
        findings.add("no-entry-point", message, str(found.file), _ENTRY_POINT_REMEDY)
    return found


def _read_pyproject(file: Path) -> ProjectMetadata:
    table = parse_toml(file.read_bytes())
    points = _get_nested(table, "project", "entry-points", ENTRY_POINT_GROUP)
    points = points or _get_nested(table, "tool", "poetry", "plugins", ENTRY_POINT_GROUP)
    name, version = _get_nested(table, "project", "name"), _get_nested(table, "project", "version")
    return ProjectMetadata(
        file,
        points if isinstance(points, dict) else {},
        name if isinstance(name, str) else None,
        version if isinstance(version, str) else None,
    )


def _read_setup_cfg(file: Path, known: ProjectMetadata) -> ProjectMetadata:
    """The same with what the older file says, which setuptools reads too."""
    said = ConfigParser(interpolation=None)
    said.read_string(file.read_text(encoding="utf-8-sig"), str(file))
    lines = said.get("options.entry_points", ENTRY_POINT_GROUP, fallback="").splitlines()
    pairs = [line.partition("=") for line in map(str.strip, lines) if line and line[0] not in "#;"]
    points = {name.strip(): value.strip() for name, _, value in pairs}
    name = known.name or said.get("metadata", "name", fallback=None)
    version = known.version or said.get("metadata", "version", fallback=None)
    return ProjectMetadata(file if points else known.file, points, name, version)


def _get_nested(table: object, *keys: str) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


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


def load_project_subjects(
    directory: Path, findings: FindingCollector, *, is_static: bool
) -> list[ValidationSubject]:
    """The extensions of a project, which is to be built into a distribution."""
    project = read_project_metadata(directory, findings)
    if project is None:
        return []
    layouts = (*_PACKAGE_FOLDERS, *(f"{one.name}/" for one in sorted(directory.glob("[!.]*/"))))
    files = PacletDirectory(directory)
    one = DistributionSource(files, is_static, layouts, project.name, project.version)
    points = project.entry_points or _guess_entry_points(one)
    where = str(project.file)
    subjects = [
        _load_entry_point(one, key, value, where, findings) for key, value in points.items()
    ]
    return [subject for subject in subjects if subject is not None]


def load_wheel_subjects(path: Path, findings: FindingCollector) -> list[ValidationSubject]:
    """The extensions in a wheel, which is neither unpacked nor installed."""
    try:
        files = PackedPaclet(path, prefix="")
        with open_archive(path) as archive:
            everything = list(archive.files)
        names = [one for one in everything if _ENTRY_POINTS_PATH.fullmatch(one)]
        texts = [
            files.read_file(one, MAX_ENTRY_POINTS_BYTES).decode("utf-8", "replace") for one in names
        ]
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
        one = DistributionSource(
            files, is_static=True, name=parse_distribution_name(metadata), version=version
        )
        points = parse_entry_points(text)
        has_any = has_any or bool(points)
        for key, value in points:
            subject = _load_entry_point(one, key, value, str(path / name), findings)
            found += [] if subject is None else [subject]
    if not has_any:
        remedy = "declare it in pyproject.toml, and build the wheel again"
        findings.add(
            "no-entry-point", f"has no entry point in {ENTRY_POINT_GROUP}", str(path), remedy
        )
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
            found = _load_package(
                one, name, f"{layout}{folder}/{MANIFEST_FILE_NAME}", layout, findings
            )
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


PACLET_KEYS = ("Root", *ITEM_LISTS)
_KEY_BY_KIND = {kind: key for key, kind in ITEM_LISTS.items()}
_ITEM_FORMS_HINT = (
    'expected "Name", {"Name", "Description"} or <| "Name" -> …, … |>, with a name of letters,'
    " digits, '_', '-', '.' and ' '"
)


def load_paclet_subject(place: Path, findings: FindingCollector) -> ValidationSubject | None:
    """The extension in the directory or archive of a paclet; None when there is none."""
    try:
        files = open_paclet_files(place)
    except ArchiveError as error:
        findings.add_error("invalid-archive", error, str(place))
        return None
    name = next(filter(files.has_file, PACLET_INFO_FILE_NAMES), None)
    if name is None:
        remedy = "a paclet has that file at its top"
        findings.add("missing-manifest", "there is no PacletInfo.wl", str(place), remedy)
        return None
    info = _read_paclet_info(files, name, findings)
    extension = None if info is None else make_paclet_extension(info, files)
    if info is None or extension is None:
        return None
    subject = ValidationSubject(extension, files, name, is_static=True, findings=findings)
    text = subject.read_text(name)
    for one in info.malformed_items:
        _report_malformed_item(one, extension.manifest.get_items(one.kind), subject)
    for key in extension.manifest.extra:
        report_unknown_key(
            key,
            PACLET_KEYS,
            FindingLocation(subject.get_path(name), find_line(text, key), key=key),
            findings,
        )
    check_item_names(extension.manifest, subject.get_path(name), findings)
    _check_paclet_info(info, subject)
    return None if info.problem is not None else subject


def _check_paclet_info(info: PacletInfo, subject: ValidationSubject) -> None:
    """Tell of what concerns the whole paclet."""
    findings, file = subject.findings, subject.get_path(subject.manifest)
    if info.problem is not None:
        findings.add_error("invalid-value", info.problem, FindingLocation(file, key="Root"))
    if info.extra_declarations:
        findings.add(
            "duplicate-extension",
            f'there are {info.extra_declarations + 1} "{AGENT_TOOLS_EXTENSION}" extensions, of which the first counts',
            FindingLocation(file, key="Extensions"),
            "put everything into one",
        )
    if info.version is None:
        odd = info.invalid_version
        message = "has no version" if odd is None else f"Version is {odd}, which is no string"
        remedy = 'add "Version" -> "1.0.0"' if odd is None else 'write "Version" -> "1.0.0"'
        findings.add("missing-version", message, file, remedy)


def _read_paclet_info(
    files: PacletFiles, name: str, findings: FindingCollector
) -> PacletInfo | None:
    """What the file says; None when it is not to be understood, or declares nothing for us."""
    path = str(files.path / name)
    try:
        info = parse_paclet_info(files.read_file(name, MAX_MANIFEST_BYTES), path)
    except ManifestError as error:
        findings.add_error("invalid-value", error, path)
        return None
    except LoadError as error:
        code = "invalid-archive" if isinstance(error, ArchiveError) else "unreadable-manifest"
        findings.add_error(code, error, path)
        return None
    if info.manifest is None:
        remedy = f'expected "Extensions" -> {{{{"{AGENT_TOOLS_EXTENSION}", "Tools" -> {{…}}, …}}}}'
        message = f'the paclet {info.name!r} has no "{AGENT_TOOLS_EXTENSION}" extension'
        findings.add("no-extension", message, path, remedy)
    return info


def _report_malformed_item(
    one: MalformedItem, items: tuple[object, ...], subject: ValidationSubject
) -> None:
    key, path = _KEY_BY_KIND[one.kind], subject.get_path(subject.manifest)
    if not one.position:
        subject.findings.add(
            "invalid-value",
            f"is {one.value_text}",
            FindingLocation(path, key=key),
            "expected a list: {…}",
        )
        return
    place = FindingLocation(path, key=f"{key}[[{one.position}]]")
    names = {shorten_repr(getattr(item, "name", "")) for item in items}
    if one.value_text in names:
        message = f"{one.value_text} is declared twice"
        subject.findings.add("duplicate-item", message, place, "keep one of them")
    else:
        subject.findings.add("invalid-item", f"is {one.value_text}", place, _ITEM_FORMS_HINT)


_FINDING_CODES = {
    "extension-not-found": "missing-manifest",
    "invalid-manifest": "invalid-entry-point",
}
"""What is wrong when it is not in the manifest, by the code of the error."""


def load_installed_subject(
    extension: Extension, findings: FindingCollector, *, is_static: bool
) -> ValidationSubject | None:
    """An installed extension, its manifest read anew."""
    if extension.kind == "paclet":
        return load_paclet_subject(extension.directory, findings)
    package = extension.name.rpartition("/")[2]
    return load_package_subject(
        extension.directory, package, findings, is_static=is_static, like=extension
    )


def load_broken_subject(
    one: BrokenExtension, findings: FindingCollector, *, is_static: bool
) -> ValidationSubject | None:
    """What there is of an extension that cannot be used; why is told in any case."""
    before = len(findings.to_tuple())
    subject, place = None, one.place
    if one.kind == "paclet":
        home = place.parent if place.name in PACLET_INFO_FILE_NAMES else place
        subject = load_paclet_subject(home, findings) if home.exists() else None
    elif place.name == MANIFEST_FILE_NAME:
        subject = load_package_subject(place.parent, one.name, findings, is_static=is_static)
    if not any(finding.severity == "error" for finding in findings.to_tuple()[before:]):
        code = _FINDING_CODES.get(one.problem.code, "broken-extension")
        findings.add_error(code, one.problem, str(place))
    return subject
