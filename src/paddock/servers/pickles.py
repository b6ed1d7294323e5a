"""Functions that have no source to refer to, kept as they are beside the definition.

Only when the user asks for it: what is pickled can be read by the same Python version only, and
nobody can see in the file what it does.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from typing import TYPE_CHECKING, Any

from paddock.errors import LoadError
from paddock.files import write_atomically
from paddock.servers.errors import ServerDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

KEY = "pickle"
PYTHON = "python"
_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def pickled(value: object) -> bytes:
    """An object with all that it needs.

    Raises:
        ServerDefinitionError: when that cannot be done.
    """
    try:
        import cloudpickle  # type: ignore[import-untyped]  # noqa: PLC0415 - of an extra
    except ImportError:
        raise ServerDefinitionError(
            "storing functions needs cloudpickle", hint="pip install 'paddock[pickle]'"
        ) from None
    try:
        data: bytes = cloudpickle.dumps(value)
    except Exception as error:  # noqa: BLE001 - of any object that somebody has defined
        raise ServerDefinitionError(
            f"{value!r} cannot be stored: {error}"[:200],
            hint="define it in a file, with what it needs",
        ) from None
    return data


def keep(data: bytes, directory: Path) -> dict[str, str]:
    """Write what was pickled; the table that stands for it in the definition.

    A file is named by its content and never changed, so an older definition keeps its own.
    """
    file = directory / f"{hashlib.sha256(data).hexdigest()[:24]}.pkl"
    if not file.exists():
        directory.mkdir(parents=True, exist_ok=True)
        write_atomically(file, data)
    return {KEY: f"{directory.name}/{file.name}", PYTHON: _VERSION}


def is_pickle(spec: object) -> bool:
    """Whether an item of a definition stands for a stored object."""
    return isinstance(spec, dict) and KEY in spec


def load_pickle(spec: dict[str, Any], relative_to: Path, where: str) -> object:
    """The object that was stored.

    Raises:
        LoadError: when it is gone, or this Python cannot read it.
    """
    if spec.get(PYTHON) != _VERSION:
        raise LoadError(
            f"was stored by Python {spec.get(PYTHON)}, this is {_VERSION}",
            where=where,
            hint="create the server again, or define the function in a file",
        )
    file = relative_to / str(spec[KEY])
    try:
        return pickle.loads(file.read_bytes())  # noqa: S301 - the user's own, in their directory
    except OSError as error:
        raise LoadError(f"cannot read {file}: {error.strerror}", where=where) from None
    except Exception as error:
        raise LoadError(
            f"{type(error).__name__}: {error}", where=where, hint="create the server again"
        ) from error


def forget_others(directory: Path, kept: Iterable[object]) -> None:
    """Remove the stored objects that a definition does not name any more."""
    names = {str(spec[KEY]) for spec in kept if isinstance(spec, dict) and KEY in spec}
    for file in directory.glob("*.pkl"):
        if f"{directory.name}/{file.name}" not in names:
            file.unlink(missing_ok=True)
    if directory.is_dir() and not any(directory.iterdir()):
        directory.rmdir()
