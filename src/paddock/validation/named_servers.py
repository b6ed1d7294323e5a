"""Servers by themselves: one of the user's, a definition file, or one that an extension brings."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from paddock.errors import PaddockError
from paddock.extensions.extension import MANIFEST_FILE_NAME, get_built_in_extension
from paddock.extensions.paclets.files import PacletDirectory
from paddock.extensions.references import is_reference
from paddock.extensions.registry import create_installed_registry
from paddock.validation.definitions import check_single_item
from paddock.validation.finding import FindingCollector, FindingLocation
from paddock.validation.installed import load_installed_subject
from paddock.validation.items import LoadedDefinition
from paddock.validation.outcome import Validation
from paddock.validation.servers import LISTED_KINDS, check_assembly, check_item_lists
from paddock.validation.subject import ValidationSubject

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.registry import DeclaredItem
    from paddock.servers.definition import ServerDefinition
    from paddock.servers.lookup import DefinitionSource

HARMLESS_CODES = ("duplicate-definition-files",)
"""Errors of an extension that keep nothing of it from being served."""


def validate_source(target: str, source: DefinitionSource, *, is_static: bool) -> Validation:
    """Everything that is wrong with the server that is defined somewhere."""
    if source.extension_item is not None:
        return _validate_extension_server(target, source.extension_item, is_static=is_static)
    file = source.file
    files = PacletDirectory(file.parent)
    subject = ValidationSubject(get_built_in_extension(), files, MANIFEST_FILE_NAME, is_static, is_user_server=True)
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


def _validate_extension_server(target: str, declared: DeclaredItem, *, is_static: bool) -> Validation:
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
    return _create_server_validation(target, declared.name, found, subject, str(_get_definition_path(declared)))


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


def _find_declared_item(kind: ItemKind, spec: object, subject: ValidationSubject) -> DeclaredItem | None:
    if not isinstance(spec, str) or is_reference(spec):
        return None
    try:
        return create_installed_registry().find_item(kind, spec, subject.extension)
    except PaddockError:
        return None  # has been told of


def _check_foreign_item(declared: DeclaredItem, subject: ValidationSubject) -> None:
    """Check an item of another extension: what keeps it from being served is the server's fault."""
    other = load_installed_subject(declared.extension, FindingCollector(), is_static=subject.is_static)
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
