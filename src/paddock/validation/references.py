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
    from paddock.validation.finding import Place
    from paddock.validation.subject import Subject

_COMPILED = (".so", ".pyd")


class Stub:
    """What stands for a function that was not loaded."""

    def __call__(self) -> None:
        """Do nothing: it is never called."""


def check_reference(text: str, subject: Subject, file: str, place: Place) -> object:
    """The object that a reference leads to, or a stub where it is not loaded or leads nowhere."""
    if not subject.is_static:
        try:
            beside = Path(subject.path(file)).parent
            return load_reference(text, relative_to=beside, where=str(place))
        except LoadError as error:
            subject.findings.add_error("reference-not-found", error, place)
            return Stub()
    problem = _static_problem(text, subject, file)
    if problem is not None:
        remedy = "check the reference, and that the file is included"
        subject.findings.add("reference-not-found", problem, place, remedy)
    return Stub()


def check_file(text: str, subject: Subject, file: str, place: Place) -> None:
    """Tell of a path that leads to no file of the extension."""
    if not subject.files.has(_beside(file, text)):
        message = f"there is no file {text!r}"
        subject.findings.add("reference-not-found", message, place, "paths count from this file")


def _beside(file: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), path))


def _static_problem(text: str, subject: Subject, file: str) -> str | None:
    """Why a reference leads nowhere, as far as that can be seen in files."""
    home, _, name = text.rpartition(":")
    if home.endswith(".py"):
        script = _beside(file, home)
        if posixpath.isabs(home) or script.startswith("..") or home.startswith("~"):
            if not subject.is_users:
                return f"{text!r} leads out of the extension"
            script = str(Path(subject.path(file)).parent / Path(home).expanduser())
        if not subject.files.has(script):
            return f"{text!r} leads nowhere: there is no {script}"
        return _problem_in(script, text, name, subject)
    module = _module(home, subject)
    if module is None:
        return None
    if not module:
        missing = home.replace(".", "/")
        return f"{text!r} leads nowhere: there is no {subject.packages}{missing}.py"
    return _problem_in(module, text, name, subject)


def _problem_in(file: str, text: str, name: str, subject: Subject) -> str | None:
    try:
        source = subject.python_source(file)
    except (SyntaxError, LoadError) as error:
        return f"{text!r} leads to a file that cannot be read: {error}"
    first = name.partition(".")[0]
    if source.defines(first) or _is_submodule(file, first, subject):
        return None
    return f"{text!r} leads nowhere: there is no {first!r}"


def _is_submodule(file: str, name: str, subject: Subject) -> bool:
    """Whether a name is that of a module in the package that a file is, and so may be there."""
    folder, _, last = file.rpartition("/")
    return last == "__init__.py" and _part(f"{folder}/{name}", subject) is not _Part.NOTHING


class _Part(Enum):
    """What there is among the files for a part of a dotted name."""

    MODULE = auto()
    PACKAGE = auto()
    NAMESPACE = auto()
    COMPILED = auto()
    NOTHING = auto()


def _part(place: str, subject: Subject) -> _Part:
    files = subject.files
    if files.has(f"{place}/__init__.py"):
        return _Part.PACKAGE
    if files.has(f"{place}.py"):
        return _Part.MODULE
    folder, _, last = place.rpartition("/")
    beside = files.names_in(folder or ".")
    if any(one.startswith(f"{last}.") and one.endswith(_COMPILED) for one in beside):
        return _Part.COMPILED
    return _Part.NAMESPACE if files.has_folder(place) else _Part.NOTHING


def _module(home: str, subject: Subject) -> str | None:
    """The file of a module; nothing when it should be there and is not, None for others' modules.

    A namespace may have parts in other distributions, so what is missing there may be elsewhere.
    """
    place, is_owned = subject.packages.rstrip("/"), False
    parts = home.split(".")
    for number, name in enumerate(parts, 1):
        place = f"{place}/{name}" if place else name
        found = _part(place, subject)
        if found is _Part.COMPILED:
            return None
        if found is _Part.NOTHING:
            return "" if is_owned else None
        is_owned = is_owned or found in (_Part.PACKAGE, _Part.MODULE)
        if number == len(parts):
            return _FILES[found].format(place) if found in _FILES else None
    return None


_FILES = {_Part.MODULE: "{}.py", _Part.PACKAGE: "{}/__init__.py"}
