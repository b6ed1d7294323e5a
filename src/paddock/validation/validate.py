"""`validate`: find the target by path or name, and check everything in it.

A string is a path only if it is written as one, such as `./charts`. Otherwise, `validate("charts")`
would run Python from the working directory if that happened to contain a directory of that name.
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
from paddock.extensions.extension import (
    MANIFEST_FILE_NAME,
    Discovery,
    get_built_in_extension,
    is_from_distribution,
)
from paddock.extensions.manifest import LISTED_KINDS
from paddock.extensions.names import parse_qualified_name
from paddock.extensions.paclets.files import DirectoryFiles
from paddock.extensions.paclets.search_paths import PACLET_INFO_FILE_NAMES, PACLET_SUFFIX
from paddock.extensions.references import is_reference
from paddock.extensions.registry import InstalledItemRegistry
from paddock.named_servers.names import DEFINITION_SUFFIX
from paddock.named_servers.sources import find_source, make_file_source
from paddock.validation.definitions import check_definitions, check_single_item
from paddock.validation.findings import FindingCollector, FindingLocation, Validation
from paddock.validation.items import LoadedDefinition
from paddock.validation.servers import check_item_lists, check_server_build
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

    from paddock.extensions.extension import BrokenExtension, Extension
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.registry import DeclaredItem
    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.sources import DefinitionSource


WHEEL_SUFFIX = ".whl"
_PATH_SUFFIXES = (WHEEL_SUFFIX, PACLET_SUFFIX, DEFINITION_SUFFIX, *PACLET_INFO_FILE_NAMES)
_PATH_PREFIXES = ("./", "../", "~")


def is_path_target(target: str | Path) -> bool:
    """Return whether a validation target is a path, which need not exist, rather than a name.

    A string is a path if it begins with `./`, `../`, `/` or `~`, ends with a slash, or has the
    suffix of a file type that can be validated, such as `.whl`.
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
    """Return the path in the working directory that has the target's name, for a hint."""
    path = Path(name)
    return path if _path_exists(path) else None


def _path_exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


HARMLESS_CODES = ("duplicate-definition-files",)
"""Extension errors that do not prevent its items from being served."""


def validate_source(target: str, source: DefinitionSource, *, is_static: bool) -> Validation:
    """Validate a server definition from a file or extension, and the items that it lists.

    Args:
        target: The target that the user passed, for the result.
        source: The location of the server definition.
        is_static: Run no code; Python files are only parsed.
    """
    if source.extension_item is not None:
        return _validate_extension_server(target, source.extension_item, is_static=is_static)
    file = source.file
    files = DirectoryFiles(file.parent)
    subject = ValidationSubject(
        get_built_in_extension(), files, MANIFEST_FILE_NAME, is_static, is_user_server=True
    )
    location = FindingLocation(str(file))
    server: ServerDefinition | None = None
    try:
        server = source.read()
    except PaddockError as error:
        subject.findings.add_error("invalid-server", error, location)
    if server is not None:
        definition = LoadedDefinition("servers", server, file.name, location)
        # Importing definitions may print, and standard output is for the report.
        with redirect_stdout(sys.stderr):
            check_item_lists(server, definition, subject)
            _check_listed_items(server, subject)
            check_server_build(server, definition, subject)
    name = source.name if server is None else server.name
    return _create_server_validation(target, name, server, subject, str(file))


def _validate_extension_server(
    target: str, declared: DeclaredItem, *, is_static: bool
) -> Validation:
    """Validate one server of an installed extension, and the items that the server lists.

    The extension's other items are not validated. If the extension itself cannot be read, the
    result contains only the findings that explain why.
    """
    findings, extension = FindingCollector(), declared.extension
    subject = load_installed_subject(extension, findings, is_static=is_static)
    server: ServerDefinition | None = None
    if subject is not None:
        with subject.enable_imports():
            result = check_single_item(subject, "servers", declared.item)
            if result is not None:
                server, definition = result
                _check_listed_items(server, subject)
                check_server_build(server, definition, subject)
    else:
        subject = ValidationSubject(
            extension, DirectoryFiles(extension.directory), "", is_static, findings=findings
        )
    return _create_server_validation(
        target, declared.name, server, subject, str(_get_definition_path(declared))
    )


def _check_listed_items(server: ServerDefinition, subject: ValidationSubject) -> None:
    """Check the definitions of the tools and other items that a server lists by name.

    They can belong to the server's own extension or to another installed one. Built-in items are
    not checked.
    """
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
    """Return the extension item that is named by an element of a server's item list.

    Returns None if the name is unknown, or if the element is not a name but an inline definition or
    a reference to Python code.
    """
    if not isinstance(spec, str) or is_reference(spec):
        return None
    try:
        return InstalledItemRegistry().find_item(kind, spec, subject.extension)
    except PaddockError:
        # `check_item_lists` reports unknown names.
        return None


