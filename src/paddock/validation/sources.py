"""Loading the extensions to validate: from projects, wheels, paclets or installed packages.

Discovery stops at the first problem of an extension. Loading for validation reports every problem
as a finding, and continues with the rest.
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
    """Declarations of extensions in a project's configuration files."""

    file: Path
    """The file that declares the extensions, or should."""
    entry_points: Mapping[str, object]
    """The entry points in Paddock's group."""
    name: str | None = None
    version: str | None = None


def is_project_directory(directory: Path) -> bool:
    """Return whether a directory is the root of a Python project."""
    return any((directory / name).is_file() for name in (PROJECT_FILE, SETUP_FILE, SETUP_SCRIPT))


def read_project_metadata(directory: Path, findings: FindingCollector) -> ProjectMetadata | None:
    """Return a project's metadata, or None after reporting that it cannot be read.

    A project without entry points is reported too, but its metadata is returned, so that its
    manifests can still be checked.
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
    """Return the metadata in `pyproject.toml`, which may have no entry points."""
    table = parse_toml(file.read_bytes())
    points = _get_nested(table, "project", "entry-points", ENTRY_POINT_GROUP)
    # Poetry projects may declare entry points in their own table.
    points = points or _get_nested(table, "tool", "poetry", "plugins", ENTRY_POINT_GROUP)
    name, version = _get_nested(table, "project", "name"), _get_nested(table, "project", "version")
    return ProjectMetadata(
        file,
        points if isinstance(points, dict) else {},
        name if isinstance(name, str) else None,
        version if isinstance(version, str) else None,
    )


def _read_setup_cfg(file: Path, metadata: ProjectMetadata) -> ProjectMetadata:
    """Return the metadata, completed from setup.cfg, which setuptools reads too."""
    # Interpolation is disabled, as in setuptools. Otherwise, "%" in a description would fail.
    config = ConfigParser(interpolation=None)
    config.read_string(file.read_text(encoding="utf-8-sig"), str(file))
    lines = config.get("options.entry_points", ENTRY_POINT_GROUP, fallback="").splitlines()
    pairs = [line.partition("=") for line in map(str.strip, lines) if line and line[0] not in "#;"]
    points = {name.strip(): value.strip() for name, _, value in pairs}
    name = metadata.name or config.get("metadata", "name", fallback=None)
    version = metadata.version or config.get("metadata", "version", fallback=None)
    return ProjectMetadata(file if points else metadata.file, points, name, version)


def _get_nested(table: object, *keys: str) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


_ENTRY_POINTS_SUFFIX = "/entry_points.txt"
_PACKAGE_FOLDERS = ("src/", "")
_ENTRY_POINTS_PATH = re.compile(r"[^/]+\.dist-info/entry_points\.txt")
_METADATA_PATH = re.compile(r"[^/]+\.dist-info/METADATA")


class DistributionSource(NamedTuple):
    """Facts about a distribution that are known before its manifests are read."""

    files: ExtensionFiles
    findings: FindingCollector
    """Receives the problems."""
    is_static: bool
    package_folders: tuple[str, ...] = ("",)
    """Folders that may contain its packages, each with a trailing slash."""
    name: str | None = None
    version: str | None = None
    kind: ExtensionKind = "distribution"


def load_project_subjects(
    directory: Path, findings: FindingCollector, *, is_static: bool
) -> list[ValidationSubject | None]:
    """Return the extensions of a project directory, with None for each that cannot be read."""
    project = read_project_metadata(directory, findings)
    if project is None:
        return []
    layouts = (
        *_PACKAGE_FOLDERS,
        *(f"{folder.name}/" for folder in sorted(directory.glob("[!.]*/"))),
    )
    files = DirectoryFiles(directory)
    source = DistributionSource(files, findings, is_static, layouts, project.name, project.version)
    points = project.entry_points or _guess_entry_points(source)
    return [
        _load_entry_point(source, name, value, str(project.file)) for name, value in points.items()
    ]


def load_wheel_subjects(path: Path, findings: FindingCollector) -> list[ValidationSubject | None]:
    """Return the extensions in a wheel, with None for each that cannot be read.

    The wheel is neither unpacked nor installed.
    """
    try:
        files = ArchiveFiles(path, prefix="")
        entry_points = {
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
    if not any(entry_points.values()):
        message = f"has no entry point in {ENTRY_POINT_GROUP}"
        remedy = "declare it in pyproject.toml, and build the wheel again"
        findings.add("no-entry-point", message, str(path), remedy)
    subjects: list[ValidationSubject | None] = []
    for file_name, points in entry_points.items():
        metadata_folder = file_name.removesuffix(_ENTRY_POINTS_SUFFIX)
        source = DistributionSource(
            files,
            findings,
            is_static=True,
            name=parse_distribution_name(metadata_folder),
            version=metadata_folder.removesuffix(".dist-info").partition("-")[2] or None,
        )
        where = str(path / file_name)
        subjects += [_load_entry_point(source, name, value, where) for name, value in points]
    return subjects


def _check_wheel_metadata(path: Path, names: list[str], findings: FindingCollector) -> None:
    """Report a wheel without exactly one METADATA file, which no installer accepts."""
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
    """Return the extension in a package directory, or None if its manifest cannot be read.

    Args:
        directory: The directory of the package, which contains the manifest.
        name: The name of the extension without its publisher.
        findings: Receives the problems.
        is_static: Run nothing.
        installed: The installed extension, for metadata that is not in the manifest.
    """
    source = DistributionSource(
        DirectoryFiles(directory.parent),
        findings,
        is_static,
        name=None if installed is None else installed.distribution,
        version=None if installed is None else installed.version,
        kind="distribution" if installed is None else installed.kind,
    )
    return _load_package(source, name, f"{directory.name}/{MANIFEST_FILE_NAME}", "")


def _guess_entry_points(source: DistributionSource) -> dict[str, object]:
    """Return the packages with a manifest in a project without entry points."""
    entry_points: dict[str, object] = {}
    for layout in _PACKAGE_FOLDERS:
        for manifest in sorted((source.files.path / layout).glob(f"*/{MANIFEST_FILE_NAME}")):
            package = manifest.parent.name
            entry_points.setdefault(source.name or package, package)
    return entry_points


def _load_entry_point(
    source: DistributionSource, name: str, value: object, where: str
) -> ValidationSubject | None:
    """Return the extension of an entry point, or None after reporting why it cannot be read.

    Args:
        source: The distribution.
        name: The name of the entry point.
        value: The value of the entry point, which should be a package.
        where: The file that declares it, for findings.
    """
    location = FindingLocation(where, key=name)
    if not is_valid_name(name):
        message = f"the entry point in {ENTRY_POINT_GROUP} has the name {name!r}"
        remedy = "expected a name of letters, digits, '_', '-', '.' and ' '"
        source.findings.add("invalid-entry-point", message, location, remedy)
        return None
    if not isinstance(value, str) or not is_dotted_name(value):
        message = f"the entry point {name!r} in {ENTRY_POINT_GROUP} is {shorten_repr(value)}"
        remedy = f"expected the name of the package with {MANIFEST_FILE_NAME}"
        source.findings.add("invalid-entry-point", message, location, remedy)
        return None
    manifest = f"{value.replace('.', '/')}/{MANIFEST_FILE_NAME}"
    # Build backends may map packages to any folder, so the usual ones are tried first.
    for folder in source.package_folders:
        if source.files.has_file(folder + manifest):
            subject = _load_package(source, name, folder + manifest, folder)
            if subject is not None and subject.extension.name == BUILT_IN_EXTENSION_NAME:
                message = f"the extension name {BUILT_IN_EXTENSION_NAME!r} is reserved for Paddock"
                remedy = "rename it, or set a publisher"
                source.findings.add("invalid-entry-point", message, location, remedy)
            return subject
    message = f"there is no {MANIFEST_FILE_NAME} in the package {value!r}"
    remedy = f"expected {source.files.path / source.package_folders[0] / manifest}"
    source.findings.add("missing-manifest", message, location, remedy)
    return None


def _load_package(
    source: DistributionSource, package: str, manifest_file: str, package_folder: str
) -> ValidationSubject | None:
    """Read a manifest, and return its extension, or None if the manifest cannot be read.

    Args:
        source: The distribution.
        package: The name of the extension without its publisher.
        manifest_file: The manifest, relative to the files of the distribution.
        package_folder: The folder of the distribution's packages, with a trailing slash.
    """
    path = source.files.path / manifest_file
    try:
        data = source.files.read_file(manifest_file, MAX_MANIFEST_BYTES)
    except LoadError as error:
        source.findings.add_error("unreadable-manifest", error, str(path))
        return None
    manifest = check_manifest(data, str(path), source.findings)
    if manifest is None:
        return None
    name = format_extension_name(package, manifest.publisher)
    return ValidationSubject(
        Extension(name, path.parent, manifest, source.kind, source.version, source.name),
        source.files,
        manifest_file,
        source.is_static,
        package_folder=package_folder,
        findings=source.findings,
    )


PACLET_KEYS = ("Root", *ITEM_LISTS)
_KEY_BY_KIND = {kind: key for key, kind in ITEM_LISTS.items()}
_ITEM_FORMS_HINT = (
    'expected "Name", {"Name", "Description"} or <| "Name" -> …, … |>, with a name of letters,'
    " digits, '_', '-', '.' and ' '"
)


def load_paclet_subject(path: Path, findings: FindingCollector) -> ValidationSubject | None:
    """Return the extension in a paclet's directory or archive, or None.

    Paclets are always validated statically, because Paddock reads paclets without running them.
    """
    try:
        files = open_extension_files(path)
    except ArchiveError as error:
        findings.add_error("invalid-archive", error, str(path))
        return None
    name = find_info_file(files)
    if name is None:
        remedy = "a paclet has this file in its root directory"
        findings.add("missing-manifest", "there is no PacletInfo.wl", str(path), remedy)
        return None
    info = _read_paclet_info(files, name, findings)
    extension = None if info is None else make_paclet_extension(info, files)
    if info is None or extension is None:
        return None
    subject = ValidationSubject(extension, files, name, is_static=True, findings=findings)
    text = subject.read_text(name)
    for malformed_item in info.malformed_items:
        _report_malformed_item(malformed_item, subject)
    for key in extension.manifest.extra:
        location = FindingLocation(subject.get_path(name), find_line(text, key), key=key)
        report_unknown_key(key, PACLET_KEYS, location, findings)
    check_item_names(extension.manifest, subject.get_path(name), findings)
    _check_paclet_info(info, subject)
    return None if info.problem is not None else subject


def _check_paclet_info(info: PacletInfo, subject: ValidationSubject) -> None:
    """Report problems that concern the whole paclet."""
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
    files: ExtensionFiles, name: str, findings: FindingCollector
) -> PacletInfo | None:
    """Return the contents of PacletInfo, or None after reporting that it cannot be read."""
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


def _report_malformed_item(malformed_item: MalformedItem, subject: ValidationSubject) -> None:
    """Report a value in PacletInfo that is not a list, or an element that cannot be used.

    Such an element has another form than an item, or the name of an earlier one.
    """
    key, path = _KEY_BY_KIND[malformed_item.kind], subject.get_path(subject.manifest)
    text = malformed_item.value_text
    if not malformed_item.position:
        location = FindingLocation(path, key=key)
        subject.findings.add("invalid-value", f"is {text}", location, "expected a list: {…}")
        return
    location = FindingLocation(path, key=f"{key}[[{malformed_item.position}]]")
    items = subject.extension.manifest.get_items(malformed_item.kind)
    if text in {shorten_repr(item.name) for item in items}:
        message = f"{text} is declared twice"
        subject.findings.add("duplicate-item", message, location, "keep one of them")
    else:
        subject.findings.add("invalid-item", f"is {text}", location, _ITEM_FORMS_HINT)


_FINDING_CODES = {
    "extension-not-found": "missing-manifest",
    "invalid-manifest": "invalid-entry-point",
}
"""Finding codes for problems outside the manifest, by error code."""


def load_installed_subject(
    extension: Extension, findings: FindingCollector, *, is_static: bool
) -> ValidationSubject | None:
    """Return an installed extension, reading its manifest again to report problems."""
    if extension.kind == "paclet":
        return load_paclet_subject(extension.directory, findings)
    package = extension.name.rpartition("/")[2]
    return load_package_subject(
        extension.directory, package, findings, is_static=is_static, installed=extension
    )


def load_broken_subject(
    extension: BrokenExtension, findings: FindingCollector, *, is_static: bool
) -> ValidationSubject | None:
    """Return what can be read of a broken extension, and report its problem.

    The files are read again, because discovery reports only the first problem. If that finds no
    error, the one from discovery is reported.
    """
    earlier_errors = findings.errors
    subject, place = None, extension.location
    if extension.kind == "paclet":
        directory = place.parent if place.name in PACLET_INFO_FILE_NAMES else place
        subject = load_paclet_subject(directory, findings) if directory.exists() else None
    elif place.name == MANIFEST_FILE_NAME:
        subject = load_package_subject(place.parent, extension.name, findings, is_static=is_static)
    # Reading the files again may have reported the problem more precisely.
    if findings.errors == earlier_errors:
        code = _FINDING_CODES.get(extension.problem.code, "broken-extension")
        findings.add_error(code, extension.problem, str(place))
    return subject
