"""References to Python objects in definitions.

`package.module:name` imports a module. `path.py:name` runs a file, with a path relative to the file
of the reference. The name can be dotted, for attributes. Paclets are read but never run, so their
definitions must not contain references (`reject_python`).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.errors import DefinitionError, LoadError
from paddock.extensions.errors import SpecificationError
from paddock.extensions.names import is_dotted_name, normalize_key
from paddock.extensions.properties import shorten_repr
from paddock.extensions.python_modules import import_module, load_script_module
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from paddock.extensions.extension import Extension
    from paddock.extensions.properties import PropertyTable


_PYTHON_SUFFIX = ".py"
_TOP_LEVEL_HINT = "define it at the top level of the file, not below if __name__ == …"
_FUNCTION_HINT = "expected a function, or a reference: package.module:name or file.py:name"
_FUNCTION_KEYS = ("function", "handler", "initialization")
_FILE_KEYS = ("file", "pickle")
_DATA_ONLY_HINT = "paclets cannot run Python: use the name of a tool or prompt, or define it inline"


def is_reference(text: str) -> bool:
    """Return whether a text has the form of a reference. The object need not exist."""
    home, colon, name = text.rpartition(":")
    has_name = bool(colon) and is_dotted_name(name)
    return has_name and (home.endswith(_PYTHON_SUFFIX) or is_dotted_name(home))


def load_reference(text: str, *, relative_to: Path | None = None, where: str) -> object:
    """Load the object that a reference names.

    Args:
        text: The reference.
        relative_to: The directory for a relative path (default: the working directory).
        where: The location of the reference, for errors.

    Raises:
        LoadError: The file, module or object does not exist, or running the code failed.
    """
    if not is_reference(text):
        raise LoadError(
            f"{text!r} is not a reference",
            where=where,
            hint="expected package.module:name or file.py:name",
        )
    home, _, name = text.rpartition(":")
    module = (
        _load_file(home, relative_to, where)
        if home.endswith(_PYTHON_SUFFIX)
        else import_module(home, where)
    )
    value: object = module
    for attribute in name.split("."):
        try:
            value = getattr(value, attribute)
        except AttributeError:
            raise _make_missing_name_error(text, attribute, value, where) from None
    return value


def make_reference_absolute(text: str) -> str:
    """Make the path in a reference absolute. Return any other text unchanged."""
    home, _, name = text.rpartition(":")
    if not is_reference(text) or not home.endswith(_PYTHON_SUFFIX):
        return text
    path = Path(home).expanduser()
    return text if Path(home).is_absolute() else f"{path.absolute()}:{name}"


def get_reference_directory(text: str, relative_to: Path | None = None) -> Path | None:
    """Return the directory for relative paths in a referenced definition.

    This is the directory of the file in the reference, or else `relative_to`.
    """
    home, _, _ = text.rpartition(":")
    # A module has no such directory: an installed one would lead into site-packages.
    return _resolve_path(home, relative_to).parent if home.endswith(_PYTHON_SUFFIX) else relative_to


def _resolve_path(home: str, relative_to: Path | None) -> Path:
    return ((relative_to or Path.cwd()) / Path(home).expanduser()).resolve()


def _load_file(home: str, relative_to: Path | None, where: str) -> ModuleType:
    """Run the file of a reference such as `tools.py:plot`, and return its module."""
    path = _resolve_path(home, relative_to)
    if not path.is_file():
        raise LoadError(
            f"there is no file {path}", where=where, hint="check the path, or restore the file"
        )
    return load_script_module(path)


def _make_missing_name_error(text: str, attribute: str, value: object, where: str) -> LoadError:
    names = [name for name in dir(value) if not name.startswith("_")]
    hint = did_you_mean(attribute, names, most=1) or _TOP_LEVEL_HINT
    return LoadError(f"cannot resolve {text!r}: there is no {attribute!r}", where=where, hint=hint)


def get_function_name(function: object) -> str:
    """Return the name of a function.

    Raises:
        DefinitionError: The function has no name, such as a lambda or a partial function.
    """
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        raise DefinitionError(
            f"{'a lambda' if name else type(function).__name__} has no name",
            hint='give it one: Tool("name", …), Prompt("name", handler=…) or a table with a name',
        )
    return name


def list_required_parameters(function: Callable[..., Any]) -> list[str]:
    """Return the required parameters of a function, or [] if it has no signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    variadic_kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty and parameter.kind not in variadic_kinds
    ]


def read_function_property(
    properties: PropertyTable, name: str, *, relative_to: Path | None, where: str
) -> Callable[..., Any] | None:
    """Return the function in a property, resolving a reference, or None if it is absent.

    Raises:
        SpecificationError: The property is not a function or reference.
        LoadError: The reference cannot be resolved.
    """
    value = properties.get(name)
    if value is None:
        return None
    function = value
    if isinstance(value, str):
        if not is_reference(value):
            raise properties.make_error(f"{name} is {shorten_repr(value)}", _FUNCTION_HINT)
        function = load_reference(value, relative_to=relative_to, where=where)
    if not callable(function):
        raise properties.make_error(
            f"{name} is {shorten_repr(value)}, which cannot be called", _FUNCTION_HINT
        )
    return function


def list_reference_keys(definition: Mapping[str, object]) -> tuple[str, ...]:
    """Return the keys of a definition, in snake case, whose text can be a reference.

    `content` is one of them if the `type` of a prompt is `Function`.
    """
    content_type = next(
        (value for key, value in definition.items() if normalize_key(str(key)) == "type"), ""
    )
    is_function = str(content_type).lower() == "function"
    return (*_FUNCTION_KEYS, "content") if is_function else _FUNCTION_KEYS


def reject_python(spec: object, owner: Extension | None, where: str) -> None:
    """Reject Python code in an item of an extension that is never run.

    Args:
        spec: An element of an item list.
        owner: The extension that contains the element, if any.
        where: The location of the element, for errors.

    Raises:
        SpecificationError: The element is or contains a reference or a pickled object.
    """
    if owner is None or owner.allows_python:
        return
    code_reference = _find_code_reference(spec)
    if code_reference is not None:
        raise SpecificationError(
            f"{shorten_repr(code_reference)} refers to Python code or another file",
            where=where,
            hint=_DATA_ONLY_HINT,
        )


def _find_code_reference(spec: object) -> object:
    """Return the first value in an element that refers to Python code or a file, or None."""
    if isinstance(spec, str):
        return spec if is_reference(spec) else None
    if not isinstance(spec, Mapping):
        return None
    table = {normalize_key(str(key)): value for key, value in spec.items()}
    for key in (*list_reference_keys(spec), *_FILE_KEYS):
        # Wolfram functions are objects here (`WolframFunction`), not text.
        if isinstance(table.get(key), str | Mapping):
            return table[key]
    return None
