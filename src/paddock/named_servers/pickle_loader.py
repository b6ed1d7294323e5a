"""Getting back the functions that are stored as they are, beside the definition of a server."""

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
    """Whether an item of a definition stands for a stored object."""
    return isinstance(spec, dict) and PICKLE_KEY in spec


def load_pickle(spec: dict[str, Any], relative_to: Path, where: str) -> object:
    """The object that was stored.

    Raises:
        LoadError: when it is gone, or this Python cannot read it.
    """
    if spec.get(PYTHON_VERSION_KEY) != CURRENT_PYTHON_VERSION:
        raise LoadError(
            f"was stored by Python {spec.get(PYTHON_VERSION_KEY)}, this is {CURRENT_PYTHON_VERSION}",
            where=where,
            hint="create the server again, or define the function in a file",
        )
    file = relative_to / str(spec[PICKLE_KEY])
    try:
        return pickle.loads(file.read_bytes())  # noqa: S301 - the user's own, in their directory
    except OSError as error:
        raise LoadError(f"cannot read {file}: {error.strerror}", where=where) from None
    except Exception as error:
        raise LoadError(
            f"{type(error).__name__}: {error}", where=where, hint="create the server again"
        ) from error
