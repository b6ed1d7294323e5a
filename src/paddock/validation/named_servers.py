"""Servers by themselves: one of the user's, a definition file, or one that an extension brings."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from paddock.errors import PaddockError
from paddock.extensions.extension import MANIFEST_NAME, built_in
from paddock.extensions.paclets.files import DirectoryFiles
from paddock.extensions.references import is_reference
from paddock.extensions.registry import registry
from paddock.validation.definitions import check_single
from paddock.validation.finding import Findings, Place
from paddock.validation.installed import installed_subject
from paddock.validation.items import Definition
from paddock.validation.outcome import Validation
from paddock.validation.servers import LISTS, check_assembly, check_lists
from paddock.validation.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from paddock.extensions.manifest import Kind
    from paddock.extensions.registry import Declared
    from paddock.servers.definition import ServerDefinition
    from paddock.servers.lookup import Source

HARMLESS = ("duplicate-definition-files",)
"""Errors of an extension that keep nothing of it from being served."""


def check_source(target: str, source: Source, *, is_static: bool) -> Validation:
    """Everything that is wrong with the server that is defined somewhere."""
    if source.declared is not None:
        return _check_declared(target, source.declared, is_static=is_static)
    file = source.file
    files = DirectoryFiles(file.parent)
    subject = Subject(built_in(), files, MANIFEST_NAME, is_static, is_users=True)
    place = Place(str(file))
    found: ServerDefinition | None = None
    try:
        found = source.read()
    except PaddockError as error:
        subject.findings.add_error("invalid-server", error, place)
    if found is not None:
        definition = Definition("servers", found, file.name, place)
        with redirect_stdout(sys.stderr):
            check_lists(found, definition, subject)
            _check_named(found, subject)
            check_assembly(found, definition, subject)
    name = source.name if found is None else found.name
    return _outcome(target, name, found, subject, str(file))


def _check_declared(target: str, declared: Declared, *, is_static: bool) -> Validation:
    findings, extension = Findings(), declared.extension
    subject = installed_subject(extension, findings, is_static=is_static)
    found: ServerDefinition | None = None
    if subject is not None:
        with subject.opened():
            checked = check_single(subject, "servers", declared.item)
            if checked is not None:
                found, definition = checked
                _check_named(found, subject)
                check_assembly(found, definition, subject)
    else:
        subject = Subject(
            extension, DirectoryFiles(extension.directory), "", is_static, findings=findings
        )
    return _outcome(target, declared.name, found, subject, str(_file(declared)))


def _check_named(server: ServerDefinition, subject: Subject) -> None:
    """Check the definitions of what a server names, in whichever extension they are."""
    for kind in LISTS:
        for spec in getattr(server, kind):
            declared = _declared(kind, spec, subject)
            if declared is None or declared.extension.is_built_in:
                continue
            if declared.extension.name == subject.extension.name:
                check_single(subject, kind, declared.item)
            else:
                _check_elsewhere(declared, subject)


def _declared(kind: Kind, spec: object, subject: Subject) -> Declared | None:
    if not isinstance(spec, str) or is_reference(spec):
        return None
    try:
        return registry().find(kind, spec, subject.extension)
    except PaddockError:
        return None  # has been told of


def _check_elsewhere(declared: Declared, subject: Subject) -> None:
    """Check an item of another extension: what keeps it from being served is the server's fault."""
    other = installed_subject(declared.extension, Findings(), is_static=subject.is_static)
    if other is None:
        return
    other.findings = Findings()
    with other.opened():
        check_single(other, declared.kind, declared.item)
    subject.python_files += [one for one in other.python_files if one not in subject.python_files]
    for one in other.findings.all():
        if one.severity == "error" and one.code not in HARMLESS:
            subject.findings.add(one.code, one.message, one.place, one.remedy)


def _file(declared: Declared) -> Path:
    """The file with the definition; where it is missing, the directory of the extension."""
    try:
        return declared.definition().path
    except PaddockError:
        return declared.extension.directory


def _outcome(
    target: str, name: str, found: ServerDefinition | None, subject: Subject, place: str
) -> Validation:
    return Validation(
        target,
        "server",
        subject.findings.all(),
        (name,),
        _names(found.tools if found else ()),
        _names(found.prompts if found else ()),
        _names(found.resources if found else ()),
        python_files=tuple(subject.python_files),
        is_static=subject.is_static,
        places=(place,),
    )


def _names(specs: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(_named, specs))


def _named(spec: Any) -> str:
    """What an element of a list is called."""
    if isinstance(spec, str):
        return spec
    given = spec.get("name", spec.get("Name")) if hasattr(spec, "get") else None
    return str(given or getattr(spec, "name", None) or getattr(spec, "__name__", repr(spec)))
