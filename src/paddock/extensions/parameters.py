"""The parameters of a tool, as a table of properties lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paddock.authoring.tool import JSON_TYPES, NO_DEFAULT, Parameter
from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.properties import PropertyTable, shorten_repr

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PARAMETER_KEYS = {
    "name": "name",
    "interpreter": "type",
    "type": "type",
    "help": "description",
    "description": "description",
    "required": "required",
    "default": "default",
    "header": "header",
}
_PAIR_LENGTH = 2
_PARAMETERS_HINT = "expected { name = { type, help, required }, … } or a list of { name, type, … }"


def read_parameters(value: object, where: str) -> list[Parameter]:
    """The parameters in their order, each required unless it says otherwise.

    Raises:
        ToolSpecificationError: when one cannot be understood.
    """
    if isinstance(value, Mapping):
        return [_read_parameter(name, one, f"{where}: parameters.{name}") for name, one in value.items()]
    if isinstance(value, list | tuple):
        return list(_read_parameter_list(value, where))
    raise ToolSpecificationError(f"parameters is {shorten_repr(value)}", where=where, hint=_PARAMETERS_HINT)


def _read_parameter_list(several: Iterable[object], where: str) -> Iterator[Parameter]:
    for index, one in enumerate(several):
        here = f"{where}: parameters[{index}]"
        if isinstance(one, Parameter):
            yield one
        elif isinstance(one, tuple) and len(one) == _PAIR_LENGTH:
            yield _read_parameter(one[0], one[1], here)
        elif isinstance(one, Mapping):
            yield from _read_parameter_table(one, here)
        else:
            raise ToolSpecificationError(shorten_repr(one), where=here, hint=_PARAMETERS_HINT)


def _read_parameter_table(table: Mapping[object, object], where: str) -> Iterator[Parameter]:
    """One parameter with its name among its properties, or any number by their names."""
    if table and all(isinstance(value, Mapping) for value in table.values()):
        for name, one in table.items():
            yield _read_parameter(name, one, where)
    else:
        yield _read_parameter(None, table, where)


def _read_parameter(name: object, given: object, where: str) -> Parameter:
    if isinstance(given, Parameter):
        return given
    if not isinstance(given, Mapping):
        raise ToolSpecificationError(shorten_repr(given), where=where, hint=_PARAMETERS_HINT)
    properties = PropertyTable(given, _PARAMETER_KEYS, ToolSpecificationError, where)
    name = properties.get_text("name") if name is None else name
    if not isinstance(name, str) or not name:
        raise properties.make_error("a parameter has no name", _PARAMETERS_HINT)
    return Parameter(
        name,
        _read_json_type(properties),
        properties.get_text("description") or "",
        required=properties.get_flag("required", default=True),
        default=properties.get("default") if "default" in properties else NO_DEFAULT,
        header=properties.get_text("header"),
    )


def _read_json_type(properties: PropertyTable) -> str:
    """The word of JSON Schema for an interpreter: `String`, `Integer`, and so on."""
    given = properties.get_text("type") or "string"
    if given.lower() in JSON_TYPES:
        return given.lower()
    raise properties.make_error(f"type is {shorten_repr(given)}", f"one of {', '.join(JSON_TYPES)}")
