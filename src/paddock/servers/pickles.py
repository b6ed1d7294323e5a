"""Storing functions that have no source to refer to as they are, beside the definition.

Only when the user asks for it: what is pickled can be read by the same Python version only, and
nobody can see in the file what it does.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from paddock.files import write_atomically
from paddock.servers.errors import ServerDefinitionError
from paddock.servers.unpickling import KEY, PYTHON, THIS_PYTHON

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


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
    return {KEY: f"{directory.name}/{file.name}", PYTHON: THIS_PYTHON}


def forget_others(directory: Path, kept: Iterable[object]) -> None:
    """Remove the stored objects that a definition does not name any more."""
    names = {str(spec[KEY]) for spec in kept if isinstance(spec, dict) and KEY in spec}
    for file in directory.glob("*.pkl"):
        if f"{directory.name}/{file.name}" not in names:
            file.unlink(missing_ok=True)
    if directory.is_dir() and not any(directory.iterdir()):
        directory.rmdir()
