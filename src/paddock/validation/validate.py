"""`validate`: what a target is, and everything that is wrong with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import LoadError, PaddockError
from paddock.extensions.discovery import discover, discover_extension
from paddock.extensions.errors import ExtensionError
from paddock.extensions.extension import MANIFEST_FILE_NAME
from paddock.extensions.names import normalize_distribution_name, parse_qualified_name
from paddock.extensions.paclets.archives import PACLET_SUFFIX as PACLET
from paddock.extensions.paclets.info import PACLET_INFO_FILE_NAMES
from paddock.servers.file_names import DEFINITION_SUFFIX as DEFINITION
from paddock.servers.lookup import make_file_source, find_source
from paddock.validation.definitions import check_definitions
from paddock.validation.distributions import load_package_subject, load_project_subjects, load_wheel_subjects
from paddock.validation.finding import FindingCollector
from paddock.validation.installed import load_broken_subject, load_installed_subject
from paddock.validation.named_servers import validate_source
from paddock.validation.outcome import Validation
from paddock.validation.paclets import load_paclet_subject
from paddock.validation.projects import PROJECT_FILE, is_project_directory
from paddock.validation.targets import WHEEL_SUFFIX, find_in_working_directory, is_path_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.extensions.extension import BrokenExtension, Discovery, Extension
    from paddock.extensions.manifest import ItemKind
    from paddock.validation.subject import ValidationSubject

_TARGET_HINT = (
    "give a directory as in ./charts, a .whl, a .paclet, a definition file, or the name of what is"
    " installed"
)


def validate(target: str | Path, *, static: bool = False) -> Validation:
    """Find everything that is wrong with an extension or a server, and what it consists of.

    Trust level: inspection. Python definition files of directories and of what is installed are
    run, with what they import; wheels, archives and paclets are read without running anything.

    Args:
        target: The directory of a project, a package or a paclet; a wheel; a paclet archive; a
            file with the definition of a server; or the name of an installed extension or of a
            server. A text is a path when it is written as one: `./charts`, and not `charts`.
        static: Run nothing: of Python files, only what can be read in them is checked.

    Raises:
        LoadError: when there is no such thing.
        ExtensionError: when it is an item of an extension that is not installed, or has no such.
    """
    text = str(target)
    if is_path_target(target):
        path = Path(target).expanduser()
        if not _path_exists(path):
            raise LoadError(f"there is no file or directory {text!r}", hint=_TARGET_HINT)
        return _validate_path(text, path.absolute(), is_static=static)
    other = find_in_working_directory(text) if text else None
    found = _validate_by_name(text, is_static=static) or _validate_server(text, other, is_static=static)
    is_another = other is not None and str(other.absolute()) not in found.places
    return replace(found, beside=str(other)) if is_another else found


def _path_exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _validate_server(name: str, other: Path | None, *, is_static: bool) -> Validation:
    try:
        source = find_source(name)
    except PaddockError as error:
        if other is not None:
            hint = f"there is {other} here: write ./{other.as_posix()} to have it validated"
        else:
            hint = error.hint or _TARGET_HINT
        is_qualified = parse_qualified_name(name) is not None
        message = f"{name!r} is no path, no installed extension and no server"
        if isinstance(error, ExtensionError) and is_qualified and other is None:
            raise
        raise LoadError(error.message if is_qualified else message, hint=hint) from None
    return validate_source(name, source, is_static=is_static)


def _validate_path(text: str, path: Path, *, is_static: bool) -> Validation:
    if path.name in (*PACLET_INFO_FILE_NAMES, PROJECT_FILE, MANIFEST_FILE_NAME):
        path = path.parent
    if path.is_dir():
        return _validate_directory(text, path, is_static=is_static)
    findings = FindingCollector()
    if path.suffix == WHEEL_SUFFIX:
        found = load_wheel_subjects(path, findings)
        place = (str(path),)
        return _validate_subjects(text, "distribution", found, findings, place, is_static=True)
    if path.suffix == PACLET:
        return _validate_paclet(text, path, findings)
    if path.suffix == DEFINITION:
        return validate_source(text, make_file_source(path), is_static=is_static)
    raise LoadError(f"{text!r} is nothing that can be validated", hint=_TARGET_HINT)


def _validate_directory(text: str, path: Path, *, is_static: bool) -> Validation:
    findings = FindingCollector()
    if any((path / name).is_file() for name in PACLET_INFO_FILE_NAMES):
        return _validate_paclet(text, path, findings)
    found: list[ValidationSubject] = []
    if is_project_directory(path):
        found = load_project_subjects(path, findings, is_static=is_static)
    elif (path / MANIFEST_FILE_NAME).is_file():
        subject = load_package_subject(path, path.name, findings, is_static=is_static)
        found = [] if subject is None else [subject]
    else:
        findings.add(
            "no-extension",
            f"there is no {PROJECT_FILE}, {MANIFEST_FILE_NAME} or {PACLET_INFO_FILE_NAMES[0]}",
            str(path),
            "give the directory of a project or a paclet; paddock new extension writes a project",
        )
    place = (str(path),)
    return _validate_subjects(text, "distribution", found, findings, place, is_static=is_static)


def _validate_paclet(text: str, path: Path, findings: FindingCollector) -> Validation:
    subject = load_paclet_subject(path, findings)
    found = [] if subject is None else [subject]
    return _validate_subjects(text, "paclet", found, findings, (str(path),), is_static=True)


def _validate_subjects(
    text: str,
    kind: str,
    subjects: Sequence[ValidationSubject],
    findings: FindingCollector,
    places: tuple[str, ...],
    *,
    is_static: bool,
) -> Validation:
    everything = {one.extension.name: one.extension for one in subjects}
    for subject in subjects:
        subject.siblings = {
            name: one for name, one in everything.items() if name != subject.extension.name
        }
        with subject.enable_imports():
            check_definitions(subject)
    files = tuple(file for one in subjects for file in one.python_files)
    return Validation(
        text,
        kind,
        findings.to_tuple(),
        _list_declared_names(subjects, "servers"),
        _list_declared_names(subjects, "tools"),
        _list_declared_names(subjects, "prompts"),
        _list_declared_names(subjects, "resources"),
        python_files=files,
        is_static=is_static,
        places=places,
    )


def _list_declared_names(subjects: Sequence[ValidationSubject], kind: ItemKind) -> tuple[str, ...]:
    return tuple(
        f"{one.extension.name}/{item.name}"
        for one in subjects
        for item in one.extension.manifest.get_items(kind)
    )


def _validate_by_name(name: str, *, is_static: bool) -> Validation | None:
    """What is installed under the name of an extension or a distribution, if anything."""
    found = discover_extension(name)
    if not found.extensions and not found.broken:
        everything = discover()
        found = everything._replace(
            extensions=tuple(one for one in everything.extensions if _belongs_to_distribution(name, one)),
            broken=tuple(one for one in everything.broken if _belongs_to_distribution(name, one)),
        )
    if not found.extensions and not found.broken:
        return None
    return _validate_installed(name, found, is_static=is_static)


def _belongs_to_distribution(distribution: str, one: Extension | BrokenExtension) -> bool:
    known = one.distribution
    return known is not None and normalize_distribution_name(known) == normalize_distribution_name(distribution)


def _validate_installed(name: str, found: Discovery, *, is_static: bool) -> Validation:
    findings = FindingCollector()
    kinds = {*(one.kind for one in found.extensions), *(one.kind for one in found.broken)}
    kind = "paclet" if "paclet" in kinds else "distribution"
    subjects = [load_installed_subject(one, findings, is_static=is_static) for one in found.extensions]
    subjects += [load_broken_subject(one, findings, is_static=is_static) for one in found.broken]
    present = [one for one in subjects if one is not None]
    is_read = is_static or kind == "paclet"
    places = [str(one.directory) for one in found.extensions]
    places += [str(one.place) for one in found.broken]
    return _validate_subjects(name, kind, present, findings, tuple(places), is_static=is_read)
