"""From a Python object to the text that leads to it from anywhere.

A server is started by somebody else, in another directory, so the reference is `module:name` only
where a fresh interpreter finds that module, and the path of the file otherwise. What has no source
that could be loaded again has no reference, and the reason is told.
"""

from __future__ import annotations

import operator
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any

from paddock.authoring.tool import Tool
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
    known_as = _import_name(module)
    if known_as != _MAIN and _is_importable(module, known_as):
        return f"{known_as}:{name}"
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
    found = next(_places_of(value), None)
    if found is None:
        raise _refused(value, "no module has it at its top")
    return found[0], found[1]


def base_of(tool: Tool) -> Tool | None:
    """The tool at the top of a module of which this one is, or was made by setting options."""
    found = next(_places_of(tool), None)
    return None if found is None else found[2]


def _places_of(value: object) -> Iterator[tuple[ModuleType, str, Any]]:
    """Where an object stands at the top of a module; then where one that differs by options."""
    for is_same in (operator.is_, _differ_by_values):
        for candidate in _modules_for(value):
            for attribute, found in list(vars(candidate).items()):
                if attribute.isidentifier() and is_same(found, value):
                    yield candidate, attribute, found


def _differ_by_values(found: object, value: object) -> bool:
    if not isinstance(found, Tool) or not isinstance(value, Tool):
        return False
    slots = (slot for slot in Tool.__slots__ if slot != "option_values")
    return all(getattr(found, slot) is getattr(value, slot) for slot in slots)


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


def _import_name(module: ModuleType) -> str:
    """What a module is imported by; also the program's own, if it was started by that name."""
    return str(getattr(getattr(module, "__spec__", None), "name", None) or module.__name__)


def is_importable(module: ModuleType) -> bool:
    """Whether a fresh interpreter finds a module, and finds this one."""
    return _is_importable(module, _import_name(module))


def _is_importable(module: ModuleType, name: str) -> bool:
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None) or getattr(module, "__file__", None)
    return origin is not None and _origin_elsewhere(name) == str(origin)


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
