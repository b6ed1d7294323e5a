"""Functions in definitions: given as they are, or as references to them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from paddock.errors import DefinitionError
from paddock.extensions.properties import shown
from paddock.extensions.references import is_reference, load_reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from paddock.extensions.properties import Properties

_EXPECTED = "expected a function, or a reference to one: package.module:name, or file.py:name"


def name_of(function: object) -> str:
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


def required_parameters(function: Callable[..., Any]) -> list[str]:
    """The parameters without which a function cannot be called, as far as they are known."""
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in taken if one.default is one.empty and one.kind not in optional]


def read_function(
    properties: Properties, name: str, *, relative_to: Path | None, where: str
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
            raise properties.refused(f"{name} is {shown(value)}", _EXPECTED)
        given = load_reference(value, relative_to=relative_to, where=where)
    if not callable(given):
        raise properties.refused(f"{name} is {shown(value)}, which cannot be called", _EXPECTED)
    return given
