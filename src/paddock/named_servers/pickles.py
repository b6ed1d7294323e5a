"""Pickling of functions that cannot be stored by reference, beside the definition of a server.

Only on request, because a pickle can be loaded only by the same Python version, and its content
cannot be reviewed.
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
    """Pickle an object with the functions and classes that it needs.

    Raises:
        ServerDefinitionError: The object cannot be pickled, or cloudpickle is not installed.
    """
    try:
        # An optional dependency, which only `pickle=True` needs.
        import cloudpickle  # type: ignore[import-untyped]  # has no types
    except ImportError:
        raise ServerDefinitionError(
            "storing functions needs cloudpickle", hint="pip install 'paddock[pickle]'"
        ) from None
    # By default, cloudpickle stores only the names of imported modules. Packages that another
    # interpreter cannot import are stored completely.
    packages = list(_find_unimportable_packages(value))
    try:
        for package in packages:
            cloudpickle.register_pickle_by_value(package)
        data: bytes = cloudpickle.dumps(value)
    except Exception as error:  # noqa: BLE001 - pickling runs code of the object
        raise ServerDefinitionError(
            f"{value!r} cannot be pickled: {error}"[:200],
            hint="define it in a file, together with what it needs",
        ) from None
    finally:
        for package in packages:
            with suppress(ValueError):  # not registered, if registering failed
                cloudpickle.unregister_pickle_by_value(package)
    return data


def _find_unimportable_packages(value: object) -> Iterator[ModuleType]:
    """Yield the package of an object if other interpreters cannot import it."""
    module_name = str(getattr(getattr(value, "handler", value), "__module__", None))
    module = sys.modules.get(module_name)
    package = sys.modules.get(module_name.partition(".")[0])
    if module is None or package is None or module.__name__ == "__main__":
        return  # cloudpickle pickles the content of __main__ by value anyway
    if not is_importable(module):
        yield package


class FunctionPickles:
    """The pickled objects of one server's definition, until they are written.

    A file is named after the hash of its content and never changed. The previous definition
    therefore remains valid if the new one is not stored in the end.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._data: dict[str, bytes] = {}

    def add(self, value: object) -> dict[str, str]:
        """Pickle an object, and return the table that represents it in the definition.

        Raises:
            ServerDefinitionError: The object cannot be pickled.
        """
        data = pickle_object(value)
        name = f"{hashlib.sha256(data).hexdigest()[:24]}.pkl"
        self._data[name] = data
        return {
            PICKLE_KEY: f"{self._directory.name}/{name}",
            PYTHON_VERSION_KEY: CURRENT_PYTHON_VERSION,
        }

    def write(self) -> None:
        """Write the files that do not exist yet."""
        for name, data in self._data.items():
            file = self._directory / name
            with convert_os_errors(file):
                if not file.exists():
                    write_atomically(file, data)


def remove_unused_pickles(directory: Path, items: Iterable[object]) -> None:
    """Remove the pickles that the items of a definition no longer refer to."""
    names = {
        str(spec[PICKLE_KEY]) for spec in items if isinstance(spec, dict) and PICKLE_KEY in spec
    }
    for file in directory.glob("*.pkl"):
        if f"{directory.name}/{file.name}" not in names:
            file.unlink(missing_ok=True)
    if directory.is_dir() and not any(directory.iterdir()):
        directory.rmdir()
