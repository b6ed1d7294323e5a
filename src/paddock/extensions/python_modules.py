"""Python files that definitions lead to: each is run once per process.

A file that has been imported by other means counts as run; one that was forgotten, because it is
to be loaded again, is run again.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from paddock.authoring.script_runner import run_file, run_script, to_load_error
from paddock.errors import LoadError

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


DEFINITION_MODULE_PREFIX = "paddock_definition:"
"""What stands before the path of a definition file in the name of its module."""


def load_script_module(path: Path) -> ModuleType:
    """The module of a file of the user's, which may import its neighbours.

    Raises:
        LoadError: when it cannot be run, with the line where it failed.
    """
    return _find_loaded_module(path) or run_script(path)


def load_definition_module(path: Path) -> ModuleType:
    """The module of a definition file, which is on nobody's import path.

    Raises:
        LoadError: when it cannot be run, with the line where it failed.
    """
    known = _find_loaded_module(path)
    if known is not None:
        return known
    try:
        return run_file(path, f"{DEFINITION_MODULE_PREFIX}{path}")
    except LoadError:
        raise
    except (Exception, SystemExit) as error:
        raise to_load_error(path, error) from error


def _find_loaded_module(path: Path) -> ModuleType | None:
    text = str(path)
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == text:
            return module
    return None
