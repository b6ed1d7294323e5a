"""What a target is, by the way it is written: a path, or a name.

Python of the working directory must not be run because it has the name of an extension, so a path
counts only where it is written as one.

Servers by themselves: one of the user's, a definition file, or one that an extension brings.

`validate`: what a target is, and everything that is wrong with it.
"""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.errors import LoadError, PaddockError
from paddock.extensions.discovery import discover, discover_extension
from paddock.extensions.errors import ExtensionError
from paddock.extensions.extension import MANIFEST_FILE_NAME, get_built_in_extension
from paddock.extensions.names import normalize_distribution_name, parse_qualified_name
from paddock.extensions.paclets.archives import PACLET_SUFFIX as PACLET
from paddock.extensions.paclets.files import PacletDirectory
from paddock.extensions.paclets.info import PACLET_INFO_FILE_NAMES
from paddock.extensions.references import is_reference
from paddock.extensions.registry import create_installed_registry
from paddock.named_servers.names import DEFINITION_SUFFIX as DEFINITION
from paddock.named_servers.sources import find_source, make_file_source
from paddock.validation.definitions import check_definitions, check_single_item
from paddock.validation.findings import FindingCollector, FindingLocation, Validation
from paddock.validation.items import LoadedDefinition
from paddock.validation.servers import LISTED_KINDS, check_assembly, check_item_lists
from paddock.validation.sources import (
    PROJECT_FILE,
    is_project_directory,
    load_broken_subject,
    load_installed_subject,
    load_package_subject,
    load_paclet_subject,
    load_project_subjects,
    load_wheel_subjects,
)
from paddock.validation.subject import ValidationSubject

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paddock.extensions.extension import BrokenExtension, Discovery, Extension
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.registry import DeclaredItem
    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.sources import DefinitionSource


WHEEL_SUFFIX = ".whl"
_PATH_SUFFIXES = (WHEEL_SUFFIX, PACLET, DEFINITION, *PACLET_INFO_FILE_NAMES)
_PATH_PREFIXES = ("./", "../", "~")


def is_path_target(target: str | Path) -> bool:
    """Whether a target is meant as a path, be there anything or not.

    A text is when it begins with `.`, `/` or `~`, ends with a slash, or has the ending of a file
    that can be validated.
    """
    if isinstance(target, Path):
        return True
    text = target.replace(os.sep, "/")
    return (
        text in (".", "..")
        or text.startswith(_PATH_PREFIXES)
        or text.endswith(("/", *_PATH_SUFFIXES))
        or Path(target).is_absolute()
    )


def find_in_working_directory(name: str) -> Path | None:
    """What there is in the working directory under a name, and is not looked at for it."""
    path = Path(name)
    try:
        return path if path.exists() else None
    except (OSError, ValueError):
        return None


HARMLESS_CODES = ("duplicate-definition-files",)
"""Errors of an extension that keep nothing of it from being served."""


def validate_source(target: str, source: DefinitionSource, *, is_static: bool) -> Validation:
    """Everything that is wrong with the server that is defined somewhere."""
    if source.extension_item is not None:
        return _validate_extension_server(target, source.extension_item, is_static=is_static)
    file = source.file
    files = PacletDirectory(file.parent)
    subject = ValidationSubject(
        get_built_in_extension(), files, MANIFEST_FILE_NAME, is_static, is_user_server=True
    )
    place = FindingLocation(str(file))
    found: ServerDefinition | None = None
    try:
        found = source.read()
    except PaddockError as error:
        subject.findings.add_error("invalid-server", error, place)
    if found is not None:
        definition = LoadedDefinition("servers", found, file.name, place)
        with redirect_stdout(sys.stderr):
            check_item_lists(found, definition, subject)
            _check_listed_items(found, subject)
            check_assembly(found, definition, subject)
    name = source.name if found is None else found.name
    return _create_server_validation(target, name, found, subject, str(file))


def _validate_extension_server(
    target: str, declared: DeclaredItem, *, is_static: bool
) -> Validation:
    findings, extension = FindingCollector(), declared.extension
    subject = load_installed_subject(extension, findings, is_static=is_static)
    found: ServerDefinition | None = None
    if subject is not None:
        with subject.enable_imports():
            checked = check_single_item(subject, "servers", declared.item)
            if checked is not None:
                found, definition = checked
                _check_listed_items(found, subject)
                check_assembly(found, definition, subject)
    else:
        subject = ValidationSubject(
            extension, PacletDirectory(extension.directory), "", is_static, findings=findings
        )
    return _create_server_validation(
        target, declared.name, found, subject, str(_get_definition_path(declared))
    )


