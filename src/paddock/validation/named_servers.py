"""Servers by themselves: one of the user's, a definition file, or one that an extension brings."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from paddock.errors import PaddockError
from paddock.extensions.extension import MANIFEST_NAME, built_in
from paddock.extensions.paclets.files import DirectoryFiles
from paddock.validation.definitions import check_single
from paddock.validation.finding import Findings, Place
from paddock.validation.installed import installed_subject
from paddock.validation.items import Definition
from paddock.validation.outcome import Validation
from paddock.validation.servers import check_lists
from paddock.validation.subject import Subject

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.extensions.registry import Declared
    from paddock.servers.definition import ServerDefinition
    from paddock.servers.lookup import Source


def check_source(target: str, source: Source, *, is_static: bool) -> Validation:
    """Everything that is wrong with the server that is defined somewhere."""
    if source.declared is not None:
        return _check_declared(target, source.declared, is_static=is_static)
    file = source.file
    subject = Subject(built_in(), DirectoryFiles(file.parent), MANIFEST_NAME, is_static)
    place = Place(str(file))
    found: ServerDefinition | None = None
    try:
        found = source.read()
    except PaddockError as error:
        subject.findings.add_error("invalid-server", error, place)
    if found is not None:
        with redirect_stdout(sys.stderr):
            check_lists(found, Definition("servers", found, file.name, place), subject)
    name = source.name if found is None else found.name
    return _outcome(target, name, found, subject, str(file))


def _check_declared(target: str, declared: Declared, *, is_static: bool) -> Validation:
    findings, extension = Findings(), declared.extension
    subject = installed_subject(extension, findings, is_static=is_static)
    found = None
    if subject is not None:
        with subject.opened():
            found = check_single(subject, declared.item)
    else:
        subject = Subject(
            extension, DirectoryFiles(extension.directory), "", is_static, "", findings
        )
    return _outcome(target, declared.name, found, subject, str(_file(declared)))


def _file(declared: Declared) -> Path:
    """The file with the definition; where it is missing, the directory of the extension."""
    try:
        return declared.definition().path
    except PaddockError:
        return declared.extension.directory


def _outcome(
    target: str, name: str, found: ServerDefinition | None, subject: Subject, place: str
) -> Validation:
    lists = [
        tuple(map(_named, getattr(found, kind, ()))) for kind in ("tools", "prompts", "resources")
    ]
    return Validation(
        target,
        "server",
        subject.findings.all(),
        (name,),
        *lists,
        python_files=tuple(subject.python_files),
        is_static=subject.is_static,
        places=(place,),
    )


def _named(spec: Any) -> str:
    """What an element of a list is called."""
    if isinstance(spec, str):
        return spec
    given = spec.get("name", spec.get("Name")) if hasattr(spec, "get") else None
    return str(given or getattr(spec, "name", None) or getattr(spec, "__name__", repr(spec)))
