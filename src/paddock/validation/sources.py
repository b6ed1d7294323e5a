"""Loads the extensions to validate from projects, wheels, paclets or installed packages.

Discovery stops at an extension's first problem. Loading for validation reports every problem as a
finding and continues with the rest.
"""

from __future__ import annotations

import re
from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.extensions.data_formats import parse_toml
from paddock.extensions.entry_points import (
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
from paddock.extensions.names import is_dotted_name
from paddock.extensions.paclets.archives import ArchiveError
from paddock.extensions.paclets.files import ArchiveFiles, DirectoryFiles, open_extension_files
from paddock.extensions.paclets.info import (
    AGENT_TOOLS_EXTENSION,
    ITEM_LISTS,
    find_info_file,
    parse_paclet_info,
)
from paddock.extensions.paclets.paclet import make_paclet_extension
from paddock.extensions.paclets.search_paths import PACLET_INFO_FILE_NAMES
from paddock.extensions.properties import shorten_repr
from paddock.validation.findings import FindingLocation, find_line
from paddock.validation.manifests import check_item_names, check_manifest, report_unknown_key
from paddock.validation.subject import ValidationSubject

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from paddock.extensions.extension import BrokenExtension, ExtensionKind
    from paddock.extensions.paclets.files import ExtensionFiles
    from paddock.extensions.paclets.info import MalformedItem, PacletInfo
    from paddock.validation.findings import FindingCollector


PROJECT_FILE = "pyproject.toml"
SETUP_FILE = "setup.cfg"
SETUP_SCRIPT = "setup.py"
_ENTRY_POINT_REMEDY = (
    f'add [project.entry-points."{ENTRY_POINT_GROUP}"] with NAME = "PACKAGE" to {PROJECT_FILE}'
)


class ProjectMetadata(NamedTuple):
    """The name, version and extensions declared in a Python project's config files."""

    file: Path
    """The file that declares the extensions, or should declare them."""
    entry_points: Mapping[str, object]
    """The entry points in Paddock's entry point group."""
    name: str | None = None
    version: str | None = None


def is_project_directory(directory: Path) -> bool:
    """Return whether a directory is the root of a Python project."""
    return any((directory / name).is_file() for name in (PROJECT_FILE, SETUP_FILE, SETUP_SCRIPT))


def read_project_metadata(directory: Path, findings: FindingCollector) -> ProjectMetadata | None:
    """Read a Python project's metadata, including the entry points that declare its extensions.

    Returns None after reporting that the metadata cannot be read. A project without entry points is
    reported too, but its metadata is returned so that its manifests can still be checked.

    Args:
        directory: The project directory, which contains `pyproject.toml` or `setup.cfg`.
        findings: The collector to which problems are reported.
    """
    metadata = ProjectMetadata(directory / PROJECT_FILE, {})
    try:
        if metadata.file.is_file():
            metadata = _read_pyproject(metadata.file)
        # setuptools reads setup.cfg only for what pyproject.toml does not define.
        if not metadata.entry_points and (directory / SETUP_FILE).is_file():
            metadata = _read_setup_cfg(directory / SETUP_FILE, metadata)
    except (OSError, ValueError, ConfigError) as error:
        reason = LoadError(f"cannot be read: {error}", hint="fix the syntax")
        findings.add_error("unreadable-manifest", reason, str(metadata.file))
        return None
    if metadata.entry_points:
        return metadata
    if (directory / SETUP_SCRIPT).is_file():
        findings.add(
            "unread-entry-points",
            "is not run, so entry points that it declares are unknown",
            str(directory / SETUP_SCRIPT),
            f"{_ENTRY_POINT_REMEDY}, or validate the wheel",
        )
    else:
        message = f"has no entry point in {ENTRY_POINT_GROUP}"
        findings.add("no-entry-point", message, str(metadata.file), _ENTRY_POINT_REMEDY)
    return metadata


def _read_pyproject(file: Path) -> ProjectMetadata:
    """Return the metadata from `pyproject.toml`, which may have no entry points."""
    table = parse_toml(file.read_bytes())
    entry_points = _get_nested(table, "project", "entry-points", ENTRY_POINT_GROUP)
    # Poetry projects may declare entry points in their own table.
    entry_points = entry_points or _get_nested(
        table, "tool", "poetry", "plugins", ENTRY_POINT_GROUP
    )
    name, version = _get_nested(table, "project", "name"), _get_nested(table, "project", "version")
    return ProjectMetadata(
        file,
        entry_points if isinstance(entry_points, dict) else {},
        name if isinstance(name, str) else None,
        version if isinstance(version, str) else None,
    )


def _read_setup_cfg(file: Path, metadata: ProjectMetadata) -> ProjectMetadata:
    """Complete a project's metadata from `setup.cfg`, which setuptools reads too.

    Args:
        file: The path of `setup.cfg`.
        metadata: The metadata from `pyproject.toml`, which takes precedence.
    """
    # Interpolation is disabled, as in setuptools. Otherwise, "%" in a description would fail.
    config = ConfigParser(interpolation=None)
    config.read_string(file.read_text(encoding="utf-8-sig"), str(file))
    lines = config.get("options.entry_points", ENTRY_POINT_GROUP, fallback="").splitlines()
    pairs = [line.partition("=") for line in map(str.strip, lines) if line and line[0] not in "#;"]
    entry_points = {name.strip(): value.strip() for name, _, value in pairs}
    name = metadata.name or config.get("metadata", "name", fallback=None)
    version = metadata.version or config.get("metadata", "version", fallback=None)
    return ProjectMetadata(file if entry_points else metadata.file, entry_points, name, version)


def _get_nested(table: object, *keys: str) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


_ENTRY_POINTS_SUFFIX = "/entry_points.txt"
_PACKAGE_FOLDERS = ("src/", "")
_ENTRY_POINTS_PATH = re.compile(r"[^/]+\.dist-info/entry_points\.txt")
_METADATA_PATH = re.compile(r"[^/]+\.dist-info/METADATA")


class DistributionSource(NamedTuple):
    """A distribution to validate: the facts known before its extension manifests are read.

    A distribution is a project directory, a wheel or an installed package.
    """

    files: ExtensionFiles
    """The directory or archive with its files."""
    findings: FindingCollector
    """The collector to which problems are reported."""
    is_static: bool
    """True if validation must not run any of the distribution's code."""
    package_folders: tuple[str, ...] = ("",)
    """Folders that may contain its packages, such as `src/`, each with a trailing slash."""
    name: str | None = None
    version: str | None = None
    kind: ExtensionKind = "distribution"


def load_project_subjects(
    directory: Path, findings: FindingCollector, *, is_static: bool
) -> list[ValidationSubject | None]:
    """Load the extensions that a project directory declares as entry points.

    Problems are added to the findings. An extension whose manifest cannot be read is None in the
    returned list. With `is_static`, later checks do not run any of the project's code.
    """
    project = read_project_metadata(directory, findings)
    if project is None:
        return []
    # Build backends may map packages to any folder, so all visible folders are searched.
    package_folders = (
        *_PACKAGE_FOLDERS,
        *(f"{folder.name}/" for folder in sorted(directory.glob("[!.]*/"))),
    )
    distribution = DistributionSource(
        DirectoryFiles(directory),
        findings,
        is_static,
        package_folders,
        project.name,
        project.version,
    )
    entry_points = project.entry_points or _guess_entry_points(distribution)
    return [
        _load_entry_point(distribution, name, package, str(project.file))
        for name, package in entry_points.items()
    ]


def load_wheel_subjects(path: Path, findings: FindingCollector) -> list[ValidationSubject | None]:
    """Load the extensions that a wheel declares as entry points.

    The wheel is neither unpacked nor installed. Problems are added to the findings. An extension
    whose manifest cannot be read is None in the returned list.
    """
    try:
        files = ArchiveFiles(path, prefix="")
        entry_points_by_file = {
            name: parse_entry_points(
                files.read_file(name, MAX_ENTRY_POINTS_BYTES).decode("utf-8", "replace")
            )
            for name in files.names
            if _ENTRY_POINTS_PATH.fullmatch(name)
        }
    except ArchiveError as error:
        findings.add_error("invalid-archive", error, str(path))
        return []
    except LoadError as error:
        findings.add_error("invalid-entry-point", error, str(path))
        return []
    _check_wheel_metadata(path, list(files.names), findings)
    if not any(entry_points_by_file.values()):
        message = f"has no entry point in {ENTRY_POINT_GROUP}"
        remedy = "declare it in pyproject.toml, and build the wheel again"
        findings.add("no-entry-point", message, str(path), remedy)
    subjects: list[ValidationSubject | None] = []
    for file_name, entry_points in entry_points_by_file.items():
        metadata_folder = file_name.removesuffix(_ENTRY_POINTS_SUFFIX)
        distribution = DistributionSource(
            files,
            findings,
            is_static=True,
            name=parse_distribution_name(metadata_folder),
            version=metadata_folder.removesuffix(".dist-info").partition("-")[2] or None,
        )
        declaring_file = str(path / file_name)
        subjects += [
            _load_entry_point(distribution, name, package, declaring_file)
            for name, package in entry_points
        ]
    return subjects


def _check_wheel_metadata(path: Path, names: list[str], findings: FindingCollector) -> None:
    """Report a wheel that lacks a unique METADATA file, because no installer accepts it."""
    metadata_files = [name for name in names if _METADATA_PATH.fullmatch(name)]
    if len(metadata_files) != 1:
        message = (
            f"has several METADATA files: {', '.join(metadata_files)}"
            if metadata_files
            else "has no METADATA"
        )
        remedy = "a wheel has one .dist-info directory with METADATA in it; build it again"
        findings.add("invalid-archive", message, str(path), remedy)


def load_package_subject(
    directory: Path,
    name: str,
    findings: FindingCollector,
    *,
    is_static: bool,
    installed: Extension | None = None,
) -> ValidationSubject | None:
    """Load the extension in a package directory, or return None if its manifest is unreadable.

    Args:
        directory: The package directory, which contains the manifest.
        name: The name of the extension without its publisher.
        findings: The collector to which problems are reported.
        is_static: True if validation must not run any of the package's code.
        installed: The installed extension, if any, for metadata that the manifest lacks.
    """
    distribution = DistributionSource(
        DirectoryFiles(directory.parent),
        findings,
        is_static,
        name=None if installed is None else installed.distribution,
        version=None if installed is None else installed.version,
        kind="distribution" if installed is None else installed.kind,
    )
    return _load_package(distribution, name, f"{directory.name}/{MANIFEST_FILE_NAME}", "")


def _guess_entry_points(distribution: DistributionSource) -> dict[str, object]:
    """Return likely entry points for a project that declares none, such as `{"charts": "charts"}`.

    A package that contains a manifest is probably an extension. The entry point is named after the
    project or, failing that, the package.
    """
    entry_points: dict[str, object] = {}
    for folder in _PACKAGE_FOLDERS:
        for manifest in sorted((distribution.files.path / folder).glob(f"*/{MANIFEST_FILE_NAME}")):
            package = manifest.parent.name
            entry_points.setdefault(distribution.name or package, package)
    return entry_points


def _load_entry_point(
    distribution: DistributionSource, name: str, package: object, declaring_file: str
) -> ValidationSubject | None:
    """Load the extension that an entry point declares.

    Args:
        distribution: The distribution that has the entry point.
        name: The name of the entry point.
        package: The entry point value, which should be a dotted package name.
        declaring_file: The file that declares the entry point, for findings.

    Returns:
        The extension, or None after reporting the reason why it cannot be read.
    """
    findings, location = distribution.findings, FindingLocation(declaring_file, key=name)
    if not is_valid_name(name):
        message = f"the entry point in {ENTRY_POINT_GROUP} has the name {name!r}"
        remedy = "expected a name of letters, digits, '_', '-', '.' and ' '"
        findings.add("invalid-entry-point", message, location, remedy)
        return None
    if not isinstance(package, str) or not is_dotted_name(package):
        message = f"the entry point {name!r} in {ENTRY_POINT_GROUP} is {shorten_repr(package)}"
        remedy = f"expected the name of the package with {MANIFEST_FILE_NAME}"
        findings.add("invalid-entry-point", message, location, remedy)
        return None
    manifest = f"{package.replace('.', '/')}/{MANIFEST_FILE_NAME}"
    # The package is in the first folder that contains its manifest.
    for folder in distribution.package_folders:
        if distribution.files.has_file(folder + manifest):
            subject = _load_package(distribution, name, folder + manifest, folder)
            if subject is not None and subject.extension.name == BUILT_IN_EXTENSION_NAME:
                message = f"the extension name {BUILT_IN_EXTENSION_NAME!r} is reserved for Paddock"
                remedy = "rename it, or set a publisher"
                findings.add("invalid-entry-point", message, location, remedy)
            return subject
    message = f"there is no {MANIFEST_FILE_NAME} in the package {package!r}"
    remedy = f"expected {distribution.files.path / distribution.package_folders[0] / manifest}"
    findings.add("missing-manifest", message, location, remedy)
    return None


def _load_package(
    distribution: DistributionSource, name: str, manifest_file: str, package_folder: str
) -> ValidationSubject | None:
    """Read a package's manifest and return its extension for validation.

    Args:
        distribution: The distribution that contains the package.
        name: The name of the extension without its publisher.
        manifest_file: The manifest path within the distribution.
        package_folder: The folder that contains the distribution's packages, with a trailing slash.

    Returns:
        The extension, or None after reporting that the manifest cannot be read.
    """
    path = distribution.files.path / manifest_file
    try:
        manifest_bytes = distribution.files.read_file(manifest_file, MAX_MANIFEST_BYTES)
    except LoadError as error:
        distribution.findings.add_error("unreadable-manifest", error, str(path))
        return None
    manifest = check_manifest(manifest_bytes, str(path), distribution.findings)
    if manifest is None:
        return None
    extension = Extension(
        format_extension_name(name, manifest.publisher),
        path.parent,
        manifest,
        distribution.kind,
        distribution.version,
        distribution.name,
    )
    return ValidationSubject(
        extension,
        distribution.files,
        manifest_file,
        distribution.is_static,
        package_folder=package_folder,
        findings=distribution.findings,
    )


PACLET_KEYS = ("Root", *ITEM_LISTS)
_KEY_BY_KIND = {kind: key for key, kind in ITEM_LISTS.items()}
_ITEM_FORMS_HINT = (
    'expected "Name", {"Name", "Description"} or <| "Name" -> …, … |>, with a name of letters,'
    " digits, '_', '-', '.' and ' '"
)


def load_paclet_subject(path: Path, findings: FindingCollector) -> ValidationSubject | None:
    """Load the extension from a paclet (a Wolfram Language package), a directory or archive.

    The validation is always static, because Paddock reads paclets without running them.

    Returns:
        The extension, or None after reporting the reason why it cannot be read.
    """
    try:
        files = open_extension_files(path)
    except ArchiveError as error:
        findings.add_error("invalid-archive", error, str(path))
        return None
    info_file = find_info_file(files)
    if info_file is None:
        remedy = "a paclet has this file in its root directory"
        findings.add("missing-manifest", "there is no PacletInfo.wl", str(path), remedy)
        return None
    info = _read_paclet_info(files, info_file, findings)
    extension = None if info is None else make_paclet_extension(info, files)
    if info is None or extension is None:
        return None
    subject = ValidationSubject(extension, files, info_file, is_static=True, findings=findings)
    text = subject.read_text(info_file)
    for malformed_item in info.malformed_items:
        _report_malformed_item(malformed_item, subject)
    for key in extension.manifest.extra:
        location = FindingLocation(subject.get_path(info_file), find_line(text, key), key=key)
        report_unknown_key(key, PACLET_KEYS, location, findings)
    check_item_names(extension.manifest, subject.get_path(info_file), findings)
    _check_paclet_info(info, subject)
    return None if info.problem is not None else subject


def _check_paclet_info(info: PacletInfo, subject: ValidationSubject) -> None:
    """Report problems with `PacletInfo.wl` as a whole, such as a missing version."""
    findings, file = subject.findings, subject.get_path(subject.manifest)
    if info.problem is not None:
        findings.add_error("invalid-value", info.problem, FindingLocation(file, key="Root"))
    if info.extra_declarations:
        count = info.extra_declarations + 1
        message = f'{count} "{AGENT_TOOLS_EXTENSION}" extensions; only the first is used'
        location = FindingLocation(file, key="Extensions")
        findings.add("duplicate-extension", message, location, "combine them into one")
    if info.invalid_version is not None:
        message = f"Version is {info.invalid_version}, which is not a string"
        findings.add("missing-version", message, file, 'write "Version" -> "1.0.0"')
    elif info.version is None:
        findings.add("missing-version", "has no version", file, 'add "Version" -> "1.0.0"')


def _read_paclet_info(
    files: ExtensionFiles, info_file: str, findings: FindingCollector
) -> PacletInfo | None:
    """Parse `PacletInfo.wl`, the manifest of a paclet.

    Returns None after reporting that the file cannot be read. A paclet that lacks the extension
    type for agent tools is also reported, but its contents are returned.
    """
    path = str(files.path / info_file)
    try:
        info = parse_paclet_info(files.read_file(info_file, MAX_MANIFEST_BYTES), path)
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


def _report_malformed_item(malformed_item: MalformedItem, subject: ValidationSubject) -> None:
    """Report a malformed item list in `PacletInfo.wl`, or a malformed element of such a list.

    An element is malformed if it does not have the form of an item, such as a tool, or if it has
    the same name as an earlier element.
    """
    key, path = _KEY_BY_KIND[malformed_item.kind], subject.get_path(subject.manifest)
    value_text = malformed_item.value_text
    # Element positions start at 1. Without a position, the list itself is malformed.
    if not malformed_item.position:
        location = FindingLocation(path, key=key)
        subject.findings.add("invalid-value", f"is {value_text}", location, "expected a list: {…}")
        return
    location = FindingLocation(path, key=f"{key}[[{malformed_item.position}]]")
    items = subject.extension.manifest.get_items(malformed_item.kind)
    if value_text in {shorten_repr(item.name) for item in items}:
        message = f"{value_text} is declared twice"
        subject.findings.add("duplicate-item", message, location, "keep one of them")
    else:
        subject.findings.add("invalid-item", f"is {value_text}", location, _ITEM_FORMS_HINT)


_FINDING_CODES = {
    "extension-not-found": "missing-manifest",
    "invalid-manifest": "invalid-entry-point",
}
"""Finding codes for problems outside the manifest, keyed by error code."""


def load_installed_subject(
    extension: Extension, findings: FindingCollector, *, is_static: bool
) -> ValidationSubject | None:
    """Load an installed extension for validation.

    Its manifest is read again because discovery does not report every problem. Returns None if the
    manifest has become unreadable.
    """
    if extension.kind == "paclet":
        return load_paclet_subject(extension.directory, findings)
    package = extension.name.rpartition("/")[2]
    return load_package_subject(
        extension.directory, package, findings, is_static=is_static, installed=extension
    )


def load_broken_subject(
    extension: BrokenExtension, findings: FindingCollector, *, is_static: bool
) -> ValidationSubject | None:
    """Load an installed extension that discovery failed to load, and report its problems.

    The files are read again because discovery reports only the first problem. If no error is found
    this time, the one from discovery is reported.

    Returns:
        The extension, or None if too little of it can be read for further checks.
    """
    earlier_errors = findings.errors
    subject, place = None, extension.place
    if extension.kind == "paclet":
        directory = place.parent if place.name in PACLET_INFO_FILE_NAMES else place
        subject = load_paclet_subject(directory, findings) if directory.exists() else None
    elif place.name == MANIFEST_FILE_NAME:
        subject = load_package_subject(place.parent, extension.name, findings, is_static=is_static)
    # Reading the files again may have already reported the problem more precisely.
    if findings.errors == earlier_errors:
        code = _FINDING_CODES.get(extension.problem.code, "broken-extension")
        findings.add_error(code, extension.problem, str(place))
    return subject
