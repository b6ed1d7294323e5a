"""Imports an author's Python file, and locates errors in it."""

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
"""Directories of the scripts run so far. Their modules take precedence in imports."""


def run_file(path: Path, name: str) -> ModuleType:
    """Import a Python file as a module with this name, and return the module.

    If the file raises an exception, the module is removed from `sys.modules`, and the exception
    propagates unchanged.

    Raises:
        LoadError: The file is not a Python file.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LoadError("not a Python file", where=str(path), hint="expected a .py file")
    module = importlib.util.module_from_spec(spec)
    # As in the import system, the module is registered before it runs, because dataclasses and
    # pickle look up modules by name.
    sys.modules[name] = module
    try:
        with LoadScope():
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def run_script(path: Path) -> ModuleType:
    """Import an author's file like a script, so it can import modules in its own directory.

    Raises:
        LoadError: The file raised an exception. `where` contains the line.
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
    """Make imports find modules in a script's directory before those in other directories.

    Another script may already have imported its own `helpers` module. The module is renamed in
    `sys.modules`, so that script can keep using it, and this script can import its own `helpers`.
    """
    # The directory is moved to the front even if it is already in the path, so that it takes
    # precedence.
    if str(directory) in sys.path:
        sys.path.remove(str(directory))
    sys.path.insert(0, str(directory))
    other_directories = _script_directories - {directory}
    _script_directories.add(directory)
    for name, module in list(sys.modules.items()) if other_directories else ():
        top_name = name.partition(".")[0]
        parents = Path(getattr(module, "__file__", None) or "").parents
        is_foreign = directory not in parents and not other_directories.isdisjoint(parents)
        if is_foreign and top_name != "__main__" and _has_module(directory, top_name):
            sys.modules[_choose_module_name(f"{name}_elsewhere")] = sys.modules.pop(name)


def _has_module(directory: Path, name: str) -> bool:
    return (directory / f"{name}.py").is_file() or (directory / name / "__init__.py").is_file()


def to_load_error(path: Path, error: BaseException) -> LoadError:
    """Return the `LoadError` for an exception raised by an author's file.

    Its `where` names the file and the line. The exception's traceback is trimmed to start in the
    file, because Paddock's own frames do not help the author.
    """
    tracebacks = _find_tracebacks(path, error)
    if tracebacks:
        error.__traceback__ = tracebacks[0]
    line = find_failing_line(path, error)
    where = f"{path}:{line}" if line else str(path)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return LoadError(f"{type(error).__name__}: {text}", where=where)


def find_failing_line(path: Path, error: BaseException) -> int:
    """Return the line of a file where an exception was raised, or 0 if unknown."""
    if isinstance(error, SyntaxError) and error.filename == str(path) and error.lineno:
        return error.lineno
    traces = _find_tracebacks(path, error)
    return traces[-1].tb_lineno if traces else 0


def _find_tracebacks(path: Path, error: BaseException) -> list[TracebackType]:
    """Return the traceback entries whose code is in a file, outermost first."""
    matching_entries = []
    entry = error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_code.co_filename == str(path):
            matching_entries.append(entry)
        entry = entry.tb_next
    return matching_entries


def _choose_module_name(stem: str) -> str:
    """Return the name that other files use to import this one, or an unused name if it is taken."""
    alternatives = (f"paddock_served_{stem}{number or ''}" for number in count())
    return next(name for name in chain([stem], alternatives) if name not in sys.modules)
