"""Loads the Python files and modules that definitions refer to.

Each file is run once per process; a file that was already imported is not run again. A reload
removes modules from `sys.modules`, so their files are run again.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.authoring.script_runner import run_file, run_script, to_load_error
from paddock.errors import LoadError

if TYPE_CHECKING:
    from types import ModuleType


DEFINITION_MODULE_PREFIX = "paddock_definition:"
"""The name prefix of modules loaded from definition files, followed by the path."""


def load_script_module(path: Path) -> ModuleType:
    """Load a user's file as a module. The file can import other files in its directory.

    Raises:
        LoadError: Running the file failed. The error contains the line.
    """
    return _find_loaded_module(path) or run_script(path)


def load_definition_module(path: Path) -> ModuleType:
    """Run a definition file, such as `tools/Plot.py`, and return it as a module.

    A file that was loaded before is not run again. Other modules cannot import the module by name,
    so files with the same name in different extensions do not conflict.

    Raises:
        LoadError: Running the file failed. The error contains the line.
    """
    loaded_module = _find_loaded_module(path)
    if loaded_module is not None:
        return loaded_module
    try:
        return run_file(path, f"{DEFINITION_MODULE_PREFIX}{path}")
    except LoadError:
        raise
    # SystemExit is caught because a file that calls sys.exit() must not end the server.
    except (Exception, SystemExit) as error:
        raise to_load_error(path, error) from error


def import_module(name: str, where: str) -> ModuleType:
    """Import a module by its dotted name.

    Args:
        name: The name of the module.
        where: The location of the reference to the module, for errors.

    Raises:
        LoadError: The module does not exist, or running it failed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # The missing module may also be one that the named module imports.
        is_named_module_missing = error.name and f"{name}.".startswith(f"{error.name}.")
        if not is_named_module_missing:
            raise _make_import_error(name, error) from error
        raise LoadError(
            f"there is no module {error.name!r}",
            where=where,
            hint=f"install it for {sys.executable}, or use the path of a file: file.py:name",
        ) from None
    except (Exception, SystemExit) as error:
        raise _make_import_error(name, error) from error


def _make_import_error(name: str, error: BaseException) -> LoadError:
    """Describe an error raised while importing a module, with its line."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        spec = None  # a parent package failed
    return to_load_error(Path((spec and spec.origin) or name), error)


def _find_loaded_module(path: Path) -> ModuleType | None:
    """Return the module that was loaded from a file, or None if it has not been loaded."""
    file_name = str(path)
    # The modules are copied, because other threads may import modules during the loop.
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == file_name:
            return module
    return None