def _check_listed_items(server: ServerDefinition, subject: ValidationSubject) -> None:
    """Check the definitions of what a server names, in whichever extension they are."""
    for kind in LISTED_KINDS:
        for spec in getattr(server, kind):
            declared = _find_declared_item(kind, spec, subject)
            if declared is None or declared.extension.is_built_in:
                continue
            if declared.extension.name == subject.extension.name:
                check_single_item(subject, kind, declared.item)
            else:
                _check_foreign_item(declared, subject)


def _find_declared_item(
    kind: ItemKind, spec: object, subject: ValidationSubject
) -> DeclaredItem | None:
    if not isinstance(spec, str) or is_reference(spec):
        return None
    try:
        return create_installed_registry().find_item(kind, spec, subject.extension)
    except PaddockError:
        return None  # has been told of


def _check_foreign_item(declared: DeclaredItem, subject: ValidationSubject) -> None:
    """Check an item of another extension: what keeps it from being served is the server's fault."""
    other = load_installed_subject(
        declared.extension, FindingCollector(), is_static=subject.is_static
    )
    if other is None:
        return
    other.findings = FindingCollector()
    with other.enable_imports():
        check_single_item(other, declared.kind, declared.item)
    subject.python_files += [one for one in other.python_files if one not in subject.python_files]
    for one in other.findings.to_tuple():
        if one.severity == "error" and one.code not in HARMLESS_CODES:
            subject.findings.add(one.code, one.message, one.place, one.remedy)


def _get_definition_path(declared: DeclaredItem) -> Path:
    """The file with the definition; where it is missing, the directory of the extension."""
    try:
        return declared.definition().path
    except PaddockError:
        return declared.extension.directory


def _create_server_validation(
    target: str, name: str, found: ServerDefinition | None, subject: ValidationSubject, place: str
) -> Validation:
    return Validation(
        target,
        "server",
        subject.findings.to_tuple(),
        (name,),
        _get_spec_names(found.tools if found else ()),
        _get_spec_names(found.prompts if found else ()),
        _get_spec_names(found.resources if found else ()),
        python_files=tuple(subject.python_files),
        is_static=subject.is_static,
        places=(place,),
    )


def _get_spec_names(specs: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(_get_spec_name, specs))


def _get_spec_name(spec: Any) -> str:
    """What an element of a list is called."""
    if isinstance(spec, str):
        return spec
    given = spec.get("name", spec.get("Name")) if hasattr(spec, "get") else None
    return str(given or getattr(spec, "name", None) or getattr(spec, "__name__", repr(spec)))


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
    found = _validate_by_name(text, is_static=static) or _validate_server(
        text, other, is_static=static
    )
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
            extensions=tuple(
                one for one in everything.extensions if _belongs_to_distribution(name, one)
            ),
            broken=tuple(one for one in everything.broken if _belongs_to_distribution(name, one)),
        )
    if not found.extensions and not found.broken:
        return None
    return _validate_installed(name, found, is_static=is_static)


def _belongs_to_distribution(distribution: str, one: Extension | BrokenExtension) -> bool:
    known = one.distribution
    return known is not None and normalize_distribution_name(known) == normalize_distribution_name(
        distribution
    )


def _validate_installed(name: str, found: Discovery, *, is_static: bool) -> Validation:
    findings = FindingCollector()
    kinds = {*(one.kind for one in found.extensions), *(one.kind for one in found.broken)}
    kind = "paclet" if "paclet" in kinds else "distribution"
    subjects = [
        load_installed_subject(one, findings, is_static=is_static) for one in found.extensions
    ]
    subjects += [load_broken_subject(one, findings, is_static=is_static) for one in found.broken]
    present = [one for one in subjects if one is not None]
    is_read = is_static or kind == "paclet"
    places = [str(one.directory) for one in found.extensions]
    places += [str(one.place) for one in found.broken]
    return _validate_subjects(name, kind, present, findings, tuple(places), is_static=is_read)
