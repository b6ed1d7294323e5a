"""Script that runs an engine in a Python other than Paddock's. Compatible with Python 3.8.

That Python needs only its standard library. The script loads the modules of `paddock.kernels.child`
by path. They get their own copy of the builtins, so user code that changes the builtins does not
affect them. They are then removed from `sys.modules`: if the user's environment contains a package
named `paddock`, user code imports that one.
"""

from __future__ import annotations

import sys

del sys.path[0]  # this script's directory, whose modules user code must not import by accident

import builtins  # noqa: E402 - see above
import os  # noqa: E402 - see above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


_bootstrap_external: Any = sys.modules["_frozen_importlib_external"]
_pristine_builtins = dict(vars(builtins))
_PACKAGES = (
    "paddock",
    "paddock.kernels",
    "paddock.kernels.child",
    "paddock.kernels.child.python",
)


class _IsolatedLoader(_bootstrap_external.SourceFileLoader):  # type: ignore[misc]  # importing importlib is slow
    """Loader that gives a module its own copy of the builtins."""

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module."""
        vars(module)["__builtins__"] = _pristine_builtins
        super().exec_module(module)


class _IsolatedFinder:
    """Import finder for the modules of `paddock.kernels.child`.

    It is installed in `sys.meta_path` while this script loads them, because Paddock's source
    directory must not be in the `sys.path` of the user's Python.
    """

    def __init__(self, root: str) -> None:
        self._root = root

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Return the import spec of a module, or None if it is not in `paddock.kernels.child`."""
        child_packages = _PACKAGES[2:]
        if name in _PACKAGES or not name.startswith(child_packages):
            return None
        file = os.path.join(self._root, *name.split(".")) + ".py"
        return _bootstrap_external.spec_from_file_location(
            name, file, loader=_IsolatedLoader(name, file)
        )


def main() -> None:
    """Run an evaluator process or a forkless worker, as selected by the command-line arguments.

    The arguments are Paddock's source directory and the interpreter's module. On systems that can
    fork, an evaluator process also receives the descriptors of its three pipes.
    """
    root, interpreter, *handles = sys.argv[1:]
    modules_before = set(sys.modules)
    finder: Any = _IsolatedFinder(root)
    sys.meta_path.insert(0, finder)
    for name in _PACKAGES:
        package = type(sys)(name)
        package.__path__ = []
        sys.modules[name] = package
    make_interpreter = _load_module(interpreter).interpreter
    # Only one of the two modules is loaded, because `evaluator_process` needs POSIX and
    # `forkless_worker` is slow to import.
    if handles:
        evaluator = _load_module("paddock.kernels.child.evaluator_process")
        first, second, notices = (int(handle) for handle in handles)
        _unload_paddock(finder, modules_before)
        evaluator.run_evaluator(
            make_interpreter, evaluator.SupervisorPipes((first, second), notices)
        )
    worker = _load_module("paddock.kernels.child.forkless_worker")
    _unload_paddock(finder, modules_before)
    worker.run_forkless(make_interpreter, restrictions=[])


def _load_module(name: str) -> Any:
    __import__(name)
    return sys.modules[name]


def _unload_paddock(finder: object, modules_before: set[str]) -> None:
    """Remove Paddock's modules from the import system before user code runs.

    `sys.argv` and `sys.path` are set as they are in an interactive Python.
    """
    sys.meta_path.remove(finder)  # type: ignore[arg-type]  # a finder by duck typing
    sys.argv[:] = [""]
    sys.path.insert(0, "")
    for name in set(sys.modules) - modules_before:
        if name.partition(".")[0] == "paddock":
            del sys.modules[name]


if __name__ == "__main__":
    main()
