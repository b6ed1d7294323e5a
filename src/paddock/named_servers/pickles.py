"""Storing functions that have no source to refer to as they are, beside the definition.

Only when the user asks for it: what is pickled can be read by the same Python version only, and
nobody can see in the file what it does.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from paddock.files import convert_os_errors, write_atomically
from paddock.named_servers.function_references import is_importable
from paddock.named_servers.names import ServerDefinitionError
from paddock.named_servers.pickle_loader import (
    CURRENT_PYTHON_VERSION,
    PICKLE_KEY,
    PYTHON_VERSION_KEY,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import ModuleType


def pickle_object(value: object) -> bytes:
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
    packages = list(_find_unimportable_packages(value))
    try:
        for package in packages:
            cloudpickle.register_pickle_by_value(package)
        data: bytes = cloudpickle.dumps(value)
    except Exception as error:  # noqa: BLE001 - of any object that somebody has defined
        raise ServerDefinitionError(
            f"{value!r} cannot be stored: {error}"[:200],
            hint="define it in a file, with what it needs",
        ) from None
    finally:
        for package in packages:
            with suppress(ValueError):  # when registering it has failed
                cloudpickle.unregister_pickle_by_value(package)
    return data


def _find_unimportable_packages(value: object) -> Iterator[ModuleType]:
    """The package that an object is from, unless every interpreter finds it by its name."""
    home = getattr(getattr(value, "handler", value), "__module__", None)
    module = sys.modules.get(str(home))
    package = sys.modules.get(str(home).partition(".")[0])
    if module is None or package is None or module.__name__ == "__main__":
        return  # taken as it is anyway
    if not is_importable(module):
        yield package


class FunctionPickles:
    """What is to be stored beside the definition of one server.

    A file is named by its content and never changed, so an older definition keeps its own.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._data: dict[str, bytes] = {}

    def add(self, value: object) -> dict[str, str]:
        """Take an object; the table that stands for it in the definition.

        Raises:
            ServerDefinitionError: when it cannot be stored.
        """
        data = pickle_object(value)
        name = f"{hashlib.sha256(data).hexdigest()[:24]}.pkl"
        self._data[name] = data
        return {
            PICKLE_KEY: f"{self._directory.name}/{name}",
            PYTHON_VERSION_KEY: CURRENT_PYTHON_VERSION,
        }

    def write(self) -> None:
        """Have everything in its place."""
        for name, data in self._data.items():
            file = self._directory / name
            with convert_os_errors(file):
                if not file.exists():
                    write_atomically(file, data)


def remove_unused_pickles(directory: Path, kept: Iterable[object]) -> None:
    """Remove the stored objects that a definition does not name any more."""
    names = {
        str(spec[PICKLE_KEY]) for spec in kept if isinstance(spec, dict) and PICKLE_KEY in spec
    }
    for file in directory.glob("*.pkl"):
        if f"{directory.name}/{file.name}" not in names:
            file.unlink(missing_ok=True)
    if directory.is_dir() and not any(directory.iterdir()):
        directory.rmdir()
