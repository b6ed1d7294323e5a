"""Pickles for functions that cannot be stored by reference, kept beside the server's definition.

Functions are pickled only on request, because a pickle can only be loaded by the same Python
version, and its contents cannot be reviewed.
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
    """Pickle an object along with the functions and classes that it needs.

    Raises:
        ServerDefinitionError: The object cannot be pickled, or cloudpickle is not installed.
    """
    try:
        # An optional dependency, needed only for `pickle=True`.
        import cloudpickle  # type: ignore[import-untyped]  # has no types
    except ImportError:
        raise ServerDefinitionError(
            "storing functions needs cloudpickle", hint="pip install 'paddock[pickle]'"
        ) from None
    # By default, cloudpickle stores only the names of imported modules. Packages that another
    # interpreter cannot import are stored in full.
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
            with suppress(ValueError):  # not registered if registering it failed
                cloudpickle.unregister_pickle_by_value(package)
    return data


def _find_unimportable_packages(value: object) -> Iterator[ModuleType]:
    """Yield the package that defines a function or tool, if other interpreters cannot import it.

    Such a package is, for example, in a directory that only this process has on `sys.path`.
    """
    module_name = str(getattr(getattr(value, "handler", value), "__module__", None))
    module = sys.modules.get(module_name)
    package = sys.modules.get(module_name.partition(".")[0])
    if module is None or package is None or module.__name__ == "__main__":
        return  # cloudpickle pickles the content of __main__ by value anyway
    if not is_importable(module):
        yield package


class FunctionPickles:
    """The functions of one server's definition, pickled and waiting to be written to files.

    A file is named after the hash of its contents and never changes. If the new definition is not
    stored in the end, the previous definition and its files remain valid.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._contents_by_name: dict[str, bytes] = {}

    def add(self, value: object) -> dict[str, str]:
        """Pickle an object, and return the table that represents it in the definition.

        The table is, for example, `{"pickle": "Calc.pickle/1f.pkl", "python": "3.12"}`. The file
        is not written until `write` is called.

        Raises:
            ServerDefinitionError: The object cannot be pickled.
        """
        data = pickle_object(value)
        file_name = f"{hashlib.sha256(data).hexdigest()[:24]}.pkl"
        self._contents_by_name[file_name] = data
        return {
            PICKLE_KEY: f"{self._directory.name}/{file_name}",
            PYTHON_VERSION_KEY: CURRENT_PYTHON_VERSION,
        }

    def write(self) -> None:
        """Write the pickle files that do not exist yet."""
        for file_name, data in self._contents_by_name.items():
            file = self._directory / file_name
            with convert_os_errors(file):
                if not file.exists():
                    write_atomically(file, data)


def remove_unused_pickles(directory: Path, items: Iterable[object]) -> None:
    """Remove the pickle files that no item refers to, and the directory if it becomes empty.

    Args:
        directory: The directory with a server's pickle files.
        items: The items of the server's definition.
    """
    used_paths = {
        str(item[PICKLE_KEY]) for item in items if isinstance(item, dict) and PICKLE_KEY in item
    }
    for file in directory.glob("*.pkl"):
        if f"{directory.name}/{file.name}" not in used_paths:
            file.unlink(missing_ok=True)
    if directory.is_dir() and not any(directory.iterdir()):
        directory.rmdir()