def _check_foreign_item(declared: DeclaredItem, subject: ValidationSubject) -> None:
    """Check an item that a server uses from another extension.

    Errors are added to the server's findings, because the server lacks an item that cannot be
    loaded. Warnings are omitted because they concern the authors of the other extension.
    """
    foreign_subject = load_installed_subject(
        declared.extension, FindingCollector(), is_static=subject.is_static
    )
    if foreign_subject is None:
        return
    # Discard the manifest findings: problems with other items do not affect this server.
    foreign_subject.findings = FindingCollector()
    with foreign_subject.enable_imports():
        check_single_item(foreign_subject, declared.kind, declared.item)
    subject.python_files += [
        file for file in foreign_subject.python_files if file not in subject.python_files
    ]
    for finding in foreign_subject.findings.errors:
        if finding.code not in HARMLESS_CODES:
            subject.findings.add(finding.code, finding.message, finding.place, finding.remedy)


def _get_definition_path(declared: DeclaredItem) -> Path:
    """Return the definition file, or the extension's directory if the file is missing."""
    try:
        return declared.definition().path
    except PaddockError:
        return declared.extension.directory


def _create_server_validation(
    target: str, name: str, server: ServerDefinition | None, subject: ValidationSubject, place: str
) -> Validation:
    """Return the validation result for a server.

    If the definition could not be read, the result lists no tools or other items.
    """
    return Validation(
        target,
        "server",
        subject.findings.to_tuple(),
        (name,),
        tuple(map(_get_spec_name, server.tools if server else ())),
        tuple(map(_get_spec_name, server.prompts if server else ())),
        tuple(map(_get_spec_name, server.resources if server else ())),
        python_files=tuple(subject.python_files),
        is_static=subject.is_static,
        places=(place,),
    )


def _get_spec_name(spec: Any) -> str:
    """Return the name of an item in a server's list, which can be a reference, table or object."""
    if isinstance(spec, str):
        return spec
    name = spec.get("name", spec.get("Name")) if hasattr(spec, "get") else None
    return str(name or getattr(spec, "name", None) or getattr(spec, "__name__", repr(spec)))


_TARGET_HINT = (
    "pass a directory as in ./charts, a .whl, a .paclet, a definition file, or the name of an "
    "installed extension or server"
)


def validate(target: str | Path, *, static: bool = False) -> Validation:
    """Find all problems in an extension or server, and list its contents.

    Trust level: inspection. Python definitions in directories and installed extensions are run,
    along with everything that they import. Wheels and paclets are read without running any code.

    Args:
        target: The directory of a project, package or paclet; a wheel; a paclet archive; a server
            definition file; or the name of an installed extension or server. A string is a path
            only if it is written as one: `./charts`, not `charts`.
        static: Run no code; Python files are only parsed.

    Raises:
        LoadError: The target does not exist.
        ExtensionError: The target is an item of an extension that is not installed or does not
            declare the item.
    """
    text = str(target)
    if is_path_target(target):
        path = Path(target).expanduser()
        if not _path_exists(path):
            raise LoadError(f"there is no file or directory {text!r}", hint=_TARGET_HINT)
        return _validate_path(text, path.absolute(), is_static=static)
    # A path with the same name is only mentioned in the result, in case the user meant that.
    same_name_path = find_in_working_directory(text) if text else None
    validation = _validate_by_name(text, is_static=static) or _validate_server(
        text, same_name_path, is_static=static
    )
    if same_name_path is None or str(same_name_path.absolute()) in validation.places:
        return validation
    return replace(validation, beside=str(same_name_path))


def _validate_server(name: str, same_name_path: Path | None, *, is_static: bool) -> Validation:
    """Validate a server by name. Called by `validate` if no extension has that name.

    Args:
        name: The server name, optionally qualified with its extension.
        same_name_path: A path with this name in the working directory, for the error hint.
        is_static: Run no code; Python files are only parsed.

    Raises:
        LoadError: No server has the name either.
    """
    try:
        source = find_source(name)
    except PaddockError as error:
        is_qualified = parse_qualified_name(name) is not None
        # The error for a qualified name is more precise than "neither a path nor …".
        if isinstance(error, ExtensionError) and is_qualified and same_name_path is None:
            raise
        if same_name_path is not None:
            hint = f"to validate {same_name_path} here, write ./{same_name_path.as_posix()}"
        else:
            hint = error.hint or _TARGET_HINT
        message = f"{name!r} is neither a path nor an installed extension nor a server"
        raise LoadError(error.message if is_qualified else message, hint=hint) from None
    return validate_source(name, source, is_static=is_static)


