"""References: text that leads to a Python object.

`package.module:name` is imported; `path.py:name` runs a file, which is found relative to where the
reference stands. Dots in the name go on to attributes.

Functions in definitions: given as they are, or as references to them.

Definitions that may hold data only: nothing that stands in them leads to Python.

A paclet is read and never run, so what its servers list has to be names, and definitions that are
written out. What a name leads to is another extension's business.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.errors import DefinitionError, LoadError
from paddock.extensions.errors import SpecificationError
from paddock.extensions.names import normalize_key
from paddock.extensions.properties import shorten_repr
from paddock.extensions.python_modules import import_module, load_script_module
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from paddock.extensions.extension import Extension
    from paddock.extensions.properties import PropertyTable


_DOTTED_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_PYTHON_SUFFIX = ".py"
_TOP_LEVEL_HINT = "it has to be defined at the top of the file, and not below if __name__ == …"


def is_reference(text: str) -> bool:
    """Whether a text has the form of a reference; what it leads to need not exist."""
    home, colon, name = text.rpartition(":")
    if not colon or not _DOTTED_NAME.fullmatch(name):
        return False
    return home.endswith(_PYTHON_SUFFIX) or _DOTTED_NAME.fullmatch(home) is not None


def load_reference(text: str, *, relative_to: Path | None = None, where: str) -> object:
    """The object that a reference leads to.

    Args:
        text: The reference.
        relative_to: The directory from which a relative path counts; the working directory if
            there is none.
        where: Where the reference stands, for errors.

    Raises:
        LoadError: when there is no such file, module or object, or running it fails.
    """
    if not is_reference(text):
        raise LoadError(
            f"{text!r} is not a reference",
            where=where,
            hint="as in package.module:name, or file.py:name",
        )
    home, _, name = text.rpartition(":")
    module = (
        _load_file(home, relative_to, where)
        if home.endswith(_PYTHON_SUFFIX)
        else import_module(home, where)
    )
    found: object = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise _make_missing_name_error(text, part, found, where) from None
    return found


def make_reference_absolute(text: str) -> str:
    """A reference to a file whose path counts from anywhere; other text stays as it is."""
    home, _, name = text.rpartition(":")
    if not is_reference(text) or not home.endswith(_PYTHON_SUFFIX):
        return text
    path = Path(home).expanduser()
    return text if Path(home).is_absolute() else f"{path.absolute()}:{name}"


def get_reference_directory(text: str, relative_to: Path | None = None) -> Path | None:
    """From where relative paths count in what a reference leads to: the directory of its file."""
    home, _, _ = text.rpartition(":")
    return _resolve_path(home, relative_to).parent if home.endswith(_PYTHON_SUFFIX) else relative_to


def _resolve_path(home: str, relative_to: Path | None) -> Path:
    return ((relative_to or Path.cwd()) / Path(home).expanduser()).resolve()


def _load_file(home: str, relative_to: Path | None, where: str) -> ModuleType:
    path = _resolve_path(home, relative_to)
    if not path.is_file():
        raise LoadError(
            f"there is no file {path}", where=where, hint="check the path, or move it back"
        )
    return load_script_module(path)


def _make_missing_name_error(text: str, part: str, found: object, where: str) -> LoadError:
    names = [name for name in dir(found) if not name.startswith("_")]
    advice = did_you_mean(part, names, most=1) or _TOP_LEVEL_HINT
    return LoadError(f"{text!r} leads nowhere: there is no {part!r}", where=where, hint=advice)


_FUNCTION_HINT = "expected a function, or a reference to one: package.module:name, or file.py:name"


def get_function_name(function: object) -> str:
    """The name that a function has by itself.

    Raises:
        DefinitionError: when it has none, as a lambda or a partial function.
    """
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        raise DefinitionError(
            f"{'a lambda' if name else type(function).__name__} has no name",
            hint='give it one: Tool("name", …), Prompt("name", handler=…) or a table with a name',
        )
    return name


def list_required_parameters(function: Callable[..., Any]) -> list[str]:
    """The parameters without which a function cannot be called, as far as they are known."""
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in taken if one.default is one.empty and one.kind not in optional]


def read_function_property(
    properties: PropertyTable, name: str, *, relative_to: Path | None, where: str
) -> Callable[..., Any] | None:
    """The function that a property holds or refers to; None when it is absent.

    Raises:
        SpecificationError: when it is something else.
        LoadError: when the reference leads nowhere.
    """
    value = properties.get(name)
    if value is None:
        return None
    given = value
    if isinstance(value, str):
        if not is_reference(value):
            raise properties.make_error(f"{name} is {shorten_repr(value)}", _FUNCTION_HINT)
        given = load_reference(value, relative_to=relative_to, where=where)
    if not callable(given):
        raise properties.make_error(
            f"{name} is {shorten_repr(value)}, which cannot be called", _FUNCTION_HINT
        )
    return given


_CODE_PROPERTIES = ("function", "handler", "initialization", "file", "pickle")
"""Properties whose text leads to something that is not in the definition."""
_DATA_ONLY_HINT = (
    "a paclet is not run: write the name of a tool or prompt, or define it on the spot"
)


def reject_python(spec: object, owner: Extension | None, where: str) -> None:
    """Refuse what leads to Python where the extension that it stands in is not run.

    Raises:
        SpecificationError: for a reference, a stored object, or a table that has one in it.
    """
    if owner is None or owner.allows_python:
        return
    found = _find_code_reference(spec)
    if found is not None:
        raise SpecificationError(
            f"{shorten_repr(found)} leads to Python or to another file",
            where=where,
            hint=_DATA_ONLY_HINT,
        )


def _find_code_reference(spec: object) -> object:
    if isinstance(spec, str):
        return spec if is_reference(spec) else None
    if not isinstance(spec, Mapping):
        return None
    table = {normalize_key(str(key)): value for key, value in spec.items()}
    is_function = str(table.get("type", "")).lower() == "function"
    for key in (*_CODE_PROPERTIES, "content") if is_function else _CODE_PROPERTIES:
        # What has been made of Wolfram Language is no text any more.
        if isinstance(table.get(key), str | Mapping):
            return table[key]
    return None
