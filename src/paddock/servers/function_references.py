"""From a Python object to the text that leads to it from anywhere.

A server is started by somebody else, in another directory, so the reference is `module:name` only
where a fresh interpreter finds that module, and the path of the file otherwise. What has no source
that could be loaded again has no reference, and the reason is told.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any

from paddock.servers.errors import ServerDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ADVICE = "define it at the top of a file, or store it as it is: pickle=True"
_MAIN = "__main__"
_FIND = (
    "import importlib.util, sys; spec = importlib.util.find_spec(sys.argv[1]);"
    " print(spec.origin if spec else '')"
)
_PATIENCE = 20.0


class NoReferenceError(ServerDefinitionError):
    """An object cannot be reached by a reference."""

    code = "no-reference"


def reference_to(value: object) -> str:
    """The reference of a function, or of an object that is assigned at the top of a module.

    Raises:
        NoReferenceError: when there is none, with the reason.
    """
    module, name = _home_of(value)
    if module.__name__ != _MAIN and _is_importable(module):
        return f"{module.__name__}:{name}"
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).is_file():
        raise _refused(value, "it was typed in, and no file defines it")
    if module.__name__ != _MAIN and module.__package__:
        raise _refused(
            value,
            f"its package {module.__package__!r} cannot be imported from elsewhere",
            "install the package into this environment: pip install -e DIRECTORY",
        )
    return f"{Path(file).resolve()}:{name}"


def _home_of(value: object) -> tuple[ModuleType, str]:
    """The module that an object is in, and its name there."""
    name = getattr(value, "__qualname__", None)
    module = sys.modules.get(str(getattr(value, "__module__", None)))
    if isinstance(name, str) and module is not None:
        if "<lambda>" in name:
            raise _refused(value, "a lambda has no name to find it by")
        if "<locals>" in name:
            raise _refused(value, "it is defined inside of a function")
        if _follow(module, name) is value:
            return module, name
        if isinstance(value, MethodType):
            raise _refused(value, "it is a method of an object")
        raise _refused(value, f"{module.__name__}.{name} is something else by now")
    for candidate in _modules_for(value):
        for attribute, found in list(vars(candidate).items()):
            if found is value and attribute.isidentifier():
                return candidate, attribute
    raise _refused(value, "no module has it at its top")


def _modules_for(value: object) -> Iterator[ModuleType]:
    """The modules that may hold an object: that of its handler first, then the program's own."""
    near = [getattr(getattr(value, "handler", None), "__module__", None), _MAIN]
    for name in (*near, *sys.modules):
        module = sys.modules.get(str(name))
        if module is not None and hasattr(module, "__dict__"):
            yield module


def _follow(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _is_importable(module: ModuleType) -> bool:
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None) or getattr(module, "__file__", None)
    return origin is not None and _origin_elsewhere(module.__name__) == str(origin)


@cache
def _origin_elsewhere(module: str) -> str:
    """Where this interpreter finds a module when it is started in another directory."""
    # As a client starts it: without the user's own search path and working directory.
    command = [sys.executable, "-P", "-E", "-c", _FIND, module]
    try:
        found = subprocess.run(  # noqa: S603 - this interpreter
            command,
            cwd=Path(sys.executable).parent,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""  # then the path of its file will do
    return found.stdout.strip()


def _refused(value: object, reason: str, advice: str = ADVICE) -> NoReferenceError:
    shown = getattr(value, "__qualname__", None) or repr(value)
    return NoReferenceError(f"{shown} cannot be stored by reference: {reason}"[:300], hint=advice)
