"""Validation and conversion of option values.

Values from the command line and the environment are text that is parsed as the option's type. The
text `Automatic` means the default, and `None` means no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.type_hooks import decode_hook
from paddock.errors import DefinitionError
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.tool import Option

AUTOMATIC_VALUE, NONE_VALUE = "Automatic", "None"


class OptionError(DefinitionError):
    """A tool option does not exist, or its value is invalid."""

    code = "tool-option"


def create_unknown_tool_error(name: str, tools: list[str]) -> OptionError:
    """Return the error for options of a tool that does not exist."""
    hint = did_you_mean(name, tools, most=1) or f"there are {', '.join(tools) or 'none'}"
    return OptionError(f"there is no tool {name!r} to set options of", hint=hint)


def validate_options(
    options: Mapping[str, Option], values: Mapping[str, object], tool: str
) -> dict[str, object]:
    """Return the values that a user has set for a tool's options, converted to their types.

    Args:
        options: The options that the tool declares, by name.
        values: The values by option name, as in `{"timeout": "30"}`.
        tool: The tool's name, for error messages.

    Raises:
        OptionError: An option does not exist, or its value is invalid.
    """
    return {name: _convert_option(options, name, value, tool) for name, value in values.items()}


def _convert_option(options: Mapping[str, Option], name: str, value: object, tool: str) -> object:
    """Return the value that a user has set for an option, converted to the option's type.

    A string may come from the command line or the environment. It is therefore converted leniently:
    `"30"` is accepted for a number, and JSON is parsed where possible.

    Raises:
        OptionError: The option does not exist, or the value is invalid.
    """
    option = options.get(name)
    if option is None:
        raise OptionError(f"no option {name!r}", where=tool, hint=_suggest_option(options, name))
    if value == AUTOMATIC_VALUE:
        return option.default
    value_type = _get_value_type(option)
    # The text "None" usually means no value, so None is tried first. For an option that requires a
    # string, the text itself is used.
    candidates = [None, value] if value == NONE_VALUE else [value]
    for candidate in candidates:
        try:
            return msgspec.convert(
                _parse_json_text(candidate),
                value_type,
                strict=not isinstance(value, str),
                dec_hook=decode_hook,
            )
        except msgspec.ValidationError as error:
            last_error = error
    value_text = "the given value" if option.is_secret else repr(value)
    raise OptionError(f"option {name!r} cannot be {value_text}: {last_error}", where=tool)


def _get_value_type(option: Option) -> Any:
    """Return the type to check values against. Without a type or a default, it is `Any`."""
    if option.type is None:
        return Any if option.default is None else type(option.default)
    return option.type


def _parse_json_text(value: object) -> Any:
    """Return the array or object in JSON text such as `"[1, 2]"`, or any other value unchanged."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
    return value


def _suggest_option(options: Mapping[str, Option], name: str) -> str:
    if not options:
        return "the tool has no options"
    return did_you_mean(name, options, most=1) or f"it has {', '.join(options)}"
