"""Running definitions, of installed extensions and of projects that are not, and forgetting them.

The packages of a project come before installed ones of the same names, and whatever is printed
goes where it disturbs no report.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    ModulePredicate = Callable[[str, ModuleType], bool]


@contextmanager
def import_from_directory(directory: Path, package: str) -> Iterator[None]:
    """Have a package imported from a directory, and forget afterwards what was loaded for it.

    Where the directory is on the path already, what has been imported from it stays as it is.
    """
    is_installed = str(directory) in sys.path
    aside = {} if is_installed else _remove_modules(lambda name, _: name.partition(".")[0] == package)
    known = set(sys.modules)
    path, writes = list(sys.path), sys.dont_write_bytecode
    if not is_installed:
        sys.path.insert(0, str(directory))
        sys.dont_write_bytecode = True
        importlib.invalidate_caches()
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path[:] = path
        sys.dont_write_bytecode = writes
        _remove_modules(lambda name, module: name not in known and _is_module_below(module, directory / package))
        sys.modules.update(aside)


def _remove_modules(is_taken: ModulePredicate) -> dict[str, ModuleType]:
    """Remove modules from those that are loaded."""
    taken = {name: one for name, one in list(sys.modules.items()) if is_taken(name, one)}
    for name in taken:
        del sys.modules[name]
    return taken


def _is_module_below(module: ModuleType, directory: Path) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).is_relative_to(directory)
