"""References in definitions: whether `package.module:name` and `file.py:name` lead somewhere.

Where nothing may be run, files that are at hand are read instead; of what is elsewhere nothing
is said.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import LoadError
from paddock.extensions.references import load_reference

if TYPE_CHECKING:
    from paddock.validation.finding import Place
    from paddock.validation.subject import Subject


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
        module = _beside(file, home)
        if posixpath.isabs(home) or module.startswith("..") or home.startswith("~"):
            return f"{text!r} leads out of the extension"
        places = [module]
    else:
        base = subject.packages + home.replace(".", "/")
        if not _has_package(subject, home.partition(".")[0]):
            return None  # somebody else's
        places = [f"{base}.py", f"{base}/__init__.py"]
    found = next((one for one in places if subject.files.has(one)), None)
    if found is None:
        return f"{text!r} leads nowhere: there is no {places[0]}"
    try:
        source = subject.python_source(found)
    except (SyntaxError, LoadError) as error:
        return f"{text!r} leads to a file that cannot be read: {error}"
    first = name.partition(".")[0]
    return None if source.defines(first) else f"{text!r} leads nowhere: there is no {first!r}"


def _has_package(subject: Subject, name: str) -> bool:
    place = subject.packages + name
    return subject.files.has_folder(place) or subject.files.has(f"{place}.py")