def _validate_path(text: str, path: Path, *, is_static: bool) -> Validation:
    """Validate the paclet, wheel, project, package or server definition at a path.

    The path of a manifest or project file refers to the directory that contains it.
    """
    if path.name in (*PACLET_INFO_FILE_NAMES, PROJECT_FILE, MANIFEST_FILE_NAME):
        path = path.parent
    suffix = "" if path.is_dir() else path.suffix
    if suffix == DEFINITION_SUFFIX:
        return validate_source(text, make_file_source(path), is_static=is_static)
    findings, kind = FindingCollector(), "distribution"
    subjects: Sequence[ValidationSubject | None] = []
    if suffix == PACLET_SUFFIX or any((path / name).is_file() for name in PACLET_INFO_FILE_NAMES):
        kind, is_static = "paclet", True
        subjects = [load_paclet_subject(path, findings)]
    elif suffix == WHEEL_SUFFIX:
        is_static = True
        subjects = load_wheel_subjects(path, findings)
    elif is_project_directory(path):
        subjects = load_project_subjects(path, findings, is_static=is_static)
    elif (path / MANIFEST_FILE_NAME).is_file():
        subjects = [load_package_subject(path, path.name, findings, is_static=is_static)]
    elif path.is_dir():
        findings.add(
            "no-extension",
            f"there is no {PROJECT_FILE}, {MANIFEST_FILE_NAME} or {PACLET_INFO_FILE_NAMES[0]}",
            str(path),
            "pass the directory of a project or a paclet; paddock new extension creates a project",
        )
    else:
        raise LoadError(f"{text!r} cannot be validated", hint=_TARGET_HINT)
    return _validate_subjects(text, kind, subjects, findings, (str(path),), is_static=is_static)


def _validate_subjects(
    text: str,
    kind: str,
    loaded_subjects: Iterable[ValidationSubject | None],
    findings: FindingCollector,
    places: tuple[str, ...],
    *,
    is_static: bool,
) -> Validation:
    """Check the definitions of extensions whose manifests have been read, and build the result.

    Args:
        text: The target that the user passed.
        kind: `distribution` or `paclet`.
        loaded_subjects: The extensions of the target, with None for each unreadable one.
        findings: The findings about all extensions. The checks add theirs.
        places: The paths of the validated files or directories.
        is_static: True if no code of the target is run.
    """
    subjects = [subject for subject in loaded_subjects if subject is not None]
    extensions = [subject.extension for subject in subjects]
    for subject in subjects:
        # A server may refer to other extensions that are built from the same project.
        subject.siblings = {
            extension.name: extension
            for extension in extensions
            if extension.name != subject.extension.name
        }
        with subject.enable_imports():
            check_definitions(subject)
    files = tuple(file for subject in subjects for file in subject.python_files)
    return Validation(
        text,
        kind,
        findings.to_tuple(),
        _list_declared_names(extensions, "servers"),
        _list_declared_names(extensions, "tools"),
        _list_declared_names(extensions, "prompts"),
        _list_declared_names(extensions, "resources"),
        python_files=files,
        is_static=is_static,
        places=places,
    )


def _list_declared_names(extensions: Iterable[Extension], kind: ItemKind) -> tuple[str, ...]:
    return tuple(
        f"{extension.name}/{item.name}"
        for extension in extensions
        for item in extension.manifest.get_items(kind)
    )


def _validate_by_name(name: str, *, is_static: bool) -> Validation | None:
    """Validate the installed extension with a name.

    If no extension has the name, it can be the name of an installed distribution. In that case, all
    of its extensions are validated.

    Returns:
        The result, or None if no installed extension matches.
    """

    def is_in_distribution(extension: Extension | BrokenExtension) -> bool:
        return is_from_distribution(extension, name)

    discovery = discover_extension(name)
    if not any(discovery):
        installed = discover()
        discovery = Discovery(
            tuple(filter(is_in_distribution, installed.extensions)),
            tuple(filter(is_in_distribution, installed.broken)),
        )
    return _validate_installed(name, discovery, is_static=is_static) if any(discovery) else None


def _validate_installed(name: str, discovery: Discovery, *, is_static: bool) -> Validation:
    """Validate the installed extensions in a discovery result, including broken ones.

    Args:
        name: The target that the user passed.
        discovery: The extensions that could be loaded and those that could not.
        is_static: Run no code; Python files are only parsed.
    """
    findings = FindingCollector()
    kinds = {extension.kind for extension in discovery.extensions}
    kinds |= {extension.kind for extension in discovery.broken}
    kind = "paclet" if "paclet" in kinds else "distribution"
    subjects = [
        load_installed_subject(extension, findings, is_static=is_static)
        for extension in discovery.extensions
    ]
    subjects += [
        load_broken_subject(extension, findings, is_static=is_static)
        for extension in discovery.broken
    ]
    places = [str(extension.directory) for extension in discovery.extensions]
    places += [str(extension.place) for extension in discovery.broken]
    is_static = is_static or kind == "paclet"
    return _validate_subjects(name, kind, subjects, findings, tuple(places), is_static=is_static)
