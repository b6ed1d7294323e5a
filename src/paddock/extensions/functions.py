"""Functions in definitions: given as they are, or as references to them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from paddock.errors import DefinitionError
from paddock.extensions.properties import shorten_repr
from paddock.extensions.references import is_reference, load_reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from paddock.extensions.properties import PropertyTable

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
        raise properties.make_error(f"{name} is {shorten_repr(value)}, which cannot be called", _FUNCTION_HINT)
    return given
