"""Running a Python file that somebody wrote, and saying where in it something went wrong.

Where a file is found and what is looked for in it is left to those who run it.
"""

from __future__ import annotations

import importlib.util
import sys
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.authoring.author_code import LoadScope
from paddock.errors import LoadError

if TYPE_CHECKING:
    from types import ModuleType, TracebackType

_script_directories: set[Path] = set()
"""The directories of the files that have been run with their neighbours at hand."""


def run_file(path: Path, name: str) -> ModuleType:
    """The module that a file becomes, known by a name to whatever imports it.

    What the file raises is raised, and then no module has that name.

    Raises:
        LoadError: when it is not a Python file.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LoadError("not a Python file", where=str(path), hint="expected a .py file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with LoadScope():
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def run_script(path: Path) -> ModuleType:
    """The module that a file becomes when it is run as a script is: with its neighbours at hand.

    Raises:
        LoadError: when it cannot be run, with the line where it failed.
    """
    _prioritize_directory(path.parent)
    name = _choose_module_name(path.stem)
    try:
        return run_file(path, name)
    except LoadError:
        raise
    except (Exception, SystemExit) as error:
        raise to_load_error(path, error) from error


def _prioritize_directory(directory: Path) -> None:
    """Have the neighbours of a file imported from its directory, whatever was imported before.

    A file elsewhere may have imported a neighbour of the same name. It keeps that, and the name
    is free again.
    """
    if str(directory) in sys.path:
        sys.path.remove(str(directory))
    sys.path.insert(0, str(directory))
    others = _script_directories - {directory}
    _script_directories.add(directory)
    for name, module in list(sys.modules.items()) if others else ():
        top = name.partition(".")[0]
        parents = Path(getattr(module, "__file__", None) or "").parents
        is_theirs = directory not in parents and not others.isdisjoint(parents)
        if is_theirs and top != "__main__" and _has_module(directory, top):
            sys.modules[_choose_module_name(f"{name}_elsewhere")] = sys.modules.pop(name)


def _has_module(directory: Path, name: str) -> bool:
    return (directory / f"{name}.py").is_file() or (directory / name / "__init__.py").is_file()


def to_load_error(path: Path, error: BaseException) -> LoadError:
    """What went wrong while a file ran, with the line of that file where it did."""
    traces = _find_tracebacks(path, error)
    if traces:
        error.__traceback__ = traces[0]  # how we came to run the file is no help to its author
    line = find_failing_line(path, error)
    where = f"{path}:{line}" if line else str(path)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return LoadError(f"{type(error).__name__}: {text}", where=where)


def find_failing_line(path: Path, error: BaseException) -> int:
    """The line of a file that an error came from, as far as it is known; else 0."""
    if isinstance(error, SyntaxError) and error.filename == str(path) and error.lineno:
        return error.lineno
    traces = _find_tracebacks(path, error)
    return traces[-1].tb_lineno if traces else 0


def _find_tracebacks(path: Path, error: BaseException) -> list[TracebackType]:
    found = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            found.append(trace)
        trace = trace.tb_next
    return found


def _choose_module_name(stem: str) -> str:
    """The name that other files would import a file by, or else one that is not taken."""
    others = (f"paddock_served_{stem}{number or ''}" for number in count())
    return next(name for name in chain([stem], others) if name not in sys.modules)
