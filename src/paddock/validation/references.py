"""References in definitions: whether `package.module:name` and `file.py:name` lead somewhere.

Where nothing may be run, files that are at hand are read instead; of what is elsewhere nothing
is said.
"""

from __future__ import annotations

import posixpath
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import LoadError
from paddock.extensions.references import load_reference

if TYPE_CHECKING:
    from paddock.validation.finding import FindingLocation
    from paddock.validation.subject import ValidationSubject

_COMPILED_SUFFIXES = (".so", ".pyd")


class FunctionStub:
    """What stands for a function that was not loaded."""

    def __call__(self) -> None:
        """Do nothing: it is never called."""


def check_reference(text: str, subject: ValidationSubject, file: str, place: FindingLocation) -> object:
    """The object that a reference leads to, or a stub where it is not loaded or leads nowhere."""
    if not subject.is_static:
        try:
            beside = Path(subject.get_path(file)).parent
            return load_reference(text, relative_to=beside, where=str(place))
        except LoadError as error:
            subject.findings.add_error("reference-not-found", error, place)
            return FunctionStub()
    problem = _find_static_problem(text, subject, file)
    if problem is not None:
        remedy = "check the reference, and that the file is included"
        subject.findings.add("reference-not-found", problem, place, remedy)
    return FunctionStub()


def check_file_reference(text: str, subject: ValidationSubject, file: str, place: FindingLocation) -> None:
    """Tell of a path that leads to no file of the extension."""
    if not subject.files.has_file(_join_relative(file, text)):
        message = f"there is no file {text!r}"
        subject.findings.add("reference-not-found", message, place, "paths count from this file")


def _join_relative(file: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), path))


def _find_static_problem(text: str, subject: ValidationSubject, file: str) -> str | None:
    """Why a reference leads nowhere, as far as that can be seen in files."""
    home, _, name = text.rpartition(":")
    if home.endswith(".py"):
        script = _join_relative(file, home)
        if posixpath.isabs(home) or script.startswith("..") or home.startswith("~"):
            if not subject.is_user_server:
                return f"{text!r} leads out of the extension"
            script = str(Path(subject.get_path(file)).parent / Path(home).expanduser())
        if not subject.files.has_file(script):
            return f"{text!r} leads nowhere: there is no {script}"
        return _find_problem_in_file(script, text, name, subject)
    module = _find_module_file(home, subject)
    if module is None:
        return None
    if not module:
        missing = home.replace(".", "/")
        return f"{text!r} leads nowhere: there is no {subject.package_folder}{missing}.py"
    return _find_problem_in_file(module, text, name, subject)


def _find_problem_in_file(file: str, text: str, name: str, subject: ValidationSubject) -> str | None:
    try:
        source = subject.read_python_source(file)
    except (SyntaxError, LoadError) as error:
        return f"{text!r} leads to a file that cannot be read: {error}"
    first = name.partition(".")[0]
    if source.can_define(first) or _is_submodule(file, first, subject):
        return None
    return f"{text!r} leads nowhere: there is no {first!r}"


def _is_submodule(file: str, name: str, subject: ValidationSubject) -> bool:
    """Whether a name is that of a module in the package that a file is, and so may be there."""
    folder, _, last = file.rpartition("/")
    return last == "__init__.py" and _get_module_kind(f"{folder}/{name}", subject) is not _ModuleKind.MISSING


class _ModuleKind(Enum):
    """What there is among the files for a part of a dotted name."""

    MODULE = auto()
    PACKAGE = auto()
    NAMESPACE = auto()
    COMPILED = auto()
    MISSING = auto()


def _get_module_kind(place: str, subject: ValidationSubject) -> _ModuleKind:
    files = subject.files
    if files.has_file(f"{place}/__init__.py"):
        return _ModuleKind.PACKAGE
    if files.has_file(f"{place}.py"):
        return _ModuleKind.MODULE
    folder, _, last = place.rpartition("/")
    beside = files.list_file_names(folder or ".")
    if any(one.startswith(f"{last}.") and one.endswith(_COMPILED_SUFFIXES) for one in beside):
        return _ModuleKind.COMPILED
    return _ModuleKind.NAMESPACE if files.has_folder(place) else _ModuleKind.MISSING


def _find_module_file(home: str, subject: ValidationSubject) -> str | None:
    """The file of a module; nothing when it should be there and is not, None for others' modules.

    A namespace may have parts in other distributions, so what is missing there may be elsewhere.
    """
    place, is_owned = subject.package_folder.rstrip("/"), False
    parts = home.split(".")
    for number, name in enumerate(parts, 1):
        place = f"{place}/{name}" if place else name
        found = _get_module_kind(place, subject)
        if found is _ModuleKind.COMPILED:
            return None
        if found is _ModuleKind.MISSING:
            return "" if is_owned else None
        is_owned = is_owned or found in (_ModuleKind.PACKAGE, _ModuleKind.MODULE)
        if number == len(parts):
            return _MODULE_FILES[found].format(place) if found in _MODULE_FILES else None
    return None


_MODULE_FILES = {_ModuleKind.MODULE: "{}.py", _ModuleKind.PACKAGE: "{}/__init__.py"}
