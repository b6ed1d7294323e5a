"""Loader for pickled functions, which are stored beside the server's definition."""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any

from paddock.errors import LoadError

if TYPE_CHECKING:
    from pathlib import Path

PICKLE_KEY = "pickle"
PYTHON_VERSION_KEY = "python"
CURRENT_PYTHON_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def is_pickle(spec: object) -> bool:
    """Return whether an item in a definition is a pickled object."""
    return isinstance(spec, dict) and PICKLE_KEY in spec


def load_pickle(spec: dict[str, Any], relative_to: Path, where: str) -> object:
    """Load the pickled object that a definition refers to.

    Args:
        spec: The table in the definition, `{"pickle": "Calc.pickle/1f.pkl", "python": "3.12"}`.
        relative_to: The directory that the path of the pickle file is relative to.
        where: The location of the table, for error messages.

    Raises:
        LoadError: The file does not exist, or was written by another Python version.
    """
    if spec.get(PYTHON_VERSION_KEY) != CURRENT_PYTHON_VERSION:
        raise LoadError(
            f"the function was pickled by Python {spec.get(PYTHON_VERSION_KEY)}, "
            f"but this is Python {CURRENT_PYTHON_VERSION}",
            where=where,
            hint="create the server again, or define the function in a file",
        )
    file = relative_to / str(spec[PICKLE_KEY])
    try:
        return pickle.loads(file.read_bytes())  # noqa: S301 - written by the user, in their own data directory
    except OSError as error:
        raise LoadError(f"cannot read {file}: {error.strerror}", where=where) from None
    except Exception as error:
        raise LoadError(
            f"{type(error).__name__}: {error}", where=where, hint="create the server again"
        ) from error
