"""References to Python objects in definitions.

`package.module:name` imports a module. `path.py:name` runs a file, with a path relative to the file
that contains the reference. The name can be dotted to access attributes. Paclets are read but never
run, so their definitions must not contain references (`reject_python`).
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
    file_or_module, colon, name = text.rpartition(":")
    has_name = bool(colon) and is_dotted_name(name)
    return has_name and (file_or_module.endswith(_PYTHON_SUFFIX) or is_dotted_name(file_or_module))


def load_reference(text: str, *, relative_to: Path | None = None, where: str) -> object:
    """Load the Python object that a definition refers to, running its file or module.

    Args:
        text: The reference, such as `acme.charts:plot` or `tools.py:plot`. The name can be dotted.
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
    file_or_module, _, object_name = text.rpartition(":")
    referenced_object: object
    if file_or_module.endswith(_PYTHON_SUFFIX):
        referenced_object = _load_file(file_or_module, relative_to, where)
    else:
        referenced_object = import_module(file_or_module, where)
    for attribute in object_name.split("."):
        try:
            referenced_object = getattr(referenced_object, attribute)
        except AttributeError:
            raise _make_missing_name_error(text, attribute, referenced_object, where) from None
    return referenced_object


def make_reference_absolute(text: str) -> str:
    """Make the path in a reference absolute. Return any other text unchanged."""
    file_or_module, _, name = text.rpartition(":")
    if not is_reference(text) or not file_or_module.endswith(_PYTHON_SUFFIX):
        return text
    path = Path(file_or_module).expanduser()
    return text if Path(file_or_module).is_absolute() else f"{path.absolute()}:{name}"


def get_reference_directory(text: str, relative_to: Path | None = None) -> Path | None:
    """Return the directory for relative paths in a definition loaded from a reference.

    For `shared/tools.py:plot`, this is the file's directory. For a reference to a module, it is
    `relative_to`, because an installed module is in `site-packages`.
    """
    file_or_module, _, _ = text.rpartition(":")
    if file_or_module.endswith(_PYTHON_SUFFIX):
        return _resolve_path(file_or_module, relative_to).parent
    return relative_to


def _resolve_path(file_or_module: str, relative_to: Path | None) -> Path:
    return ((relative_to or Path.cwd()) / Path(file_or_module).expanduser()).resolve()


def _load_file(file_name: str, relative_to: Path | None, where: str) -> ModuleType:
    """Run the Python file that a reference names, such as `tools.py`, and return its module.

    Raises:
        LoadError: The file does not exist, or running it failed.
    """
    path = _resolve_path(file_name, relative_to)
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
    """Return a function's name, for use as the name of its tool or prompt.

    Raises:
        DefinitionError: The function does not have a name, such as a lambda or partial function.
    """
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        raise DefinitionError(
            f"{'a lambda' if name else type(function).__name__} has no name",
            hint='give it one: Tool("name", …), Prompt("name", handler=…) or a table with a name',
        )
    return name


def list_required_parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's required parameters, or [] if it does not have a signature.

    Some functions written in C do not have a signature.
    """
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
    """Return the function in a definition property, or None if the property is absent.

    Args:
        properties: The definition.
        name: The name of the property, whose value is a function or a reference to one.
        relative_to: The directory for a relative path in the reference.
        where: The location of the definition, for errors.

    Raises:
        SpecificationError: The property is not a function or a reference.
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
    """Return the definition keys whose value can be a reference to a Python function.

    The keys are in snake case. They include `content` if a prompt's `type` is `Function`.
    """
    content_type = next(
        (value for key, value in definition.items() if normalize_key(str(key)) == "type"), ""
    )
    is_function = str(content_type).lower() == "function"
    return (*_FUNCTION_KEYS, "content") if is_function else _FUNCTION_KEYS


def reject_python(spec: object, owner: Extension | None, where: str) -> None:
    """Reject an item that refers to Python code in an extension whose code is never run.

    These extensions are paclets (Wolfram packages). A server definition in a paclet must not make
    Paddock run Python code or read other files.

    Args:
        spec: An element of a server's list of tools, prompts or resources.
        owner: The extension that contains the element, if any.
        where: The location of the element, for errors.

    Raises:
        SpecificationError: The element refers to Python code, a file or a pickled object.
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
    """Return the first value in an element that refers to Python code or a file, or None.

    The element is a reference such as `tools.py:plot`, or a table with a property such as
    `function` or `file`.
    """
    if isinstance(spec, str):
        return spec if is_reference(spec) else None
    if not isinstance(spec, Mapping):
        return None
    properties = {normalize_key(str(key)): value for key, value in spec.items()}
    for key in (*list_reference_keys(spec), *_FILE_KEYS):
        # A Wolfram function is allowed. It is neither text nor a table, but a `WolframFunction`.
        if isinstance(properties.get(key), str | Mapping):
            return properties[key]
    return None
