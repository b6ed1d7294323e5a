"""References to Python objects that allow another process to load them.

A stored definition refers to functions by name, and a client starts the server in another
directory. A reference is therefore `module:name` only if a new interpreter finds the module there,
and otherwise `file:name`. An object without a source file has no reference, and the error explains
why.
"""

from __future__ import annotations

import operator
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.tool import Tool
from paddock.named_servers.names import ServerDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

DEFAULT_HINT = "define it at the top level of a file, or pickle it: pickle=True"
_MAIN_MODULE = "__main__"
_FIND_MODULE_SCRIPT = (
    "import importlib.util, sys; spec = importlib.util.find_spec(sys.argv[1]);"
    " print(spec.origin if spec else '')"
)
_FIND_TIMEOUT_SECONDS = 20.0


class _ModuleAttribute(NamedTuple):
    """An object at the top level of a module."""

    module: ModuleType
    name: str
    value: Any


class NoReferenceError(ServerDefinitionError):
    """An object cannot be stored by reference."""

    code = "no-reference"


def make_reference(value: object) -> str:
    """Return a reference that another process can use to load a function or other object.

    The reference is `module:name` if the module can be imported everywhere, or else `file:name`.

    Args:
        value: A function, or an object at the top level of a module, such as a tool.

    Raises:
        NoReferenceError: The object has no reference; the message explains why.
    """
    module, name, _ = _find_module_attribute(value)
    import_name = _get_import_name(module)
    if import_name != _MAIN_MODULE and _is_importable_as(module, import_name):
        return f"{import_name}:{name}"
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).is_file():
        raise _make_reference_error(value, "it was defined interactively, not in a file")
    if module.__name__ != _MAIN_MODULE and module.__package__:
        raise _make_reference_error(
            value,
            f"its package {module.__package__!r} cannot be imported in other directories",
            "install the package into this environment: pip install -e DIRECTORY",
        )
    return f"{Path(file).resolve()}:{name}"


def _find_module_attribute(value: object) -> _ModuleAttribute:
    """Return the module that contains an object, and the object's name in the module.

    Functions and classes have attributes for both. For other objects, such as tools, all imported
    modules are searched.

    Raises:
        NoReferenceError: The object is not accessible by name at the top level of a module.
    """
    name = getattr(value, "__qualname__", None)
    module = sys.modules.get(str(getattr(value, "__module__", None)))
    if isinstance(name, str) and module is not None:
        if "<lambda>" in name:
            raise _make_reference_error(value, "a lambda has no name")
        if "<locals>" in name:
            raise _make_reference_error(value, "it is defined inside a function")
        if _get_nested_attribute(module, name) is value:
            return _ModuleAttribute(module, name, value)
        if isinstance(value, MethodType):
            raise _make_reference_error(value, "it is a method of an object")
        raise _make_reference_error(value, f"{module.__name__}.{name} is now another object")
    attribute = next(_iterate_module_attributes(value), None)
    if attribute is None:
        raise _make_reference_error(value, "no module has it at its top level")
    return attribute


def find_base_tool(tool: Tool) -> Tool | None:
    """Return the top-level tool of a module that equals a tool except for its option values."""
    attribute = next(_iterate_module_attributes(tool), None)
    return None if attribute is None else attribute.value


def _iterate_module_attributes(value: object) -> Iterator[_ModuleAttribute]:
    """Yield the top-level attributes of imported modules whose value is the given object.

    Setting option values copies a tool. For such a copy, the original tool also counts, because
    option values are stored separately. Exact matches come first.
    """
    for is_same in (operator.is_, _is_same_except_option_values):
        for module in _iterate_modules(value):
            for name, attribute in list(vars(module).items()):
                if name.isidentifier() and is_same(attribute, value):
                    yield _ModuleAttribute(module, name, attribute)


def _is_same_except_option_values(attribute: object, value: object) -> bool:
    if not isinstance(attribute, Tool) or not isinstance(value, Tool):
        return False
    slots = (slot for slot in Tool.__slots__ if slot != "option_values")
    return all(getattr(attribute, slot) is getattr(value, slot) for slot in slots)


def _iterate_modules(value: object) -> Iterator[ModuleType]:
    """Yield all modules, starting with the one of the object's handler and the main module."""
    likely_names = [getattr(getattr(value, "handler", None), "__module__", None), _MAIN_MODULE]
    for name in (*likely_names, *sys.modules):
        module = sys.modules.get(str(name))
        if module is not None and hasattr(module, "__dict__"):
            yield module


def _get_nested_attribute(module: ModuleType, name: str) -> Any:
    attribute: Any = module
    for part in name.split("."):
        attribute = getattr(attribute, part, None)
    return attribute


def _get_import_name(module: ModuleType) -> str:
    """Return the name under which a module can be imported.

    For the main module, this is the name given to `python -m`.
    """
    return str(getattr(getattr(module, "__spec__", None), "name", None) or module.__name__)


def is_importable(module: ModuleType) -> bool:
    """Return whether a new interpreter can find this module by its name."""
    return _is_importable_as(module, _get_import_name(module))


def _is_importable_as(module: ModuleType, name: str) -> bool:
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None) or getattr(module, "__file__", None)
    return origin is not None and _find_module_origin(name) == str(origin)


@cache
def _find_module_origin(module: str) -> str:
    """Return the file that a new interpreter imports for a module name, or an empty string.

    It may differ from the file in this process, because clients start a server in another
    directory. The result is cached, because starting an interpreter is slow.
    """
    # The interpreter runs as a client starts it, without the user's PYTHONPATH (-E) and working
    # directory (-P).
    command = [sys.executable, "-P", "-E", "-c", _FIND_MODULE_SCRIPT, module]
    try:
        completed = subprocess.run(  # noqa: S603 - this interpreter
            command,
            cwd=Path(sys.executable).parent,
            capture_output=True,
            text=True,
            timeout=_FIND_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""  # the reference then contains the path of the file
    return completed.stdout.strip()


def _make_reference_error(value: object, reason: str, hint: str = DEFAULT_HINT) -> NoReferenceError:
    name = getattr(value, "__qualname__", None) or repr(value)
    return NoReferenceError(f"{name} cannot be stored by reference: {reason}"[:300], hint=hint)
