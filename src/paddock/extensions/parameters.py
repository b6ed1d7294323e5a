"""The parameters of a tool, as a table of properties lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paddock.authoring.tool import JSON_TYPES, NOTHING, Parameter
from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.properties import Properties, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KEYS = {
    "name": "name",
    "interpreter": "type",
    "type": "type",
    "help": "description",
    "description": "description",
    "required": "required",
    "default": "default",
    "header": "header",
}
_PAIR = 2
_EXPECTED = "expected { name = { type, help, required }, … } or a list of { name, type, … }"


def read_parameters(value: object, where: str) -> list[Parameter]:
    """The parameters in their order, each required unless it says otherwise.

    Raises:
        ToolSpecificationError: when one cannot be understood.
    """
    if isinstance(value, Mapping):
        return [_parameter(name, one, f"{where}: parameters.{name}") for name, one in value.items()]
    if isinstance(value, list | tuple):
        return list(_listed(value, where))
    raise ToolSpecificationError(f"parameters is {shown(value)}", where=where, hint=_EXPECTED)


def _listed(several: Iterable[object], where: str) -> Iterator[Parameter]:
    for index, one in enumerate(several):
        here = f"{where}: parameters[{index}]"
        if isinstance(one, Parameter):
            yield one
        elif isinstance(one, tuple) and len(one) == _PAIR:
            yield _parameter(one[0], one[1], here)
        elif isinstance(one, Mapping):
            yield from _from_table(one, here)
        else:
            raise ToolSpecificationError(shown(one), where=here, hint=_EXPECTED)


def _from_table(table: Mapping[object, object], where: str) -> Iterator[Parameter]:
    """One parameter with its name among its properties, or any number by their names."""
    if table and all(isinstance(value, Mapping) for value in table.values()):
        for name, one in table.items():
            yield _parameter(name, one, where)
    else:
        yield _parameter(None, table, where)


def _parameter(name: object, given: object, where: str) -> Parameter:
    if isinstance(given, Parameter):
        return given
    if not isinstance(given, Mapping):
        raise ToolSpecificationError(shown(given), where=where, hint=_EXPECTED)
    properties = Properties(given, _KEYS, ToolSpecificationError, where)
    name = properties.text("name") if name is None else name
    if not isinstance(name, str) or not name:
        raise properties.refused("a parameter has no name", _EXPECTED)
    return Parameter(
        name,
        _json_type(properties),
        properties.text("description") or "",
        required=properties.flag("required", default=True),
        default=properties.get("default") if "default" in properties else NOTHING,
        header=properties.text("header"),
    )


def _json_type(properties: Properties) -> str:
    """The word of JSON Schema for an interpreter: `String`, `Integer`, and so on."""
    given = properties.text("type") or "string"
    if given.lower() in JSON_TYPES:
        return given.lower()
    raise properties.refused(f"type is {shown(given)}", f"one of {', '.join(JSON_TYPES)}")
