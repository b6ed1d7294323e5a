"""Starts an engine in another Python than Paddock's: a script, for Python 3.8 and later.

That Python needs nothing but its standard library. It gets the few modules that a process of a
kernel is made of by their paths, with builtins of their own, so that code that changes the builtins
does not change them. Afterwards they are forgotten under their names: if the user's own environment
has a `paddock`, it is the one that code imports.
"""

from __future__ import annotations

import sys

del sys.path[0]  # where this script is: its neighbours are not what anybody means by their names

import builtins  # noqa: E402 - see above
import os  # noqa: E402 - see above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn


_bootstrap_external: Any = sys.modules["_frozen_importlib_external"]
_pristine_builtins = dict(vars(builtins))
_PACKAGES = (
    "paddock",
    "paddock.kernels",
    "paddock.kernels.child",
    "paddock.kernels.child.python",
)


class _IsolatedLoader(_bootstrap_external.SourceFileLoader):  # type: ignore[misc]  # importlib takes time
    """Loads a module with builtins that nobody else changes."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        vars(module)["__builtins__"] = _pristine_builtins
        super().exec_module(module)


class _IsolatedFinder:
    """Finds the modules that are needed here, and no other ones."""

    def __init__(self, root: str) -> None:
        self._root = root

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Where a module is."""
        if name in _PACKAGES or not name.startswith(_PACKAGES[2:]):
            return None
        file = os.path.join(self._root, *name.split(".")) + ".py"  # noqa: PTH118 - pathlib takes time
        return _bootstrap_external.spec_from_file_location(
            name, file, loader=_IsolatedLoader(name, file)
        )


def main() -> NoReturn:
    """Be a process of a kernel, as the arguments say."""
    root, interpreter, *handles = sys.argv[1:]
    before = set(sys.modules)
    finder: Any = _IsolatedFinder(root)
    sys.meta_path.insert(0, finder)
    for name in _PACKAGES:
        package = type(sys)(name)
        package.__path__ = []
        sys.modules[name] = package
    __import__(interpreter)
    make = sys.modules[interpreter].interpreter
    if handles:
        from paddock.kernels.child.evaluator_process import SupervisorPipes, run_evaluator  # noqa: PLC0415 - not everywhere

        first, second, notices = (int(handle) for handle in handles)
        _unload_paddock(finder, before)
        run_evaluator(make, SupervisorPipes((first, second), notices))
    from paddock.kernels.child import forkless_worker  # noqa: PLC0415 - seldom, and threads
    from paddock.kernels.child.standard_streams import claim_standard_streams  # noqa: PLC0415 - as above

    _unload_paddock(finder, before)
    requests, replies, output = claim_standard_streams()
    forkless_worker.run_forkless(make, requests, replies, output, [])


def _unload_paddock(finder: object, before: set[str]) -> None:
    sys.meta_path.remove(finder)  # type: ignore[arg-type]  # it finds modules all the same
    sys.argv[:] = [""]
    sys.path.insert(0, "")
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "paddock":
            del sys.modules[name]


if __name__ == "__main__":
    main()
