"""Checking the values that are set for a tool's options.

A value may come as text, from a command line or the environment: it is read as what the option
takes. The text `Automatic` stands for the default, and `None` for no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.type_hooks import decode_hook
from paddock.errors import DefinitionError
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.tool_option import Option

AUTOMATIC_VALUE, NONE_VALUE = "Automatic", "None"


class OptionError(DefinitionError):
    """An option of a tool is not known, or cannot have that value."""

    code = "tool-option"


def create_unknown_tool_error(name: str, tools: list[str]) -> OptionError:
    """The complaint about options of a tool that is not there."""
    hint = did_you_mean(name, tools, most=1) or f"there are {', '.join(tools) or 'none'}"
    return OptionError(f"there is no tool {name!r} to set options of", hint=hint)


def validate_options(
    options: Mapping[str, Option], values: Mapping[str, object], tool: str
) -> dict[str, object]:
    """The values as their options take them.

    Raises:
        OptionError: at the first one that cannot be.
    """
    return {name: _convert_option(options, name, value, tool) for name, value in values.items()}


def _convert_option(options: Mapping[str, Option], name: str, value: object, tool: str) -> object:
    option = options.get(name)
    if option is None:
        raise OptionError(f"no option {name!r}", where=tool, hint=_suggest_option(options, name))
    if value == AUTOMATIC_VALUE:
        return option.default
    kind = _get_value_type(option)
    candidates = [None, value] if value == NONE_VALUE else [value]
    for candidate in candidates:
        try:
            return msgspec.convert(
                _parse_json_text(candidate),
                kind,
                strict=not isinstance(value, str),
                dec_hook=decode_hook,
            )
        except msgspec.ValidationError as error:
            fault = error
    shown = "what it is given" if option.is_secret else repr(value)
    raise OptionError(f"option {name!r} cannot be {shown}: {fault}", where=tool)


def _get_value_type(option: Option) -> Any:
    """What values are checked against; a default of None says nothing about others."""
    if option.type is None:
        return Any if option.default is None else type(option.default)
    return option.type


def _parse_json_text(value: object) -> Any:
    """Text that is meant as JSON, as an array or object, is read as such."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
    return value


def _suggest_option(options: Mapping[str, Option], name: str) -> str:
    if not options:
        return "the tool has none"
    return did_you_mean(name, options, most=1) or f"it has {', '.join(options)}"
