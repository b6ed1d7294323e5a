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
from paddock.named_servers.names import ServerDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

DEFAULT_HINT = "define it at the top of a file, or store it as it is: pickle=True"
_MAIN_MODULE = "__main__"
_FIND_MODULE_SCRIPT = (
    "import importlib.util, sys; spec = importlib.util.find_spec(sys.argv[1]);"
    " print(spec.origin if spec else '')"
)
_FIND_TIMEOUT_SECONDS = 20.0


class NoReferenceError(ServerDefinitionError):
    """An object cannot be reached by a reference."""

    code = "no-reference"


def make_reference(value: object) -> str:
    """The reference of a function, or of an object that is assigned at the top of a module.

    Raises:
        NoReferenceError: when there is none, with the reason.
    """
    module, name = _find_module_and_name(value)
    known_as = _get_import_name(module)
    if known_as != _MAIN_MODULE and _is_importable_as(module, known_as):
        return f"{known_as}:{name}"
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).is_file():
        raise _make_reference_error(value, "it was typed in, and no file defines it")
    if module.__name__ != _MAIN_MODULE and module.__package__:
        raise _make_reference_error(
            value,
            f"its package {module.__package__!r} cannot be imported from elsewhere",
            "install the package into this environment: pip install -e DIRECTORY",
        )
    return f"{Path(file).resolve()}:{name}"


def _find_module_and_name(value: object) -> tuple[ModuleType, str]:
    """The module that an object is in, and its name there."""
    name = getattr(value, "__qualname__", None)
    module = sys.modules.get(str(getattr(value, "__module__", None)))
    if isinstance(name, str) and module is not None:
        if "<lambda>" in name:
            raise _make_reference_error(value, "a lambda has no name to find it by")
        if "<locals>" in name:
            raise _make_reference_error(value, "it is defined inside of a function")
        if _get_nested_attribute(module, name) is value:
            return module, name
        if isinstance(value, MethodType):
            raise _make_reference_error(value, "it is a method of an object")
        raise _make_reference_error(value, f"{module.__name__}.{name} is something else by now")
    found = next(_iterate_module_attributes(value), None)
    if found is None:
        raise _make_reference_error(value, "no module has it at its top")
    return found[0], found[1]


def find_base_tool(tool: Tool) -> Tool | None:
    """The tool at the top of a module of which this one is, or was made by setting options."""
    found = next(_iterate_module_attributes(tool), None)
    return None if found is None else found[2]


def _iterate_module_attributes(value: object) -> Iterator[tuple[ModuleType, str, Any]]:
    """Where an object stands at the top of a module; then where one that differs by options."""
    for is_same in (operator.is_, _is_same_except_option_values):
        for candidate in _iterate_modules(value):
            for attribute, found in list(vars(candidate).items()):
                if attribute.isidentifier() and is_same(found, value):
                    yield candidate, attribute, found


def _is_same_except_option_values(found: object, value: object) -> bool:
    if not isinstance(found, Tool) or not isinstance(value, Tool):
        return False
    slots = (slot for slot in Tool.__slots__ if slot != "option_values")
    return all(getattr(found, slot) is getattr(value, slot) for slot in slots)


def _iterate_modules(value: object) -> Iterator[ModuleType]:
    """The modules that may hold an object: that of its handler first, then the program's own."""
    near = [getattr(getattr(value, "handler", None), "__module__", None), _MAIN_MODULE]
    for name in (*near, *sys.modules):
        module = sys.modules.get(str(name))
        if module is not None and hasattr(module, "__dict__"):
            yield module


def _get_nested_attribute(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _get_import_name(module: ModuleType) -> str:
    """What a module is imported by; also the program's own, if it was started by that name."""
    return str(getattr(getattr(module, "__spec__", None), "name", None) or module.__name__)


def is_importable(module: ModuleType) -> bool:
    """Whether a fresh interpreter finds a module, and finds this one."""
    return _is_importable_as(module, _get_import_name(module))


def _is_importable_as(module: ModuleType, name: str) -> bool:
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None) or getattr(module, "__file__", None)
    return origin is not None and _find_module_origin(name) == str(origin)


@cache
def _find_module_origin(module: str) -> str:
    """Where this interpreter finds a module when it is started in another directory."""
    # As a client starts it: without the user's own search path and working directory.
    command = [sys.executable, "-P", "-E", "-c", _FIND_MODULE_SCRIPT, module]
    try:
        found = subprocess.run(  # noqa: S603 - this interpreter
            command,
            cwd=Path(sys.executable).parent,
            capture_output=True,
            text=True,
            timeout=_FIND_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""  # then the path of its file will do
    return found.stdout.strip()


def _make_reference_error(
    value: object, reason: str, advice: str = DEFAULT_HINT
) -> NoReferenceError:
    shown = getattr(value, "__qualname__", None) or repr(value)
    return NoReferenceError(f"{shown} cannot be stored by reference: {reason}"[:300], hint=advice)
